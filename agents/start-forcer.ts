import type { Agent } from "../src/agents/agent.js";
import { firstBudget } from "../src/mechanisms/online/engine.js";

/**
 * With as many workers as the start needs, all like this one, the first step takes them at B1 / (T · minWorkers) and at
 * no price above ([M3], [M5]).
 */
export const startForcer: Agent = {
  name: "start-forcer",
  about: "Asks for at most its share of the first budget, so that a task starts that otherwise would not.",
  traits: { stochastic: false, lies: ["price", "start"], sees: "own", learns: false },
  bid: ({ self, rules }) => ({
    price: Math.min(self.cost, firstBudget(rules) / (rules.rounds * Math.max(1, rules.minWorkers))),
    arrival: self.arrival,
  }),
};
