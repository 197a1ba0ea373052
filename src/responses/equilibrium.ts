/**
 * What if all are strategic: a strategy for every type, from which nobody gains much by deviating. Found by iterated best
 * responses: everybody bids by a table of types; each type's best response to that is worked out exactly on some draws;
 * the table moves part of the way towards it, and so on. All draws stay the same, so an undamped response is a plain
 * function of the table, and responses that come back to an earlier table are a cycle and told as one. How far the last
 * table is from an equilibrium is then measured on other draws.
 */

import { minIndex } from "d3-array";
import { type AnyMechanism, runAuction } from "../auction/mechanism.js";
import { publisherAccount, workerUtility } from "../auction/outcome.js";
import type { Stream } from "../lib/random.js";
import { type Estimate, estimate } from "../lib/statistics.js";
import { negligible } from "../lib/tolerance.js";
import type { Bid, Offer, Rules, Worker } from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import type { Belief, Strategy } from "./belief.js";
import { Draws, drawsOf } from "./draws.js";
import { type LargestGain, largestGain } from "./largest-gain.js";

export interface EquilibriumOptions {
  readonly rules: Rules;
  readonly mechanism?: AnyMechanism;
  /** Types; their strategies are what is looked for. */
  readonly belief: Belief;
  /** The types of the table: all reputations with all costs, at each arrival. */
  readonly reputations: readonly number[];
  readonly costs: readonly number[];
  /** On how many draws responses are worked out, and on how many others ε is bounded and judged. */
  readonly draws: number;
  /** For whom ε is measured; fresh ones also show what the table loses between its types. */
  readonly types: readonly Worker[];
  /** How much of the way the table moves at first: 1 all of it. */
  readonly damping: number;
  readonly iterations: number;
  /** Where no type of the table gains more than this on the draws it responds to, the table has settled. */
  readonly tolerance: number;
  readonly stream: Stream;
}

/** Bids at [reputation][arrival − 1][cost]. */
interface StrategyTable {
  readonly reputations: readonly number[];
  readonly costs: readonly number[];
  readonly bids: readonly (readonly (readonly Offer[])[])[];
}

interface Iteration {
  /** The largest change of a price, and how many types changed their arrival. */
  readonly moved: number;
  readonly rearranged: number;
  /** The largest gain of a type of the table over its bid, on the draws that responses are worked out on. */
  readonly largestGain: number;
}

export interface Equilibrium {
  readonly mechanism: string;
  readonly strategy: StrategyTable;
  /** "cycle": the table did not settle, and undamped best responses repeat after `length` of them; "unsettled": neither. */
  readonly end:
    | { readonly kind: "settled" | "unsettled" }
    | { readonly kind: "cycle"; readonly length: number };
  readonly iterations: readonly Iteration[];
  /** What one of the types asked about can still gain over the strategy, with bounds for all of them. */
  readonly epsilon: LargestGain;
  readonly effects: Effects;
}

/** Means over markets under the truth, over the same markets in which everybody bids by the strategy, and of the change. */
export type Effects = Readonly<Record<"truth" | "strategy" | "change", Accounts>>;

const accountFields = ["publisherUtility", "spent", "workersUtility", "started"] as const;

type AccountField = (typeof accountFields)[number];

type Accounts = Readonly<Record<AccountField, Estimate>>;

export function interimEquilibrium(options: EquilibriumOptions): Equilibrium {
  const { belief, rules, mechanism = online, draws, stream } = options;
  const { table, end, iterations } = iterate(options, drawsOf(belief, 0, draws));
  const strategy = strategyOf(table);
  const second = drawsOf(belief, draws, draws);
  const third = drawsOf(belief, 2 * draws, draws);
  const chosenOn = bidding(second, strategy, options);
  const judgedOn = bidding(third, strategy, options);
  const epsilon = largestGain({ types: options.types, chosenOn, judgedOn, strategy, stream });
  const effects = effectsOf(third, strategy, { rules, mechanism });
  return { mechanism: mechanism.name, strategy: table, end, iterations, epsilon, effects };
}

type Types = readonly (readonly Worker[])[];

/** Steps fall as 1/t, so that the table becomes the mean of all responses so far: the method of successive averages. */
function iterate(options: EquilibriumOptions, types: Types) {
  const { damping, tolerance } = options;
  const iterations: Iteration[] = [];
  let table = truthTable(options);
  while (iterations.length < options.iterations) {
    const { after, gain } = respond(table, types, damping / (1 + damping * iterations.length), options);
    iterations.push({ largestGain: gain, ...changeOf(table, after) });
    if (gain <= tolerance) return { table, end: { kind: "settled" } as const, iterations };
    table = after;
  }
  return { ...undamped(table, types, options), iterations };
}

/**
 * Where averages do not settle, undamped responses to responses may come back to where they were: to a table that is its
 * own best response, which is taken then, or round a cycle, of which the averages are all that is kept.
 */
function undamped(
  table: StrategyTable,
  types: Types,
  options: EquilibriumOptions,
): Pick<Equilibrium, "end"> & { readonly table: StrategyTable } {
  const tables = [table];
  while (tables.length <= options.iterations) {
    const { after } = respond(tables.at(-1)!, types, 1, options);
    const at = tables.findLastIndex((earlier) => isSame(changeOf(earlier, after), options.rules));
    const length = tables.length - at;
    if (at >= 0 && length === 1) return { table: after, end: { kind: "settled" } };
    if (at >= 0) return { table, end: { kind: "cycle", length } };
    tables.push(after);
  }
  return { table, end: { kind: "unsettled" } };
}

const isSame = ({ moved, rearranged }: ReturnType<typeof changeOf>, { budget }: Rules): boolean =>
  moved <= negligible(budget) && rearranged === 0;

/** Every type of the table moves towards its best response to the table. */
function respond(table: StrategyTable, types: Types, step: number, options: EquilibriumOptions) {
  const { rules } = options;
  const draws = bidding(types, strategyOf(table), options);
  const { id } = types[0]![0]!;
  let gain = 0;
  const bids = table.reputations.map((reputation, r) => {
    const landscape = draws.landscape({ id, reputation, cost: 0, arrival: 1 });
    return table.bids[r]!.map((row, a) =>
      row.map((bid, c) => {
        const cost = table.costs[c]!;
        const best = landscape.best({ cost, arrival: a + 1 });
        const gains = best.utility - landscape.utility(cost, bid);
        gain = Math.max(gain, gains);
        return gains > negligible(rules.budget) ? towards(bid, best, step) : bid;
      }),
    );
  });
  return { after: { ...table, bids }, gain };
}

/** Draws in which everybody bids by a strategy instead of telling the truth. */
function bidding(types: Types, strategy: Strategy, { rules, mechanism = online }: EquilibriumOptions): Draws {
  const said = (type: Worker): Worker => {
    const { price, arrival } = strategy(type);
    return { ...type, cost: price, arrival };
  };
  return new Draws({ rules, mechanism, workers: types.map((draw) => draw.map(said)) });
}

/** Part of the way in price; to another arrival all at once, for there is nothing between two of them. */
function towards(bid: Offer, best: Offer, damping: number): Offer {
  const { price, arrival } = best;
  return { price: arrival === bid.arrival ? bid.price + damping * (price - bid.price) : price, arrival };
}

function truthTable({ reputations, costs, rules }: EquilibriumOptions): StrategyTable {
  const row = (arrival: number) => costs.map((price) => ({ price, arrival }));
  const bids = reputations.map(() => Array.from({ length: rules.rounds }, (_, k) => row(k + 1)));
  return { reputations, costs, bids };
}

function changeOf(before: StrategyTable, after: StrategyTable) {
  let [moved, rearranged] = [0, 0];
  for (const [r, rows] of before.bids.entries())
    for (const [a, row] of rows.entries())
      for (const [c, bid] of row.entries()) {
        const now = after.bids[r]![a]![c]!;
        moved = Math.max(moved, Math.abs(now.price - bid.price));
        if (now.arrival !== bid.arrival) rearranged++;
      }
  return { moved, rearranged };
}

/**
 * A bid for every type: that of the nearest reputation in the table; between two costs whose bids say the same kind of
 * thing, in proportion; between others, that of the nearer one. Costs beyond the table bid as much more as they are.
 */
export function strategyOf({ reputations, costs, bids }: StrategyTable): Strategy {
  return ({ reputation, cost, arrival }) => {
    const row = bids[minIndex(reputations, (one) => Math.abs(one - reputation))]![arrival - 1]!;
    const next = costs.findIndex((one) => one >= cost);
    const at = next < 0 ? costs.length - 1 : next;
    const lieAt = (k: number) => row[k]!.price - costs[k]!;
    if (next <= 0) return { price: Math.max(0, cost + lieAt(at)), arrival: row[at]!.arrival };
    const low = row[at - 1]!;
    const high = row[at]!;
    const part = (cost - costs[at - 1]!) / (costs[at]! - costs[at - 1]!);
    const lower = lieAt(at - 1);
    const upper = lieAt(at);
    const alike = low.arrival === high.arrival && Math.sign(lower) === Math.sign(upper);
    if (!alike) return part < 0.5 ? low : high;
    // By what is added to the cost: between two truths the truth is exact.
    return { price: Math.max(0, cost + lower + part * (upper - lower)), arrival: low.arrival };
  };
}

function effectsOf(
  draws: Types,
  strategy: Strategy,
  { rules, mechanism }: { readonly rules: Rules; readonly mechanism: AnyMechanism },
): Effects {
  const runs = draws.map((workers) => {
    const bids = workers.map((type): Bid => ({ worker: type.id, ...strategy(type) }));
    return { truth: runOf(workers, []), strategy: runOf(workers, bids) };
  });
  function runOf(workers: readonly Worker[], bids: readonly Bid[]): Record<AccountField, number> {
    const outcome = runAuction(mechanism, { rules, workers }, bids);
    const { publisherUtility, spent } = publisherAccount(workers, outcome);
    const got = new Map(outcome.workers.map((one) => [one.id, one]));
    const workersUtility = workers.reduce((sum, type) => sum + workerUtility(type, got.get(type.id)!), 0);
    return { publisherUtility, spent, workersUtility, started: outcome.started ? 1 : 0 };
  }
  const accounts = (value: (run: (typeof runs)[number], field: AccountField) => number) =>
    Object.fromEntries(
      accountFields.map((field) => [field, estimate(runs.map((run) => value(run, field)))]),
    ) as Accounts;
  return {
    truth: accounts(({ truth }, field) => truth[field]),
    strategy: accounts((run, field) => run.strategy[field]),
    change: accounts((run, field) => run.strategy[field] - run.truth[field]),
  };
}
