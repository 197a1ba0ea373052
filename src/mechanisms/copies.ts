/** Copies of a user's file that remember nothing are asked what the mechanism was asked: they must answer alike. */

import { type Asked, askedOf } from "../auction/asked.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import { plainError } from "../lib/errors.js";
import { stream } from "../lib/random.js";
import type { Bidder, Rules } from "../market/market.js";

/** How many copies are asked, each of them first another question: what one remembers, the others do not. */
export const COPIES = 6;

/** The k-th question for a copy: one that was asked, with prices that are drawn anew; null where none was. */
function question(mechanism: AnyMechanism, k: number): Asked | null {
  const asked = askedOf(mechanism);
  if (asked.length === 0) return null;
  const { rules, bids } = asked[k % asked.length]!;
  const draws = stream("copies").fork(k);
  const price = () => (2 * rules.budget * 8 ** -draws.next()) / rules.rounds;
  return { rules, bids: bids.map((bid) => ({ ...bid, price: price() })) };
}

/** For so long, and so often at most, a mechanism is asked before copies are: what counts its calls shows. */
const MILLISECONDS = 200;
const OFTEN = 100;

/** Asks a mechanism what copies will be asked, and more. */
export function askMuch(mechanism: AnyMechanism): void {
  const begun = performance.now();
  for (let k = 0; k < OFTEN && performance.now() - begun < MILLISECONDS; k++) {
    const asked = question(mechanism, k);
    if (asked !== null) answer(mechanism, asked);
  }
}

const answer = ({ decide }: AnyMechanism, { rules, bids }: Asked): string =>
  JSON.stringify((decide as (rules: Rules, bids: readonly Bidder[]) => unknown)(rules, bids));

/** Throws unless a mechanism that was asked much and a copy of it that was asked nothing answer alike. */
export function demandAsCopy(source: string, mechanism: AnyMechanism, copy: AnyMechanism, k: number): void {
  const asked = question(mechanism, k);
  if (asked === null) return;
  const fresh = answer(copy, asked);
  if (fresh === answer(mechanism, asked)) return;
  const what = "answers differently after other questions than when it is asked first";
  throw plainError(source, `${what}: what it decides must depend on nothing but the rules and the bids`);
}
