/** What is done with the stretches of a worker's utility as they are found: keep the best, or keep them all. */

import { same } from "../lib/tolerance.js";

/** One stretch of densities (low, high), or a single density where low = high; utility is linear on it. */
export interface Stretch {
  arrival: number;
  low: number;
  high: number;
  /** Utility at density x inside, and its slope there. */
  x: number;
  utility: number;
  slope: number;
  selectedAt: number;
  /** -1 if the task never starts. */
  delay: number;
}

export interface Visitor {
  /** Stretches that cannot reach more than this need not be visited. */
  readonly floor: number;
  visit(stretch: Readonly<Stretch>): void;
}

const at = ({ x, utility, slope }: Readonly<Stretch>, density: number): number =>
  slope === 0 ? utility : utility + slope * (density - x);

/** How good it is to have a best on a stretch: at an open end, on a single density, or anywhere on a level stretch. */
const OPEN_END = 0;
const SINGLE = 1;
const LEVEL = 2;

/** The best stretch so far; `density` is the end of it where the best is. */
export class Best {
  utility = Number.NEGATIVE_INFINITY;
  arrival = 0;
  low = 0;
  high = 0;
  /** A density inside, where the utility was worked out. */
  x = 0;
  density = 0;
  slope = 0;
  delay = 0;
  private footing = LEVEL;

  /** Whether some density brings it. */
  get attained(): boolean {
    return this.footing !== OPEN_END;
  }

  /** Of two that differ by no more than `noise`, the one with the better footing is kept. */
  offer(stretch: Readonly<Stretch>, noise: number): void {
    const { low, high, slope } = stretch;
    const end = slope > 0 ? high : low;
    const utility = at(stretch, end);
    const footing = low === high ? SINGLE : slope === 0 ? LEVEL : OPEN_END;
    if (!(utility > this.utility + (footing > this.footing ? -noise : noise))) return;
    this.footing = footing;
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
export class BestOf implements Visitor {
  readonly joint = new Best();
  readonly price = new Best();
  readonly time = { utility: Number.NEGATIVE_INFINITY, arrival: 0, delay: 0 };

  constructor(
    readonly floor: number,
    private readonly truth: { readonly arrival: number; readonly density: number },
    private readonly noise: number,
  ) {}

  visit(stretch: Readonly<Stretch>): void {
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
