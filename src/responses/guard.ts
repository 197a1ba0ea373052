/**
 * Answers that are computed in floating point are held to plain runs of the mechanism: at the truth, at the lies that are
 * named, and at points drawn on every piece. What differs is either a knife edge ([M13]), which exact fractions show, or a
 * contradiction: then nothing that is said of the mechanism can be believed, and the command stops.
 */

import { askAgain } from "../auction/ask-again.js";
import { type AnyMechanism, runAuction } from "../auction/mechanism.js";
import { allotmentOf, workerUtility } from "../auction/outcome.js";
import type { Piece } from "../auction/piece.js";
import { isBuiltIn } from "../auction/program.js";
import type { BestLie, Response } from "../auction/response.js";
import { plainError } from "../lib/errors.js";
import { stream } from "../lib/random.js";
import { ALIKE, KNIFE_EDGE_GAP } from "../lib/search-tolerances.js";
import type { Bid, Market, Worker } from "../market/market.js";
import { type ExactBid, replay } from "../properties/certify.js";

/** In studies, the pieces of one answer in so many are held to plain runs; the truth and the lies named are in all. */
export const GUARDED_ONE_IN = 10;

/** How many points are drawn on every piece. */
const POINTS = 2;

/** Whether a mechanism's program is built in, and so held to fractions and to plain runs by tests. */
export const hasBuiltInProgram = ({ program }: AnyMechanism): boolean =>
  program !== undefined && isBuiltIn(program);

export interface Guarded {
  readonly mechanism: AnyMechanism;
  readonly market: Market;
  /** What the market is called in messages. */
  readonly source: string;
}

/** "a market of 3 workers with budget 1 and 2 rounds". */
export const describeMarket = ({ rules, workers }: Market): string =>
  `a market of ${workers.length} worker${workers.length === 1 ? "" : "s"} with budget ${rules.budget} and ${rules.rounds} rounds`;

/** Amounts of this market that differ by less are alike. */
export const alikeIn = ({ rules }: Market, cost: number): number =>
  ALIKE * Math.max(rules.budget, cost * rules.rounds);

/** What to throw; one that answers differently by now contradicts itself, and throws that. */
export function contradiction({ mechanism, market, source }: Guarded, what: string): Error {
  askAgain(mechanism, market);
  return plainError(
    source,
    `internal contradiction about mechanism ${mechanism.name}: ${what}; nothing computed about it can be relied on`,
  );
}

/** Whether the truth, or a run with these bids, in fractions, has a decision that hangs by a knife edge. */
export function isKnifeEdge(guarded: Guarded, bids: readonly ExactBid[]): boolean {
  if (guarded.mechanism.program === undefined) return false;
  return [[], bids].some((lies) => replay(guarded, lies).outcome.narrowestGap < KNIFE_EDGE_GAP);
}

/** What a worker gets in a plain run, if the others tell the truth. */
function plainUtility({ mechanism, market }: Guarded, worker: Worker, { price, arrival }: Bid): number {
  const outcome = runAuction(mechanism, market, [{ worker: worker.id, price, arrival }]);
  return workerUtility(worker, allotmentOf(outcome, worker.id));
}

/**
 * Whether the lies that are named, and points on some pieces, bring in plain runs what was computed, but for knife edges:
 * false where one was met. Throws where they bring something else.
 */
export function agreesWithPlainRuns(
  guarded: Guarded,
  worker: Worker,
  response: Pick<Response, "best" | "bestPrice" | "bestTime">,
  pieces: readonly Piece[],
): boolean {
  const { id, cost } = worker;
  const points = [
    ...[response.best, response.bestPrice, response.bestTime].filter((lie): lie is BestLie => lie !== null),
    ...pieces.flatMap((piece, k) => pointsOn(piece, `${id} ${k}`)),
  ];
  const alike = alikeIn(guarded.market, cost);
  let agrees = true;
  for (const { price, arrival, utility } of points) {
    const bid = { worker: id, price, arrival };
    const plain = plainUtility(guarded, worker, bid);
    // A price so high that its payment dwarfs the budget rounds on its own scale.
    if (Math.abs(plain - utility) <= Math.max(alike, ALIKE * Math.abs(utility))) continue;
    if (!isKnifeEdge(guarded, [bid])) {
      const said = `worker ${id} was computed to get ${utility} by bidding ${price} at arrival ${arrival}`;
      throw contradiction(guarded, `${said}, and gets ${plain} in a plain run`);
    }
    agrees = false;
  }
  return agrees;
}

/** The same points of the same piece at every run. */
function pointsOn(piece: Piece, name: string) {
  const { arrival, from, to, utilityFrom, slope } = piece;
  if (from === to) return [{ price: from, arrival, utility: utilityFrom }];
  const draws = stream("guard").fork(name);
  return Array.from({ length: POINTS }, () => {
    const part = 0.01 + 0.98 * draws.next();
    const price =
      to === Number.POSITIVE_INFINITY ? from + (from || 1) * (0.01 + part) : from + part * (to - from);
    return { price, arrival, utility: utilityFrom + slope * (price - from) };
  });
}

/** Whether the pieces of this answer are in the sample that studies look at: always the same ones. */
export const isSampled = ({ rules }: Market, { id, cost, arrival }: Worker): boolean =>
  stream("guarded")
    .fork(JSON.stringify([rules.budget, id, cost, arrival]))
    .next() <
  1 / GUARDED_ONE_IN;
