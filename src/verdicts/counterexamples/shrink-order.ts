/** When a market is smaller than another: there is less in it to read. */

import { type Market, paperRules, type Worker } from "../../market/market.js";

/** A negative number if a is smaller than b; 0 only if they are the same market, input order aside. */
export function compareSize(a: Market, b: Market): number {
  const [left, right] = [sizeOf(a), sizeOf(b)];
  for (const [k, entry] of left.entries()) {
    const difference = entry - (right[k] ?? Number.NEGATIVE_INFINITY);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * What is compared, the first difference deciding: workers, rounds, rules as the paper has them or else short,
 * arrivals, ids, digits of reputations and costs, how many of these differ; last the numbers themselves.
 */
function sizeOf({ rules, workers }: Market): number[] {
  const { budget, rounds, firstRoundRatio, minWorkers, reading } = rules;
  const sorted = [...workers].sort((a, b) => a.id - b.id);
  const column = (field: keyof Worker) => sorted.map((worker) => worker[field]);
  const [ids, arrivals] = [column("id"), column("arrival")];
  const [reputations, costs] = [column("reputation"), column("cost")];
  return [
    workers.length,
    rounds,
    Math.abs(minWorkers - paperRules.minWorkers),
    reading === paperRules.reading ? 0 : 1,
    firstRoundRatio === paperRules.firstRoundRatio ? 0 : digits(firstRoundRatio),
    digits(budget),
    sum(arrivals),
    sum(ids),
    sum([...reputations, ...costs].map(digits)),
    new Set(reputations).size + new Set(costs).size,
    ...[minWorkers, firstRoundRatio, budget, ...ids, ...arrivals, ...reputations, ...costs],
  ];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const LONG = 30;

/** How long a number is to read: its characters but for a leading 0, so that 1 < 10 = 0.5 < 0.25. */
export function digits(value: number): number {
  if (!Number.isFinite(value)) return Number.POSITIVE_INFINITY;
  const text = String(value);
  return text.includes("e") ? LONG : text.replace(/^0\./, ".").length;
}
