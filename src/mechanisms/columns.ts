/** Bids as typed columns in the order of ids: what the engine reads. */

import type { Bidder } from "../market.js";

export interface Columns {
  readonly size: number;
  readonly id: Float64Array;
  readonly reputation: Float64Array;
  readonly price: Float64Array;
  readonly arrival: Int32Array;
  /** The group, id mod 2. */
  readonly odd: Uint8Array;
}

/** Rows follow ids, whatever the order of the input ([M2]). */
export function columnsOf(bids: readonly Bidder[]): Columns {
  const sorted = [...bids].sort((a, b) => a.id - b.id);
  return {
    size: sorted.length,
    id: Float64Array.from(sorted, (bid) => bid.id),
    reputation: Float64Array.from(sorted, (bid) => bid.reputation),
    price: Float64Array.from(sorted, (bid) => bid.price),
    arrival: Int32Array.from(sorted, (bid) => bid.arrival),
    odd: Uint8Array.from(sorted, (bid) => bid.id % 2),
  };
}
