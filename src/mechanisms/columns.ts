/** Bids as typed columns in the order of ids: what the engine reads. */

import type { Bidder } from "../market/market.js";

export interface Columns {
  readonly size: number;
  readonly id: Float64Array;
  readonly reputation: Float64Array;
  readonly price: Float64Array;
  readonly arrival: Int32Array;
  /** The group, id mod 2. */
  readonly odd: Uint8Array;
}

export const columnsOf = (bids: readonly Bidder[]): Columns => new ColumnBook().fill(bids);

/** Columns that are filled again and again: nothing is allocated between markets of a size. */
export class ColumnBook implements Columns {
  size = 0;
  id = new Float64Array(0);
  reputation = new Float64Array(0);
  price = new Float64Array(0);
  arrival = new Int32Array(0);
  odd = new Uint8Array(0);

  /** Rows follow ids, whatever the order of the input ([M2]). */
  fill(bids: readonly Bidder[]): this {
    const rows = byId(bids);
    this.reserve(rows.length);
    this.size = rows.length;
    for (let row = 0; row < rows.length; row++) {
      const { id, reputation, price, arrival } = rows[row]!;
      this.id[row] = id;
      this.reputation[row] = reputation;
      this.price[row] = price;
      this.arrival[row] = arrival;
      this.odd[row] = id % 2;
    }
    return this;
  }

  private reserve(n: number): void {
    if (this.id.length >= n) return;
    this.id = new Float64Array(n);
    this.reputation = new Float64Array(n);
    this.price = new Float64Array(n);
    this.arrival = new Int32Array(n);
    this.odd = new Uint8Array(n);
  }
}

/** In the order of ids; the list itself where it is. */
export function byId<Item extends { readonly id: number }>(items: readonly Item[]): readonly Item[] {
  for (let k = 1; k < items.length; k++)
    if (items[k]!.id < items[k - 1]!.id) return [...items].sort((a, b) => a.id - b.id);
  return items;
}
