/** How much it pays to lie in several auctions, in the same markets. */

import { bestResponses, isExact, type Response, searchResponses } from "../../../src/best-response/index.js";
import type { Bid, Market } from "../../../src/market/market.js";
import { type AnyMechanism, hold } from "../../../src/mechanisms/mechanism.js";
import { type PublisherAccount, publisherAccount, type Regime } from "../../../src/mechanisms/outcome.js";
import type { Pool } from "../../../src/study/analysis.js";
import { listing, type WorkContext } from "../../../src/study/job.js";
import { marketAt, type Setting } from "./accounts.js";

export interface Sizes extends Setting {
  readonly markets: number;
  /** In how many of them one worker's best lie is searched for where no exact method is known. */
  readonly searched: number;
  /** Of a search, for one worker. */
  readonly effort: number;
}

/** What became of one worker. */
export interface Fate {
  readonly regime: Regime;
  readonly truthful: number;
  readonly gain: number;
}

/** One auction in one market: everybody's fate where that is exact, one worker's where it is searched, or nobody's. */
export interface Look {
  readonly account: PublisherAccount;
  readonly fates: readonly Fate[];
  readonly evaluations: number;
  /** The lie that gains most; null where none gains. */
  readonly best: Bid | null;
  readonly most: number;
}

/** In one market, a look at each auction. */
export const looksJob = listing<Sizes, readonly Look[]>(
  (sizes, k, { mechanisms, stream }) => {
    const market = marketAt(sizes, k, stream);
    const chosen = k < sizes.searched ? stream.fork("chosen").fork(k).below(sizes.workers) : null;
    const search = { chosen, effort: sizes.effort };
    return mechanisms.map((mechanism) => look(market, mechanism, search));
  },
  ({ workers, searched, effort }) => 0.045 * workers ** 2.4 + (searched > 0 ? 0.01 * effort : 0),
);

/** The looks at each auction, by market. */
export async function looksAt(
  sizes: Sizes,
  context: WorkContext & { readonly pool: Pool },
): Promise<ReadonlyMap<string, readonly Look[]>> {
  const { workers, budget, markets, searched, effort } = sizes;
  const cell = { workers, budget, markets, searched, effort };
  const [rows] = await context.pool.gather(looksJob, [{ cell, markets }]);
  return new Map(
    context.mechanisms.map(({ name }, column) => [name, (rows ?? []).map((row) => row[column]!)]),
  );
}

interface Search {
  readonly chosen: number | null;
  readonly effort: number;
}

function look(market: Market, mechanism: AnyMechanism, search: Search): Look {
  if (!isExact(mechanism)) return lookedFor(market, mechanism, search);
  const { workers, evaluations } = bestResponses(market, { mechanism });
  return { ...summed(market, mechanism, workers), evaluations };
}

function lookedFor(market: Market, mechanism: AnyMechanism, { chosen, effort }: Search): Look {
  const found =
    chosen === null
      ? { workers: [], evaluations: 0 }
      : searchResponses(market, { mechanism, workers: [chosen], effort });
  return { ...summed(market, mechanism, found.workers), evaluations: found.evaluations };
}

function summed(market: Market, mechanism: AnyMechanism, responses: readonly Response[]) {
  const top = responses.reduce<Response | null>(
    (best, one) => (one.gain > (best?.gain ?? 0) ? one : best),
    null,
  );
  return {
    account: publisherAccount(market.workers, hold(mechanism, market)),
    fates: responses.map(({ regime, truthful, gain }) => ({ regime, truthful, gain })),
    best: top && { worker: top.id, price: top.best.price, arrival: top.best.arrival },
    most: top?.gain ?? 0,
  };
}
