/** Why a lie pays: the truthful and the lying run side by side, the first decision that differs, and the causes. */

import { workerOf } from "../best-response/deviation.js";
import { type Bid, groupOf, type Market, type Worker } from "../market/market.js";
import { type AnyMechanism, hold, type Outcome, unvaried } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import type { RoundEvent, RulingEvent, StartEvent, TraceEvent } from "../mechanisms/trace.js";
import { workerUtility } from "../mechanisms/utility.js";
import { type Causes, causesOf } from "./causes.js";

/** One of the two runs, as it went for the worker. */
export interface Account {
  readonly bid: Bid;
  readonly startDelay: number | null;
  readonly selectedAt: number | null;
  readonly rounds: number;
  readonly payment: number;
  readonly utility: number;
}

export const lieKinds = {
  reserve: "reserve a place: get in earlier, while there is money",
  wait: "wait for a better price: get in later",
  squeeze: "squeeze the others: get in when one would anyway, with more money left",
  block: "block the start: price oneself out of the first step so that it moves",
  delay: "delay the start: come later so that it moves",
  force: "force the start: make the task start earlier, or at all",
} as const;

export type LieKind = keyof typeof lieKinds;

export type Decision = StartEvent | RulingEvent;

/** The first decision about the worker's group, or the start, that the lie changed. */
export interface Difference {
  readonly clock: number;
  readonly truth: Decision | null;
  readonly lie: Decision | null;
}

export interface Explanation {
  readonly worker: Worker;
  readonly truth: Account;
  readonly lie: Account;
  readonly gain: number;
  /** Null where the lie does not gain. */
  readonly kind: LieKind | null;
  /** They add up to the gain; null where the mechanism is not the paper's. */
  readonly causes: Causes | null;
  readonly difference: Difference | null;
}

export interface ExplainOptions {
  readonly mechanism?: AnyMechanism;
}

export function explain(market: Market, bid: Bid, options: ExplainOptions = {}): Explanation {
  const { mechanism = online } = options;
  const base = unvaried(mechanism, market);
  const worker = workerOf(market, bid.worker);
  const truthful = { worker: worker.id, price: worker.cost, arrival: worker.arrival };
  const [truthRun, lieRun] = [traced(mechanism, market, truthful), traced(mechanism, market, bid)];
  const truth = accountOf(worker, truthful, truthRun.outcome);
  const lie = accountOf(worker, bid, lieRun.outcome);
  const gain = lie.utility - truth.utility;
  const pays = gain > 1e-12 * Math.max(market.rules.budget, worker.cost * market.rules.rounds);
  return {
    worker,
    truth,
    lie,
    gain,
    kind: pays ? kindOf(worker, truth, lie) : null,
    causes: base.mechanism === online ? causesOf(base.market, worker, bid, { truth, lie }) : null,
    difference: firstDifference(worker, truthRun.events, lieRun.events),
  };
}

function traced(
  mechanism: AnyMechanism,
  market: Market,
  bid: Bid,
): { outcome: Outcome; events: TraceEvent[] } {
  const events: TraceEvent[] = [];
  const outcome = hold(mechanism, market, [bid], (event) => events.push(event));
  return { outcome, events };
}

function accountOf(worker: Worker, bid: Bid, outcome: Outcome): Account {
  const allotment = outcome.workers.find(({ id }) => id === worker.id)!;
  const { selectedAt, rounds, payment } = allotment;
  const { startDelay } = outcome;
  return { bid, startDelay, selectedAt, rounds, payment, utility: workerUtility(worker, allotment) };
}

/** Names the lie by what it changed: the start first, then the round of selection. */
export function kindOf(worker: Worker, truth: Account, lie: Account): LieKind {
  const never = Number.POSITIVE_INFINITY;
  const [before, after] = [truth.startDelay ?? never, lie.startDelay ?? never];
  if (after < before) return "force";
  if (after > before) return lie.bid.arrival > worker.arrival ? "delay" : "block";
  const [honest, lying] = [truth.selectedAt ?? never, lie.selectedAt ?? never];
  if (lying < honest) return "reserve";
  return lying > honest ? "wait" : "squeeze";
}

interface Placed {
  readonly clock: number;
  readonly decision: Decision;
}

/** The first decision in the order of the clock that is not the same in both runs. */
function firstDifference(
  worker: Worker,
  truth: readonly TraceEvent[],
  lie: readonly TraceEvent[],
): Difference | null {
  const honest = decisions(worker, truth);
  const lying = decisions(worker, lie);
  const changed = ([key, { decision }]: [string, Placed]) =>
    !sameDecision(decision, lying.get(key)?.decision);
  const added = ([key]: [string, Placed]) => !honest.has(key);
  const candidates = [...[...honest].filter(changed), ...[...lying].filter(added)];
  if (candidates.length === 0) return null;
  const [key, { clock }] = candidates.reduce((a, b) => (b[1].clock < a[1].clock ? b : a));
  return { clock, truth: honest.get(key)?.decision ?? null, lie: lying.get(key)?.decision ?? null };
}

/** Decisions that can reach the worker: about the start, and about its own group. */
function decisions(worker: Worker, events: readonly TraceEvent[]): Map<string, Placed> {
  const found = new Map<string, Placed>();
  let round: RoundEvent | undefined;
  for (const event of events) {
    if (event.kind === "round") round = event;
    if (event.kind === "start") found.set(`start ${event.clock}`, { clock: event.clock, decision: event });
    if (event.kind !== "ruling" || (event.group !== null && event.group !== groupOf(worker.id))) continue;
    found.set(`${event.round} ${event.worker}`, { clock: round?.clock ?? event.round, decision: event });
  }
  return found;
}

function sameDecision(a: Decision, b: Decision | undefined): boolean {
  if (!b) return false;
  if (a.kind === "ruling") return b.kind === "ruling" && a.ruling === b.ruling && near(a.payment, b.payment);
  if (b.kind === "ruling" || a.enough !== b.enough) return false;
  return (
    sameIds(a.share.taken, b.share.taken) && (!a.enough || sameDensity(a.share.density, b.share.density))
  );
}

const sameIds = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && [...a].sort().join() === [...b].sort().join();

const sameDensity = (a: number | null, b: number | null): boolean =>
  a === b || (a !== null && b !== null && near(a, b));

/** Payments may be negative under the pseudocode. */
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
