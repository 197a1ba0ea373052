/** Best responses on the command line: a search of many workers shows progress and can be interrupted. */

import { bestResponses, isExact, type Response, type Responses } from "../best-response/index.js";
import type { Market } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import type { Session } from "./session.js";

interface Request {
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  /** This worker only. */
  readonly worker?: number | undefined;
  /** About how many lies are tried for each worker where they are searched for. */
  readonly effort?: number | undefined;
}

/** Everybody's responses, or those found until Ctrl-C. */
export async function respond(request: Request, session: Session): Promise<Responses> {
  const { market, mechanism, worker, effort } = request;
  const options = { mechanism, ...(effort !== undefined && { effort }) };
  const ids = worker === undefined ? market.workers.map(({ id }) => id) : [worker];
  if (isExact(mechanism) || ids.length < 2) return bestResponses(market, { ...options, workers: ids });
  const progress = session.progress(`searching lies to ${mechanism.name}`);
  const found: Response[] = [];
  let evaluations = 0;
  let seeds: Responses["seeds"];
  for (const id of ids.sort((a, b) => a - b)) {
    const one = bestResponses(market, { ...options, workers: [id] });
    found.push(...one.workers);
    evaluations += one.evaluations;
    seeds = one.seeds;
    progress.tick("worker", ids.length);
    if (!(await session.goesOn())) break;
  }
  progress.clear();
  const how = { method: "search", exact: false, evaluations, ...(seeds !== undefined && { seeds }) } as const;
  return { mechanism: mechanism.name, ...how, workers: found };
}
