/** Hunts for a market that breaks a property, and shrinks what it finds. A seed fixes what is drawn and in which order. */

import { ruleOfThree } from "../../lib/statistics.js";
import { type Catch, type HuntOptions, Party, type Searched, type ShrunkCatch, shareOf } from "./search.js";
import { compareSize } from "./shrink-order.js";
import { isDecided } from "./violations.js";

export interface HuntReport {
  /** As found. */
  readonly found: (Catch & { readonly origin: "known" | "drawn" }) | null;
  readonly smallest: ShrunkCatch | null;
  /** The smallest with at least `KEPT` of what was found, as a share of the budget; null where there is no amount (P4). */
  readonly strong: ShrunkCatch | null;
  readonly searched: Searched;
  /** Nothing found: at most this share of such markets breaks the property, with 95 % confidence. Null if found, if none was seen, or where a search can miss in every market. */
  readonly shareBound: number | null;
  /** Whether it was stopped before it had drawn all it was to draw, or shrunk all it could. */
  readonly stopped: boolean;
}

/** What a strong witness keeps of what was found, as a share of the budget. */
export const KEPT = 0.8;

/** Tries known markets, then draws; ends at the first break, and shrinks it twice. */
export async function hunt(options: HuntOptions): Promise<HuntReport> {
  const party = new Party(options);
  const known = await party.retry();
  const drawn = known.length === 0 ? await party.draw() : null;
  const found = strongestOf(known) ?? drawn;
  const origin = drawn ? ("drawn" as const) : ("known" as const);
  const share = found ? KEPT * shareOf(found) : 0;
  const shrunk = share > 0 ? await party.shrink(found!, share) : null;
  const start = smallestOf([...known, ...[found, shrunk].filter((item) => item !== null)]);
  const smallest = start ? await party.smallest(start) : null;
  const strong = shrunk && smallest && shareOf(smallest) >= share ? smallest : shrunk;
  const { searched, stopped } = party;
  const trials = searched.byRegime[options.quarry.regime].markets;
  const bounded = !found && trials > 0 && isDecided(options.quarry);
  const shareBound = bounded ? ruleOfThree(trials) : null;
  return { found: found && { ...found, origin }, smallest, strong, searched, shareBound, stopped };
}

const strongestOf = (known: readonly Catch[]): Catch | null =>
  [...known].sort((a, b) => shareOf(b) - shareOf(a))[0] ?? null;

const smallestOf = (known: readonly Catch[]): Catch | undefined =>
  [...known].sort((a, b) => compareSize(a.market, b.market))[0];

export type { Catch, Confirm, HuntOptions, HuntProgress, Searched, ShrunkCatch } from "./search.js";
