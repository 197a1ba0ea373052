/** What the live bench asks of its background thread, and how that answers: first the outcome, then what takes longer. */

import { bestResponses, isFast } from "../../../best-response/index.js";
import { oneLine } from "../../../lib/errors.js";
import { type Bid, bidders, type Market, type Worker } from "../../../market/market.js";
import { mechanismNamed } from "../../../mechanisms/index.js";
import { type AnyMechanism, hold } from "../../../mechanisms/mechanism.js";
import { type RunRecord, recordRun, workerUtility } from "../../../mechanisms/outcome.js";
import { traceText } from "../../../mechanisms/trace.js";
import { causesText, differenceText, explain, gainText } from "../../../verdicts/explain.js";
import { computeLandscape, type Landscape } from "./landscape.js";

export interface Question {
  /** Grows from question to question: only the latest is worth an answer. */
  readonly number: number;
  readonly market: Market;
  /** Of everybody who does not tell the truth. */
  readonly bids: readonly Bid[];
  /** Whose bid is looked at; null: of whoever has most to gain, where that is known at once. */
  readonly worker: number | null;
  /** The one on the bench, and those that stand beside it. */
  readonly mechanisms: readonly string[];
  readonly traced: boolean;
}

export interface OutcomeAnswer {
  readonly kind: "outcome";
  readonly number: number;
  readonly worker: number;
  /** Everybody tells the truth. */
  readonly truth: RunRecord;
  readonly said: RunRecord;
  /** What the worker would get if it told the truth and all others said what they say. */
  readonly honest: number;
  /** Null where the worker tells the truth. */
  readonly why: string | null;
  readonly trace: string | null;
}

export interface LandscapeAnswer {
  readonly kind: "landscape";
  readonly number: number;
  /** Null: as it was. */
  readonly landscape: Landscape | null;
}

/** A mechanism beside others: its outcome with the bids of now, and what the worker's lie brings under it. */
export interface ComparedAnswer {
  readonly kind: "compared";
  readonly number: number;
  readonly mechanism: string;
  readonly selected: number;
  readonly spent: number;
  readonly publisherUtility: number;
  readonly utilityPerUnitPaid: number | null;
  readonly lieGains: number;
}

/** What a worker could gain, all others saying what they say. */
export interface Gain {
  readonly id: number;
  readonly gain: number;
  readonly priceGain: number;
  readonly timeGain: number;
}

export interface GainsAnswer {
  readonly kind: "gains";
  readonly number: number;
  readonly mechanism: string;
  /** Those that became known since the last answer. */
  readonly gains: readonly Gain[];
  readonly exact: boolean;
  /** Whether everybody's is known now. */
  readonly complete: boolean;
}

export interface FailedAnswer {
  readonly kind: "failed";
  readonly number: number;
  readonly step: "outcome" | "landscape" | "compared" | "gains";
  readonly mechanism: string;
  readonly message: string;
}

export type Answer = OutcomeAnswer | LandscapeAnswer | ComparedAnswer | GainsAnswer | FailedAnswer;

/** What is kept from one question to the next. */
export interface Memory {
  /** What the landscape that was told last is of. */
  landscapeOf: string;
  readonly gains: Map<string, KnownGains>;
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

export const newMemory = (): Memory => ({ landscapeOf: "", gains: new Map() });

/** All answers to a question in turn; whoever takes them may stop at any point for a newer question. */
export function* answersTo(question: Question, memory: Memory): Generator<Answer> {
  const [main = "", ...beside] = question.mechanisms;
  let worker: number | null = null;
  for (const answer of attempt(question, "outcome", main, () => [outcomeOf(question)])) {
    if (answer.kind === "outcome") worker = answer.worker;
    yield answer;
  }
  if (worker === null) return;
  const known = { ...question, worker };
  yield* attempt(question, "landscape", main, () => [landscapeOf(known, memory)]);
  for (const name of question.mechanisms)
    yield* attempt(question, "compared", name, () => [comparedOf(known, name)]);
  for (const name of [main, ...beside])
    yield* attempt(question, "gains", name, () => gainsOf(question, name, memory));
}

/** The answers of one step; where it fails, why. */
function* attempt(
  { number }: Question,
  step: FailedAnswer["step"],
  mechanism: string,
  act: () => Iterable<Answer>,
): Generator<Answer> {
  try {
    yield* act();
  } catch (error) {
    yield { kind: "failed", number, step, mechanism, message: oneLine(error) };
  }
}

function outcomeOf(question: Question): OutcomeAnswer {
  const { number, market, bids, traced } = question;
  const mechanism = mechanismNamed(question.mechanisms[0]!);
  const worker = workerOf(market, question.worker ?? mostToGain(market, mechanism));
  const bid = bids.find((one) => one.worker === worker.id);
  const truth = recordRun({ market, mechanism, bids: [], traced: false });
  const said = bids.length === 0 && !traced ? truth : recordRun({ market, mechanism, bids, traced });
  const { trace, ...record } = said;
  const context = { rules: market.rules, bidders: bidders(market.workers, bids) };
  return {
    kind: "outcome",
    number,
    worker: worker.id,
    truth,
    said: record,
    honest: honestUtility(question, worker, mechanism),
    why: bid ? whyText(othersAsSaid(question, worker.id, mechanism), bid, mechanism) : null,
    trace: trace ? traceText(trace, context) : null,
  };
}

const workerOf = ({ workers }: Market, id: number): Worker => workers.find((worker) => worker.id === id)!;

/** Of the paper's auction all gains take no longer than an outcome; with others, the first worker will do. */
function mostToGain(market: Market, mechanism: AnyMechanism): number {
  const [first] = market.workers;
  if (!isFast(mechanism)) return first!.id;
  const [best] = [...bestResponses(market, { mechanism }).workers].sort((a, b) => b.gain - a.gain);
  return best!.id;
}

function honestUtility(
  { market, bids }: Pick<Question, "market" | "bids">,
  worker: Worker,
  mechanism: AnyMechanism,
): number {
  const outcome = hold(
    mechanism,
    market,
    bids.filter((bid) => bid.worker !== worker.id),
  );
  return workerUtility(worker, outcome.workers.find(({ id }) => id === worker.id)!);
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
  if (others.length === 0 || "sees" in mechanism) return market;
  const said = new Map(others.map((bid) => [bid.worker, bid]));
  const workers = market.workers.map((worker) => {
    const bid = said.get(worker.id);
    return bid ? { ...worker, cost: bid.price, arrival: bid.arrival } : worker;
  });
  return { ...market, workers };
}

function whyText(market: Market, bid: Bid, mechanism: AnyMechanism): string {
  const explained = explain(market, bid, { mechanism });
  const { causes, gain } = explained;
  const parts = [
    gainText(explained),
    ...(causes ? [causesText(causes, gain)] : []),
    differenceText(explained),
  ];
  return parts.join("\n\n");
}

function landscapeOf(question: Question & { readonly worker: number }, memory: Memory): LandscapeAnswer {
  const { number, mechanisms } = question;
  const mechanism = mechanismNamed(mechanisms[0]!);
  const market = othersAsSaid(question, question.worker, mechanism);
  const of = JSON.stringify([market, mechanism.name, question.worker]);
  if (of === memory.landscapeOf) return { kind: "landscape", number, landscape: null };
  const landscape = computeLandscape({ market, mechanism, worker: workerOf(market, question.worker) });
  memory.landscapeOf = of;
  return { kind: "landscape", number, landscape };
}

function comparedOf(question: Question & { readonly worker: number }, name: string): ComparedAnswer {
  const { number, market, bids } = question;
  const mechanism = mechanismNamed(name);
  const run = recordRun({ market, mechanism, bids, traced: false });
  const worker = workerOf(market, question.worker);
  const { utility } = run.workers.find(({ id }) => id === worker.id)!;
  const { spent, publisherUtility, utilityPerUnitPaid } = run;
  return {
    kind: "compared",
    number,
    mechanism: name,
    selected: run.workers.filter(({ selectedAt }) => selectedAt !== null).length,
    spent,
    publisherUtility,
    utilityPerUnitPaid,
    lieGains: utility - honestUtility(question, worker, mechanism),
  };
}

/** Workers are asked in portions that take about so many milliseconds, so that a newer question need not wait. */
const PORTION = 8;

/** Everybody's gain, portion by portion; what is known from an earlier question is told at once. */
function* gainsOf(question: Question, mechanism: string, memory: Memory): Generator<GainsAnswer> {
  const { number, market, bids } = question;
  const auction = mechanismNamed(mechanism);
  let now = knownGains(memory.gains.get(mechanism), JSON.stringify([market, bids]));
  const left = workersLeft(market, now);
  const complete = left.length === 0;
  if (now.known.length > 0)
    yield { kind: "gains", number, mechanism, gains: now.known, exact: now.exact, complete };
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
    yield { kind: "gains", number, mechanism, gains, exact: now.exact, complete: left.length === 0 };
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
  const honest = ids.filter((id) => !liars.has(id));
  const asked = [
    ...(honest.length > 0 ? [{ of: null, workers: honest }] : []),
    ...ids.filter((id) => liars.has(id)).map((id) => ({ of: id, workers: [id] })),
  ];
  const found = asked.map(({ of, workers }) =>
    bestResponses(othersAsSaid(question, of, mechanism), { mechanism, workers }),
  );
  const gains = found
    .flatMap(({ workers }) => workers)
    .map(({ id, gain, priceGain, timeGain }) => ({ id, gain, priceGain, timeGain }));
  return { gains, exact: found.every(({ exact }) => exact) };
}
