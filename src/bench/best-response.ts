/** What the exact best responses of all workers cost, in milliseconds and in plain auctions of the same market. */

import { median, quantile } from "d3-array";
import { exactResponses } from "../best-response/online-responses.js";
import { microseconds } from "../lib/timing.js";
import { OnlineEngine } from "../mechanisms/online-engine.js";
import { columnsFor, paperMarkets, ROUNDS } from "./auction.js";

export interface ResponseRow {
  readonly workers: number;
  readonly rounds: number;
  /** The median market. */
  readonly milliseconds: number;
  readonly auctionsWorth: number;
  /** Nine markets in ten cost no more than this. */
  readonly auctionsWorth90: number;
}

export function benchBestResponse(workers: number): ResponseRow {
  const engine = new OnlineEngine();
  const markets = paperMarkets(workers, 60);
  for (let warm = 0; warm < 3; warm++) for (const market of markets) exactResponses(market);
  const rows = markets.map((market) => {
    const columns = columnsFor(market);
    const auction = () =>
      median([0, 1, 2].map(() => microseconds(() => engine.run(market.rules, columns), 2)))!;
    const response = () => median([0, 1, 2].map(() => microseconds(() => exactResponses(market), 5)))!;
    const [before, taken, after] = [auction(), response(), auction()];
    return { milliseconds: taken / 1000, worth: taken / ((before + after) / 2) };
  });
  return {
    workers,
    rounds: ROUNDS,
    milliseconds: median(rows.map(({ milliseconds }) => milliseconds))!,
    auctionsWorth: median(rows.map(({ worth }) => worth))!,
    auctionsWorth90: quantile(
      rows.map(({ worth }) => worth),
      0.9,
    )!,
  };
}
