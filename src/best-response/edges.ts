/** The densities at which anything can change for a worker, in one array that is filled again and again. */

import { same } from "../lib/tolerance.js";

/** A density, or the open stretch (low, high) with x inside. */
export interface Span {
  low: number;
  high: number;
  x: number;
}

/** Up to so many, insertion is the fastest. */
const FEW = 40;

export class Edges {
  private size = 0;
  private values = new Float64Array(64);

  /** Prices begin at 0. */
  begin(): void {
    this.size = 0;
    this.add(0);
  }

  add(density: number): void {
    if (this.size === this.values.length) {
      const values = new Float64Array(2 * this.size);
      values.set(this.values);
      this.values = values;
    }
    this.values[this.size++] = density;
  }

  /** In order, and of those that count as equal only the first. */
  settle(): void {
    if (this.size <= FEW) insertionSort(this.values, this.size);
    else this.values.subarray(0, this.size).sort();
    const { values } = this;
    let kept = 0;
    for (let k = 0; k < this.size; k++)
      if (kept === 0 || !same(values[kept - 1]!, values[k]!)) values[kept++] = values[k]!;
    this.size = kept;
  }

  /** Each edge as a single density, and after each the open span up to the next; the last is open-ended. */
  get spans(): number {
    return 2 * this.size;
  }

  take(k: number, into: Span): void {
    const edge = k >> 1;
    const low = this.values[edge]!;
    into.low = low;
    into.high = k % 2 === 0 ? low : edge + 1 < this.size ? this.values[edge + 1]! : Number.POSITIVE_INFINITY;
    into.x = into.high === Number.POSITIVE_INFINITY ? 2 * low || 1 : low + (into.high - low) / 2;
  }
}

function insertionSort(values: Float64Array, size: number): void {
  for (let i = 1; i < size; i++) {
    const value = values[i]!;
    let j = i - 1;
    for (; j >= 0 && values[j]! > value; j--) values[j + 1] = values[j]!;
    values[j + 1] = value;
  }
}
