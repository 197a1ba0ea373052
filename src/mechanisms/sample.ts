/** Workers in density order, and the proportional share of [M3] over those of them who have arrived. */

import { exceeds, knifeEdge } from "../lib/tolerance.js";
import type { Share } from "./trace.js";

export class Sample {
  size = 0;
  row = new Int32Array(0);
  density = new Float64Array(0);
  reputation = new Float64Array(0);
  arrival = new Int32Array(0);
  /** Of the last share: how many were taken, their Σ Re, and the position of the first not taken (-1: none). */
  taken = 0;
  sum = 0;
  next = -1;

  reserve(n: number): void {
    if (this.row.length >= n) return;
    this.row = new Int32Array(n);
    this.density = new Float64Array(n);
    this.reputation = new Float64Array(n);
    this.arrival = new Int32Array(n);
  }

  push(row: number, density: number, reputation: number, arrival: number): void {
    const at = this.size++;
    this.row[at] = row;
    this.density[at] = density;
    this.reputation[at] = reputation;
    this.arrival[at] = arrival;
  }

  /** Takes workers while s · ρ_i · (Re_i + Σ Re) ≤ β; returns the density that sets, NaN if none ([M3], [M4]). */
  share(clock: number, roundsBought: number, beta: number): number {
    const { size, density, reputation, arrival } = this;
    let sum = 0;
    let taken = 0;
    let next = -1;
    for (let k = 0; k < size; k++) {
      if (arrival[k]! > clock) continue;
      if (exceeds(roundsBought * density[k]! * (reputation[k]! + sum), beta)) {
        next = k;
        break;
      }
      sum += reputation[k]!;
      taken++;
    }
    this.taken = taken;
    this.sum = sum;
    this.next = next;
    return shareDensity(beta, roundsBought * sum, next < 0 ? Number.NaN : density[next]!);
  }

  /** The last share in words, for the trace. */
  describe(clock: number, roundsBought: number, beta: number, id: Float64Array): Share {
    const arrived: number[] = [];
    for (let k = 0; k < this.size; k++) if (this.arrival[k]! <= clock) arrived.push(k);
    const ids = arrived.map((k) => id[this.row[k]!]!);
    const density = shareDensity(
      beta,
      roundsBought * this.sum,
      this.next < 0 ? Number.NaN : this.density[this.next]!,
    );
    return {
      budget: beta,
      roundsBought,
      pool: ids,
      taken: ids.slice(0, this.taken),
      reputation: this.sum,
      byBudget: this.taken > 0 ? beta / (roundsBought * this.sum) : null,
      next: this.describeNext(roundsBought, id),
      density: Number.isNaN(density) ? null : density,
      knifeEdge: this.hangs(arrived, roundsBought, beta),
    };
  }

  private describeNext(roundsBought: number, id: Float64Array): Share["next"] {
    const k = this.next;
    if (k < 0) return null;
    const cost = roundsBought * this.density[k]! * (this.reputation[k]! + this.sum);
    return { worker: id[this.row[k]!]!, density: this.density[k]!, cost };
  }

  /** Whether a taking, the refusal, or the order of the last taken and the first not taken hangs by a thread. */
  private hangs(arrived: readonly number[], roundsBought: number, beta: number): boolean {
    let sum = 0;
    for (const [i, k] of arrived.entries()) {
      if (knifeEdge(roundsBought * this.density[k]! * (this.reputation[k]! + sum), beta)) return true;
      if (k === this.next) return i > 0 && knifeEdge(this.density[arrived[i - 1]!]!, this.density[k]!);
      sum += this.reputation[k]!;
    }
    return false;
  }
}

/** min of β / (s · Σ Re) and the first loser's density; either may be missing. */
function shareDensity(beta: number, weight: number, next: number): number {
  if (weight === 0) return next;
  return Number.isNaN(next) ? beta / weight : Math.min(next, beta / weight);
}
