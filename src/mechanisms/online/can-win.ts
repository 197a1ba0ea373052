/** Whether some bid gets a worker selected and paid by the paper's auction, as far as one run shows it. */

import type { Outcome } from "../../auction/outcome.js";
import type { RulingEvent, TraceSink } from "../../auction/trace-events.js";
import { atMost } from "../../lib/tolerance.js";
import type { Market, Worker } from "../../market/market.js";
import { startsOf } from "./starts.js";

/**
 * What one run of the paper's auction shows about everybody; null where it does not decide. A worker that comes after the
 * start is considered in every round, and until it is admitted it changes nothing for its group: it wins if its need fits in
 * one of them. A worker that is there at a first step wins it by bidding 0, if enough others then do.
 */
export function canWin(
  market: Market,
  run: (trace: TraceSink) => Outcome,
): (worker: Worker) => boolean | null {
  const { rules } = market;
  const { startDelay, offered } = offersIn(market, run);
  const firstStep = answersOfFirstStep(market);
  return (worker) => {
    if (worker.reputation === 0) return false;
    if (startDelay !== null && worker.arrival > startDelay + 1) return offered.has(worker.id);
    // Above a ratio of 1/2 the pseudocode may take the first step's payment back.
    return rules.reading === "prose" || rules.firstRoundRatio <= 0.5 ? firstStep(worker) : null;
  };
}

/** Workers that are too dear in a round in which their need would fit. */
function offersIn(
  market: Market,
  run: (trace: TraceSink) => Outcome,
): { startDelay: number | null; offered: Set<number> } {
  const { rules, workers } = market;
  const reputation = new Map(workers.map((worker) => [worker.id, worker.reputation]));
  const half = rules.budget / 2;
  const offered = new Set<number>();
  const fits = ({ worker, round, threshold, left }: RulingEvent): boolean => {
    const need = (rules.rounds - round + 1) * reputation.get(worker)! * threshold!;
    return need > 0 && atMost(half - left + need, half);
  };
  const { startDelay } = run((event) => {
    if (event.kind === "ruling" && event.ruling === "dear" && fits(event)) offered.add(event.worker);
  });
  return { startDelay, offered };
}

/** Whether a worker wins and is paid at the first clock at which its bid of 0, or its absence, lets the task start. */
function answersOfFirstStep({ rules, workers }: Market): (worker: Worker) => boolean | null {
  const { starts, rowOf } = startsOf({ rules, workers });
  const last = starts.engine.lastArrival;
  return ({ id, reputation, arrival }) => {
    for (let clock = arrival; clock <= last; clock++) {
      const { step } = starts.at(clock);
      step.at(rowOf(id), reputation, 0);
      if (step.taken + 1 >= rules.minWorkers) return step.starDensity > 0 ? true : null;
      step.without(rowOf(id));
      // By the prose a higher bid may win with more others ([M5]).
      if (step.taken >= rules.minWorkers || rules.firstStep === "prose") return null;
    }
    // Whoever comes after everybody else may have a shorter task start.
    return rules.delay === "postpone" ? false : null;
  };
}
