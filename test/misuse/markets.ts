/** The markets that misused mechanisms are asked about. */

import { type Market, paperRules } from "../../src/market/market.js";

const rules = { budget: 10, rounds: 2, ...paperRules } as const;

export const market: Market = {
  rules,
  workers: [
    { id: 0, reputation: 1, cost: 1, arrival: 1 },
    { id: 1, reputation: 1, cost: 2, arrival: 1 },
    { id: 2, reputation: 0.5, cost: 1.2, arrival: 2 },
  ],
};

/** Of a shape that proofs are of. */
export const pair: Market = { rules, workers: market.workers.slice(0, 2) };
