/** What liars do to the model: every population of liars beside the truthful one, unit by unit. */

import { type AnyAgent, bidsTruthfully, isInformed } from "../../src/agents/agent.js";
import { isFast } from "../../src/best-response/index.js";
import { listed, many, rounded, signed, threeDigits } from "../../src/lib/format.js";
import { type Estimate, FEWEST } from "../../src/lib/statistics.js";
import type { Chart, Choice, Finding, Row, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  intervalCells,
  intervalColumns,
  otherColours,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import type { WorkContext } from "../../src/study/job.js";
import type { DatasetName } from "../../src/training/datasets.js";
import type { RecordedRuns } from "../../src/training/recordings.js";
import {
  datasets,
  datasetTitles,
  differenceOf,
  estimateOf,
  type MeasureName,
  type Population,
  type SeriesCell,
  type SeriesFound,
  seedUnits,
  taskUnits,
  truthfulUnder,
  type Units,
} from "../shared/training.js";

const measures = {
  loss: "Loss after the last round",
  accuracy: "Accuracy of the model",
  goodShare: "Share of good workers among the selected",
  spent: "Spent per task",
} as const satisfies Partial<Record<MeasureName, string>>;

type EffectMeasure = keyof typeof measures;

const measureNames = Object.keys(measures) as EffectMeasure[];

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

/** Those who lie in their bids; who needs a search of thousands of lies for every bid is left out. */
export const liarsOf = ({ agents, mechanism }: Pick<WorkContext, "agents" | "mechanism">): AnyAgent[] =>
  agents.filter((agent) => !bidsTruthfully(agent) && (!isInformed(agent) || isFast(mechanism)));

/** The truth first, then every liar, played by all and by half. */
export function populationsOf(context: WorkContext): Population[] {
  const truth = truthfulUnder(context.mechanism.name);
  const lying = liarsOf(context).flatMap(({ name }) =>
    (["all", "half"] as const).map((part): Population => ({ ...truth, agent: name, part })),
  );
  return [truth, ...lying];
}

interface Measured extends Pick<Effect, "source" | "dataset" | "agent" | "part"> {
  readonly units: (measure: EffectMeasure) => Units;
}

export const surrogateEffects = ({ dataset, populations }: SeriesCell, found: SeriesFound): Effect[] =>
  effectsOf(
    populations.map(({ agent, part }, k): Measured => {
      const seeds = found.map((means) => means[k]!);
      return { source: "surrogate", dataset, agent, part, units: (measure) => seedUnits(seeds, measure) };
    }),
  );

/** Trained for real once: units are tasks. */
export const recordedEffects = ({ dataset, runs }: RecordedRuns): Effect[] =>
  effectsOf(
    runs.map(({ agent, tasks }): Measured => {
      const about = { source: "real training", dataset: dataset as DatasetName, agent, part: "all" } as const;
      return { ...about, units: (measure) => taskUnits(tasks, measure) };
    }),
  );

function effectsOf(populations: readonly Measured[]): Effect[] {
  const truth = populations.find(({ agent }) => agent === null);
  const together = Math.max(1, populations.length - 1);
  return populations.flatMap(({ units, ...about }) =>
    measureNames.map((measure): Effect => {
      const mine = units(measure);
      const isLiar = truth !== undefined && about.agent !== null;
      const change = isLiar ? differenceOf(mine, truth.units(measure), together) : null;
      return { ...about, measure, level: estimateOf(mine), change };
    }),
  );
}

const TRUTH = "truthful";

const columns = [
  textColumn("dataset", "Data set"),
  textColumn("agent", "Workers play"),
  textColumn("line", "Source, and who plays"),
  textColumn("measure", "Measured"),
  amountColumn("mean", "Mean"),
  ...intervalColumns("amount"),
  amountColumn("change", "Change"),
  amountColumn("changeLow", "95 % together, from"),
  amountColumn("changeHigh", "to"),
  countColumn("units", "Seeds or tasks"),
];

export const effectsTable = (effects: readonly Effect[]): Table => ({
  name: "effects",
  title: "Populations of liars and a truthful one",
  columns,
  rows: effects.map((effect): Row => {
    const { dataset, agent, measure, level, change } = effect;
    return {
      dataset: datasetTitles[dataset],
      agent: agent ?? TRUTH,
      line: lineOf(effect, effects),
      measure: measures[measure],
      mean: rounded(level.mean),
      ...intervalCells(level),
      change: rounded(change?.mean ?? Number.NaN),
      changeLow: rounded(change?.low ?? Number.NaN),
      changeHigh: rounded(change?.high ?? Number.NaN),
      units: level.n,
    };
  }),
});

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
  const lines = [
    ...new Set(effects.filter(({ agent }) => agent !== null).map((one) => lineOf(one, effects))),
  ];
  const line = {
    field: "line",
    type: "nominal",
    sort: lines,
    title: null,
    scale: otherColours(lines),
    legend: { columns: 1 },
  };
  const { scale: _, ...shape } = line;
  const offset = { field: "line", type: "nominal", sort: lines };
  const row = { y: { field: "agent", type: "nominal", sort: null, title: null }, yOffset: offset };
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: "Change on top of a truthful population",
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
          transform: [{ filter: "isValid(datum.changeLow)" }],
          mark: { type: "rule", tooltip: null },
          encoding: { ...row, color: line, x: x("changeLow"), x2: { field: "changeHigh" } },
        },
        {
          mark: { type: "point", size: 45 },
          encoding: { ...row, color: line, shape, x: x("change"), tooltip: tooltipOf(columns) },
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
