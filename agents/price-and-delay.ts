import { type Agent, tunable } from "../src/agents/agent.js";

export const priceAndDelay = tunable(
  { factor: { default: 1.2, from: 0 }, ticks: { default: 1, from: 0, whole: true } },
  ({ factor, ticks }): Agent => ({
    name: "price-and-delay",
    about: "Lies about both: the cost times factor, and some clock ticks late.",
    traits: { stochastic: false, lies: ["price", "time"], sees: "own", learns: false },
    bid: ({ self, rules }) => ({
      price: factor * self.cost,
      arrival: Math.min(self.arrival + ticks, rules.rounds),
    }),
  }),
);
