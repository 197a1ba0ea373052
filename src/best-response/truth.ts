/** Best responses to a mechanism that no lie gains against: the truth, with the proof instead of a search. */

import type { Market } from "../market/market.js";
import { type AnyMechanism, hold } from "../mechanisms/mechanism.js";
import { regimeOf } from "../mechanisms/regime.js";
import { workerUtility } from "../mechanisms/utility.js";
import { assemble } from "./assemble.js";
import { workerOf } from "./deviation.js";
import type { Responses } from "./types.js";

export function truthResponses(
  market: Market,
  mechanism: AnyMechanism,
  chosen?: readonly number[],
): Responses {
  const outcome = hold(mechanism, market);
  const wanted = chosen ? new Set(chosen) : null;
  const workers = outcome.workers
    .filter(({ id }) => !wanted || wanted.has(id))
    .map((allotment) => {
      const worker = workerOf(market, allotment.id);
      const truthful = workerUtility(worker, allotment);
      const { startDelay } = outcome;
      return assemble({
        worker,
        truthful,
        startDelay,
        regime: regimeOf(outcome, worker.id),
        noise: 0,
        best: null,
      });
    });
  const proof = mechanism.truthful ?? "";
  return { mechanism: mechanism.name, method: "exact", exact: true, evaluations: 1, proof, workers };
}
