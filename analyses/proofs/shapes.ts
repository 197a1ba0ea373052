/** Which shapes a claim is proved for: the largest numbers of workers and rounds up to which it holds. */

import { counted } from "../../src/lib/format.js";
import type { ProvedClaim } from "../../src/verdicts/proofs/prove.js";
import type { Claim } from "../../src/verdicts/proofs/worst.js";
import type { SettledShape } from "../proofs.js";

export const isSame = (a: Claim, b: Claim): boolean =>
  a.property === b.property && a.regime === b.regime && a.start === b.start;

/** The name of a mechanism in a sentence, for its card. */
export const quotedName = (mechanism: string): string => mechanism.replace(/^[\w-]+/, "`$&`");

/** The shapes of each mechanism, in their order. */
export const byMechanism = (shapes: readonly SettledShape[]): SettledShape[][] =>
  [...new Set(shapes.map(({ mechanism }) => mechanism))].map((name) =>
    shapes.filter(({ mechanism }) => mechanism === name),
  );

export const isEqual = ({ reputations }: SettledShape): boolean => reputations === "equal";

export const holdsIn = ({ claims }: SettledShape, wanted: (claim: ProvedClaim) => boolean): boolean =>
  claims.every((claim) => !wanted(claim) || claim.verdict === "proved");

/** Every market of at most so many workers and rounds. */
export interface Extent {
  readonly workers: number;
  readonly rounds: number;
}

export const includes = (big: Extent, small: Extent): boolean =>
  small.workers <= big.workers && small.rounds <= big.rounds;

/** Up to where all shapes of equal reputation were settled and no wanted claim breaks: the extents that none other includes. */
export function holdsUpTo(
  shapes: readonly SettledShape[],
  wanted: (claim: ProvedClaim) => boolean,
): Extent[] {
  const held = shapes.filter((shape) => isEqual(shape) && holdsIn(shape, wanted));
  const has = (workers: number, rounds: number) =>
    held.some((shape) => shape.workers === workers && shape.rounds === rounds);
  const whole = held.filter(({ workers, rounds }) =>
    Array.from({ length: workers * rounds }, (_, k) =>
      has((k % workers) + 1, Math.floor(k / workers) + 1),
    ).every(Boolean),
  );
  return whole
    .filter((one) => whole.every((other) => other === one || !includes(other, one)))
    .map(({ workers, rounds }) => ({ workers, rounds }));
}

const extentText = ({ workers, rounds }: Extent): string =>
  `${counted(workers, "worker")} and ${counted(rounds, "round")}`;

/** "up to 2 workers and 6 rounds, 3 workers and 3 rounds or 4 workers and 2 rounds". */
export function upToText(extents: readonly Extent[]): string {
  const texts = extents.map(extentText);
  return `up to ${texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`}`;
}

/** The one to name where there is room for one only: the most workers and rounds alike. */
export const mainExtent = (extents: readonly Extent[]): Extent | null =>
  extents.reduce<Extent | null>((a, b) => (a && sizeOf(a) >= sizeOf(b) ? a : b), null);

const sizeOf = ({ workers, rounds }: Extent): number =>
  1000 * Math.min(workers, rounds) + Math.max(workers, rounds);
