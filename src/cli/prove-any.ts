/** `candor prove --workers any`: claims for any number of workers, and of rounds. */

import type { AnyMechanism } from "../auction/mechanism.js";
import { regimes } from "../auction/outcome.js";
import { isUsers } from "../auction/program.js";
import { plainError } from "../lib/errors.js";
import { columnOf, listed, table } from "../lib/format.js";
import { exactly } from "../lib/fraction.js";
import { paperRules } from "../market/market.js";
import { flawOf } from "../proofs/any/text.js";
import { isProvable } from "../proofs/shape.js";
import {
  type AnyRecord,
  type AnyVerdict,
  mergedVerdicts,
  settleForAny,
  type TextFacts,
} from "../verdicts/any-number.js";
import { splitFile } from "./extension.js";
import { readText } from "./files.js";
import { type Flags, shownText, USUAL, witnessJson } from "./prove.js";
import { resolveMechanism } from "./resolve.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

/** What is about a shape of so many workers. */
const OF_SHAPES = [
  "shapes",
  "reputations",
  "ids",
  "arrivals",
  "pairs",
  "certificate",
  "redis",
  "resume",
] as const;

export async function proveAny(flags: Flags, session: Session): Promise<void> {
  for (const name of OF_SHAPES)
    if (flags[name] !== undefined)
      throw plainError(`--${name}`, "is for a number of workers, not for --workers any");
  const rounds = option.required(flags.rounds, "--rounds", "an integer ≥ 1, or any");
  const spec = flags.mechanism ?? USUAL;
  const mechanism = await resolveMechanism(spec);
  if (!isProvable(mechanism))
    throw plainError(
      "--mechanism",
      `${mechanism.name} has no program that pays as it says: nothing can be proved`,
    );
  const { ratio = exactly(paperRules.firstRoundRatio), minWorkers, reading } = flags;
  const { firstStep = paperRules.firstStep, delay = paperRules.delay } = flags;
  const rules = { firstRoundRatio: ratio, minWorkers, reading, firstStep, delay };
  const record = settleForAny({ mechanism, rounds, ...rules, ...(await textFacts(spec, mechanism)) });
  if (record.verdicts.some(({ verdict }) => verdict === "breaks")) session.exitCode = 1;
  if (flags.smt2 !== undefined) {
    const { smtFilesOfAny, writeSmtFiles } = await import("./smt-files.js");
    const about = `claims of ${spec} for any number of workers and rounds`;
    await writeSmtFiles(flags.smt2, smtFilesOfAny(record), about);
  }
  session.spool.write(flags.json ? `${JSON.stringify(recordJson(record))}\n` : recordText(record, spec));
}

/** What is known of the text of a user's program; those of the house are looked at by tests. */
export async function textFacts(spec: string, mechanism: AnyMechanism): Promise<TextFacts> {
  const { file } = splitFile(spec);
  const { mechanism: plain = mechanism } = mechanism.variantOf ?? {};
  if (file === null || !isUsers(plain)) return { flaw: null, textKnown: !isUsers(plain) };
  const flaw = flawOf(await readText(file));
  if (flaw === null) return { flaw: null, textKnown: true };
  const { line, what } = flaw;
  const name = file.split(/[\\/]/).at(-1);
  return {
    flaw: `its text may keep or count something of its own, or tell arithmetics apart: ${what} (${name}:${line})`,
    textKnown: true,
  };
}

export function recordJson({ shape, rules, verdicts }: AnyRecord) {
  const { firstRoundRatio, ...fixed } = rules;
  return {
    mechanism: shape.mechanism.name,
    workers: "any",
    rounds: shape.rounds,
    firstRoundRatio: firstRoundRatio?.toFraction() ?? "any",
    ...fixed,
    claims: verdicts.map(verdictJson),
  };
}

function verdictJson({ property, regime, start, verdict, given, why, broken }: AnyVerdict) {
  const proved = verdict === "proved" || verdict === "proved, given";
  return {
    property,
    regime,
    ...(start !== null && { start }),
    verdict,
    ...(given.length > 0 && { given }),
    ...(why !== null && { why }),
    ...(proved && { worst: "0" }),
    ...(broken && {
      worst: broken.claim.worst,
      attained: broken.claim.attained,
      witness: witnessJson(broken.claim.witness!),
    }),
  };
}

function recordText(record: AnyRecord, named: string): string {
  const { verdicts, shape } = record;
  const { firstRoundRatio, minWorkers, reading, firstStep, delay } = record.rules;
  const rounds = shape.rounds === "any" ? "any number of rounds" : `${shape.rounds} rounds`;
  const head = [
    `For any number of workers and ${rounds}, all reputations, costs, arrivals and budgets above 0`,
    `(mechanism ${named}, first-round ratio ${firstRoundRatio?.toFraction() ?? "any"}, at least ${minWorkers} to start, order ${reading},`,
    `first step ${firstStep}, delay ${delay}):`,
  ].join("\n");
  const given = [...new Set(verdicts.flatMap((one) => one.given))];
  const missing = [
    ...new Set(verdicts.flatMap(({ verdict, why }) => (verdict === "not proved" ? [why!] : []))),
  ];
  const notes = [
    ...given.map((statement, k) => `[${k + 1}] ${statement}`),
    ...missing.map((why, k) => `[${letter(k)}] not proved: ${why}.`),
  ];
  const broken = brokenTexts(verdicts, named);
  return `${[head, verdictTable(verdicts, given, missing), ...(notes.length > 0 ? [notes.join("\n")] : []), ...broken].join("\n\n")}\n`;
}

const letter = (k: number): string => String.fromCharCode(97 + k);

/** Each market once, with all that it breaks. */
function brokenTexts(verdicts: readonly AnyVerdict[], named: string): string[] {
  const texts = new Map<string, string[]>();
  for (const { property, regime, start, broken } of verdicts) {
    if (broken === null) continue;
    const text = shownText(broken.shape, broken.claim, named);
    const names = texts.get(text) ?? [];
    texts.set(text, [...names, [property, regime, ...(start === null ? [] : [`start ${start}`])].join(", ")]);
  }
  return [...texts].map(([text, names]) => `${names.join("; ")}:\n${text}`);
}

/** One row for all that has the same verdict for the same reason. */
function verdictTable(
  verdicts: readonly AnyVerdict[],
  given: readonly string[],
  missing: readonly string[],
): string {
  const noteOf = (one: AnyVerdict): string => {
    if (one.verdict === "not proved") return `[${letter(missing.indexOf(one.why!))}]`;
    if (one.broken === null)
      return one.given.map((statement) => `[${given.indexOf(statement) + 1}]`).join(" ");
    const { worst } = one.broken.claim;
    return worst === "unbounded" ? "no bound" : `worst ${worst} of the budget`;
  };
  const merged = mergedVerdicts(verdicts, noteOf);
  const column = columnOf(merged);
  return table([
    column("property", ({ properties }) => listed(properties)),
    column("regime", (row) => (row.regimes.length === regimes.length ? "any" : listed(row.regimes))),
    column("start", ({ starts }) => (starts.length === 3 ? "any" : listed(starts))),
    column("verdict", ({ verdict }) => verdict),
    column("", ({ note }) => note),
  ]);
}
