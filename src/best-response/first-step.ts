/** The first step at one clock, as it looks to one worker that may say any density ([M3], [M5]). */

import { exceeds, same } from "../lib/tolerance.js";
import type { Rules } from "../market/market.js";
import { firstBudget } from "../mechanisms/online-engine.js";
import type { Sample } from "../mechanisms/sample.js";

const ABSENT = 0x7fffffff;

export class FirstStep {
  size = 0;
  row = new Int32Array(0);
  density = new Float64Array(0);
  reputation = new Float64Array(0);
  /** Place of each row in density order; ABSENT if it has not arrived. */
  rank = new Int32Array(0);

  /** Of the last share: whether the worker itself was taken, and how many others were. */
  won = false;
  others = 0;
  /** ρ* is `starDensity` at the density asked for, and moves with it by `slope` (0 or 1). */
  starDensity = Number.NaN;
  slope = 0;

  private budget = 0;
  private rounds = 0;

  /** Those of the pool who have arrived by then, of a market of so many rows. */
  load(pool: Sample, rules: Rules, clock: number, rows: number): void {
    this.budget = firstBudget(rules);
    this.rounds = rules.rounds;
    this.reserve(rows);
    this.rank.fill(ABSENT, 0, rows);
    let size = 0;
    for (let k = 0; k < pool.size; k++) {
      if (pool.arrival[k]! > clock) continue;
      this.row[size] = pool.row[k]!;
      this.density[size] = pool.density[k]!;
      this.reputation[size] = pool.reputation[k]!;
      this.rank[pool.row[k]!] = size++;
    }
    this.size = size;
  }

  private reserve(rows: number): void {
    if (this.rank.length >= rows) return;
    this.rank = new Int32Array(rows);
    this.row = new Int32Array(rows);
    this.density = new Float64Array(rows);
    this.reputation = new Float64Array(rows);
  }

  /** The share without the worker. */
  without(self: number): void {
    this.share(self, 0, Number.NaN);
  }

  /** The share with the worker saying density x. */
  at(self: number, reputation: number, x: number): void {
    this.share(self, reputation, x);
  }

  /** How many rows of the density order come before the first one not taken. */
  cut(self: number): number {
    return this.others <= this.rank[self]! ? this.others : this.others + 1;
  }

  private share(self: number, selfReputation: number, x: number): void {
    const { size, row, density, reputation, rounds, budget } = this;
    let sum = 0;
    let others = 0;
    let next = Number.NaN;
    let placed = Number.isNaN(x);
    this.won = false;
    this.slope = 0;
    for (let k = 0; k <= size; k++) {
      if (!placed && (k === size || this.precedes(x, self, k))) {
        placed = true;
        if (exceeds(rounds * x * (selfReputation + sum), budget)) {
          next = x;
          this.slope = 1;
          break;
        }
        this.won = true;
        sum += selfReputation;
      }
      if (k === size || row[k] === self) continue;
      if (exceeds(rounds * density[k]! * (reputation[k]! + sum), budget)) {
        next = density[k]!;
        break;
      }
      sum += reputation[k]!;
      others++;
    }
    this.others = others;
    this.setDensity(sum, next);
  }

  private setDensity(sum: number, next: number): void {
    const byBudget = sum > 0 ? this.budget / (this.rounds * sum) : Number.POSITIVE_INFINITY;
    const bySelf = sum > 0 && this.slope === 1 && next < byBudget;
    this.slope = bySelf ? 1 : 0;
    this.starDensity = Number.isNaN(next) ? byBudget : Math.min(next, byBudget);
  }

  /** Whether density x said by `self` stands before place k: smaller, or equal with the smaller id ([M2]). */
  private precedes(x: number, self: number, k: number): boolean {
    const other = this.density[k]!;
    return same(x, other) ? self < this.row[k]! : x < other;
  }
}
