/** What a source does not claim: its claims of a property may be of some regimes only. */

import type { AnyMechanism } from "../auction/mechanism.js";
import type { Regime } from "../auction/outcome.js";
import type { AnyProperty } from "../properties/properties.js";

/** The heading of what the source of a mechanism claims nothing about. */
export const OUTSIDE = "outside the claim";

/** Of these the joint lie and the pair are made: they are claimed at most where both are. */
const parts: Partial<Record<AnyProperty, readonly AnyProperty[]>> = {
  joint: ["P5", "P6"],
  pair: ["P5", "P6"],
};

/** Whether the source claims a property, but not of this regime; false where it claims nothing about it. */
export function isOutside({ claims = [] }: AnyMechanism, property: AnyProperty, regime: Regime): boolean {
  return (parts[property] ?? [property]).some((one) => {
    const made = claims.filter((claim) => claim.property === one && claim.says !== "breaks");
    const isOf = ({ regime: only, regimes }: (typeof made)[number]) =>
      regimes ? regimes.includes(regime) : only === undefined || only === regime;
    return made.length > 0 && !made.some(isOf);
  });
}

/** "tight, outside the claim". */
export const regimeText = (mechanism: AnyMechanism, property: AnyProperty, regime: Regime): string =>
  isOutside(mechanism, property, regime) ? `${regime}, ${OUTSIDE}` : regime;
