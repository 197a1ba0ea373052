/**
 * What a worker gets on average over drawn sets of the others, at every price and every arrival it may claim. On each
 * draw its payment is piecewise linear in its price and its rounds are steps; so are their means, whose breakpoints are
 * those of all draws together. Neither depends on the worker's cost, so one landscape answers for all costs.
 *
 * Typed arrays, for there are many breakpoints: each is kept as what it adds to the sum on either side of it, and one
 * pass from left to right gives the means. A property test holds it to the plain mean of the pieces of every draw.
 */

import { type BestStretch, priceOf, simplest } from "../auction/best-price.js";
import { type BestLie, pricesBeyond } from "../auction/response.js";
import type { Expected, PaymentLine, TellPayment } from "../auction/solver.js";
import { Argsort } from "../lib/argsort.js";
import { negligible, same } from "../lib/tolerance.js";
import type { Worker } from "../market/market.js";

const NOTHING: PaymentLine = { payment: 0, slope: 0, rounds: 0 };

/** Columns of one length that grow together. */
class GrowingColumns<Name extends string> {
  size = 0;
  private readonly names: readonly Name[];
  readonly of: Record<Name, Float64Array>;

  constructor(...names: Name[]) {
    this.names = names;
    this.of = Object.fromEntries(names.map((name) => [name, new Float64Array(256)])) as typeof this.of;
  }

  /** The place of one more row. */
  next(): number {
    if (this.size === this.of[this.names[0]!].length)
      for (const name of this.names) {
        const longer = new Float64Array(2 * this.size);
        longer.set(this.of[name]);
        this.of[name] = longer;
      }
    return this.size++;
  }
}

/** All draws' curves at one claimed arrival. */
class Curves {
  /** What each breakpoint of each draw adds: at its price alone, and from there on. */
  private readonly jumps = new GrowingColumns(
    "price",
    "payment",
    "rounds",
    "paymentOn",
    "slopeOn",
    "roundsOn",
    "draw",
  );
  /** Where the curve that is being added stands: the line from `from` on. */
  private line = NOTHING;
  private from = 0;
  private order = new Int32Array(0);

  begin(): void {
    this.line = NOTHING;
    this.from = 0;
  }

  /** The next breakpoint of a draw: what it gives at that very price, and on the line that begins there. */
  add(draw: number, price: number, at: Expected, on: PaymentLine): void {
    const { payment, slope, rounds } = this.line;
    const before = slope === 0 ? payment : payment + slope * (price - this.from);
    this.line = on;
    this.from = price;
    const goesOn = at.payment === before && on.payment === before && on.slope === slope;
    if (goesOn && at.rounds === rounds && on.rounds === rounds) return;
    const { of } = this.jumps;
    const k = this.jumps.next();
    of.price[k] = price;
    of.payment[k] = at.payment - before;
    of.rounds[k] = at.rounds - rounds;
    of.paymentOn[k] = on.payment - before;
    of.slopeOn[k] = on.slope - slope;
    of.roundsOn[k] = on.rounds - rounds;
    of.draw[k] = draw;
  }

  sort(argsort: Argsort): void {
    this.order = new Int32Array(this.jumps.size);
    argsort.sort(this.jumps.of.price, this.jumps.size, this.order);
  }

  /** Weighted sums over the draws, breakpoint by breakpoint; prices that count as equal ([M13]) are one. */
  sum(weights: Float64Array, into: MeanCurve): void {
    const { order } = this;
    const { price, payment, rounds, paymentOn, slopeOn, roundsOn, draw } = this.jumps.of;
    let [value, slope, count, last] = [0, 0, 0, 0];
    /** How many draws are on a slope: where none is, rounding must not leave one. */
    const slopes = new Map<number, number>();
    into.clear();
    if (order.length === 0 || price[order[0]!]! > 0) into.push(0, NOTHING, NOTHING);
    for (let k = 0; k < order.length; ) {
      const here = price[order[k]!]!;
      value += slope * (here - last);
      let [atPayment, atRounds, moreValue, moreSlope, moreCount] = [value, count, 0, 0, 0];
      for (; k < order.length && same(here, price[order[k]!]!); k++) {
        const j = order[k]!;
        const weight = weights[draw[j]!]!;
        atPayment += weight * payment[j]!;
        atRounds += weight * rounds[j]!;
        moreValue += weight * paymentOn[j]!;
        moreCount += weight * roundsOn[j]!;
        if (slopeOn[j] !== 0) moreSlope += track(slopes, draw[j]!, slopeOn[j]!) * weight;
      }
      value += moreValue;
      count += moreCount;
      slope = slopes.size === 0 ? 0 : slope + moreSlope;
      last = here;
      into.push(here, { payment: atPayment, rounds: atRounds }, { payment: value, slope, rounds: count });
    }
  }

  /** The same for utilities at a cost, laid out for many passes with other weights. */
  utilities(cost: number, draws: number): Utilities {
    const { order } = this;
    const { price, payment, rounds, paymentOn, slopeOn, roundsOn, draw } = this.jumps.of;
    const column = (value: (j: number) => number) => Float64Array.from(order, value);
    const prices: number[] = [];
    const first: number[] = [];
    for (const [k, j] of order.entries())
      if (k === 0 || !same(prices.at(-1)!, price[j]!)) {
        prices.push(price[j]!);
        first.push(k);
      }
    const mean = new MeanCurve();
    this.sum(new Float64Array(draws).fill(1 / draws), mean);
    return {
      draw: Int32Array.from(order, (j) => draw[j]!),
      at: column((j) => payment[j]! - cost * rounds[j]!),
      on: column((j) => paymentOn[j]! - cost * roundsOn[j]!),
      slopeOn: column((j) => slopeOn[j]!),
      first: Int32Array.from([...first, order.length]),
      price: Float64Array.from(prices),
      mean: mean.utilities(cost, prices.length),
    };
  }
}

/** Notes that a draw's slope changes, and forgets it where it is level again. */
function track(slopes: Map<number, number>, draw: number, change: number): number {
  const slope = (slopes.get(draw) ?? 0) + change;
  if (Math.abs(slope) <= negligible(Math.abs(change))) slopes.delete(draw);
  else slopes.set(draw, slope);
  return change;
}

/** How robust a best is: at an open end, at a single price, or anywhere on a level stretch. */
const OPEN_END = 0;
const SINGLE = 1;
const LEVEL = 2;

/** A weighted mean of the curves at one claimed arrival. */
class MeanCurve {
  private readonly rows = new GrowingColumns(
    "price",
    "payment",
    "rounds",
    "paymentOn",
    "slopeOn",
    "roundsOn",
  );

  clear(): void {
    this.rows.size = 0;
  }

  push(price: number, at: Expected, on: PaymentLine): void {
    const { of } = this.rows;
    const k = this.rows.next();
    of.price[k] = price;
    of.payment[k] = at.payment;
    of.rounds[k] = at.rounds;
    of.paymentOn[k] = on.payment;
    of.slopeOn[k] = on.slope;
    of.roundsOn[k] = on.rounds;
  }

  get prices(): readonly number[] {
    return [...this.rows.of.price.subarray(0, this.rows.size)];
  }

  at(asked: number): Expected {
    const { price, payment, rounds, paymentOn, slopeOn, roundsOn } = this.rows.of;
    let [low, high] = [0, this.rows.size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (price[middle]! <= asked || same(price[middle]!, asked)) low = middle + 1;
      else high = middle;
    }
    const k = low - 1;
    if (same(price[k]!, asked)) return { payment: payment[k]!, rounds: rounds[k]! };
    return { payment: paymentOn[k]! + slopeOn[k]! * (asked - price[k]!), rounds: roundsOn[k]! };
  }

  /** Those of the last `count` breakpoints, which leaves out a first one at which nothing happens. */
  utilities(cost: number, count: number): Utilities["mean"] {
    const { price, payment, rounds, paymentOn, slopeOn, roundsOn } = this.rows.of;
    const skipped = this.rows.size - count;
    const column = (value: (k: number) => number) =>
      Float64Array.from({ length: count }, (_, k) => value(k + skipped));
    const on = (k: number) => paymentOn[k]! - cost * roundsOn[k]!;
    const length = (k: number) => (k + 1 < this.rows.size ? price[k + 1]! - price[k]! : 0);
    return {
      at: column((k) => payment[k]! - cost * rounds[k]!),
      on: column(on),
      end: column((k) => on(k) + slopeOn[k]! * length(k)),
    };
  }

  /** The largest of payment − cost · rounds over all prices, limits at open ends included. */
  highest(cost: number): number {
    const { price, payment, rounds, paymentOn, slopeOn, roundsOn } = this.rows.of;
    let best = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < this.rows.size; k++) {
      const on = paymentOn[k]! - cost * roundsOn[k]!;
      const at = payment[k]! - cost * rounds[k]!;
      if (at > best) best = at;
      if (on > best) best = on;
      if (slopeOn[k]! > 0) {
        if (k + 1 === this.rows.size) return Number.POSITIVE_INFINITY;
        const end = on + slopeOn[k]! * (price[k + 1]! - price[k]!);
        if (end > best) best = end;
      }
    }
    return best;
  }

  /** Where that is; of places that differ by no more than the noise, the most robust. */
  peak(cost: number, arrival: number, noise: number): BestStretch {
    const { price, payment, rounds, paymentOn, slopeOn, roundsOn } = this.rows.of;
    const top = this.highest(cost) - noise;
    let found: BestStretch | null = null;
    let robustness = -1;
    const offer = (
      utility: number,
      kind: number,
      ends: Pick<BestStretch, "low" | "high" | "density" | "slope">,
    ) => {
      if (utility < top || kind <= robustness) return;
      const { low, high } = ends;
      const x = high === Number.POSITIVE_INFINITY ? 2 * low || 1 : low + (high - low) / 2;
      robustness = kind;
      found = { arrival, utility, attained: kind !== OPEN_END, x, ...ends };
    };
    for (let k = 0; k < this.rows.size; k++) {
      const low = price[k]!;
      const high = k + 1 < this.rows.size ? price[k + 1]! : Number.POSITIVE_INFINITY;
      const slope = slopeOn[k]!;
      const on = paymentOn[k]! - cost * roundsOn[k]!;
      offer(payment[k]! - cost * rounds[k]!, SINGLE, { low, high: low, density: low, slope: 0 });
      if (slope === 0) offer(on, LEVEL, { low, high, density: low, slope });
      else if (slope < 0) offer(on, OPEN_END, { low, high, density: low, slope });
      else offer(on + slope * (high - low), OPEN_END, { low, high, density: high, slope });
    }
    return found!;
  }
}

/** Utilities at one claimed arrival: what each breakpoint of each draw adds to them, by increasing price. */
interface Utilities {
  readonly draw: Int32Array;
  readonly at: Float64Array;
  readonly on: Float64Array;
  readonly slopeOn: Float64Array;
  /** By breakpoint of the mean: its first row above, one more than all in the end; its price. */
  readonly first: Int32Array;
  readonly price: Float64Array;
  /** The mean over the draws at the breakpoint, just above it, and at the end of the stretch that begins there. */
  readonly mean: Record<"at" | "on" | "end", Float64Array>;
}

/**
 * The utilities of all bids as an empirical process. With weights that add up to 0, the supremum of the weighted sum over
 * all bids tells how far means over so many draws may stray from what they estimate, at all prices at once.
 */
export class Process {
  constructor(private readonly arrivals: readonly Utilities[]) {}

  /** The largest Σ weight · utility over all bids whose mean utility is at least `least`, or may be on their stretch. */
  supremum(weights: Float64Array, least = Number.NEGATIVE_INFINITY): number {
    let best = Number.NEGATIVE_INFINITY;
    for (const { draw, at, on, slopeOn, first, price, mean } of this.arrivals) {
      let [value, slope] = [0, 0];
      // Below the first breakpoint of all, nobody gets anything on any draw.
      if (price[0] !== 0 && least <= 0) best = Math.max(best, 0);
      for (let k = 0; k < price.length; k++) {
        let [here, rise] = [value, 0];
        for (let j = first[k]!; j < first[k + 1]!; j++) {
          const weight = weights[draw[j]!]!;
          here += weight * at[j]!;
          value += weight * on[j]!;
          rise += weight * slopeOn[j]!;
        }
        slope += rise;
        if (here > best && mean.at[k]! >= least) best = here;
        const counts = mean.on[k]! >= least || mean.end[k]! >= least;
        if (value > best && counts) best = value;
        if (k + 1 === price.length) break;
        value += slope * (price[k + 1]! - price[k]!);
        if (value > best && counts) best = value;
      }
    }
    return best;
  }
}

/** What a type is, where the reputation is known. */
type PrivateType = Pick<Worker, "cost" | "arrival">;

interface ExpectedLie extends BestLie {
  /** What it gains on the draws it was chosen on, where it seems better than it is; 0 for the truth, Infinity without bound. */
  readonly gain: number;
}

/** Filled draw by draw, settled once, and asked then. */
export class Landscape {
  private readonly curves: readonly Curves[];
  private readonly means: readonly MeanCurve[];
  private draws = 0;

  /** For a market of so many rounds, where amounts are as large as the budget. */
  constructor(
    readonly rounds: number,
    private readonly budget: number,
  ) {
    this.curves = Array.from({ length: rounds }, () => new Curves());
    this.means = this.curves.map(() => new MeanCurve());
  }

  /** The curve of one more draw at one arrival; `add` then tells its breakpoints by increasing price, the first at 0. */
  begin(draw: number, arrival: number): TellPayment {
    this.draws = Math.max(this.draws, draw + 1);
    const curves = this.curves[arrival - 1]!;
    curves.begin();
    return (price, at, on) => curves.add(draw, price, at, on);
  }

  /** All draws are told: works out the means. */
  settle(): this {
    const argsort = new Argsort();
    const even = new Float64Array(this.draws).fill(1 / this.draws);
    for (const [k, curves] of this.curves.entries()) {
      curves.sort(argsort);
      curves.sum(even, this.means[k]!);
    }
    return this;
  }

  /** What a bid brings on average. */
  at({ price, arrival }: { readonly price: number; readonly arrival: number }): Expected {
    return this.means[arrival - 1]!.at(price);
  }

  /** What a bid is worth to somebody of this cost. */
  utility(cost: number, bid: { readonly price: number; readonly arrival: number }): number {
    const { payment, rounds } = this.at(bid);
    return payment - cost * rounds;
  }

  /** The prices at which anything changes at an arrival. */
  breakpoints(arrival: number): readonly number[] {
    return this.means[arrival - 1]!.prices;
  }

  /** The best bid of a type on these draws: over all prices and all arrivals from the true one on. */
  best({ cost, arrival }: PrivateType): ExpectedLie {
    const noise = negligible(Math.max(this.budget, cost * this.rounds));
    const truthful = this.utility(cost, { price: cost, arrival });
    let peak = this.means[arrival - 1]!.peak(cost, arrival, noise);
    for (let late = arrival + 1; late <= this.rounds; late++) {
      const mean = this.means[late - 1]!;
      if (mean.highest(cost) > peak.utility + noise) peak = mean.peak(cost, late, noise);
    }
    const gain = peak.utility - truthful;
    if (gain === Number.POSITIVE_INFINITY) return this.withoutBound(peak, { cost, arrival });
    if (gain <= noise) return { price: cost, arrival, utility: truthful, attained: true, gain: 0 };
    return { ...priceOf(peak, { cost, reputation: 1 }), gain };
  }

  /** A bid on the stretch that rises without bound, which gains more than the budget. */
  private withoutBound({ arrival, x, slope }: BestStretch, type: PrivateType): ExpectedLie {
    const { cost } = type;
    const utilityFrom = this.utility(cost, { price: x, arrival });
    const truthful = this.utility(cost, { price: cost, arrival: type.arrival });
    const price = simplest(...pricesBeyond({ from: x, utilityFrom, slope }, truthful, this.budget));
    const utility = this.utility(cost, { price, arrival });
    return { price, arrival, utility, attained: false, gain: Number.POSITIVE_INFINITY };
  }

  /** The utilities of all bids of a type as a process over the draws. */
  process(type: PrivateType): Process {
    const late = this.curves.slice(type.arrival - 1);
    return new Process(late.map((curves) => curves.utilities(type.cost, this.draws)));
  }
}
