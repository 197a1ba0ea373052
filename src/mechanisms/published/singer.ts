/**
 * Singer 2010 with the single best: the proportional share of the budget, unless the worker of most reputation is worth more
 * than all that the others' share would buy. That comparison leaves the best worker out, so that its own price cannot move
 * it; nobody else's can either, for whoever is taken by the share of all is taken by the others' share at any price that
 * keeps it there, and with it the same workers.
 */

import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { hireForAllRounds } from "../../auction/rounds.js";

export const singer = defineBuiltIn({
  name: "singer",
  about:
    "Offline: the proportional share of the budget, or the most reputable worker alone if it is worth more.",
  rule: [
    "Offline: sees everybody at round 1, and leaves out who asks more than the budget.",
    "The most reputable worker is hired alone, for the whole budget, if it has at least as much reputation as all that the others' proportional share would hire.",
    "Otherwise the proportional share of everybody is hired, each paid the same per reputation.",
  ],
  promise: "Pays critical prices: no misstated price gains.",
  source:
    "Singer 2010, Budget Feasible Mechanisms (FOCS; abstract read, the rule is second-hand), for values that add up.",
  year: 2010,
  adapted:
    "Value is reputation, and each of the T rounds has B/T. The paper treats submodular values; how it compares the share with the single best was not confirmed, and here the others' share is what counts.",
  comparison: "published",
  offline: true,
  uses: { reputations: true, rounds: true, budget: true, groups: false, start: false },
  truthful:
    "Arrivals are not looked at; whether the best worker is hired alone depends on no price at which the share keeps a " +
    "worker, and both pay critical prices.",
  claims: [
    { property: "P1", where: "By the rule: a winner is paid no less than it asks." },
    {
      property: "P2",
      quote:
        "under the constraint that the sum of the payments provided by the mechanism does not exceed a given budget",
      where: "Abstract.",
    },
    {
      property: "P5",
      quote: "the study of truthful mechanism design with a sharp budget constraint",
      where: "Said of it by Chen, Gravin and Lu 2011, introduction.",
    },
  ],
  program(auction) {
    const { math, rules, zero } = auction;
    const all = { buys: rules.rounds, budget: rules.budget };
    const perRound = math.over(rules.budget, math.known(rules.rounds));
    const able = auction.workers.filter(({ price }) => math.atMost(price, perRound));
    const best = auction.byReputation().find((worker) => able.includes(worker));
    if (best === undefined) return;
    const others = auction.sample(able.filter((worker) => worker !== best)).share(all);
    const value = others.taken.reduce((sum, { reputation }) => math.plus(sum, reputation), zero);
    if (math.atMost(value, best.reputation)) hireForAllRounds(auction, [best], () => perRound);
    else {
      const { taken, density } = auction.sample(able).share(all);
      hireForAllRounds(auction, taken, ({ reputation }) => math.times(reputation, density!));
    }
  },
});
