/** Hunts for a market that breaks a property, and shrinks what it finds. A seed fixes what is drawn and in which order. */

import { type Catch, type HuntOptions, Party, type Searched, type ShrunkCatch } from "./hunting-party.js";
import { compareSize } from "./shrink-order.js";

export interface HuntReport {
  /** As found. */
  readonly found: (Catch & { readonly origin: "known" | "drawn" }) | null;
  readonly smallest: ShrunkCatch | null;
  /** The smallest with at least `KEPT` of the amount found; null where there is no amount (P4). */
  readonly strong: ShrunkCatch | null;
  readonly searched: Searched;
  /** Nothing found: at most this share of such markets breaks the property, with 95 % confidence. Null if found, or if none was seen. */
  readonly shareBound: number | null;
  /** Whether it was stopped before it had drawn all it was to draw, or shrunk all it could. */
  readonly stopped: boolean;
}

/** What a strong witness keeps of the amount found. */
export const KEPT = 0.8;

/** Tries known markets, then draws; ends at the first break, and shrinks it twice. */
export async function hunt(options: HuntOptions): Promise<HuntReport> {
  const party = new Party(options);
  const known = await party.retry();
  const drawn = known.length === 0 ? await party.draw() : null;
  const found = strongestOf(known) ?? drawn;
  const origin = drawn ? ("drawn" as const) : ("known" as const);
  const { amount = 0 } = found?.sighting ?? {};
  const strong = found && amount > 0 ? await party.shrink(found, KEPT * amount) : null;
  const start = smallestOf([...known, ...[found, strong].filter((item) => item !== null)]);
  const smallest = start ? await party.smallest(start) : null;
  const { searched, stopped } = party;
  const trials = searched.byRegime[options.quarry.regime].markets;
  const shareBound = found || trials === 0 ? null : Math.min(1, 3 / trials);
  return { found: found && { ...found, origin }, smallest, strong, searched, shareBound, stopped };
}

const strongestOf = (known: readonly Catch[]): Catch | null =>
  [...known].sort((a, b) => b.sighting.amount - a.sighting.amount)[0] ?? null;

const smallestOf = (known: readonly Catch[]): Catch | undefined =>
  [...known].sort((a, b) => compareSize(a.market, b.market))[0];

export type { Catch, Confirm, HuntOptions, HuntProgress, Searched, ShrunkCatch } from "./hunting-party.js";
