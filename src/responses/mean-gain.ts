/**
 * What a lie gains on average over draws, with an interval that is honest where gains are rare and large: a payment lies in
 * a range, so does a utility, and so does the difference of two.
 */

import { mean as meanOf } from "d3-array";
import type { BidResult, Game } from "../auction/solver.js";
import { boundedMean, type Range } from "../lib/bounded-mean.js";
import { type Estimate, meanAlone } from "../lib/statistics.js";
import { rounding } from "../lib/tolerance.js";
import { hasBuiltInProgram } from "./guard.js";

/** What a single payment lies in, and whether that is known of the mechanism or only assumed. */
export interface PaymentRange extends Range {
  readonly assumed: boolean;
}

/** What intervals rest on where no range of payments is known. */
export const ASSUMED = "no payment is negative or exceeds the budget";

/**
 * Of a built-in mechanism that keeps the budget, every payment is between 0 and the budget, unless it says so itself. Of
 * others it is assumed.
 */
export function paymentRange({ mechanism, market, solver }: Game): PaymentRange {
  const { rules } = market;
  if (solver.own !== null) return { ...solver.own.payments(rules), assumed: false };
  const known =
    hasBuiltInProgram(mechanism) && !mechanism.repriced && (mechanism.keepsBudget?.(rules) ?? true);
  return { least: 0, most: rules.budget, assumed: !known };
}

/** How truth and lie went in the same draws. */
interface Compared {
  readonly honest: readonly Pick<BidResult, "payment" | "rounds">[];
  readonly lying: readonly Pick<BidResult, "payment" | "rounds">[];
  readonly cost: number;
  readonly rounds: number;
  readonly payments: Range;
}

/** What the lie gains in each draw. */
export const gainsIn = ({ honest, lying, cost }: Pick<Compared, "honest" | "lying" | "cost">): number[] =>
  lying.map(({ payment, rounds }, k) => {
    const truth = honest[k]!;
    return payment - truth.payment - cost * (rounds - truth.rounds);
  });

/** The mean gain; without an interval where a payment is outside the range. */
export function meanGain(compared: Compared, together = 1): Estimate {
  const { honest, lying, cost, rounds, payments } = compared;
  const gains = gainsIn(compared);
  if (honest === lying) return { mean: 0, low: 0, high: 0, n: gains.length };
  const { least, most } = payments;
  const noise = rounding(most);
  const isOutside = ({ payment }: Pick<BidResult, "payment">) =>
    !(payment >= least - noise && payment <= most + noise);
  if (honest.some(isOutside) || lying.some(isOutside)) return meanAlone(meanOf(gains)!, gains.length);
  const reach = most - least + cost * rounds;
  return boundedMean(gains, { least: -reach, most: reach }, together);
}
