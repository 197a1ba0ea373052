/** Confirms a find by the rational twin: the amount, the regime, and whether the lie moves the start. */

import type { Market } from "../../market/market.js";
import type { ExactOutcome } from "../../mechanisms/exact.js";
import { type AnyMechanism, type Outcome, unvaried } from "../../mechanisms/mechanism.js";
import { regimeOf } from "../../mechanisms/regime.js";
import { certify, type ExactBid, exactRun } from "../certify.js";
import type { Sighting } from "./violations.js";

/** Whether exact arithmetic sees what was seen; null where the mechanism is not the paper's, for it has no twin. */
export function confirm(mechanism: AnyMechanism, market: Market, sighting: Sighting): boolean | null {
  const certificate = certify(market, sighting, mechanism);
  if (certificate === null) return null;
  return certificate.certified && sameRuns(unvaried(mechanism, market).market, sighting, certificate.bid);
}

function sameRuns(
  market: Market,
  { worker, regime, startMoved }: Sighting,
  bid: ExactBid | undefined,
): boolean {
  const truth = exactRun(market);
  const ids = worker === null ? market.workers.map(({ id }) => id) : [worker];
  if (!ids.some((id) => regimeOf(asOutcome(truth), id) === regime)) return false;
  return bid === undefined || (exactRun(market, bid).startDelay !== truth.startDelay) === startMoved;
}

/** What a regime is read from. */
const asOutcome = ({ startDelay, budgetEvents, thresholds }: ExactOutcome): Outcome => ({
  started: startDelay !== null,
  startDelay,
  workers: [],
  thresholds: thresholds.map(({ round }) => ({ round, group0: null, group1: null })),
  budgetEvents,
});
