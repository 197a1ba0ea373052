/** Figures 2 and 3 in words. */

import { group } from "d3-array";
import { listed, percent, signed } from "../../src/lib/format.js";
import type { Finding } from "../../src/report/result.js";
import { type Measure, measureNames, ratioOf, repairs } from "../shared/publisher.js";
import { type Axis, CLOSE, type Claim, type Figure, type Judged, type PaperFigures } from "./figures.js";

/** Some of the places of an axis, in the fewest words. Both lists increase. */
export function places(values: readonly number[], all: readonly number[], { phrase }: Axis): string {
  const [first, last] = [values[0]!, values.at(-1)!];
  if (values.length === 1) return phrase(String(first), true);
  const run = all.indexOf(last) - all.indexOf(first) + 1 === values.length;
  if (run && values.length === all.length) return phrase(`${first} to ${last}`, false);
  if (run && first === all[0]) return phrase(`up to ${last}`, false);
  if (run && last === all.at(-1)) return phrase(`${first} or more`, false);
  return phrase(run && values.length > 2 ? `${first} to ${last}` : listed(values), false);
}

export function claimText({ kind, pair: [one, other] }: Claim): string {
  if (kind === "close") return `${one} is at most ${percent(CLOSE)} below ${other}`;
  return `${one} gives ${kind === "best" ? "at least as much as" : "more than"} ${other}`;
}

const relations = {
  close: { holds: `is at most ${percent(CLOSE)} below`, breaks: `is more than ${percent(CLOSE)} below` },
  above: { holds: "gives more per unit paid than", breaks: "gives less than" },
} as const;

export const findingsOf = (result: PaperFigures): Finding[] => [
  ...result.figures.flatMap((figure) => [
    ...claimFinding("above", figure, result),
    ...claimFinding("close", figure, result),
  ]),
  ...repairFinding(result),
];

/** Where the claims of one kind hold and where they break; where neither is named, nothing is decided. */
function claimFinding(kind: "close" | "above", figure: Figure, { ours, markets }: PaperFigures): Finding[] {
  const judged = figure.judged.filter(({ claim }) => claim.kind === kind);
  if (judged.length === 0) return [];
  const sides = (["holds", "breaks"] as const).flatMap((verdict) => {
    const some = judged.filter((one) => one.verdict === verdict);
    return some.length > 0 ? [`${relations[kind][verdict]} ${listed(sideParts(some, figure))}`] : [];
  });
  const said = sides.length > 0 ? sides.join("; it ") : "is not shown to differ from its benchmarks";
  const subject = kind === "close" ? `per unit paid ${ours}` : ours;
  const basis = `Each comparison is of the same ${markets} markets; all ${figure.judged.length} hold together with 95 %`;
  const weight = judged.every(({ verdict }) => verdict === "holds") ? 35 : 55;
  return [{ text: `With ${figure.axis.fixed}, ${subject} ${said}. ${basis}.`, weight }];
}

/** "rrafl and vanilla at budgets of up to 200 (+4.7 % to +46 %)": those at the same places together. */
function sideParts(judged: readonly Judged[], { axis, values }: Figure): string[] {
  const atOf = (some: readonly Judged[]) => some.map(({ at }) => at);
  const byOther = [...group(judged, ({ claim }) => claim.pair[1]).values()];
  return [...group(byOther, (some) => places(atOf(some), values, axis))].map(([at, alike]) => {
    const sizes = alike.flat().map(({ gap }) => gap.relative.mean);
    const ends = [Math.min(...sizes), Math.max(...sizes)].map((size) => signed(size, percent));
    const others = alike.map(([first]) => first!.claim.pair[1]);
    return `${listed(others)} ${at} (${[...new Set(ends)].join(" to ")})`;
  });
}

/** How many comparisons of repairs with the mechanism in question there are along an axis: they hold together. */
export const repairsTogether = (present: readonly string[], { values }: Figure): number =>
  present.length * measureNames.length * values.length;

/** Those of the repairs that are there to compare. */
export const repairsIn = ({ auctions, ours }: PaperFigures): string[] =>
  repairs.filter((name) => name !== ours && auctions.includes(name));

/** At the place that both figures share, or in the middle of the first. */
function repairFinding(result: PaperFigures): Finding[] {
  const { figures, ours, markets } = result;
  const [figure] = figures;
  const present = repairsIn(result);
  if (!figure || present.length === 0) return [];
  const { axis, values, accounts } = figure;
  const together = repairsTogether(present, figure);
  const at = values.find((value) => value === 125) ?? values[Math.floor((values.length - 1) / 2)]!;
  const times = (name: string, measure: Measure, first: boolean) => {
    const { mean, low, high } = ratioOf(accounts.get(at)!, [name, ours], { measure, together });
    const interval = Number.isFinite(low) ? ` (${low.toFixed(2)} to ${high.toFixed(2)})` : "";
    return `${ratioText(mean)}${interval} times${first ? ` what ${ours} gives` : ""} ${measure}`;
  };
  const each = present.map(
    (name, k) =>
      `from ${name} ${listed(measureNames.map((measure, m) => times(name, measure, k + m === 0)))}`,
  );
  const basis = `Of the same ${markets} markets; all ${together} comparisons of repairs along this axis hold together with 95 %`;
  const text = `With ${axis.fixed}, ${places([at], values, axis)}, the publisher gets ${each.join("; ")}. ${basis}.`;
  return [{ text, weight: 45 }];
}

/** "1.07", "nothing" where nothing was paid. */
export const ratioText = (ratio: number): string => (Number.isFinite(ratio) ? ratio.toFixed(2) : "nothing");

/** Where a line begins and ends. */
export function endsText({ axis, values }: Figure, text: (at: number) => string): string {
  const ends = [...new Set([values[0]!, values.at(-1)!])];
  return listed(ends.map((at) => `${text(at)} ${places([at], values, axis)}`));
}
