/**
 * What some workers can get together at most from the paper's auction, whatever they ask within given prices. It rests on
 * one fact: a proportional share sets sup{ρ : ρ · s · (Re of all who ask less than ρ) ≤ β} ([M3]), which can only rise when
 * somebody asks more. So the thresholds that judge a member, and the first step's price, are at most those at its partners'
 * highest prices. Who enters in round t and works on is paid at most Re · Σ of the highest threshold so far over the rounds
 * from t on ([M9], [M10]), and a group never more than its half of the budget, or than the first step's part of it.
 */

import type { PriceRange } from "../../auction/solver.js";
import { startAt } from "../../auction/start.js";
import { BOUND_FACTOR } from "../../lib/search-tolerances.js";
import { byId, groupOf, type Market, type Worker } from "../../market/market.js";
import { firstBudget, ownWeight, sampleBudget } from "./engine.js";

/** Somebody in a sample, with the density it asks. */
interface Entry {
  readonly density: number;
  readonly reputation: number;
}

export class OnlineBound {
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
    this.cap = Math.max(budget / 2, firstRoundRatio * budget);
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
    for (let clock = 1; clock <= this.market.rules.rounds; clock++) {
      most = Math.max(most, this.withStart(clock, prices));
      if (this.startsBy(clock)) break;
    }
    return most;
  }

  /** Whether the task has started by a clock tick, whatever the members ask: said only where one worker is enough ([M6]). */
  private startsBy(clock: number): boolean {
    const { rules } = this.market;
    const { minWorkers } = rules;
    if (minWorkers === 0) return true;
    const cheapest = this.samples[2]!.find(({ arrival }) => arrival <= clock);
    if (minWorkers > 1 || cheapest === undefined) return false;
    const { buys } = startAt(rules, clock);
    const cost = buys * ownWeight(rules) * cheapest.density * BOUND_FACTOR;
    const budget = firstBudget(rules, buys);
    const fits = cost * cheapest.reputation <= budget;
    // A member stands in the way if it asks less per reputation than everybody, and yet too much.
    const blocked = this.members.some(
      ({ reputation }, k) => this.arrivals[k]! <= clock && cost * reputation > budget,
    );
    return fits && !blocked;
  }

  private withStart(clock: number, prices: readonly PriceRange[]): number {
    const sums = [0, 0];
    const thresholds = [0, 1].map((group) => this.thresholds(clock, group, prices));
    for (const [k, member] of this.members.entries()) {
      const group = groupOf(member.id);
      sums[group]! += this.ofMember(k, { clock, prices, thresholds: thresholds[1 - group]! });
    }
    return Math.min(sums[0]!, this.cap) + Math.min(sums[1]!, this.cap);
  }

  /** The highest that a group's sample can set in the rounds after the first ([M7]); negative where there is nobody ([M4]). */
  private thresholds(clock: number, group: number, prices: readonly PriceRange[]): number[] {
    const { rules } = this.market;
    const { round: first, offset } = startAt(rules, clock);
    return Array.from({ length: rules.rounds - first }, (_, k) => {
      const round = first + 1 + k;
      return this.share(round + offset, group, prices, sampleBudget(rules, round) / 2);
    });
  }

  private ofMember(
    k: number,
    {
      clock,
      prices,
      thresholds,
    }: { clock: number; prices: readonly PriceRange[]; thresholds: readonly number[] },
  ): number {
    const { rules } = this.market;
    const { rounds } = rules;
    const { round: first, buys, offset } = startAt(rules, clock);
    const { reputation, cost } = this.members[k]!;
    if (reputation === 0) return 0;
    const arrival = this.arrivals[k]!;
    const lowest = prices[k]!.low / reputation / BOUND_FACTOR;
    const firstPrice = arrival <= clock ? this.share(clock, 2, prices, firstBudget(rules, buys) / buys) : -1;
    const offers = [firstPrice, ...thresholds];
    let most = 0;
    for (let round = Math.max(first, arrival - offset); round <= rounds; round++) {
      if (!(offers[round - first]! >= lowest)) continue;
      let [paid, highest] = [0, 0];
      for (let later = round; later <= rounds; later++) {
        highest = Math.max(highest, offers[later - first]!);
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
