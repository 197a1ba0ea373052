/**
 * Sorts positions by a key ≥ 0, stable and without allocation. A counting pass over the leading bits of the keys puts
 * each within a few places of its own, and one insertion pass ends it; keys that crowd together are merge-sorted.
 */

import { same } from "./tolerance.js";

/** More keys than this in one bucket make the insertion pass slow. */
const CROWD = 64;
const RUN = 12;

export class Argsort {
  private capacity = 0;
  private keys: [Float64Array, Float64Array] = [new Float64Array(0), new Float64Array(0)];
  private positions: [Int32Array, Int32Array] = [new Int32Array(0), new Int32Array(0)];
  /** The keys' bits, two words each. */
  private words = new Uint32Array(0);
  private bucket = new Int32Array(0);
  private count = new Int32Array(0);

  reserve(n: number): void {
    if (this.capacity >= n) return;
    this.capacity = n;
    this.keys = [new Float64Array(n), new Float64Array(n)];
    this.positions = [new Int32Array(n), new Int32Array(n)];
    this.words = new Uint32Array(this.keys[0].buffer as ArrayBuffer);
    this.bucket = new Int32Array(n);
    this.count = new Int32Array(2 * n + 1);
  }

  /**
   * Orders the positions 0..n-1 of `key` by increasing key into `order`. Keys that count as equal ([M13])
   * keep the order of their positions, so positions in the order of ids break ties as [M2] says.
   */
  sort(key: Float64Array, n: number, order: Int32Array): void {
    this.reserve(n);
    const [keys] = this.keys;
    for (let i = 0; i < n; i++) keys[i] = key[i]!;
    const side = n > 2 * RUN && this.scatter(n) ? 1 : this.mergeSort(n);
    mendTies(this.keys[side]!, this.positions[side]!, n);
    const sorted = this.positions[side]!;
    for (let i = 0; i < n; i++) order[i] = sorted[i]!;
  }

  /** Counting sort into 2n buckets by leading bits, then insertion; false if a bucket is crowded. */
  private scatter(n: number): boolean {
    const { words, bucket, count } = this;
    const [keys, toKeys] = this.keys;
    const toPositions = this.positions[1];
    let low = 0xffffffff;
    let high = 0;
    for (let i = 0; i < n; i++) {
      const word = words[2 * i + 1]!;
      if (word < low) low = word;
      if (word > high) high = word;
    }
    const scale = (2 * n - 1) / (high - low + 1);
    count.fill(0, 0, 2 * n + 1);
    for (let i = 0; i < n; i++) {
      const b = ((words[2 * i + 1]! - low) * scale) | 0;
      bucket[i] = b;
      count[b + 1]!++;
    }
    for (let b = 1; b <= 2 * n; b++) {
      if (count[b]! > CROWD) return false;
      count[b]! += count[b - 1]!;
    }
    for (let i = 0; i < n; i++) {
      const to = count[bucket[i]!]!++;
      toKeys[to] = keys[i]!;
      toPositions[to] = i;
    }
    insertionSort(toKeys, toPositions, 0, n);
    return true;
  }

  /** Insertion runs, then bottom-up merges; returns the side the result is on. */
  private mergeSort(n: number): 0 | 1 {
    for (let i = 0; i < n; i++) this.positions[0][i] = i;
    for (let start = 0; start < n; start += RUN)
      insertionSort(this.keys[0], this.positions[0], start, Math.min(start + RUN, n));
    let from: 0 | 1 = 0;
    for (let width = RUN; width < n; width *= 2) {
      const to: 0 | 1 = from === 0 ? 1 : 0;
      for (let start = 0; start < n; start += 2 * width) this.merge(from, to, start, width, n);
      from = to;
    }
    return from;
  }

  private merge(from: 0 | 1, to: 0 | 1, start: number, width: number, n: number): void {
    const [keys, toKeys] = [this.keys[from], this.keys[to]];
    const [positions, toPositions] = [this.positions[from], this.positions[to]];
    const middle = Math.min(start + width, n);
    const end = Math.min(middle + width, n);
    let left = start;
    let right = middle;
    for (let k = start; k < end; k++) {
      const takeLeft = left < middle && (right >= end || keys[left]! <= keys[right]!);
      const source = takeLeft ? left++ : right++;
      toKeys[k] = keys[source]!;
      toPositions[k] = positions[source]!;
    }
  }
}

function insertionSort(keys: Float64Array, positions: Int32Array, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const key = keys[i]!;
    if (keys[i - 1]! <= key) continue;
    const position = positions[i]!;
    let j = i - 1;
    while (j >= start && keys[j]! > key) {
      keys[j + 1] = keys[j]!;
      positions[j + 1] = positions[j]!;
      j--;
    }
    keys[j + 1] = key;
    positions[j + 1] = position;
  }
}

/** Runs of neighbours that count as equal without being identical go back to the order of positions. */
function mendTies(keys: Float64Array, positions: Int32Array, n: number): void {
  for (let start = 0; start < n - 1; start++) {
    if (keys[start] === keys[start + 1] || !same(keys[start]!, keys[start + 1]!)) continue;
    let first = start;
    while (first > 0 && same(keys[first - 1]!, keys[first]!)) first--;
    let end = start + 1;
    while (end < n && same(keys[end - 1]!, keys[end]!)) end++;
    positions.subarray(first, end).sort();
    start = end - 1;
  }
}
