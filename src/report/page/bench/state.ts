/** What is on the bench: a market, an auction, a worker and what it says; all of it from the page's address. */

import type { Exhibit } from "../../../analysis.js";
import { drawMarket } from "../../../draw.js";
import { plainError } from "../../../errors.js";
import type { Bid, Market, Reading, Worker } from "../../../market.js";
import type { AnyMechanism } from "../../../mechanism.js";
import { mechanismNamed } from "../../../mechanisms/variant.js";
import { stream } from "../../../random.js";
import { contents } from "../contents.js";

export interface Bench {
  /** Null for a market that was drawn. */
  readonly exhibit: Exhibit | null;
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  readonly worker: Worker;
  readonly bid: Bid;
}

/** The form's own values stand in for what the address leaves out. */
export type Get = (name: string) => string;

export function benchOf(get: Get): Bench {
  const exhibit = exhibitNamed(get("exhibit"));
  const market = exhibit?.market ?? drawn(get);
  const mechanism = mechanismNamed(get("auction") || (exhibit?.mechanism ?? "online"));
  const worker = workerFor(market, get("worker"), exhibit?.lie ?? null);
  return { exhibit, market, mechanism, worker, bid: bidOf(get, worker, exhibit?.lie ?? null) };
}

function exhibitNamed(path: string): Exhibit | null {
  const [analysis = "", ...name] = path.split("/");
  return contents.get(analysis)?.exhibits.get(name.join("/")) ?? null;
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

function workerFor({ workers }: Market, id: string, lie: Bid | null): Worker {
  const wanted = id === "" ? lie?.worker : Number(id);
  return workers.find((worker) => worker.id === wanted) ?? workers[0]!;
}

function bidOf(get: Get, worker: Worker, lie: Bid | null): Bid {
  const shown = lie?.worker === worker.id ? lie : { price: worker.cost, arrival: worker.arrival };
  const price = get("price") === "" ? shown.price : Math.max(0, numberIn(get, "price"));
  const arrival = get("arrival") === "" ? shown.arrival : numberIn(get, "arrival");
  return { worker: worker.id, price, arrival: Math.max(worker.arrival, arrival) };
}
