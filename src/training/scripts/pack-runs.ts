/**
 * Packs what `candor train --json` printed into one module of recorded runs:
 *
 *   npm run record:pack -- --out src/training/recorded/tables-mnist.json out/mnist-online.jsonl out/mnist-rrafl.jsonl …
 *
 * Runs that were packed before stay in: a run made anew takes the place of its earlier self, and one that was continued
 * (candor train --continue) is added to it:
 *
 *   npm run record:pack -- --out tables.json tables.json out/more.jsonl
 *
 * A file F.jsonl may have an F.time beside it that begins with the seconds the run took.
 */

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { InputError, plainError } from "../../lib/errors.js";
import {
  isSameRun,
  packedRuns,
  printedTasks,
  type RecordedRuns,
  type RecordedSeries,
  type RunProvenance,
  seriesOf,
} from "../recordings.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    /** Packs only the first tasks of each run, this many. */
    tasks: { type: "string", default: "Infinity" },
    commit: { type: "string" },
    machine: { type: "string", default: `${cpus().length} cores of a shared virtual machine` },
  },
});

try {
  console.log(pack(positionals));
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  console.error(`record:pack: ${error.message}`);
  process.exitCode = 2;
}

function pack(files: readonly string[]): string {
  if (values.out === undefined || files.length === 0)
    throw plainError(
      "usage",
      "--out FILE.json [EARLIER.json] RUN.jsonl…, with --tasks N, --commit ID and --machine TEXT as you like",
    );
  const before = files.filter(isPacked).map((file) => packedRuns(contentsOf(file), file));
  const earlier = before.flatMap(({ runs }) => runs);
  const printed = files
    .filter((file) => !isPacked(file))
    .map((file) => ({ file, lines: printedTasks(contentsOf(file), file).slice(0, Number(values.tasks)) }))
    .filter(({ lines }) => lines.length > 0);
  const named = [...before, ...printed.flatMap(({ lines }) => lines)].map(({ dataset }) => dataset);
  const datasets = [...new Set(named)];
  if (datasets.length !== 1)
    throw plainError("runs", `must be of one data set, got ${datasets.join(", ") || "none"}`);
  const made = printed.map(({ file, lines }) => seriesOf(lines, { ...timesOf(file), source: file, earlier }));
  const isNew = (run: RecordedSeries) => !earlier.some((one) => isSameRun(one, run));
  const kept = earlier.map((run) => made.find((one) => isSameRun(one, run)) ?? run);
  const runs = [...kept, ...made.filter(isNew)];
  const provenance = together([...before.flatMap((one) => one.provenance ?? []), provenanceNow()]);
  writeFileSync(values.out, textOf({ dataset: datasets[0]!, provenance, runs }));
  return runs.map(({ command, seconds }) => `${command}: ${seconds ?? "unknown"} s`).join("\n");
}

function isPacked(file: string): boolean {
  return file.endsWith(".json");
}

function contentsOf(file: string): string {
  if (!existsSync(file)) throw plainError(file, "no such file");
  return readFileSync(file, "utf8");
}

/** Of parts that were made in different places or with different versions, each is named. */
function together(all: readonly RunProvenance[]): RunProvenance {
  const of = (field: keyof RunProvenance) => [...new Set(all.flatMap((one) => one[field] ?? []))].join(", ");
  return {
    candor: of("candor"),
    commit: of("commit") || null,
    tfjs: of("tfjs"),
    node: of("node"),
    machine: of("machine"),
  };
}

function timesOf(file: string): Pick<RecordedSeries, "finished" | "seconds"> {
  const beside = file.replace(/\.jsonl$/, ".time");
  const seconds = existsSync(beside) ? Number.parseFloat(readFileSync(beside, "utf8")) : Number.NaN;
  return {
    finished: statSync(file).mtime.toISOString().slice(0, 10),
    seconds: Number.isFinite(seconds) ? Math.round(seconds) : null,
  };
}

function provenanceNow(): RunProvenance {
  const require = createRequire(import.meta.url);
  const versionOf = (path: string): string => (require(path) as { version: string }).version;
  return {
    candor: versionOf("../../../../package.json"),
    commit: values.commit ?? null,
    tfjs: versionOf("@tensorflow/tfjs-core/package.json"),
    node: process.version,
    machine: values.machine,
  };
}

/** A task a line: small, and still readable in a diff. */
function textOf({ runs, ...about }: RecordedRuns): string {
  const series = runs.map(({ tasks, ...run }) => {
    const lines = tasks.map((task) => `   ${JSON.stringify(task)}`).join(",\n");
    return `  ${JSON.stringify(run).slice(0, -1)},"tasks":[\n${lines}\n  ]}`;
  });
  return `${JSON.stringify(about).slice(0, -1)},"runs":[\n${series.join(",\n")}\n]}\n`;
}
