/** `candor report` and `candor analyze`: analyses into data and one HTML file. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { plainError, showValue } from "../lib/errors.js";
import { counted, quoted, wrapped } from "../lib/format.js";
import { parseJson } from "../lib/json.js";
import {
  csvText,
  dataText,
  type Provenance,
  type ReportData,
  type Section,
  tablesOf,
} from "../report/result.js";
import { allAgents, type ChosenAnalysis } from "../study/context.js";
import type { SourcedMarket } from "../study/job.js";
import { parseAddress, shown } from "../study/redis/connect.js";
import { columnsOf, type RowFile, type RowFormatName, rowFiles, rowFormats } from "../study/row-files.js";
import { type AnalysisRun, runStudy, type StudyRequest, withBackend } from "../study/run-study.js";
import { onlyHere } from "./exec.js";
import { type NewFile, readText, textFile, writeFiles } from "./files.js";
import { withRules } from "./input.js";
import { program, version } from "./program.js";
import {
  allAnalyses,
  named,
  namedAgent,
  namedMarkets,
  resolveAnalyses,
  resolveMarkets,
  resolveMechanism,
  resolvePlayer,
  THREAD,
} from "./resolve.js";
import { csvRules } from "./rules.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const options = {
  ...csvRules,
  seed: option.text("<seed>", "fixes every draw").default("1"),
  profile: option
    .word("<name>", "quick, or full for the sample sizes of a paper", ["quick", "full"])
    .default("quick"),
  out: option.text("<folder>", "where the files go").default("reports"),
  mechanism: option
    .text("<name>", "the auction that is examined; candor list shows what there is")
    .default("online"),
  markets: option.texts("<file>", "your own markets, for analyses that take them; may be repeated"),
  agent: option.texts(
    "<spec>",
    "one more agent, as in candor try; or, for the tournament, who plays whom in a population, as in overbid@25%; may be repeated",
  ),
  format: option.word("<name>", "html, or svg for the charts alone", ["html", "svg"]).default("html"),
  threads: option.integer(
    "<count>",
    "how many work at once, else one per core; results are the same on any number",
    { from: 1, to: 256 },
  ),
  resume: option.flag("go on with a run that was stopped, from the journal in the folder of --out"),
  data: option.word(
    "<format>",
    "also write a row per worker and market, where an analysis keeps them: parquet, jsonl or csv",
    Object.keys(rowFormats) as RowFormatName[],
  ),
  redis: option.value("<url>", "have the work done by candor worker on other machines", parseAddress),
  diff: option.text("<file>", "compare with the data.json of an earlier run"),
  json: option.flag("also print the data as one JSON object"),
};

type Flags = option.FlagsOf<typeof options>;

const reportExamples = `
Writes report.html, data.json and a CSV for each table. A failed analysis is shown as failed in the report, and the
exit code is 1.

Examples:
  candor report
  candor report --seed 2 --out reports/second --diff reports/data.json
  candor report --markets my-markets.jsonl --agent ./my-agent.ts`;

export const define = option.command({ options, help: reportExamples }, report);

async function report(given: Flags, session: Session): Promise<void> {
  const flags = underRules(given);
  const analyses = (await allAnalyses()).filter(
    ({ analysis }) => !analysis.needsMarkets || flags.markets.length > 0,
  );
  await makeReport({ called: "report", analyses, flags }, session);
}

const analyzeExamples = `
NAME is one of those that candor list shows, or a file of your own such as ./mine.ts.
A failed analysis is shown as failed in the report, and the exit code is 1.

Examples:
  candor analyze truthfulness-map --seed 7 --out reports/map
  candor analyze truthfulness-map --data parquet
  candor analyze tournament --agent ./mine.ts --agent "price = 1.2*cost"
  candor analyze tournament --agent low-baller@50% --agent overbid@25%
  candor analyze own-markets --markets my-markets.jsonl
  candor analyze own-markets --markets bids.csv --budget 125 --rounds 10
  candor analyze landscape --format svg --out figures`;

const argument = ["<name...>", "analyses, or files"] as const;

export const defineAnalyze = option.command({ argument, options, help: analyzeExamples }, analyze);

async function analyze(names: readonly string[], given: Flags, session: Session): Promise<void> {
  const flags = underRules(given);
  const analyses = await resolveAnalyses(names);
  await demandFitting(analyses, flags);
  await makeReport({ called: `analyze ${names.map(quoted).join(" ")}`, analyses, flags }, session);
}

/** With the rules of CSV files behind their names. */
const underRules = (flags: Flags): Flags => ({
  ...flags,
  markets: withRules(flags.markets, flags, "--markets"),
});

/** What was asked for by name must be able to do what the options say. */
async function demandFitting(chosen: readonly ChosenAnalysis[], flags: Flags): Promise<void> {
  const needy = chosen.find(({ analysis }) => analysis.needsMarkets)?.analysis.name;
  for (const { option, fits, lacks, oneIsEnough } of demandsOf(flags).filter(({ given }) => given)) {
    const misfit = chosen.find((choice) => !fits(choice));
    if (misfit === undefined || (oneIsEnough && chosen.some(fits))) continue;
    const takers = (await allAnalyses()).filter(fits).map(({ analysis }) => analysis.name);
    throw plainError(option, `analysis ${showValue(misfit.analysis.name)} ${lacks}: ${takers.join(", ")}`);
  }
  if (needy !== undefined && flags.markets.length === 0)
    throw plainError(`analysis ${needy}`, "looks at markets of your own: name a file with --markets");
}

interface Demand {
  readonly option: string;
  readonly given: boolean;
  readonly fits: (choice: ChosenAnalysis) => boolean;
  readonly lacks: string;
  readonly oneIsEnough?: boolean;
}

const demandsOf = ({ data, agent, markets }: Flags): readonly Demand[] => [
  {
    option: "--data",
    given: data !== undefined,
    fits: ({ analysis }) => columnsOf(analysis) !== null,
    lacks: "keeps no row-level data; those that do",
  },
  {
    option: "--agent",
    given: agent.length > 0,
    // An analysis of the user's own is handed all agents.
    fits: ({ analysis, builtIn }) => !builtIn || analysis.takesAgents === true,
    lacks: "looks at no agents; those that do",
    oneIsEnough: true,
  },
  {
    option: "--markets",
    given: markets.length > 0,
    fits: ({ analysis }) => analysis.takesMarkets === true,
    lacks: "draws its own markets; those that take yours",
  },
];

interface ReportJob {
  /** As in "report" or "analyze landscape". */
  readonly called: string;
  readonly analyses: readonly ChosenAnalysis[];
  readonly flags: Flags;
}

/** Runs the study (each analysis is planned, executed and concluded), renders what it found, and writes the files. */
async function makeReport({ called, analyses, flags }: ReportJob, session: Session): Promise<void> {
  const local = [flags.mechanism, ...flags.agent].find((spec) => spec.includes("exec:"));
  if (flags.redis !== undefined && local !== undefined) throw plainError("--redis", `${local} ${onlyHere}`);
  const request = await requestOf(analyses, flags);
  const earlier = flags.diff === undefined ? null : await readEarlier(flags.diff);
  const command = `${session.calledAs} ${commandText(called, flags)}`;
  const advice = `to go on from here: ${command} --resume`;
  const options = { flags, entry: THREAD, identity: request.names, advice };
  await withBackend(options, session, async (backend) => {
    const { executor } = backend;
    const begun = performance.now();
    const runs = await runStudy(request, backend, session);
    await executor.close();
    const provenance = {
      command,
      seconds: (performance.now() - begun) / 1000,
      threads: executor.threads(),
      finishedAt: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    };
    const data = dataOf(request, runs);
    const rendered =
      flags.format === "svg" ? await drawings(data) : await pageAndData({ data, provenance, earlier });
    return write({ data, runs, ...rendered }, flags, session);
  });
}

/** Checksums before anything is loaded: what is computed must not be of an older file than what is named. */
export async function requestOf(
  analyses: readonly ChosenAnalysis[],
  flags: Pick<Flags, "seed" | "profile" | "mechanism" | "agent" | "markets" | "data">,
): Promise<StudyRequest> {
  const { seed, profile } = flags;
  const names = {
    program: program(),
    mechanism: named(flags.mechanism),
    agents: flags.agent.map(namedAgent),
    markets: flags.markets.map(namedMarkets),
    seed,
    profile,
    rows: flags.data !== undefined,
    analyses: analyses.map((choice) => choice.named),
  };
  const mechanism = await resolveMechanism(flags.mechanism);
  const agents = await Promise.all(flags.agent.map(resolvePlayer));
  if (agents.length > 0) await allAgents(agents);
  const markets: SourcedMarket[] = (await Promise.all(flags.markets.map(resolveMarkets))).flat();
  return { names, analyses, mechanism, agents, markets };
}

const dataOf = ({ names, mechanism }: StudyRequest, runs: readonly AnalysisRun[]): ReportData => ({
  candor: version(),
  seed: names.seed,
  profile: names.profile,
  mechanism: mechanism.name,
  analyses: runs.map(({ section }) => section),
});

interface Rendered {
  readonly data: ReportData;
  readonly runs: readonly AnalysisRun[];
  readonly files: readonly NewFile[];
  readonly warning: string | null;
}

/** Returns whether all that was asked for is written. */
async function write(
  { data, runs, files, warning }: Rendered,
  flags: Flags,
  session: Session,
): Promise<boolean> {
  const { analyses } = data;
  const rows = flags.data === undefined ? [] : rowFiles(runs, flags.data, session);
  await writeFiles(flags.out, [...rows, ...files]);
  if (warning !== null) session.warn(`warning: ${warning}`);
  if (analyses.some(isFlawed)) session.exitCode = 1;
  const paths = files.map(({ name }) => join(flags.out, name));
  session.spool.write(
    flags.json ? dataText(data) : summaryText(data, session.columns) + writtenText(paths, rows, flags.out),
  );
  return analyses.every(({ state }) => state === "done") && rows.every((file) => file.rows !== null);
}

/** Whether an analysis failed, or a chart of it cannot be drawn. */
const isFlawed = ({ state, result }: Section): boolean =>
  state === "failed" || (result?.charts.some(({ flaw }) => flaw !== undefined) ?? false);

/** The exact command behind the name of the program, with what could have been left out. */
function commandText(called: string, flags: Flags): string {
  const { profile, data, diff, format, threads, redis, json } = flags;
  const given = option.typed({
    seed: quoted(flags.seed),
    profile,
    mechanism: quoted(flags.mechanism),
    out: quoted(flags.out),
    markets: flags.markets.map(quoted),
    agent: flags.agent.map(quoted),
    data,
    diff: diff && quoted(diff),
    format: format === "html" ? undefined : format,
    threads,
    redis: redis && quoted(shown(redis)),
  });
  return [called, ...given, ...(json ? ["--json"] : [])].join(" ");
}

/** So many findings are printed; the report has all. */
const HEAVIEST = 5;

function summaryText({ analyses }: ReportData, columns: number): string {
  const findings = analyses.flatMap(({ result }) => result?.findings ?? []);
  const heaviest = [...findings].sort((a, b) => b.weight - a.weight).slice(0, HEAVIEST);
  const more = findings.length - heaviest.length;
  const parts = [
    ...heaviest.map(({ text }) => wrapped(text, columns, "- ")),
    ...(more > 0 ? [`${more} more findings are in the report.`] : []),
    ...analyses.flatMap(trouble),
  ];
  return parts.length === 0 ? "" : `${parts.join("\n")}\n\n`;
}

function trouble({ name, question, state, error }: Section): string[] {
  if (state === "done") return [];
  return [`${name}: ${question}\n  ${state === "failed" ? `failed: ${error}` : "interrupted"}`];
}

function writtenText(paths: readonly string[], rows: readonly RowFile[], folder: string): string {
  const [first = "nothing", ...rest] = paths;
  const more = rest.length === 0 ? "" : `, and ${counted(rest.length, "more file")} beside it`;
  const data = rows.map(({ name, rows: count }) =>
    count === null
      ? `Interrupted: ${join(folder, name)} is not written.\n`
      : `Wrote ${counted(count, "row")} to ${join(folder, name)}.\n`,
  );
  return `Wrote ${first}${more}.\n${data.join("")}`;
}

interface ReportRequest {
  readonly data: ReportData;
  readonly provenance: Provenance;
  readonly earlier: ReportData | null;
}

/** What `npm run build` has bundled for the page. */
const asset = (name: string): string => readFileSync(new URL(`../../page/${name}`, import.meta.url), "utf8");

/** The report as one HTML file, and a warning where it is large. */
export async function pageOf({ data, provenance, earlier }: ReportRequest) {
  const [{ chartSvg, payloadOf, sizeWarning }, { chartOfFirstScreen, reportHtml }] = await Promise.all([
    import("../report/charts.js"),
    import("../report/html.js"),
  ]);
  const first = chartOfFirstScreen(data);
  const picture =
    first?.chart.flaw === undefined ? first && (await chartSvg(first.chart, first.tables)) : null;
  const payload = payloadOf(data, earlier);
  const assets = {
    script: asset("main.js"),
    style: asset("style.css"),
    benchWorker: asset("live-bench/worker.js"),
    licences: asset("licences.txt"),
  };
  const page = reportHtml({ data, provenance, earlier, payload, picture, assets });
  return { page, warning: sizeWarning(page, payload) };
}

async function pageAndData(request: ReportRequest) {
  const { data } = request;
  const { page, warning } = await pageOf(request);
  const tables = tablesOf(data).map(({ analysis, table }) =>
    textFile(`${analysis}.${table.name}.csv`, csvText(table)),
  );
  const files = [textFile("report.html", page), textFile("data.json", dataText(data))];
  if (data.analyses.some(({ timed }) => timed))
    files.push(textFile("measured.json", dataText(data, "measured")));
  return { files: [...files, ...tables], warning };
}

async function drawings({ analyses }: ReportData) {
  const { chartSvg } = await import("../report/charts.js");
  const all = analyses.flatMap(({ name, result }) =>
    (result?.charts ?? [])
      .filter(({ flaw }) => flaw === undefined)
      .map(async (chart) =>
        textFile(`${name}.${chart.name}.svg`, await chartSvg(chart, result?.tables ?? [])),
      ),
  );
  return { files: await Promise.all(all), warning: null };
}

const list = z.array(z.unknown());
const tablesShape = z.object({ tables: z.array(z.object({ columns: list, rows: list })) });
const reportShape = z.object({
  candor: z.string(),
  analyses: z.array(z.object({ name: z.string(), result: tablesShape.nullable() })),
});

async function readEarlier(path: string): Promise<ReportData> {
  const value = parseJson(await readText(path), path);
  if (reportShape.safeParse(value).success) return value as ReportData;
  throw plainError(path, "must be the data.json of a report");
}
