/** A proportional share ([M3]) in words. */

import { hangingList } from "../lib/format.js";
import type { Share } from "./trace.js";
import { type Book, digitsFor, edgeMark, type Show } from "./trace-book.js";

/** Who is taken, who is not, and which of the two terms sets the density. */
export function shareText(share: Share, name: string, book: Book): string[] {
  if (share.pool.length === 0) return ["  nobody has arrived"];
  const show = digitsFor(share);
  const shown = (id: number) => `${id} (${show(book.density.get(id)!)})`;
  const lines: string[] = [];
  if (share.taken.length > 0) {
    lines.push(
      hangingList("  taken      ", share.taken.map(shown)),
      `             ${lastTaken(share, book, show)}`,
    );
  }
  if (share.next !== null) {
    lines.push(hangingList("  not taken  ", share.pool.slice(share.taken.length).map(shown)));
    lines.push(`             ${firstNotTaken(share, share.next, book, show)}`);
  }
  return [...lines, `  ${name.padEnd(11)}${densityText(share, show)}${edgeMark(share)}`];
}

const bought = ({ roundsBought }: Share): string => (roundsBought === 1 ? "" : `${roundsBought} · `);

function lastTaken(share: Share, book: Book, show: Show): string {
  const id = share.taken.at(-1)!;
  const density = book.density.get(id)!;
  const cost = share.roundsBought * density * share.reputation;
  const sum = show(share.reputation);
  return `Σ Re = ${sum}; the last is ${id}: ${bought(share)}${show(density)} · ${sum} = ${show(cost)} ≤ ${show(share.budget)}`;
}

function firstNotTaken(share: Share, next: NonNullable<Share["next"]>, book: Book, show: Show): string {
  const re = show(book.reputation.get(next.worker)!);
  const sum = share.taken.length === 0 ? re : `(${re} + ${show(share.reputation)})`;
  return `the first is ${next.worker}: ${bought(share)}${show(next.density)} · ${sum} = ${show(next.cost)} > ${show(share.budget)}`;
}

function densityText(share: Share, show: Show): string {
  const { byBudget, next, density } = share;
  const budgetTerm =
    byBudget === null ? null : `${show(share.budget)} / ${weight(share, show)} = ${show(byBudget)}`;
  const loserTerm = next === null ? null : `ρ of ${next.worker} = ${show(next.density)}`;
  if (budgetTerm === null || loserTerm === null) return budgetTerm ?? `${loserTerm}, for nobody is taken`;
  const setter = byBudget! < next!.density ? "the budget" : `worker ${next!.worker}`;
  return `min(${budgetTerm}, ${loserTerm}) = ${show(density!)}, set by ${setter}`;
}

const weight = (share: Share, show: Show): string =>
  share.roundsBought === 1 ? show(share.reputation) : `(${bought(share)}${show(share.reputation)})`;
