/** What if all are strategic: where best responses to best responses lead under each mechanism, and what that costs. */

import type { Agent } from "../src/agents/agent.js";
import { drawnBelief, type Strategy } from "../src/best-response/belief.js";
import { type Equilibrium, interimEquilibrium, strategyOf } from "../src/best-response/equilibrium.js";
import { isExact, isFast } from "../src/best-response/index.js";
import type { Stream } from "../src/lib/random.js";
import { paperRules, type Rules, type Worker } from "../src/market/market.js";
import type { AnyMechanism } from "../src/mechanisms/mechanism.js";
import type { Analysis } from "../src/study/analysis.js";
import { type JobContext, listing, type Profile, type WorkContext } from "../src/study/job.js";
import { paperPopulation } from "../src/training/population.js";
import { parameters, surrogate } from "../src/training/surrogate.js";
import { charts, findings, methods, tables } from "./equilibrium/views.js";
import { countedOf, linesOf, recalled } from "./shared/training.js";

/** One size of market, drawn as in the paper. */
interface Setting {
  readonly workers: number;
  readonly budget: number;
  readonly rounds: number;
}

interface Effort {
  /** On so many responses are worked out, and on as many others ε is bounded, and on as many more it is judged. */
  readonly draws: number;
  readonly iterations: number;
}

export interface EquilibriumSettings extends Setting {
  /** By name; those that are not there, or whose responses are not exact, are left out. */
  readonly mechanisms: readonly string[];
  /** The table of types: all reputations with all costs, at each arrival. */
  readonly reputations: readonly number[];
  readonly costs: readonly number[];
  readonly fast: Effort;
  readonly slow: Effort;
  /** Where no type of the table gains more than this, it has settled. */
  readonly tolerance: number;
  /** Drawn, for ε. */
  readonly types: number;
  /** Drawn, for the figure. */
  readonly shown: number;
  /** Trained by the surrogate, so many tasks for each seed. */
  readonly seeds: number;
  readonly tasks: number;
}

const common = {
  ...{ workers: 10, budget: 12, rounds: 10 },
  mechanisms: ["online", "two-stage", "multi-stage", "bid-greedy", "rrafl", "posted-rounds", "falling-price"],
  tolerance: 0.03,
};

const settings: Record<Profile, EquilibriumSettings> = {
  quick: {
    ...common,
    reputations: [0.1, 0.3, 0.5, 0.7, 0.9],
    costs: Array.from({ length: 14 }, (_, k) => 0.08 + 0.04 * k),
    fast: { draws: 400, iterations: 24 },
    slow: { draws: 60, iterations: 12 },
    ...{ types: 20, shown: 150, seeds: 12, tasks: 15 },
  },
  full: {
    ...common,
    reputations: Array.from({ length: 10 }, (_, k) => (k + 0.5) / 10),
    costs: Array.from({ length: 28 }, (_, k) => 0.07 + 0.02 * k),
    fast: { draws: 2000, iterations: 60 },
    slow: { draws: 600, iterations: 40 },
    ...{ types: 60, shown: 400, seeds: 100, tasks: 70 },
  },
};

interface EquilibriumCell extends Omit<EquilibriumSettings, "mechanisms" | "fast" | "slow">, Effort {
  readonly mechanism: string;
}

/** How a type bids. */
export interface ShownBid extends Pick<Worker, "reputation" | "cost" | "arrival"> {
  readonly price: number;
  readonly late: number;
}

interface EquilibriumFound extends Pick<Equilibrium, "end" | "epsilon" | "effects"> {
  readonly iterations: number;
  /** On the draws that responses were worked out on, in the first iteration and in the last. */
  readonly firstGain: number;
  readonly lastGain: number;
  readonly bids: readonly ShownBid[];
  /** The loss of a seed's models, on average over tasks. */
  readonly losses: { readonly truth: readonly number[]; readonly strategy: readonly number[] };
}

export interface EquilibriumAt extends EquilibriumFound {
  readonly mechanism: string;
  readonly draws: number;
}

export interface EquilibriumResult {
  readonly settings: EquilibriumSettings;
  readonly ours: string;
  readonly found: readonly EquilibriumAt[];
}

const look = async (cell: EquilibriumCell, _: number, context: JobContext): Promise<EquilibriumFound> => {
  const { workers, budget, rounds } = cell;
  const rules: Rules = { ...paperRules, budget, rounds };
  const ids = Array.from({ length: workers }, (_, id) => id);
  const beliefOf = (name: string) => drawnBelief({ rules, ids }, context.stream.fork(name));
  const drawnTypes = (name: string, count: number) =>
    Array.from({ length: count }, (_, k) => beliefOf(name).draw(k)[0]!);
  const mechanism = context.mechanisms.find(({ name }) => name === cell.mechanism)!;
  const { strategy, end, iterations, epsilon, effects } = interimEquilibrium({
    ...cell,
    ...{ rules, mechanism, belief: beliefOf("others"), types: drawnTypes("types", cell.types), damping: 1 },
    stream: context.stream.fork("multipliers"),
  });
  const bid = strategyOf(strategy);
  return {
    ...{ end, epsilon, effects, iterations: iterations.length },
    firstGain: iterations[0]!.largestGain,
    lastGain: iterations.at(-1)!.largestGain,
    bids: drawnTypes("shown", cell.shown).map((type) => shownBid(type, bid)),
    losses: await lossesOf(bid, { ...cell, rules, mechanism, stream: context.stream.fork("training") }),
  };
};

function shownBid(type: Worker, strategy: Strategy): ShownBid {
  const { price, arrival } = strategy(type);
  const { reputation, cost } = type;
  return { reputation, cost, arrival: type.arrival, price, late: arrival - type.arrival };
}

interface Trained extends Pick<EquilibriumCell, "workers" | "seeds" | "tasks"> {
  readonly rules: Rules;
  readonly mechanism: AnyMechanism;
  readonly stream: Stream;
}

/** The same workers, costs, arrivals and noise with everybody truthful and everybody strategic. */
async function lossesOf(strategy: Strategy, trained: Trained): Promise<EquilibriumFound["losses"]> {
  const { rules, mechanism, tasks, seeds } = trained;
  const losses = { truth: [] as number[], strategy: [] as number[] };
  for (let seed = 0; seed < seeds; seed++) {
    const types = recalled();
    const loss = async (agent: Agent | undefined) => {
      const workers = paperPopulation(trained.workers);
      const setting = { workers, rules, mechanism, stream: trained.stream.fork(seed), agents: () => agent };
      const lines = await linesOf({ ...setting, trainer: surrogate({ dataset }), types: types() }, tasks);
      return meanLoss(lines);
    };
    losses.truth.push(await loss(undefined));
    losses.strategy.push(await loss(playing(strategy)));
  }
  return losses;
}

const dataset = "mnist";

/** After a task's last round; where nobody was selected the model stays untrained. */
function meanLoss(lines: Awaited<ReturnType<typeof linesOf>>): number {
  const counted = countedOf(lines);
  const last = counted.map(({ losses }) => losses.at(-1) ?? parameters[dataset].first.loss);
  return last.reduce((sum, loss) => sum + loss, 0) / counted.length;
}

const playing = (strategy: Strategy): Agent => ({
  name: "strategic",
  about: "Bids by a strategy.",
  traits: { stochastic: false, lies: ["price", "time", "start"], sees: "own", learns: false },
  bid: ({ self }) => strategy(self),
});

/** Ours first. */
function lookedAt(names: readonly string[], { mechanism, mechanisms }: WorkContext): AnyMechanism[] {
  const others = mechanisms.filter(({ name }) => names.includes(name) && name !== mechanism.name);
  return [mechanism, ...others].filter((one) => !one.stochastic && isExact(one));
}

export const equilibrium: Analysis<
  EquilibriumSettings,
  EquilibriumCell,
  EquilibriumFound[],
  EquilibriumResult
> = {
  name: "equilibrium",
  question: "What if all workers are strategic, and what does that cost?",
  part: "strategies",
  settings: ({ profile }) => settings[profile],
  plan: ({ mechanisms, fast, slow, ...rest }, context) =>
    lookedAt(mechanisms, context).map((mechanism) => ({
      cell: { ...rest, ...(isFast(mechanism) ? fast : slow), mechanism: mechanism.name },
      markets: 1,
    })),
  job: listing(look, ({ draws, iterations, mechanism, seeds, tasks }) => {
    const response = mechanism === "online" ? 0.2 : 3;
    return response * draws * iterations + 2 * seeds * tasks;
  }),
  conclude: (gathered, settings, { mechanism }) => ({
    settings,
    ours: mechanism.name,
    found: gathered.flatMap(({ cell, summary }) =>
      (summary ?? []).map((one) => ({ ...one, mechanism: cell.mechanism, draws: cell.draws })),
    ),
  }),
  tables,
  charts,
  findings,
  methods,
};
