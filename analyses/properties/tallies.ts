/** The board in numbers: a tally for each claim, regime, reading and family of markets, which adds up over markets. */

import type { Reading } from "../../src/market/market.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import {
  mergeTallies,
  type NamedLook,
  type Question,
  type Tally,
  tally,
} from "../shared/gains/scoreboard.js";
import { mergeParts } from "../shared/gains/summary.js";
import { board, type Claim, type DecidedClaim, isDecided } from "./claims.js";
import { type Family, families, readings } from "./draws.js";

/** By claim, regime, reading and family, of which none are pooled. What nobody met is absent. */
export type Tallies = Record<string, Tally>;

export interface Place {
  readonly claim: DecidedClaim;
  readonly regime: Regime;
  readonly reading: Reading;
  readonly family: Family;
}

const keyOf = ({ claim, regime, reading, family }: Place): string =>
  [claim.label, regime, reading, family].join("; ");

/** All that is tallied, the prose and the paper's markets first. */
export const places: readonly Place[] = readings.flatMap((reading) =>
  families.flatMap((family) =>
    board.filter(isDecided).flatMap((claim) => regimes.map((regime) => ({ claim, regime, reading, family }))),
  ),
);

/** Of one market, looked at in every reading: the claims on low, or on high first-round ratios. */
export function talliesOf(
  looks: readonly NamedLook[],
  { ratio, family }: { readonly ratio: Claim["ratio"]; readonly family: Family },
): Tallies {
  const tallies: Tallies = {};
  for (const place of places) {
    if (place.claim.ratio !== ratio || place.family !== family) continue;
    const there = looks.filter(
      ({ market, inRegime }) => market.rules.reading === place.reading && inRegime[place.regime].length > 0,
    );
    if (there.length === 0) continue;
    const told = tally(there, questionAt(place));
    if (told.markets > 0) tallies[keyOf(place)] = told;
  }
  return tallies;
}

const questionAt = ({ claim: { property, lies }, regime }: Place): Question => ({ property, lies, regime });

/** Of different markets. */
export const mergeBoards = (left: Tallies, right: Tallies): Tallies =>
  mergeParts({ ...left }, right, mergeTallies);

/** Empty where nobody met it. */
export const tallyAt = (tallies: Tallies, place: Place): Tally =>
  tallies[keyOf(place)] ?? tally([], questionAt(place));
