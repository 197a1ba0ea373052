/** The rows of the board: a claim, under a condition where it is known to hang on one. */

import type { HuntedProperty } from "../../src/verdicts/counterexamples/violations.js";
import { claims, type PropertyName } from "../../src/verdicts/properties.js";
import type { LieCase } from "../shared/gains/scoreboard.js";

export interface Claim {
  readonly property: PropertyName;
  readonly label: string;
  readonly lies: LieCase;
  /** Of the first-round ratio: up to 1/2, or above it. */
  readonly ratio: "low" | "high";
  /** Whether it belongs to the verdicts, or only to the long table. */
  readonly headline: boolean;
}

/** A claim that markets decide: all but P3. */
export type DecidedClaim = Claim & { readonly property: HuntedProperty };

const named = (property: PropertyName): string =>
  property === "joint" ? `joint: ${claims.joint.name}` : `${property} ${claims[property].name}`;

const plain = (property: PropertyName): Claim => ({
  property,
  label: named(property),
  lies: "any",
  ratio: "low",
  headline: true,
});

const withHighRatio = (property: PropertyName): Claim[] => [
  plain(property),
  { ...plain(property), label: `${property}, ratio above 1/2`, ratio: "high" },
];

const byStart = (property: PropertyName): Claim[] => [
  plain(property),
  { ...plain(property), label: `${property}, start kept`, lies: "kept" },
  { ...plain(property), label: `${property}, start moved`, lies: "moved", headline: false },
];

export const board: readonly Claim[] = [
  ...withHighRatio("P1"),
  ...withHighRatio("P2"),
  plain("P3"),
  plain("P4"),
  ...byStart("P5"),
  ...byStart("P6"),
  ...byStart("joint"),
];

export const isDecided = (claim: Claim): claim is DecidedClaim => claim.property !== "P3";
