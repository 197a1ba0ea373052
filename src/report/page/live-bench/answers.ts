/** What the live bench asks of its two background threads, and how they answer: one the outcome, the other all that may take longer. */

import { type AnyMechanism, runAuction } from "../../../auction/mechanism.js";
import { allotmentOf, workerUtility } from "../../../auction/outcome.js";
import { isInformed } from "../../../auction/program.js";
import { type RunRecord, recordRun } from "../../../auction/run-record.js";
import { traceText } from "../../../auction/trace.js";
import { oneLine } from "../../../lib/errors.js";
import { negligible } from "../../../lib/tolerance.js";
import { type Bid, bidders, type Market, workerOf } from "../../../market/market.js";
import { mechanismNamed } from "../../../mechanisms/index.js";
import { bestResponses, isFast, type Piece, pieces, priceLandscape } from "../../../responses/index.js";
import { CAUSES, causeLines, differenceText, explain, gainText } from "../../../verdicts/explain.js";

export interface Question {
  /** Grows from question to question: only the latest is worth an answer. */
  readonly number: number;
  /** What is asked: an outcome must not wait for what takes longer. In words, once the reader's hand has come to rest. */
  readonly part: "outcome" | "words" | "more";
  readonly market: Market;
  /** Of everybody who does not tell the truth. */
  readonly bids: readonly Bid[];
  /** Whose bid is looked at; null: of whoever has most to gain, where that is known at once. */
  readonly worker: number | null;
  /** The one on the bench, and those that stand beside it. */
  readonly mechanisms: readonly string[];
  /** Whether what each of them makes of the bids is asked, too. */
  readonly beside: boolean;
  readonly traced: boolean;
}

/** Why a lie gains or costs what it does. */
export interface Why {
  readonly gain: string;
  /** Amounts and what each comes from, the whole last; null where nothing differs or the mechanism is not the paper's. */
  readonly causes: {
    readonly head: string;
    readonly lines: readonly (readonly [amount: string, cause: string])[];
  } | null;
  /** The first decision that differs, and how it goes in either run. */
  readonly difference: readonly string[];
}

/** What a worker could gain, all others saying what they say. */
export interface Gain {
  readonly id: number;
  readonly gain: number;
  readonly priceGain: number;
  readonly timeGain: number;
}

/** What each step answers. */
interface StepResults {
  readonly outcome: {
    readonly worker: number;
    /** Everybody tells the truth. */
    readonly truth: RunRecord;
    readonly said: RunRecord;
    /** What the worker would get if it told the truth and all others said what they say. */
    readonly honest: number;
  };
  /** A landscape that is null is as it was. */
  readonly landscape: { readonly worker: number; readonly landscape: Landscape | null };
  /** Why is null where the worker tells the truth, and the trace where it was not asked for. */
  readonly words: { readonly why: Why | null; readonly trace: string | null };
  /** A mechanism beside others: its outcome with the bids of now, and what the worker's lie brings under it. */
  readonly compared: Pick<RunRecord, "spent" | "publisherUtility" | "utilityPerUnitPaid"> & {
    readonly mechanism: string;
    readonly selected: number;
    readonly lieGains: number;
  };
  /** Those that became known since the last answer; complete where everybody's is known now. */
  readonly gains: {
    readonly mechanism: string;
    readonly gains: readonly Gain[];
    readonly exact: boolean;
    readonly complete: boolean;
  };
  readonly failed: { readonly step: Step; readonly mechanism: string; readonly message: string };
}

type Step = Exclude<keyof StepResults, "failed">;

/** An answer of a kind, to the question of a number. */
export type AnswerOf<Kind extends keyof StepResults> = {
  readonly kind: Kind;
  readonly number: number;
} & StepResults[Kind];

export type Answer = { [Kind in keyof StepResults]: AnswerOf<Kind> }[keyof StepResults];

/** What is kept from one question to the next. */
export interface Memory {
  /** What the landscape that was told last is of. */
  landscapeOf: string;
  readonly gains: Map<string, KnownGains>;
  /** The last run of each kind, and what it is of: while a price is dragged, what the truth brings stays. */
  readonly runs: Map<string, { readonly of: string; readonly run: RunRecord }>;
}

/** What is known of everybody's gain under a mechanism. */
interface KnownGains {
  /** The market and the bids that they are of. */
  readonly of: string;
  readonly known: readonly Gain[];
  readonly exact: boolean;
  /** How many workers were asked, in all questions: the next one begins where this one was left, so that nobody is always last. */
  readonly asked: number;
}

export const newMemory = (): Memory => ({ landscapeOf: "", gains: new Map(), runs: new Map() });

/** All answers to a question in turn; whoever takes them may stop at any point for a newer question. */
export function* answersTo(question: Question, memory: Memory): Generator<Answer> {
  const { mechanisms, part, beside } = question;
  const main = mechanisms[0]!;
  if (part !== "more") {
    yield* attempt(question, "outcome", main, (known) => [outcomeOf(known, memory)]);
    if (part === "words") yield* attempt(question, "words", main, (known) => [wordsOf(known)]);
    return;
  }
  yield* attempt(question, "landscape", main, (known) => [landscapeOf(known, memory)]);
  for (const name of beside ? mechanisms : [])
    yield* attempt(question, "compared", name, (known) => [comparedOf(known, name)]);
  for (const name of mechanisms)
    yield* attempt(question, "gains", name, (known) => gainsOf(known, name, memory));
}

/** A question about a worker. */
type Known = Question & { readonly worker: number };

/** The answers of one step; where it fails, why. */
function* attempt<Kind extends Step>(
  question: Question,
  kind: Kind,
  mechanism: string,
  act: (known: Known) => Iterable<StepResults[Kind]>,
): Generator<Answer> {
  const { number } = question;
  try {
    for (const found of act({ ...question, worker: workerIn(question) }))
      yield { kind, number, ...found } as unknown as Answer;
  } catch (error) {
    yield { kind: "failed", number, step: kind, mechanism, message: oneLine(error) };
  }
}

function outcomeOf(question: Known, { runs }: Memory): StepResults["outcome"] {
  const { market, mechanisms, worker } = question;
  const run = (kind: string, bids: readonly Bid[]): RunRecord => {
    const of = JSON.stringify([market, mechanisms[0], bids]);
    const known = runs.get(kind);
    if (known?.of === of) return known.run;
    const mechanism = mechanismNamed(mechanisms[0]!);
    const found = recordRun({ market, mechanism, bids, traced: false });
    runs.set(kind, { of, run: found });
    return found;
  };
  const others = question.bids.filter((bid) => bid.worker !== worker);
  const truth = run("truth", []);
  const honest = others.length === 0 ? truth : run("honest", others);
  const said = question.bids.length === others.length ? honest : run("said", question.bids);
  return { worker, truth, said, honest: utilityOf(honest, worker) };
}

function wordsOf(question: Known): StepResults["words"] {
  const { market, bids, traced } = question;
  const mechanism = mechanismNamed(question.mechanisms[0]!);
  const bid = bids.find(({ worker }) => worker === question.worker);
  const why = bid ? whyOf(othersAsSaid(question, bid.worker, mechanism), bid, mechanism) : null;
  if (!traced) return { why, trace: null };
  const { trace } = recordRun({ market, mechanism, bids, traced });
  const context = { rules: market.rules, bidders: bidders(market.workers, bids) };
  return { why, trace: trace ? traceText(trace, context) : null };
}

/** What a run brings a worker. */
export const utilityOf = ({ workers }: RunRecord, worker: number): number =>
  workers.find(({ id }) => id === worker)!.utility;

/** Who is asked about. Of the paper's auction all gains take no longer than an outcome; with others, the first worker will do. */
function workerIn({ worker, market, mechanisms }: Question): number {
  if (worker !== null) return worker;
  const mechanism = mechanismNamed(mechanisms[0]!);
  if (!isFast(mechanism)) return market.workers[0]!.id;
  const [best] = [...bestResponses(market, { mechanism }).workers].sort((a, b) => b.gain - a.gain);
  return best!.id;
}

/**
 * The market as it is for one worker, or for all who tell the truth (null): whatever the others say might as well be the
 * truth. A mechanism that is shown the costs does not look at bids.
 */
function othersAsSaid(
  { market, bids }: Pick<Question, "market" | "bids">,
  id: number | null,
  mechanism: AnyMechanism,
): Market {
  const others = bids.filter((bid) => bid.worker !== id);
  if (others.length === 0 || isInformed(mechanism)) return market;
  const said = new Map(others.map((bid) => [bid.worker, bid]));
  const workers = market.workers.map((worker) => {
    const bid = said.get(worker.id);
    return bid ? { ...worker, cost: bid.price, arrival: bid.arrival } : worker;
  });
  return { ...market, workers };
}

/** The page's minus is longer than the terminal's. */
const minus = (amount: string): string => amount.replace("-", "−");

function whyOf(market: Market, bid: Bid, mechanism: AnyMechanism): Why {
  const explained = explain(market, bid, { mechanism });
  const lines = explained.causes ? causeLines(explained.causes, explained.gain) : [];
  const differs = lines.some(([amount]) => amount !== "0");
  return {
    gain: gainText(explained),
    causes: differs ? { head: `${CAUSES}:`, lines: lines.map(([amount, of]) => [minus(amount), of]) } : null,
    difference: differenceText(explained).split("\n"),
  };
}

function landscapeOf(question: Known, memory: Memory): StepResults["landscape"] {
  const { mechanisms, worker } = question;
  const mechanism = mechanismNamed(mechanisms[0]!);
  const market = othersAsSaid(question, worker, mechanism);
  const of = JSON.stringify([market, mechanism.name, worker]);
  if (of === memory.landscapeOf) return { worker, landscape: null };
  const landscape = computeLandscape({ market, mechanism, worker });
  memory.landscapeOf = of;
  return { worker, landscape };
}

function comparedOf({ market, bids, worker }: Known, name: string): StepResults["compared"] {
  const mechanism = mechanismNamed(name);
  const run = recordRun({ market, mechanism, bids, traced: false });
  const others = bids.filter((bid) => bid.worker !== worker);
  const honest =
    others.length === bids.length ? run : recordRun({ market, mechanism, bids: others, traced: false });
  const { spent, publisherUtility, utilityPerUnitPaid } = run;
  return {
    mechanism: name,
    selected: run.workers.filter(({ selectedAt }) => selectedAt !== null).length,
    spent,
    publisherUtility,
    utilityPerUnitPaid,
    lieGains: utilityOf(run, worker) - utilityOf(honest, worker),
  };
}

/** Workers are asked in portions that take about so many milliseconds, so that a newer question need not wait. */
const PORTION = 8;

/** Everybody's gain, portion by portion; what is known from an earlier question is told at once. */
function* gainsOf(question: Question, mechanism: string, memory: Memory): Generator<StepResults["gains"]> {
  const { market, bids } = question;
  const auction = mechanismNamed(mechanism);
  let now = knownGains(memory.gains.get(mechanism), JSON.stringify([market, bids]));
  const left = workersLeft(market, now);
  const complete = left.length === 0;
  if (now.known.length > 0) yield { mechanism, gains: now.known, exact: now.exact, complete };
  let size = isFast(auction) ? left.length : 1;
  while (left.length > 0) {
    const began = performance.now();
    const portion = left.splice(0, size);
    const { gains, exact } = gainsOfSome(question, portion, auction);
    now = {
      ...now,
      known: [...now.known, ...gains],
      exact: now.exact && exact,
      asked: now.asked + portion.length,
    };
    memory.gains.set(mechanism, now);
    size = nextSize(size, performance.now() - began);
    yield { mechanism, gains, exact: now.exact, complete: left.length === 0 };
  }
}

const knownGains = (before: KnownGains | undefined, of: string): KnownGains =>
  before?.of === of ? before : { of, known: [], exact: true, asked: before?.asked ?? 0 };

/** Whose gain is not known, beginning with who would have been next. */
function workersLeft({ workers }: Market, { known, asked }: KnownGains): number[] {
  const done = new Set(known.map(({ id }) => id));
  const ids = workers.map(({ id }) => id).sort((a, b) => a - b);
  const start = asked % ids.length;
  return [...ids.slice(start), ...ids.slice(0, start)].filter((id) => !done.has(id));
}

const nextSize = (size: number, took: number): number =>
  Math.max(1, Math.min(2 * size, Math.floor((size * PORTION) / Math.max(took, 0.1))));

/** Who tells the truth faces the same market as all others who do; each liar faces one of its own. */
function gainsOfSome(
  question: Question,
  ids: readonly number[],
  mechanism: AnyMechanism,
): { readonly gains: readonly Gain[]; readonly exact: boolean } {
  const liars = new Set(question.bids.map(({ worker }) => worker));
  const honest = othersAsSaid(question, null, mechanism);
  const facing = (id: number) => (liars.has(id) ? othersAsSaid(question, id, mechanism) : honest);
  const truthful = isFast(mechanism) ? ids.filter((id) => !liars.has(id)) : [];
  const together = truthful.length > 0 ? [bestResponses(honest, { mechanism, workers: truthful })] : [];
  const alone = ids
    .filter((id) => !truthful.includes(id))
    .map((id) => responseOf({ market: facing(id), mechanism, worker: id }));
  const found = [...together.flatMap(({ workers }) => workers), ...alone];
  const gains = found.map(({ id, gain, priceGain, timeGain }) => ({ id, gain, priceGain, timeGain }));
  return { gains, exact: alone.every(({ exact }) => exact) };
}

interface Asked {
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  readonly worker: number;
}

/** What a worker can gain; its utility at every price where that comes with it. */
function responseOf({ market, mechanism, worker }: Asked) {
  const known = isFast(mechanism) || mechanism.stochastic ? null : priceLandscape(market, worker, mechanism);
  if (known) return { ...known, id: worker, exact: true };
  const { workers, exact } = bestResponses(market, { mechanism, workers: [worker] });
  return { ...workers[0]!, exact, pieces: null };
}

export type Landscape = Readonly<ReturnType<typeof computeLandscape>>;

/** A stretch of prices at one arrival; a single price where from = to. */
export type Line = Pick<Piece, "arrival" | "from" | "to" | "utilityFrom" | "utilityTo">;

/** Prices looked at for each arrival where no exact method is known. */
const SAMPLED = 80;

/** What every price up to a limit would bring a worker, for every arrival; exact where every price was looked at. */
function computeLandscape(asked: Asked) {
  const { market, mechanism, worker } = asked;
  const { best, truthful, pieces: known } = responseOf(asked);
  const found = known ?? pieces(market, worker, mechanism);
  const { cost } = workerOf(market, worker);
  const priceLimit = limitOf(found ?? [], Math.max(best.price, cost) || rate(market));
  const lines = found
    ? linesOf(found, priceLimit, negligible(market.rules.budget))
    : sampledLines(asked, priceLimit);
  return { lines, priceLimit, best, truthful, exact: found !== null };
}

/** What the budget pays for a round: a price to look at where all that matters is 0. */
const rate = ({ rules }: Market): number => rules.budget / rules.rounds || 1;

/** A little beyond the last price that matters. */
function limitOf(found: readonly Piece[], shown: number): number {
  const matter = found
    .filter(({ utilityFrom, utilityTo }) => utilityFrom !== 0 || utilityTo !== 0)
    .map(({ from, to }) => (Number.isFinite(to) ? to : from));
  return 1.15 * Math.min(Math.max(shown * 1.5, ...matter), shown * 12);
}

/** As far as they are shown, without single prices that pay what the prices beside them do. */
function linesOf(found: readonly Piece[], limit: number, noise: number): Line[] {
  return found.flatMap(({ arrival, from, to: end, utilityFrom, slope }, k) => {
    if (from > limit) return [];
    if (from === end) {
      const beside = [found[k - 1], found[k + 1]].filter((piece) => piece?.arrival === arrival);
      const reached = beside.flatMap((piece) =>
        piece!.from === from ? piece!.utilityFrom : piece!.utilityTo,
      );
      if (reached.some((utility) => Math.abs(utility - utilityFrom) <= noise)) return [];
    }
    const to = Math.min(end, limit);
    return [{ arrival, from, to, utilityFrom, utilityTo: utilityFrom + slope * (to - from) }];
  });
}

function sampledLines({ market, mechanism, worker: id }: Asked, limit: number): Line[] {
  const worker = workerOf(market, id);
  const lines: Line[] = [];
  for (let arrival = worker.arrival; arrival <= market.rules.rounds; arrival++)
    for (let k = 0; k <= SAMPLED; k++) {
      const price = (limit * k) / SAMPLED;
      const outcome = runAuction(mechanism, market, [{ worker: id, price, arrival }]);
      const utility = workerUtility(worker, allotmentOf(outcome, id));
      lines.push({ arrival, from: price, to: price, utilityFrom: utility, utilityTo: utility });
    }
  return lines;
}
