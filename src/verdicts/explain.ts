/** Why a lie pays: the truthful and the lying run side by side, the first decision that differs, the causes, and all in words. */

import { type Allotment, type AnyMechanism, type Outcome, runAuction } from "../auction/mechanism.js";
import { allotmentOf, workerUtility } from "../auction/outcome.js";
import { utilityNoise } from "../auction/response.js";
import type { OwnMethods } from "../auction/solver.js";
import type { RulingEvent, StartEvent, TraceEvent } from "../auction/trace.js";
import { brief, counted, quoted, table } from "../lib/format.js";
import { difference as differenceOf, near } from "../lib/tolerance.js";
import {
  type Bid,
  type Group,
  groupOf,
  type Market,
  truthfulBid,
  type Worker,
  workerOf,
} from "../market/market.js";
import { ruleFlags } from "../market/rules.js";
import { marketToWrite } from "../market/words.js";
import { online } from "../mechanisms/online/online.js";
import { resolveGame } from "../responses/game.js";
import { piecesOnTime } from "../responses/index.js";

/** One of the two runs, as it went for the worker. */
export interface Account extends Omit<Allotment, "id"> {
  readonly bid: Bid;
  readonly startDelay: number | null;
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

type Decision = StartEvent | RulingEvent;

/** The first decision that can reach the worker and is not the same in both runs; null in the run that does not take it. */
interface Difference {
  readonly round: number;
  /** Null where the trace does not show it. */
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
  /** Where the lie is one about the price that brings better terms: what each unit of price pays more, at the truth; else null. */
  readonly ownPrice?: number | null;
  /** How many decisions that can reach the worker are in the two traces; 0 where a mechanism traces none. */
  readonly decisions: number;
}

export interface ExplainOptions {
  readonly mechanism?: AnyMechanism;
}

export function explain(market: Market, bid: Bid, { mechanism = online }: ExplainOptions = {}): Explanation {
  const runs = { truth: traced(mechanism, market, []), lie: traced(mechanism, market, [bid]) };
  const truth = runs.truth.outcome;
  const lie = runs.lie.outcome;
  const compared = sideBySide(market, bid, { mechanism, truth, lie });
  const { worker, gain, kind } = compared;
  const pays = gain > utilityNoise(market, worker);
  const groups = new Set([groupOf(worker.id)]);
  const ownPrice = pays && kind === "terms" ? paidByPrice(mechanism, market, worker) : null;
  return { ...compared, kind: pays ? kind : null, ownPrice, ...compareDecisions(groups, runs) };
}

/** How fast a worker's pay rises with its own price just above its cost; null where it does not, or that is not known. */
function paidByPrice(mechanism: AnyMechanism, market: Market, { id, cost }: Worker): number | null {
  const onTime = piecesOnTime(market, id, mechanism);
  const slope = onTime?.find(({ from, to }) => from <= cost && cost < to)?.slope ?? 0;
  return slope > 0 ? slope : null;
}

/** How a worker fares by the truth and by a lie, what the lie changes, and the causes where the mechanism is the paper's. */
export function sideBySide(
  market: Market,
  bid: Bid,
  runs: { readonly mechanism: AnyMechanism; readonly truth: Outcome; readonly lie: Outcome },
) {
  const game = resolveGame(runs.mechanism, market);
  const worker = workerOf(market, bid.worker);
  const truth = accountOf(worker, truthfulBid(worker), runs.truth);
  const lie = accountOf(worker, bid, runs.lie);
  const promise = game.solver.own?.promises(game.market, worker);
  const causes = promise ? causesOf(promise, worker, bid, { truth, lie }) : null;
  const gain = lie.utility - truth.utility;
  return { worker, truth, lie, gain, kind: lieKindOf(truth, lie, promise !== undefined), causes };
}

interface TracedRun {
  readonly outcome: Outcome;
  readonly events: readonly TraceEvent[];
}

export function traced(mechanism: AnyMechanism, market: Market, bids: readonly Bid[]): TracedRun {
  const events: TraceEvent[] = [];
  const outcome = runAuction(mechanism, market, bids, (event) => events.push(event));
  return { outcome, events };
}

export function accountOf(worker: Worker, bid: Bid, outcome: Outcome): Account {
  const allotment = allotmentOf(outcome, worker.id);
  const { selectedAt, rounds, payment } = allotment;
  const { startDelay } = outcome;
  return { bid, startDelay, selectedAt, rounds, payment, utility: workerUtility(worker, allotment) };
}

/** Names the lie by what it changed: the start first, then the round of selection. */
function lieKindOf(truth: Account, lie: Account, fixedOffers: boolean): LieKind {
  const never = Number.POSITIVE_INFINITY;
  const before = truth.startDelay ?? never;
  const after = lie.startDelay ?? never;
  if (after < before) return "force";
  if (after > before) return lie.bid.arrival > truth.bid.arrival ? "delay" : "block";
  const honest = truth.selectedAt ?? never;
  const lying = lie.selectedAt ?? never;
  if (lying < honest) return "reserve";
  if (lying > honest) return lying === never ? "withdraw" : "wait";
  // Where nobody's own bid changes the offers it meets, only the money behind them can differ.
  return fixedOffers ? "squeeze" : "terms";
}

/** A decision and where it stands in its run. */
interface Placed {
  readonly decision: Decision;
  readonly round: number;
  readonly clock: number | null;
  readonly place: number;
}

/** The first decision that is not the same in both runs, and how many were compared. */
export function compareDecisions(
  groups: ReadonlySet<Group>,
  { truth, lie }: Readonly<Record<"truth" | "lie", TracedRun>>,
): Pick<Explanation, "difference" | "decisions"> {
  const honest = decisionsOf(groups, truth.events);
  const lying = decisionsOf(groups, lie.events);
  const keys = [...new Set([...honest.keys(), ...lying.keys()])];
  const [first] = keys
    .filter((key) => !sameDecision(honest.get(key)?.decision, lying.get(key)?.decision))
    .sort((a, b) => inTime(honest.get(a) ?? lying.get(a)!, honest.get(b) ?? lying.get(b)!));
  if (first === undefined) return { difference: null, decisions: keys.length };
  const mine = honest.get(first);
  const other = lying.get(first);
  const { round, clock } = (mine ?? other)!;
  const difference = { round, clock, truth: mine?.decision ?? null, lie: other?.decision ?? null };
  return { difference, decisions: keys.length };
}

const inTime = (a: Placed, b: Placed): number =>
  (a.clock ?? a.round) - (b.clock ?? b.round) || a.place - b.place;

/** Decisions that can reach workers of some groups: about the start, and about these where there are groups. */
function decisionsOf(groups: ReadonlySet<Group>, events: readonly TraceEvent[]): Map<string, Placed> {
  const found = new Map<string, Placed>();
  const clockOf = clocksOf(events);
  for (const [place, event] of events.entries()) {
    if (event.kind === "start")
      found.set(`start ${event.clock}`, { decision: event, round: 1, clock: event.clock, place });
    if (event.kind !== "ruling" || (event.group !== null && !groups.has(event.group))) continue;
    const { round, worker } = event;
    let again = 0;
    while (found.has(`${round} ${worker} ${again}`)) again++;
    found.set(`${round} ${worker} ${again}`, { decision: event, round, clock: clockOf(round), place });
  }
  return found;
}

/** The clock of a round: as traced, or counted from the traced start; null where neither is traced. */
function clocksOf(events: readonly TraceEvent[]): (round: number) => number | null {
  const traced = new Map(
    events.flatMap((event) => (event.kind === "round" ? [[event.round, event.clock]] : [])),
  );
  const start = events.find((event) => event.kind === "start" && event.enough);
  return (round) => traced.get(round) ?? (start?.kind === "start" ? start.clock + round - 1 : null);
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

export const sameDensity = (a: number | null, b: number | null): boolean =>
  a === b || (a !== null && b !== null && near(a, b));

/** Whether the worker fares the same in both runs, rounding aside. */
export const sameResult = (a: Account, b: Account): boolean =>
  a.startDelay === b.startDelay &&
  a.selectedAt === b.selectedAt &&
  a.rounds === b.rounds &&
  near(a.payment, b.payment);

/**
 * Where the gain of a lie to the online mechanism comes from. Four steps lead from the truth to the lie, and each is a
 * difference of two utilities, so that they add up to the gain:
 *  1. the truth, as if money had no end: what the budget kept from it;
 *  2. the lie in its place, still as if money had no end: rounds won or given up, and a better or worse price;
 *  3. the same at the start the lie leads to;
 *  4. the lie as it went: what the budget kept from it.
 * By the paper's proofs step 2 never gains. Steps 1 and 4 together are the budget's part, step 3 the start's.
 */
export interface Causes {
  /** Rounds worked only under the lie, less those worked only under the truth, at their price less the cost. */
  readonly rounds: number;
  /** A better or worse price for the rounds worked under both. */
  readonly price: number;
  /** What the budget kept from the truth, less what it kept from the lie: money taken from or left by others. */
  readonly budget: number;
  /** The start moved. */
  readonly start: number;
}

/** What causes are read from: how the truth and the lie went for the worker. */
type Results = Readonly<Record<"truth" | "lie", Pick<Account, "startDelay" | "utility">>>;

/** What each round pays with money without end, by bid and start. */
export type Promises = ReturnType<OwnMethods["promises"]>;

type Rates = ReturnType<Promises>;

export function causesOf(promise: Promises, worker: Worker, bid: Bid, runs: Results): Causes {
  const truth = promise(truthfulBid(worker), runs.truth.startDelay);
  const inPlace = promise(bid, runs.truth.startDelay);
  const moved = promise(bid, runs.lie.startDelay);
  const value = (rates: Rates) => sum(rates, (rate) => rate - worker.cost);
  const price = sum(truth, (rate, k) => (inPlace[k] ?? rate) - rate);
  return {
    rounds: value(inPlace) - value(truth) - price,
    price,
    budget: value(truth) - runs.truth.utility + runs.lie.utility - value(moved),
    start: value(moved) - value(inPlace),
  };
}

/** What a bid is promised at a start, less the cost. */
export const promisedTo = (promise: Promises, worker: Worker, bid: Bid, delay: number | null): number =>
  sum(promise(bid, delay), (rate) => rate - worker.cost);

/** Adds up over the rounds that are worked. */
const sum = (rates: Rates, term: (rate: number, k: number) => number): number =>
  rates.reduce<number>((total, rate, k) => (rate === null ? total : total + term(rate, k)), 0);

/** The textbook's reason: truthful prices need a pay that the own price does not set. */
const ownPriceText = (ownPrice: number | null): string =>
  ownPrice === null
    ? ""
    : ` Its own price sets its pay: each unit more that it asks pays it ${brief(ownPrice)} more, as long as nothing else changes.`;

export function gainText({ gain, kind, ownPrice = null, truth, lie }: Explanation): string {
  if (truth.bid.price === lie.bid.price && truth.bid.arrival === lie.bid.arrival)
    return "This bid is the truth.";
  if (kind !== null) return `The lie gains ${brief(gain)}. Kind: ${lieKinds[kind]}.${ownPriceText(ownPrice)}`;
  return gain < 0 && !sameResult(truth, lie) ? `The lie costs ${brief(-gain)}.` : "The lie gains nothing.";
}

export function causesText(causes: Causes, gain: number): string {
  const lines = causeLines(causes, gain);
  const [, ...amounts] = table([{ head: "", cells: lines.map(([amount]) => amount) }]).split("\n");
  const width = Math.max(...amounts.map(({ length }) => length));
  return [`${CAUSES}:`, ...amounts.map((row, k) => `  ${row.padEnd(width)}  ${lines[k]![1]}`)].join("\n");
}

export const CAUSES = "Where the difference comes from (the first three as if the budget had no end)";

/** Each amount with its sign and what it comes from, the whole last. */
export function causeLines(
  { rounds, price, budget, start }: Causes,
  gain: number,
): (readonly [string, string])[] {
  const lines: (readonly [number, string])[] = [
    [rounds, "rounds that only one of the two bids would work, at their price less the cost"],
    [price, "a different price for the rounds that both would work"],
    [start, "another start of the task"],
    [budget, "the budget: what it keeps from the truth, less what it keeps from the lie"],
    [gain, "in all"],
  ];
  const largest = Math.max(...lines.map(([amount]) => Math.abs(amount)));
  return lines.map(([amount, text]) => [signed(amount, largest), text]);
}

/** Rounding noise is no cause. */
function signed(amount: number, largest: number): string {
  const text = brief(differenceOf(amount, 0, largest));
  return amount > 0 && text !== "0" ? `+${text}` : text;
}

/** What the traces of the two runs show; where they show nothing, that is said. */
export function differenceText({ worker, difference, decisions, truth, lie }: Explanation): string {
  if (difference) return firstDifference(difference);
  const fate = sameResult(truth, lie) ? "is the same" : "differs";
  const outcome = `the outcome for worker ${worker.id} ${fate}`;
  if (decisions === 0) return `The mechanism traces no decisions, so there are none to compare; ${outcome}.`;
  const compared =
    decisions === 1 ? "The one traced decision" : `Each of the ${counted(decisions, "traced decision")}`;
  const joined = sameResult(truth, lie) ? "and" : "but";
  return `${compared} that can reach worker ${worker.id} is the same in both runs, ${joined} ${outcome}.`;
}

export const firstDifference = (difference: Difference): string =>
  [
    `The first decision that differs, ${whenText(difference)}:`,
    `  truth: ${decisionIn(difference, "truth")}`,
    `  lie:   ${decisionIn(difference, "lie")}`,
  ].join("\n");

export const whenText = ({ clock, round }: Difference): string =>
  clock === null ? `in round ${round}` : `at clock ${clock}`;

/** The decision as one of the two runs takes it, if it does. */
export function decisionIn(difference: Difference, run: "truth" | "lie"): string {
  const decision = difference[run];
  if (decision) return decisionText(decision);
  const other = (difference.truth ?? difference.lie)!;
  return other.kind === "start"
    ? `no try to start at clock ${other.clock}`
    : `no decision about worker ${other.worker} in round ${other.round}`;
}

function decisionText(event: Decision): string {
  if (event.kind === "start") return startText(event);
  const { round, worker, ruling, payment } = event;
  return `round ${round}: worker ${worker} ${rulingWords[ruling](event)}; payment ${brief(payment)}`;
}

function startText({ share, enough, minWorkers, clock }: StartEvent): string {
  const { taken, next, density, budget } = share;
  const who =
    taken.length === 0 ? "nobody" : `${taken.length === 1 ? "worker" : "workers"} ${taken.join(", ")}`;
  const verb = taken.length > 1 ? "are" : "is";
  const stop = next ? `; worker ${next.worker} does not fit, ${compared(next.cost, ">", budget)}` : "";
  if (!enough)
    return `the first step would take ${who}${stop}; ${minWorkers} needed, so nobody is selected at clock ${clock}`;
  const at = taken.length === 0 || density === null ? "" : ` at ρ* = ${brief(density)}`;
  return `${who} ${verb} selected${at}${stop}`;
}

const rulingWords: Record<RulingEvent["ruling"], (event: RulingEvent) => string> = {
  dear: ({ density, threshold }) =>
    threshold === null ? "left out because of its price" : `too dear, ${compared(density, ">", threshold)}`,
  admitted: ({ need, left }) => `admitted, ${compared(need, "≤", left)} left`,
  hired: ({ need }) => `hired for ${brief(need)}`,
  refused: ({ need, left }) => `refused, ${compared(need, ">", left)} left`,
  raised: ({ need, left }) => `raised, ${compared(need, "≤", left)} left`,
  capped: ({ need, left }) => cappedText(need, left),
  kept: ({ threshold, promised }) =>
    threshold === null || promised === null
      ? "keeps its payment"
      : `keeps its payment, ${compared(threshold, "≤", promised)} promised`,
  denied: () => "denied a raise, for nothing is left",
};

/** Where more than all is spent already, the pseudocode lowers a payment ([M11]). */
function cappedText(need: number, left: number): string {
  if (left > 0) return `raised by the ${brief(left)} left instead of ${brief(need)}`;
  return left < 0 ? `lowered by the ${brief(-left)} overspent` : "not raised, nothing is left";
}

/** A comparison that reads true: in all digits where a few look equal, as a tie where only rounding differs ([M13]). */
function compared(a: number, sign: "≤" | ">", b: number): string {
  if (sign === ">" ? a <= b : a > b) return `${brief(a)} ≈ ${brief(b)}`;
  return brief(a) === brief(b) && a !== b ? `${a} ${sign} ${b}` : `${brief(a)} ${sign} ${brief(b)}`;
}

interface Replay {
  readonly source: string;
  readonly market: Market;
  /** Null: the truthful run. */
  readonly lie: Bid | null;
  /** Who lies together with it. */
  readonly partner?: Bid | undefined;
  /** As named on the command line: a file is found by its path only. */
  readonly mechanism: string;
}

/** The command that replays a witness, in one line for a shell; a market that came on standard input is written out in it. */
export function replayCommand({ source, market, lie, partner, mechanism }: Replay): string {
  const how = mechanism === "online" ? "" : ` --mechanism ${quoted(mechanism)}`;
  const { from, name } = marketArgument(source, market);
  if (lie === null) return `${from}candor run ${name} --trace${how}`;
  if (partner) return `${from}candor best-response ${name} --coalition ${lie.worker},${partner.worker}${how}`;
  return `${from}candor explain ${name} --worker ${lie.worker} --price ${lie.price} --arrival ${lie.arrival}${how}`;
}

function marketArgument(source: string, market: Market): { from: string; name: string } {
  const [, file = source, number] = /^(.*):(\d+)$/.exec(source) ?? [];
  if (file === "stdin")
    return { from: `echo ${quoted(JSON.stringify(marketToWrite(market)))} | `, name: "-" };
  if (/\.csv$/i.test(source)) return { from: "", name: `${quoted(source)} ${ruleFlags(market.rules)}` };
  if (number === undefined) return { from: "", name: quoted(source) };
  return { from: `sed -n ${number}p ${quoted(file)} | `, name: "-" };
}
