/** A traced run as text that a person follows with the paper in hand; numbers in brackets are rule ids. */

import { brief, counted, hangingList } from "../lib/format.js";
import { same } from "../lib/tolerance.js";
import type { Group } from "../market/market.js";
import { rulingsText } from "./ruling-text.js";
import { shareText } from "./share-text.js";
import type { RoundEvent, RulingEvent, SampleEvent, StartEvent, TraceEvent } from "./trace.js";
import { type Book, bookOf, type PublicMarket } from "./trace-book.js";

export function traceText(events: readonly TraceEvent[], known: PublicMarket): string {
  const book = bookOf(known);
  return chapters(events)
    .map((chapter, k, all) => chapterText(chapter, book, k === all.length - 1))
    .join("\n\n");
}

/** What happens at one start, in one round, or between two. */
interface Chapter {
  readonly opening: StartEvent | RoundEvent | SampleEvent | null;
  readonly rulings: RulingEvent[];
}

/** A mechanism need not announce its rounds: rulings of a new round then open a chapter of their own. */
function chapters(events: readonly TraceEvent[]): Chapter[] {
  const all: Chapter[] = [];
  for (const event of events) {
    const current = all.at(-1);
    if (event.kind !== "ruling") all.push({ opening: event, rulings: [] });
    else if (current !== undefined && roundOf(current) === event.round) current.rulings.push(event);
    else all.push({ opening: null, rulings: [event] });
  }
  return all;
}

function roundOf({ opening, rulings }: Chapter): number | undefined {
  if (opening === null) return rulings[0]?.round;
  if (opening.kind === "sample") return undefined;
  return opening.kind === "start" ? 1 : opening.round;
}

function chapterText(chapter: Chapter, book: Book, last: boolean): string {
  const { opening, rulings } = chapter;
  if (opening?.kind === "start")
    return [startText(opening, book, last), ...judgements(rulings, book)].join("\n");
  if (opening?.kind === "round") return roundText(opening, rulings, book);
  if (opening?.kind === "sample") return sampleText(opening, book);
  return [`Round ${roundOf(chapter)}`, ...judgements(rulings, book)].join("\n");
}

/** The rulings of a mechanism that does not judge group by group. */
const judgements = (rulings: readonly RulingEvent[], book: Book): string[] =>
  rulings.length === 0 ? [] : [rulingsText(rulings, book)];

function sampleText({ round, share }: SampleEvent, book: Book): string {
  const title = `After round ${round}: all who have arrived are a sample, ${brief(share.budget)} for one round [M3]`;
  return [title, ...shareText(share, "ρ*", book)].join("\n");
}

function startText(event: StartEvent, book: Book, last: boolean): string {
  const { clock, share, enough, payments } = event;
  const money = firstBudgetText(share.budget, book);
  const title = `Start at clock ${clock}: ${money} for ${counted(share.roundsBought, "round")}`;
  const lines = [`${title} [${money.startsWith("B1") ? "M5" : "M3"}]`, ...shareText(share, "ρ*", book)];
  if (!enough) return [...lines, `  ${delayText(event, last)} [M6]`].join("\n");
  const paid = payments.map(({ worker, payment }) => {
    const factors = [share.roundsBought, book.reputation.get(worker)!, share.density ?? 0]
      .map(brief)
      .join(" · ");
    return `${worker} gets ${factors} = ${brief(payment)}`;
  });
  const spent = payments.reduce((sum, { payment }) => sum + payment, 0);
  const selected = paid.length === 0 ? [] : [hangingList("  selected   ", paid)];
  return [...lines, ...selected, `  spent      ${brief(spent)}`].join("\n");
}

function firstBudgetText(budget: number, { rules }: Book): string {
  const { firstRoundRatio: ratio, budget: whole } = rules;
  return same(ratio * whole, budget)
    ? `B1 = ${brief(ratio)} · ${brief(whole)} = ${brief(budget)}`
    : brief(budget);
}

function delayText({ clock, share, minWorkers }: StartEvent, last: boolean): string {
  const next = last
    ? "there is nobody left to wait for: the task never starts"
    : `the start moves to clock ${clock + 1}`;
  return `${share.taken.length} taken, ${minWorkers} needed: nobody is selected; ${next}`;
}

function roundText(event: RoundEvent, rulings: readonly RulingEvent[], book: Book): string {
  const { round, clock, sampleBudget, shares } = event;
  const half = brief(sampleBudget / 2);
  const when = clock === round ? "" : `, clock ${clock}`;
  const lines = [`Round ${round}${when}: B' = ${sampleBudgetText(event, book)} [M7]`];
  const arrived = book.arrivals.get(clock) ?? [];
  if (arrived.length > 0) lines.push(hangingList("  arrived: ", arrived.map(String)));
  for (const g of [0, 1] as const) {
    lines.push(`  Sample of group ${g}: ${half} for one round [M3]`);
    lines.push(...shareText(shares[g], `ρ*${g}`, book).map((line) => line.replaceAll(/^/gm, "  ")));
  }
  for (const g of [0, 1] as const) lines.push(judgementText(event, g, rulings, book));
  return lines.join("\n");
}

/** B' with the numbers of [M7], where they give it. */
function sampleBudgetText({ round, sampleBudget }: RoundEvent, { rules }: Book): string {
  const { budget, rounds } = rules;
  const first = rules.firstRoundRatio * budget;
  const formula = (first + ((budget - first) * (round - 1)) / (rounds - 1)) / rounds;
  if (!same(formula, sampleBudget)) return brief(sampleBudget);
  const growth = `${brief(budget - first)} · ${round - 1}/${rounds - 1}`;
  return `(${brief(first)} + ${growth}) / ${rounds} = ${brief(sampleBudget)}`;
}

function judgementText(
  { shares, left }: RoundEvent,
  group: Group,
  rulings: readonly RulingEvent[],
  book: Book,
): string {
  const other = group === 0 ? 1 : 0;
  const { density } = shares[other];
  if (density === null) return `  Group ${group}: no threshold from group ${other}, nobody is judged [M4]`;
  const title = `  Group ${group}, judged by ρ*${other} = ${brief(density)} [M8]: ${brief(left[group])} left`;
  const own = rulings.filter((ruling) => ruling.group === group);
  return own.length === 0 ? `${title}, nobody to judge` : `${title}\n${rulingsText(own, book)}`;
}
