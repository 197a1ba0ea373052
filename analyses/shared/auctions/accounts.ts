/** What the publisher gets from several auctions in the same markets, and how two of them differ market by market. */

import { mean } from "d3-array";
import type { Stream } from "../../../src/lib/random.js";
import { type Estimate, estimate, meanRatio } from "../../../src/lib/statistics.js";
import { difference } from "../../../src/lib/tolerance.js";
import { drawMarket } from "../../../src/market/draw.js";
import { type Market, paperRules } from "../../../src/market/market.js";
import type { PublisherAccount } from "../../../src/mechanisms/outcome.js";

/** Where markets are drawn: the paper's distributions and rules, but for these two. */
export interface Setting {
  readonly workers: number;
  readonly budget: number;
}

/** Every auction's accounts by market: the k-th of each comes from the same market. */
export type Ledgers = ReadonlyMap<string, readonly PublisherAccount[]>;

/** One number of an account; null where it has none. */
export type Measure = (account: PublisherAccount) => number | null;

/** Null where nothing was paid: such markets count neither in means nor in pairs. */
export const perUnit: Measure = ({ utilityPerUnitPaid }) => utilityPerUnitPaid;

export const utility: Measure = ({ publisherUtility }) => publisherUtility;

export const spent: Measure = (account) => account.spent;

const ROUNDS = 10;

/** Market k of a setting. */
export function marketAt({ workers, budget }: Setting, k: number, stream: Stream): Market {
  const cell = stream.fork(`${workers} workers, budget ${budget}`);
  return drawMarket({ rules: { ...paperRules, budget, rounds: ROUNDS }, workers }, cell.fork(k));
}

export function meanOf(ledgers: Ledgers, auction: string, measure: Measure): Estimate {
  return estimate(
    ledgers
      .get(auction)!
      .map(measure)
      .filter((value) => value !== null),
  );
}

/** The values of two auctions in the markets where both have one. */
function pairsOf(ledgers: Ledgers, [one, other]: Pair, measure: Measure): [number, number][] {
  const others = ledgers.get(other)!;
  return ledgers.get(one)!.flatMap((account, k): [number, number][] => {
    const [a, b] = [measure(account), measure(others[k]!)];
    return a === null || b === null ? [] : [[a, b]];
  });
}

export type Pair = readonly [one: string, other: string];

export interface Gap {
  /** One minus the other. */
  readonly difference: Estimate;
  /** The same as a share of the other's mean. */
  readonly relative: Estimate;
}

export interface Comparison {
  readonly measure: Measure;
  /** How many such comparisons are to hold together with 95 %. */
  readonly together?: number;
}

/** How far one auction is above another, market by market; differences that are rounding count as none. */
export function gapOf(ledgers: Ledgers, pair: Pair, { measure, together = 1 }: Comparison): Gap {
  const pairs = pairsOf(ledgers, pair, measure);
  const base = mean(pairs, ([, other]) => other) ?? Number.NaN;
  const gap = estimate(
    pairs.map(([one, other]) => difference(one, other, base)),
    together,
  );
  const { mean: middle, low, high, n } = gap;
  return { difference: gap, relative: { mean: middle / base, low: low / base, high: high / base, n } };
}

/** How much of the other's mean an auction reaches. */
export function ratioOf(ledgers: Ledgers, pair: Pair, { measure, together = 1 }: Comparison): Estimate {
  return meanRatio(pairsOf(ledgers, pair, measure), together);
}
