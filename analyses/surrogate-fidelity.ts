/** The surrogate trainer beside recorded runs of the real one: curves, gains, quality tests, the order of mechanisms. */

import { stream } from "../src/lib/random.js";
import type { Analysis } from "../src/study/analysis.js";
import { listing } from "../src/study/job.js";
import type { DatasetName } from "../src/training/datasets.js";
import {
  type RecordedCurves,
  type RecordedRuns,
  recordedCurves,
  recordedTables,
  type TaskLine,
} from "../src/training/recordings.js";
import { type Parameters, parameters, surrogate } from "../src/training/surrogate.js";
import { linesOf, settingOf, truthfulUnder } from "./shared/training.js";
import {
  charts,
  comparedTasks,
  type FidelityResult,
  findings,
  methods,
  type Run,
  type RunPair,
  tables,
} from "./surrogate-fidelity/views.js";

interface FidelitySettings {
  readonly recordings: Partial<Readonly<Record<DatasetName, RecordedCurves>>>;
  readonly parameters: Readonly<Record<DatasetName, Parameters>>;
  /** Whole runs, which the surrogate makes again. */
  readonly tables: Partial<Readonly<Record<DatasetName, RecordedRuns>>>;
}

export const surrogateFidelity: Analysis<FidelitySettings, Run, TaskLine[][], FidelityResult> = {
  name: "surrogate-fidelity",
  question: "How far is the surrogate from real training, and where is it least to be trusted?",
  part: "appendix",
  settings: () => ({ recordings: recordedCurves, parameters, tables: recordedTables }),
  plan: ({ tables }, { mechanisms }) =>
    Object.entries(tables)
      .flatMap(([dataset, { runs }]) => runs.map((run) => ({ ...run, dataset: dataset as DatasetName })))
      .filter(({ agent, mechanism }) => agent === null && mechanisms.some(({ name }) => name === mechanism))
      .map(({ dataset, mechanism, seed, tasks }) => ({
        cell: { dataset, mechanism, seed, tasks: tasks.length },
        markets: 1,
      })),
  /** A recorded run again under the surrogate: the same workers, costs and arrivals. */
  job: listing(
    ({ dataset, mechanism, seed, tasks }: Run, _, context) =>
      linesOf(
        { ...settingOf(truthfulUnder(mechanism), context, stream(seed)), trainer: surrogate({ dataset }) },
        tasks,
      ),
    ({ tasks }) => 1.5 * tasks,
  ),
  conclude: (gathered, { recordings, parameters, tables }) => ({
    recordings,
    tasks: (Object.entries(recordings) as [DatasetName, RecordedCurves][]).flatMap(([dataset, recording]) =>
      comparedTasks(dataset, recording, parameters[dataset]),
    ),
    runs: gathered.flatMap(({ cell, summary }): RunPair[] => {
      const { dataset, mechanism, seed } = cell;
      const recorded = tables[dataset]!.runs.find(
        (run) => run.mechanism === mechanism && run.seed === seed && run.agent === null,
      )!.tasks;
      return summary === null ? [] : [{ dataset, mechanism, recorded, surrogate: summary[0]! }];
    }),
  }),
  tables,
  charts,
  findings,
  methods,
};
