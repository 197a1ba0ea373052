/** `candor gate`: holds mechanisms to the claims written down for them, and tells what got worse from what was known. */

import { existsSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import * as z from "zod";
import { plainError } from "../lib/errors.js";
import { counted } from "../lib/format.js";
import { jsonText, parseJson } from "../lib/json.js";
import { conforming } from "../lib/schema.js";
import { insideCritical } from "../mechanisms/index.js";
import { properties, propertyNames } from "../properties/properties.js";
import { checksumOf } from "../study/study.js";
import { meaningText } from "../verdicts/claims.js";
import { type GateConfig, type GateResult, judgeClaim, ownClaims, validateConfig } from "../verdicts/gate.js";
import { type ExtensionKind, loadExtension, splitFile } from "./extension.js";
import { readIfThere, replaceFile } from "./files.js";
import { version } from "./program.js";
import { resolveMechanism } from "./resolve.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const examples = `
candor.config.ts names mechanisms, and what is expected of them:

  import { defineConfig } from "candor";

  export default defineConfig({
    mechanisms: [
      {
        mechanism: "./mine.ts",
        claims: [
          { property: "P2", expect: "holds" },
          { property: "joint", expect: "proved", shapes: ["2x2", "3x2", "any"] },
          { property: "P6", regime: "late start", expect: "breaks" },
          { property: "P5", expect: { atMost: 0.05 } },
        ],
      },
    ],
  });

"holds" is tried on drawn markets, exactly in each where the mechanism has a program; a search that finds nothing is
inconclusive, and fails unless the claim says allowInconclusive: true. { atMost: 0.05 } lets a gain of 5 % of the budget
pass. Without claims, a mechanism is held to those in its own field claims. A claim, or the whole file, may set markets, workers, rounds, seed, reading and maxRatio. The exit code is 1 if a
claim is not kept; with --baseline, only if it is not in that file or got worse.

Examples:
  candor gate
  candor gate --format sarif > candor.sarif
  candor gate --baseline candor.baseline.json --update-baseline`;

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
  session.spool.write(flags.json ? `${jsonText(report)}\n` : format(report));
}

const configKind: ExtensionKind<GateConfig> = {
  noun: "gate configuration",
  required: {},
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

async function judgeAll(config: GateConfig, path: string, session: Session): Promise<Judged[]> {
  const all = await Promise.all(
    config.mechanisms.map(async ({ mechanism: written, claims }, k) => {
      const named = specFrom(written, path);
      const mechanism = await resolveMechanism(named, `${path}: mechanisms[${k}].mechanism`);
      const own = `${path}: mechanisms[${k}].claims`;
      const text = await (await import("./prove-any.js")).textFacts(named, mechanism);
      return { written, named, mechanism, text, claims: claims ?? ownClaims(mechanism, config, own) };
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

const knownSchema = z.strictObject({
  worst: z.number({ error: "a number or null" }).nullable(),
  found: z.string().optional(),
});

const baselineSchema = z.strictObject(
  {
    candor: z.literal("baseline", { error: '"baseline"' }),
    claims: z.record(z.string(), knownSchema, { error: "an object of claims" }),
  },
  { error: "a baseline: an object with candor and claims" },
);

async function readBaseline(path: string, { updateBaseline }: Flags): Promise<Baseline> {
  const text = await readIfThere(path);
  if (text === null && updateBaseline) return {};
  if (text === null) throw plainError(path, "no such file: --update-baseline writes it");
  const fieldsAt = (at: readonly unknown[]) =>
    Object.keys(at.length === 0 ? baselineSchema.shape : knownSchema.shape);
  return conforming(baselineSchema, parseJson(text, path), { source: path, fieldsAt }).claims;
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
const BASELINE_TOLERANCE = 1e-6;

function stateOf({ key, fails, worst }: Judged, baseline: Baseline | null): GatedResult["known"] {
  if (!fails || baseline === null) return null;
  if (!Object.hasOwn(baseline, key)) return "new";
  const bound = baseline[key]!.worst ?? Number.POSITIVE_INFINITY;
  return (worst ?? Number.POSITIVE_INFINITY) > bound + BASELINE_TOLERANCE ? "worse" : "known";
}

const labels = {
  kept: "kept",
  broken: "BROKEN",
  unbroken: "NOT BROKEN",
  inconclusive: "INCONCLUSIVE",
} as const;

/** As in "BROKEN, worse than known". */
function labelOf({ status, fails, known }: GatedResult): string {
  if (!fails) return status === "inconclusive" ? "inconclusive, which is allowed" : labels.kept;
  const more = { new: ", new", worse: ", worse than known", known: ", as known" };
  return `${labels[status]}${known === null ? "" : more[known]}`;
}

const isShut = ({ fails, known }: GatedResult): boolean => fails && known !== "known";

/** What an annotation or a test report says of a claim. */
const messageOf = (result: GatedResult): string =>
  [
    `${result.claim}: ${result.found}.`,
    ...(result.detail === null ? [] : ["", meaningText(result), "", result.detail]),
  ].join("\n");

function summaryOf({ config, claims, failures }: GateReport): string {
  const mechanisms = new Set(claims.map(({ mechanism }) => mechanism)).size;
  const known = claims.filter(({ known }) => known === "known").length;
  const kept =
    failures === 0 ? "nothing fails" : `${counted(failures, "claim")} fail${failures === 1 ? "s" : ""}`;
  const more = known === 0 ? "" : `, ${known} not kept as known`;
  return `${config}: ${counted(claims.length, "claim")} on ${counted(mechanisms, "mechanism")}: ${kept}${more}`;
}

function text(report: GateReport): string {
  const { claims, mended } = report;
  const parts = claims.map((result, k) => {
    const head =
      claims[k - 1]?.mechanism === result.mechanism ? [] : [`${k === 0 ? "" : "\n"}${result.mechanism}`];
    const shown =
      isShut(result) && result.detail !== null ? [result.detail.replace(/^(?=.)/gm, "      "), ""] : [];
    return [...head, `  ${labelOf(result)}: ${result.claim}: ${result.found}`, ...shown].join("\n");
  });
  const over = mended.map((key) => `kept now, but still in the baseline: ${key}`);
  return `${[summaryOf(report), "", ...parts, ...(over.length > 0 ? ["", ...over] : [])].join("\n")}\n`;
}

/** What XML does not take, most control characters, is left out. */
function isXml(character: string): boolean {
  const code = character.codePointAt(0)!;
  return code === 9 || code === 10 || code === 13 || (code >= 0x20 && code !== 0xfffe && code !== 0xffff);
}

const xml = (value: string): string =>
  [...value]
    .filter(isXml)
    .join("")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

function junit({ claims }: GateReport): string {
  const names = [...new Set(claims.map(({ mechanism }) => mechanism))];
  const suites = names.map((name) => {
    const own = claims.filter(({ mechanism }) => mechanism === name);
    const seconds = own.reduce((sum, one) => sum + one.seconds, 0).toFixed(3);
    const failures = own.filter(isShut).length;
    const skipped = own.filter((one) => one.fails && !isShut(one)).length;
    return `  <testsuite name="${xml(name)}" tests="${own.length}" failures="${failures}" skipped="${skipped}" errors="0" time="${seconds}">
${own.map(testCase).join("\n")}
  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="candor gate">\n${suites.join("\n")}\n</testsuites>\n`;
}

function testCase(result: GatedResult): string {
  const { mechanism, file, claim, found, fails, seconds } = result;
  const head = `    <testcase classname="${xml(mechanism)}" name="${xml(claim)}" file="${xml(file)}" time="${seconds.toFixed(3)}"`;
  if (!fails) return `${head}/>`;
  const message = `${labelOf(result)}: ${found}`;
  const inside = isShut(result)
    ? `<failure type="${result.status}" message="${xml(message)}">${xml(messageOf(result))}</failure>`
    : `<skipped message="${xml(message)}"/>`;
  return `${head}>\n      ${inside}\n    </testcase>`;
}

/** More results than these are ignored by those who read SARIF. */
const MOST_RESULTS = 5000;

function sarif({ candor, claims }: GateReport): string {
  const failing = claims
    .filter(({ fails }) => fails)
    .sort((a, b) => Number(isShut(b)) - Number(isShut(a)))
    .slice(0, MOST_RESULTS);
  const rules = propertyNames.map((property) => {
    const { name, meaning } = properties[property];
    return {
      id: ruleOf(property),
      name: name.replace(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_, letter: string) => letter.toUpperCase()),
      shortDescription: { text: `${property}: ${name}` },
      fullDescription: { text: meaning },
    };
  });
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      { tool: { driver: { name: "candor", version: candor, rules } }, results: failing.map(sarifResult) },
    ],
  };
  return `${JSON.stringify(log, null, 1)}\n`;
}

const ruleOf = (property: string): string => `candor/${property}`;

const DIGITS = 32;

function sarifResult(result: GatedResult): object {
  const baselineState = { new: "new", worse: "updated", known: "unchanged" } as const;
  return {
    ruleId: ruleOf(result.property),
    level: isShut(result) ? "error" : "note",
    message: { text: `${labelOf(result)}: ${messageOf(result)}` },
    locations: [
      { physicalLocation: { artifactLocation: { uri: encodeURI(result.file) }, region: { startLine: 1 } } },
    ],
    partialFingerprints: { "candorClaim/v1": checksumOf(result.key).slice(0, DIGITS) },
    ...(result.known !== null && { baselineState: baselineState[result.known] }),
  };
}

/** As a workflow command wants them. */
const escaped = (value: string): string =>
  value.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (value: string): string => escaped(value).replaceAll(":", "%3A").replaceAll(",", "%2C");

function github(report: GateReport): string {
  const lines = report.claims
    .filter(({ fails }) => fails)
    .map((result) => {
      const title = property(`${labelOf(result)}: ${result.property} of ${result.mechanism}`);
      const level = isShut(result) ? "error" : "notice";
      return `::${level} file=${property(result.file)},line=1,title=${title}::${escaped(messageOf(result))}`;
    });
  return `${[...lines, summaryOf(report)].join("\n")}\n`;
}

export const gateFormats = { text, junit, sarif, github } as const;

const options = {
  config: option.text("<file>", "the claims (candor.config.ts, .js or .mjs)"),
  format: option
    .word("<name>", "text, junit, sarif or github", Object.keys(gateFormats) as (keyof typeof gateFormats)[])
    .default("text"),
  baseline: option.text("<file>", "what is known not to be kept: it fails only if it got worse"),
  updateBaseline: option.flag("write what is not kept now to the file of --baseline"),
  json: { ...option.flag("print one JSON object"), conflicts: "format" },
};

type Flags = option.FlagsOf<typeof options>;

export const define = option.command({ options, help: examples }, run);
