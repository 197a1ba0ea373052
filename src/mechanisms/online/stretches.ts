/** A worker's utility over its density, stretch by stretch: where it may change, where it is best, and at which price. */

import { same } from "../../lib/tolerance.js";

/** One stretch of densities (low, high), or a single density where low = high; utility is linear on it. */
export interface Stretch {
  arrival: number;
  low: number;
  high: number;
  /** Utility at density x inside, and its slope there. */
  x: number;
  utility: number;
  slope: number;
  /** The round of selection, 0 for never. */
  selectedAt: number;
  /** -1 if the task never starts. */
  delay: number;
}

/** Takes the stretches of a worker's utility as they are found. */
export interface Stretches {
  /** Stretches that cannot reach more than this need not be added. */
  readonly floor: number;
  add(stretch: Readonly<Stretch>): void;
}

const at = ({ x, utility, slope }: Readonly<Stretch>, density: number): number =>
  slope === 0 ? utility : utility + slope * (density - x);

/** How robust a best is: at an open end, on a single density, or anywhere on a level stretch. */
const OPEN_END = 0;
const SINGLE = 1;
const LEVEL = 2;

/** The best stretch so far; `density` is the end of it where the best is. */
export class BestSoFar {
  utility = Number.NEGATIVE_INFINITY;
  arrival = 0;
  low = 0;
  high = 0;
  /** A density inside, where the utility was worked out. */
  x = 0;
  density = 0;
  slope = 0;
  delay = 0;
  private robustness = LEVEL;

  /** Whether some density brings it. */
  get attained(): boolean {
    return this.robustness !== OPEN_END;
  }

  /** Of two that differ by no more than `noise`, the more robust is kept. */
  offer(stretch: Readonly<Stretch>, noise: number): void {
    const { low, high, slope } = stretch;
    const end = slope > 0 ? high : low;
    const utility = at(stretch, end);
    const robustness = low === high ? SINGLE : slope === 0 ? LEVEL : OPEN_END;
    if (!(utility > this.utility + (robustness > this.robustness ? -noise : noise))) return;
    this.robustness = robustness;
    this.utility = utility;
    this.arrival = stretch.arrival;
    this.low = low;
    this.high = high;
    this.x = stretch.x;
    this.density = end;
    this.slope = slope;
    this.delay = stretch.delay;
  }
}

/** Keeps the best of all stretches, of those at the true arrival, and of those at the true density. */
export class BestOf implements Stretches {
  readonly joint = new BestSoFar();
  readonly price = new BestSoFar();
  readonly time = { utility: Number.NEGATIVE_INFINITY, arrival: 0, delay: 0 };

  constructor(
    readonly floor: number,
    private readonly truth: { readonly arrival: number; readonly density: number },
    private readonly noise: number,
  ) {}

  add(stretch: Readonly<Stretch>): void {
    this.joint.offer(stretch, this.noise);
    if (stretch.arrival === this.truth.arrival) this.price.offer(stretch, this.noise);
    const { low, high, arrival, delay } = stretch;
    const { density } = this.truth;
    const inside = low === high ? same(low, density) : beyond(low, density) && beyond(density, high);
    if (!inside) return;
    const utility = at(stretch, density);
    if (utility > this.time.utility) Object.assign(this.time, { utility, arrival, delay });
  }
}

const beyond = (a: number, b: number): boolean => a < b && !same(a, b);

/** A density, or the open stretch (low, high) with x inside. */
export interface DensitySpan {
  low: number;
  high: number;
  x: number;
}

/** Up to this many, insertion is the fastest. */
const FEW = 40;

/** The densities at which anything can change for a worker, in one array that is filled again and again. */
export class Breakpoints {
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

  /** Each breakpoint as a single density, and after each the open span up to the next; the last is open-ended. */
  get spans(): number {
    return 2 * this.size;
  }

  take(k: number, into: DensitySpan): void {
    const at = k >> 1;
    const low = this.values[at]!;
    into.low = low;
    into.high = k % 2 === 0 ? low : at + 1 < this.size ? this.values[at + 1]! : Number.POSITIVE_INFINITY;
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
