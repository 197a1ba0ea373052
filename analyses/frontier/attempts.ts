/**
 * Other ways to repair the paper's auction that were tried and are not built in: because a lie gains, or because they give
 * less than those that are. Those that break come with the smallest market found in which they do.
 */

import type { Amount } from "../../src/auction/amounts.js";
import type { Auction, Candidate, Purse, Sample } from "../../src/auction/auction.js";
import { defineBuiltIn } from "../../src/auction/define-mechanism.js";
import type { Mechanism } from "../../src/auction/mechanism.js";
import { type Market, paperRules } from "../../src/market/market.js";

/** Workers that are judged together, by decreasing reputation, and those whose prices judge them. */
interface JudgedGroup {
  readonly line: readonly Candidate[];
  readonly judges: Sample;
}

/** Groups by id, each judged by the others, or by the next one alone. */
function groupsOf(auction: Auction, count: number, judges: "others" | "next"): JudgedGroup[] {
  const isJudge = (group: number, of: number) =>
    judges === "next" ? group === (of + 1) % count : group !== of;
  return Array.from({ length: count }, (_, of) => ({
    line: auction.byReputation().filter(({ id }) => id % count === of),
    judges: auction.sample(auction.workers.filter(({ id }) => isJudge(id % count, of))),
  }));
}

/** Offers one round to a line at a threshold learned with β, and returns those who did not get it. */
function offerRound(
  auction: Auction,
  { line, judges }: JudgedGroup,
  { round, budget, purse }: { readonly round: number; readonly budget: Amount; readonly purse: Purse },
): Candidate[] {
  const threshold = judges.share({ by: round, buys: 1, budget }).density;
  const present = line.filter(({ arrival }) => arrival <= round);
  if (threshold === null) return [];
  return present.filter((worker) => {
    const before = worker.rounds;
    auction.offer(worker, { round, buys: 1, purse, threshold });
    return worker.rounds === before;
  });
}

const leftIn = ({ math }: Auction, { limit, spent }: Purse): Amount => math.minus(limit, spent);

/** posted-rounds, with what a round leaves added to the next round's money of the same or of the other group. */
const carrying = (name: string, about: string, from: (group: number) => number): Mechanism =>
  defineBuiltIn({
    name,
    about,
    program(auction) {
      const { math, rules, zero } = auction;
      const groups = groupsOf(auction, 2, "others");
      const budget = math.over(rules.budget, math.known(2 * rules.rounds));
      let left: Amount[] = [zero, zero];
      for (let round = 1; round <= rules.rounds; round++) {
        const purses = groups.map((_, group) => auction.purse(math.plus(budget, left[from(group)]!)));
        for (const [group, purse] of purses.entries())
          offerRound(auction, groups[group]!, { round, budget, purse });
        left = purses.map((purse) => leftIn(auction, purse));
      }
    },
  });

/** round-auctions with equal rounds, what one leaves being added to the next. */
const carryingShares = defineBuiltIn({
  name: "carry-round-auctions",
  about: "A proportional share in every round, with what it leaves added to the next round's money.",
  program(auction) {
    const { math, rules } = auction;
    const sample = auction.sample();
    let left = auction.zero;
    for (let round = 1; round <= rules.rounds; round++) {
      const budget = math.plus(left, math.over(rules.budget, math.known(rules.rounds)));
      const purse = auction.purse(budget);
      const { taken, density } = sample.share({ by: round, buys: 1, budget });
      for (const worker of taken)
        auction.admit(
          worker,
          { round, buys: 1, purse, threshold: density },
          math.times(worker.reputation, density!),
        );
      left = leftIn(auction, purse);
    }
  },
});

const leaveOneOut = defineBuiltIn({
  name: "leave-one-out",
  about: "Every round, by decreasing reputation, everybody is offered what the prices of all others set.",
  program(auction) {
    const { math, rules } = auction;
    const budget = math.over(rules.budget, math.known(rules.rounds));
    const groups = auction.byReputation().map((worker) => ({
      line: [worker],
      judges: auction.sample(auction.workers.filter((other) => other !== worker)),
    }));
    for (let round = 1; round <= rules.rounds; round++) {
      const purse = auction.purse(budget);
      for (const group of groups) offerRound(auction, group, { round, budget, purse });
    }
  },
});

const cohorts = defineBuiltIn({
  name: "cohorts",
  about: "Who arrives in a round shares an equal part of the budget, and works all rounds that remain.",
  program(auction) {
    const { math, rules } = auction;
    const budget = math.over(rules.budget, math.known(rules.rounds));
    for (let round = 1; round <= rules.rounds; round++) {
      const buys = rules.rounds - round + 1;
      const arriving = auction.sample(auction.workers.filter(({ arrival }) => arrival === round));
      const { taken, density } = arriving.share({ buys, budget });
      const terms = { round, buys, purse: auction.purse(budget), threshold: density };
      for (const worker of taken)
        auction.admit(worker, terms, math.times(math.times(math.known(buys), worker.reputation), density!));
    }
  },
});

const threeGroups = defineBuiltIn({
  name: "three-groups",
  about: "posted-rounds with three groups, each judged by the two others.",
  program(auction) {
    const { math, rules } = auction;
    const money = math.over(rules.budget, math.known(3 * rules.rounds));
    const budget = math.times(math.known(2), money);
    for (let round = 1; round <= rules.rounds; round++)
      for (const group of groupsOf(auction, 3, "others"))
        offerRound(auction, group, { round, budget, purse: auction.purse(money) });
  },
});

/**
 * Three groups in a circle: each is judged by the next, and what the next one leaves of its own money goes to it, in a second
 * pass. Neither that group's bids nor its judges' are its own, so no bid moves the money that its group gets.
 */
const circle = defineBuiltIn({
  name: "circle",
  about: "posted-rounds with three groups in a circle, each judged by the next and given what it leaves.",
  program(auction) {
    const { math, rules, zero } = auction;
    const groups = groupsOf(auction, 3, "next");
    const budget = math.over(rules.budget, math.known(3 * rules.rounds));
    let given: Amount[] = [zero, zero, zero];
    for (let round = 1; round <= rules.rounds; round++) {
      const passes = groups.map((group, k) => {
        const [first, second] = [auction.purse(budget), auction.purse(given[k]!)];
        const line = offerRound(auction, group, { round, budget, purse: first });
        offerRound(auction, { ...group, line }, { round, budget, purse: second });
        return { own: leftIn(auction, first), second: leftIn(auction, second) };
      });
      given = passes.map(({ second }, k) => math.plus(second, passes[(k + 1) % 3]!.own));
    }
  },
});

const marketOf = (budget: number, rounds: number, types: readonly [number, number, number][]): Market => ({
  rules: { ...paperRules, budget, rounds },
  workers: types.map(([reputation, cost, arrival], id) => ({ id, reputation, cost, arrival })),
});

/** Where a lie gains, the market in which somebody does. */
export const attempts: readonly { readonly mechanism: Mechanism; readonly breaksIn?: Market }[] = [
  {
    mechanism: carrying(
      "carry-own-group",
      "posted-rounds, with what a round leaves added to the same group's next round.",
      (group) => group,
    ),
    // Worker 1 lets the dear rounds pass: the money is still there for more of the cheaper ones.
    breaksIn: marketOf(2, 6, [
      [3, 2, 4],
      [0.5, 0, 1],
      [1, 1, 1],
    ]),
  },
  {
    mechanism: carrying(
      "carry-other-group",
      "posted-rounds, with what a round leaves added to the other group's next round.",
      (group) => 1 - group,
    ),
    // While worker 1 is away nobody judges worker 0, whose money goes to worker 1's group.
    breaksIn: marketOf(1, 2, [
      [0.5, 0, 1],
      [1, 0, 1],
    ]),
  },
  {
    mechanism: carryingShares,
    // Who asks too much for the first round gets the money of both for the work of one.
    breaksIn: marketOf(4, 2, [[1, 1, 1]]),
  },
  {
    mechanism: leaveOneOut,
    // A higher price changes what those before it in line are offered, and so the money that is left.
    breaksIn: marketOf(5, 1, [
      [0.8, 0, 1],
      [0.8, 0, 1],
      [1, 0, 1],
      [1, 1.4, 1],
      [0.2, 0, 1],
      [0.8, 0, 1],
    ]),
  },
  {
    mechanism: cohorts,
    // Alone in the next round, worker 0 shares its money with nobody.
    breaksIn: marketOf(1, 2, [
      [0.1, 0, 1],
      [1, 0, 1],
    ]),
  },
  { mechanism: threeGroups },
  { mechanism: circle },
];
