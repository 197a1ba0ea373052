/** What if all are strategic: where best responses to best responses lead under each mechanism, and what that costs. */

import { mean } from "d3-array";
import type { Agent } from "../src/agents/agent.js";
import type { AnyMechanism } from "../src/auction/mechanism.js";
import { capital, counted, listed, stated, threeDigits } from "../src/lib/format.js";
import { estimate } from "../src/lib/statistics.js";
import { paperRules, type Rules, type Worker } from "../src/market/market.js";
import type { Chart, Finding, Table } from "../src/report/result.js";
import { axis, captions, colour, column, marks, rankedFindings, tableOf } from "../src/report/vocabulary.js";
import { drawnBelief, type Strategy } from "../src/responses/belief.js";
import { interimEquilibrium, strategyOf } from "../src/responses/equilibrium.js";
import { isExact, isFast } from "../src/responses/index.js";
import type { Analysis } from "../src/study/analysis.js";
import { collectJob, type JobContext, type Profile, type WorkContext } from "../src/study/job.js";
import { paperPopulation } from "../src/training/population.js";
import type { TaskLine } from "../src/training/recordings.js";
import { parameters, surrogate } from "../src/training/surrogate.js";
import type { TasksSetting } from "../src/training/tasks.js";
import { countedOf, linesOf, recalled } from "./shared/training.js";

interface Effort {
  /** On so many responses are worked out, and on as many others ε is bounded, and on as many more it is judged. */
  readonly draws: number;
  readonly iterations: number;
}

export interface EquilibriumSettings {
  /** Of markets, drawn as in the paper. */
  readonly workers: number;
  readonly budget: number;
  readonly rounds: number;
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
  /** Equilibria depend on the draws they are worked out on: so many are worked out, each on draws of its own. The first is shown. */
  readonly runs: number;
  /** Trained by the surrogate in every one of these, so many tasks for each seed. */
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
    fast: { draws: 150, iterations: 16 },
    slow: { draws: 30, iterations: 8 },
    ...{ types: 20, shown: 150, runs: 8, seeds: 2, tasks: 15 },
  },
  full: {
    ...common,
    reputations: Array.from({ length: 10 }, (_, k) => (k + 0.5) / 10),
    costs: Array.from({ length: 28 }, (_, k) => 0.07 + 0.02 * k),
    fast: { draws: 2000, iterations: 60 },
    slow: { draws: 600, iterations: 40 },
    ...{ types: 60, shown: 400, runs: 12, seeds: 10, tasks: 70 },
  },
};

interface EquilibriumCell extends Omit<EquilibriumSettings, "mechanisms" | "fast" | "slow">, Effort {
  readonly mechanism: string;
}

/** How a type bids. */
type ShownBid = ReturnType<typeof shownBid>;

async function look(cell: EquilibriumCell, run: number, context: JobContext) {
  const { workers, budget, rounds } = cell;
  const rules: Rules = { ...paperRules, budget, rounds };
  const ids = Array.from({ length: workers }, (_, id) => id);
  const own = context.stream.fork(`run ${run}`);
  const beliefOf = (name: string) => drawnBelief({ rules, ids }, own.fork(name));
  const drawnTypes = (name: string, count: number) =>
    Array.from({ length: count }, (_, k) => beliefOf(name).draw(k)[0]!);
  const mechanism = context.mechanisms.find(({ name }) => name === cell.mechanism)!;
  const { strategy, end, iterations, epsilon, effects } = interimEquilibrium({
    ...cell,
    ...{ rules, mechanism, belief: beliefOf("others"), damping: 1 },
    // Only of the equilibrium that is shown it is said what somebody can still gain.
    types: drawnTypes("types", run === 0 ? cell.types : 1),
    stream: own.fork("multipliers"),
  });
  const bid = strategyOf(strategy);
  return {
    ...{ mechanism: cell.mechanism, draws: cell.draws, end, epsilon, effects, iterations: iterations.length },
    /** On the draws that responses were worked out on, in the first iteration and in the last. */
    firstGain: iterations[0]!.largestGain,
    lastGain: iterations.at(-1)!.largestGain,
    bids: drawnTypes("shown", cell.shown).map((type) => shownBid(type, bid)),
    losses: await lossesOf(bid, { rules, mechanism, stream: own.fork("training") }, cell),
  };
}

type EquilibriumAt = Awaited<ReturnType<typeof look>>;

function shownBid(type: Worker, strategy: Strategy) {
  const { reputation, cost, arrival } = type;
  const bid = strategy(type);
  return { reputation, cost, arrival, price: bid.price, late: bid.arrival - arrival };
}

/** By seed: the same workers, costs, arrivals and noise with everybody truthful and everybody strategic. */
async function lossesOf(
  strategy: Strategy,
  market: Pick<TasksSetting, "rules" | "mechanism" | "stream">,
  { workers, seeds, tasks }: EquilibriumCell,
) {
  const losses = { truth: [] as number[], strategy: [] as number[] };
  for (let seed = 0; seed < seeds; seed++) {
    const types = recalled();
    const loss = async (agent: Agent | undefined) => {
      const played = { workers: paperPopulation(workers), agents: () => agent, types: types() };
      const drawn = { ...market, stream: market.stream.fork(seed), trainer: surrogate({ dataset }) };
      return meanLoss(await linesOf({ ...drawn, ...played }, tasks));
    };
    losses.truth.push(await loss(undefined));
    losses.strategy.push(await loss(playing(strategy)));
  }
  return losses;
}

const dataset = "mnist";

/** After a task's last round; where nobody was selected the model stays untrained. */
const meanLoss = (lines: readonly TaskLine[]): number =>
  mean(countedOf(lines), ({ losses }) => losses.at(-1) ?? parameters[dataset].first.loss)!;

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

const accounts = {
  "publisher's utility": "publisherUtility",
  "payments in all": "spent",
  "workers' utilities in all": "workersUtility",
} as const;

const LOSS = "loss of the model";

/** The equilibrium that is shown, with all that were worked out. */
interface EquilibriumFound extends EquilibriumAt {
  readonly runs: readonly EquilibriumAt[];
}

/** Under the truth, with everybody strategic, and the difference; intervals are over the equilibria, and of one measure together. */
const effectsIn = (found: readonly EquilibriumFound[]) =>
  found.flatMap(({ mechanism, runs }) => {
    const effect = (measure: string, of: (run: EquilibriumAt) => Record<"truth" | "strategic", number>) => {
      const pairs = runs.map(of);
      return {
        ...{ mechanism, measure },
        truth: mean(pairs, ({ truth }) => truth)!,
        strategic: mean(pairs, ({ strategic }) => strategic)!,
        change: estimate(
          pairs.map(({ truth, strategic }) => strategic - truth),
          found.length,
        ),
      };
    };
    const effects = Object.entries(accounts).map(([measure, name]) =>
      effect(measure, ({ effects: { truth, strategy } }) => {
        return { truth: truth[name].mean, strategic: strategy[name].mean };
      }),
    );
    const loss = effect(LOSS, ({ losses }) => {
      return { truth: mean(losses.truth)!, strategic: mean(losses.strategy)! };
    });
    return [...effects, loss];
  });

type EffectAt = ReturnType<typeof effectsIn>[number];

interface EquilibriumResult {
  readonly settings: EquilibriumSettings;
  readonly ours: string;
  readonly found: readonly EquilibriumFound[];
  readonly effects: readonly EffectAt[];
}

const mechanismColumn = column.text("mechanism", "Mechanism");

const effectColumns = [
  mechanismColumn,
  column.text("measure", "Measured"),
  column.amount("truth", "All truthful"),
  column.amount("strategic", "All strategic"),
  ...column.estimate(column.amount("change", "Change"), ({ change }: EffectAt) => change, column.together),
  column.count("n", "Equilibria worked out", ({ change }: EffectAt) => change.n),
];

const tables = ({ found, effects }: EquilibriumResult): Table[] => [
  endsTable(found),
  tableOf("effects", "What changes when all workers are strategic", effects, effectColumns),
  strategiesTable(found),
];

const endsTable = (found: readonly EquilibriumFound[]): Table =>
  tableOf("equilibria", "Where best responses lead, and what somebody can still gain there", found, [
    mechanismColumn,
    column.text("end", "Responses", ({ end }) =>
      end.kind === "cycle" ? `cycle of ${end.length}` : end.kind,
    ),
    column.count("settled", "Settled in", ({ runs }) => settledIn(runs)),
    column.count("of", "of so many that were worked out", ({ runs }) => runs.length),
    column.count("iterations", "Iterations"),
    column.amount("firstGain", "Largest gain over the truth, in the table"),
    column.amount("lastGain", "Largest gain in the last iteration"),
    column.amount("gain", "Gain of the type that still gains most", ({ epsilon }) => epsilon.gain),
    column.amount("low", "95 % from", ({ epsilon }) => epsilon.low),
    column.amount(
      "high",
      "to, for all types drawn, prices and arrivals together",
      ({ epsilon }) => epsilon.high,
    ),
    column.count("draws", "Draws"),
  ]);

const settledIn = (runs: readonly EquilibriumAt[]): number =>
  runs.filter(({ end }) => end.kind === "settled").length;

function strategiesTable(found: readonly EquilibriumFound[]): Table {
  const shown = found.flatMap(({ mechanism, bids }) => bids.map((bid) => ({ mechanism, ...bid })));
  return tableOf("strategies", "How types bid", shown, [
    mechanismColumn,
    column.amount("reputation", "Reputation"),
    column.amount("cost", "Cost"),
    column.count("arrival", "Arrival"),
    column.amount("price", "Asks"),
    column.amount("over", "Price / cost", ({ price, cost }) => price / cost),
    column.count("late", "Comes late by"),
    column.text("when", "When", ({ late }) => (late > 0 ? "comes late" : "comes on time")),
  ]);
}

function charts(result: EquilibriumResult): Chart[] {
  const names = result.found.map(({ mechanism }) => mechanism);
  const choices = [{ field: "measure", label: "Measured", values: [...Object.keys(accounts), LOSS] }];
  const x = (field: string) => axis.amount(field, "change from all truthful to all strategic");
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
              y: axis.name("mechanism", names, { labelLimit: 160 }),
              color: { ...colour.mechanism("mechanism", names), legend: null },
              tooltip: marks.tooltip(effectColumns),
            },
            layer: marks.points(x, { value: "change" }),
          },
        ],
      },
      summary: captions(choices, ({ measure }) => captionOf(result, measure!)),
      howToRead: `A point is the mean difference over ${result.settings.runs} equilibria, each worked out on draws of its own, in the same markets (loss: in the same seeds of the surrogate for MNIST); its line is the interval over these equilibria that holds for all mechanisms together with 95 %.`,
    },
  ];
}

/** Which mechanisms' intervals lie on either side of 0. */
function captionOf({ effects }: EquilibriumResult, measure: string): string {
  const all = effects.filter((one) => one.measure === measure);
  const named = (some: readonly EffectAt[]) => listed(some.map(({ mechanism }) => mechanism));
  const up = all.filter(({ change }) => change.low > 0);
  const down = all.filter(({ change }) => change.high < 0);
  const open = all.filter(({ change }) => !(change.low > 0 || change.high < 0) && change.low < change.high);
  const parts = [
    up.length > 0 && `higher under ${named(up)}`,
    down.length > 0 && `lower under ${named(down)}`,
    open.length > 0 && `not shown to change under ${named(open)}`,
  ].filter(Boolean);
  return `${capital(measure)}: ${parts.length > 0 ? parts.join("; ") : "the same under every mechanism"}.`;
}

/** A price this close to the cost, as a share of it, counts as the truth. */
const CLOSE = 0.01;

const asksTheCost = ({ price, cost }: ShownBid): boolean => Math.abs(price - cost) <= CLOSE * cost;

/** In every equilibrium that was worked out. */
const isTruthful = ({ runs }: EquilibriumFound): boolean =>
  runs.every(({ bids }) => bids.every((bid) => asksTheCost(bid) && bid.late === 0));

const findings = (result: EquilibriumResult): Finding[] =>
  rankedFindings(
    [62, oursText(result)],
    [50, truthText(result)],
    [46, emptyText(result)],
    [44, endText(result)],
  );

/** How types of ours bid, and what the publisher has of it. */
function oursText(result: EquilibriumResult): string {
  const [at] = result.found;
  if (!at || at.mechanism !== result.ours || isTruthful(at)) return "";
  const other = at.bids.filter((bid) => !asksTheCost(bid));
  const less = other.filter(({ price, cost }) => price < cost).length;
  // The first of ours is the publisher's utility.
  const [change, interval] = stated(result.effects[0]!.change, "change");
  return `If all workers of \`${at.mechanism}\` are strategic, ${less} of ${counted(at.bids.length, "type")} drawn ask less than their cost, ${other.length - less} more, and ${lateIn(at)} come late. The publisher's utility changes by ${change} (${interval}, over ${at.runs.length} equilibria worked out, all ${counted(result.found.length, "mechanism")} together).`;
}

const lateIn = ({ bids }: EquilibriumAt): number => bids.filter(({ late }) => late > 0).length;

const named = (some: readonly EquilibriumFound[]): string =>
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
  const [at] = found.filter(({ runs }) =>
    runs.every(({ effects }) => effects.strategy.spent.mean === 0 && effects.truth.spent.mean > 0),
  );
  if (!at) return "";
  return `Under \`${at.mechanism}\` nothing is bought any more: ${lateIn(at)} of ${counted(at.bids.length, "type")} drawn come late.`;
}

/** Where best responses lead to other bids than the truth. */
function endText({ found, settings: { types } }: EquilibriumResult): string {
  const strategic = found.filter((at) => !isTruthful(at));
  const settled = strategic.filter(({ runs }) => settledIn(runs) === runs.length);
  const open = strategic.filter((at) => !settled.includes(at));
  return [
    settled.length > 0 &&
      `Best responses settle under ${named(settled)}, where none of ${types} types drawn can expect to gain more than ${boundOf(settled)} by another bid (95 % for each mechanism).`,
    open.length > 0 &&
      `Best responses do not settle, or not on all draws, under ${named(open)}: the type of ${types} drawn that gains most may still gain up to ${boundOf(open)} (95 % for each mechanism).`,
  ]
    .filter(Boolean)
    .join(" ");
}

function methods({ settings, found }: EquilibriumResult): string[] {
  const { reputations, costs, fast, slow, tolerance, types, seeds, tasks, workers, budget, rounds } =
    settings;
  const efforts = [...new Set(found.map(({ draws }) => draws))];
  return [
    `${workers} workers drawn as in the paper, a budget of ${budget}, ${rounds} rounds, prose; nobody sees the others' bids. A strategy is a table of ${reputations.length} reputations, ${costs.length} costs and all arrivals; types between its rows bid in proportion. A price within 1 % of the cost counts as the truth.`,
    `From the truth on, every type's best response to the table, over all prices and arrivals, is exact on ${listed(efforts)} draws (${fast.draws} for online, ${slow.draws} for the others); the table moves to the mean of all responses so far, at most ${Math.max(fast.iterations, slow.iterations)} times, until nobody in it gains more than ${tolerance}. Where it does not settle, undamped responses are followed: a table that is its own best response is taken, and responses that come back to an earlier table are called a cycle. No equilibrium need be the only one, and which is found depends on the draws: ${settings.runs} are worked out under each mechanism, each on draws of its own. The first is shown.`,
    `What a type can still gain is bounded from above with 97.5 % in the equilibrium that is shown, for ${types} types drawn anew, all prices and arrivals at once, on as many other draws (multiplier bootstrap); it includes what the table loses between its rows. Of types that were not drawn it says nothing. Changes are of the same markets, as many again for each equilibrium, everybody truthful or everybody strategic. Their intervals are over the equilibria (Student's t), so that they allow for the draws that each rests on; those of one measure hold together with 95 % (Bonferroni).`,
    `The model: ${counted(seeds, "seed")} for each equilibrium with ${counted(tasks, "task")} each of ${workers} workers of the paper's Tables 1 and 2 at the same budget under the surrogate for MNIST; the loss is that after the last round, and that of the untrained model where nobody is selected.`,
  ];
}

export const equilibrium: Analysis<EquilibriumSettings, EquilibriumCell, EquilibriumAt[], EquilibriumResult> =
  {
    name: "equilibrium",
    question: "What if all workers are strategic, and what does that cost?",
    part: "strategies",
    settings: ({ profile }) => settings[profile],
    plan: ({ mechanisms, fast, slow, runs, ...rest }, context) =>
      lookedAt(mechanisms, context).map((mechanism) => ({
        cell: { ...rest, runs, ...(isFast(mechanism) ? fast : slow), mechanism: mechanism.name },
        markets: runs,
      })),
    job: collectJob(look, ({ draws, iterations, mechanism, seeds, tasks }) => {
      const response = mechanism === "online" ? 0.2 : 3;
      return response * draws * iterations + 2 * seeds * tasks;
    }),
    conclude: (gathered, settings, { mechanism }) => {
      const found = gathered.flatMap(({ summary }): EquilibriumFound[] => {
        const [shown] = summary ?? [];
        return shown ? [{ ...shown, runs: summary! }] : [];
      });
      return { settings, ours: mechanism.name, found, effects: effectsIn(found) };
    },
    tables,
    charts,
    findings,
    methods,
  };
