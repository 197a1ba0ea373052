import type { Agent } from "../src/agents/agent.js";
import { firstBudget, ownWeight } from "../src/mechanisms/online/engine.js";

/** Well above what counts as equal, well below what matters. */
const HAIR = 1 + 1e-6;

/**
 * A first step takes a worker only if s·ρ·(Re + Σ Re) ≤ β ([M3], [M5]), which is at least s·b; by the prose at least 2·s·b.
 * So a price above the largest β/s is taken at no first step, whoever else is there; a later round's threshold can still take
 * it. β/s is B1/T, but B1/(T − k + 1) at clock k where the money is concentrated on the rounds that are left ([M6]).
 */
export const startBlocker: Agent = {
  name: "start-blocker",
  about:
    "Prices itself out of every first step, so that the start waits for others; comes in by a later round.",
  traits: { stochastic: false, lies: ["price", "start"], sees: "own", learns: false },
  bid: ({ self, rules }) => {
    const buys = rules.delay === "concentrate" ? 1 : rules.rounds;
    const price = (HAIR * firstBudget(rules, buys)) / (buys * ownWeight(rules));
    return { price: Math.max(self.cost, price), arrival: self.arrival };
  },
};
