/** A worker named on the command line. */

import { InputError } from "../lib/errors.js";
import type { Market } from "../market/market.js";

export function demandWorker({ workers }: Market, id: number, source: string): void {
  if (workers.some((worker) => worker.id === id)) return;
  const expected = `the id of a worker in ${source}`;
  throw new InputError({ source: "--worker", path: [], expected, kind: "invalid", got: id });
}
