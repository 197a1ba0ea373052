/** What critical budgets say in words. */

import type { Finding } from "../../src/report/result.js";
import { type LieKind, lieKinds } from "../../src/verdicts/explain.js";
import { type Change, pays, type State, states } from "../shared/gains/crossings.js";
import { many, money, percent } from "../shared/gains/number-words.js";
import { crossingsAt, type Moment, moments, ofSize, payingIn, type Scanned, type whens } from "./moments.js";
import { beginTable, changeTable, momentTable } from "./tables.js";

export function findingsOf(scanned: readonly Scanned[]): Finding[] {
  const paying = scanned.filter(({ standings }) => standings.some(pays)).length;
  const first =
    paying === 0
      ? `In none of ${many(scanned.length, "market")} a lie that pays was found at any budget scanned.`
      : `In ${paying} of ${many(scanned.length, "market")} some budget makes a lie pay; ${statesText(scanned)}.`;
  return [{ text: first, weight: 48 }, ...momentText(scanned), ...changeText(scanned)];
}

const stateWords: Readonly<Record<State, string>> = {
  "late start": "where the start is late",
  "budget events": "where it is on time but some budget binds",
  neither: "where it is on time and no budget binds",
};

function statesText(scanned: readonly Scanned[]): string {
  const parts = states.flatMap((state) => {
    const { paying, points } = payingIn(scanned, state);
    return points === 0 ? [] : [`${stateWords[state]}, at ${paying} of ${points} budgets`];
  });
  return `a lie pays ${parts.join("; ")}`;
}

function momentText(scanned: readonly Scanned[]): Finding[] {
  const rows = momentTable(scanned).rows.filter(({ median }) => median !== null);
  const told = ofSize(scanned).flatMap(([size]) => {
    const at = (moment: Moment) => rows.find((row) => row.workers === size && row.moment === moment)?.median;
    const [begin, cease] = moments.map(at);
    if (begin === undefined || cease === undefined) return [];
    return [`${money(begin as number)} and ${money(cease as number)} with ${size} workers`];
  });
  if (told.length === 0) return [];
  const text = `The median relative budgets at which lies first begin and last cease to pay are ${told.join("; ")}.`;
  return [{ text, weight: 40 }];
}

function changeText(scanned: readonly Scanned[]): Finding[] {
  const rows = changeTable(scanned).rows;
  const shareAt = (when: string, change: Change) => {
    const row = rows.find((other) => other.when === when && other.change === change);
    return row ? percent(row.share as number) : null;
  };
  const changesAt = (when: (typeof whens)[number]) =>
    `the start of the truthful run moves in ${shareAt(when, "the start moves")} of markets, budget events begin or end in ${shareAt(when, "budget events begin or end")} and change in ${shareAt(when, "other budget events")}`;
  const found = (when: (typeof whens)[number]) => shareAt(when, "the start moves") !== null;
  const begin = found("first begin")
    ? [`Where lies first begin to pay, ${changesAt("first begin")}; ${beginText(scanned)}.`]
    : [];
  const cease = found("last cease") ? [`Where lies last cease to pay, ${changesAt("last cease")}.`] : [];
  return [...begin, ...cease].map((text) => ({ text, weight: 32 }));
}

/** In which state the truthful run is where lies first begin to pay, and by which lie. */
function beginText(scanned: readonly Scanned[]): string {
  const kinds = beginTable(scanned).rows;
  const late = crossingsAt(scanned, "first begin").filter(({ above }) => above.state === "late start");
  const [top] = [...kinds].sort((a, b) => (b.count as number) - (a.count as number));
  const total = kinds.reduce((sum, { count }) => sum + (count as number), 0);
  return `it is late there in ${late.length} of ${total}, and the first lie to pay is most often to ${lieKinds[top!.kind as LieKind]} (${top!.count} of ${total})`;
}
