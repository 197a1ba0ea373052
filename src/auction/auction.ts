/**
 * What auctions are written with: workers in order, samples that set a price ([M3]), purses that money comes from, and the
 * decisions on workers ([M9], [M10]). Everything is done in the arithmetic of the run.
 */

import {
  type Bidder,
  byId,
  type Delay,
  type FirstStepReading,
  type Group,
  groupOf,
  type Reading,
  type Rules,
} from "../market/market.js";
import { type Amount, type Arithmetic, type Peeking, precedes } from "./amounts.js";
import { ProgramError } from "./boxed.js";
import type { BudgetEvent, Threshold } from "./outcome.js";
import { type StartAt, startAt } from "./start.js";

/** What is known of a worker when the auction begins, and how its fields are written. */
interface Entry {
  readonly id: number;
  readonly arrival: number;
  readonly reputation: Amount;
  readonly price: Amount;
  readonly density: Amount;
  readonly payment: Amount;
  readonly amountOf: (value: Amount | number) => Amount;
  readonly onArrival: (() => void) | undefined;
  /** Of the run that it is part of. */
  readonly record: AuctionRecord;
}

/** A worker as an auction sees it: what it bids, and what has been decided about it so far. */
export class Candidate {
  readonly #entry: Entry;
  #selectedAt: number | null = null;
  #rounds = 0;
  #payment: Amount;
  #promised: Amount | null = null;

  constructor(entry: Entry) {
    this.#entry = entry;
    this.#payment = entry.payment;
    Object.freeze(this);
  }

  get id(): number {
    return this.#entry.id;
  }

  get group(): Group {
    return groupOf(this.#entry.id);
  }

  /** Re. */
  get reputation(): Amount {
    return this.#entry.reputation;
  }

  /** b: what it asks per round. */
  get price(): Amount {
    return this.#entry.price;
  }

  /** ρ = b / Re ([M1]). */
  get density(): Amount {
    return this.#entry.density;
  }

  /** The clock tick at which it says that it arrives. Reading it is noticed: the answer may differ between arrivals. */
  get arrival(): number {
    this.#entry.onArrival?.();
    return this.#entry.arrival;
  }

  /** The first round it works; null while it is not selected. */
  get selectedAt(): number | null {
    return this.#selectedAt;
  }

  set selectedAt(round: number | null) {
    demandRunning(this.#entry.record);
    if (round !== null && !(Number.isInteger(round) && round >= 1))
      throw new RangeError("selectedAt must be null or a round, an integer ≥ 1");
    this.#selectedAt = round;
  }

  /** How many rounds are bought from it. */
  get rounds(): number {
    return this.#rounds;
  }

  set rounds(rounds: number) {
    demandRunning(this.#entry.record);
    if (!(Number.isInteger(rounds) && rounds >= 0)) throw new RangeError("rounds must be an integer ≥ 0");
    this.#rounds = rounds;
  }

  get payment(): Amount {
    return this.#payment;
  }

  set payment(payment: Amount | number) {
    demandRunning(this.#entry.record);
    this.#payment = this.#entry.amountOf(payment);
  }

  /** ρ*_i: the threshold that it was admitted at, or raised to; null while it has met none. */
  get promised(): Amount | null {
    return this.#promised;
  }

  set promised(threshold: Amount | number | null) {
    demandRunning(this.#entry.record);
    this.#promised = threshold === null ? null : this.#entry.amountOf(threshold);
  }
}

/** Money that several workers draw on. */
export interface Purse {
  limit: Amount | number;
  spent: Amount | number;
}

/** The terms on which a worker is looked at. */
export interface Terms {
  readonly round: number;
  /** How many rounds are bought from whoever is admitted. */
  readonly buys: number;
  readonly purse: Purse;
  /** ρ*, paid per unit of reputation and round. Null: whoever fits is paid what it asks. */
  readonly threshold: Amount | number | null;
  /** Where groups are judged apart. */
  readonly group?: Group;
}

/** A round as a program goes through it. */
export interface AuctionRound {
  readonly round: number;
  readonly clock: number;
  /** How many rounds are left with it. */
  readonly buys: number;
}

export interface AnnouncedRound {
  readonly round: number;
  readonly clock: number;
  /** β. */
  readonly budget: Amount | number;
  readonly samples: readonly [Sample, Sample];
  /** The money of each group. */
  readonly purses: readonly [Purse, Purse];
}

interface FirstStep {
  readonly clock: number;
  /** The first round that those who are taken work; 1 if left out. */
  readonly round?: number;
  /** How many must be taken for the task to start. */
  readonly enough?: number;
  /** The purse that a worker's pay comes from, if any. */
  readonly purseOf?: (worker: Candidate) => Purse;
}

interface AuctionRules {
  readonly budget: Amount;
  readonly rounds: number;
  readonly firstRoundRatio: Amount;
  readonly minWorkers: number;
  readonly reading: Reading;
  readonly firstStep: FirstStepReading;
  readonly delay: Delay;
}

/** What is decided about a worker. */
export type Ruling =
  /** ρ_i > ρ*: not considered ([M8]). */
  | "dear"
  | "admitted"
  /** Selected at a pay that comes from no purse. */
  | "hired"
  | "refused"
  | "raised"
  | "capped"
  /** Selected, and the threshold is no higher than the one it has ([M10]). */
  | "kept"
  /** Selected, the threshold is higher, but nothing is left to raise it with ([M10]; in the prose only, [M11]). */
  | "denied";

/** A ruling and the amounts behind it. */
export interface RulingAmounts {
  readonly ruling: Ruling;
  readonly need: Amount | number;
  /** Of the purse, before the ruling. */
  readonly spent: Amount | number;
  /** ρ*_i before the ruling. */
  readonly before: Amount | number | null;
}

/** Hears of every decision as it is taken, and changes none. */
export interface Observer {
  sample(sample: Sample, terms: ShareTerms & { readonly by: number }): void;
  start(sample: Sample, terms: ShareTerms, step: ObservedStart): void;
  round(announced: AnnouncedRound): void;
  ruling(worker: Candidate, terms: Terms, amounts: RulingAmounts): void;
}

/** A try at the first step: whether enough were taken, and what they are paid. */
export interface ObservedStart {
  readonly clock: number;
  readonly enough: number;
  readonly starts: boolean;
  readonly paid: readonly { readonly worker: Candidate; readonly payment: Amount }[];
}

/** What a run leaves behind. A program adds to it by what it calls, and cannot read it. */
export interface AuctionRecord {
  /** d: by how many clock ticks the start was delayed; null if the task never starts. */
  startDelay: number | null;
  /** What each group's sample set in each round, where groups judge each other. */
  readonly thresholds: Threshold<Amount>[];
  /** Decisions that money, not the price, made. */
  readonly budgetEvents: BudgetEvent[];
  /** Whether a decision may rest on when one of those who are watched arrives. */
  arrivalMatters: boolean;
  /** Whether the program has returned: what came of its run stays as it is. */
  over: boolean;
}

export const newRecord = (): AuctionRecord => ({
  startDelay: 0,
  thresholds: [],
  budgetEvents: [],
  arrivalMatters: false,
  over: false,
});

function demandRunning({ over }: AuctionRecord): void {
  if (over)
    throw new ProgramError("changes an auction that is over: it keeps nothing from one run for another");
}

export interface AuctionOptions {
  readonly math: Peeking;
  /** What the program calculates with, where that is not all of `math`. */
  readonly handed?: Arithmetic;
  /** Checks an amount that the program sets. */
  readonly amountOf?: (value: unknown) => Amount;
  readonly record: AuctionRecord;
  /** Hears of every decision of the run. */
  readonly observe?: ((math: Peeking) => Observer) | undefined;
  /** The price of a bidder, where it is not the number that it bids. */
  readonly priceOf?: ((bidder: Bidder) => Amount | undefined) | undefined;
  /** The reputation of a bidder, where it is not the number that is written. */
  readonly reputationOf?: ((bidder: Bidder) => Amount | undefined) | undefined;
  /** Amounts of the rules that are not the numbers written there. */
  readonly amounts?: Partial<Pick<AuctionRules, "budget" | "firstRoundRatio">> | undefined;
  /** Whose arrival is noticed when it is read; everybody's if left out. */
  readonly watched?: readonly number[] | undefined;
  /** Called when an arrival that is watched is read. */
  readonly onArrival?: (() => void) | undefined;
  /** Only what these workers get is asked for: blocks may leave out what cannot touch them. */
  readonly only?: readonly number[] | undefined;
}

let onlyOf: (auction: Auction) => readonly number[] | undefined;

/** An auction as a program sees it: the public facts and the building blocks, and nothing that exists for traces only. */
export class Auction {
  readonly math: Arithmetic;
  readonly rules: AuctionRules;
  /** Everybody who can be selected, by id: those with a reputation ([M1]). */
  readonly workers: readonly Candidate[];
  readonly zero: Amount;
  readonly #math: Peeking;
  readonly #amountOf: (value: Amount | number) => Amount;
  readonly #bids: readonly Bidder[];
  readonly #record: AuctionRecord;
  readonly #observer: Observer | undefined;
  readonly #only: readonly number[] | undefined;
  readonly #onArrival: () => void;
  readonly #isOwn: ReadonlySet<Candidate>;
  /** Where the program waited for a start. */
  #start: StartAt | null = null;

  constructor(rules: Rules, bids: readonly Bidder[], options: AuctionOptions) {
    const { math, record, onArrival } = options;
    this.math = options.handed ?? math;
    this.#math = math;
    this.#amountOf = options.amountOf ?? asIs;
    this.#record = record;
    this.#observer = options.observe?.(math);
    this.#only = options.only;
    this.#onArrival = () => {
      record.arrivalMatters = true;
      onArrival?.();
    };
    this.zero = math.known(0);
    this.rules = Object.freeze({
      ...rules,
      budget: math.known(rules.budget),
      firstRoundRatio: math.known(rules.firstRoundRatio),
      ...options.amounts,
    });
    this.#bids = byId(bids);
    const entered: Candidate[] = [];
    for (const bid of this.#bids) if (bid.reputation > 0) entered.push(this.#enter(bid, options));
    this.workers = Object.freeze(entered);
    this.#isOwn = new Set(entered);
    Object.freeze(this);
  }

  static {
    onlyOf = (auction) => (#only in auction ? auction.#only : undefined);
  }

  #enter(bid: Bidder, { math, priceOf, reputationOf, amountOf, watched }: AuctionOptions): Candidate {
    const { id, arrival } = bid;
    const reputation = reputationOf?.(bid) ?? math.known(bid.reputation);
    const price = priceOf?.(bid) ?? math.known(bid.price);
    return new Candidate({
      id,
      arrival,
      reputation,
      price,
      density: math.over(price, reputation),
      payment: this.zero,
      amountOf: amountOf ?? asIs,
      onArrival: watched === undefined || watched.includes(id) ? this.#onArrival : undefined,
      record: this.#record,
    });
  }

  /** d: by how many clock ticks the start was delayed; null if the task never starts. */
  get startDelay(): number | null {
    return this.#record.startDelay;
  }

  set startDelay(ticks: number | null) {
    demandRunning(this.#record);
    if (ticks !== null && !(Number.isInteger(ticks) && ticks >= 0))
      throw new RangeError("startDelay must be null or an integer ≥ 0");
    this.#record.startDelay = ticks;
  }

  /** The last clock tick at which anybody arrives, with a reputation or without. */
  get lastArrival(): number {
    this.#onArrival();
    return this.#bids.reduce((last, { arrival }) => Math.max(last, arrival), 1);
  }

  /** A worker by its id; undefined if it has no reputation ([M1]). */
  candidate(id: number): Candidate | undefined {
    return this.workers.find((worker) => worker.id === id);
  }

  /** Those of a list who have arrived by a clock tick, in its order. */
  present(workers: readonly Candidate[], clock: number): readonly Candidate[] {
    return workers.filter((worker) => hasArrived(worker, clock));
  }

  /**
   * Tries to start at each clock tick until the last arrival, with the first round that would be worked and how many would be
   * bought ([M6]). Says whether a try did; else the task never starts.
   */
  startWhen(tries: (at: AuctionRound) => boolean): boolean {
    for (let clock = 1; clock <= this.lastArrival; clock++) {
      const start = startAt(this.rules, clock);
      if (!tries({ clock, round: start.round, buys: start.buys })) continue;
      this.startDelay = clock - 1;
      this.#start = start;
      return true;
    }
    this.startDelay = null;
    return false;
  }

  /** Goes through the rounds: all of them, or those after the first step where one was waited for. */
  eachRound(body: (at: AuctionRound) => void): void {
    demandRunning(this.#record);
    const last = this.rules.rounds;
    const { round: first, offset } = this.#start ?? { round: 0, offset: 0 };
    for (let round = first + 1; round <= last; round++)
      body({ round, clock: round + offset, buys: last - round + 1 });
  }

  /** How far the rounds are: 0 in the first, 1 in the last, on average one half whatever their number. */
  progress(round: number): Amount {
    const math = this.#math;
    const last = this.rules.rounds;
    if (last === 1) return math.over(math.known(1), math.known(2));
    return math.over(math.known(round - 1), math.known(last - 1));
  }

  /** By increasing density ([M2]). */
  byDensity(workers = this.workers): Candidate[] {
    return this.#math.sorted(this.#own(workers), densityOf);
  }

  byPrice(workers = this.workers): Candidate[] {
    return this.#math.sorted(this.#own(workers), ({ price }) => price);
  }

  /** Workers that a program names, each of them once and of this auction: anything else could see how it is looked at. */
  #own(workers: readonly Candidate[]): readonly Candidate[] {
    if (workers === this.workers) return workers;
    const own = [...workers];
    for (const worker of own) this.#demandOwn(worker);
    if (new Set(own).size < own.length) throw new ProgramError("names a worker twice in one list");
    return own;
  }

  #demandOwn(worker: Candidate): void {
    demandRunning(this.#record);
    if (!this.#isOwn.has(worker)) throw new ProgramError("names a worker that is not one of auction.workers");
  }

  /** By decreasing reputation unless said otherwise ([M2]). */
  byReputation(direction: "decreasing" | "increasing" = "decreasing"): Candidate[] {
    const math = this.#math;
    const one = math.known(1);
    return math.sorted(this.workers, ({ reputation }) =>
      direction === "increasing" ? reputation : math.over(one, reputation),
    );
  }

  /** Workers from whose prices a threshold can be learned. */
  sample(workers = this.workers): Sample {
    return new Sample(this.#math, this.#math.peekSorted(this.#own(workers), densityOf));
  }

  /** What a sample takes and sets at a clock tick ([M3]), as an event of its own. */
  shareAt(sample: Sample, terms: ShareTerms & { readonly by: number }): ShareResult {
    this.#observer?.sample(sample, terms);
    return sample.share(terms);
  }

  /** The threshold that a sample sets ([M3]); null if there is nobody to learn from ([M4]). */
  learn(sample: Sample, terms: ShareTerms & { readonly by: number }): Amount | null {
    this.#observer?.sample(sample, terms);
    return sample.threshold(terms);
  }

  /**
   * Buys s rounds from those that a share takes, each at s · Re · ρ* ([M5]); from nobody if they are fewer than enough
   * ([M6]). Says whether it did.
   */
  buyAtOnce(
    sample: Sample,
    terms: ShareTerms,
    { clock, round = 1, enough = 0, purseOf }: FirstStep,
  ): boolean {
    const math = this.#math;
    const { taken, density } = inOrder(sample, terms);
    const starts = taken.length >= enough;
    const paid: { worker: Candidate; payment: Amount }[] = [];
    if (starts)
      // By id: the order of densities among those taken is not asked for, so a program must not see it.
      for (const worker of byId(taken)) {
        const payment = math.times(math.times(math.known(terms.buys), worker.reputation), density!);
        this.#select(worker, { round, buys: terms.buys, threshold: density }, payment);
        const purse = purseOf?.(worker);
        if (purse) purse.spent = math.plus(purse.spent, payment);
        paid.push({ worker, payment });
      }
    this.#observer?.start(sample, terms, { clock, enough, starts, paid });
    return starts;
  }

  /** Buys s rounds from those that a share takes ([M3]), each at s · Re · ρ*, and passes over the others who have come. */
  buyShare(sample: Sample, terms: ShareTerms & { readonly by: number; readonly round: number }): void {
    const math = this.#math;
    const { round, buys, budget, by } = terms;
    const { taken, density } = this.shareAt(sample, terms);
    const won = new Set(taken);
    const offer = { round, buys, purse: this.purse(budget), threshold: density };
    for (const worker of this.present(sample.workers, by)) {
      if (!concerns(this, [worker])) continue;
      if (!won.has(worker)) this.pass(worker, { ...offer, threshold: null });
      else this.admit(worker, offer, math.times(math.times(math.known(buys), worker.reputation), density!));
    }
  }

  /** Announces a round in which two groups judge each other. */
  announceRound(announced: AnnouncedRound): void {
    this.#observer?.round(announced);
  }

  /** What each group's sample has set in a round. */
  recordThresholds(round: number, group0: Amount | null, group1: Amount | null): void {
    this.#demandRound(round);
    const amount = (given: Amount | null) => (given === null ? null : this.#amountOf(given));
    this.#record.thresholds.push({ round, group0: amount(group0), group1: amount(group1) });
  }

  purse(limit: Amount | number): Purse {
    return { limit, spent: this.zero };
  }

  /** Admits whoever asks no more than ρ* and still fits ([M9]). */
  offer(worker: Candidate, terms: Terms): void {
    this.#demandOwn(worker);
    const math = this.#math;
    const { buys, threshold } = terms;
    if (threshold !== null && !math.atMost(worker.density, threshold)) {
      this.pass(worker, terms);
      return;
    }
    const each = threshold === null ? worker.price : math.times(worker.reputation, threshold);
    const need = math.times(math.known(buys), each);
    if (this.fits(worker, terms, need)) this.admit(worker, terms, need);
  }

  /**
   * Whether an amount for a worker still fits in a purse. Where it does not, money has turned the worker down: a budget event
   * says so, and its regime follows from that ([M9]). A comparison with a purse by math.atMost says nothing of the kind.
   */
  fits(worker: Candidate, terms: Terms, amount: Amount | number): boolean {
    this.#demandOwn(worker);
    const math = this.#math;
    const { limit, spent } = terms.purse;
    if (math.atMost(math.plus(spent, amount), limit)) return true;
    this.#refuse(worker, terms, amount);
    return false;
  }

  /** Leaves a worker out because of its price. */
  pass(worker: Candidate, terms: Terms): void {
    this.#observer?.ruling(worker, terms, {
      ruling: "dear",
      need: this.zero,
      spent: terms.purse.spent,
      before: null,
    });
  }

  admit(worker: Candidate, terms: Terms, payment: Amount | number): void {
    const { spent } = terms.purse;
    this.#select(worker, terms, payment);
    terms.purse.spent = this.#math.plus(spent, payment);
    this.#observer?.ruling(worker, terms, { ruling: "admitted", need: payment, spent, before: null });
  }

  #refuse(worker: Candidate, terms: Terms, need: Amount | number): void {
    this.record(worker, terms.round, "refused");
    this.#observer?.ruling(worker, terms, {
      ruling: "refused",
      need,
      spent: terms.purse.spent,
      before: null,
    });
  }

  /** Raises a selected worker to a higher threshold, by no more than is left ([M10]); the pseudocode even takes back ([M11]). */
  raise(
    worker: Candidate,
    terms: Terms & { readonly threshold: Amount | number },
    reading: Reading = "prose",
  ): void {
    this.#demandOwn(worker);
    const math = this.#math;
    const { purse, threshold, buys } = terms;
    const { limit, spent } = purse;
    const before = worker.promised ?? this.zero;
    if (math.atMost(threshold, before)) {
      this.#observer?.ruling(worker, terms, { ruling: "kept", need: this.zero, spent, before });
      return;
    }
    const need = math.times(math.times(math.minus(threshold, before), worker.reputation), math.known(buys));
    const ruling = this.#raising(math.plus(spent, need), purse, reading);
    if (ruling !== "denied") {
      const amount = ruling === "capped" ? math.minus(limit, spent) : need;
      worker.payment = math.plus(worker.payment, amount);
      purse.spent = math.plus(spent, amount);
      worker.promised = threshold;
    }
    if (ruling === "capped" || ruling === "denied") this.record(worker, terms.round, ruling);
    this.#observer?.ruling(worker, terms, { ruling, need, spent, before });
  }

  #raising(wanted: Amount, { limit, spent }: Purse, reading: Reading): "raised" | "capped" | "denied" {
    if (reading === "prose" && this.#math.atMost(limit, spent)) return "denied";
    return this.#math.atMost(wanted, limit) ? "raised" : "capped";
  }

  /** Selects a worker for some rounds at a pay that comes from no purse. */
  hire(worker: Candidate, terms: Omit<Terms, "purse">, payment: Amount | number): void {
    this.#select(worker, terms, payment);
    const none = { limit: this.zero, spent: this.zero };
    const amounts = { need: payment, spent: this.zero, before: null };
    this.#observer?.ruling(worker, { ...terms, purse: none }, { ruling: "hired", ...amounts });
  }

  #select(
    worker: Candidate,
    { round, buys, threshold }: Omit<Terms, "purse">,
    payment: Amount | number,
  ): void {
    this.#demandOwn(worker);
    worker.selectedAt ??= round;
    worker.rounds += buys;
    worker.payment = this.#math.plus(worker.payment, payment);
    worker.promised = threshold;
  }

  /** A decision that money, not the price, made ([M9], [M10]). */
  record(worker: Candidate, round: number, kind: BudgetEvent["kind"]): void {
    this.#demandOwn(worker);
    this.#demandRound(round);
    if (!kinds.includes(kind)) throw new ProgramError(`records an event that is none of ${kinds.join(", ")}`);
    this.#record.budgetEvents.push({ round, worker: worker.id, kind });
  }

  #demandRound(round: number): void {
    demandRunning(this.#record);
    const last = this.rules.rounds;
    if (!(Number.isInteger(round) && round >= 1 && round <= last))
      throw new ProgramError(`names a round that is no integer from 1 to ${last}`);
  }
}

const kinds: readonly string[] = ["refused", "capped", "denied"] satisfies BudgetEvent["kind"][];

/** An amount, or none ([M4]). */
type Price = Amount | null;

const densityOf = ({ density }: Candidate): Amount => density;

/** Does not look at the arrival where it does not matter. */
export const hasArrived = (worker: Candidate, by: number | undefined): boolean =>
  by === undefined || worker.arrival <= by;

/** What a proportional share takes and sets ([M3]). */
interface ShareResult {
  readonly taken: readonly Candidate[];
  /** The first worker not taken; null if everybody is. */
  readonly next: Candidate | null;
  /** ρ*; null if there is nobody to learn from ([M4]). */
  readonly density: Amount | null;
}

export interface ShareTerms {
  /** Workers that have arrived by this clock tick take part; all of them if left out. */
  readonly by?: number;
  /** s: how many rounds are bought. */
  readonly buys: number;
  /** β. */
  readonly budget: Amount | number;
  /** Whether the condition counts a worker's own reputation twice, as the paper's prose does at the first step ([M5]). */
  readonly ownTwice?: boolean;
}

export interface OrderedSample {
  readonly math: Peeking;
  /** By increasing density at the prices of the run: an order that is not asked for, so programs do not see it. */
  readonly order: readonly Candidate[];
  readonly unknown: readonly Candidate[];
}

/** What is in a sample, for the kernel and for traces. */
export let insideOf: (sample: Sample) => OrderedSample;

/** Workers from whose prices a threshold is learned. */
export class Sample {
  readonly #inside: OrderedSample;

  constructor(math: Peeking, order: readonly Candidate[]) {
    this.#inside = { math, order, unknown: order.filter(({ density }) => !math.isKnown(density)) };
  }

  static {
    insideOf = (sample) => sample.#inside;
  }

  /** By id. */
  get workers(): readonly Candidate[] {
    return byId(this.#inside.order);
  }

  /**
   * Takes workers while s · ρ_i · (Re_i + Σ Re) ≤ β, and sets min(β / (s · Σ Re), ρ of the first not taken) ([M3]). Those
   * taken come by id.
   */
  share(terms: ShareTerms): ShareResult {
    const { taken, next, density } = inOrder(this, terms);
    return { taken: byId(taken), next, density };
  }

  /** What it sets alone. */
  threshold(terms: ShareTerms): Amount | null {
    return inOrder(this, terms).density;
  }
}

/** The share, with those taken by increasing density: an order that is not asked for, so a program must not see it. */
export function inOrder(sample: Sample, { by, buys, budget, ownTwice = false }: ShareTerms): ShareResult {
  if (by !== undefined && typeof by !== "number")
    throw new ProgramError("names a clock tick that is no number");
  const { math, order, unknown } = insideOf(sample);
  const s = math.known(buys);
  const taken: Candidate[] = [];
  let sum = math.known(0);
  let next: Candidate | null = null;
  for (const worker of order) {
    if (!hasArrived(worker, by)) continue;
    const more = math.plus(sum, worker.reputation);
    const counted = ownTwice ? math.plus(more, worker.reputation) : more;
    if (!math.peekAtMost(math.times(math.times(s, counted), worker.density), budget)) {
      next = worker;
      break;
    }
    sum = more;
    taken.push(worker);
  }
  const weight = math.times(s, sum);
  if (!math.isKnown(budget) || unknown.some((worker) => hasArrived(worker, by)))
    narrow(insideOf(sample), { by, taken, next, weight, s, budget, sum, ownTwice });
  return { taken, next, density: densitySet(math, { taken, next, weight, budget }) };
}

/** The smaller of β / (s · Σ Re) and the first loser's density; either may be missing. */
function densitySet(
  math: Peeking,
  { taken, next, weight, budget }: Pick<Taken, "taken" | "next" | "weight" | "budget">,
): Price {
  if (taken.length === 0) return next?.density ?? null;
  const byBudget = math.over(budget, weight);
  if (next === null) return byBudget;
  return math.atMost(next.density, byBudget) ? next.density : byBudget;
}

/**
 * Asks just what the result rests on: that those taken come before the first who is not, and that one before all
 * others; that each of those taken fits with all of them, and the next does not. Their order among themselves is free,
 * but where a worker's own reputation counts twice: then each must fit with those before it.
 */
function narrow({ math, order }: OrderedSample, share: Taken): void {
  const { by, taken, next, weight, s, budget, sum, ownTwice } = share;
  const open = !math.isKnown(budget);
  if (ownTwice) narrowInOrder(math, share);
  else
    for (const worker of taken)
      if (open || !math.isKnown(worker.density)) math.atMost(math.times(weight, worker.density), budget);
  if (next === null) return;
  const more = math.plus(sum, next.reputation);
  const counted = ownTwice ? math.plus(more, next.reputation) : more;
  math.atMost(math.times(math.times(s, counted), next.density), budget);
  const present = order.filter((worker) => hasArrived(worker, by));
  const others = present.slice(taken.length + 1);
  const free = !math.isKnown(next.density);
  const matters = (worker: Candidate, nearest: Candidate | undefined) =>
    !math.isKnown(worker.density) || (free && worker === nearest);
  const last = taken.findLast(({ density }) => math.isKnown(density));
  const first = others.find(({ density }) => math.isKnown(density));
  for (const worker of taken) if (matters(worker, last)) precedes(math, worker, next, densityOf);
  for (const worker of others) if (matters(worker, first)) precedes(math, next, worker, densityOf);
}

/** Asks for the order of those taken, and that each fits with those before it and its own reputation twice. */
function narrowInOrder(math: Peeking, { taken, s, budget }: Taken): void {
  const open = !math.isKnown(budget);
  let sum = math.known(0);
  for (const [k, worker] of taken.entries()) {
    sum = math.plus(sum, worker.reputation);
    const free = !math.isKnown(worker.density);
    const counted = math.plus(sum, worker.reputation);
    if (open || free) math.atMost(math.times(math.times(s, counted), worker.density), budget);
    const after = taken[k + 1];
    if (after !== undefined && (free || !math.isKnown(after.density)))
      precedes(math, worker, after, densityOf);
  }
}

interface Taken extends Omit<ShareTerms, "buys" | "by" | "ownTwice">, Pick<ShareResult, "taken" | "next"> {
  readonly s: Amount;
  readonly sum: Amount;
  readonly weight: Amount;
  readonly by: number | undefined;
  readonly ownTwice: boolean;
}

const asIs = (value: unknown): Amount => value as Amount;

for (const { prototype } of [Auction, Candidate, Sample]) Object.freeze(prototype);

/** Whether anybody who is asked about is among these; true where everybody is asked about. */
export function concerns(auction: Auction, workers: readonly Candidate[]): boolean {
  const only = onlyOf(auction);
  return only === undefined || workers.some(({ id }) => only.includes(id));
}

/** Those up to the last who is asked about: what comes after it touches nothing that is asked for. */
export function upToAsked(auction: Auction, line: readonly Candidate[]): readonly Candidate[] {
  const only = onlyOf(auction);
  if (only === undefined) return line;
  return line.slice(0, line.findLastIndex(({ id }) => only.includes(id)) + 1);
}
