/**
 * "candor/node": what reads files, uses threads or draws reports, and so needs Node. What "candor" itself exports runs in a
 * browser, too.
 */

import { availableParallelism } from "node:os";
import type { AnyMechanism, StochasticMechanism } from "./auction/mechanism.js";
import { program, version } from "./cli/program.js";
import { pageOf, requestOf } from "./cli/report.js";
import { checkedAnalysis, resolveAnalyses, THREAD } from "./cli/resolve.js";
import { validatedMechanism } from "./mechanisms/validate.js";
import { chartSvg } from "./report/charts.js";
import type { Chart, Profile, ReportData, Table } from "./report/result.js";
import type { Analysis } from "./study/analysis.js";
import { inMemory, inProcess } from "./study/compute.js";
import type { ChosenAnalysis } from "./study/context.js";
import type { Terminal } from "./study/progress.js";
import { runStudy } from "./study/run-study.js";
import { threads } from "./study/threads.js";

/** How analyses are run from code. */
export interface AnalysesOptions {
  /** Fixes every draw; "1" if left out. */
  readonly seed?: string;
  /** `quick` if left out; `full` has the sample sizes of a paper. */
  readonly profile?: Profile;
  /** The auction that is examined, by name or file or as a value; `online` if left out. */
  readonly mechanism?: string | AnyMechanism | StochasticMechanism;
  /** Names or files of agents besides those that are built in. */
  readonly agents?: readonly string[];
  /** Files of your own markets, for analyses that take them. */
  readonly markets?: readonly string[];
  /** How many threads compute: one per core if left out. What is given as a value is computed in this thread. */
  readonly threads?: number;
  /** Stops it; analyses that are not finished are then marked as interrupted. */
  readonly signal?: AbortSignal;
}

/** Runs analyses, each by name ("landscape", "truthfulness-map:markets=1000"), by file ("./mine.ts") or as a value. */
export async function runAnalyses(
  analyses: readonly (string | Analysis)[],
  options: AnalysesOptions = {},
): Promise<ReportData> {
  const { seed = "1", profile = "quick", mechanism = "online", agents = [], markets = [] } = options;
  const spec = typeof mechanism === "string" ? mechanism : "online";
  const chosen = await Promise.all(analyses.map(choiceOf));
  const request = await requestOf(chosen, { seed, profile, mechanism: spec, agent: agents, markets });
  const examined = typeof mechanism === "string" ? request.mechanism : validatedMechanism(mechanism);
  const named = [mechanism, ...analyses].every((one) => typeof one === "string");
  const { threads: count = availableParallelism(), signal = new AbortController().signal } = options;
  const executor = named && count > 1 ? threads(count, THREAD) : inProcess();
  try {
    const backend = { executor, archive: inMemory() };
    const runs = await runStudy({ ...request, mechanism: examined }, backend, silent(signal));
    const sections = runs.map(({ section }) => section);
    return { candor: version(), seed, profile, mechanism: examined.name, analyses: sections };
  } finally {
    await executor.close();
  }
}

async function choiceOf(analysis: string | Analysis): Promise<ChosenAnalysis> {
  if (typeof analysis === "string") return (await resolveAnalyses([analysis]))[0]!;
  const checked = checkedAnalysis(analysis, "analysis");
  return { analysis: checked, settings: {}, builtIn: false, named: { spec: checked.name, checksum: null } };
}

const silent = (signal: AbortSignal): Terminal => ({
  signal,
  goesOn: async () => !signal.aborted,
  warn: () => {},
  line: { show: () => {}, clear: () => {} },
  keeps: () => {},
});

/** One HTML file that needs nothing else: of analyses that are run for it, or of what `runAnalyses` gave. */
export async function renderReport(
  of: readonly (string | Analysis)[] | ReportData,
  options: AnalysesOptions = {},
): Promise<string> {
  const begun = performance.now();
  const data = isData(of) ? of : await runAnalyses(of, options);
  const provenance = {
    command: `renderReport([${data.analyses.map(({ name }) => JSON.stringify(name)).join(", ")}], …), candor ${program()}`,
    seconds: (performance.now() - begun) / 1000,
    threads: options.threads ?? availableParallelism(),
    finishedAt: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
  };
  return (await pageOf({ data, provenance, earlier: null })).page;
}

const isData = (of: readonly (string | Analysis)[] | ReportData): of is ReportData => !Array.isArray(of);

/** A chart of an analysis as SVG, in print colours; it draws the tables it names. */
export const renderChart = (chart: Chart, tables: readonly Table[]): Promise<string> =>
  chartSvg(chart, tables);

export {
  resolveAgent,
  resolveMarkets as readMarkets,
  resolveMechanism,
  resolveTrainer,
} from "./cli/resolve.js";
export type { Chart, ReportData, Section, Table } from "./report/result.js";
export type { Analysis } from "./study/analysis.js";
