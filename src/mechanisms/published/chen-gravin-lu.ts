/**
 * The deterministic mechanism of Chen, Gravin and Lu 2011 for values that add up: the best worker alone, unless the others
 * could supply more than 1 + √2 times its value if they could be hired in parts; else the proportional share. Whoever is
 * hired by the share is paid the highest price at which it would still be: that of the share, or the one up to which the
 * others, with it among them, supply that much.
 */

import type { Amount } from "../../auction/amounts.js";
import type { Auction, Candidate } from "../../auction/auction.js";
import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { withOptions } from "../../auction/mechanism.js";
import { hireForAllRounds } from "../../auction/rounds.js";

export const chenGravinLu = withOptions({ factor: { default: 2.4142, from: 1 } }, ({ factor }) =>
  defineBuiltIn({
    name: "chen-gravin-lu",
    about:
      "Offline: the proportional share, unless the best worker is worth a fixed part of what the others could supply.",
    rule: [
      "Offline: sees everybody at round 1, and leaves out who asks more than the budget.",
      "The most reputable worker is hired alone, for the whole budget, unless the budget would buy from the others, hired in parts too, more than 1 + √2 times its reputation.",
      "Otherwise the proportional share is hired, and each is paid the highest price at which it would still be.",
    ],
    promise:
      "Pays critical prices; at least 1 / (2 + √2) of the best that the budget allows is always bought.",
    source:
      "Chen, Gravin and Lu 2011, On the Approximability of Budget Feasible Mechanisms (abstract read, the rule is second-hand).",
    year: 2011,
    adapted:
      "Value is reputation, and each of the T rounds has B/T. 1 + √2 is rounded to 2.4142; any constant keeps the payments critical.",
    comparison: "published",
    offline: true,
    uses: { reputations: true, rounds: true, budget: true, groups: false, start: false },
    truthful:
      "Arrivals are not looked at, a lower price never loses a place, and a winner is paid the highest price at which it wins.",
    claims: [
      { property: "P1", where: "By the rule: a winner is paid no less than it asks." },
      {
        property: "P2",
        quote: "We consider the problem of designing truthful budget feasible mechanisms",
        where: "Abstract.",
      },
      {
        property: "P5",
        quote: "We consider the problem of designing truthful budget feasible mechanisms",
        where: "Abstract.",
      },
    ],
    program(auction) {
      const { math, rules } = auction;
      const perRound = math.over(rules.budget, math.known(rules.rounds));
      const able = auction.workers.filter(({ price }) => math.atMost(price, perRound));
      const best = auction.byReputation().find((worker) => able.includes(worker));
      if (best === undefined) return;
      const enough = math.times(math.known(factor), best.reputation);
      const others = able.filter((worker) => worker !== best);
      if (!supplied(auction, others, { enough, perRound })) {
        hireForAllRounds(auction, [best], () => perRound);
        return;
      }
      const { taken, density } = auction.sample(able).share({ buys: rules.rounds, budget: rules.budget });
      hireForAllRounds(auction, taken, (worker) => {
        const share = math.times(worker.reputation, density!);
        if (worker === best) return share;
        const limit = highestPrice(auction, worker, {
          others: others.filter((other) => other !== worker),
          enough,
          perRound,
        });
        return limit !== null && math.atMost(limit, share) ? limit : share;
      });
    },
  }),
);

/** So much value, and the money for a round. */
interface Goal {
  readonly enough: Amount;
  readonly perRound: Amount;
}

/** Whether workers, hired in parts too, supply more than enough for the money. */
function supplied(auction: Auction, workers: readonly Candidate[], { enough, perRound }: Goal): boolean {
  const { math } = auction;
  const cost = costOf(auction, auction.byDensity(workers), enough);
  return cost !== null && !math.atMost(perRound, cost);
}

/** The least that so much value costs per round, from workers by increasing density; null where they have no more than that. */
function costOf({ math, zero }: Auction, order: readonly Candidate[], value: Amount): Amount | null {
  let missing = value;
  let cost = zero;
  for (const { reputation, price, density } of order) {
    if (!math.atMost(reputation, missing)) return math.plus(cost, math.times(missing, density));
    missing = math.minus(missing, reputation);
    cost = math.plus(cost, price);
  }
  return null;
}

/**
 * The highest price at which a worker and the others supply enough; null where they do at any. Hired for a part x of a
 * round, it may cost what the others' supply of the rest leaves, divided by x. That is largest where the rest is all of some
 * of the others, or where x is 1.
 */
function highestPrice(
  auction: Auction,
  worker: Candidate,
  { others, enough, perRound }: Goal & { readonly others: readonly Candidate[] },
): Amount | null {
  const { math, zero } = auction;
  if (supplied(auction, others, { enough, perRound })) return null;
  const order = auction.byDensity(others);
  let highest = zero;
  const consider = (part: Amount, restCost: Amount) => {
    const price = math.over(math.minus(perRound, restCost), part);
    if (math.atMost(highest, price)) highest = price;
  };
  const rest = costOf(auction, order, math.minus(enough, worker.reputation));
  if (rest !== null) consider(math.known(1), rest);
  let supply = zero;
  let cost = zero;
  for (const other of [null, ...order]) {
    if (other !== null) {
      supply = math.plus(supply, other.reputation);
      cost = math.plus(cost, other.price);
    }
    const part = math.over(math.minus(enough, supply), worker.reputation);
    if (math.atMost(part, 1) && !math.atMost(part, zero)) consider(part, cost);
  }
  return highest;
}
