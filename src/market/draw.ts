/** Draws markets as in the paper's Figures 2 and 3, or from distributions of the caller's own. */

import { invalidError } from "../lib/errors.js";
import type { Stream } from "../lib/random.js";
import { amountRange, isAmount, type Market, paperRules, type Rules, type Worker } from "./market.js";

/** What a distribution may depend on: a fresh uniform draw, the market and the worker. */
export type DrawScope = {
  /** Uniform in [0, 1), a fresh one for every value drawn. */
  readonly u: number;
  readonly T: number;
  readonly B: number;
  /** The number of workers. */
  readonly n: number;
  readonly id: number;
};

/** The scope once the worker's reputation is known. */
type ReputedScope = DrawScope & { readonly re: number };

export interface Distributions {
  readonly reputation: (scope: DrawScope) => number;
  readonly cost: (scope: ReputedScope) => number;
  readonly arrival: (scope: ReputedScope) => number;
}

/**
 * How ids, and with them groups, are given: 0, 1, 2, …, so that the groups alternate; or as a hash would give them, 2k or
 * 2k + 1 to the k-th worker with the same probability, so that the sizes of the groups are binomial.
 */
export type GroupsDrawn = (typeof groupsDrawn)[number];
export const groupsDrawn = ["alternate", "hash"] as const;

export interface DrawOptions {
  readonly rules: Rules;
  readonly workers: number;
  /** "alternate" if left out. */
  readonly groups?: GroupsDrawn;
  /** In place of the paper's. */
  readonly distributions?: Partial<Distributions>;
}

/** Re ~ U[0, 1]; cost ~ U[Re/3 + 1/15, Re/3 + 4/15]; P(arrival = t) ∝ 1/t. */
export function paperDistributions(rounds: number): Distributions {
  const upTo = harmonicShares(rounds);
  return {
    reputation: ({ u }) => u,
    cost: ({ u, re }) => re / 3 + 1 / 15 + u / 5,
    arrival: ({ u }) => upTo.findIndex((share) => u < share) + 1,
  };
}

/** P(arrival ≤ t) for t = 1..T; the last is exactly 1. */
function harmonicShares(rounds: number): number[] {
  const sums: number[] = [];
  for (let t = 1; t <= rounds; t++) sums.push((sums.at(-1) ?? 0) + 1 / t);
  return sums.map((sum) => sum / sums.at(-1)!);
}

/** Markets k = 0..count-1; market k is the same whatever the count is. */
export function* drawMarkets(options: DrawOptions, count: number, stream: Stream): Generator<Market> {
  for (let k = 0; k < count; k++) yield drawMarket(options, stream.fork(k));
}

/**
 * One market. Each quantity draws from a stream of its own: another distribution for one never shifts the others,
 * and the first workers of a larger market are those of a smaller one.
 */
export function drawMarket(options: DrawOptions, stream: Stream): Market {
  const { rules, workers, distributions } = options;
  const by = { ...paperDistributions(rules.rounds), ...distributions };
  const [reputations, costs, arrivals] = [
    stream.fork("reputation"),
    stream.fork("cost"),
    stream.fork("arrival"),
  ];
  const [T, B, n] = [rules.rounds, rules.budget, workers];
  const hashed = options.groups === "hash" ? stream.fork("groups") : null;
  const idOf = (k: number) => (hashed === null ? k : 2 * k + (hashed.next() < 0.5 ? 0 : 1));
  // Written out: to spread a common part into every scope takes longer than all the rest of a draw.
  const draw = (id: number): Worker => {
    const re = by.reputation({ u: reputations.next(), T, B, n, id });
    const cost = by.cost({ u: costs.next(), T, B, n, id, re });
    const arrival = by.arrival({ u: arrivals.next(), T, B, n, id, re });
    return checked({ id, reputation: re, cost, arrival }, rules);
  };
  return { rules, workers: Array.from({ length: workers }, (_, k) => draw(idOf(k))) };
}

/**
 * What each worker contributes by the publisher's own count, the internal reputation re of the paper's Figures 2 and 3:
 * re ~ U[max(0, Re − 0.1), min(1, Re + 0.1)]. It decides nothing in the auction.
 */
export function internalReputations(
  { workers }: Market,
  stream: Stream,
): Pick<Worker, "id" | "reputation">[] {
  const draws = stream.fork("internal reputation");
  return workers.map(({ id, reputation }) => {
    const [low, high] = [Math.max(0, reputation - 0.1), Math.min(1, reputation + 0.1)];
    return { id, reputation: low + (high - low) * draws.next() };
  });
}

function checked(worker: Worker, { rounds }: Rules): Worker {
  const { id, reputation, cost, arrival } = worker;
  for (const field of ["reputation", "cost"] as const) {
    demand(worker[field] >= 0, worker, field, "a number ≥ 0");
    demand(isAmount(worker[field]), worker, field, amountRange);
  }
  const onClock = Number.isInteger(arrival) && arrival >= 1 && arrival <= rounds;
  demand(onClock, worker, "arrival", `an integer from 1 to ${rounds}`);
  // + 0: a formula may give −0.
  return { id, reputation: reputation + 0, cost: cost + 0, arrival };
}

function demand(holds: boolean, worker: Worker, field: keyof Worker, expected: string): void {
  if (holds) return;
  const source = `${field} drawn for worker ${worker.id}`;
  throw invalidError(source, [], expected, worker[field]);
}

/** The true cost of all rounds on offer: Σ c_i · (T − a_i + 1). Rounds before a worker's arrival are not on offer. */
export const costOnOffer = ({ rules, workers }: Market): number =>
  workers.reduce((sum, { cost, arrival }) => sum + cost * (rules.rounds - arrival + 1), 0);

/** The market with a budget of `ratio` times the true cost of all rounds on offer, to six digits: comparable at any size. */
export function atRelativeBudget(market: Market, ratio: number): Market {
  const budget = Number((ratio * costOnOffer(market)).toPrecision(6));
  return { ...market, rules: { ...market.rules, budget } };
}

/** The paper's distributions to four decimals, so that a market can be read and written down. */
function legibleDistributions(rounds: number): Distributions {
  const { reputation, cost, arrival } = paperDistributions(rounds);
  const legible = (x: number) => Number(x.toFixed(4));
  return {
    reputation: (scope) => legible(reputation(scope)),
    cost: (scope) => legible(cost(scope)),
    arrival,
  };
}

/** A market of the paper's distributions and rules, with a relative budget of 1. */
export function drawForSurvey(size: { workers: number; rounds: number }, stream: Stream): Market {
  const { workers, rounds } = size;
  const rules = { ...paperRules, budget: 1, rounds };
  const distributions = legibleDistributions(rounds);
  return atRelativeBudget(drawMarket({ rules, workers, distributions }, stream), 1);
}

/** Market k of a size: the same whatever else is drawn. */
export const surveyed = (size: { workers: number; rounds: number }, k: number, stream: Stream): Market =>
  drawForSurvey(size, stream.fork(size.workers).fork(k));
