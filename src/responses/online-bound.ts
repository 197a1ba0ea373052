/**
 * What some workers can get together at most from the paper's auction, whatever they ask within given prices. It rests on
 * one fact: a proportional share sets sup{ρ : ρ · s · (Re of all who ask less than ρ) ≤ β} ([M3]), which can only rise when
 * somebody asks more. So the thresholds that judge a member, and the first step's price, are at most those at its partners'
 * highest prices. Who enters in round t and works on is paid at most Re · Σ of the highest threshold so far over the rounds
 * from t on ([M9], [M10]), and a group never more than its half of the budget, or than the first step's part of it.
 */

import { byId, groupOf, type Market, type Worker } from "../market/market.js";

/** The prices between which each member asks. */
export interface PriceRange {
  readonly low: number;
  /** Infinity where it has no end. */
  readonly high: number;
}

/** Ties and rounding shift comparisons by less than this. */
const SLACK = 1 + 1e-9;

/** Somebody in a sample, with the density it asks. */
interface Entry {
  readonly density: number;
  readonly reputation: number;
}

export class OnlineBound {
  private readonly first: number;
  private readonly cap: number;
  private readonly others: readonly Worker[];
  /** The others by increasing density: of each group, and all. */
  private readonly samples: readonly (readonly (Entry & { readonly arrival: number })[])[];

  constructor(
    private readonly market: Market,
    private readonly members: readonly Worker[],
    /** What the members say. */
    private readonly arrivals: readonly number[],
  ) {
    const { budget, firstRoundRatio } = market.rules;
    this.first = firstRoundRatio * budget;
    this.cap = Math.max(budget / 2, this.first);
    this.others = byId(market.workers).filter(
      (worker) => worker.reputation > 0 && !members.some(({ id }) => id === worker.id),
    );
    const sample = (workers: readonly Worker[]) =>
      workers
        .map(({ cost, reputation, arrival }) => ({ density: cost / reputation, reputation, arrival }))
        .sort((a, b) => a.density - b.density);
    this.samples = [0, 1].map((group) => sample(this.others.filter(({ id }) => groupOf(id) === group)));
    this.samples = [...this.samples, sample(this.others)];
  }

  /** Of the sum of their utilities. */
  at(prices: readonly PriceRange[]): number {
    let most = 0;
    for (let delay = 0; delay < this.market.rules.rounds; delay++) {
      most = Math.max(most, this.withStart(delay, prices));
      if (this.startsBy(delay + 1)) break;
    }
    return most;
  }

  /** Whether the task has started by a clock tick, whatever the members ask: said only where one worker is enough ([M6]). */
  private startsBy(clock: number): boolean {
    const { rounds, minWorkers } = this.market.rules;
    if (minWorkers === 0) return true;
    const cheapest = this.samples[2]!.find(({ arrival }) => arrival <= clock);
    if (minWorkers > 1 || cheapest === undefined) return false;
    const fits = rounds * cheapest.density * cheapest.reputation * SLACK <= this.first;
    // A member stands in the way if it asks less per reputation than everybody, and yet too much.
    const blocked = this.members.some(
      ({ reputation }, k) =>
        this.arrivals[k]! <= clock && rounds * cheapest.density * reputation * SLACK > this.first,
    );
    return fits && !blocked;
  }

  private withStart(delay: number, prices: readonly PriceRange[]): number {
    const sums = [0, 0];
    const thresholds = [0, 1].map((group) => this.thresholds(delay, group, prices));
    for (const [k, member] of this.members.entries()) {
      const group = groupOf(member.id);
      sums[group]! += this.ofMember(k, { delay, prices, thresholds: thresholds[1 - group]! });
    }
    return Math.min(sums[0]!, this.cap) + Math.min(sums[1]!, this.cap);
  }

  /** The highest that a group's sample can set in rounds 2..T ([M7]); negative where there is nobody ([M4]). */
  private thresholds(delay: number, group: number, prices: readonly PriceRange[]): number[] {
    const { budget, rounds } = this.market.rules;
    return Array.from({ length: rounds - 1 }, (_, k) => {
      const spent = this.first + ((budget - this.first) * (k + 1)) / (rounds - 1);
      return this.share(k + 2 + delay, group, prices, spent / (2 * rounds));
    });
  }

  private ofMember(
    k: number,
    {
      delay,
      prices,
      thresholds,
    }: { delay: number; prices: readonly PriceRange[]; thresholds: readonly number[] },
  ): number {
    const { rounds } = this.market.rules;
    const { reputation, cost } = this.members[k]!;
    if (reputation === 0) return 0;
    const arrival = this.arrivals[k]!;
    const lowest = prices[k]!.low / reputation / SLACK;
    const firstPrice = arrival <= 1 + delay ? this.share(1 + delay, 2, prices, this.first / rounds) : -1;
    const offers = [firstPrice, ...thresholds];
    let most = 0;
    for (let round = Math.max(1, arrival - delay); round <= rounds; round++) {
      if (!(offers[round - 1]! >= lowest)) continue;
      let [paid, highest] = [0, 0];
      for (let later = round; later <= rounds; later++) {
        highest = Math.max(highest, offers[later - 1]!);
        paid += reputation * highest;
      }
      most = Math.max(most, Math.min(paid, this.cap) - cost * (rounds - round + 1));
    }
    return most;
  }

  /** The highest density that a proportional share can set; Infinity where only members are there and ask any price. */
  private share(clock: number, group: number, prices: readonly PriceRange[], budget: number): number {
    const present = this.samples[group]!.filter(({ arrival }) => arrival <= clock);
    const entries: Entry[] = [...present];
    for (const [k, { id, reputation }] of this.members.entries()) {
      if (reputation === 0 || this.arrivals[k]! > clock || (group < 2 && groupOf(id) !== group)) continue;
      entries.push({ density: prices[k]!.high / reputation, reputation });
    }
    entries.sort((a, b) => a.density - b.density);
    if (entries.length === 0) return -1;
    let sum = 0;
    for (const { density, reputation } of entries) {
      if (density * (sum + reputation) > budget) return sum === 0 ? density : Math.min(density, budget / sum);
      sum += reputation;
    }
    return budget / sum;
  }
}
