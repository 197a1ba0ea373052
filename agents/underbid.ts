import { type Agent, tunable } from "../src/agents/agent.js";

export const underbid = tunable(
  { factor: { default: 0.8, from: 0, to: 1 } },
  ({ factor }): Agent => ({
    name: "underbid",
    about: "Asks for less than its cost: the cost times factor.",
    traits: { stochastic: false, lies: ["price"], sees: "own", learns: false },
    bid: ({ self }) => ({ price: factor * self.cost, arrival: self.arrival }),
  }),
);
