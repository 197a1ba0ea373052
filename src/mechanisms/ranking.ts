/** Orders of workers: rows of the columns by a key, ties by the smaller id ([M2], [M13]), without Re = 0 ([M1]). */

import { Argsort } from "../lib/argsort.js";
import type { Columns } from "./columns.js";
import { Sample } from "./sample.js";

const argsort = new Argsort();

/** Rows with Re > 0 by increasing key. */
export function ranked({ size, reputation }: Columns, key: (row: number) => number): Int32Array {
  const rows: number[] = [];
  for (let row = 0; row < size; row++) if (reputation[row]! > 0) rows.push(row);
  const order = new Int32Array(rows.length);
  argsort.sort(Float64Array.from(rows, key), rows.length, order);
  return order.map((position) => rows[position]!);
}

export const densityOf = ({ price, reputation }: Columns, row: number): number =>
  price[row]! / reputation[row]!;

export const byDensity = (columns: Columns): Int32Array => ranked(columns, (row) => densityOf(columns, row));

/** Decreasing reputation. */
export const byReputation = (columns: Columns): Int32Array =>
  ranked(columns, (row) => 1 / columns.reputation[row]!);

/** The given rows, already in density order, as a sample for [M3]. */
export function sampleOf(columns: Columns, rows: Int32Array): Sample {
  const sample = new Sample();
  sample.reserve(rows.length);
  for (const row of rows)
    sample.push(row, densityOf(columns, row), columns.reputation[row]!, columns.arrival[row]!);
  return sample;
}
