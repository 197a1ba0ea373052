/** A user's own analysis whose markets take their time, so that things can happen meanwhile. */

import { type Analysis, drawMarket, type Job, paperRules } from "candor";

const rules = { ...paperRules, budget: 12, rounds: 5 };

const sizes = [5, 9];

interface Sum {
  readonly markets: number;
  readonly cost: number;
  readonly last: number;
}

const sum: Job<number, Sum> = {
  async look(workers, k, { stream, options }) {
    if (k === options.poison && workers === sizes[0]) throw new RangeError(`market ${k} is bad`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const market = drawMarket({ rules, workers }, stream.fork(workers).fork(k));
    const cost = market.workers.reduce((total, worker) => total + worker.cost, 0);
    return { markets: 1, cost, last: cost };
  },
  merge: (left, right) => ({
    markets: left.markets + right.markets,
    cost: left.cost + right.cost,
    last: right.last,
  }),
  cost: () => 100,
};

export default {
  name: "slow",
  question: "What do workers cost?",
  options: { markets: { from: 1, whole: true }, poison: { from: 0, whole: true } },
  settings: ({ options }) => ({ markets: Number(options.markets ?? 40) }),
  plan: ({ markets }) => sizes.map((cell) => ({ cell, markets })),
  job: sum,
  conclude: (gathered) => gathered.map(({ cell, summary }) => ({ workers: cell, ...summary })),
  tables: (rows) => {
    const columns = ["workers", "markets", "cost", "last"].map(
      (name) => ({ name, label: name, kind: "amount" }) as const,
    );
    return [{ name: "costs", title: "Costs", columns, rows }];
  },
  charts: () => [],
  findings: () => [],
  methods: () => [],
} satisfies Analysis;
