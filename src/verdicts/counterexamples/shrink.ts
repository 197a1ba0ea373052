/** Makes a market smaller while something about it stays true: greedily, to a market no step can improve. */

import { sum } from "d3-array";
import { byId, type Market, paperRules, type Rules, type Worker } from "../../market/market.js";

/** A market and the worker it is about, if it is about one. */
interface Case {
  readonly market: Market;
  readonly worker: number | null;
}

/** Whether what matters still holds; `worker` is the one the case is about, by its present id. */
export type Keeps = (market: Market, worker: number | null) => boolean;

export interface ShrinkOptions {
  /** The worker that must stay; its id may change. */
  readonly worker?: number | null;
  /** At most this many markets are tried. */
  readonly evaluations?: number;
}

export interface Shrunk extends Case {
  readonly evaluations: number;
  /** Whether no step leads to a smaller market that keeps; false if the evaluations ran out first. */
  readonly minimal: boolean;
}

const MOST_EVALUATIONS = 50_000;

/** Ends with the market that no step makes smaller; after every market tried it yields the smallest so far. Deterministic. */
export function* shrinking(
  market: Market,
  keeps: Keeps,
  { worker = null, evaluations: most = MOST_EVALUATIONS }: ShrinkOptions = {},
): Generator<Shrunk, Shrunk> {
  let smallest: Case = { market: inOrder(market), worker };
  const tried = new Set<string>();
  let evaluations = 0;
  const shrunk = (minimal: boolean): Shrunk => ({ ...smallest, evaluations, minimal });
  let cases = smallerCases(smallest);
  for (let step = cases.next(); !step.done; step = cases.next()) {
    const next = step.value;
    const key = JSON.stringify(next);
    if (tried.has(key)) continue;
    if (evaluations >= most) return shrunk(false);
    tried.add(key);
    evaluations++;
    if (keeps(next.market, next.worker)) {
      smallest = next;
      cases = smallerCases(smallest);
    }
    yield shrunk(false);
  }
  return shrunk(true);
}

/** The smallest market that steps lead to while something about it stays true, and the worker it is about, if any. */
export function shrink(market: Market, keeps: Keeps, options: ShrinkOptions = {}): Shrunk {
  const path = shrinking(market, keeps, options);
  for (let step = path.next(); ; step = path.next()) if (step.done) return step.value;
}

/** The cases one step away that are smaller. */
export function* smallerCases(from: Case): Generator<Case> {
  for (const { market, worker } of steps(from)) {
    const next = { market: inOrder(market), worker };
    if (compareSize(next.market, from.market) < 0) yield next;
  }
}

/** Workers by id, fields in their usual order: one market has one text. */
function inOrder({ rules, workers }: Market): Market {
  const { budget, rounds, firstRoundRatio, minWorkers, reading } = rules;
  return {
    rules: { budget, rounds, firstRoundRatio, minWorkers, reading },
    workers: byId(workers).map(({ id, reputation, cost, arrival }) => ({ id, reputation, cost, arrival })),
  };
}

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
  const sorted = byId(workers);
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

const LONG = 30;

/** How long a number is to read: its characters but for a leading 0, so that 1 < 10 = 0.5 < 0.25. */
export function digits(value: number): number {
  if (!Number.isFinite(value)) return Number.POSITIVE_INFINITY;
  const text = String(value);
  return text.includes("e") ? LONG : text.replace(/^0\./, ".").length;
}

/** Every step there is, the boldest first. Not all of them lead to a smaller market. */
function* steps(from: Case): Generator<Case> {
  for (const kind of kinds) yield* kind(from);
}

const kinds = [
  fewerWorkers,
  fewerRounds,
  simplerRules,
  rescaled,
  earlierArrivals,
  smallerIds,
  roundedTogether,
  simplerWorkers,
] as const;

/** Beyond this many workers pairs are too many to try. */
const PAIRS_UP_TO = 16;

function* fewerWorkers({ market, worker }: Case): Generator<Case> {
  const others = market.workers.filter(({ id }) => id !== worker);
  for (let length = Math.ceil(others.length / 2); length >= 1; length = Math.floor(length / 2))
    for (let at = 0; at < others.length; at += length)
      yield* without(market, worker, others.slice(at, at + length));
  if (others.length > PAIRS_UP_TO) return;
  for (const [k, one] of others.entries())
    for (const two of others.slice(k + 1)) yield* without(market, worker, [one, two]);
}

/** With the same budget and a smaller one in proportion, with as many to start with and with fewer. */
function* without(market: Market, worker: number | null, removed: readonly Worker[]): Generator<Case> {
  const workers = market.workers.filter((other) => !removed.includes(other));
  const reputation = (list: readonly Worker[]) => sum(list, (one) => one.reputation);
  const shares = [
    1,
    workers.length / market.workers.length,
    reputation(workers) / reputation(market.workers),
  ];
  const { minWorkers } = market.rules;
  for (const share of new Set(shares.filter((value) => value > 0)))
    for (const least of new Set([minWorkers, Math.max(1, minWorkers - removed.length)])) {
      const rules = { ...scaledBudget(market.rules, share), minWorkers: least };
      yield { market: { rules, workers }, worker };
    }
}

const scaledBudget = (rules: Rules, factor: number): Rules => ({ ...rules, budget: rules.budget * factor });

function* fewerRounds({ market, worker }: Case): Generator<Case> {
  const { rounds } = market.rules;
  for (let fewer = 1; fewer < rounds; fewer++)
    for (const factor of [1, fewer / rounds])
      for (const move of [
        (arrival: number) => Math.min(arrival, fewer),
        (arrival: number) => Math.max(1, arrival - (rounds - fewer)),
      ]) {
        const workers = market.workers.map((one) => ({ ...one, arrival: move(one.arrival) }));
        yield {
          market: { rules: { ...scaledBudget(market.rules, factor), rounds: fewer }, workers },
          worker,
        };
      }
}

/** Another ratio may take another budget. */
const BUDGET_FACTORS = [0.5, 0.75, 1.5, 2, 3];

const SHORT_RATIOS = [0.5, 0.25, 0.75];

/** Without money there is no auction: neither the budget nor the first step's share of it becomes 0. */
function* simplerRules({ market, worker }: Case): Generator<Case> {
  const { budget, firstRoundRatio, minWorkers } = market.rules;
  const changed = (rules: Partial<Rules>): Case => ({
    market: { ...market, rules: { ...market.rules, ...rules } },
    worker,
  });
  for (let fewer = 1; fewer < minWorkers; fewer++) yield changed({ minWorkers: fewer });
  yield changed({ reading: paperRules.reading });
  for (const ratio of [paperRules.firstRoundRatio, ...SHORT_RATIOS, ...rounded(firstRoundRatio)]) {
    if (ratio === 0 || ratio > 1) continue;
    for (const factor of [1, firstRoundRatio / ratio, ...BUDGET_FACTORS])
      yield changed({ firstRoundRatio: ratio, budget: budget * factor });
  }
  for (const simpler of rounded(budget)) if (simpler > 0) yield changed({ budget: simpler });
}

const ROUND_AMOUNTS = [1, 2, 5, 10, 20, 50, 100];

/** Money in another unit, reputations in another: neither changes who is selected. */
function* rescaled({ market, worker }: Case): Generator<Case> {
  const { budget } = market.rules;
  const largest = Math.max(...market.workers.map(({ reputation }) => reputation));
  const scaled = (money: number, trust: number): Case => {
    const workers = market.workers.map((one) => ({
      ...one,
      cost: one.cost * money,
      reputation: one.reputation * trust,
    }));
    return { market: { rules: scaledBudget(market.rules, money), workers }, worker };
  };
  if (budget > 0) for (const amount of ROUND_AMOUNTS) yield exactBudget(scaled(amount / budget, 1), amount);
  if (largest > 0) yield scaled(1, 1 / largest);
}

const exactBudget = ({ market, worker }: Case, budget: number): Case => ({
  market: { ...market, rules: { ...market.rules, budget } },
  worker,
});

function* earlierArrivals({ market, worker }: Case): Generator<Case> {
  for (const one of market.workers)
    for (let arrival = 1; arrival < one.arrival; arrival++)
      yield { market: replaced(market, one.id, { arrival }), worker };
}

const replaced = (market: Market, id: number, change: Partial<Worker>): Market => ({
  ...market,
  workers: market.workers.map((worker) => (worker.id === id ? { ...worker, ...change } : worker)),
});

function* smallerIds({ market, worker }: Case): Generator<Case> {
  const renamed = (to: (id: number) => number): Case => ({
    market: { ...market, workers: market.workers.map((one) => ({ ...one, id: to(one.id) })) },
    worker: worker === null ? null : to(worker),
  });
  const compact = compactIds(market.workers.map(({ id }) => id));
  yield renamed((id) => compact.get(id)!);
  yield renamed((id) => (id % 2 === 0 ? id + 1 : id - 1));
  const taken = new Set(market.workers.map(({ id }) => id));
  for (const one of taken)
    for (let free = 0; free < Math.min(one, 2 * taken.size); free++)
      if (!taken.has(free)) yield renamed((id) => (id === one ? free : id));
}

/** The smallest ids in the same order and the same groups. */
function compactIds(ids: readonly number[]): Map<number, number> {
  const compact = new Map<number, number>();
  let next = 0;
  for (const id of [...ids].sort((a, b) => a - b)) {
    if (next % 2 !== id % 2) next++;
    compact.set(id, next++);
  }
  return compact;
}

/** All reputations and costs rounded to the same number of decimals at once. */
function* roundedTogether({ market, worker }: Case): Generator<Case> {
  for (let decimals = 0; decimals <= 6; decimals++) {
    const to = (value: number) => Number(value.toFixed(decimals));
    const workers = market.workers.map((one) => ({
      ...one,
      reputation: to(one.reputation),
      cost: to(one.cost),
    }));
    yield { market: { ...market, workers }, worker };
  }
}

/** One reputation, one cost, or both at once so that the density stays about the same. */
function* simplerWorkers({ market, worker }: Case): Generator<Case> {
  for (const one of market.workers) {
    const { id, reputation, cost } = one;
    const costs = [...rounded(cost), ...market.workers.map((other) => other.cost)];
    for (const simpler of costs) yield { market: replaced(market, id, { cost: simpler }), worker };
    const reputations = [...rounded(reputation), ...market.workers.map((other) => other.reputation)];
    for (const simpler of new Set(reputations)) {
      yield { market: replaced(market, id, { reputation: simpler }), worker };
      if (reputation === 0) continue;
      for (const price of rounded((cost / reputation) * simpler))
        yield { market: replaced(market, id, { reputation: simpler, cost: price }), worker };
    }
  }
}

/** Numbers of one digit, from 0 to 9 and from 0.1 to 0.9. */
const SHORT = Array.from({ length: 19 }, (_, k) => (k < 10 ? k : (k - 9) / 10));

/** The shortest numbers, then the number to ever more decimals: down, to the nearest, up. */
function rounded(value: number): number[] {
  const found = new Set(SHORT);
  for (let decimals = 0; decimals <= 6; decimals++) {
    const scale = 10 ** decimals;
    for (const to of [Math.floor, Math.round, Math.ceil]) found.add(to(value * scale) / scale);
  }
  return [...found].filter((simpler) => simpler !== value);
}
