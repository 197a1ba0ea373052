/** Properties in floating point, as plain runs give them. */

import { Lines } from "../auction/lines.js";
import type { Outcome } from "../auction/mechanism.js";
import type { Market } from "../market/market.js";
import { type MeasuredProperty, properties, type Run } from "../properties/properties.js";

const numbers = new Lines();

/** A plain run, as properties see it. */
export function runInNumbers({ rules, workers }: Market, outcome: Outcome): Run {
  const costs = new Map(workers.map(({ id, cost }) => [id, cost]));
  const results = new Map(outcome.workers.map((one) => [one.id, one]));
  return {
    math: numbers,
    budget: numbers.known(rules.budget),
    ids: outcome.workers.map(({ id }) => id),
    of(id) {
      const { payment, rounds } = results.get(id)!;
      return { payment: numbers.known(payment), rounds, cost: numbers.known(costs.get(id)!) };
    },
  };
}

/** By how much a property is broken; rounding included. */
export const excessInNumbers = (
  property: MeasuredProperty,
  truth: Run,
  lie: Run,
  about: readonly number[],
): number => numbers.value(properties[property].excess(truth, lie, about));
