/** How much it pays to lie in several auctions, in the same markets. */

import { bestResponses, isExact, type Response, searchResponses } from "../../../src/best-response/index.js";
import type { Bid, Market } from "../../../src/market/market.js";
import { type AnyMechanism, hold } from "../../../src/mechanisms/mechanism.js";
import type { Regime } from "../../../src/mechanisms/regime.js";
import { type PublisherAccount, publisherAccount } from "../../../src/mechanisms/utility.js";
import type { Pool } from "../../../src/study/analysis.js";
import { listing, type WorkContext } from "../../../src/study/job.js";
import { marketAt, type Setting } from "./accounts.js";
import { repairNames } from "./held.js";

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
  readonly proof: boolean;
  /** The lie that gains most; null where none gains. */
  readonly best: Bid | null;
  readonly most: number;
}

/** The looks of each auction by market, and those of each control. */
export interface Looks {
  readonly byAuction: ReadonlyMap<string, readonly Look[]>;
  readonly byControl: ReadonlyMap<string, readonly Look[]>;
}

/** Auctions that are searched although they are proved truthful: the meter must read 0. */
const controlsIn = ({ mechanisms }: WorkContext): AnyMechanism[] =>
  mechanisms.filter(({ name }) => repairNames.includes(name));

/** One market: a look at each auction, and at each control. */
interface Row {
  readonly plain: readonly Look[];
  readonly control: readonly Look[];
}

export const looksJob = listing<Sizes, Row>(
  (sizes, k, context) => {
    const { mechanisms, stream } = context;
    const market = marketAt(sizes, k, stream);
    const chosen = k < sizes.searched ? stream.fork("chosen").fork(k).below(sizes.workers) : null;
    const search = { chosen, effort: sizes.effort };
    return {
      plain: mechanisms.map((mechanism) => look(market, mechanism, search)),
      control: controlsIn(context).map((mechanism) => lookedFor(market, mechanism, search)),
    };
  },
  ({ workers, searched, effort }) => 2 + 0.05 * workers + (searched > 0 ? 0.01 * effort * workers : 0),
);

export async function looksAt(sizes: Sizes, context: WorkContext & { readonly pool: Pool }): Promise<Looks> {
  const { workers, budget, markets, searched, effort } = sizes;
  const cell = { workers, budget, markets, searched, effort };
  const [rows] = await context.pool.gather(looksJob, [{ cell, markets }]);
  const named = (all: readonly AnyMechanism[], of: keyof Row) =>
    new Map(all.map(({ name }, column) => [name, (rows ?? []).map((row) => row[of][column]!)]));
  return { byAuction: named(context.mechanisms, "plain"), byControl: named(controlsIn(context), "control") };
}

interface Search {
  readonly chosen: number | null;
  readonly effort: number;
}

function look(market: Market, mechanism: AnyMechanism, search: Search): Look {
  if (!isExact(mechanism)) return lookedFor(market, mechanism, search);
  const { workers, evaluations } = bestResponses(market, { mechanism });
  return { ...summed(market, mechanism, workers), evaluations, proof: false };
}

function lookedFor(market: Market, mechanism: AnyMechanism, { chosen, effort }: Search): Look {
  const found =
    chosen === null
      ? { workers: [], evaluations: 0 }
      : searchResponses(market, { mechanism, workers: [chosen], effort });
  return { ...summed(market, mechanism, found.workers), evaluations: found.evaluations, proof: false };
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
