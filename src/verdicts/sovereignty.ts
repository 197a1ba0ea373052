/** P4, consumer sovereignty: whether some bid gets a worker selected and paid. */

import { pieces } from "../best-response/index.js";
import { startsOf } from "../best-response/online-starts.js";
import { Deviation } from "../best-response/search.js";
import { atMost, rounding } from "../lib/tolerance.js";
import type { Market, Rules, Worker } from "../market/market.js";
import { type AnyMechanism, hold, type Outcome, unvaried } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import type { RulingEvent } from "../mechanisms/trace.js";

/** A function that says of each worker whether a bid that gets it selected and paid was found, given the truthful run. */
export function winningBids(
  mechanism: AnyMechanism,
  market: Market,
  truth: Outcome,
): (worker: Worker) => boolean {
  const base = unvaried(mechanism, market);
  const isPaid = paidUnder(base.market.rules);
  const paid = new Set(truth.workers.filter(isPaid).map(({ id }) => id));
  const known = base.mechanism === online ? answersOfOneRun(base.market) : () => null;
  return (worker) => paid.has(worker.id) || (known(worker) ?? someBidWins(mechanism, market, worker));
}

type Paid = (allotment: { readonly selectedAt: number | null; readonly payment: number }) => boolean;

/** Only the pseudocode lowers payments ([M11]): what then remains of one may be a rounding error. */
function paidUnder({ reading, budget }: Rules): Paid {
  const noise = reading === "pseudocode" ? rounding(budget) : 0;
  return ({ selectedAt, payment }) => selectedAt !== null && payment > noise;
}

/**
 * What one run of the paper's auction shows about everybody; null where it does not decide. A worker that comes after the
 * start is considered in every round, and until it is admitted it changes nothing for its group: it wins if its need fits in
 * one of them. A worker that is there at a first step wins it by bidding 0, if enough others then do.
 */
function answersOfOneRun(market: Market): (worker: Worker) => boolean | null {
  const { rules } = market;
  const { startDelay, offered } = offersIn(market);
  const firstStep = answersOfFirstStep(market);
  return (worker) => {
    if (worker.reputation === 0) return false;
    if (startDelay !== null && worker.arrival > startDelay + 1) return offered.has(worker.id);
    // Above a ratio of 1/2 the pseudocode may take the first step's payment back.
    return rules.reading === "prose" || rules.firstRoundRatio <= 0.5 ? firstStep(worker) : null;
  };
}

/** Workers that are too dear in a round in which their need would fit. */
function offersIn(market: Market): { startDelay: number | null; offered: Set<number> } {
  const { rules, workers } = market;
  const reputation = new Map(workers.map((worker) => [worker.id, worker.reputation]));
  const half = rules.budget / 2;
  const offered = new Set<number>();
  const fits = ({ worker, round, threshold, left }: RulingEvent): boolean => {
    const need = (rules.rounds - round + 1) * reputation.get(worker)! * threshold!;
    return need > 0 && atMost(half - left + need, half);
  };
  const { startDelay } = hold(online, market, [], (event) => {
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
      if (step.others + 1 >= rules.minWorkers) return step.starDensity > 0 ? true : null;
      step.without(rowOf(id));
      if (step.others >= rules.minWorkers) return null;
    }
    return false;
  };
}

/** Bids of 0 first; then, where they are known, all there are, as if it worked for nothing: its utility is then its pay. */
function someBidWins(mechanism: AnyMechanism, market: Market, worker: Worker): boolean {
  const isPaid = paidUnder(unvaried(mechanism, market).market.rules);
  const deviation = new Deviation(mechanism, market, worker);
  const wins = (price: number, arrival: number): boolean =>
    deviation.outcome(price, arrival).workers.some((other) => other.id === worker.id && isPaid(other));
  if (wins(0, worker.arrival)) return true;
  const workers = market.workers.map((other) => (other.id === worker.id ? { ...other, cost: 0 } : other));
  const known = pieces({ ...market, workers }, worker.id, mechanism);
  if (known)
    return known.some(({ selectedAt, utilityFrom, utilityTo }) =>
      isPaid({ selectedAt, payment: Math.max(utilityFrom, utilityTo) }),
    );
  return deviation.arrivals.some((arrival) =>
    [0, 1e-6 * worker.cost, worker.cost].some((price) => wins(price, arrival)),
  );
}
