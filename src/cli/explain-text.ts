/** An explanation as text: what `explain` prints for people. */

import { brief, table } from "../lib/format.js";
import { type Account, causesText, differenceText, type Explanation, gainText } from "../verdicts/explain.js";
import type { Audit } from "../verdicts/myerson.js";
import { auditText } from "./check-text.js";

export interface SourcedExplanation {
  readonly source: string;
  /** Who chose the bid: the user, an exact method, or a search that may have missed a better one. */
  readonly chosen: "given" | "exact" | "search";
  readonly record: Explanation & { readonly mechanism: string; readonly audit: Audit | null };
}

export function explainText({ source, chosen, record }: SourcedExplanation): string {
  const { worker, mechanism, causes, audit } = record;
  const type = `cost ${brief(worker.cost)}, arrival ${worker.arrival}, reputation ${brief(worker.reputation)}`;
  const parts = [
    `${source}: worker ${worker.id} (${type}), mechanism ${mechanism}`,
    sideBySide(record),
    `${choiceText(chosen, record)}${gainText(record)}`,
  ];
  if (causes) parts.push(causesText(causes, record.gain));
  parts.push(differenceText(record));
  if (audit) parts.push(auditText(audit));
  return `${parts.join("\n\n")}\n`;
}

/** What is known of the other lies, where the best one was asked for. */
function choiceText(chosen: SourcedExplanation["chosen"], { kind }: Explanation): string {
  if (chosen === "given") return "";
  if (kind === null)
    return chosen === "exact" ? "No lie gains anything. " : "A search found no lie that gains. ";
  return chosen === "exact" ? "This is its best lie. " : "This is the best lie that a search found. ";
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
