import type { Agent } from "../src/agents/agent.js";
import { firstBudget } from "../src/mechanisms/online/engine.js";

/** Well above what counts as equal, well below what matters. */
const HAIR = 1 + 1e-6;

/**
 * A first step takes a worker only if T·ρ·(Re + Σ Re) ≤ B1 ([M3], [M5]), which is at least T·b. So a price above B1/T is
 * taken at no first step, whoever else is there; a later round's threshold can still take it.
 */
export const startBlocker: Agent = {
  name: "start-blocker",
  about:
    "Prices itself out of every first step, so that the start waits for others; comes in by a later round.",
  traits: { stochastic: false, lies: ["price", "start"], sees: "own", learns: false },
  bid: ({ self, rules }) => ({
    price: Math.max(self.cost, (HAIR * firstBudget(rules)) / rules.rounds),
    arrival: self.arrival,
  }),
};
