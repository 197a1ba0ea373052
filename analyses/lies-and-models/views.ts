/** lies-and-models in tables, charts and sentences. */

import { listed, many, percent, signed, threeDigits } from "../../src/lib/format.js";
import { type Estimate, estimate, FEWEST } from "../../src/lib/statistics.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Chart, Choice, Finding, Table } from "../../src/report/result.js";
import {
  amountAxis,
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  fromTogether,
  linesWithBands,
  nameAxis,
  otherColours,
  pointsWithIntervals,
  regimeColour,
  tableOf,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { datasets, datasetTitles, type MeasureName, type Population } from "../shared/training.js";

const measures = {
  loss: "Loss after the last round",
  accuracy: "Accuracy of the model",
  goodShare: "Share of good workers among the selected",
  spent: "Spent per task",
} as const satisfies Partial<Record<MeasureName, string>>;

export type EffectMeasure = keyof typeof measures;

export const measureNames = Object.keys(measures) as EffectMeasure[];

/** One population of workers, one measure. */
export interface Effect {
  readonly source: "surrogate" | "real training";
  readonly dataset: DatasetName;
  /** Null for the truth. */
  readonly agent: string | null;
  readonly part: Population["part"];
  readonly measure: EffectMeasure;
  readonly level: Estimate;
  /** On top of the truthful population, by intervals that hold for all populations together; null for the truth itself. */
  readonly change: Estimate | null;
}

const TRUTH = "truthful";

const columnsOf = (effects: readonly Effect[]): Field<Effect>[] => [
  textColumn("dataset", "Data set", ({ dataset }) => datasetTitles[dataset]),
  textColumn("agent", "Workers play", ({ agent }) => agent ?? TRUTH),
  textColumn("line", "Source, and who plays", (effect) => lineOf(effect, effects)),
  textColumn("measure", "Measured", ({ measure }) => measures[measure]),
  ...estimateColumns(amountColumn("mean", "Mean"), ({ level }: Effect) => level),
  ...estimateColumns(amountColumn("change", "Change"), ({ change }: Effect) => change, {
    from: fromTogether,
    own: true,
  }),
  countColumn("units", "Seeds or tasks", ({ level }) => level.n),
];

export const effectsTable = (effects: readonly Effect[]): Table =>
  tableOf("effects", "Populations of liars and a truthful one", effects, columnsOf(effects));

/** "real training, all lie (7 tasks)": the most that any population of this source and part has. */
function lineOf({ source, part }: Effect, effects: readonly Effect[]): string {
  const same = effects.filter((one) => one.source === source && one.part === part);
  const n = Math.max(...same.map(({ level }) => level.n));
  return `${source}, ${part} lie (${unitsText(source, n)})`;
}

const unitsText = (source: Effect["source"], n: number): string =>
  many(n, source === "surrogate" ? "seed" : "task");

const choices: readonly Choice[] = [
  { field: "dataset", label: "Data set", values: datasets.map((dataset) => datasetTitles[dataset]) },
  { field: "measure", label: "Measured", values: measureNames.map((measure) => measures[measure]) },
];

/** Changes around this are drawn to scale, larger ones by their logarithm: most are small, a few are huge. */
const FINEST = 0.01;

const ticks = [-10, -1, -0.1, -0.01, 0, 0.01, 0.1, 1, 10];

export function effectsChart(effects: readonly Effect[]): Chart {
  const liars = effects.filter(({ agent }) => agent !== null);
  const lines = [...new Set(liars.map((one) => lineOf(one, effects)))];
  const line = { ...nameAxis("line", lines), legend: { columns: 1 } };
  const x = (field: string) =>
    amountAxis(field, "Change on top of a truthful population", {
      scale: { type: "symlog", constant: FINEST },
      axis: { values: ticks, format: "~g", labelOverlap: "greedy" },
    });
  return {
    name: "effects",
    title: "What populations of liars change",
    table: "effects",
    choices,
    spec: {
      height: { step: 9 },
      transform: [{ filter: "isValid(datum.change)" }],
      layer: [
        { mark: "rule", encoding: { x: { datum: 0 } } },
        {
          encoding: {
            y: nameAxis("agent", null),
            yOffset: { field: "line", type: "nominal", sort: lines },
            color: { ...line, scale: otherColours(lines) },
            shape: line,
            tooltip: tooltipOf(columnsOf(effects)),
          },
          layer: pointsWithIntervals(x, { value: "change", low: "changeLow", high: "changeHigh", size: 45 }),
        },
      ],
    },
    summary: captions(choices, (chosen) => captionOf(effects, chosen)),
    howToRead:
      "A mark is the mean difference to a truthful population with the same costs, arrivals and noise; its line is the interval that holds with 95 % for all populations of its source together. The scale is logarithmic beyond ±0.01.",
  };
}

function captionOf(effects: readonly Effect[], chosen: Readonly<Record<string, string>>): string {
  const shown = effects.filter(
    ({ dataset, measure, change }) =>
      datasetTitles[dataset] === chosen.dataset &&
      measures[measure] === chosen.measure &&
      (change?.n ?? 0) > 0,
  );
  const sorted = shown.toSorted((a, b) => a.change!.mean - b.change!.mean);
  if (sorted.length === 0) return `Nothing is known of it on ${chosen.dataset}.`;
  const of = ({ agent, part, source, change }: Effect) =>
    `${signed(change!.mean)} (${agent}, ${part} lie, ${source}, ${unitsText(source, change!.n)})`;
  return `${chosen.measure} on ${chosen.dataset} changes by between ${of(sorted[0]!)} and ${of(sorted.at(-1)!)}.`;
}

/** By source and data set: whose lies change the loss. */
export const effectsFindings = (effects: readonly Effect[]): Finding[] =>
  (["real training", "surrogate"] as const).flatMap((source) =>
    datasets.flatMap((dataset) => {
      const here = effects.filter(
        (one) =>
          one.source === source && one.dataset === dataset && one.measure === "loss" && one.part === "all",
      );
      const weight = (source === "surrogate" ? 54 : 58) - (dataset === "mnist" ? 0 : 10);
      return lossFinding(here, { source, dataset, weight });
    }),
  );

interface Place extends Pick<Effect, "source" | "dataset"> {
  readonly weight: number;
}

/** Which liars make the model worse or better, where all of them lie. */
function lossFinding(here: readonly Effect[], { source, dataset, weight }: Place): Finding[] {
  const truth = here.find(({ agent }) => agent === null);
  const liars = here.filter(({ change }) => (change?.n ?? 0) > 0);
  if (truth === undefined || liars.length === 0) return [];
  const interval = ({ mean, low, high }: Estimate) =>
    Number.isFinite(low) ? `${signed(mean)}, 95 %: ${signed(low)} to ${signed(high)}` : signed(mean);
  const worse = liars.filter(({ change }) => change!.low > 0);
  const better = liars.filter(({ change }) => change!.high < 0);
  const none = liars.filter(({ change }) => change!.low === 0 && change!.high === 0);
  const open = liars.filter((one) => ![...worse, ...better, ...none].includes(one));
  const each = (some: readonly Effect[]) =>
    listed(some.map(({ agent, change }) => `${agent} (${interval(change!)})`));
  const idle = here.filter(({ agent, level }) => agent !== null && level.n === 0);
  const parts = [
    ...(worse.length > 0 ? [`${each(worse)} ${worse.length === 1 ? "raises" : "raise"} it`] : []),
    ...(better.length > 0 ? [`${each(better)} ${better.length === 1 ? "lowers" : "lower"} it`] : []),
    ...(open.length > 0 ? [openText(open, source)] : []),
    ...(none.length > 0 ? [`with ${namesOf(none)} nothing changes`] : []),
    ...(idle.length > 0 ? [`with ${namesOf(idle)} nobody is ever selected, and there is no model`] : []),
  ];
  const where =
    source === "surrogate" ? "Under the surrogate" : "In real training (one run for each population)";
  const text = `${where} on ${datasetTitles[dataset]}, a truthful population leads to a loss of ${threeDigits(truth.level.mean)} (${unitsText(source, truth.level.n)}); where all workers lie, ${parts.join("; ")} (95 %, all populations together).`;
  return [{ text, weight }];
}

const namesOf = (some: readonly Effect[]): string => listed(some.map(({ agent }) => agent!));

/** Those of which so many units do not tell, and within what their changes lie. */
function openText(open: readonly Effect[], source: Effect["source"]): string {
  const enough = open.filter(({ change }) => change!.n >= FEWEST);
  const most = Math.max(...enough.flatMap(({ change }) => [Math.abs(change!.low), Math.abs(change!.high)]));
  const within = enough.length < open.length ? "" : ` (changes within ±${threeDigits(most)})`;
  const units = unitsText(source, Math.min(...open.map(({ change }) => change!.n)));
  const whom = open.length <= 2 ? namesOf(open) : `the other ${open.length} populations`;
  return `for ${whom} ${units} do not tell the direction${within}`;
}

export interface LearnersCell {
  readonly kind: "learners";
  readonly agent: string;
  readonly budget: number;
  readonly tasks: number;
  /** How many tasks in a row are counted together. */
  readonly stretch: number;
}

/** Sums over the bids of one stretch of tasks by workers in one regime. */
export interface BidSums {
  readonly stretch: number;
  readonly regime: Regime;
  readonly bids: number;
  /** Those that state the truth. */
  readonly honest: number;
  /** Of the price over the cost. */
  readonly ratio: number;
  /** Of the rounds a worker came late. */
  readonly delay: number;
}

/** A list of sums for each seed, over all budgets. */
export interface Learning {
  readonly cell: Omit<LearnersCell, "budget">;
  readonly seeds: readonly (readonly BidSums[])[];
}

const learnerMeasures = {
  honest: "Share of bids that state the truth",
  ratio: "Price over cost",
  delay: "Rounds late",
} as const;

type Measure = keyof typeof learnerMeasures;

const learnerMeasureNames = Object.keys(learnerMeasures) as Measure[];

interface At {
  readonly stretch: number;
  readonly regime: Regime;
  readonly measure: Measure;
}

/** The mean over one seed's bids; null where there were none. */
function meanAt(seed: readonly BidSums[], { stretch, regime, measure }: At): number | null {
  const own = seed.filter((one) => one.stretch === stretch && one.regime === regime);
  const bids = own.reduce((sum, one) => sum + one.bids, 0);
  return bids === 0 ? null : own.reduce((sum, one) => sum + one[measure], 0) / bids;
}

const levelAt = ({ seeds }: Learning, at: At): Estimate =>
  estimate(seeds.flatMap((seed) => meanAt(seed, at) ?? []));

const stretchesOf = ({ cell }: Learning): number => Math.ceil(cell.tasks / cell.stretch);

/** How far a mean of bids is from what it is where all tell the truth. */
const distances: Readonly<Record<Measure, (mean: number) => number>> = {
  honest: (share) => 1 - share,
  ratio: (ratio) => Math.abs(ratio - 1),
  delay: (delay) => delay,
};

interface Move extends Omit<At, "stretch"> {
  readonly first: Estimate;
  readonly last: Estimate;
  /** How much further from the truth the last stretch is than the first, seed by seed; below 0 where it is nearer. */
  readonly away: Estimate;
}

/** From the first stretch of tasks to the last, in every regime and measure; intervals hold for all of them together. */
function movesOf(learning: Learning): Move[] {
  const compared = regimes.length * learnerMeasureNames.length;
  return regimes.flatMap((regime) =>
    learnerMeasureNames.flatMap((measure): Move[] => {
      const [first, last] = [1, stretchesOf(learning)].map((stretch) => ({ stretch, regime, measure }));
      const changes = learning.seeds.flatMap((seed) => {
        const [before, after] = [meanAt(seed, first!), meanAt(seed, last!)];
        return before === null || after === null
          ? []
          : [distances[measure](after) - distances[measure](before)];
      });
      if (changes.length === 0) return [];
      const levels = { first: levelAt(learning, first!), last: levelAt(learning, last!) };
      return [{ regime, measure, ...levels, away: estimate(changes, compared) }];
    }),
  );
}

type LevelAt = At & { readonly level: Estimate };

const learnerColumns = ({ cell }: Learning): Field<LevelAt>[] => [
  textColumn("regime", "Regime"),
  countColumn("upTo", "Up to task", ({ stretch }) => stretch * cell.stretch),
  textColumn("measure", "Measured", ({ measure }) => learnerMeasures[measure]),
  ...estimateColumns(amountColumn("mean", "Mean"), ({ level }: LevelAt) => level),
  countColumn("seeds", "Seeds", ({ level }) => level.n),
];

export function learnersTable(learning: Learning): Table {
  const stretches = Array.from({ length: stretchesOf(learning) }, (_, k) => k + 1);
  const levels = regimes.flatMap((regime) =>
    stretches.flatMap((stretch) =>
      learnerMeasureNames
        .map((measure) => ({ stretch, regime, measure }))
        .map((at) => ({ ...at, level: levelAt(learning, at) }))
        .filter(({ level }) => level.n > 0),
    ),
  );
  return tableOf("learners", "What learners say over repeated tasks", levels, learnerColumns(learning));
}

const choice: Choice = {
  field: "measure",
  label: "Measured",
  values: learnerMeasureNames.map((measure) => learnerMeasures[measure]),
};

export function learnersChart(learning: Learning): Chart {
  const { stretch, agent } = learning.cell;
  return {
    name: "learners",
    title: `What workers say over repeated tasks in which everybody plays ${agent}`,
    table: "learners",
    choices: [choice],
    spec: {
      height: 220,
      encoding: {
        x: amountAxis("upTo", "Up to task", { scale: { zero: false }, axis: { tickMinStep: stretch } }),
        color: regimeColour("regime"),
        tooltip: tooltipOf(learnerColumns(learning)),
      },
      layer: linesWithBands((field) => amountAxis(field, null, { scale: { zero: false } }), {
        value: "mean",
      }),
    },
    summary: captions([choice], ({ measure }) => learnerCaption(learning, measure!)),
    howToRead: `A point is the mean over the bids of workers in this regime (that of the same task if all told the truth) in the ${stretch} tasks that end there; the shade is its 95 % interval over ${many(learning.seeds.length, "seed")}.`,
  };
}

const shown = (measure: Measure): ((x: number) => string) => (measure === "honest" ? percent : threeDigits);

function learnerCaption(learning: Learning, label: string): string {
  const moves = movesOf(learning).filter(({ measure }) => learnerMeasures[measure] === label);
  const each = moves.map(
    ({ regime, measure, first, last }) =>
      `${regime} from ${shown(measure)(first.mean)} to ${shown(measure)(last.mean)}`,
  );
  return `${label}, from the first tasks to the last: ${listed(each) || "no regime lasts that long"}.`;
}

/** Which of the nine changes are decided, and which way they go. */
export function learnersFindings(learning: Learning): Finding[] {
  const moves = movesOf(learning);
  if (moves.length === 0) return [];
  const nouns = { honest: "the share of truthful bids", ratio: "price over cost", delay: "delay in rounds" };
  const text = ({ regime, measure, first, last }: Move) =>
    `${nouns[measure]} in ${regime} (${shown(measure)(first.mean)} to ${shown(measure)(last.mean)})`;
  const toward = moves.filter(({ away }) => away.high < 0);
  const back = moves.filter(({ away }) => away.low > 0);
  const open = moves.length - toward.length - back.length;
  const parts = [
    ...(toward.length > 0 ? [`these move toward the truth: ${listed(toward.map(text))}`] : []),
    ...(back.length > 0 ? [`these move away from the truth: ${listed(back.map(text))}`] : []),
    ...(open > 0
      ? [
          `of ${open === moves.length ? `all ${open}` : `${open} of ${moves.length}`} changes the direction is undecided`,
        ]
      : []),
  ];
  const { tasks, agent } = learning.cell;
  const start = `Over ${many(tasks, "task")} in which everybody plays ${agent} (${many(learning.seeds.length, "seed")})`;
  return [{ text: `${start}, ${parts.join("; ")} (95 %, all together).`, weight: back.length > 0 ? 52 : 36 }];
}
