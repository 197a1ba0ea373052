/**
 * Best responses that are exact: what floating point proposes is confirmed, or corrected at a knife edge, by the whole price
 * line of every arrival in fractions, up to a size. Above it an answer is computed.
 */

import { NotLinear } from "../auction/amounts.js";
import { simplest } from "../auction/best-price.js";
import { fractionOf, hasTwin } from "../auction/exact.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import {
  type BestLie,
  type FoundLie,
  gainsFrom,
  pricesBeyond,
  type Response,
  type Responses,
} from "../auction/response.js";
import { exactly, type Fraction, toNumber } from "../lib/fraction.js";
import { NEAR_SUPREMUM } from "../lib/search-tolerances.js";
import { type Market, type Offer, possibleArrivals, type Worker, workerOf } from "../market/market.js";
import { replay } from "../properties/certify.js";
import { utilityIn } from "../properties/properties.js";
import { alikeIn, contradiction, type Guarded, isKnifeEdge } from "./guard.js";
import { type LineBest, type PriceLine, priceLine } from "./price-line.js";

/** Up to so many workers times rounds (12 × 10, say), answers to one market are exact. */
export const EXACT_UP_TO = 120;

/** Whether a market is small enough, and the mechanism pays what its program says. */
export const isWithinExact = ({ workers, rules }: Market, mechanism: AnyMechanism): boolean =>
  hasTwin(mechanism) && workers.length * rules.rounds <= EXACT_UP_TO;

/** Answers in fractions where that is possible; the others as they are. */
export function confirmedResponses(responses: Responses, guarded: Guarded): Responses {
  const { market, mechanism } = guarded;
  if (responses.method === "search" || !isWithinExact(market, mechanism)) return responses;
  let { evaluations } = responses;
  try {
    const workers = responses.workers.map((response) => {
      const { response: confirmed, cells } = confirmedResponse(response, guarded);
      evaluations += cells;
      return confirmed;
    });
    return { ...responses, method: "exact", exact: true, evaluations, workers };
  } catch (error) {
    // A whole run may take a step that is not linear in the price where what one worker gets is.
    if (error instanceof NotLinear) return responses;
    throw error;
  }
}

/** A worker's answer: the one proposed if the fractions say the same, and theirs at a knife edge. */
function confirmedResponse(
  response: Response,
  guarded: Guarded,
): { readonly response: Response; readonly cells: number } {
  const { market, mechanism } = guarded;
  const worker = workerOf(market, response.id);
  const line = priceLine(market, worker, mechanism);
  const exact = responseOn(line, response, guarded);
  const alike = alikeIn(market, worker.cost);
  const isAlike = (a: number, b: number) => a === b || Math.abs(a - b) <= alike;
  const gains = ["gain", "priceGain", "timeGain"] as const;
  const confirmed = (["truthful", ...gains] as const).every((field) =>
    isAlike(response[field], exact[field]),
  );
  // A gain below what floating point resolves is one, and one that only rounding makes is none.
  if (confirmed && gains.some((field) => response[field] > 0 !== exact[field] > 0)) {
    const { knifeEdge: _, ...plain } = exact;
    return { response: plain, cells: line.cells };
  }
  if (confirmed) {
    // A lie that is named must bring in fractions what is said of it, and not only up to rounding.
    const lieOf = (field: "best" | "bestPrice"): BestLie | null => {
      const lie = response[field];
      const other = exact[field];
      if (lie === null || other === null) return lie;
      const brings = lie.attained === other.attained && utilityInFractions(guarded, worker, lie);
      return brings !== false && isAlike(lie.utility, brings) ? lie : other;
    };
    const named = { best: lieOf("best") ?? response.best, bestPrice: lieOf("bestPrice") };
    return { response: { ...response, ...named }, cells: line.cells };
  }
  const named = [line.joint, line.price, response.best];
  if (!named.some(({ price, arrival }) => isKnifeEdge(guarded, [{ worker: worker.id, price, arrival }])))
    throw contradiction(
      guarded,
      `worker ${worker.id} was computed to gain ${response.gain}, and gains ${exact.gain} in exact fractions`,
    );
  return { response: exact, cells: line.cells };
}

/** What a lie brings in exact fractions, if the others tell the truth. */
function utilityInFractions(guarded: Guarded, worker: Worker, { price, arrival }: Offer): number {
  const run = replay(guarded, [{ worker: worker.id, price, arrival }]);
  return toNumber(fractionOf(utilityIn(run, worker.id)));
}

/** A worker's answer from its price line alone. */
export function responseOn(line: PriceLine, { id, regime }: Response, guarded: Guarded): Response {
  const { market } = guarded;
  const worker = workerOf(market, id);
  const run = (arrival: number) => {
    const made = replay(guarded, [{ worker: id, price: worker.cost, arrival }]);
    return { arrival, utility: fractionOf(utilityIn(made, id)), startDelay: made.outcome.startDelay };
  };
  const times = possibleArrivals(worker, market.rules).map(run);
  const [truth] = times;
  const latest = times.reduce((a, b) => (b.utility.gt(a.utility) ? b : a));
  const truthful = toNumber(truth!.utility);
  const gainOf = (utility: Fraction) => toNumber(utility.sub(truth!.utility));
  const lieOn = (best: LineBest): FoundLie => ({
    ...foundLie(best, truthful, worker, market.rules.budget),
    gain: best.utility === null ? Number.POSITIVE_INFINITY : gainOf(best.utility),
  });
  const time = {
    lie: { price: worker.cost, arrival: latest.arrival, utility: toNumber(latest.utility), attained: true },
    startDelay: latest.startDelay,
    gain: gainOf(latest.utility),
  };
  const best = { joint: lieOn(line.joint), price: lieOn(line.price), time };
  const known = { worker, truthful, startDelay: truth!.startDelay, noise: 0 };
  return { id, regime, ...gainsFrom({ ...known, best }), knifeEdge: true };
}

function foundLie(best: LineBest, truthful: number, { cost }: Worker, budget: number): FoundLie {
  const { arrival, utility, attained, startDelay } = best;
  const from = toNumber(best.from);
  const slope = toNumber(best.slope);
  const to = best.to === null ? Number.POSITIVE_INFINITY : toNumber(best.to);
  if (utility === null) {
    const utilityFrom = toNumber(best.inside.sub(best.price.sub(best.from).mul(best.slope)));
    const price = simplest(...pricesBeyond({ from, utilityFrom, slope }, truthful, budget));
    const lie = { price, arrival, utility: utilityFrom + slope * (price - from), attained: false };
    return { lie, startDelay, unbounded: true };
  }
  const lie = {
    price: priceOn({ from, to, slope }, best, cost),
    arrival,
    utility: toNumber(utility),
    attained,
  };
  return { lie, startDelay };
}

/** A price of the cell that brings its best: the true one, or one of few digits, where all of them do. */
function priceOn(
  { from, to, slope }: { from: number; to: number; slope: number },
  best: LineBest,
  cost: number,
): number {
  const nearest = toNumber(best.price);
  const isIn = exactly(nearest).gte(best.from) && (best.to === null || exactly(nearest).lte(best.to));
  // No decimal may write the end of a cell that is longer than a point: then as for an end that no price attains.
  if (!best.attained || (slope !== 0 && !isIn && from < to)) {
    const end = slope > 0 ? to : from;
    const step = Math.min(NEAR_SUPREMUM * (end || to), (to - from) / 2);
    return slope > 0 ? end - step : end + step;
  }
  if (slope !== 0 || from === to) return nearest;
  return cost > from && cost < to ? cost : simplest(from, to);
}
