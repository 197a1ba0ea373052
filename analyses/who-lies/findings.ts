/** What is said in words of who lies. */

import type { Finding, Row } from "../../src/analysis.js";
import type { Causes } from "../../src/causes.js";
import { regimes } from "../../src/regime.js";
import { quantile } from "../../src/survey/over-markets.js";
import { listed, many, money, percent, whole } from "../../src/survey/words.js";
import { causeWords, gainsOf, inRegime, kinds, type Liar, type Person, signed, total } from "./people.js";
import { bandTable, causeRows, kindTable } from "./tables.js";

export function findingsOf(people: readonly Person[], liars: readonly Liar[], exact: boolean): Finding[] {
  const bound = exact ? "" : " Lies were searched: all this is a lower bound.";
  return [
    { text: `${whoText(people, liars)}${bound}`, weight: 32 },
    ...bandText(people, liars),
    ...kindText(liars),
    ...causeText(liars),
  ];
}

export function whoText(people: readonly Person[], liars: readonly Liar[]): string {
  if (liars.length === 0) return `Of ${many(people.length, "worker")} none has a lie that pays.`;
  const others = people.filter(({ lie }) => !lie);
  const median = (group: readonly Person[], trait: "reputation" | "density") =>
    money(
      quantile(
        group.map((person) => person[trait]),
        0.5,
      ),
    );
  const has = liars.length === 1 ? "has" : "have";
  return `Of ${many(people.length, "worker")} ${whole(liars.length)} ${has} a lie that pays; their median reputation is ${median(liars, "reputation")} (others ${median(others, "reputation")}), their median density ${median(liars, "density")} (others ${median(others, "density")}).`;
}

/** The lowest and the highest band of reputations. */
function bandText(people: readonly Person[], liars: readonly Liar[]): Finding[] {
  const rows = bandTable(people).rows.filter(({ regime }) => regime === "all");
  const [low, high] = [rows[0], rows.at(-1)];
  if (liars.length === 0 || !low || !high || low === high) return [];
  const told = ({ from, to, share }: Row) =>
    `${percent(share as number)} with a reputation from ${from} to ${to}`;
  const shares = rows.map(({ share }) => share as number);
  const steady = shares.every((share, k) => k === 0 || share >= shares[k - 1]!);
  const how = steady ? "; the share never falls from one band of reputations to the next" : "";
  return [{ text: `A lie pays for ${told(low)} and for ${told(high)}${how}.`, weight: 40 }];
}

function kindText(liars: readonly Liar[]): Finding[] {
  const rows = kindTable(liars).rows.filter(({ regime }) => regime === "all");
  if (rows.length === 0) return [];
  const ranked = [...rows].sort((a, b) => (b.part as number) - (a.part as number));
  const told = ranked.map(
    ({ kind, count, part, maxGain }) =>
      `${kind} (${many(count as number, "worker")}, ${percent(part as number)} of all that is gained, at most ${money(maxGain as number)})`,
  );
  const never = kinds.filter((kind) => !rows.some((row) => row.kind === kind));
  const rest = never.length === 0 ? "" : ` Never best: ${listed(never)}.`;
  return [{ text: `By what they bring in all, the lies are ${listed(told)}.${rest}`, weight: 40 }];
}

function causeText(liars: readonly Liar[]): Finding[] {
  const told = regimes.flatMap((regime) => {
    const there = inRegime(liars, regime);
    const rows = causeRows(there);
    if (rows.length === 0) return [];
    const part = (name: keyof Causes) => rows.find(({ cause }) => cause === causeWords[name])!.sum as number;
    const gained = money(total(gainsOf(there)));
    return [
      `${regime} ${gained} (${signed(part("budget"))} from the budget's limits, ${signed(part("start"))} from moving the start, ${signed(part("rounds") + part("price"))} from rounds and prices themselves)`,
    ];
  });
  return told.length === 0
    ? []
    : [{ text: `All gains added up, by regime: ${told.join("; ")}.`, weight: 40 }];
}
