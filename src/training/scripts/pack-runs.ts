/**
 * Packs what `candor train --json` printed into one module of recorded runs:
 *
 *   npm run record:pack -- --out src/training/recorded/tables-mnist.json out/mnist-online.jsonl out/mnist-rrafl.jsonl …
 *
 * A file F.jsonl may have an F.time beside it that begins with the seconds the run took.
 */

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { InputError, plainError } from "../../lib/errors.js";
import { type PrintedTask, type RecordedRuns, type RecordedSeries, seriesOf } from "../recordings.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    /** Packs no more than the first so many of each run. */
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
      "--out FILE.json RUN.jsonl…, with --tasks N, --commit ID and --machine TEXT as you like",
    );
  const read = files.map((file) => ({ file, lines: linesOf(file) })).filter(({ lines }) => lines.length > 0);
  const datasets = [...new Set(read.flatMap(({ lines }) => lines.map(({ dataset }) => dataset)))];
  if (datasets.length !== 1)
    throw plainError("runs", `must be of one data set, got ${datasets.join(", ") || "none"}`);
  const runs = read.map(({ file, lines }) => seriesOf(lines, timesOf(file), file));
  writeFileSync(values.out, textOf({ dataset: datasets[0]!, provenance: provenance(), runs }));
  return runs.map(({ command, seconds }) => `${command}: ${seconds ?? "unknown"} s`).join("\n");
}

/** A run may still go on: what follows the last end of a line is not a task yet. */
function linesOf(file: string): PrintedTask[] {
  if (!existsSync(file)) throw plainError(file, "no such file");
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1).slice(0, Number(values.tasks));
  return lines.map((line, k) => {
    try {
      return JSON.parse(line) as PrintedTask;
    } catch {
      throw plainError(`${file}:${k + 1}`, "is not JSON");
    }
  });
}

function timesOf(file: string): Pick<RecordedSeries, "finished" | "seconds"> {
  const beside = file.replace(/\.jsonl$/, ".time");
  const seconds = existsSync(beside) ? Number.parseFloat(readFileSync(beside, "utf8")) : Number.NaN;
  return {
    finished: statSync(file).mtime.toISOString().slice(0, 10),
    seconds: Number.isFinite(seconds) ? Math.round(seconds) : null,
  };
}

function provenance() {
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
