/** `candor ledger`: the paper's claims in its words, with verdicts and evidence. */

import { type Ledger, type LedgerEntry, type LedgerSlip, paperLedger } from "../../analyses/shared/ledger.js";
import { unknownName } from "../lib/errors.js";
import { brief, columnOf, table } from "../lib/format.js";
import { jsonText } from "../lib/json.js";
import { replayCommand } from "../verdicts/explain.js";
import { paperClaims } from "../verdicts/ledger/claims.js";
import { choicesText } from "../verdicts/ledger/readings.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const examples = `
Every claim of the paper that can be checked: its theorems, the sentences of their proofs, and what it says of experiments and of
other auctions. Verdicts are worked out when the command runs, which takes about half a minute. "breaks" comes with a market that
exact fractions confirm, and with the sentences of the paper that are not true in it; "none found" and "agrees in the sample" say how
much was looked at. Where the paper makes a condition, such as a sufficient budget, nothing outside of it counts against it. The exit
code is 0 whatever the verdicts are.

Examples:
  candor ledger
  candor ledger --claim T6
  candor ledger --json`;

const options = {
  claim: option.text("<id>", "this claim and the sentences of its proof only, as in T5 or T5.2"),
  seed: option.text("<s>", "fixes what is drawn").default("1"),
  json: option.flag("print one JSON object"),
};

type Flags = option.FlagsOf<typeof options>;

export const define = option.command({ options, help: examples }, run);

async function run({ claim, seed, json }: Flags, session: Session): Promise<void> {
  const wanted = chosenBy(claim);
  const progress = session.progress("ledger");
  session.listens();
  const ledger = await paperLedger(seed, () => {
    progress.tick("part");
    return session.goesOn();
  });
  if (ledger === null) return;
  const shown = { ...ledger, entries: ledger.entries.filter(wanted) };
  if (json) session.spool.write(`${jsonText(shown)}\n`);
  else session.spool.write(ledgerText(shown, claim === undefined));
}

/** A claim, and of a theorem the sentences of its proof. */
function chosenBy(claim: string | undefined): (entry: LedgerEntry) => boolean {
  if (claim === undefined) return () => true;
  const ids = paperClaims.map(({ id }) => id);
  if (!ids.includes(claim)) throw unknownName("--claim", claim, { noun: "claim", names: ids });
  return ({ id }) => id === claim || id.startsWith(`${claim}.`);
}

const INDENT = "    ";

function ledgerText({ entries, slips }: Ledger, whole: boolean): string {
  const parts = [summaryTable(entries), ...entries.map(entryText)];
  if (whole)
    parts.push(
      "Slips: where the paper says two things, or something else than it means",
      ...slips.map(slipText),
    );
  return `${parts.join("\n\n")}\n`;
}

function summaryTable(entries: readonly LedgerEntry[]): string {
  const widest = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
  const left = (head: string, cell: (entry: LedgerEntry) => string) => {
    const width = widest([head, ...entries.map(cell)]);
    return columnOf(entries)(head.padEnd(width), (entry) => cell(entry).padEnd(width));
  };
  return table([
    left("claim", ({ id }) => id),
    left("where", ({ where }) => where),
    left("verdict", ({ verdict }) => verdict),
    left("how", ({ how }) => how),
    left("changes with a reading", ({ changes }) => (changes.length > 0 ? "yes" : "")),
  ]);
}

function entryText(entry: LedgerEntry): string {
  const { id, where, words, asks, within, verdict, how, evidence, witness, changes, command } = entry;
  return [
    `${id}  ${where}: “${words}”`,
    `${INDENT}Looked at: ${asks}`,
    ...(within === null ? [] : [`${INDENT}Claimed for ${within}; all else is outside the claim.`]),
    `${INDENT}${verdict} (${how}): ${evidence}.`,
    ...witnessLines(witness),
    ...changedLines(changes),
    `${INDENT}See: ${command}`,
  ].join("\n");
}

/** Readings with the same verdict on one line. */
function changedLines(changes: LedgerEntry["changes"]): string[] {
  const verdicts = [...new Set(changes.map(({ verdict }) => verdict))];
  return verdicts.map((verdict) => {
    const same = changes.filter((one) => one.verdict === verdict);
    const read = choicesText(same.filter(({ aboveHalf }) => !aboveHalf).map(({ reading }) => reading));
    const high = same.filter(({ aboveHalf }) => aboveHalf).map(({ under }) => under);
    return `${INDENT}Read otherwise: ${verdict} with ${[...read, ...high].join("; or ")}.`;
  });
}

function witnessLines(witness: LedgerEntry["witness"]): string[] {
  if (witness === null) return [];
  const { market, lie, worker, amount, contradicts } = witness;
  const size = amount === null ? "" : `, by ${brief(amount)} of a budget of ${brief(market.rules.budget)}`;
  const who = worker === null ? "" : ` of worker ${worker}`;
  const contradicted =
    contradicts.length === 0 ? "" : ` Sentences not true in it: ${contradicts.join(", ")}.`;
  const replay = replayCommand({ source: "stdin:1", market, lie, mechanism: "online" });
  return [
    `${INDENT}Witness${who}${size}, confirmed in exact fractions.${contradicted}`,
    `${INDENT}replay: ${replay}`,
  ];
}

function slipText({ id, where, words, againstWords, about, differs }: LedgerSlip): string {
  return [
    `${id}  ${where}: “${words}”`,
    ...(againstWords === null ? [] : [`${INDENT}Against: “${againstWords}”`]),
    `${INDENT}${about}`,
    ...(differs === null ? [] : [`${INDENT}${differs}.`]),
  ].join("\n");
}
