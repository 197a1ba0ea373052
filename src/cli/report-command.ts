/** What `analyze` and `report` share: options, the run, and the files it leaves. */

import { join } from "node:path";
import type { Command } from "commander";
import { InputError } from "../lib/errors.js";
import { dataText, type ReportData } from "../report/result.js";
import type { Profile } from "../study/analysis.js";
import { type Address, parseAddress, shown } from "../study/redis/connect.js";
import { quoted } from "../verdicts/explain.js";
import type { ChosenAnalysis } from "./analyses.js";
import { type Crew, crewFor } from "./crew.js";
import { named } from "./extension.js";
import { resolveMechanism } from "./mechanism.js";
import { program, version } from "./program.js";
import { drawings, pageAndData, readEarlier, rowsText, summaryText, writeFiles } from "./report-files.js";
import { type RowFormatName, type RowSource, rowFiles, rowFormats } from "./row-files.js";
import { type Request, runAnalyses } from "./run-analyses.js";
import type { Session } from "./session.js";
import { integerOption, wordOption } from "./values.js";

export interface ReportFlags {
  readonly seed: string;
  readonly profile: Profile;
  readonly out: string;
  readonly mechanism: string;
  readonly format: "html" | "svg";
  readonly diff?: string;
  readonly data?: RowFormatName;
  readonly json?: boolean;
  readonly threads?: number;
  readonly resume?: boolean;
  readonly redis?: Address;
}

interface ReportJob {
  /** As in "report" or "analyze landscape". */
  readonly called: string;
  readonly analyses: readonly ChosenAnalysis[];
  readonly flags: ReportFlags;
}

export function addReportOptions(command: Command): Command {
  return command
    .option("--seed <seed>", "fixes every draw", "1")
    .option(
      "--profile <name>",
      "quick, or full for the sample sizes of a paper",
      wordOption("--profile", ["quick", "full"]),
      "quick",
    )
    .option("--out <folder>", "where the files go", "reports")
    .option("--mechanism <name>", "the auction that is examined; candor list shows what there is", "online")
    .option(
      "--format <name>",
      "html, or svg for the charts alone",
      wordOption("--format", ["html", "svg"]),
      "html",
    )
    .option(
      "--threads <count>",
      "how many work at once, else one per core; results are the same on any number",
      integerOption("--threads", { from: 1, to: 256 }),
    )
    .option("--resume", "go on with a run that was stopped, from the journal in the folder of --out")
    .option(
      "--data <format>",
      "also write a row per worker and market, where an analysis keeps them: parquet, jsonl or csv",
      wordOption("--data", Object.keys(rowFormats)),
    )
    .option("--redis <url>", "have the work done by candor worker on other machines", (url) =>
      parseAddress(url, "--redis"),
    )
    .option("--diff <file>", "compare with the data.json of an earlier run")
    .option("--json", "also print the data as one JSON object");
}

export async function makeReport({ called, analyses, flags }: ReportJob, session: Session): Promise<void> {
  const { seed, profile } = flags;
  const mechanismNamed = named(flags.mechanism);
  const mechanism = await resolveMechanism(flags.mechanism);
  const earlier = flags.diff === undefined ? null : await readEarlier(flags.diff);
  const sources = new Map<string, RowSource>();
  const onRows = (source: RowSource) => void sources.set(source.study, source);
  const rows = flags.data !== undefined;
  const request = {
    candor: version(),
    program: program(),
    analyses,
    seed,
    profile,
    mechanism,
    mechanismNamed,
    rows,
    onRows,
  };
  const crew = await crewFor(flags, request, session);
  const command = `${session.calledAs} ${commandText(called, flags)}`;
  const advice = `to go on from here: ${command} --resume`;
  session.keeps(join(flags.out, "journal.jsonl"), advice);
  let finished = false;
  try {
    finished = await writeReport({ request, sources, crew, command, earlier, flags }, session);
    if (!finished && crew.resumable()) session.warn(advice);
  } catch (error) {
    throw crew.resumable() ? advised(error, advice) : error;
  } finally {
    await crew.close(finished);
  }
}

interface Task {
  readonly request: Request;
  /** Studies that keep rows, in the order in which they were begun. */
  readonly sources: ReadonlyMap<string, RowSource>;
  readonly crew: Crew;
  readonly command: string;
  readonly earlier: ReportData | null;
  readonly flags: ReportFlags;
}

/** Whether all that was asked for is written. */
async function writeReport(task: Task, session: Session): Promise<boolean> {
  const { request, sources, crew, command, earlier, flags } = task;
  const { candor, seed, profile, mechanism } = request;
  const begun = performance.now();
  const analyses = await runAnalyses(request, crew, session);
  await crew.rest();
  const data = { candor, seed, profile, mechanism: mechanism.name, analyses };
  const provenance = {
    command,
    seconds: (performance.now() - begun) / 1000,
    threads: crew.threads,
    finishedAt: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
  };
  const made =
    flags.format === "svg" ? await drawings(data) : await pageAndData({ data, provenance, earlier });
  const rows = rowFiles({ sections: analyses, sources, format: flags.data, ...request, ...crew }, session);
  await writeFiles(flags.out, [...rows, ...made.files]);
  if (made.warning !== null) session.warn(`warning: ${made.warning}`);
  if (analyses.some(({ state }) => state === "failed")) session.exitCode = 1;
  const paths = made.files.map(({ name }) => join(flags.out, name));
  session.spool.write(flags.json ? dataText(data) : summaryText(data, paths, rowsText(rows, flags.out)));
  return analyses.every(({ state }) => state === "done") && rows.every((file) => file.rows !== null);
}

/** What a user can mend, and what to do then. */
function advised(error: unknown, advice: string): unknown {
  if (!(error instanceof InputError)) return error;
  return new InputError({ ...error.problem, expected: `${error.problem.expected}; ${advice}` });
}

/** The exact command behind the name of the program, with what could have been left out. */
function commandText(called: string, flags: ReportFlags): string {
  const { seed, profile, mechanism, out, diff, data, format, threads, redis, json } = flags;
  const more = [
    data === undefined ? "" : ` --data ${data}`,
    diff === undefined ? "" : ` --diff ${quoted(diff)}`,
    format === "html" ? "" : ` --format ${format}`,
    threads === undefined ? "" : ` --threads ${threads}`,
    redis === undefined ? "" : ` --redis ${quoted(shown(redis))}`,
    json ? " --json" : "",
  ];
  const options = `--seed ${quoted(seed)} --profile ${profile} --mechanism ${quoted(mechanism)} --out ${quoted(out)}`;
  return `${called} ${options}${more.join("")}`;
}
