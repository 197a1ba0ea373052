import { type Agent, tunable } from "../src/agents/agent.js";

export const latecomer = tunable(
  { ticks: { default: 1, from: 0, whole: true } },
  ({ ticks }): Agent => ({
    name: "latecomer",
    about: "Bids its cost, but comes some clock ticks late.",
    traits: { stochastic: false, lies: ["time"], sees: "own", learns: false },
    bid: ({ self, rules }) => ({ price: self.cost, arrival: Math.min(self.arrival + ticks, rules.rounds) }),
  }),
);
