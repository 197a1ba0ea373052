/** Why a lie pays: the truthful and the lying run side by side, the first decision that differs, and the causes. */

import { workerOf } from "../best-response/deviation.js";
import { type Bid, groupOf, type Market, type Worker } from "../market/market.js";
import { type AnyMechanism, hold, type Outcome, unvaried } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import type { RulingEvent, StartEvent, TraceEvent } from "../mechanisms/trace.js";
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

/** What a lie that pays changed, as the two outcomes show it. */
export const lieKinds = {
  reserve: "reserve a place: be selected earlier, or at all",
  wait: "wait: be selected later",
  withdraw: "stay out: not be selected at all",
  squeeze: "squeeze the others: be selected in the same round, with more of the budget left for raises",
  terms: "get better terms: be paid more or work less, with the round of selection unchanged",
  block: "block the start: come on time, and the task starts later, or never",
  delay: "delay the start: come later, and the task starts later, or never",
  force: "force the start: make the task start earlier, or at all",
} as const;

export type LieKind = keyof typeof lieKinds;

export type Decision = StartEvent | RulingEvent;

/** The first decision that can reach the worker and is not the same in both runs; null in the run that does not take it. */
export interface Difference {
  readonly round: number;
  /** Null where the trace does not tell it. */
  readonly clock: number | null;
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
  /** How many decisions the two traces tell that can reach the worker; 0 where a mechanism tells none. */
  readonly decisions: number;
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
  const isPaper = base.mechanism === online;
  const compared = compareDecisions(worker, truthRun.events, lieRun.events);
  const pays = gain > 1e-12 * Math.max(market.rules.budget, worker.cost * market.rules.rounds);
  return {
    worker,
    truth,
    lie,
    gain,
    kind: pays ? kindOf(truth, lie, isPaper) : null,
    causes: isPaper ? causesOf(base.market, worker, bid, { truth, lie }) : null,
    ...compared,
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
function kindOf(truth: Account, lie: Account, isPaper: boolean): LieKind {
  const never = Number.POSITIVE_INFINITY;
  const [before, after] = [truth.startDelay ?? never, lie.startDelay ?? never];
  if (after < before) return "force";
  if (after > before) return lie.bid.arrival > truth.bid.arrival ? "delay" : "block";
  const [honest, lying] = [truth.selectedAt ?? never, lie.selectedAt ?? never];
  if (lying < honest) return "reserve";
  if (lying > honest) return lying === never ? "withdraw" : "wait";
  // In the paper's auction nobody's own bid changes the offers it meets: only the money behind them can differ.
  return isPaper ? "squeeze" : "terms";
}

/** A decision and where it stands in its run. */
interface Placed {
  readonly decision: Decision;
  readonly round: number;
  readonly clock: number | null;
  readonly place: number;
}

/** The first decision that is not the same in both runs, and how many were compared. */
function compareDecisions(
  worker: Worker,
  truth: readonly TraceEvent[],
  lie: readonly TraceEvent[],
): Pick<Explanation, "difference" | "decisions"> {
  const honest = decisionsOf(worker, truth);
  const lying = decisionsOf(worker, lie);
  const keys = [...new Set([...honest.keys(), ...lying.keys()])];
  const [first] = keys
    .filter((key) => !sameDecision(honest.get(key)?.decision, lying.get(key)?.decision))
    .sort((a, b) => inTime(honest.get(a) ?? lying.get(a)!, honest.get(b) ?? lying.get(b)!));
  if (first === undefined) return { difference: null, decisions: keys.length };
  const [mine, other] = [honest.get(first), lying.get(first)];
  const { round, clock } = (mine ?? other)!;
  const difference = { round, clock, truth: mine?.decision ?? null, lie: other?.decision ?? null };
  return { difference, decisions: keys.length };
}

const inTime = (a: Placed, b: Placed): number =>
  (a.clock ?? a.round) - (b.clock ?? b.round) || a.place - b.place;

/** Decisions that can reach the worker: about the start, and about its own group where there are groups. */
function decisionsOf(worker: Worker, events: readonly TraceEvent[]): Map<string, Placed> {
  const found = new Map<string, Placed>();
  const clockOf = clocksOf(events);
  for (const [place, event] of events.entries()) {
    if (event.kind === "start")
      found.set(`start ${event.clock}`, { decision: event, round: 1, clock: event.clock, place });
    if (event.kind !== "ruling" || (event.group !== null && event.group !== groupOf(worker.id))) continue;
    const { round } = event;
    const nth = (again = 0): string =>
      found.has(`${round} ${event.worker} ${again}`) ? nth(again + 1) : `${round} ${event.worker} ${again}`;
    found.set(nth(), { decision: event, round, clock: clockOf(round), place });
  }
  return found;
}

/** The clock of a round: as the trace tells it, or counted from the start it tells; null where it tells neither. */
function clocksOf(events: readonly TraceEvent[]): (round: number) => number | null {
  const told = new Map(
    events.flatMap((event) => (event.kind === "round" ? [[event.round, event.clock]] : [])),
  );
  const start = events.find((event) => event.kind === "start" && event.enough);
  return (round) => told.get(round) ?? (start?.kind === "start" ? start.clock + round - 1 : null);
}

function sameDecision(a: Decision | undefined, b: Decision | undefined): boolean {
  if (!a || !b) return false;
  if (a.kind === "ruling") return b.kind === "ruling" && a.ruling === b.ruling && near(a.payment, b.payment);
  if (b.kind === "ruling" || a.enough !== b.enough) return false;
  return (
    sameIds(a.share.taken, b.share.taken) && (!a.enough || sameDensity(a.share.density, b.share.density))
  );
}

const sameIds = (a: readonly number[], b: readonly number[]): boolean =>
  [...a].sort().join() === [...b].sort().join();

const sameDensity = (a: number | null, b: number | null): boolean =>
  a === b || (a !== null && b !== null && near(a, b));

/** Whether the worker fares the same in both runs, rounding aside. */
export const sameFate = (a: Account, b: Account): boolean =>
  a.startDelay === b.startDelay &&
  a.selectedAt === b.selectedAt &&
  a.rounds === b.rounds &&
  near(a.payment, b.payment);

/** Payments may be negative under the pseudocode. */
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
