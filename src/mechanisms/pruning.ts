/**
 * The pruning mechanism for additive values (Gravin, Jin, Lu, Zhang 2020), built from its stated rule: offline, a worker's
 * value is its reputation, and B/T is there for each of the T rounds. Raising the price per value r is lowering what is
 * paid per unit of reputation, ρ = 1/r: it falls from (B/T) / max Re, and whoever asks more is dropped, until those who are
 * left, without the best one, cost no more than B/T. Either they or the best one alone are hired, at that ρ.
 *
 * Why no lie gains. A winner that asks less is not dropped either, and up to the end nothing else depends on what it asks;
 * one that asks more than ρ is dropped, for good. So ρ is what is critical for each.
 */

import type { Amount } from "../auction/amounts.js";
import type { Auction, Candidate } from "../auction/auction.js";
import { defineBuiltIn } from "../auction/define-mechanism.js";

export const pruning = defineBuiltIn({
  name: "pruning",
  about: "Offline: lowers one density, dropping who asks more, until all but the best one fit in the budget.",
  rule: [
    "Offline: sees everybody at round 1, and leaves out who asks more than B/T.",
    "Lowers the payment per reputation and drops whoever asks more, until those left, without the most reputable one, can all be paid.",
    "Hires either that one alone or all the others, whichever have more reputation, at that payment per reputation.",
  ],
  promise: "Pays critical prices; a third of the best that the budget allows is always bought.",
  source: "After Gravin, Jin, Lu and Zhang 2020, built from its stated rule.",
  year: 2020,
  claims: [
    { property: "P1", where: "By the rule: a winner is paid no less than it asks." },
    {
      property: "P2",
      quote: "a simple deterministic mechanism with the tight approximation guarantee of 3",
      where: "Abstract, of budget-feasible mechanisms.",
    },
    {
      property: "P5",
      quote: "this problem is usually considered as a truthful mechanism design problem",
      where: "Introduction.",
    },
  ],
  offline: true,
  comparison: "frontier",
  truthful:
    "Arrivals are not looked at, and a winner is paid its critical price: whoever asks less is hired at that same pay, " +
    "whoever asks more is dropped.",
  program(auction) {
    const { rules, math } = auction;
    const perRound = math.over(rules.budget, math.known(rules.rounds));
    const { hired, density } = pruned(auction, perRound);
    const terms = { round: 1, buys: rules.rounds, purse: auction.purse(rules.budget) };
    for (const worker of auction.workers) {
      if (!hired.includes(worker)) auction.pass(worker, { ...terms, threshold: null });
      else {
        const each = math.times(worker.reputation, density!);
        auction.admit(worker, { ...terms, threshold: density }, math.times(math.known(rules.rounds), each));
      }
    }
  },
});

interface Pruned {
  readonly hired: readonly Candidate[];
  /** Null where nobody is hired. */
  readonly density: Amount | null;
}

function pruned(auction: Auction, perRound: Amount): Pruned {
  const { math, zero } = auction;
  const able = auction.workers.filter(({ price }) => math.atMost(price, perRound));
  if (able.length === 0) return { hired: [], density: null };
  const left = new Set(auction.byDensity(able));
  const dearestFirst = [...left].reverse();
  const byValue = auction.byReputation().filter((worker) => left.has(worker));
  let density = math.over(perRound, byValue[0]!.reputation);
  let value = able.reduce((sum, { reputation }) => math.plus(sum, reputation), zero);
  for (const dearest of dearestFirst) {
    if (math.atMost(dearest.density, density)) {
      while (!left.has(byValue[0]!)) byValue.shift();
      const best = byValue[0]!;
      const others = left.size === 1 ? zero : math.minus(value, best.reputation);
      const enough = left.size === 1 ? density : math.over(perRound, others);
      const lower = math.atMost(density, enough) ? density : enough;
      // Nobody else is dropped on the way down to where the others can be paid.
      if (math.atMost(dearest.density, lower)) {
        const alone = math.atMost(others, best.reputation);
        left.delete(best);
        return { hired: alone ? [best] : [...left], density: lower };
      }
      density = dearest.density;
    }
    left.delete(dearest);
    value = math.minus(value, dearest.reputation);
  }
  return { hired: [], density: null };
}
