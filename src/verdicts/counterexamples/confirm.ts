/** Confirms a violation in exact fractions: the amount, the regime, and whether the lie moves the start. */

import type { Market } from "../../market/market.js";
import type { ExactOutcome } from "../../mechanisms/exact.js";
import { type AnyMechanism, type Outcome, unvaried } from "../../mechanisms/mechanism.js";
import { regimeOf } from "../../mechanisms/outcome.js";
import { certify, type ExactBid, exactRun } from "../certify.js";
import type { Violation } from "./violations.js";

/** Whether it is there in exact fractions too; null where the mechanism has no exact form. */
export function confirm(mechanism: AnyMechanism, market: Market, violation: Violation): boolean | null {
  const certificate = certify(market, violation, mechanism);
  if (certificate === null) return null;
  return certificate.certified && sameRuns(unvaried(mechanism, market), violation, certificate.bid);
}

function sameRuns(
  base: ReturnType<typeof unvaried>,
  { worker, regime, startMoved }: Violation,
  bid: ExactBid | undefined,
): boolean {
  const truth = exactRun(base);
  const ids = worker === null ? base.market.workers.map(({ id }) => id) : [worker];
  if (!ids.some((id) => regimeOf(asOutcome(truth), id) === regime)) return false;
  return bid === undefined || (exactRun(base, bid).startDelay !== truth.startDelay) === startMoved;
}

/** What a regime is read from. */
const asOutcome = ({ startDelay, budgetEvents, thresholds }: ExactOutcome): Outcome => ({
  started: startDelay !== null,
  startDelay,
  workers: [],
  thresholds: thresholds.map(({ round }) => ({ round, group0: null, group1: null })),
  budgetEvents,
});
