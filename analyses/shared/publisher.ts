/** What the publisher gets from several auctions in the same markets, and how two of them differ market by market. */

import { mean } from "d3-array";
import type { PublisherAccount } from "../../src/auction/outcome.js";
import { brief } from "../../src/lib/format.js";
import type { Stream } from "../../src/lib/random.js";
import { type Estimate, estimate, meanRatio } from "../../src/lib/statistics.js";
import { difference } from "../../src/lib/tolerance.js";
import { drawMarket } from "../../src/market/draw.js";
import { type Market, paperRules } from "../../src/market/market.js";

/** Where markets are drawn: the paper's distributions and rules, but for these two. */
export interface Setting {
  readonly workers: number;
  readonly budget: number;
}

export const ROUNDS = 10;

/** Market k of a setting. */
export function marketAt(setting: Setting, k: number, stream: Stream): Market {
  const { workers, budget } = setting;
  const rules = { ...paperRules, budget, rounds: ROUNDS };
  return drawMarket({ rules, workers }, streamAt(setting, k, stream));
}

/** The stream that market k of a setting is drawn from. */
export const streamAt = ({ workers, budget }: Setting, k: number, stream: Stream): Stream =>
  stream.fork(`${workers} workers, budget ${budget}`).fork(k);

/** "20 workers, budget 25". */
export const settingText = ({ workers, budget }: Setting): string =>
  `${workers} workers, budget ${brief(budget)}`;

/** Every auction's accounts by market: the k-th of each comes from the same market. */
export type Accounts = ReadonlyMap<string, readonly PublisherAccount[]>;

/** Utility per unit paid does not exist where nothing is paid: such markets count neither in means nor in pairs. */
const measures = {
  "per unit paid": ({ utilityPerUnitPaid }: PublisherAccount) => utilityPerUnitPaid,
  "in all": ({ publisherUtility }: PublisherAccount) => publisherUtility,
} as const satisfies Record<string, (account: PublisherAccount) => number | null>;

export type Measure = keyof typeof measures;

export const measureNames = Object.keys(measures) as Measure[];

export const meanOf = (accounts: Accounts, auction: string, measure: Measure): Estimate =>
  estimate(accounts.get(auction)!.flatMap((account) => measures[measure](account) ?? []));

export type Pair = readonly [one: string, other: string];

/** The values of two auctions in the markets where both have one. */
function pairsOf(accounts: Accounts, [one, other]: Pair, measure: Measure): [number, number][] {
  const [value, others] = [measures[measure], accounts.get(other)!];
  return accounts.get(one)!.flatMap((account, k): [number, number][] => {
    const [a, b] = [value(account), value(others[k]!)];
    return a === null || b === null ? [] : [[a, b]];
  });
}

interface Comparison {
  readonly measure: Measure;
  /** How many such comparisons are to hold together with 95 %. */
  readonly together: number;
}

/** How far one auction is above another, market by market; differences that are rounding count as none. */
export function gapOf(accounts: Accounts, pair: Pair, { measure, together }: Comparison) {
  const pairs = pairsOf(accounts, pair, measure);
  const base = mean(pairs, ([, other]) => other) ?? Number.NaN;
  const gap = estimate(
    pairs.map(([one, other]) => difference(one, other, base)),
    together,
  );
  // As a share of the other's mean.
  const relative = { mean: gap.mean / base, low: gap.low / base, high: gap.high / base, n: gap.n };
  return { difference: gap, relative };
}

export type Gap = ReturnType<typeof gapOf>;

/** How much of the other's mean an auction reaches. */
export const ratioOf = (accounts: Accounts, pair: Pair, { measure, together }: Comparison): Estimate =>
  meanRatio(pairsOf(accounts, pair, measure), together);
