/** Reads the golden vectors: results of an independent exact implementation. */

import { readFileSync } from "node:fs";
import type { Outcome } from "../src/auction/mechanism.js";
import { type Bid, type Market, paperRules } from "../src/market/market.js";

const lines = (name: string): unknown[] =>
  readFileSync(new URL(`golden/${name}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

export interface RunVector {
  readonly market: Market;
  readonly bids: readonly Bid[];
  readonly expect: Omit<Outcome, "workers"> & {
    readonly workers: readonly { id: number; selectedAt: number | null; payment: number }[];
  };
}

export interface ResponseVector {
  readonly market: Market;
  readonly expect: readonly {
    id: number;
    truthful: number;
    gain: number;
    priceGain: number;
    timeGain: number;
  }[];
}

/** Rules that are left out in a file are the paper's. */
const completed = <Vector extends { readonly market: Market }>(vector: Vector): Vector => ({
  ...vector,
  market: { ...vector.market, rules: { ...paperRules, ...vector.market.rules } },
});

export const runVectors = (lines("run.jsonl") as RunVector[]).map(completed);
/** Under every first step and delay ([M5], [M6]); who bids nothing tells the truth, and thresholds are not given. */
export const readingVectors = (lines("readings.jsonl") as Omit<RunVector, "bids">[]).map(completed);
export const responseVectors = (lines("best-response.jsonl") as ResponseVector[]).map(completed);

/** Rows for it.each: the line number first, for the title. */
export const numbered = <T>(vectors: readonly T[]): [number, T][] => vectors.map((v, k) => [k + 1, v]);
