/** What if all are strategic: where best responses to best responses lead under each mechanism, and what that costs. */

import type { Agent } from "../src/agents/agent.js";
import { drawnBelief, type Strategy } from "../src/best-response/belief.js";
import { type Equilibrium, interimEquilibrium, strategyOf } from "../src/best-response/equilibrium.js";
import { isExact, isFast } from "../src/best-response/index.js";
import { capital, counted, listed, stated, threeDigits } from "../src/lib/format.js";
import type { Stream } from "../src/lib/random.js";
import { type Estimate, estimate, reach } from "../src/lib/statistics.js";
import { paperRules, type Rules, type Worker } from "../src/market/market.js";
import type { AnyMechanism } from "../src/mechanisms/mechanism.js";
import type { Chart, Choice, Finding, Table } from "../src/report/result.js";
import {
  amountAxis,
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  fromTogether,
  mechanismColour,
  nameAxis,
  pointsWithIntervals,
  tableOf,
  textColumn,
  tooltipOf,
} from "../src/report/vocabulary.js";
import type { Analysis } from "../src/study/analysis.js";
import { type JobContext, listing, type Profile, type WorkContext } from "../src/study/job.js";
import { paperPopulation } from "../src/training/population.js";
import { parameters, surrogate } from "../src/training/surrogate.js";
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
interface ShownBid extends Pick<Worker, "reputation" | "cost" | "arrival"> {
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

interface EquilibriumAt extends EquilibriumFound {
  readonly mechanism: string;
  readonly draws: number;
}

interface EquilibriumResult {
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

/** Per market or model: under the truth, with everybody strategic, and the difference. */
interface Effect {
  readonly truth: number;
  readonly strategic: number;
  readonly change: Estimate;
}

const measures = {
  "publisher's utility": ({ effects }: EquilibriumAt) => accountOf(effects, "publisherUtility"),
  "payments in all": ({ effects }: EquilibriumAt) => accountOf(effects, "spent"),
  "workers' utilities in all": ({ effects }: EquilibriumAt) => accountOf(effects, "workersUtility"),
  "loss of the model": ({ losses }: EquilibriumAt): Effect => ({
    truth: estimate(losses.truth).mean,
    strategic: estimate(losses.strategy).mean,
    change: estimate(losses.strategy.map((loss, k) => loss - losses.truth[k]!)),
  }),
} as const;

type Measure = keyof typeof measures;

const measureNames = Object.keys(measures) as Measure[];

const accountOf = (
  { truth, strategy, change }: EquilibriumAt["effects"],
  name: keyof EquilibriumAt["effects"]["truth"],
): Effect => ({ truth: truth[name].mean, strategic: strategy[name].mean, change: change[name] });

/** The interval of a mean, as wide as it takes to hold together with others with 95 %. */
function widened({ mean, low, high, n }: Estimate, together: number): Estimate {
  const wider = reach(n - 1, together) / reach(n - 1);
  return { mean, low: mean - wider * (mean - low), high: mean + wider * (high - mean), n };
}

/** Those of one measure hold for all mechanisms together. */
function effectOf(at: EquilibriumAt, measure: Measure, { found }: EquilibriumResult): Effect {
  const effect = measures[measure](at);
  return { ...effect, change: widened(effect.change, found.length) };
}

type EffectAt = Effect & { readonly mechanism: string; readonly measure: Measure };

const effectsIn = (result: EquilibriumResult): EffectAt[] =>
  result.found.flatMap((at) =>
    measureNames.map((measure) => ({ ...effectOf(at, measure, result), mechanism: at.mechanism, measure })),
  );

const mechanismColumn = textColumn("mechanism", "Mechanism");

const effectColumns: readonly Field<EffectAt>[] = [
  mechanismColumn,
  textColumn("measure", "Measured"),
  amountColumn("truth", "All truthful"),
  amountColumn("strategic", "All strategic"),
  ...estimateColumns(amountColumn("change", "Change"), ({ change }: EffectAt) => change, {
    from: fromTogether,
  }),
  countColumn("n", "Markets or seeds", ({ change }) => change.n),
];

const bidColumns: readonly Field<ShownBid>[] = [
  mechanismColumn,
  amountColumn("reputation", "Reputation"),
  amountColumn("cost", "Cost"),
  countColumn("arrival", "Arrival"),
  amountColumn("price", "Asks"),
  amountColumn("over", "Price / cost", ({ price, cost }) => price / cost),
  countColumn("late", "Comes late by"),
  textColumn("when", "When", ({ late }) => (late > 0 ? "comes late" : "comes on time")),
];

const endColumns: readonly Field<EquilibriumAt>[] = [
  mechanismColumn,
  textColumn("end", "Responses", ({ end }) => (end.kind === "cycle" ? `cycle of ${end.length}` : end.kind)),
  countColumn("iterations", "Iterations"),
  amountColumn("firstGain", "Largest gain over the truth, in the table"),
  amountColumn("lastGain", "Largest gain in the last iteration"),
  amountColumn("gain", "Gain of the type that still gains most", ({ epsilon }) => epsilon.gain),
  amountColumn("low", "95 % from", ({ epsilon }) => epsilon.low),
  amountColumn("high", "to, for all types, prices and arrivals together", ({ epsilon }) => epsilon.high),
  countColumn("draws", "Draws"),
];

const tables = (result: EquilibriumResult): Table[] => [
  tableOf(
    "equilibria",
    "Where best responses lead, and what somebody can still gain there",
    result.found,
    endColumns,
  ),
  tableOf("effects", "What changes when all workers are strategic", effectsIn(result), effectColumns),
  tableOf(
    "strategies",
    "How types bid",
    result.found.flatMap(({ mechanism, bids }) => bids.map((bid) => ({ mechanism, ...bid }))),
    bidColumns,
  ),
];

function charts(result: EquilibriumResult): Chart[] {
  const names = result.found.map(({ mechanism }) => mechanism);
  const choices: Choice[] = [{ field: "measure", label: "Measured", values: measureNames }];
  const x = (field: string) => amountAxis(field, "change from all truthful to all strategic");
  return [
    {
      name: "effects",
      title: "What changes when all workers are strategic",
      table: "effects",
      choices,
      spec: {
        height: { step: 26 },
        layer: [
          { mark: "rule", encoding: { x: { datum: 0 } } },
          {
            encoding: {
              y: nameAxis("mechanism", names, { labelLimit: 160 }),
              color: { ...mechanismColour("mechanism", names), legend: null },
              tooltip: tooltipOf(effectColumns),
            },
            layer: pointsWithIntervals(x, { value: "change" }),
          },
        ],
      },
      summary: captions(choices, ({ measure }) => captionOf(result, measure as Measure)),
      howToRead:
        "A point is the mean difference in the same markets (loss: in the same seeds of the surrogate for MNIST), its line the interval that holds for all mechanisms together with 95 %.",
    },
  ];
}

/** Which mechanisms' intervals lie on either side of 0. */
function captionOf(result: EquilibriumResult, measure: Measure): string {
  const all = effectsIn(result).filter((one) => one.measure === measure);
  const named = (some: readonly EffectAt[]) => listed(some.map(({ mechanism }) => mechanism));
  const up = all.filter(({ change }) => change.low > 0);
  const down = all.filter(({ change }) => change.high < 0);
  const open = all.filter(({ change }) => !(change.low > 0 || change.high < 0) && change.low < change.high);
  const parts = [
    ...(up.length > 0 ? [`higher under ${named(up)}`] : []),
    ...(down.length > 0 ? [`lower under ${named(down)}`] : []),
    ...(open.length > 0 ? [`not shown to change under ${named(open)}`] : []),
  ];
  return `${capital(measure)}: ${parts.length > 0 ? parts.join("; ") : "the same under every mechanism"}.`;
}

/** A price this close to the cost, as a share of it, counts as the truth. */
const CLOSE = 0.01;

const asksTheCost = ({ price, cost }: ShownBid): boolean => Math.abs(price - cost) <= CLOSE * cost;

const isTruthful = ({ bids }: EquilibriumAt): boolean =>
  bids.every((bid) => asksTheCost(bid) && bid.late === 0);

const findings = (result: EquilibriumResult): Finding[] =>
  [
    { text: oursText(result), weight: 62 },
    { text: truthText(result), weight: 50 },
    { text: emptyText(result), weight: 46 },
    { text: endText(result), weight: 44 },
  ].filter(({ text }) => text !== "");

/** How types of ours bid, and what the publisher has of it. */
function oursText(result: EquilibriumResult): string {
  const [at] = result.found;
  if (!at || at.mechanism !== result.ours || isTruthful(at)) return "";
  const other = at.bids.filter((bid) => !asksTheCost(bid));
  const less = other.filter(({ price, cost }) => price < cost).length;
  const [change, interval] = stated(effectOf(at, "publisher's utility", result).change, "change");
  return `If all workers of \`${at.mechanism}\` are strategic, ${less} of ${counted(at.bids.length, "type")} drawn ask less than their cost, ${other.length - less} more, and ${lateIn(at)} come late. The publisher's utility changes by ${change} (${interval}, all ${counted(result.found.length, "mechanism")} together).`;
}

const lateIn = ({ bids }: EquilibriumAt): number => bids.filter(({ late }) => late > 0).length;

const named = (some: readonly EquilibriumAt[]): string =>
  listed(some.map(({ mechanism }) => `\`${mechanism}\``));

/** The most that some type may still expect to gain. */
const boundOf = (some: readonly EquilibriumAt[]): string =>
  threeDigits(Math.max(...some.map(({ epsilon }) => epsilon.high)));

function truthText({ found, settings: { types } }: EquilibriumResult): string {
  const some = found.filter(isTruthful);
  if (some.length === 0) return "";
  return `Under ${named(some)} the truth is a best response to itself: none of ${types} types drawn anew can expect to gain more than ${boundOf(some)} by a lie (95 %).`;
}

function emptyText({ found }: EquilibriumResult): string {
  const [at] = found.filter(
    ({ effects }) => effects.strategy.spent.mean === 0 && effects.truth.spent.mean > 0,
  );
  if (!at) return "";
  return `Under \`${at.mechanism}\` nothing is bought any more: ${lateIn(at)} of ${counted(at.bids.length, "type")} drawn come late.`;
}

/** Where best responses lead to other bids than the truth. */
function endText({ found }: EquilibriumResult): string {
  const strategic = found.filter((at) => !isTruthful(at));
  const settled = strategic.filter(({ end }) => end.kind === "settled");
  const open = strategic.filter((at) => !settled.includes(at));
  const sentences = [
    ...(settled.length > 0
      ? [
          `Best responses settle under ${named(settled)}, where no type can expect to gain more than ${boundOf(settled)} by another bid (95 %).`,
        ]
      : []),
    ...(open.length > 0
      ? [
          `Best responses do not settle under ${named(open)}: at their average a type may still gain up to ${boundOf(open)} (95 %).`,
        ]
      : []),
  ];
  return sentences.join(" ");
}

function methods({ settings, found }: EquilibriumResult): string[] {
  const { reputations, costs, fast, slow, tolerance, types, seeds, tasks, workers, budget, rounds } =
    settings;
  const efforts = [...new Set(found.map(({ draws }) => draws))];
  return [
    `${workers} workers drawn as in the paper, a budget of ${budget}, ${rounds} rounds, prose; nobody sees the others' bids. A strategy is a table of ${reputations.length} reputations, ${costs.length} costs and all arrivals; types between its rows bid in proportion. A price within 1 % of the cost counts as the truth.`,
    `From the truth on, every type's best response to the table, over all prices and arrivals, is exact on ${listed(efforts)} draws (${fast.draws} for online, ${slow.draws} for the others); the table moves to the mean of all responses so far, at most ${Math.max(fast.iterations, slow.iterations)} times, until nobody in it gains more than ${tolerance}. Where it does not settle, undamped responses are followed: a table that is its own best response is taken, and responses that come back to an earlier table are called a cycle. No equilibrium need be the only one.`,
    `What a type can still gain is bounded from above with 97.5 % for ${types} types drawn anew, all prices and arrivals at once, on as many other draws (multiplier bootstrap); it includes what the table loses between its rows. Changes are of the same markets, as many again, everybody truthful or everybody strategic; those of one measure hold together with 95 % (Bonferroni).`,
    `The model: ${counted(seeds, "seed")} with ${counted(tasks, "task")} each of ${workers} workers of the paper's Tables 1 and 2 at the same budget under the surrogate for MNIST; the loss is that after the last round, and that of the untrained model where nobody is selected.`,
  ];
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
