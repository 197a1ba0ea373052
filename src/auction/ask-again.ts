/** What an answer rests on is asked again at its end: the truth, and the lies that were found. */

import type { Bid, Market } from "../market/market.js";
import { type AnyMechanism, runAuction } from "./mechanism.js";

const remembering = new WeakSet<AnyMechanism>();

/** Says that a mechanism refuses by itself to answer a question otherwise than it did before. */
export function remembersAnswers(mechanism: AnyMechanism): void {
  remembering.add(mechanism);
}

/** Asks a user's mechanism for the truth, and for each of the lies, once more; one that now answers otherwise throws. */
export function askAgain(
  mechanism: AnyMechanism,
  market: Market,
  ...lies: readonly (readonly Bid[])[]
): void {
  if (!remembering.has(mechanism)) return;
  for (const bids of [[], ...lies]) runAuction(mechanism, market, bids);
}
