/** What `analyze` and `report` share: options, the run, and the files it leaves. */

import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import type { Profile } from "../analysis.js";
import { quoted } from "../replay.js";
import { dataText, type ReportData, type Section } from "../report/data.js";
import type { ChosenAnalysis } from "./analyses.js";
import { crewFor } from "./crew.js";
import { readEarlier } from "./earlier.js";
import { resolveMechanism } from "./mechanism.js";
import { named } from "./named.js";
import { drawings, pageAndData } from "./report-files.js";
import { type RowFile, type RowFormatName, type RowSource, rowFiles, rowFormats } from "./row-files.js";
import { runAnalyses } from "./run-analyses.js";
import type { Session } from "./session.js";
import { integerOption, wordOption } from "./values.js";
import { version } from "./version.js";
import { writeFiles } from "./write-files.js";

export interface ReportFlags {
  readonly seed: string;
  readonly profile: Profile;
  readonly out: string;
  readonly mechanism: string;
  readonly format: "html" | "svg";
  readonly diff?: string;
  readonly data?: RowFormatName;
  readonly json?: boolean;
  readonly threads: number;
}

export interface ReportJob {
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
      "how many work at once; the results are the same on any number",
      integerOption("--threads", { from: 1, to: 256 }),
      availableParallelism(),
    )
    .option(
      "--data <format>",
      "also write a row per worker and market, where an analysis keeps them: parquet, jsonl or csv",
      wordOption("--data", Object.keys(rowFormats)),
    )
    .option("--diff <file>", "compare with the data.json of an earlier run")
    .option("--json", "also print the data as one JSON object");
}

export async function makeReport({ called, analyses, flags }: ReportJob, session: Session): Promise<void> {
  const { seed, profile, out } = flags;
  const begun = performance.now();
  const mechanismNamed = named(flags.mechanism);
  const mechanism = await resolveMechanism(flags.mechanism);
  const earlier = flags.diff === undefined ? null : await readEarlier(flags.diff);
  const sources = new Map<string, RowSource>();
  const onRows = (source: RowSource) => void sources.set(source.study, source);
  const rows = flags.data !== undefined;
  const request = { analyses, seed, profile, mechanism, mechanismNamed, rows, onRows };
  const crew = crewFor(flags);
  const sections = await runAnalyses(request, crew, session).finally(() => crew.close());
  const data = { candor: version(), seed, profile, mechanism: mechanism.name, analyses: sections };
  const provenance = {
    command: commandText(called, flags),
    seconds: (performance.now() - begun) / 1000,
    threads: crew.threads,
    finishedAt: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
  };
  const made = flags.format === "svg" ? await drawings(data) : pageAndData({ data, provenance, earlier });
  const done = analyses.filter((_, k) => sections[k]!.state === "done").map(({ analysis }) => analysis);
  const wanted = {
    format: flags.data,
    analyses: done,
    sources: [...sources.values()],
    archive: crew.archive,
  };
  const filled = rowFiles(wanted, session);
  const written = await writeFiles(out, [...filled, ...made.files]);
  if (made.warning !== null) console.error(`candor: warning: ${made.warning}`);
  if (sections.some(({ state }) => state === "failed")) session.exitCode = 1;
  session.spool.write(flags.json ? dataText(data) : summaryText(data, { out, written, filled }));
}

/** The exact command, with what could have been left out. */
function commandText(called: string, { seed, profile, mechanism, out, diff, data }: ReportFlags): string {
  const compared = `${data === undefined ? "" : ` --data ${data}`}${diff === undefined ? "" : ` --diff ${quoted(diff)}`}`;
  const options = `--seed ${quoted(seed)} --profile ${profile} --mechanism ${quoted(mechanism)} --out ${quoted(out)}`;
  return `npm run --silent candor -- ${called} ${options}${compared}`;
}

interface Written {
  readonly out: string;
  readonly written: readonly string[];
  readonly filled: readonly RowFile[];
}

function summaryText({ analyses }: ReportData, { out, written, filled }: Written): string {
  const paths = written.filter((name) => !filled.some((file) => file.name === name));
  const [first = "nothing", ...rest] = paths.map((name) => join(out, name));
  const more =
    rest.length === 0 ? "" : `, and ${rest.length} more ${rest.length === 1 ? "file" : "files"} beside it`;
  const rows = filled.map((file) => {
    const path = join(out, file.name);
    return written.includes(file.name)
      ? `Wrote ${file.rows} rows to ${path}.\n`
      : `Interrupted before ${path}.\n`;
  });
  return `${analyses.map(sectionText).join("\n")}\n\nWrote ${first}${more}.\n${rows.join("")}`;
}

function sectionText({ name, question, state, error, result }: Section): string {
  const lines = (result?.findings ?? []).map(({ text }) => `  ${text}`);
  if (state === "failed") lines.push(`  failed: ${error}`);
  if (state === "interrupted") lines.push("  interrupted");
  return [`${name}: ${question}`, ...lines].join("\n");
}
