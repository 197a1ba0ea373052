/** What `candor gate` prints: for people, for test reports (JUnit), for code scanning (SARIF), and as GitHub annotations. */

import { counted } from "../lib/format.js";
import { checksumOf } from "../study/study.js";
import { meaningText } from "../verdicts/claims.js";
import { claims as properties } from "../verdicts/properties.js";
import type { GatedResult, GateReport } from "./gate.js";

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
  const over = mended.map((key) => `kept now, and in the baseline still: ${key}`);
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
  const rules = Object.entries(properties).map(([name, { name: title, meaning }]) => ({
    id: ruleOf(name),
    name: title.replace(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: `${name}: ${title}` },
    fullDescription: { text: meaning },
  }));
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

export type GateFormat = keyof typeof gateFormats;
