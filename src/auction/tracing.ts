/** Writes down what an auction's observer hears, in numbers and with the knife edges among its decisions ([M13]). */

import { knifeEdge } from "../lib/tolerance.js";
import type { Amount, Peeking } from "./amounts.js";
import {
  type Candidate,
  hasArrived,
  inOrder,
  insideOf,
  type Observer,
  type Purse,
  type RulingAmounts,
  type Sample,
  type ShareTerms,
  type Terms,
} from "./auction.js";
import type { RulingEvent, Share, TraceSink } from "./trace-events.js";

/** An observer of a run in some arithmetic, whose events go to a sink. */
export const tracing =
  (sink: TraceSink) =>
  (math: Peeking): Observer => ({
    sample(sample, terms) {
      sink({ kind: "sample", round: terms.by, share: describe(sample, terms) });
    },
    start(sample, terms, { clock, enough, starts, paid }) {
      sink({
        kind: "start",
        clock,
        share: describe(sample, terms),
        minWorkers: enough,
        enough: starts,
        payments: paid.map(({ worker, payment }) => ({ worker: worker.id, payment: math.value(payment) })),
      });
    },
    round({ round, clock, budget, samples, purses }) {
      const terms = { by: clock, buys: 1, budget };
      const left = ({ limit, spent }: Purse) => math.value(math.minus(limit, spent));
      sink({
        kind: "round",
        round,
        clock,
        sampleBudget: 2 * math.value(budget),
        shares: [describe(samples[0], terms), describe(samples[1], terms)],
        left: [left(purses[0]), left(purses[1])],
      });
    },
    ruling(worker, terms, amounts) {
      sink(rulingEvent(math, worker, terms, amounts));
    },
  });

function rulingEvent(math: Peeking, worker: Candidate, terms: Terms, amounts: RulingAmounts): RulingEvent {
  const value = (a: Amount | number | null) => (a === null ? null : math.value(a));
  const need = math.value(amounts.need);
  const spent = math.value(amounts.spent);
  const limit = math.value(terms.purse.limit);
  const before = value(amounts.before);
  const threshold = value(terms.threshold);
  const density = math.value(worker.density);
  const byPrice = threshold !== null && knifeEdge(before ?? density, threshold);
  const drawn = need > 0 && amounts.ruling !== "hired";
  const byMoney = drawn && knifeEdge(spent + need, limit);
  const byLast = drawn && before !== null && knifeEdge(spent, limit);
  return {
    kind: "ruling",
    ruling: amounts.ruling,
    round: terms.round,
    worker: worker.id,
    group: terms.group ?? null,
    density,
    threshold,
    promised: before,
    need,
    left: limit - spent,
    payment: math.value(worker.payment),
    knifeEdge: byPrice || byMoney || byLast,
  };
}

/** The share in numbers. */
function describe(sample: Sample, terms: ShareTerms): Share {
  const { math, order } = insideOf(sample);
  const { taken, next, density } = inOrder(sample, terms);
  const present = order.filter((worker) => hasArrived(worker, terms.by));
  const reputation = taken.reduce((sum, worker) => sum + math.value(worker.reputation), 0);
  const budget = math.value(terms.budget);
  const counted = terms.ownTwice ? 2 : 1;
  const cost = (worker: Candidate, sum: number) =>
    terms.buys * math.value(worker.density) * (counted * math.value(worker.reputation) + sum);
  return {
    budget,
    roundsBought: terms.buys,
    ...(terms.ownTwice && { ownTwice: true }),
    pool: present.map(({ id }) => id),
    taken: taken.map(({ id }) => id),
    reputation,
    byBudget: taken.length > 0 ? budget / (terms.buys * reputation) : null,
    next: next && { worker: next.id, density: math.value(next.density), cost: cost(next, reputation) },
    density: density && math.value(density),
    knifeEdge: isKnifeEdge(math, present, next, { cost, budget }),
  };
}

/** Whether somebody is taken, the first is not, or the two are in this order by a knife edge. */
function isKnifeEdge(
  math: Peeking,
  present: readonly Candidate[],
  next: Candidate | null,
  { cost, budget }: { cost: (worker: Candidate, sum: number) => number; budget: number },
): boolean {
  let sum = 0;
  for (const [k, worker] of present.entries()) {
    if (knifeEdge(cost(worker, sum), budget)) return true;
    if (worker === next)
      return k > 0 && knifeEdge(math.value(present[k - 1]!.density), math.value(worker.density));
    sum += math.value(worker.reputation);
  }
  return false;
}
