/** What critical budgets say in words. */

import { many, percent, threeDigits } from "../../src/lib/format.js";
import type { Finding } from "../../src/report/result.js";
import { type LieKind, lieKinds } from "../../src/verdicts/explain.js";
import { type Change, pays, type State, states } from "../shared/gains/crossings.js";
import { crossingsAt, type Moment, moments, ofSize, payingIn, type Scanned, type whens } from "./moments.js";
import { beginTable, changeTable, momentTable } from "./tables.js";

export function findingsOf(scanned: readonly Scanned[], exact: boolean): Finding[] {
  const paying = scanned.filter(({ standings }) => standings.some(pays)).length;
  const first =
    paying === 0
      ? `In none of ${many(scanned.length, "market")} ${exact ? "does a lie pay" : "was a lie that pays found"} at any budget scanned.`
      : `In ${paying} of ${many(scanned.length, "market")} some budget makes a lie pay; ${statesText(scanned, exact)}.`;
  return [{ text: first, weight: 48 }, ...momentText(scanned, exact), ...changeText(scanned, exact)];
}

const stateWords: Readonly<Record<State, string>> = {
  "late start": "where the start is late",
  "budget events": "where it is on time but some budget binds",
  neither: "where it is on time and no budget binds",
};

function statesText(scanned: readonly Scanned[], exact: boolean): string {
  const parts = states.flatMap((state) => {
    const counts = payingIn(scanned, state);
    return counts ? [`${stateWords[state]}, at ${counts.hits} of ${counts.size} budgets`] : [];
  });
  return `a lie ${exact ? "pays" : "was found to pay"} ${parts.join("; ")}`;
}

function momentText(scanned: readonly Scanned[], exact: boolean): Finding[] {
  const rows = momentTable(scanned).rows.filter(({ median }) => median !== null);
  const told = ofSize(scanned).flatMap(([size]) => {
    const at = (moment: Moment) => rows.find((row) => row.workers === size && row.moment === moment)?.median;
    const [begin, cease] = moments.map(at);
    if (begin === undefined || cease === undefined) return [];
    return [`${threeDigits(begin as number)} and ${threeDigits(cease as number)} with ${size} workers`];
  });
  if (told.length === 0) return [];
  const text = `The median relative budgets at which lies ${exact ? "" : "were found to "}first begin and last cease to pay are ${told.join("; ")}.`;
  return [{ text, weight: 40 }];
}

function changeText(scanned: readonly Scanned[], exact: boolean): Finding[] {
  const rows = changeTable(scanned, exact).rows;
  const shareAt = (when: string, change: Change) => {
    const row = rows.find((other) => other.when === when && other.change === change);
    return row ? percent(row.share as number) : null;
  };
  const changesAt = (when: (typeof whens)[number]) =>
    `the start of the truthful run moves in ${shareAt(when, "the start moves")} of markets, budget events begin or end in ${shareAt(when, "budget events begin or end")} and change in ${shareAt(when, "other budget events")}`;
  const found = (when: (typeof whens)[number]) => shareAt(when, "the start moves") !== null;
  const were = exact ? "" : "were found to ";
  const begin = found("first begin")
    ? [`Where lies ${were}first begin to pay, ${changesAt("first begin")}; ${beginText(scanned, exact)}.`]
    : [];
  const cease = found("last cease")
    ? [`Where lies ${were}last cease to pay, ${changesAt("last cease")}.`]
    : [];
  return [...begin, ...cease].map((text) => ({ text, weight: 32 }));
}

/** In which state the truthful run is where lies first begin to pay, and by which lie. */
function beginText(scanned: readonly Scanned[], exact: boolean): string {
  const kinds = beginTable(scanned, exact).rows;
  const late = crossingsAt(scanned, "first begin").filter(({ above }) => above.state === "late start");
  const [top] = [...kinds].sort((a, b) => (b.count as number) - (a.count as number));
  const total = kinds.reduce((sum, { count }) => sum + (count as number), 0);
  return `it is late there in ${late.length} of ${total}, and the first lie ${exact ? "" : "found "}to pay is most often to ${lieKinds[top!.kind as LieKind]} (${top!.count} of ${total})`;
}
