import type { Agent } from "../src/agents/agent.js";
import { startAt } from "../src/auction/start.js";
import { firstBudget, ownWeight } from "../src/mechanisms/online/engine.js";

/**
 * With as many workers as the start needs, all like this one and there, the first step takes them at β / (s · minWorkers) and
 * at no price above ([M3]); by the prose, which counts the last one's reputation twice, at β / (s · (minWorkers + 1)) ([M5]).
 * It looks at the step at its own arrival, the first that it can be taken at ([M6]).
 */
export const startForcer: Agent = {
  name: "start-forcer",
  about: "Asks for at most its share of the first budget, so that a task starts that otherwise would not.",
  traits: { stochastic: false, lies: ["price", "start"], sees: "own", learns: false },
  bid: ({ self, rules }) => {
    const { buys } = startAt(rules, self.arrival);
    const counted = Math.max(1, rules.minWorkers) - 1 + ownWeight(rules);
    const share = firstBudget(rules, buys) / (buys * counted);
    return { price: Math.min(self.cost, share), arrival: self.arrival };
  },
};
