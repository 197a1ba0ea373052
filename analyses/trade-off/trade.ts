/** What the trade-off knows of each auction, before it is worded. */

import type { Estimate } from "../../src/lib/statistics.js";
import type { Regime } from "../../src/mechanisms/outcome.js";
import type { Exhibit } from "../../src/report/result.js";
import type { Measure, Setting } from "../shared/publisher.js";

/** Of the workers asked: how many can gain, and how much. */
export interface Gains {
  /** In which any worker was asked. */
  readonly markets: number;
  readonly workers: number;
  readonly gainers: number;
  readonly share: Estimate;
  /** Over all workers asked, also those who cannot gain. */
  readonly gain: Estimate;
  readonly most: number;
  /** The mean utility of the truth. */
  readonly truthful: number;
}

export interface Auction {
  readonly name: string;
  readonly offline: boolean;
  /** Sees the costs. */
  readonly informed: boolean;
  /** Whether an argument is known that nobody ever gains. */
  readonly truthful: boolean;
  /** Publisher's utility per unit paid. */
  readonly unit: Estimate;
  /** Whether best lies were computed; else they were searched for. */
  readonly exact: boolean;
  readonly evaluations: number;
  readonly gains: Gains;
  readonly byRegime: readonly (Gains & { readonly regime: Regime })[];
}

/** How far an auction is above the one in question, as a share of what that gives. */
export interface Compared {
  readonly auction: string;
  readonly measure: Measure;
  readonly gap: Estimate;
}

/** Everything known of one size of market. */
export interface Trade extends Setting {
  readonly size: string;
  readonly markets: number;
  readonly searched: number;
  readonly effort: number;
  /** By what the publisher gets per unit paid, most first. */
  readonly auctions: readonly Auction[];
  readonly comparisons: readonly Compared[];
}

export interface TradeOff {
  readonly ours: string;
  readonly trades: readonly Trade[];
  readonly exhibits: readonly Exhibit[];
}

/** "20 workers, budget 25". */
export const sizeText = ({ workers, budget }: Setting): string => `${workers} workers, budget ${budget}`;

/** Those of which any worker was asked. */
export const asked = ({ auctions }: Trade): Auction[] => auctions.filter(({ gains }) => gains.workers > 0);
