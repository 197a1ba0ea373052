/** An explanation as text: what `explain` prints for people. */

import type { Audit } from "../audit.js";
import type { Causes } from "../causes.js";
import { type Account, type Decision, type Difference, type Explanation, lieKinds } from "../explain.js";
import { brief, table } from "../format.js";
import type { Market } from "../market.js";
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

function gainText({ gain, kind, truth, lie }: Explanation): string {
  if (truth.bid.price === lie.bid.price && truth.bid.arrival === lie.bid.arrival)
    return "This is the truth: no lie gains more.";
  if (kind === null) return gain < 0 ? `The lie costs ${brief(-gain)}.` : "The lie gains nothing.";
  return `The lie gains ${brief(gain)}. Kind: ${lieKinds[kind]}.`;
}

function causesText({ rounds, price, budget, start }: Causes, gain: number): string {
  const lines: [number, string][] = [
    [rounds, "rounds won or given up, at their price less the cost"],
    [price, "a better or worse price for the rounds worked either way"],
    [budget, "money: what the budget kept from the truth, less what it kept from the lie"],
    [start, "the start moved"],
    [gain, "in all"],
  ];
  const amounts = table([
    { head: "Where it comes from", cells: lines.map(([amount]) => signed(amount)) },
  ]).split("\n");
  return amounts.map((row, k) => (k === 0 ? row.trimStart() : `${row}  ${lines[k - 1]![1]}`)).join("\n");
}

/** Rounding noise is no cause. */
function signed(amount: number): string {
  const text = brief(Math.abs(amount) < 1e-12 ? 0 : amount);
  return amount > 0 && text !== "0" ? `+${text}` : text;
}

function differenceText(difference: Difference | null): string {
  if (!difference) return "Every decision about the start and about its group is the same in both runs.";
  const { truth, lie, clock } = difference;
  return [
    `The first decision that differs, at clock ${clock}:`,
    `  truth: ${truth ? decisionText(truth) : "not taken at all"}`,
    `  lie:   ${lie ? decisionText(lie) : "not taken at all"}`,
  ].join("\n");
}

function decisionText(decision: Decision): string {
  if (decision.kind === "start") {
    const { share, enough, minWorkers } = decision;
    const taken = share.taken.length === 0 ? "nobody" : share.taken.join(", ");
    const next = share.next
      ? `; ${share.next.worker} is not (${brief(share.next.cost)} > ${brief(share.budget)})`
      : "";
    const outcome = enough ? `ρ* = ${brief(share.density ?? 0)}` : `${minWorkers} needed, the start moves`;
    return `the first step takes ${taken}${next}; ${outcome}`;
  }
  const { ruling, worker, round, density, threshold, need, left, payment } = decision;
  const numbers: Record<typeof ruling, string> = {
    dear: `too dear, ${brief(density)} > ${shown(threshold)}`,
    admitted: `admitted, ${brief(need)} ≤ ${brief(left)} left`,
    refused: `refused, ${brief(need)} > ${brief(left)} left`,
    raised: `raised by ${brief(need)} ≤ ${brief(left)} left`,
    capped: `raised by the ${brief(left)} left instead of ${brief(need)}`,
    kept: `kept, ρ* = ${shown(threshold)} is no more than it has`,
    spent: "not raised, nothing is left",
  };
  return `round ${round}: worker ${worker} ${numbers[ruling]}; paid ${brief(payment)}`;
}

const shown = (density: number | null): string => (density === null ? "–" : brief(density));
