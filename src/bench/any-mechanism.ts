/** What exact best responses to mechanisms other than the paper's cost, in milliseconds and in plain auctions. */

import { median } from "d3-array";
import { pieceResponses } from "../best-response/index.js";
import { microseconds } from "../lib/timing.js";
import { bidders } from "../market/market.js";
import { mechanisms } from "../mechanisms/index.js";
import { paperMarkets, ROUNDS } from "./auction.js";

const measured = ["two-stage", "multi-stage", "vanilla", "bid-greedy", "rrafl", "posted-rounds"] as const;

export interface AnyMechanismRow {
  readonly mechanism: string;
  readonly workers: number;
  readonly rounds: number;
  /** All best responses of the median market. */
  readonly milliseconds: number;
  readonly auctionsWorth: number;
}

export const benchAnyMechanism = (workers: number): AnyMechanismRow[] =>
  measured.map((name) => row(name, workers));

function row(name: (typeof measured)[number], workers: number): AnyMechanismRow {
  const mechanism = mechanisms[name];
  const markets = paperMarkets(workers, workers > 50 ? 5 : 20);
  for (const market of markets.slice(0, 5)) pieceResponses(market, mechanism);
  const times = markets.map((market) => {
    const bids = bidders(market.workers);
    const auction = microseconds(() => mechanism.decide(market.rules, bids), 20);
    const taken = microseconds(() => pieceResponses(market, mechanism), 1);
    return { milliseconds: taken / 1000, worth: taken / auction };
  });
  return {
    mechanism: name,
    workers,
    rounds: ROUNDS,
    milliseconds: median(times, ({ milliseconds }) => milliseconds)!,
    auctionsWorth: median(times, ({ worth }) => worth)!,
  };
}
