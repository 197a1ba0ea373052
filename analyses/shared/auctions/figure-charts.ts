/** The charts of a figure: marks and encodings over its tables. */

import { listed, percent, threeDigits } from "../../../src/lib/format.js";
import type { Chart } from "../../../src/report/result.js";
import { gapOf, meanOf, perUnit, ratioOf, utility } from "./accounts.js";
import { benchmarks } from "./claims.js";
import { repairLines } from "./figure-tables.js";
import { type Held, repairsIn, setOf } from "./held.js";
import { type Look, lines } from "./lines.js";

/** All charts of the tables that figure-tables makes. */
export function figureCharts(held: Held): Chart[] {
  const { auctions, ours } = held;
  const paper = auctions.filter((name) => setOf(name, ours) !== "other");
  const others = auctions.filter((name) => setOf(name, ours) !== "paper");
  const more = others.length > 1;
  const claimed = [...benchmarks.close, ...benchmarks.above].filter(
    (name) => paper.includes(name) && name !== ours,
  );
  return [
    meansChart(held, "per-unit", paper),
    ...(claimed.length > 0 ? [gapChart(held, claimed)] : []),
    ...(more ? [meansChart(held, "per-unit", others)] : []),
    meansChart(held, "utility", paper),
    ...(more ? [meansChart(held, "utility", others)] : []),
    ...(repairsIn(held).length > 0 ? [repairsChart(held)] : []),
  ];
}

const measures = {
  "per-unit": { measure: perUnit, label: "Publisher's utility per unit paid" },
  utility: { measure: utility, label: "Publisher's utility" },
} as const;

function meansChart(held: Held, table: keyof typeof measures, auctions: readonly string[]): Chart {
  const { measure, label } = measures[table];
  const paper = auctions.every((name) => setOf(name, held.ours) !== "other");
  return {
    name: paper ? table : `${table}-others`,
    title: `${label}: ${paper ? "the auctions of the paper's figure" : "other online auctions and repairs"}`,
    table,
    spec: lines(lookOf(held, auctions, label)),
    summary: `${label}, ${endsText(held, auctions, (name, at) =>
      threeDigits(meanOf(held.ledgers.get(at)!, name, measure).mean),
    )}`,
    howToRead:
      "One line per auction through means over the same markets; the shade is the 95 % interval of the mean. " +
      `The thick line is ${held.ours}.`,
  };
}

const lookOf = ({ axis, ours }: Held, auctions: readonly string[], title: string): Look => ({
  x: axis,
  names: auctions,
  title,
  thick: ours,
});

function gapChart(held: Held, auctions: readonly string[]): Chart {
  const { ours, ledgers } = held;
  const gap = (name: string, at: number) =>
    percent(gapOf(ledgers.get(at)!, [ours, name], { measure: perUnit }).relative.mean);
  return {
    name: "claims",
    title: `How far ${ours} is above each benchmark, per unit paid`,
    table: "claims",
    spec: lines({
      ...lookOf(held, auctions, `${ours} above the benchmark`),
      filter: "datum.about !== 'best'",
      format: ".0%",
      level: 0,
    }),
    summary: `How far ${ours} is above each benchmark, ${endsText(held, auctions, gap)}`,
    howToRead:
      `Above the dashed line ${ours} gives more per unit paid than the benchmark, below it less. ` +
      "The shade is the interval of the mean difference in the same markets; all intervals of the table hold together with 95 %.",
  };
}

function repairsChart(held: Held): Chart {
  const { ours, ledgers } = held;
  const repairs = repairsIn(held);
  const reached = (name: string, at: number) =>
    threeDigits(ratioOf(ledgers.get(at)!, [name, ours], { measure: utility }).mean);
  return {
    name: "repairs",
    title: `What repairs reach of ${ours}`,
    table: "repairs",
    spec: lines({ ...lookOf(held, repairLines(held), `Multiple of ${ours}`), field: "line", level: 1 }),
    summary: `The publisher's utility as a multiple of what ${ours} gives, ${endsText(held, repairs, reached)}`,
    howToRead:
      `On the dashed line a repair gives as much as ${ours}. Each repair has two lines, the publisher's utility in all and ` +
      "per unit paid; the shade is the interval of the ratio of means over the same markets; all of them hold together with 95 %.",
  };
}

/** Where each line begins and ends. */
function endsText(
  { values, axis }: Held,
  auctions: readonly string[],
  text: (name: string, at: number) => string,
): string {
  const [first, last] = [values[0]!, values.at(-1)!];
  const ends = auctions.map((name) => `${name} ${text(name, first)} and ${text(name, last)}`);
  return `${axis.phrase.one(first)} and ${axis.phrase.one(last)}: ${listed(ends)}.`;
}
