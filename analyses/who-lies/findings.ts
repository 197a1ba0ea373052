/** What is said in words of who lies. */

import { quantileFrom } from "../../src/lib/sketch.js";
import { regimes } from "../../src/mechanisms/regime.js";
import type { Finding, Row } from "../../src/report/result.js";
import type { Causes } from "../../src/verdicts/causes.js";
import { listed, many, money, percent, whole } from "../shared/gains/number-words.js";
import { causeWords, kinds, signed, total } from "./people.js";
import type { Group, WhoSummary } from "./summary.js";
import { allTold, bandTable, causeRows, kindTable } from "./tables.js";

export function findingsOf(who: WhoSummary, exact: boolean): Finding[] {
  const bound = exact ? "" : " Lies were searched: all this is a lower bound.";
  return [
    { text: `${whoText(who)}${bound}`, weight: 32 },
    ...bandText(who),
    ...kindText(who),
    ...causeText(who),
  ];
}

export function whoText({ seen, gained, traits }: WhoSummary): string {
  if (gained === 0) return `Of ${many(seen, "worker")} none has a lie that pays.`;
  const median = (group: Group, trait: "reputation" | "density") =>
    Number(quantileFrom(traits[group][trait], 0.5).toPrecision(2));
  const has = gained === 1 ? "has" : "have";
  return `Of ${many(seen, "worker")} ${whole(gained)} ${has} a lie that pays; their median reputation is ${median("gaining", "reputation")} (others ${median("others", "reputation")}), their median density ${median("gaining", "density")} (others ${median("others", "density")}).`;
}

/** The lowest and the highest band of reputations. */
function bandText(who: WhoSummary): Finding[] {
  const rows = bandTable(who).rows.filter(({ regime }) => regime === "all");
  const [low, high] = [rows[0], rows.at(-1)];
  if (who.gained === 0 || !low || !high || low === high) return [];
  const told = ({ from, to, share }: Row) =>
    `${percent(share as number)} with a reputation from ${from} to ${to}`;
  const shares = rows.map(({ share }) => share as number);
  const steady = shares.every((share, k) => k === 0 || share >= shares[k - 1]!);
  const how = steady ? "; the share never falls from one band of reputations to the next" : "";
  return [{ text: `A lie pays for ${told(low)} and for ${told(high)}${how}.`, weight: 40 }];
}

function kindText(who: WhoSummary): Finding[] {
  const rows = kindTable(who).rows.filter(({ regime }) => regime === "all");
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

function causeText(who: WhoSummary): Finding[] {
  const told = regimes.flatMap((regime) => {
    const there = allTold(who, regime);
    const rows = there ? causeRows(there) : [];
    if (!there || rows.length === 0) return [];
    const part = (name: keyof Causes) => rows.find(({ cause }) => cause === causeWords[name])!.sum as number;
    const gained = money(there.total);
    const share = (...names: (keyof Causes)[]) => signed(total(names.map(part)), there.total);
    return [
      `${regime} ${gained} (${share("budget")} from the budget's limits, ${share("start")} from moving the start, ${share("rounds", "price")} from rounds and prices themselves)`,
    ];
  });
  return told.length === 0
    ? []
    : [{ text: `All gains added up, by regime: ${told.join("; ")}.`, weight: 40 }];
}
