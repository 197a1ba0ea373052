/** What is said in words of who lies. */

import { listed, many, percent, signed, threeDigits, whole } from "../../src/lib/format.js";
import { FEWEST_FOR_PERCENTILES } from "../../src/lib/statistics.js";
import { quantileFrom } from "../../src/lib/summaries.js";
import { difference } from "../../src/lib/tolerance.js";
import { regimes } from "../../src/mechanisms/outcome.js";
import type { Finding, Row } from "../../src/report/result.js";
import type { Causes } from "../../src/verdicts/explain.js";
import { causeWords, kinds, total } from "./people.js";
import type { Group, WhoSummary } from "./summary.js";
import { allTold, bandTable, causeRows, kindTable } from "./tables.js";

export function findingsOf(who: WhoSummary, exact: boolean): Finding[] {
  const bound = exact ? "" : " Lies were searched: more may pay than were found.";
  return [
    { text: `${whoText(who, exact)}${bound}`, weight: 32 },
    ...bandText(who, exact),
    ...kindText(who, exact),
    ...causeText(who),
  ];
}

export function whoText({ seen, gained, traits }: WhoSummary, exact: boolean): string {
  const verb = exact
    ? `${gained < 2 ? "has" : "have"} a lie that pays`
    : `${gained < 2 ? "was" : "were"} found to have a lie that pays`;
  if (gained === 0) return `Of ${many(seen, "worker")} none ${verb}.`;
  if (Math.min(gained, seen - gained) < FEWEST_FOR_PERCENTILES)
    return `Of ${many(seen, "worker")} ${whole(gained)} ${verb}.`;
  const median = (group: Group, trait: "reputation" | "density") =>
    Number(quantileFrom(traits[group][trait], 0.5).toPrecision(2));
  return `Of ${many(seen, "worker")} ${whole(gained)} ${verb}; their median reputation is ${median("gaining", "reputation")} (others ${median("others", "reputation")}), their median density ${median("gaining", "density")} (others ${median("others", "density")}).`;
}

/** The lowest and the highest band of reputations. */
function bandText(who: WhoSummary, exact: boolean): Finding[] {
  const rows = bandTable(who, exact).rows.filter(({ regime }) => regime === "all");
  const [low, high] = [rows[0], rows.at(-1)];
  if (who.gained === 0 || !low || !high || low === high) return [];
  const told = ({ from, to, share }: Row) =>
    `${percent(share as number)} with a reputation from ${from} to ${to}`;
  const shares = rows.map(({ share }) => share as number);
  const steady = shares.every((share, k) => k === 0 || share >= shares[k - 1]!);
  const how = steady ? "; the share never falls from one band of reputations to the next" : "";
  return [
    {
      text: `A lie ${exact ? "pays" : "was found to pay"} for ${told(low)} and for ${told(high)}${how}.`,
      weight: 40,
    },
  ];
}

function kindText(who: WhoSummary, exact: boolean): Finding[] {
  const rows = kindTable(who, exact).rows.filter(({ regime }) => regime === "all");
  if (rows.length === 0) return [];
  const ranked = [...rows].sort((a, b) => (b.part as number) - (a.part as number));
  const told = ranked.map(
    ({ kind, count, part, maxGain }) =>
      `${kind} (${many(count as number, "worker")}, ${percent(part as number)} of all that is gained, at most ${threeDigits(maxGain as number)})`,
  );
  const never = kinds.filter((kind) => !rows.some((row) => row.kind === kind));
  const rest = never.length === 0 ? "" : ` Never ${exact ? "" : "found "}best: ${listed(never)}.`;
  return [
    {
      text: `By what they bring in all, the lies ${exact ? "" : "found "}are ${listed(told)}.${rest}`,
      weight: 40,
    },
  ];
}

function causeText(who: WhoSummary): Finding[] {
  const told = regimes.flatMap((regime) => {
    const there = allTold(who, regime);
    const rows = there ? causeRows(there) : [];
    if (!there || rows.length === 0) return [];
    const part = (name: keyof Causes) => rows.find(({ cause }) => cause === causeWords[name])!.sum as number;
    const gained = threeDigits(there.total);
    const share = (...names: (keyof Causes)[]) => signed(difference(total(names.map(part)), 0, there.total));
    return [
      `${regime} ${gained} (${share("budget")} from the budget's limits, ${share("start")} from moving the start, ${share("rounds", "price")} from rounds and prices themselves)`,
    ];
  });
  return told.length === 0
    ? []
    : [{ text: `All gains added up, by regime: ${told.join("; ")}.`, weight: 40 }];
}
