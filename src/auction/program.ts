/**
 * The one place where a program, the decisions of a mechanism, is run, in any arithmetic. A program of a user's own always calculates
 * with boxed amounts and is always run whole. Those that are built in are held to the same by tests; on rounded numbers they
 * are run as they are, and may leave out what cannot touch those who are asked about.
 */

import { InputError, isPromise, isWriteToFrozen, oneLine, readable, withPlace } from "../lib/errors.js";
import { type Bidder, byId, type Rules } from "../market/market.js";
import type { Amount, Peeking } from "./amounts.js";
import { noteAsked } from "./asked.js";
import { Auction, type AuctionOptions, type AuctionRecord, newRecord } from "./auction.js";
import { BoxedArithmetic, ProgramError } from "./boxed.js";
import { whileDeciding } from "./deciding.js";
import type { Allotment, BudgetEvent, Outcome, Threshold } from "./outcome.js";

/** The decisions of an auction, step by step. */
export type Program = (auction: Auction) => void;

/** A mechanism that has a program, and the name that messages begin with. */
export interface Programmed {
  readonly name: string;
  readonly program?: Program | undefined;
  /** Only of a yardstick, which is shown the costs in place of the prices. */
  readonly sees?: "costs";
}

/** Whether a mechanism is shown the costs, whatever prices are bid. */
export const isInformed = ({ sees }: Programmed): boolean => sees === "costs";

const builtIn = new WeakSet<Program>();

/** Marks a program of the house: it may be run unboxed on rounded numbers. */
export function markBuiltIn(program: Program): void {
  builtIn.add(program);
}

export const isBuiltIn = (program: Program): boolean => builtIn.has(program);

const sources = new WeakMap<Program, string>();

/** What messages about a program begin with: its file. */
export function nameSource(program: Program, source: string): void {
  sources.set(program, source);
}

const sourceOf = ({ name, program }: Programmed): string => sources.get(program!) ?? `mechanism ${name}`;

export interface RunOptions
  extends Pick<
    AuctionOptions,
    "observe" | "priceOf" | "reputationOf" | "amounts" | "watched" | "onArrival" | "only"
  > {
  readonly math: Peeking;
  /** What a yardstick is shown in place of the price, where it is not the number that is bid. */
  readonly costOf?: AuctionOptions["priceOf"];
  /** Boxed and whole even where it need not be. */
  readonly boxed?: boolean;
}

/** What a program did wrong, in one line that is the same wherever it is run. */
export class ProgramFault extends InputError {}

const fault = (source: string, expected: string): ProgramFault =>
  new ProgramFault({ source, path: [], expected, kind: "plain" });

export const IF_IT_DRAWS = "one that draws says stochastic: true and draws from the stream it is handed";
export const ANSWERS_DIFFERENTLY = `answers differently when asked again (${IF_IT_DRAWS})`;

/**
 * Holds a user's program to its answer: throws unless what it gave before, and what it gives when it is asked again on the
 * same amounts, are alike. Both are compared as JSON; `alike` says what else is known.
 */
export function demandSameAnswer(mechanism: Programmed, before: unknown, again: unknown, alike = true): void {
  const text = (answer: unknown) =>
    JSON.stringify(answer, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
  if (!alike || text(before) !== text(again)) throw fault(sourceOf(mechanism), ANSWERS_DIFFERENTLY);
}

/** Whether the program of a mechanism is a user's: one that has to be asked again. */
export const isUsers = ({ program }: Programmed): boolean => program !== undefined && !builtIn.has(program);

/** What is left of a worker's run, its amounts in the arithmetic that was asked for. */
type RunAllotment = Omit<Allotment<Amount>, "id">;

/** What came of a run, in the arithmetic that was asked for. */
export class ProgramRun {
  readonly #auction: Auction;
  readonly #bids: readonly Bidder[];
  readonly #record: AuctionRecord;
  readonly #open: (amount: Amount) => Amount;

  constructor(
    readonly math: Peeking,
    inside: {
      readonly auction: Auction;
      readonly bids: readonly Bidder[];
      readonly record: AuctionRecord;
      readonly open: (amount: Amount) => Amount;
    },
  ) {
    this.#auction = inside.auction;
    this.#bids = inside.bids;
    this.#record = inside.record;
    this.#open = inside.open;
  }

  get zero(): Amount {
    return this.#open(this.#auction.zero);
  }

  get startDelay(): number | null {
    return this.#record.startDelay;
  }

  get budgetEvents(): readonly BudgetEvent[] {
    return this.#record.budgetEvents;
  }

  get thresholds(): readonly Threshold<Amount>[] {
    const price = (amount: Amount | null) => (amount === null ? null : this.#open(amount));
    return this.#record.thresholds.map(({ round, group0, group1 }) => ({
      round,
      group0: price(group0),
      group1: price(group1),
    }));
  }

  /** Whether a decision may rest on when one of those who are watched arrives. */
  get arrivalMatters(): boolean {
    return this.#record.arrivalMatters;
  }

  /** What a worker gets, by its id; undefined if it has no reputation ([M1]). */
  candidate(id: number): RunAllotment | undefined {
    const worker = this.#auction.workers.find((one) => one.id === id);
    if (worker === undefined) return undefined;
    const { selectedAt, rounds, payment } = worker;
    return { selectedAt, rounds, payment: this.#open(payment) };
  }

  /** The outcome in numbers, or in what is made of amounts: everybody by id, those without a reputation too ([M1]). */
  outcome(): Outcome;
  outcome<Value>(show: (amount: Amount) => Value): Outcome<Value>;
  outcome(show: (amount: Amount) => unknown = (amount) => this.math.value(amount)): Outcome<unknown> {
    const price = (amount: Amount | null) => (amount === null ? null : show(amount));
    const candidates = new Map(this.#auction.workers.map((worker) => [worker.id, worker]));
    return {
      started: this.startDelay !== null,
      startDelay: this.startDelay,
      workers: this.#bids.map(({ id }) => {
        const worker = candidates.get(id);
        const payment = worker === undefined ? this.zero : this.#open(worker.payment);
        const { selectedAt = null, rounds = 0 } = worker ?? {};
        return { id, selectedAt, rounds, payment: show(payment) };
      }),
      thresholds: this.thresholds.map(({ round, group0, group1 }) => ({
        round,
        group0: price(group0),
        group1: price(group1),
      })),
      budgetEvents: this.budgetEvents,
    };
  }
}

/** Runs a mechanism's program once. */
export function runProgram(
  mechanism: Programmed,
  rules: Rules,
  bids: readonly Bidder[],
  options: RunOptions,
): ProgramRun {
  const { math, boxed = false, priceOf: bidBy, costOf, ...asked } = options;
  const priceOf = isInformed(mechanism) ? costOf : bidBy;
  const program = mechanism.program;
  if (program === undefined) throw new Error(`${mechanism.name} has no program`);
  const sorted = byId(bids);
  if (!boxed && math.isFloating && builtIn.has(program)) {
    const record = newRecord();
    const auction = new Auction(rules, sorted, { math, record, priceOf, ...asked });
    program(auction);
    record.over = true;
    return new ProgramRun(math, { auction, bids: sorted, record, open: (amount) => amount });
  }
  return runBoxed(mechanism, rules, sorted, { math, priceOf, ...asked });
}

function runBoxed(
  mechanism: Programmed,
  rules: Rules,
  bids: readonly Bidder[],
  { math, priceOf, reputationOf, amounts, onArrival, only: _, ...asked }: RunOptions,
): ProgramRun {
  noteAsked(mechanism.program!, { rules, bids });
  const boxes = new BoxedArithmetic(math);
  const record = newRecord();
  const box = (amount: Amount | undefined) => (amount === undefined ? undefined : boxes.box(amount));
  const auction = new Auction(rules, bids, {
    ...asked,
    math: boxes,
    handed: boxes.handed,
    amountOf: (value) => boxes.amountOf(value),
    record,
    priceOf: priceOf && ((bidder) => box(priceOf(bidder))),
    reputationOf: reputationOf && ((bidder) => box(reputationOf(bidder))),
    amounts: amounts && {
      ...(amounts.budget && { budget: boxes.box(amounts.budget) }),
      ...(amounts.firstRoundRatio && { firstRoundRatio: boxes.box(amounts.firstRoundRatio) }),
    },
    onArrival: onArrival && (() => noticed(onArrival, boxes)),
  });
  let thrown: { readonly error: unknown } | null = null;
  try {
    const result: unknown = whileDeciding(() => mechanism.program!(auction));
    if (isPromise(result)) throw new ProgramError("returns a promise: it cannot be async");
    if (isGenerator(result)) throw new ProgramError("is a generator: nothing in it would ever be run");
  } catch (error) {
    thrown = { error: readable(error) };
  }
  record.over = true;
  if (boxes.failure !== null) throw ofArithmetic(mechanism, boxes.failure.error);
  if (thrown !== null) throw ofProgram(mechanism, thrown.error);
  demandAllotments(mechanism, auction, { rules, record, boxes });
  return new ProgramRun(math, { auction, bids, record, open: (amount) => boxes.open(amount) });
}

const isGenerator = (value: unknown): boolean =>
  typeof (value as Iterator<unknown> | null | undefined)?.next === "function";

/** An error of the arithmetic is the program's fault only where it says so; else whoever asked for the run knows it. */
const ofArithmetic = (mechanism: Programmed, error: unknown): unknown =>
  error instanceof ProgramError ? ofProgram(mechanism, error) : error;

function ofProgram(mechanism: Programmed, error: unknown): InputError {
  if (error instanceof InputError) return error;
  const source = sourceOf(mechanism);
  if (error instanceof ProgramError) return fault(source, withPlace(`its program ${error.message}`, error));
  const what = isWriteToFrozen(error) ? "its program writes to what it may only read" : "its program failed";
  return fault(source, withPlace(`${what}: ${oneLine(error)}`, error));
}

interface Held {
  readonly rules: Rules;
  readonly record: AuctionRecord;
  readonly boxes: BoxedArithmetic;
}

/** What holds of every outcome, in any arithmetic: nothing for the unselected, and no rounds that are not there. */
function demandAllotments(mechanism: Programmed, auction: Auction, { rules, record, boxes }: Held): void {
  for (const { id, selectedAt, rounds, payment } of auction.workers) {
    const flaw = flawOf(selectedAt, rounds, rules.rounds);
    if (flaw !== null) throw fault(`${sourceOf(mechanism)}: worker ${id}`, flaw);
    if (selectedAt !== null && record.startDelay === null)
      throw fault(`${sourceOf(mechanism)}: worker ${id}`, "is selected, but the task never starts");
    if (selectedAt === null && !boxes.isZero(payment))
      throw fault(`${sourceOf(mechanism)}: worker ${id}`, "is paid, but not selected");
  }
}

function flawOf(selectedAt: number | null, rounds: number, last: number): string | null {
  if (selectedAt === null) return rounds === 0 ? null : `works ${rounds} rounds, but is not selected`;
  if (selectedAt > last) return `is selected in round ${selectedAt} of ${last}`;
  const most = last - selectedAt + 1;
  if (rounds >= 1 && rounds <= most) return null;
  return `works ${rounds} rounds: must be from 1 to ${most}, for it is selected in round ${selectedAt} of ${last}`;
}

function noticed(onArrival: () => void, boxes: BoxedArithmetic): void {
  try {
    onArrival();
  } catch (error) {
    throw boxes.failing(error);
  }
}
