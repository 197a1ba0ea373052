/**
 * A price that is posted before anybody bids, learned from earlier tasks (after Badanidiyuru, Kleinberg, Singer 2012, who
 * learn it while they buy, from bids in random order; earlier tasks take the place of those here). Everybody is offered the
 * same density in every round: the highest at which, in earlier tasks, all who asked no more could on average be hired for
 * all their rounds within the budget.
 *
 * What is known of earlier tasks is made up: tasks drawn as in the paper's Figures 2 and 3, with as many workers and such a
 * budget as the options say, always the same ones. A publisher whose tasks differ sets these, or `density` itself.
 */

import { defineBuiltIn } from "../auction/define-mechanism.js";
import { withOptions } from "../auction/mechanism.js";
import { playRounds } from "../auction/rounds.js";
import { stream } from "../lib/random.js";
import { drawMarkets } from "../market/draw.js";
import { paperRules } from "../market/market.js";

/** The paper's. */
const ROUNDS = 10;

export const learnedPrice = withOptions(
  {
    tasks: { default: 20, from: 1, to: 10_000, whole: true },
    workers: { default: 100, from: 1, to: 10_000, whole: true },
    budget: { default: 125, from: 0 },
  },
  (past) => {
    let learned: number | undefined;
    return defineBuiltIn({
      name: "learned-price",
      about: "Online: one posted payment density, learned from earlier tasks before anybody bids.",
      rule: [
        "One payment per reputation for everybody and all rounds: the highest at which, in earlier tasks, all who asked no more could on average be paid out of the budget.",
        "Earlier tasks are drawn as in the paper, with 100 workers and a budget of 125 unless said otherwise.",
        "In each round, by decreasing reputation, whoever asks no more is admitted for the rounds that remain, while money lasts.",
      ],
      promise: "No lie gains: no bid moves any offer.",
      source:
        "After Badanidiyuru, Kleinberg and Singer 2012, learning from earlier tasks in place of earlier bids.",
      comparison: "frontier",
      truthful:
        "A worker's offer per round is the same in every round, and when it comes does not depend on its own bid: " +
        "taking the first one, if it covers the cost, is best, and the truth does that.",
      program(auction) {
        learned ??= learnedDensity(past);
        const posting = {
          threshold: auction.math.known(learned),
          purse: auction.purse(auction.rules.budget),
        };
        playRounds(auction, auction.byReputation(), () => posting);
      },
    });
  },
);

interface Past {
  readonly tasks: number;
  readonly workers: number;
  readonly budget: number;
}

/** The proportional share ([M3]) of all tasks' budgets among all their workers, each for the rounds that it is there. */
export function learnedDensity({ tasks, workers, budget }: Past): number {
  const rules = { ...paperRules, rounds: ROUNDS, budget };
  const seen = [...drawMarkets({ rules, workers }, tasks, stream("earlier tasks"))]
    .flatMap((task) => task.workers)
    .filter(({ reputation }) => reputation > 0)
    .map(({ reputation, cost, arrival }) => ({
      density: cost / reputation,
      work: reputation * (ROUNDS - arrival + 1),
    }))
    .sort((a, b) => a.density - b.density);
  const money = tasks * budget;
  let work = 0;
  for (const one of seen) {
    if (one.density * (work + one.work) > money)
      return work === 0 ? one.density : Math.min(one.density, money / work);
    work += one.work;
  }
  return money / work;
}
