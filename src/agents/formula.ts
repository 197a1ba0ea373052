/** Agents without code: a formula for the price, for the arrival, or for both. Loads mathjs: import it only when needed. */

import { parseFormulas } from "../lib/expression.js";
import type { Stream } from "../lib/random.js";
import type { Agent, Lie, View } from "./agent.js";

const variables = ["cost", "arrival", "re", "reputation", "T", "B", "ratio", "min", "u"] as const;

/**
 * An agent from a formula such as `price = 1.2*cost; arrival = arrival + 1`; what it does not set is the truth. Its
 * variables: the worker's cost, arrival and reputation (re), the rules (T, B, ratio, min) and u, uniform in [0, 1).
 */
export function formulaAgent(text: string, source = "agent formula"): Agent {
  const formulas = parseFormulas(text, { targets: ["price", "arrival"], variables, source });
  const lies = { price: "price", arrival: "time" } as const satisfies Record<string, Lie>;
  return {
    name: text.trim(),
    about: "A formula.",
    traits: {
      stochastic: /\bu\b/.test(text),
      lies: [...formulas.keys()].map((target) => lies[target]),
      sees: "own",
      learns: false,
    },
    bid: (view, random) => {
      const scope = scopeOf(view, random);
      return {
        price: formulas.get("price")?.(scope) ?? view.self.cost,
        arrival: formulas.get("arrival")?.(scope) ?? view.self.arrival,
      };
    },
  };
}

const scopeOf = ({ self, rules }: View, random: Stream): Record<(typeof variables)[number], number> => ({
  cost: self.cost,
  arrival: self.arrival,
  re: self.reputation,
  reputation: self.reputation,
  T: rules.rounds,
  B: rules.budget,
  ratio: rules.firstRoundRatio,
  min: rules.minWorkers,
  u: random.next(),
});
