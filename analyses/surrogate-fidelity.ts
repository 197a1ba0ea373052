/** The surrogate trainer against recorded runs of the real one: curves, gains, quality tests, the order of mechanisms. */

import type { AnalysisResult } from "../src/report/result.js";
import type { AnalysisContext, StepwiseAnalysis } from "../src/study/analysis.js";
import type { DatasetName } from "../src/training/datasets.js";
import { type RecordedCurves, recordedCurves, recordedTables } from "../src/training/recordings.js";
import { type Parameters, parameters } from "../src/training/surrogate.js";
import type { Lines } from "./shared/paper-tables/readings.js";
import { countedOf, measuresOf } from "./shared/paper-tables/series.js";
import { twinsOf } from "./shared/paper-tables/twins.js";
import { chartsOf } from "./surrogate-fidelity/charts.js";
import {
  mechanismTable,
  orderFindings,
  pairsOf,
  type Run,
  type Runs,
} from "./surrogate-fidelity/mechanisms.js";
import { regionTable, residualTable } from "./surrogate-fidelity/residual-tables.js";
import { scenesOf } from "./surrogate-fidelity/scenes.js";
import { curveTable, gainTable } from "./surrogate-fidelity/tables.js";
import {
  closenessFinding,
  doubtFinding,
  hairFinding,
  leftOutHere,
  methodsOf,
} from "./surrogate-fidelity/words.js";

export interface FidelityInput {
  readonly recordings: Partial<Readonly<Record<DatasetName, RecordedCurves>>>;
  readonly parameters: Readonly<Record<DatasetName, Parameters>>;
  /** Whole runs per mechanism, under both trainers; none: the order of mechanisms is not looked at. */
  readonly runs: Runs;
}

export const surrogateFidelity: StepwiseAnalysis = {
  name: "surrogate-fidelity",
  question: "How far is the surrogate from real training, and where is it not to be trusted?",
  run: async (context) =>
    fidelityOf({ recordings: recordedCurves, parameters, runs: await wholeRuns(context) }),
};

/** The recorded runs of the paper's tables, as far as its tasks count, and the surrogate's of the same seeds. */
async function wholeRuns(context: AnalysisContext): Promise<Runs> {
  const { recorded, surrogate } = await twinsOf(recordedTables, context);
  const runOf = ({ dataset, auction, lines }: Lines): Run => {
    const losses = countedOf(lines).flatMap((line) => measuresOf(line).loss ?? []);
    return { dataset, mechanism: auction, losses };
  };
  return { recorded: recorded.map(runOf), surrogate: surrogate.map(runOf) };
}

export function fidelityOf({ recordings, parameters, runs }: FidelityInput): AnalysisResult {
  const entries = Object.entries(recordings) as [DatasetName, RecordedCurves][];
  const datasets = entries.map(([dataset]) => dataset);
  const scenes = entries.flatMap(([dataset, recording]) => scenesOf(dataset, recording, parameters[dataset]));
  const pairs = pairsOf(runs);
  const [curves, gains, residuals] = [curveTable(scenes), gainTable(scenes), residualTable(scenes)];
  const regions = regionTable(scenes);
  const findings = datasets.flatMap((dataset) => [
    closenessFinding(dataset, residuals),
    doubtFinding(dataset, regions),
    hairFinding(dataset, scenes) ?? [],
  ]);
  return {
    tables: [residuals, regions, curves, gains, ...(pairs.length === 0 ? [] : [mechanismTable(pairs)])],
    charts: chartsOf(datasets, curves, gains),
    findings: [...orderFindings(pairs), ...findings.flat()],
    methods: [
      ...entries.flatMap(([dataset, recording]) => methodsOf(dataset, recording, scenes)),
      ...leftOutHere,
      ...(pairs.length === 0 ? ["The order of mechanisms: no whole runs are recorded."] : []),
    ],
  };
}
