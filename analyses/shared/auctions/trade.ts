/** The trade-off between what the publisher gets and what liars get, at one size of market. */

import { isExact } from "../../../src/best-response/index.js";
import type { Estimate } from "../../../src/lib/statistics.js";
import type { AnalysisContext } from "../../../src/study/analysis.js";
import { type Ledgers, meanOf, perUnit } from "./accounts.js";
import { type Look, looksAt, type Sizes } from "./gains.js";
import { type Reading, read } from "./meter.js";

/** One auction. */
export interface Dot {
  readonly auction: string;
  readonly offline: boolean;
  /** A yardstick that sees the costs. */
  readonly informed: boolean;
  /** Publisher's utility per unit paid. */
  readonly unit: Estimate;
  readonly reading: Reading;
  /** By market. */
  readonly looks: readonly Look[];
}

/** Everything known of one size of market. */
export interface Trade {
  readonly sizes: Sizes;
  readonly ours: string;
  readonly dots: readonly Dot[];
  readonly ledgers: Ledgers;
}

export async function tradeAt(sizes: Sizes, context: AnalysisContext): Promise<Trade> {
  const { mechanism, mechanisms } = context;
  const byAuction = await looksAt(sizes, context);
  const ledgers = new Map([...byAuction].map(([name, looks]) => [name, looks.map(({ account }) => account)]));
  const dots = mechanisms.map((one) => ({
    auction: one.name,
    offline: one.offline ?? false,
    informed: "sees" in one,
    unit: meanOf(ledgers, one.name, perUnit),
    reading: read(byAuction.get(one.name)!, isExact(one)),
    looks: byAuction.get(one.name)!,
  }));
  return { sizes, ours: mechanism.name, dots, ledgers };
}

/** Those of whom any worker was looked at. */
export const examined = ({ dots }: Trade): Dot[] => dots.filter(({ reading }) => reading.workers > 0);
