/** How long one auction takes, untraced, on the paper's markets at a budget of 1.25 per worker. */

import { median } from "d3-array";
import { stream } from "../lib/random.js";
import { microseconds } from "../lib/timing.js";
import { drawMarkets } from "../market/draw.js";
import { bidders, type Market, paperRules } from "../market/market.js";
import { type Columns, columnsOf, OnlineEngine } from "../mechanisms/online-engine.js";

export const ROUNDS = 10;

export interface AuctionRow {
  readonly workers: number;
  readonly rounds: number;
  readonly microseconds: number;
}

export function paperMarkets(workers: number, count: number): Market[] {
  const rules = { ...paperRules, budget: 1.25 * workers, rounds: ROUNDS };
  return [...drawMarkets({ rules, workers }, count, stream("bench").fork(workers))];
}

export const columnsFor = (market: Market): Columns => columnsOf(bidders(market.workers));

export function benchAuction(workers: number): AuctionRow {
  const count = Math.max(4, Math.min(40, Math.floor(2e5 / workers)));
  const engine = new OnlineEngine();
  const prepared = paperMarkets(workers, count).map((market) => ({
    rules: market.rules,
    columns: columnsFor(market),
  }));
  const all = () => {
    for (const { rules, columns } of prepared) engine.run(rules, columns);
  };
  microseconds(all, 300);
  const batches = Array.from({ length: 15 }, () => microseconds(all, 20) / count);
  return { workers, rounds: ROUNDS, microseconds: median(batches)! };
}
