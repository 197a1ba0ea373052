/** What is on the live bench: a market, an auction, a worker and what it says; all of it from the page's address. */

import { bestResponses, pieces } from "../../../best-response/index.js";
import { plainError } from "../../../lib/errors.js";
import { stream } from "../../../lib/random.js";
import { drawMarket } from "../../../market/draw.js";
import type { Bid, Market, Reading, Worker } from "../../../market/market.js";
import { mechanismNamed } from "../../../mechanisms/index.js";
import type { AnyMechanism } from "../../../mechanisms/mechanism.js";
import type { Exhibit } from "../../result.js";
import { contents } from "../contents.js";

export interface BenchState {
  /** Null for a market that was drawn. */
  readonly exhibit: Exhibit | null;
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  readonly worker: Worker;
  readonly bid: Bid;
}

/** A field of the address; the form's own value where a drawn market leaves one out, "" else. */
export type Get = (name: string) => string;

/** The address says so where a market is drawn and not picked. */
export const DRAWN = "drawn";

/** What is needed to draw a market. */
export const drawFields = ["workers", "budget", "rounds", "ratio", "minimum", "seed", "under"] as const;

export function benchState(get: Get): BenchState {
  const exhibit = exhibitNamed(get("exhibit"));
  const market = exhibit?.market ?? drawn(get);
  const mechanism = mechanismNamed(get("auction") || (exhibit?.mechanism ?? "online"));
  const lie = exhibit?.lie ?? null;
  const worker = workerFor({ market, mechanism, lie }, get("worker"));
  return { exhibit, market, mechanism, worker, bid: bidOf(get, worker, lie) };
}

/** The one that is named; where nothing is said, one with a lie to look at. */
function exhibitNamed(path: string): Exhibit | null {
  const [analysis = "", ...name] = path.split("/");
  if (path !== "") return contents.get(analysis)?.exhibits.get(name.join("/")) ?? null;
  const all = [...contents.values()].flatMap(({ exhibits }) => [...exhibits.values()]);
  return all.find(({ lie }) => lie !== null) ?? null;
}

/** As the command line's draw does with the same numbers. */
function drawn(get: Get): Market {
  const rules = {
    budget: numberIn(get, "budget"),
    rounds: numberIn(get, "rounds"),
    firstRoundRatio: numberIn(get, "ratio"),
    minWorkers: numberIn(get, "minimum"),
    reading: get("under") as Reading,
  };
  return drawMarket({ rules, workers: numberIn(get, "workers") }, stream(numberIn(get, "seed")).fork(0));
}

function numberIn(get: Get, name: string): number {
  const value = Number(get(name));
  if (get(name).trim() !== "" && Number.isFinite(value)) return value;
  throw plainError(name, "must be a number");
}

/** The one that is named; else the liar of the exhibit; else the one with most to gain. */
function workerFor(
  { market, mechanism, lie }: Pick<Exhibit, "market" | "lie"> & { readonly mechanism: AnyMechanism },
  named: string,
): Worker {
  const known = (id: number | undefined) => market.workers.find((worker) => worker.id === id);
  const liar = known(named === "" ? lie?.worker : Number(named));
  if (liar) return liar;
  const [best] = [...gainsOf(market, mechanism)].sort(([, a], [, b]) => b - a);
  return known(best?.[0]) ?? market.workers[0]!;
}

function bidOf(get: Get, worker: Worker, lie: Bid | null): Bid {
  const shown = lie?.worker === worker.id ? lie : { price: worker.cost, arrival: worker.arrival };
  const price = get("price") === "" ? shown.price : Math.max(0, numberIn(get, "price"));
  const arrival = get("arrival") === "" ? shown.arrival : numberIn(get, "arrival");
  return { worker: worker.id, price, arrival: Math.max(worker.arrival, arrival) };
}

let knownGains: { readonly of: string; readonly gains: ReadonlyMap<number, number> } | null = null;

/** What each worker of a market could gain, by id; empty where that takes a search and cannot be told at once. */
export function gainsOf(market: Market, mechanism: AnyMechanism): ReadonlyMap<number, number> {
  const of = JSON.stringify([market, mechanism.name]);
  if (knownGains?.of === of) return knownGains.gains;
  const [first] = market.workers;
  const exact = first !== undefined && pieces(market, first.id, mechanism) !== null;
  const workers = exact ? bestResponses(market, { mechanism }).workers : [];
  knownGains = { of, gains: new Map(workers.map(({ id, gain }) => [id, gain])) };
  return knownGains.gains;
}
