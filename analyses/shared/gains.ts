/** What lying brings, in the words and numbers that several analyses share. */

import { capital, many, percent, threeDigits } from "../../src/lib/format.js";
import { atLeast, type Estimate, FEWEST } from "../../src/lib/statistics.js";
import type { PooledCounts } from "../../src/lib/summaries.js";
import type { Bid } from "../../src/market/market.js";
import type { Exhibit } from "../../src/report/result.js";
import type { lies } from "../../src/report/vocabulary.js";
import { GUARDED_ONE_IN } from "../../src/responses/guard.js";
import type { Response } from "../../src/responses/index.js";
import type { WorkContext } from "../../src/study/job.js";
import { marketAt, type Place } from "./survey.js";

/** How shares of workers are estimated, for the methods. */
export const pooledText =
  "Shares are of all workers asked, pooled over markets, with the 95 % interval of a ratio estimator that has markets as clusters; where fewer than five markets show a gain, it is no narrower than that of the share of such markets.";

/** The last sentences of the methods: what is computed, what is searched, and who was asked. */
export function exactnessText(exact: boolean, asked: number | null): string {
  const some = asked === null ? "" : `; ${asked} worker${asked === 1 ? "" : "s"} of each market were asked`;
  return exact
    ? `Every worker's best lie is computed over all prices and arrivals, in floating point: markets are a sample, answers are not${some}. Of a program of your own, the truth and the lies named are held to plain runs, and so are points on every piece of one answer in ${GUARDED_ONE_IN}.`
    : `No exact method is known for this mechanism: lies were searched for, a search can miss in every market, and every share and gain is a lower bound${some}.`;
}

/** What was found by a search is a lower bound and has no upper end. */
export const bounded = (found: Estimate, exact: boolean): Estimate => (exact ? found : atLeast(found));

/** "2.2 % of 190,355 workers", or how many where they are next to none. */
export const portion = ({ hits, size }: PooledCounts): string =>
  `${hits < FEWEST ? hits : percent(hits / size)} of ${many(size, "worker")}`;

/** The share of a group's workers. */
export const shareIn = ({ sums: { share } }: { readonly sums: { readonly share: PooledCounts } }): number =>
  share.hits / share.size;

/** As in "workers who can gain". */
export const can = (exact: boolean): string => (exact ? "can" : "were found to");

/** price: at the true arrival; time: at the true price; joint: either or both may be misstated. */
export type LieName = (typeof lies)[number];

/** A worker's best lie of a kind and what it brings; null where none pays. Without bound, it is one of many and gains already. */
export function payingLie(response: Response, lie: LieName = "joint") {
  const { id, truthful, regime, best, bestPrice, bestTime } = response;
  const found = { price: bestPrice, time: bestTime, joint: response.gain > 0 ? best : null }[lie];
  if (found === null) return null;
  const bid: Bid = { worker: id, price: found.price, arrival: found.arrival };
  const most = { price: response.priceGain, time: response.timeGain, joint: response.gain }[lie];
  const unbounded = most === Number.POSITIVE_INFINITY && { unbounded: true };
  return { bid, truthful, gain: found.utility - truthful, regime, ...unbounded };
}

export type PayingLie = Omit<NonNullable<ReturnType<typeof payingLie>>, "unbounded"> & {
  readonly unbounded?: boolean;
};

/** What a paying lie stands for: Infinity where the gain has no bound. */
export const supremumOf = ({ gain, unbounded }: Pick<PayingLie, "gain" | "unbounded">): number =>
  unbounded ? Number.POSITIVE_INFINITY : gain;

/** For a table, which shows what has no bound as no number. */
export const finite = (amount: number | null | undefined): number | null =>
  amount != null && Number.isFinite(amount) ? amount : null;

/** Beside shares and means: how many of those who gain do so without bound; "" where nobody does. */
export const unboundedText = (count: number): string =>
  count === 0
    ? ""
    : `${capital(many(count, "worker"))} of those asked ${count === 1 ? "gains" : "gain"} without bound, by prices as high as they like: means, percentiles and largest gains that this leaves without a number are not shown.`;

export type Witness = PayingLie & Place;

/** A lie to replay on the live bench. */
export function exhibitOf(
  { name, about }: { readonly name: string; readonly about: string },
  { bid, gain, unbounded, truthful, ...place }: Witness,
  context: WorkContext & { readonly rounds: number },
): Exhibit {
  const title = `${about}: worker ${bid.worker} gains ${threeDigits(gain)} on top of ${threeDigits(truthful)}${unbounded ? ", and without bound by higher prices" : ""}`;
  return { name, title, market: marketAt(place, context), mechanism: context.mechanism.name, lie: bid };
}
