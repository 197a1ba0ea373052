/** Tables 1 and 2 of the paper: its figures, real training that was recorded, and the surrogate for every mechanism. */

import type { SomeSettings } from "../../../src/lib/options.js";
import type { AnalysisResult, Table } from "../../../src/report/result.js";
import type { AnalysisContext, Profile, StepwiseAnalysis } from "../../../src/study/analysis.js";
import { paperTaskRules } from "../../../src/training/population.js";
import { recordedTables } from "../../../src/training/recordings.js";
import { comparisonAt } from "./against-paper.js";
import { startFindings, startTable } from "./first-reputation.js";
import { aboutHowLong, liveCost, liveJob } from "./live.js";
import { datasets, datasetTitles, type PaperTable, paperFive } from "./paper-tables.js";
import { placesOf, readRecorded } from "./readings.js";
import { seriesJob } from "./series.js";
import { readingCharts, reputationChart } from "./table-charts.js";
import { liveReadings, surrogateReadings, trainedAgain } from "./table-runs.js";
import { orderTable, readingsTable, recordingsTable, reputationTable } from "./table-tables.js";
import { recordedText, tableFindings } from "./table-text.js";

export interface TableSizes {
  /** Runs under the surrogate. */
  readonly seeds: number;
  readonly tasks: number;
  /** Tasks trained for real, for each of the paper's mechanisms and data sets. */
  readonly live: number;
  /** Recorded runs on MNIST whose first task is trained again. */
  readonly again: number;
}

export interface TableQuestion {
  readonly name: string;
  readonly question: string;
  readonly table: PaperTable;
  readonly sizes: Readonly<Record<Profile, TableSizes>>;
}

const options = {
  seeds: { from: 2, to: 100_000, whole: true },
  tasks: { from: 1, to: 100_000, whole: true },
  live: { from: 0, to: 10_000, whole: true },
  again: { from: 0, to: 5, whole: true },
} as const;

const sizesOf = ({ sizes }: TableQuestion, profile: Profile, settings: SomeSettings): TableSizes => ({
  ...sizes[profile],
  ...settings,
});

export const tableAnalysis = (asked: TableQuestion): StepwiseAnalysis => ({
  name: asked.name,
  question: asked.question,
  options,
  jobs: { series: seriesJob, live: liveJob },
  duration: ({ profile, options, threads }) => durationText(asked, sizesOf(asked, profile, options), threads),
  run: (context) => runTable(asked, context, sizesOf(asked, context.profile, context.options)),
});

/** Real training takes its time: how much, before it begins. */
function durationText({ name }: TableQuestion, { live }: TableSizes, threads: number): string | null {
  if (live === 0) return null;
  const each = datasets.map((dataset) => liveCost({ dataset, tasks: live, rounds: paperTaskRules.rounds }));
  const total = each.reduce((sum, one) => sum + paperFive.length * one, 0);
  const time = aboutHowLong(Math.max(total / threads, ...each));
  const what = `${live} tasks for each of ${paperFive.length} mechanisms on ${datasets.map((one) => datasetTitles[one]).join(" and ")}`;
  return `trains real models, ${what}: ${time} on ${threads} ${threads === 1 ? "thread" : "threads"}; "${name}:live=0" leaves that out`;
}

export async function runTable(
  { table }: TableQuestion,
  context: AnalysisContext,
  sizes: TableSizes,
): Promise<AnalysisResult> {
  const recorded = datasets.flatMap((dataset) => readRecorded(table, dataset, recordedTables[dataset]));
  const { usual: surrogate, trusted } = await surrogateReadings(table, context, sizes);
  const again = await trainedAgain(context, sizes.again);
  const live = await liveReadings(table, context, sizes.live);
  const readings = [...recorded, ...surrogate, ...live.readings];
  const comparisons = placesOf(table, readings).map((place) => comparisonAt(table, readings, place));
  const reputation = reputationsOf(context.mechanism.name).slice(0, 1);
  return {
    tables: [
      readingsTable(table, readings),
      orderTable(table, comparisons),
      startTable(table, surrogate, trusted),
      ...reputation,
      recordingsTable(datasets.map((dataset) => recordedTables[dataset])),
    ],
    charts: [...readingCharts(table, readings), ...reputation.map(reputationChart)],
    findings: [
      ...tableFindings(table, comparisons, readings),
      ...startFindings(table, surrogate, trusted),
      ...again.findings,
    ],
    methods: [...methods(table, sizes), ...live.methods, ...again.methods],
  };
}

/** Of the mechanism in question where it was recorded, else of the first that was. */
function reputationsOf(ours: string): Table[] {
  return datasets.flatMap((dataset) => {
    const { runs } = recordedTables[dataset];
    const run = runs.find(({ mechanism }) => mechanism === ours) ?? runs[0];
    const about = { dataset: datasetTitles[dataset], auction: run?.mechanism ?? "" };
    return run === undefined ? [] : [reputationTable(about, run.tasks)];
  });
}

function methods(table: PaperTable, { seeds, tasks }: TableSizes): string[] {
  return [
    ...datasets.map((dataset) => recordedText(dataset, recordedTables[dataset])),
    `The surrogate ran ${seeds} times ${tasks} tasks under every mechanism, with the same workers, costs, arrivals and noise; intervals are over these runs. It is a curve fitted to real training, and as true as its fit.`,
    "Intervals of real training are over the tasks of one run. They share workers, data and reputations, so they are not independent, and the intervals are likely too narrow. Of fewer than five tasks no interval is given, and nothing is judged from them.",
    "The order of mechanisms is judged by intervals that hold for all pairs of a data set and source together with 95 % (Bonferroni).",
    `The paper prints no intervals. What counts as close to its figures, ${table.close.text}, is our choice. Of first reputations only two were tried here: it takes no more to show that they matter, but not which one the paper had.`,
    "The paper does not give its formula of reputation; ours is our own, and so is what follows from it. All workers tell the truth.",
  ];
}
