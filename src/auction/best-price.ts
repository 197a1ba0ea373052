/** From where a worker's utility is best to a price that a person can say. */

import { BEYOND_TIE, FROM_BREAKPOINT, NEAR_SUPREMUM } from "../lib/search-tolerances.js";
import { same } from "../lib/tolerance.js";
import type { Worker } from "../market/market.js";
import type { BestLie } from "./response.js";

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
  const step = NEAR_SUPREMUM * Math.min(end || high * reputation, Math.abs(utility) / steepness);
  const hair = Math.min(Math.max(step, BEYOND_TIE * end), ((high - low) * reputation) / 2);
  return slope > 0 ? end - hair : end + hair;
}

/** A tie at 0.6 comes out of a product as 0.6000000000000001: the decimal it was meant to be. */
const decimal = (price: number): number => Number(price.toPrecision(14));

/** The number with the fewest digits well inside (low, high). */
export function simplest(low: number, high: number): number {
  const open = high === Number.POSITIVE_INFINITY;
  const largest = open ? low || 1 : high;
  const margin = Math.min((largest - (open ? 0 : low)) / 4, FROM_BREAKPOINT * largest);
  const place = Math.floor(Math.log10(largest));
  for (let exponent = place; exponent >= place - 16; exponent--) {
    const value = Number(`${Math.ceil((low + margin) / 10 ** exponent)}e${exponent}`);
    if (value >= low + margin && value <= high - margin) return value;
  }
  return low + (high - low) / 2;
}
