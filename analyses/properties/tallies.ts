/** The board in numbers: a tally for each claim, regime and reading, which adds up over markets. */

import { type Regime, regimes } from "../../src/mechanisms/regime.js";
import {
  mergeTallies,
  type NamedLook,
  type Question,
  type Tally,
  tally,
} from "../shared/gains/scoreboard.js";
import { mergeParts } from "../shared/gains/summary.js";
import { board, type Claim, type DecidedClaim, isDecided } from "./claims.js";
import { readings } from "./draws.js";

/** By claim, regime and reading; "all" readings: a break in either counts. What nobody met is absent. */
export type Tallies = Record<string, Tally>;

export const everyReading = ["all", ...readings] as const;

interface Place {
  readonly claim: DecidedClaim;
  readonly regime: Regime;
  readonly reading: string;
}

const keyOf = ({ claim, regime, reading }: Place): string => [claim.label, regime, reading].join("; ");

const placesOf = (claim: DecidedClaim): Place[] =>
  everyReading.flatMap((reading) => regimes.map((regime) => ({ claim, regime, reading })));

/** All that is tallied. */
export const places: readonly Place[] = board.filter(isDecided).flatMap(placesOf);

/** Of one market, looked at in every reading: the claims on low, or on high first-round ratios. */
export function talliesOf(looks: readonly NamedLook[], ratio: Claim["ratio"]): Tallies {
  const tallies: Tallies = {};
  for (const place of places) {
    if (place.claim.ratio !== ratio) continue;
    const there = looks.filter(
      (look) => isRead(look, place.reading) && look.inRegime[place.regime].length > 0,
    );
    if (there.length === 0) continue;
    const told = tally(there, questionAt(place));
    if (told.markets > 0) tallies[keyOf(place)] = told;
  }
  return tallies;
}

const isRead = ({ market }: NamedLook, reading: string): boolean =>
  reading === "all" || market.rules.reading === reading;

const questionAt = ({ claim: { property, lies }, regime }: Place): Question => ({ property, lies, regime });

/** Of different markets. */
export const mergeBoards = (left: Tallies, right: Tallies): Tallies =>
  mergeParts({ ...left }, right, mergeTallies);

/** Empty where nobody met it. */
export const tallyAt = (tallies: Tallies, place: Place): Tally =>
  tallies[keyOf(place)] ?? tally([], questionAt(place));
