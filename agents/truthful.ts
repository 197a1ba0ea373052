import type { Agent } from "../src/agents/agent.js";

export const truthful: Agent = {
  name: "truthful",
  about: "Bids its cost and comes when it can.",
  traits: { stochastic: false, lies: [], sees: "own", learns: false },
  bid: ({ self }) => ({ price: self.cost, arrival: self.arrival }),
};
