/**
 * What auctions are written with: workers in order, samples that set a price ([M3]), purses that money comes from, and the
 * decisions on workers ([M9], [M10]). Everything is done in the arithmetic of the run.
 */

import { knifeEdge } from "../lib/tolerance.js";
import { type Bidder, byId, type Group, groupOf, type Reading, type Rules } from "../market/market.js";
import { type Amount, type Arithmetic, type Peeking, precedes } from "./amounts.js";
import { Lines } from "./lines.js";
import type {
  BudgetEvent,
  InformedBidder,
  InformedMechanism,
  Mechanism,
  Outcome,
  TraceSink,
} from "./mechanism.js";
import type { Ruling, Share } from "./trace.js";

/** A worker as an auction sees it: what it bids, and what has been decided about it so far. */
export class Candidate {
  /** The first round it works; null while it is not selected. */
  selectedAt: number | null = null;
  /** How many rounds are bought from it. */
  rounds = 0;
  /** ρ*_i: the threshold that it was admitted at, or raised to; null while it has met none. */
  promised: Amount | null = null;

  constructor(
    readonly id: number,
    private readonly clock: number,
    readonly reputation: Amount,
    readonly price: Amount,
    /** ρ = b / Re ([M1]). */
    readonly density: Amount,
    public payment: Amount,
    /** Told whenever its arrival is read. */
    private readonly onArrival: (() => void) | undefined,
  ) {}

  /** The clock tick at which it says that it arrives. */
  get arrival(): number {
    this.onArrival?.();
    return this.clock;
  }

  get group(): Group {
    return groupOf(this.id);
  }
}

/** Money that several workers draw on. */
export interface Purse {
  limit: Amount;
  spent: Amount;
}

/** The terms on which a worker is looked at. */
export interface Terms {
  readonly round: number;
  /** How many rounds are bought from whoever is admitted. */
  readonly buys: number;
  readonly purse: Purse;
  /** ρ*, paid per unit of reputation and round. Null: whoever fits is paid what it asks. */
  readonly threshold: Amount | null;
  /** Where groups are judged apart. */
  readonly group?: Group;
}

interface FirstStep {
  readonly clock: number;
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
}

export interface AuctionOptions {
  readonly math: Peeking;
  readonly trace?: TraceSink | undefined;
  /** The price of a bidder, where it is not the number that it bids. */
  readonly priceOf?: (bidder: Bidder) => Amount | undefined;
  /** The reputation of a bidder, where it is not the number that is written. */
  readonly reputationOf?: (bidder: Bidder) => Amount | undefined;
  /** Amounts of the rules that are not the numbers written there. */
  readonly amounts?: Partial<Pick<AuctionRules, "budget" | "firstRoundRatio">>;
  /** Only what these workers get is asked for: what cannot touch them may be left out. */
  readonly only?: readonly number[];
  /** Their regimes are asked for too: what money decides about others who share their money is not left out. */
  readonly withRegime?: boolean;
  /** Told when a decision may rest on when somebody arrives. */
  readonly onArrival?: () => void;
}

export class Auction {
  readonly math: Arithmetic;
  readonly rules: AuctionRules;
  /** Everybody who can be selected, by id: those with a reputation ([M1]). */
  readonly workers: readonly Candidate[];
  readonly zero: Amount;
  /** d: by how many clock ticks the start was delayed; null if the task never starts. */
  startDelay: number | null = 0;
  /** What each group's sample set in each round, where groups judge each other. */
  readonly thresholds: { readonly round: number; readonly group0: Price; readonly group1: Price }[] = [];
  readonly trace: TraceSink | undefined;
  private readonly peeking: Peeking;
  /** By id. */
  private readonly bids: readonly Bidder[];
  /** Whether a decision so far may rest on when one of those who are asked about arrives. */
  arrivalMatters = false;
  private readonly only: readonly number[] | undefined;
  private readonly withRegime: boolean;
  private readonly onArrival: () => void;
  readonly budgetEvents: BudgetEvent[] = [];

  constructor(rules: Rules, bids: readonly Bidder[], options: AuctionOptions) {
    const { math } = options;
    this.math = math;
    this.peeking = math;
    this.trace = options.trace;
    this.only = options.only;
    this.withRegime = options.withRegime ?? false;
    this.onArrival = () => {
      this.arrivalMatters = true;
      options.onArrival?.();
    };
    this.zero = math.known(0);
    this.rules = {
      ...rules,
      budget: math.known(rules.budget),
      firstRoundRatio: math.known(rules.firstRoundRatio),
      ...options.amounts,
    };
    this.bids = byId(bids);
    this.workers = this.bids
      .filter(({ reputation }) => reputation > 0)
      .map((bid) => this.enter(bid, options));
  }

  private enter(bid: Bidder, { math, priceOf, reputationOf, onArrival }: AuctionOptions): Candidate {
    const { id, arrival } = bid;
    const reputation = reputationOf?.(bid) ?? math.known(bid.reputation);
    const price = priceOf?.(bid) ?? math.known(bid.price);
    const density = math.over(price, reputation);
    const watched = this.only?.includes(id) || onArrival !== undefined;
    const told = watched ? this.onArrival : undefined;
    return new Candidate(id, arrival, reputation, price, density, this.zero, told);
  }

  /** The last clock tick at which anybody arrives, with a reputation or without. */
  get lastArrival(): number {
    this.onArrival();
    return this.bids.reduce((last, { arrival }) => Math.max(last, arrival), 1);
  }

  /** A worker by its id; undefined if it has no reputation ([M1]). */
  candidate(id: number): Candidate | undefined {
    return this.workers.find((worker) => worker.id === id);
  }

  /** By increasing density ([M2]). */
  byDensity(workers = this.workers): Candidate[] {
    return this.math.sorted(workers, ({ density }) => density);
  }

  byPrice(workers = this.workers): Candidate[] {
    return this.math.sorted(workers, ({ price }) => price);
  }

  /** By decreasing reputation unless said otherwise ([M2]). */
  byReputation(direction: "decreasing" | "increasing" = "decreasing"): Candidate[] {
    const { math } = this;
    const one = math.known(1);
    return math.sorted(this.workers, ({ reputation }) =>
      direction === "increasing" ? reputation : math.over(one, reputation),
    );
  }

  /** Workers from whose prices a threshold can be learned. */
  sample(workers = this.workers): Sample {
    return new Sample(this.peeking, this.peeking.peekSorted(workers, densityOf));
  }

  /** The threshold that a sample sets ([M3]); null if there is nobody to learn from ([M4]). */
  learn(sample: Sample, terms: ShareTerms & { readonly by: number }): Amount | null {
    this.trace?.({ kind: "sample", round: terms.by, share: sample.describe(terms) });
    return sample.share(terms).density;
  }

  /**
   * Buys all rounds from those that a share takes, each at s · Re · ρ* ([M5]); from nobody if they are fewer than enough
   * ([M6]). Says whether it did.
   */
  buyAtOnce(sample: Sample, terms: ShareTerms, { clock, enough = 0, purseOf }: FirstStep): boolean {
    const { math } = this;
    const { taken, density } = sample.share(terms);
    const starts = taken.length >= enough;
    const payments: { worker: number; payment: number }[] = [];
    if (starts)
      for (const worker of taken) {
        const payment = math.times(math.times(math.known(terms.buys), worker.reputation), density!);
        this.hire(worker, { round: 1, buys: terms.buys, threshold: density }, payment);
        const purse = purseOf?.(worker);
        if (purse) purse.spent = math.plus(purse.spent, payment);
        if (this.trace) payments.push({ worker: worker.id, payment: this.value(payment) });
      }
    this.trace?.({
      kind: "start",
      clock,
      share: sample.describe(terms),
      minWorkers: enough,
      enough: starts,
      payments,
    });
    return starts;
  }

  purse(limit: Amount): Purse {
    return { limit, spent: this.zero };
  }

  /** Whether anybody who is asked about is among these; true where everybody is asked about. */
  concerns(workers: readonly Candidate[]): boolean {
    return this.only === undefined || workers.some((worker) => this.asksAbout(worker));
  }

  private asksAbout({ id }: Candidate): boolean {
    return this.only!.includes(id);
  }

  /** Those up to the last who is asked about: what comes after it touches nothing that is asked for. */
  upToAsked(line: readonly Candidate[]): readonly Candidate[] {
    if (this.only === undefined || this.withRegime) return line;
    return line.slice(0, line.findLastIndex((worker) => this.asksAbout(worker)) + 1);
  }

  /** Admits whoever asks no more than ρ* and still fits ([M9]). */
  offer(worker: Candidate, terms: Terms): void {
    const { math } = this;
    const { buys, purse, threshold } = terms;
    if (threshold !== null && !math.atMost(worker.density, threshold)) {
      this.pass(worker, terms);
      return;
    }
    const each = threshold === null ? worker.price : math.times(worker.reputation, threshold);
    const need = math.times(math.known(buys), each);
    if (math.atMost(math.plus(purse.spent, need), purse.limit)) this.admit(worker, terms, need);
    else this.refuse(worker, terms, need);
  }

  /** Leaves a worker out because of its price. */
  pass(worker: Candidate, terms: Terms): void {
    this.traceRuling(worker, terms, {
      ruling: "dear",
      need: this.zero,
      spent: terms.purse.spent,
      before: null,
    });
  }

  admit(worker: Candidate, terms: Terms, payment: Amount): void {
    const { spent } = terms.purse;
    this.hire(worker, terms, payment);
    terms.purse.spent = this.math.plus(spent, payment);
    this.traceRuling(worker, terms, { ruling: "admitted", need: payment, spent, before: null });
  }

  private refuse(worker: Candidate, terms: Terms, need: Amount): void {
    this.record(worker, terms.round, "refused");
    this.traceRuling(worker, terms, { ruling: "refused", need, spent: terms.purse.spent, before: null });
  }

  /** Raises a selected worker to a higher threshold, by no more than is left ([M10]); the pseudocode even takes back ([M11]). */
  raise(worker: Candidate, terms: Terms & { readonly threshold: Amount }, reading: Reading = "prose"): void {
    const { math } = this;
    const { purse, threshold, buys } = terms;
    const { limit, spent } = purse;
    const before = worker.promised ?? this.zero;
    if (math.atMost(threshold, before)) {
      this.traceRuling(worker, terms, { ruling: "kept", need: this.zero, spent, before });
      return;
    }
    const need = math.times(math.times(math.minus(threshold, before), worker.reputation), math.known(buys));
    const ruling = this.raising(math.plus(spent, need), purse, reading);
    if (ruling !== "denied") {
      const amount = ruling === "capped" ? math.minus(limit, spent) : need;
      worker.payment = math.plus(worker.payment, amount);
      purse.spent = math.plus(spent, amount);
      worker.promised = threshold;
    }
    if (ruling === "capped" || ruling === "denied") this.record(worker, terms.round, ruling);
    this.traceRuling(worker, terms, { ruling, need, spent, before });
  }

  private raising(wanted: Amount, { limit, spent }: Purse, reading: Reading): "raised" | "capped" | "denied" {
    if (reading === "prose" && this.math.atMost(limit, spent)) return "denied";
    return this.math.atMost(wanted, limit) ? "raised" : "capped";
  }

  /** Selects a worker for some rounds at a pay, whatever is in the purse. */
  hire(worker: Candidate, { round, buys, threshold }: Omit<Terms, "purse">, payment: Amount): void {
    worker.selectedAt ??= round;
    worker.rounds += buys;
    worker.payment = this.math.plus(worker.payment, payment);
    worker.promised = threshold;
  }

  /** A decision that money, not the price, made ([M9], [M10]). */
  record(worker: Candidate, round: number, kind: BudgetEvent["kind"]): void {
    this.budgetEvents.push({ round, worker: worker.id, kind });
  }

  /** The outcome in numbers, or in what is made of amounts: everybody by id, those without a reputation too ([M1]). */
  outcome(): Outcome;
  outcome<Value>(show: (amount: Amount) => Value): Outcome<Value>;
  outcome(show: (amount: Amount) => unknown = (amount) => this.value(amount)): Outcome<unknown> {
    const known = new Map(this.workers.map((worker) => [worker.id, worker]));
    const price = (a: Price) => (a === null ? null : show(a));
    return {
      started: this.startDelay !== null,
      startDelay: this.startDelay,
      workers: this.bids.map(({ id }) => {
        const { selectedAt = null, rounds = 0, payment = this.zero } = known.get(id) ?? {};
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

  /** As a number, for a trace. */
  value(a: Amount): number {
    return this.peeking.value(a);
  }

  private traceRuling(worker: Candidate, terms: Terms, amounts: RulingAmounts): void {
    if (!this.trace) return;
    const { round, group } = terms;
    const value = (a: Amount | null) => (a === null ? null : this.peeking.value(a));
    const [need, spent, limit] = [amounts.need, amounts.spent, terms.purse.limit].map((a) => value(a)!);
    const [before, threshold] = [value(amounts.before), value(terms.threshold)];
    const density = value(worker.density)!;
    const byPrice = threshold !== null && knifeEdge(before ?? density, threshold);
    const byMoney = need! > 0 && knifeEdge(spent! + need!, limit!);
    const byLast = need! > 0 && before !== null && knifeEdge(spent!, limit!);
    this.trace({
      kind: "ruling",
      ruling: amounts.ruling,
      round,
      worker: worker.id,
      group: group ?? null,
      density,
      threshold,
      promised: before,
      need: need!,
      left: limit! - spent!,
      payment: value(worker.payment)!,
      knifeEdge: byPrice || byMoney || byLast,
    });
  }
}

/** An amount, or none ([M4]). */
type Price = Amount | null;

/** A ruling and the amounts behind it. */
interface RulingAmounts {
  readonly ruling: Ruling;
  readonly need: Amount;
  /** Of the purse, before the ruling. */
  readonly spent: Amount;
  /** ρ*_i before the ruling. */
  readonly before: Amount | null;
}

const densityOf = ({ density }: Candidate): Amount => density;

/** Does not look at the arrival where it does not matter. */
const hasArrived = (worker: Candidate, by: number | undefined): boolean =>
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
  readonly budget: Amount;
}

/** Workers in density order. */
export class Sample {
  private readonly unknown: readonly Candidate[];

  constructor(
    private readonly math: Peeking,
    readonly workers: readonly Candidate[],
  ) {
    this.unknown = workers.filter(({ density }) => !math.isKnown(density));
  }

  /** Takes workers while s · ρ_i · (Re_i + Σ Re) ≤ β, and sets min(β / (s · Σ Re), ρ of the first not taken) ([M3]). */
  share({ by, buys, budget }: ShareTerms): ShareResult {
    const { math } = this;
    const s = math.known(buys);
    const taken: Candidate[] = [];
    let sum = math.known(0);
    let next: Candidate | null = null;
    for (const worker of this.workers) {
      if (!hasArrived(worker, by)) continue;
      const more = math.plus(sum, worker.reputation);
      if (!math.peekAtMost(math.times(math.times(s, more), worker.density), budget)) {
        next = worker;
        break;
      }
      sum = more;
      taken.push(worker);
    }
    const weight = math.times(s, sum);
    if (this.unknown.some((worker) => hasArrived(worker, by)))
      this.narrow({ by, taken, next, weight, s, budget, sum });
    return { taken, next, density: this.densityOf({ taken, next, weight, budget }) };
  }

  /** The smaller of β / (s · Σ Re) and the first loser's density; either may be missing. */
  private densityOf({ taken, next, weight, budget }: Pick<Taken, "taken" | "next" | "weight" | "budget">) {
    if (taken.length === 0) return next?.density ?? null;
    const byBudget = this.math.over(budget, weight);
    if (next === null) return byBudget;
    return this.math.atMost(next.density, byBudget) ? next.density : byBudget;
  }

  /**
   * Asks just what the result rests on: that those taken come before the first who is not, and that one before all
   * others; that each of those taken fits with all of them, and the next does not. Their order among themselves is free.
   */
  private narrow({ by, taken, next, weight, s, budget, sum }: Taken): void {
    const { math } = this;
    for (const worker of taken)
      if (!math.isKnown(worker.density)) math.atMost(math.times(weight, worker.density), budget);
    if (next === null) return;
    const more = math.times(s, math.plus(sum, next.reputation));
    math.atMost(math.times(more, next.density), budget);
    const present = this.workers.filter((worker) => hasArrived(worker, by));
    const others = present.slice(taken.length + 1);
    const free = !math.isKnown(next.density);
    const matters = (worker: Candidate, nearest: Candidate | undefined) =>
      !math.isKnown(worker.density) || (free && worker === nearest);
    const last = taken.findLast(({ density }) => math.isKnown(density));
    const first = others.find(({ density }) => math.isKnown(density));
    for (const worker of taken) if (matters(worker, last)) precedes(math, worker, next, densityOf);
    for (const worker of others) if (matters(worker, first)) precedes(math, next, worker, densityOf);
  }

  /** The share in numbers, for a trace. */
  describe(terms: ShareTerms): Share {
    const { math } = this;
    const { taken, next, density } = this.share(terms);
    const present = this.workers.filter((worker) => hasArrived(worker, terms.by));
    const reputation = taken.reduce((sum, worker) => sum + math.value(worker.reputation), 0);
    const budget = math.value(terms.budget);
    const cost = (worker: Candidate, sum: number) =>
      terms.buys * math.value(worker.density) * (math.value(worker.reputation) + sum);
    return {
      budget,
      roundsBought: terms.buys,
      pool: present.map(({ id }) => id),
      taken: taken.map(({ id }) => id),
      reputation,
      byBudget: taken.length > 0 ? budget / (terms.buys * reputation) : null,
      next: next && { worker: next.id, density: math.value(next.density), cost: cost(next, reputation) },
      density: density && math.value(density),
      knifeEdge: this.isKnifeEdge(present, next, { cost, budget }),
    };
  }

  /** Whether somebody is taken, the first is not, or the two are in this order by a knife edge. */
  private isKnifeEdge(
    present: readonly Candidate[],
    next: Candidate | null,
    { cost, budget }: { cost: (worker: Candidate, sum: number) => number; budget: number },
  ): boolean {
    const { math } = this;
    let sum = 0;
    for (const [k, worker] of present.entries()) {
      if (knifeEdge(cost(worker, sum), budget)) return true;
      if (worker === next)
        return k > 0 && knifeEdge(math.value(present[k - 1]!.density), math.value(worker.density));
      sum += math.value(worker.reputation);
    }
    return false;
  }
}

interface Taken extends Omit<ShareTerms, "buys" | "by">, Pick<ShareResult, "taken" | "next"> {
  readonly s: Amount;
  readonly sum: Amount;
  readonly weight: Amount;
  readonly by: number | undefined;
}

/** The decisions of an auction, step by step. */
type Text = (auction: Auction) => void;

const numbers = new Lines();

/** Marks a `decide` with its text; the same mark in every copy of this module, for users' files may load their own. */
const TEXT = Symbol.for("candor.text");

/** The text that a `decide` was made from, if any. */
export const textOf = (decide: object): Text | undefined => (decide as { [TEXT]?: Text })[TEXT];

/** A mechanism from its text, which also runs in exact fractions and on a line at one worker's price. */
export function written(mechanism: Omit<Mechanism, "decide" | "text"> & { readonly text: Text }): Mechanism {
  const decide: Mechanism["decide"] = (rules, bids, trace) => {
    const auction = new Auction(rules, bids, { math: numbers, trace });
    mechanism.text(auction);
    return auction.outcome();
  };
  return { ...mechanism, decide: Object.assign(decide, { [TEXT]: mechanism.text }) };
}

/** A yardstick from its text: the workers in it ask their true costs, whatever they bid. */
export function informed(
  mechanism: Omit<InformedMechanism, "decide" | "text" | "sees"> & { readonly text: Text },
): InformedMechanism {
  const { decide } = written(mechanism);
  return { ...mechanism, sees: "costs", decide: (rules, bids, trace) => decide(rules, atCost(bids), trace) };
}

const atCost = (bids: readonly InformedBidder[]): Bidder[] =>
  bids.map(({ cost, ...bidder }) => ({ ...bidder, price: cost }));
