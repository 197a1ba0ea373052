/** A worker's utility over its density, stretch by stretch: where it may change, where it is best, and at which price. */

import { EQUAL, same } from "../lib/tolerance.js";
import type { Worker } from "../market/market.js";
import type { BestLie } from "./response.js";

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

/** How close a price comes to a supremum that no price attains, in price and in utility, relatively. */
const CLOSE = 0.5e-9;
/** Prices nearer than this to a breakpoint, relatively, would count as ties ([M13]). */
const TIE = 1.5 * (EQUAL - 1);
/** A price chosen for its few digits stays so far away from breakpoints, relatively, that no comparison is a knife edge. */
const MARGIN = 1e-9;

/** Where the best is, in densities: a single one, a level stretch, or an open end of one that is not level. */
export interface BestStretch {
  readonly arrival: number;
  readonly utility: number;
  /** Whether some density brings it. */
  readonly attained: boolean;
  readonly low: number;
  readonly high: number;
  /** A density inside. */
  readonly x: number;
  /** The end at which the best is. */
  readonly density: number;
  readonly slope: number;
}

/** A price on the best stretch that, bid, brings what the stretch promises. */
export function priceOf(
  best: BestStretch,
  { reputation, cost }: Pick<Worker, "reputation" | "cost">,
): BestLie {
  const { arrival, utility, attained } = best;
  const price = attained ? levelPrice(best, reputation, cost) : endPrice(best, reputation);
  return { price, arrival, utility, attained };
}

function levelPrice({ low, high, x }: BestStretch, reputation: number, cost: number): number {
  if (low === high) return decimal(low * reputation);
  if (within(low, cost / reputation, high)) return cost;
  const price = simplest(low * reputation, high * reputation);
  return within(low, price / reputation, high) ? price : x * reputation;
}

/** Whether a density lies between two others and ties with neither: 0.9 / 3 is not above 0.3. */
const within = (low: number, density: number, high: number): boolean =>
  density > low && density < high && !same(density, low) && !same(density, high);

/** Near the open end where the best is, and beyond what counts as a tie with it. */
function endPrice({ low, high, density, slope, utility }: BestStretch, reputation: number): number {
  const end = density * reputation;
  const steepness = Math.abs(slope) / reputation;
  const step = CLOSE * Math.min(end || high * reputation, Math.abs(utility) / steepness);
  const hair = Math.min(Math.max(step, TIE * end), ((high - low) * reputation) / 2);
  return slope > 0 ? end - hair : end + hair;
}

/** A tie at 0.6 comes out of a product as 0.6000000000000001: the decimal it was meant to be. */
const decimal = (price: number): number => Number(price.toPrecision(14));

/** The number with the fewest digits well inside (low, high). */
export function simplest(low: number, high: number): number {
  const open = high === Number.POSITIVE_INFINITY;
  const largest = open ? low || 1 : high;
  const margin = Math.min((largest - (open ? 0 : low)) / 4, MARGIN * largest);
  const place = Math.floor(Math.log10(largest));
  for (let exponent = place; exponent >= place - 16; exponent--) {
    const value = Number(`${Math.ceil((low + margin) / 10 ** exponent)}e${exponent}`);
    if (value >= low + margin && value <= high - margin) return value;
  }
  return low + (high - low) / 2;
}
