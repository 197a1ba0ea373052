/** Tables 1 and 2 of the paper: its figures, real training that was recorded, and the surrogate for every mechanism. */

import { listed, many } from "../src/lib/format.js";
import { stream } from "../src/lib/random.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { collectJob, jobByKind, type OfKind } from "../src/study/job.js";
import type { DatasetName } from "../src/training/datasets.js";
import { FIRST_COUNTED, paperTaskRules } from "../src/training/population.js";
import { type RecordedRuns, recordedTables, type TaskLine } from "../src/training/recordings.js";
import { missingFor, trainerNamed } from "../src/training/trainers.js";
import {
  charts,
  findings,
  paperFive,
  paperMeasures,
  type Reading,
  type TablesResult,
  TRUST,
  tables,
} from "./paper-tables/views.js";
import {
  datasets,
  datasetTitles,
  linesOf,
  type Population,
  type SeriesCell,
  type SeriesFound,
  seedUnits,
  seriesJob,
  settingOf,
  taskUnits,
  truthfulUnder,
} from "./shared/training.js";

interface PaperTablesSettings {
  /** Runs under the surrogate. */
  readonly seeds: number;
  readonly tasks: number;
  /** Tasks trained for real, for each of the paper's mechanisms and data sets. */
  readonly live: number;
  /** Recorded runs on MNIST whose first task is trained again. */
  readonly again: number;
}

const profiles = {
  quick: { seeds: 6, tasks: 70, live: 0, again: 3 },
  full: { seeds: 100, tasks: 70, live: 70, again: 5 },
} as const satisfies Record<string, PaperTablesSettings>;

type Cell = SeriesCell | LiveCell;

type Summary = OfKind<"series", SeriesFound> | OfKind<"live", readonly Live[]>;

/** The same data set is trained on again, to see whether what was recorded comes out. */
const AGAIN = "mnist";

/** Of the paper's five, those that look at reputation run a second time, with another first reputation. */
function populationsOf(names: readonly string[]): Population[] {
  const judging = ["online", "fixed-threshold", "rrafl"].filter((name) => names.includes(name));
  return [...names.map(truthfulUnder), ...judging.map((name) => ({ ...truthfulUnder(name), start: TRUST }))];
}

const measures = paperMeasures.map(({ name }) => name);

const tasksRead = (
  about: Pick<Reading, "source" | "dataset" | "mechanism">,
  lines: Parameters<typeof taskUnits>[0],
): Reading[] => measures.map((measure) => ({ ...about, measure, ...taskUnits(lines, measure) }));

const recordedReadings = (dataset: DatasetName): Reading[] =>
  recordedTables[dataset].runs
    .filter(({ agent }) => agent === null)
    .flatMap(({ mechanism, tasks }) => tasksRead({ source: "real training", dataset, mechanism }, tasks));

type Found = readonly Gathered<Cell, Summary>[];

/** Of the cells trained for real: what came of each. */
const trainedIn = (gathered: Found) =>
  gathered.flatMap(({ cell, summary }) =>
    cell.kind === "live" && summary?.kind === "live" ? [{ cell, live: summary.summary[0]! }] : [],
  );

const trainedReadings = (gathered: Found): Reading[] =>
  trainedIn(gathered).flatMap(({ cell: { dataset, mechanism, seed }, live }) =>
    seed === null && "lines" in live
      ? tasksRead({ source: "trained now", dataset, mechanism }, live.lines)
      : [],
  );

const surrogateReadings = ({ cell, summary }: Gathered<Cell, Summary>): Reading[] => {
  if (cell.kind !== "series" || summary?.kind !== "series") return [];
  return cell.populations.flatMap(({ mechanism, start }, k) => {
    const source = start === null ? "surrogate" : "surrogate, first reputation 1";
    const means = summary.summary.map((seed) => seed[k]!);
    return measures.map((measure) => {
      return { source, dataset: cell.dataset, mechanism, measure, ...seedUnits(means, measure) };
    });
  });
};

function methodsOf(gathered: Found, { seeds, tasks }: PaperTablesSettings): string[] {
  const starts =
    "The paper does not give the reputation that workers start with; here it is 0.5, and 1 in a second run of those mechanisms that look at reputation. Nor does it give its formula of reputation: ours is our own. All workers tell the truth.";
  return [
    ...datasets.map((dataset) => recordedText(dataset, recordedTables[dataset])),
    ...trainedNowText(gathered),
    `The surrogate ran ${many(seeds, "time")} over ${many(tasks, "task")} under every mechanism, with the same workers, costs, arrivals and noise in each; intervals are over these runs. It is a curve fitted to real training; the appendix says how well.`,
    "Intervals of real training are over the tasks of one run, which share workers, data and reputations: they are likely too narrow. Below five tasks there is no interval and no verdict.",
    "The order of two mechanisms is judged by intervals that hold with 95 % for all pairs of a table, data set and source together (Bonferroni). The paper prints no intervals.",
    starts,
  ];
}

/** When and how the recorded runs were made, or that there are none. */
function recordedText(dataset: DatasetName, { runs, provenance }: RecordedRuns): string {
  const title = datasetTitles[dataset];
  if (runs.length === 0 || provenance === null) return `No run on ${title} is recorded.`;
  const days = [...new Set(runs.map(({ finished }) => finished))].sort();
  const each = listed(runs.map(({ mechanism, tasks }) => `${mechanism} (${tasks.length})`));
  const seeds = listed([...new Set(runs.map(({ seed }) => seed))]);
  return `Real training on ${title} was recorded on ${listed(days)} with TensorFlow.js ${provenance.tfjs} and seed ${seeds}, one run for each mechanism (number of tasks): ${each}. Tasks count from the ${FIRST_COUNTED}th on, as in the paper.`;
}

/** Whether real training gives what was recorded, and what is missing for it. */
function trainedNowText(gathered: Found): string[] {
  const found = trainedIn(gathered);
  const lacking = new Map(
    found.flatMap(({ cell, live }) => ("missing" in live ? [[cell.dataset, live.missing] as const] : [])),
  );
  const again = found.flatMap(({ cell, live }) =>
    cell.seed !== null && "lines" in live ? [{ cell, line: live.lines[0]! }] : [],
  );
  const off = Math.max(...again.map(({ cell, line }) => deviationOf(cell, line)));
  const same =
    off < 1e-9 ? "exactly the recorded losses" : `losses within ${off.toPrecision(1)} of the recorded ones`;
  const names = listed(again.map(({ cell }) => cell.mechanism));
  const text = `The first recorded task on ${datasetTitles[AGAIN]} under ${names} was trained again in this run and gave ${same}.`;
  return [
    ...(again.length === 0 ? [] : [text]),
    ...[...lacking].map(
      ([dataset, why]) =>
        `Nothing was trained on ${datasetTitles[dataset]} in this run, for something is missing: ${why}.`,
    ),
  ];
}

/** Real training takes its time: how much, before it begins. */
function durationText(live: number, threads: number): string {
  const each = datasets.map((dataset) => liveCost({ dataset, tasks: live }));
  const total = each.reduce((sum, one) => sum + paperFive.length * one, 0);
  const time = aboutHowLong(Math.max(total / threads, ...each));
  const what = `${live} tasks for each of ${paperFive.length} mechanisms on ${listed(datasets.map((one) => datasetTitles[one]))}`;
  return `trains real models, ${what}: ${time} on ${many(threads, "thread")}; "paper-tables:live=0" leaves that out`;
}

/** "about 40 minutes", "about 3 hours". */
function aboutHowLong(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  if (minutes < 1.5) return "about a minute";
  return minutes < 100 ? `about ${Math.round(minutes)} minutes` : `about ${Math.round(minutes / 60)} hours`;
}

/** Real training within the analysis: the paper's tasks anew, or the first of a recorded run again. */
interface LiveCell {
  readonly kind: "live";
  readonly dataset: DatasetName;
  readonly mechanism: string;
  readonly tasks: number;
  /** Of a recorded run; null for one of this analysis's own. */
  readonly seed: string | null;
}

/** What was trained, or what is missing for it. */
type Live = { readonly lines: readonly TaskLine[] } | { readonly missing: string };

const TRAINER = "tfjs";

/** Rough: milliseconds to train and judge one worker's update, and workers in a round, on average over the paper's five. */
const UPDATE: Readonly<Record<DatasetName, number>> = { mnist: 75, fashion: 600 };

const WORKERS = 12;

/** About how many milliseconds one thread takes. */
const liveCost = ({ dataset, tasks }: Pick<LiveCell, "dataset" | "tasks">): number =>
  tasks * paperTaskRules.rounds * WORKERS * UPDATE[dataset];

const liveJob = collectJob(async (cell: LiveCell, k, context): Promise<Live> => {
  const { dataset, mechanism, tasks, seed } = cell;
  const missing = await missingFor(TRAINER, { dataset });
  if (missing !== null) return { missing };
  const own = seed === null ? context.stream.fork("live").fork(k) : stream(seed);
  const trainer = await trainerNamed(TRAINER, { dataset });
  return { lines: await linesOf({ ...settingOf(truthfulUnder(mechanism), context, own), trainer }, tasks) };
}, liveCost);

/** The first tasks of recorded runs in which all tell the truth: so many, those with the fewest workers first. */
const againCells = (mechanisms: readonly string[], count: number): LiveCell[] =>
  recordedTables[AGAIN].runs
    .filter(({ mechanism, agent }) => mechanisms.includes(mechanism) && agent === null)
    .filter(({ trainer, tasks }) => trainer === TRAINER && tasks.length > 0)
    .sort((a, b) => a.tasks[0]!.selected - b.tasks[0]!.selected)
    .slice(0, count)
    .map(({ mechanism, seed }) => ({ kind: "live", dataset: AGAIN, mechanism, seed, tasks: 1 }));

/** By how much losses that were trained again differ from the recorded ones, at most. */
function deviationOf({ mechanism, seed }: LiveCell, found: TaskLine): number {
  const run = recordedTables[AGAIN].runs.find(
    (one) => one.mechanism === mechanism && one.seed === seed && one.agent === null,
  );
  const recorded = run?.tasks[0]?.losses ?? [];
  return Math.max(0, ...recorded.map((loss, round) => Math.abs(loss - found.losses[round]!)));
}

export const paperTables: Analysis<PaperTablesSettings, Cell, Summary, TablesResult> = {
  name: "paper-tables",
  question:
    "Which mechanisms select good workers and lead to good models, once reputation follows from training?",
  part: "training",
  options: {
    seeds: { from: 2, to: 100_000, whole: true },
    tasks: { from: 1, to: 100_000, whole: true },
    live: { from: 0, to: 10_000, whole: true },
    again: { from: 0, to: 5, whole: true },
  },
  duration: ({ live }, threads) => (live === 0 ? null : durationText(live, threads)),
  settings: ({ profile, options }) => ({ ...profiles[profile], ...options }),
  plan: ({ seeds, tasks, live, again }, { mechanisms }) => {
    const names = mechanisms.map(({ name }) => name);
    const five = paperFive.filter((name) => names.includes(name));
    const populations = populationsOf(names);
    const series = datasets.map((dataset): SeriesCell => ({ kind: "series", dataset, tasks, populations }));
    const anew = datasets.flatMap((dataset) =>
      five.map((mechanism): LiveCell => ({ kind: "live", dataset, mechanism, tasks: live, seed: null })),
    );
    const trained = [...(live > 0 ? anew : []), ...againCells(names, again)];
    return [
      ...series.map((cell) => ({ cell, markets: seeds })),
      ...trained.map((cell) => ({ cell, markets: 1 })),
    ];
  },
  job: jobByKind<Cell, Summary>({ series: seriesJob, live: liveJob }),
  conclude: (gathered, settings, { mechanism }) => ({
    readings: [
      ...datasets.flatMap(recordedReadings),
      ...gathered.flatMap(surrogateReadings),
      ...trainedReadings(gathered),
    ],
    own: mechanism.name,
    methods: methodsOf(gathered, settings),
  }),
  tables,
  charts,
  findings,
  methods: ({ methods }) => methods,
};
