/** From the best stretch of densities to a price that a person can say. */

import type { Worker } from "../market/market.js";
import type { BestLie } from "./types.js";
import type { Best } from "./visitors.js";

/** How close a price comes to a supremum that no price attains: in price and in utility. */
const CLOSE = 0.5e-9;
/** Prices nearer than this to an edge, relatively, would count as ties ([M13]). */
const EDGE = 4e-12;

export function priceOf(best: Best, { reputation, cost }: Worker): BestLie {
  const { arrival, utility, attained } = best;
  const [low, high] = [best.low * reputation, best.high * reputation];
  if (low === high) return { price: decimal(low), arrival, utility, attained };
  if (attained)
    return { price: cost > low && cost < high ? cost : simplest(low, high), arrival, utility, attained };
  const step = Math.min(CLOSE, CLOSE / (Math.abs(best.slope) / reputation), (high - low) / 2);
  const hair = Math.max(step, EDGE * best.density * reputation);
  const price = best.slope > 0 ? high - hair : low + hair;
  return { price, arrival, utility, attained };
}

/** A tie at 0.6 comes out of a product as 0.6000000000000001: the decimal it was meant to be. */
const decimal = (price: number): number => Number(price.toPrecision(14));

/** The number with the fewest decimals well inside (low, high). */
export function simplest(low: number, high: number): number {
  if (high === Number.POSITIVE_INFINITY) return Math.ceil(low) + 1;
  const margin = Math.min((high - low) / 4, 1e-9 * high);
  for (let digits = 0; digits <= 15; digits++) {
    const scale = 10 ** digits;
    const value = Math.ceil((low + margin) * scale) / scale;
    if (value >= low + margin && value <= high - margin) return value;
  }
  return low + (high - low) / 2;
}
