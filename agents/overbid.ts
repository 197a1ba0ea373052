import { type Agent, tunable } from "../src/agents/agent.js";

export const overbid = tunable(
  { factor: { default: 1.2, from: 1 } },
  ({ factor }): Agent => ({
    name: "overbid",
    about: "Asks for more than its cost: the cost times factor.",
    traits: { stochastic: false, lies: ["price"], sees: "own", learns: false },
    bid: ({ self }) => ({ price: factor * self.cost, arrival: self.arrival }),
  }),
);
