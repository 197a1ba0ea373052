/** How large a market may be for questions about lies: what would take all memory, or days, is refused before it begins. */

import { plainError } from "../lib/errors.js";
import type { Market } from "../market/market.js";

/** Runs of a market are held in memory, each of so many decisions at most. */
const MOST_DECISIONS = 2_000_000;
/** A worker's utility at every price may take a run for every round's threshold: so many decisions in all. */
const MOST_AUDITED = 200_000_000;

/** `what` asks: a command, or an option of one; `more` workers are added to those of the market. */
export function demandSize(market: Market, source: string, what: string, more = 0): void {
  const { rounds } = market.rules;
  const workers = market.workers.length + more;
  const decisions = workers * rounds;
  if (decisions <= MOST_DECISIONS && decisions * rounds <= MOST_AUDITED) return;
  const size = `${workers} workers × ${rounds} rounds`;
  const limits = `workers × rounds may be at most ${MOST_DECISIONS}, workers × rounds² at most ${MOST_AUDITED}`;
  throw plainError(source, `${size} are too many for ${what}: ${limits}`);
}

/** Each takes a search of its own, and their answers are held until all are there. */
const MOST_PAIRS = 1_000_000;

export function demandFewPairs(count: number, source: string): void {
  if (count > MOST_PAIRS)
    throw plainError(
      source,
      `${count} pairs are too many for --pairs: there may be at most ${MOST_PAIRS}; --worker chooses some`,
    );
}
