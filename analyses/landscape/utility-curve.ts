/** A worker's utility over its price, for each arrival, as segments that a chart can draw. */

import { type Piece, pieces } from "../../src/best-response/index.js";
import { Deviation } from "../../src/best-response/search.js";
import { negligible } from "../../src/lib/tolerance.js";
import type { Bid, Market } from "../../src/market/market.js";
import { workerOf } from "../../src/market/market.js";
import type { AnyMechanism } from "../../src/mechanisms/mechanism.js";

/** From (price, utility) straight to (price2, utility2); a single price where they are the same. */
export interface Segment {
  readonly arrival: number;
  readonly price: number;
  readonly price2: number;
  readonly utility: number;
  readonly utility2: number;
}

export interface UtilityCurve {
  /** Whether segments are exact pieces; else they join samples. */
  readonly exact: boolean;
  readonly segments: readonly Segment[];
}

export interface CurveOptions {
  readonly mechanism: AnyMechanism;
  /** Besides the truth, a bid to keep in sight. */
  readonly lie: Bid;
  /** Prices tried for each arrival where no exact pieces are known. */
  readonly samples: number;
}

export function utilityCurve(market: Market, worker: number, options: CurveOptions): UtilityCurve {
  const known = pieces(market, worker, options.mechanism);
  const inSight = Math.max(workerOf(market, worker).cost, options.lie.price);
  if (!known) return sampled(market, worker, 3 * inSight, options);
  const top = 1.1 * Math.max(inSight, Math.min(3 * inSight, lastChange(known)));
  const segments = known.filter(({ from }) => from < top).map((piece) => cut(piece, top));
  return { exact: true, segments: joined(segments, negligible(market.rules.budget)) };
}

/** The price beyond which nothing changes, at any arrival. */
const lastChange = (known: readonly Piece[]): number =>
  Math.max(0, ...known.filter(({ to }) => to === Number.POSITIVE_INFINITY).map(({ from }) => from));

function cut({ arrival, from, to, utilityFrom, utilityTo }: Piece, top: number): Segment {
  const price2 = Math.min(to, top);
  const level = utilityFrom === utilityTo || to === Number.POSITIVE_INFINITY;
  const rise = level ? 0 : (utilityTo - utilityFrom) / (to - from);
  return {
    arrival,
    price: from,
    price2,
    utility: utilityFrom,
    utility2: utilityFrom + rise * (price2 - from),
  };
}

/** Level neighbours at one height in one: they differ in how they come about, not in what they bring. */
function joined(segments: readonly Segment[], noise: number): Segment[] {
  const result: Segment[] = [];
  for (const segment of segments) {
    const last = result.at(-1);
    const heights = last ? [last.utility, last.utility2, segment.utility, segment.utility2] : [];
    const level = Math.max(...heights) - Math.min(...heights) <= noise;
    if (last && level && last.arrival === segment.arrival && last.price2 === segment.price)
      result[result.length - 1] = { ...last, price2: segment.price2 };
    else result.push(segment);
  }
  return result;
}

/** How much there is to see: the number of different heights above zero. */
export function heightsIn({ segments }: UtilityCurve): number {
  const highest = Math.max(0, ...segments.map(({ utility }) => utility));
  const above = segments.filter(({ utility }) => utility > negligible(highest));
  return new Set(above.map(({ utility }) => utility.toPrecision(6))).size;
}

/** Level steps around prices spread evenly: what lies between two of them is not known. */
function sampled(
  market: Market,
  id: number,
  top: number,
  { mechanism, samples }: CurveOptions,
): UtilityCurve {
  const deviation = new Deviation(mechanism, market, workerOf(market, id));
  const segments = deviation.arrivals.flatMap((arrival) =>
    Array.from({ length: samples }, (_, k): Segment => {
      const [price, price2] = [(k * top) / samples, ((k + 1) * top) / samples];
      const utility = deviation.utility((price + price2) / 2, arrival);
      return { arrival, price, price2, utility, utility2: utility };
    }),
  );
  return { exact: false, segments };
}
