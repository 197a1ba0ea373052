/** What every price would bring a worker, for every arrival. */

import { type BestLie, bestResponses, type Piece, pieces } from "../../../best-response/index.js";
import { negligible } from "../../../lib/tolerance.js";
import type { Market, Worker } from "../../../market/market.js";
import { type AnyMechanism, hold } from "../../../mechanisms/mechanism.js";
import { workerUtility } from "../../../mechanisms/outcome.js";
import type { Row } from "../../result.js";

export interface Landscape {
  readonly rows: readonly Row[];
  /** The largest price shown. */
  readonly priceLimit: number;
  readonly best: BestLie;
  readonly truthful: number;
  /** Whether every price was looked at, or only some. */
  readonly exact: boolean;
}

/** Prices looked at for each arrival where no exact method is known. */
const SAMPLED = 80;

interface LandscapeInput {
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  readonly worker: Worker;
}

export function computeLandscape({ market, mechanism, worker }: LandscapeInput): Landscape {
  const [response] = bestResponses(market, { mechanism, workers: [worker.id] }).workers;
  const { best, truthful } = response!;
  const found = pieces(market, worker.id, mechanism);
  const priceLimit = limitOf(found ?? [], Math.max(best.price, worker.cost) || rate(market));
  const rows =
    found === null
      ? sampled({ market, mechanism, worker }, priceLimit)
      : exactRows(found, priceLimit, negligible(market.rules.budget));
  return { rows, priceLimit, best, truthful, exact: found !== null };
}

/** What the budget pays for a round: a price to look at where all that matters is 0. */
const rate = ({ rules }: Market): number => rules.budget / rules.rounds || 1;

/** A little beyond the last price that matters. */
function limitOf(found: readonly Piece[], shown: number): number {
  const matter = found
    .filter(({ utilityFrom, utilityTo }) => utilityFrom !== 0 || utilityTo !== 0)
    .map(({ from, to }) => (Number.isFinite(to) ? to : from));
  return 1.15 * Math.min(Math.max(shown * 1.5, ...matter), shown * 12);
}

function exactRows(found: readonly Piece[], limit: number, noise: number): Row[] {
  return found.flatMap((piece) => {
    const { arrival, from, to, utilityFrom } = piece;
    if (from > limit) return [];
    if (from === to) {
      return standsOut(piece, found, noise)
        ? [{ what: "point", price: from, utility: utilityFrom, arrival }]
        : [];
    }
    const price2 = Math.min(to, limit);
    const share = Number.isFinite(to) ? (price2 - from) / (to - from) : 0;
    const utility2 = utilityFrom + share * (piece.utilityTo - utilityFrom);
    return [{ what: "piece", price: from, price2, utility: utilityFrom, utility2, arrival }];
  });
}

/** Whether a single price pays otherwise than the prices beside it. */
const standsOut = (point: Piece, found: readonly Piece[], noise: number): boolean =>
  !found.some(
    ({ arrival, from, to, utilityFrom, utilityTo }) =>
      from !== to &&
      arrival === point.arrival &&
      ((to === point.from && Math.abs(utilityTo - point.utilityFrom) <= noise) ||
        (from === point.from && Math.abs(utilityFrom - point.utilityFrom) <= noise)),
  );

function sampled({ market, mechanism, worker }: LandscapeInput, limit: number): Row[] {
  const rows: Row[] = [];
  for (let arrival = worker.arrival; arrival <= market.rules.rounds; arrival++)
    for (let k = 0; k <= SAMPLED; k++) {
      const price = (limit * k) / SAMPLED;
      const outcome = hold(mechanism, market, [{ worker: worker.id, price, arrival }]);
      const allotment = outcome.workers.find(({ id }) => id === worker.id)!;
      rows.push({ what: "point", price, utility: workerUtility(worker, allotment), arrival });
    }
  return rows;
}
