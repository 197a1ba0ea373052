/**
 * What a worker who does not see the others' bids believes of them: how such markets usually look. A belief draws whole
 * markets; the worker takes the place of its own id in each, so that one belief serves everybody in a market.
 */

import { invalidError } from "../lib/errors.js";
import { listed } from "../lib/format.js";
import type { Stream } from "../lib/random.js";
import { type Distributions, drawMarket } from "../market/draw.js";
import { byId, type Market, type Offer, type Rules, type Worker } from "../market/market.js";

export interface Belief {
  /** What is drawn, in words: completes "the others are drawn from …". */
  readonly about: string;
  /** Draw k, by id: the same whenever it is asked for. What somebody bids stands as its type. */
  draw(k: number): readonly Worker[];
}

/** The market that is believed in: its rules, and who takes part. */
interface BelievedMarket {
  readonly rules: Rules;
  readonly ids: readonly number[];
}

export const believedMarket = ({ rules, workers }: Market): BelievedMarket => ({
  rules,
  ids: byId(workers).map(({ id }) => id),
});

/** Everybody drawn as in the paper's Figures 2 and 3, but for the distributions given. */
export function drawnBelief(
  { rules, ids }: BelievedMarket,
  stream: Stream,
  distributions: Partial<Distributions> = {},
): Belief {
  const given = Object.keys(distributions);
  const about = `the paper's distributions${given.length > 0 ? `, but for the given ${listed(given)}` : ""}`;
  const draw = (k: number) => {
    const { workers } = drawMarket({ rules, workers: ids.length, distributions }, stream.fork(k));
    return workers.map((worker, row) => ({ ...worker, id: ids[row]! }));
  };
  return { about, draw };
}

/** Everybody drawn from those of a list, with replacement: somebody's reputation, cost and arrival stay together. */
export function resampledBelief(
  { rules, ids }: BelievedMarket,
  stream: Stream,
  { pool, source }: { readonly pool: readonly Worker[]; readonly source: string },
): Belief {
  if (pool.length === 0) throw invalidError(source, ["workers"], "a list of at least one worker", []);
  const late = pool.find(({ arrival }) => arrival > rules.rounds);
  if (late) {
    const expected = `at most ${rules.rounds}, the rounds of the market that is asked about`;
    throw invalidError(source, ["workers", "arrival"], expected, late.arrival);
  }
  const draw = (k: number) => {
    const random = stream.fork(k);
    return ids.map((id) => ({ ...pool[random.below(pool.length)]!, id }));
  };
  return { about: `the ${pool.length} workers of ${source}`, draw };
}

/** How somebody bids who has a type. */
export type Strategy = (type: Worker) => Offer;

export const truthOf: Strategy = ({ cost, arrival }) => ({ price: cost, arrival });
