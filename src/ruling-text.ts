/** The rulings on workers in one round, in the order they fell; those that changed nothing are gathered in a line. */

import { same } from "./compare.js";
import { brief, hangingList } from "./format.js";
import type { Ruling, RulingEvent } from "./trace.js";
import { type Book, digitsFor, edgeMark, type Show } from "./trace-book.js";

/** Rulings that change nothing. */
const idle = {
  kept: "kept [M10], promised as much already",
  spent: "not raised [M11], nothing is left",
  dear: "too dear [M8]",
} as const satisfies Partial<Record<Ruling, string>>;

const isIdle = ({ ruling, knifeEdge }: RulingEvent): boolean => ruling in idle && !knifeEdge;

export function rulingsText(rulings: readonly RulingEvent[], book: Book): string {
  const width = rulings.reduce((most, { worker }) => Math.max(most, String(worker).length), 0);
  const told = rulings.filter((event) => !isIdle(event));
  const lines = told.map((event) => `    ${String(event.worker).padStart(width)} ${sentence(event, book)}`);
  for (const [ruling, label] of Object.entries(idle)) {
    const those = rulings.filter((event) => event.ruling === ruling && isIdle(event));
    if (those.length > 0) lines.push(hangingList(`    ${label}: `, those.map(worker)));
  }
  return lines.join("\n");
}

const worker = ({ worker, density, promised }: RulingEvent): string =>
  `${worker} (${brief(promised ?? density)})`;

function sentence(event: RulingEvent, book: Book): string {
  const show = digitsFor(event);
  return `${words[event.ruling](event, costOf(event, book, show), show)}${edgeMark(event)}`;
}

type Words = (event: RulingEvent, cost: string, show: Show) => string;

const words: Record<Ruling, Words> = {
  admitted: ({ need, left, payment }, cost, show) =>
    `admitted [M9]   ${cost} ≤ ${show(left)} left: gets ${show(payment)}, ${show(left - need)} left`,
  refused: ({ left }, cost, show) => `refused [M9]    ${cost} > ${show(left)} left`,
  raised: ({ need, left, payment }, cost, show) =>
    `raised [M10]    ${cost} ≤ ${show(left)} left: ${show(payment - need)} → ${show(payment)}, ${show(left - need)} left`,
  capped: ({ left, payment }, cost, show) =>
    `capped [M10]    ${cost} > ${show(left)} left: ${show(payment - left)} → ${show(payment)}, 0 left`,
  kept: ({ threshold, promised }, _, show) =>
    `kept [M10]      promised ${show(promised ?? 0)}, offered ${show(threshold ?? 0)}`,
  spent: (_, cost) => `not raised [M11] by ${cost}: nothing is left`,
  dear: ({ density, threshold }, _, show) => `too dear [M8]   ρ = ${show(density)} > ${show(threshold ?? 0)}`,
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
