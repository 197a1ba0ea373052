/** An explanation as text: what `explain` prints for people. */

import { brief, table } from "../lib/format.js";
import type { Market } from "../market/market.js";
import type { Account, Explanation } from "../verdicts/explain.js";
import type { Audit } from "../verdicts/myerson.js";
import { causesText, differenceText, gainText } from "../verdicts/reason-text.js";
import { auditText } from "./check-text.js";

export interface SourcedExplanation {
  readonly source: string;
  readonly market: Market;
  readonly record: Explanation & { readonly mechanism: string; readonly audit: Audit | null };
}

export function explainText({ source, record }: SourcedExplanation): string {
  const { worker, mechanism, causes, difference, audit } = record;
  const type = `cost ${brief(worker.cost)}, arrival ${worker.arrival}, reputation ${brief(worker.reputation)}`;
  const parts = [
    `${source}: worker ${worker.id} (${type}), mechanism ${mechanism}`,
    sideBySide(record),
    gainText(record),
  ];
  if (causes) parts.push(causesText(causes, record.gain));
  parts.push(differenceText(difference));
  if (audit) parts.push(auditText(audit));
  return `${parts.join("\n\n")}\n`;
}

function sideBySide({ truth, lie }: Explanation): string {
  const rows: [string, (account: Account) => string][] = [
    ["price", ({ bid }) => String(bid.price)],
    ["arrival", ({ bid }) => String(bid.arrival)],
    ["start", ({ startDelay }) => startText(startDelay)],
    ["selected in round", ({ selectedAt }) => String(selectedAt ?? "never")],
    ["rounds worked", ({ rounds }) => String(rounds)],
    ["payment", ({ payment }) => brief(payment)],
    ["utility", ({ utility }) => brief(utility)],
  ];
  return table([
    { head: "", cells: rows.map(([name]) => name) },
    { head: "truth", cells: rows.map(([, cell]) => cell(truth)) },
    { head: "lie", cells: rows.map(([, cell]) => cell(lie)) },
  ]);
}

const startText = (delay: number | null): string =>
  delay === null ? "never" : delay === 0 ? "on time" : `${delay} late`;
