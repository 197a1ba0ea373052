/** How much it pays to lie in several auctions, in the same markets. */

import type { Pool } from "../analysis.js";
import { bestResponses, isExact, type Response, searchResponses } from "../best-response/index.js";
import type { Bid, Market } from "../market.js";
import { type AnyMechanism, hold } from "../mechanism.js";
import type { Stream } from "../random.js";
import type { Regime } from "../regime.js";
import { type PublisherAccount, publisherAccount } from "../utility.js";
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
  readonly proof: boolean;
  /** The lie that gains most; null where none gains. */
  readonly best: Bid | null;
  readonly most: number;
}

interface Comparison {
  readonly mechanisms: readonly AnyMechanism[];
  /** Auctions that are searched although they are proved truthful: the meter must read 0. */
  readonly controls: readonly AnyMechanism[];
  readonly stream: Stream;
  readonly pool: Pool;
}

/** The looks of each auction by market, and those of each control. */
export interface Looks {
  readonly byAuction: ReadonlyMap<string, readonly Look[]>;
  readonly byControl: ReadonlyMap<string, readonly Look[]>;
}

export async function looksAt(
  sizes: Sizes,
  { mechanisms, controls, stream, pool }: Comparison,
): Promise<Looks> {
  const ks = Array.from({ length: sizes.markets }, (_, k) => k);
  const rows = await pool.map(ks, (k) => {
    const market = marketAt(sizes, k, stream);
    const chosen = k < sizes.searched ? stream.fork("chosen").fork(k).below(sizes.workers) : null;
    const search = { chosen, effort: sizes.effort };
    return {
      plain: mechanisms.map((mechanism) => look(market, mechanism, search)),
      control: controls.map((mechanism) => lookedFor(market, mechanism, search)),
    };
  });
  const named = (all: readonly AnyMechanism[], of: "plain" | "control") =>
    new Map(all.map(({ name }, column) => [name, rows.map((row) => row[of][column]!)]));
  return { byAuction: named(mechanisms, "plain"), byControl: named(controls, "control") };
}

interface Search {
  readonly chosen: number | null;
  readonly effort: number;
}

function look(market: Market, mechanism: AnyMechanism, search: Search): Look {
  if (!isExact(mechanism)) return lookedFor(market, mechanism, search);
  const { workers, evaluations, proof } = bestResponses(market, { mechanism });
  return { ...summed(market, mechanism, workers), evaluations, proof: proof !== undefined };
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
