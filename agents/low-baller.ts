import type { Agent } from "../src/agents/agent.js";

export const lowBaller: Agent = {
  name: "low-baller",
  about: "Bids 0 to get in, and counts on the others to set its price.",
  traits: { stochastic: false, lies: ["price"], sees: "own", learns: false },
  bid: ({ self }) => ({ price: 0, arrival: self.arrival }),
};
