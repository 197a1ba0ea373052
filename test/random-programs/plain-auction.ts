/**
 * The building blocks of an auction written a second time, as plainly as the rules say them, on fractions of which every one
 * knows how it changes with one price. Every comparison that this price can turn notes the price at which it turns.
 */

import type { Auction } from "../../src/auction/auction.js";
import { exactly, type Fraction, fraction } from "../../src/lib/fraction.js";
import { type Bidder, groupOf, type Rules } from "../../src/market/market.js";

/** at + slope · (p − the price of the run). */
export interface Line {
  readonly at: Fraction;
  readonly slope: Fraction;
}

const none = fraction(0);
const flat = (at: Fraction): Line => ({ at, slope: none });
const lineOf = (value: Line | number): Line => (typeof value === "number" ? flat(exactly(value)) : value);

class PlainMath {
  readonly turns: Fraction[] = [];

  constructor(private readonly price: Fraction) {}

  known = (value: number): Line => flat(exactly(value));
  plus = (a: Line | number, b: Line | number): Line => this.sum(lineOf(a), lineOf(b), 1);
  minus = (a: Line | number, b: Line | number): Line => this.sum(lineOf(a), lineOf(b), -1);

  times = (a: Line | number, b: Line | number): Line => {
    const [p, q] = [lineOf(a), lineOf(b)];
    if (!p.slope.equals(0) && !q.slope.equals(0)) throw new Error("a product of two prices");
    return { at: p.at.mul(q.at), slope: p.slope.mul(q.at).add(q.slope.mul(p.at)) };
  };

  over = (a: Line | number, b: Line | number): Line => {
    const [p, q] = [lineOf(a), lineOf(b)];
    if (!q.slope.equals(0)) throw new Error("a division by a price");
    return { at: p.at.div(q.at), slope: p.slope.div(q.at) };
  };

  atMost = (a: Line | number, b: Line | number): boolean => this.compare(lineOf(a), lineOf(b)) <= 0;

  sorted = <Item extends { readonly id: number }>(
    items: readonly Item[],
    key: (item: Item) => Line,
  ): Item[] => [...items].sort((a, b) => this.compare(key(a), key(b)) || a.id - b.id);

  private sum(a: Line, b: Line, sign: number): Line {
    return { at: a.at.add(b.at.mul(sign)), slope: a.slope.add(b.slope.mul(sign)) };
  }

  private compare(a: Line, b: Line): number {
    const gap = this.sum(a, b, -1);
    if (!gap.slope.equals(0)) this.turns.push(this.price.sub(gap.at.div(gap.slope)));
    return gap.at.compare(0);
  }
}

export interface PlainWorker {
  readonly id: number;
  readonly group: 0 | 1;
  readonly reputation: Line;
  readonly price: Line;
  readonly density: Line;
  readonly arrival: number;
  selectedAt: number | null;
  rounds: number;
  payment: Line;
  promised: Line | null;
}

interface PlainPurse {
  limit: Line;
  spent: Line;
}

interface PlainTerms {
  readonly round: number;
  readonly buys: number;
  readonly purse: PlainPurse;
  readonly threshold: Line | null;
}

interface PlainShare {
  readonly by?: number;
  readonly buys: number;
  readonly budget: Line;
}

/** The price of a bidder, where it is not the number that it bids. */
export interface PlainBidder extends Omit<Bidder, "price" | "reputation"> {
  readonly price: Fraction;
  readonly reputation: Fraction;
}

export interface PlainRules extends Omit<Rules, "budget"> {
  readonly budget: Fraction;
}

export interface PlainRun {
  readonly workers: readonly PlainWorker[];
  readonly startDelay: number | null;
  readonly budgetEvents: readonly { round: number; worker: number; kind: "refused" | "capped" | "denied" }[];
  readonly thresholds: readonly { round: number; group0: Line | null; group1: Line | null }[];
  /** The prices of the watched worker at which a comparison of this run turns. */
  readonly turns: readonly Fraction[];
}

class PlainAuction {
  readonly math: PlainMath;
  readonly rules;
  readonly workers: PlainWorker[];
  readonly zero = flat(none);
  readonly budgetEvents: { round: number; worker: number; kind: "refused" | "capped" | "denied" }[] = [];
  readonly thresholds: { round: number; group0: Line | null; group1: Line | null }[] = [];
  startDelay: number | null = 0;

  constructor({ budget, ...rules }: PlainRules, bids: readonly PlainBidder[], watched: number | null) {
    const own = bids.find(({ id }) => id === watched);
    this.math = new PlainMath(own?.price ?? none);
    this.rules = { ...rules, budget: flat(budget), firstRoundRatio: this.math.known(rules.firstRoundRatio) };
    this.workers = [...bids]
      .sort((a, b) => a.id - b.id)
      .filter(({ reputation }) => reputation.gt(0))
      .map(({ id, reputation, price, arrival }) => {
        const asked = { at: price, slope: fraction(id === watched ? 1 : 0) };
        return {
          ...{ id, group: groupOf(id), arrival, reputation: flat(reputation), price: asked },
          ...{ density: this.math.over(asked, flat(reputation)), payment: this.zero },
          ...{ selectedAt: null, rounds: 0, promised: null },
        };
      });
  }

  byDensity = (workers: readonly PlainWorker[] = this.workers) =>
    this.math.sorted(workers, ({ density }) => density);
  byPrice = (workers: readonly PlainWorker[] = this.workers) =>
    this.math.sorted(workers, ({ price }) => price);

  byReputation = (direction = "decreasing") =>
    [...this.workers].sort((a, b) => {
      const order = a.reputation.at.compare(b.reputation.at);
      return (direction === "increasing" ? order : -order) || a.id - b.id;
    });

  purse = (limit: Line): PlainPurse => ({ limit, spent: this.zero });

  sample = (workers: readonly PlainWorker[]) => ({
    share: (terms: PlainShare) => this.share(workers, terms),
    threshold: (terms: PlainShare) => this.share(workers, terms).density,
  });

  /** [M3] */
  private share(workers: readonly PlainWorker[], { by, buys, budget }: PlainShare) {
    const { math } = this;
    const taken: PlainWorker[] = [];
    let sum = this.zero;
    let next: PlainWorker | null = null;
    for (const worker of this.byDensity(workers.filter(({ arrival }) => by === undefined || arrival <= by))) {
      const cost = math.times(math.times(worker.density, buys), math.plus(worker.reputation, sum));
      if (!math.atMost(cost, budget)) {
        next = worker;
        break;
      }
      sum = math.plus(sum, worker.reputation);
      taken.push(worker);
    }
    const most = taken.length === 0 ? null : math.over(budget, math.times(sum, buys));
    const least = next?.density ?? null;
    if (most === null || least === null) return { taken, next, density: most ?? least };
    return { taken, next, density: math.atMost(least, most) ? least : most };
  }

  /** [M5], [M6] */
  buyAtOnce = (
    sample: { share(terms: PlainShare): ReturnType<PlainAuction["share"]> },
    terms: PlainShare,
    { enough = 0, purseOf }: { enough?: number; purseOf?: (worker: PlainWorker) => PlainPurse },
  ): boolean => {
    const { taken, density } = sample.share(terms);
    if (taken.length < enough) return false;
    for (const worker of taken) {
      const payment = this.math.times(this.math.times(worker.reputation, density!), terms.buys);
      this.hire(worker, { round: 1, buys: terms.buys, threshold: density }, payment);
      const purse = purseOf?.(worker);
      if (purse) purse.spent = this.math.plus(purse.spent, payment);
    }
    return true;
  };

  /** [M9] */
  offer = (worker: PlainWorker, { round, buys, purse, threshold }: PlainTerms): void => {
    const { math } = this;
    if (threshold !== null && !math.atMost(worker.density, threshold)) return;
    const each = threshold === null ? worker.price : math.times(threshold, worker.reputation);
    const need = math.times(each, buys);
    if (math.atMost(math.plus(purse.spent, need), purse.limit))
      this.admit(worker, { round, buys, purse, threshold }, need);
    else this.record(worker, round, "refused");
  };

  admit = (worker: PlainWorker, { purse, ...terms }: PlainTerms, payment: Line): void => {
    this.hire(worker, terms, payment);
    purse.spent = this.math.plus(purse.spent, payment);
  };

  hire = (
    worker: PlainWorker,
    { round, buys, threshold }: Omit<PlainTerms, "purse">,
    payment: Line,
  ): void => {
    worker.selectedAt ??= round;
    worker.rounds += buys;
    worker.payment = this.math.plus(worker.payment, payment);
    worker.promised = threshold;
  };

  /** [M10], [M11] */
  raise = (worker: PlainWorker, terms: PlainTerms & { threshold: Line }, reading = "prose"): void => {
    const { math } = this;
    const { round, buys, purse, threshold } = terms;
    const promised = worker.promised ?? this.zero;
    if (math.atMost(threshold, promised)) return;
    if (reading === "prose" && math.atMost(purse.limit, purse.spent)) {
      this.record(worker, round, "denied");
      return;
    }
    const wanted = math.times(math.times(math.minus(threshold, promised), worker.reputation), buys);
    const fits = math.atMost(math.plus(purse.spent, wanted), purse.limit);
    const raise = fits ? wanted : math.minus(purse.limit, purse.spent);
    if (!fits) this.record(worker, round, "capped");
    worker.payment = math.plus(worker.payment, raise);
    purse.spent = math.plus(purse.spent, raise);
    worker.promised = threshold;
  };

  record = (worker: PlainWorker, round: number, kind: "refused" | "capped" | "denied"): void => {
    this.budgetEvents.push({ round, worker: worker.id, kind });
  };

  recordThresholds = (round: number, group0: Line | null, group1: Line | null): void => {
    this.thresholds.push({ round, group0, group1 });
  };

  announceRound = (): void => {};

  present = (workers: readonly PlainWorker[], clock: number): PlainWorker[] =>
    workers.filter(({ arrival }) => arrival <= clock);

  /** Of a task that starts on time: rounds are clock ticks. */
  eachRound = (body: (at: { round: number; clock: number; buys: number }) => void): void => {
    for (let round = 1; round <= this.rules.rounds; round++)
      body({ round, clock: round, buys: this.rules.rounds - round + 1 });
  };
}

/** Runs a program plainly; `watched` is the worker whose price the amounts depend on. */
export function plainRun(
  program: (auction: Auction) => void,
  rules: PlainRules,
  bids: readonly PlainBidder[],
  watched: number | null = null,
): PlainRun {
  const auction = new PlainAuction(rules, bids, watched);
  program(auction as unknown as Auction);
  const { workers, startDelay, budgetEvents, thresholds, math } = auction;
  return { workers, startDelay, budgetEvents, thresholds, turns: math.turns };
}
