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
  const { budget, rounds, firstRoundRatio, minWorkers, reading, firstStep, delay } = rules;
  return {
    rules: { budget, rounds, firstRoundRatio, minWorkers, reading, firstStep, delay },
    workers: byId(workers).map(({ id, reputation, cost, arrival }) => ({ id, reputation, cost, arrival })),
  };
}

/** A negative number if a is smaller than b; 0 only if they are the same market, input order aside. */
export function compareSize(a: Market, b: Market): number {
  const left = sizeOf(a);
  const right = sizeOf(b);
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
  const { budget, rounds, firstRoundRatio, minWorkers, reading, firstStep, delay } = rules;
  const sorted = byId(workers);
  const column = (field: keyof Worker) => sorted.map((worker) => worker[field]);
  const ids = column("id");
  const arrivals = column("arrival");
  const reputations = column("reputation");
  const costs = column("cost");
  return [
    workers.length,
    rounds,
    Math.abs(minWorkers - paperRules.minWorkers),
    reading === paperRules.reading ? 0 : 1,
    firstStep === paperRules.firstStep ? 0 : 1,
    delay === paperRules.delay ? 0 : 1,
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
function* steps({ market, worker }: Case): Generator<Case> {
  const about = function* (markets: Iterable<Market>): Generator<Case> {
    for (const smaller of markets) yield { market: smaller, worker };
  };
  yield* about(fewerWorkers(market, worker));
  yield* about(fewerRounds(market));
  yield* about(simplerRules(market));
  yield* about(rescaled(market));
  yield* about(earlierArrivals(market));
  yield* smallerIds({ market, worker });
  yield* about(roundedTogether(market));
  yield* about(simplerWorkers(market));
}

/** Beyond this many workers pairs are too many to try. */
const PAIRS_UP_TO = 16;

function* fewerWorkers(market: Market, kept: number | null): Generator<Market> {
  const others = market.workers.filter(({ id }) => id !== kept);
  for (let length = Math.ceil(others.length / 2); length >= 1; length = Math.floor(length / 2))
    for (let at = 0; at < others.length; at += length) yield* without(market, others.slice(at, at + length));
  if (others.length > PAIRS_UP_TO) return;
  for (const [k, one] of others.entries())
    for (const two of others.slice(k + 1)) yield* without(market, [one, two]);
}

/** With the same budget and a smaller one in proportion, with as many to start with and with fewer. */
function* without(market: Market, removed: readonly Worker[]): Generator<Market> {
  const workers = market.workers.filter((other) => !removed.includes(other));
  const reputation = (list: readonly Worker[]) => sum(list, (one) => one.reputation);
  const shares = [
    1,
    workers.length / market.workers.length,
    reputation(workers) / reputation(market.workers),
  ];
  const { budget, minWorkers } = market.rules;
  for (const share of new Set(shares.filter((value) => value > 0)))
    for (const least of new Set([minWorkers, Math.max(1, minWorkers - removed.length)]))
      yield { rules: { ...market.rules, budget: budget * share, minWorkers: least }, workers };
}

const ruled = (market: Market, rules: Partial<Rules>): Market => ({
  ...market,
  rules: { ...market.rules, ...rules },
});

/** Every worker with something changed. */
const changed = (market: Market, change: (worker: Worker) => Partial<Worker>): Market => ({
  ...market,
  workers: market.workers.map((worker) => ({ ...worker, ...change(worker) })),
});

function* fewerRounds(market: Market): Generator<Market> {
  const { budget, rounds } = market.rules;
  for (let fewer = 1; fewer < rounds; fewer++)
    for (const factor of [1, fewer / rounds]) {
      const shorter = ruled(market, { budget: budget * factor, rounds: fewer });
      yield changed(shorter, ({ arrival }) => ({ arrival: Math.min(arrival, fewer) }));
      yield changed(shorter, ({ arrival }) => ({ arrival: Math.max(1, arrival - (rounds - fewer)) }));
    }
}

/** Another ratio may take another budget. */
const BUDGET_FACTORS = [0.5, 0.75, 1.5, 2, 3];

const SHORT_RATIOS = [0.5, 0.25, 0.75];

/** Without money there is no auction: neither the budget nor the first step's share of it becomes 0. */
function* simplerRules(market: Market): Generator<Market> {
  const { budget, firstRoundRatio, minWorkers } = market.rules;
  for (let fewer = 1; fewer < minWorkers; fewer++) yield ruled(market, { minWorkers: fewer });
  yield ruled(market, { reading: paperRules.reading });
  yield ruled(market, { firstStep: paperRules.firstStep });
  yield ruled(market, { delay: paperRules.delay });
  for (const ratio of [paperRules.firstRoundRatio, ...SHORT_RATIOS, ...rounded(firstRoundRatio)]) {
    if (ratio === 0 || ratio > 1) continue;
    for (const factor of [1, firstRoundRatio / ratio, ...BUDGET_FACTORS])
      yield ruled(market, { firstRoundRatio: ratio, budget: budget * factor });
  }
  for (const simpler of rounded(budget)) if (simpler > 0) yield ruled(market, { budget: simpler });
}

const ROUND_AMOUNTS = [1, 2, 5, 10, 20, 50, 100];

/** Money in another unit, reputations in another: neither changes who is selected. */
function* rescaled(market: Market): Generator<Market> {
  const { budget } = market.rules;
  const largest = Math.max(...market.workers.map(({ reputation }) => reputation));
  if (budget > 0)
    for (const amount of ROUND_AMOUNTS)
      yield changed(ruled(market, { budget: amount }), ({ cost }) => ({ cost: cost * (amount / budget) }));
  if (largest > 0) yield changed(market, ({ reputation }) => ({ reputation: reputation * (1 / largest) }));
}

function* earlierArrivals(market: Market): Generator<Market> {
  for (const one of market.workers)
    for (let arrival = 1; arrival < one.arrival; arrival++) yield replaced(market, one.id, { arrival });
}

const replaced = (market: Market, id: number, change: Partial<Worker>): Market =>
  changed(market, (worker) => (worker.id === id ? change : {}));

function* smallerIds({ market, worker }: Case): Generator<Case> {
  const renamed = (to: (id: number) => number): Case => ({
    market: changed(market, ({ id }) => ({ id: to(id) })),
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
function* roundedTogether(market: Market): Generator<Market> {
  for (let decimals = 0; decimals <= 6; decimals++) {
    const to = (value: number) => Number(value.toFixed(decimals));
    yield changed(market, ({ reputation, cost }) => ({ reputation: to(reputation), cost: to(cost) }));
  }
}

/** One reputation, one cost, or both at once so that the density stays about the same. */
function* simplerWorkers(market: Market): Generator<Market> {
  for (const { id, reputation, cost } of market.workers) {
    const costs = [...rounded(cost), ...market.workers.map((other) => other.cost)];
    for (const simpler of costs) yield replaced(market, id, { cost: simpler });
    const reputations = [...rounded(reputation), ...market.workers.map((other) => other.reputation)];
    for (const simpler of new Set(reputations)) {
      yield replaced(market, id, { reputation: simpler });
      if (reputation === 0) continue;
      for (const price of rounded((cost / reputation) * simpler))
        yield replaced(market, id, { reputation: simpler, cost: price });
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
