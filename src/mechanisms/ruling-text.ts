/** The rulings on workers in one round, in the order they fell; those that changed nothing are gathered in a line. */

import { brief, hangingList } from "../lib/format.js";
import { same } from "../lib/tolerance.js";
import type { Ruling, RulingEvent } from "./trace.js";
import { type Book, digitsFor, edgeMark, type Show } from "./trace-book.js";

/** Rulings that change nothing, and what is said of all of them at once. */
const idle: Partial<Record<Ruling, string>> = {
  kept: "promised as much already",
  denied: "denied a raise, for nothing is left",
  dear: "too dear",
};

const isIdle = (event: RulingEvent): boolean =>
  event.ruling in idle && (!event.knifeEdge || isByDesign(event));

/** The very threshold it has, or a group that a cap has left with exactly nothing: such ties need no line. */
const isByDesign = ({ ruling, threshold, promised, left }: RulingEvent): boolean =>
  (ruling === "kept" && threshold === promised) || (ruling === "denied" && left === 0);

export function rulingsText(rulings: readonly RulingEvent[], book: Book): string {
  const width = rulings.reduce((most, { worker }) => Math.max(most, String(worker).length), 0);
  const told = rulings.filter((event) => !isIdle(event));
  const lines = told.map((event) => `    ${String(event.worker).padStart(width)} ${sentence(event, book)}`);
  for (const [ruling, label] of Object.entries(idle)) {
    const those = rulings.filter((event) => event.ruling === ruling && isIdle(event));
    if (those.length > 0) lines.push(hangingList(`    ${label}${cite(those[0]!)}: `, those.map(worker)));
  }
  return lines.join("\n");
}

/** The rule behind a ruling; only groups that judge each other follow these. */
const cite = ({ ruling, group }: RulingEvent): string => (group === null ? "" : ` [${rules[ruling]}]`);

const rules: Record<Ruling, string> = {
  admitted: "M9",
  refused: "M9",
  raised: "M10",
  capped: "M10",
  kept: "M10",
  denied: "M10",
  dear: "M8",
};

const worker = ({ worker, ruling, density, promised }: RulingEvent): string =>
  `${worker} (${brief(ruling === "dear" ? density : (promised ?? density))})`;

const verdicts: Partial<Record<Ruling, string>> = { dear: "too dear" };

function sentence(event: RulingEvent, book: Book): string {
  const show = digitsFor(event);
  const verdict = `${verdicts[event.ruling] ?? event.ruling}${cite(event)}`;
  const reasons = words[event.ruling](event, costOf(event, book, show), show);
  return `${verdict.padEnd(14)}  ${offer(event)}${reasons}${edgeMark(event)}`;
}

/** On a knife edge the comparison of density and threshold is told too: it may be what hangs. */
function offer({ knifeEdge, ruling, density, threshold }: RulingEvent): string {
  if (!knifeEdge || ruling === "dear" || threshold === null) return "";
  return `ρ = ${density}, offered ${threshold}; `;
}

type Words = (event: RulingEvent, cost: string, show: Show) => string;

const words: Record<Ruling, Words> = {
  admitted: ({ need, left, payment }, cost, show) =>
    `${cost} ≤ ${show(left)} left: gets ${show(payment)}, ${show(left - need)} left`,
  refused: ({ left }, cost, show) => `${cost} > ${show(left)} left`,
  raised: ({ need, left, payment }, cost, show) =>
    `${cost} ≤ ${show(left)} left: ${show(payment - need)} → ${show(payment)}, ${show(left - need)} left`,
  capped: ({ left, payment }, cost, show) =>
    `${cost} > ${show(left)} left: ${show(payment - left)} → ${show(payment)}, 0 left`,
  kept: ({ promised }, _, show) => `promised ${show(promised ?? 0)}`,
  denied: (_, cost) => `a raise of ${cost}, for nothing is left`,
  dear: ({ density, threshold }, _, show) => `ρ = ${show(density)}, offered ${show(threshold ?? 0)}`,
};

/** What the ruling is about to cost, with its factors where the rule of [M9] or [M10] gives them. */
function costOf({ worker, round, threshold, promised, need }: RulingEvent, book: Book, show: Show): string {
  const rounds = book.rules.rounds - round + 1;
  const reputation = book.reputation.get(worker) ?? Number.NaN;
  if (threshold === null || !same(rounds * reputation * (threshold - (promised ?? 0)), need))
    return show(need);
  if (promised === null) return `${rounds} · ${show(reputation)} · ${show(threshold)} = ${show(need)}`;
  return `(${show(threshold)} − ${show(promised)}) · ${show(reputation)} · ${rounds} = ${show(need)}`;
}
