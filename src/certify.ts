/** Confirms witnesses by the rational twin, so that no rounding error is ever called a lie. Loads mathjs. */

import { type Fraction, larger, subtract } from "mathjs";
import { pieces } from "./best-response/index.js";
import { simplest } from "./best-response/price.js";
import { type Bid, bidders, type Market } from "./market.js";
import {
  type ExactOutcome,
  exactly,
  exactOnline,
  exactUtility,
  toNumber,
  totalOf,
} from "./mechanisms/exact.js";
import type { Witness } from "./properties.js";

export interface Certificate {
  readonly certified: boolean;
  /** The witness's amount in exact arithmetic, rounded once at the end. */
  readonly amount: number;
}

/** Replays a witness against the online mechanism in exact fractions. */
export function certify(market: Market, witness: Witness): Certificate {
  const amount = exactAmount(market, witness);
  if (amount === null) return { certified: excludedEverywhere(market, witness.worker!), amount: 0 };
  return { certified: larger(amount, 0) as boolean, amount: toNumber(amount) };
}

function exactAmount(market: Market, { property, worker, lie }: Witness): Fraction | null {
  const truth = run(market);
  if (property === "P4") return null;
  if (property === "P2")
    return subtract(
      totalOf(truth.workers.map(({ payment }) => payment)),
      exactly(market.rules.budget),
    ) as Fraction;
  const cost = market.workers.find(({ id }) => id === worker)!.cost;
  const utility = (outcome: ExactOutcome) =>
    exactUtility(cost, outcome.workers.find(({ id }) => id === worker)!);
  if (property === "P1") return subtract(exactly(0), utility(truth)) as Fraction;
  return subtract(utility(run(market, lie!)), utility(truth)) as Fraction;
}

const run = ({ rules, workers }: Market, bid?: Bid): ExactOutcome =>
  exactOnline(rules, bidders(workers, bid ? [bid] : []));

/** P4: one price of every piece of every arrival leaves the worker unselected or unpaid. */
function excludedEverywhere(market: Market, worker: number): boolean {
  return pieces(market, worker)!.every(({ from, to, arrival }) => {
    const price = from === to ? from : simplest(from, to);
    const allotment = run(market, { worker, price, arrival }).workers.find(({ id }) => id === worker)!;
    return !(larger(allotment.payment, 0) as boolean);
  });
}
