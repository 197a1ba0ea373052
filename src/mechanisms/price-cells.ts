/**
 * What a mechanism does over all prices of several workers at once: the cells of their unknown prices, in each of which
 * it takes the same decisions and every payment is one linear form. Ties are cells of their own, so that every price
 * vector is in exactly one.
 */

import { type Cone, orthant } from "../lib/cone.js";
import type { Bidder, Rules } from "../market/market.js";
import type { Amount } from "./amounts.js";
import { Auction } from "./auction.js";
import { Explorer } from "./explorer.js";
import { type LinearAmount, LinearForms, linear } from "./linear-forms.js";
import type { AnyMechanism } from "./mechanism.js";
import { Planes } from "./planes.js";

export interface PriceCell {
  /** Over the unit and the unknown prices, in the order of those who ask them. */
  readonly cone: Cone;
  /** What was decided; its amounts are read by `form`. */
  readonly auction: Auction;
  readonly form: (amount: Amount) => LinearAmount;
}

/** In exact fractions, decimals as they read; or in floating point, as the mechanism is run ([M13]). */
export type CellArithmetic = "fractions" | "numbers";

export interface CellQuestion {
  readonly rules: Rules;
  /** Everybody's; the prices of those whose price is unknown do not count. */
  readonly bids: readonly Bidder[];
  /** Whose prices are unknown; only what they get is worked out. */
  readonly unknown: readonly number[];
  readonly arithmetic: CellArithmetic;
  /** Regions whose cells are not asked for. */
  readonly skips?: (region: Cone) => boolean;
}

/** The place of a price among the unknowns: the first is the unit. */
export const pricePlace = (member: number): number => 1 + member;

export function* priceCells(mechanism: AnyMechanism, question: CellQuestion): Generator<PriceCell> {
  const { rules, bids, unknown, arithmetic, skips } = question;
  const explorer = new Explorer(orthant([true, ...unknown.map(() => false)], arithmetic === "numbers"));
  const planes = new Planes(unknown.length, explorer);
  const forms = new LinearForms(unknown.length + 1, explorer);
  const [math, form] =
    arithmetic === "numbers" ? [planes, (a: Amount) => planes.linear(a)] : [forms, (a: Amount) => linear(a)];
  const places = new Map(unknown.map((id, member) => [id, math.unknown(pricePlace(member))]));
  // A yardstick is shown the costs, whatever is bid.
  const priceOf = ({ id }: Bidder) => ("sees" in mechanism ? undefined : places.get(id));
  while (explorer.begin(skips)) {
    const auction = new Auction(rules, bids, { math, priceOf, only: unknown });
    mechanism.text!(auction);
    yield { cone: explorer.region, auction, form };
  }
}
