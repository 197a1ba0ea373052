/** `candor gate`: holds mechanisms to the claims written down for them, and tells what got worse from what was known. */

import { existsSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { Command } from "commander";
import * as z from "zod";
import { plainError } from "../lib/errors.js";
import { parseJson } from "../lib/json.js";
import { conforming } from "../lib/schema.js";
import { insideCritical } from "../mechanisms/index.js";
import { type GateConfig, type GateResult, judgeClaim, validateConfig } from "../verdicts/gate.js";
import { type ExtensionKind, loadExtension, splitFile } from "./extension.js";
import { type GateFormat, gateFormats } from "./gate-formats.js";
import { version } from "./program.js";
import { resolveMechanism } from "./resolve.js";
import type { Session } from "./session.js";
import { wordOption } from "./values.js";
import { readText, replaceFile } from "./witnesses.js";

interface Flags {
  readonly config?: string;
  readonly format: GateFormat;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly json?: boolean;
}

const examples = `
candor.config.ts names mechanisms, and what is expected of them:

  import { defineConfig } from "candor";

  export default defineConfig({
    mechanisms: [
      {
        mechanism: "./mine.ts",
        claims: [
          { property: "P2", expect: "holds" },
          { property: "joint", expect: "proved", shapes: ["2x2", "3x2"] },
          { property: "P6", regime: "late start", expect: "breaks" },
          { property: "P5", expect: { atMost: 0.05 } },
        ],
      },
    ],
  });

"holds" is tried on drawn markets, exactly in each where the mechanism is written as a text; a search that finds nothing is
inconclusive, and fails unless the claim says allowInconclusive: true. { atMost: 0.05 } lets a gain of 5 % of the budget
pass. A claim, or the whole file, may set markets, workers, rounds, seed, reading and maxRatio. The exit code is 1 if a
claim is not kept; with --baseline, only if it is not in that file or got worse.

Examples:
  candor gate
  candor gate --format sarif > candor.sarif
  candor gate --baseline candor.baseline.json --update-baseline`;

export function define(command: Command, session: Session): void {
  command
    .option("--config <file>", "the claims (candor.config.ts, .js or .mjs)")
    .option(
      "--format <name>",
      "text, junit, sarif or github",
      wordOption("--format", Object.keys(gateFormats)),
      "text",
    )
    .option("--baseline <file>", "what is known not to be kept: it fails only if it got worse")
    .option("--update-baseline", "write what is not kept now to the file of --baseline")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples)
    .action((flags: Flags) => run(flags, session));
}

/** A claim's result, where it is to be shown, and what the baseline makes of it. */
export interface GatedResult extends GateResult {
  /** The mechanism's file, or else the configuration, relative to the folder of the caller, with slashes. */
  readonly file: string;
  readonly seconds: number;
  /** Null without a baseline, or where nothing fails. */
  readonly known: "new" | "worse" | "known" | null;
}

/** All of it. */
export interface GateReport {
  /** The program's version. */
  readonly candor: string;
  readonly config: string;
  readonly claims: readonly GatedResult[];
  /** What is known and kept now. */
  readonly mended: readonly string[];
  /** How many claims keep the gate shut. */
  readonly failures: number;
}

async function run(flags: Flags, session: Session): Promise<void> {
  if (flags.updateBaseline && flags.baseline === undefined)
    throw plainError("--update-baseline", "needs --baseline FILE, which it writes");
  const path = configPath(flags.config);
  const config = validateConfig(await loadExtension(path, configKind), path);
  const known = flags.baseline === undefined ? null : await readBaseline(flags.baseline, flags);
  const results = await judgeAll(config, path, session);
  if (session.signal.aborted) return;
  if (flags.updateBaseline) await replaceFile(flags.baseline!, baselineText(results));
  const report = reportOf(path, results, flags.updateBaseline ? baselineOf(results) : known);
  if (report.failures > 0) session.exitCode = 1;
  const format = gateFormats[flags.format];
  session.spool.write(flags.json ? `${JSON.stringify(report)}\n` : format(report));
}

const configKind: ExtensionKind<GateConfig> = {
  noun: "gate configuration",
  required: { mechanisms: "object" },
};

const NAMES = ["candor.config.ts", "candor.config.js", "candor.config.mjs"];

function configPath(given: string | undefined): string {
  const path = given ?? NAMES.find((name) => existsSync(name));
  if (path !== undefined) return path;
  throw plainError(
    NAMES[0]!,
    "no such file: write one (candor gate --help shows it), or name it with --config",
  );
}

type Judged = Omit<GatedResult, "known">;

async function judgeAll({ mechanisms }: GateConfig, path: string, session: Session): Promise<Judged[]> {
  const all = await Promise.all(
    mechanisms.map(async ({ mechanism: written, claims }) => {
      const named = specFrom(written, path);
      return { written, named, mechanism: await resolveMechanism(named), claims };
    }),
  );
  const count = all.reduce((sum, { claims }) => sum + claims.length, 0);
  const progress = session.progress("judged");
  const results: Judged[] = [];
  for (const { claims, ...mechanism } of all)
    for (const claim of claims) {
      if (!(await session.goesOn())) return results;
      const begun = performance.now();
      const result = judgeClaim(mechanism, claim);
      const seconds = (performance.now() - begun) / 1000;
      results.push({ ...result, file: slashed(fileIn(mechanism.named) ?? path), seconds });
      progress.tick("claim", count);
    }
  return results;
}

const fileIn = (spec: string): string | null => splitFile(insideCritical(spec) ?? spec).file;

/** A file is named from where the configuration is, and found from where the caller is. */
function specFrom(spec: string, config: string): string {
  const file = fileIn(spec);
  if (file === null || isAbsolute(file)) return spec;
  return spec.replace(file, `./${slashed(relative("", resolve(dirname(config), file)))}`);
}

const slashed = (path: string): string => path.split(sep).join("/").replace(/^\.\//, "");

/** What is known not to be kept, by claim, and how bad it was. */
type Baseline = Readonly<
  Record<string, { readonly worst: number | null; readonly found?: string | undefined }>
>;

const baselineSchema = z.strictObject(
  {
    candor: z.literal("baseline", { error: '"baseline"' }),
    claims: z.record(
      z.string(),
      z.strictObject({
        worst: z.number({ error: "a number or null" }).nullable(),
        found: z.string().optional(),
      }),
      { error: "an object of claims" },
    ),
  },
  { error: "a baseline: an object with candor and claims" },
);

async function readBaseline(path: string, { updateBaseline }: Flags): Promise<Baseline> {
  const text = await readText(path);
  if (text === null && updateBaseline) return {};
  if (text === null) throw plainError(path, "no such file: --update-baseline writes it");
  return conforming(baselineSchema, parseJson(text, path), { source: path }).claims;
}

const baselineOf = (results: readonly Judged[]): Baseline =>
  Object.fromEntries(
    results.filter(({ fails }) => fails).map(({ key, worst, found }) => [key, { worst, found }]),
  );

const baselineText = (results: readonly Judged[]): string =>
  `${JSON.stringify({ candor: "baseline", claims: baselineOf(results) }, null, 2)}\n`;

function reportOf(config: string, results: readonly Judged[], baseline: Baseline | null): GateReport {
  const claims = results.map((result) => ({ ...result, known: stateOf(result, baseline) }));
  const mended = Object.keys(baseline ?? {}).filter((key) =>
    results.some((result) => result.key === key && !result.fails),
  );
  const failures = claims.filter(({ fails, known }) => fails && known !== "known").length;
  return { candor: version(), config: slashed(config), claims, mended, failures };
}

/** So much more than known is worse. */
const SLACK = 1e-6;

function stateOf({ key, fails, worst }: Judged, baseline: Baseline | null): GatedResult["known"] {
  if (!fails || baseline === null) return null;
  if (!Object.hasOwn(baseline, key)) return "new";
  const bound = baseline[key]!.worst ?? Number.POSITIVE_INFINITY;
  return (worst ?? Number.POSITIVE_INFINITY) > bound + SLACK ? "worse" : "known";
}
