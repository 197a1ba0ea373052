/** The tables and charts of Figures 2 and 3. */

import { group, sum } from "d3-array";
import { listed, percent, signed, threeDigits } from "../../src/lib/format.js";
import type { Estimate } from "../../src/lib/statistics.js";
import type { Chart, Finding, Table } from "../../src/report/result.js";
import {
  amountAxis,
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  fromTogether,
  linesWithBands,
  mechanismColour,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import {
  type Accounts,
  type Gap,
  type Measure,
  meanOf,
  measureNames,
  type Pair,
  ratioOf,
  repairs,
  type Setting,
  spentShare,
} from "../shared/publisher.js";

/** What is varied along a figure, and what is the same everywhere on it. */
export interface Axis {
  readonly name: "budget" | "workers";
  readonly label: string;
  readonly fixed: string;
  /** "at budgets of 25 to 300", "with 10 workers". */
  readonly phrase: (range: string, one: boolean) => string;
  readonly settingAt: (value: number) => Setting;
}

/** All auctions held at the places of one axis, which increase. */
export interface Figure {
  readonly axis: Axis;
  readonly values: readonly number[];
  readonly accounts: ReadonlyMap<number, Accounts>;
  readonly judged: readonly Judged[];
  readonly trials: readonly Trial[];
}

export interface PaperFigures {
  readonly ours: string;
  /** By name, the mechanism in question first. */
  readonly auctions: readonly string[];
  /** How many at each place. */
  readonly markets: number;
  readonly figures: readonly Figure[];
}

/** What the paper says of its mechanism and of those it is drawn beside. */
export const benchmarks = {
  best: "approximate-optimal",
  close: ["rrafl", "proportional-share"],
  above: ["fixed-threshold", "vanilla", "bid-greedy"],
} as const;

/** The auctions of the paper's figures beside its own. */
const inPaper: readonly string[] = [benchmarks.best, ...benchmarks.close, ...benchmarks.above];

/** The paper says "close" without a number: no further below than this counts as close here. */
export const CLOSE = 0.05;

/** Of one auction against another: at least as good, not far below it, or above it, per unit paid. */
export interface Claim {
  readonly kind: "best" | "close" | "above";
  readonly pair: Pair;
}

const verdicts = ["holds", "breaks", "undecided"] as const;

export type Verdict = (typeof verdicts)[number];

/** A claim at one place of a figure. */
export interface Judged {
  readonly claim: Claim;
  readonly at: number;
  readonly gap: Gap;
  readonly verdict: Verdict;
}

/** A claim with a variant in it, beside the same claim without. */
export interface Trial {
  readonly setting: string;
  readonly claim: Claim;
  readonly plain: readonly Judged[];
  readonly varied: readonly Judged[];
}

/** One auction at a place, by one measure. */
interface Measured extends Setting {
  readonly along: string;
  readonly measure: Measure;
  readonly auction: string;
  readonly accounts: Accounts;
  readonly value: Estimate;
}

/** These auctions at all places, by both measures. */
const measuredAt = (
  { figures }: PaperFigures,
  auctions: readonly string[],
  estimateAt: (there: Omit<Measured, "value">, figure: Figure) => Estimate,
): Measured[] =>
  figures.flatMap((figure) =>
    measureNames.flatMap((measure) =>
      auctions.flatMap((auction) =>
        figure.values.map((at) => {
          const there = { ...placeOf(figure, at), measure, auction, accounts: figure.accounts.get(at)! };
          return { ...there, value: estimateAt(there, figure) };
        }),
      ),
    ),
  );

const placeOf = ({ axis }: Figure, at: number) => ({ along: axis.name, ...axis.settingAt(at) });

const place = [
  textColumn("along", "varied"),
  countColumn("workers", "workers"),
  amountColumn("budget", "budget"),
];

const measure = textColumn("measure", "publisher's utility");

export const tables = (result: PaperFigures): Table[] => [
  meansTable(result),
  repairsTable(result),
  claimsTable(result),
  settingsTable(result),
];

const meansColumns: Field<Measured>[] = [
  ...place,
  measure,
  textColumn("auction", "auction"),
  ...estimateColumns(amountColumn("mean", "mean"), ({ value }: Measured) => value),
  countColumn("markets", "markets counted", ({ value }) => value.n),
  shareColumn("spent", "budget spent", ({ accounts, auction, budget }) =>
    spentShare(accounts, auction, budget),
  ),
];

const meansTable = (result: PaperFigures): Table =>
  tableOf(
    "means",
    "Publisher's utility in the same markets",
    measuredAt(result, result.auctions, ({ accounts, auction, measure }) =>
      meanOf(accounts, auction, measure),
    ),
    meansColumns,
  );

/** What each repair reaches of the mechanism in question, in the same markets. */
function repairsTable(result: PaperFigures): Table {
  const { ours } = result;
  const present = repairsIn(result);
  const reached = measuredAt(result, present, ({ accounts, auction, measure }, figure) =>
    ratioOf(accounts, [auction, ours], { measure, together: repairsTogether(present, figure) }),
  );
  return tableOf("repairs", `Repairs as a multiple of ${ours}, in the same markets`, reached, [
    ...place,
    measure,
    textColumn("auction", "repair"),
    ...estimateColumns(amountColumn("mean", `multiple of ${ours}`), ({ value }: Measured) => value, {
      from: fromTogether,
    }),
    countColumn("pairs", "markets", ({ value }) => value.n),
  ]);
}

function claimsTable({ figures }: PaperFigures): Table {
  const judged = figures.flatMap((figure) =>
    figure.judged.map((one) => ({ ...placeOf(figure, one.at), ...one })),
  );
  return tableOf("claims", "The paper's claims on utility per unit paid", judged, [
    ...place,
    textColumn("claim", "claim", ({ claim }) => claimText(claim)),
    textColumn("verdict", "verdict"),
    amountColumn("difference", "difference", ({ gap }) => gap.difference.mean),
    ...estimateColumns(shareColumn("mean", "as a share"), ({ gap }: Judged) => gap.relative, {
      from: fromTogether,
    }),
    countColumn("pairs", "markets", ({ gap }) => gap.difference.n),
  ]);
}

function settingsTable({ figures }: PaperFigures): Table {
  const title = "The claims under other readings and settings: at how many places they hold (exploratory)";
  const tried = figures.flatMap((figure) => figure.trials.map((trial) => ({ figure, ...trial })));
  const count = (among: readonly Judged[], verdict: Verdict) =>
    among.filter((one) => one.verdict === verdict).length;
  return tableOf("settings", title, tried, [
    textColumn("along", "varied", ({ figure }) => figure.axis.name),
    textColumn("setting", "setting"),
    textColumn("claim", "claim", ({ claim }) => claimText(claim)),
    countColumn("holds", "holds", ({ varied }) => count(varied, "holds")),
    countColumn("before", "holds without the setting", ({ plain }) => count(plain, "holds")),
    countColumn("breaks", "breaks", ({ varied }) => count(varied, "breaks")),
    countColumn("undecided", "undecided", ({ varied }) => count(varied, "undecided")),
    textColumn("changed", "verdict changes", ({ figure: { values, axis }, varied, plain }) => {
      const changed = varied.filter(({ verdict }, k) => verdict !== plain[k]!.verdict).map(({ at }) => at);
      return changed.length > 0 ? places(changed, values, axis) : "nowhere";
    }),
  ]);
}

export const charts = (result: PaperFigures): Chart[] => [
  ...result.figures.map((figure) => meansChart(figure, result)),
  ...(repairsIn(result).length > 0 ? result.figures.map((figure) => repairsChart(figure, result)) : []),
];

const choices = [{ field: "measure", label: "Publisher's utility", values: measureNames }];

/** The auctions of the paper's figures. */
const shownIn = ({ auctions, ours }: PaperFigures): string[] =>
  auctions.filter((name) => name === ours || inPaper.includes(name));

function meansChart(figure: Figure, result: PaperFigures): Chart {
  const { ours, markets } = result;
  const { axis } = figure;
  return {
    name: `by-${axis.name}`,
    title: `Publisher's utility by ${axis.label}, with ${axis.fixed}`,
    table: "means",
    choices,
    spec: lines(figure, { names: shownIn(result), ours }),
    summary: captions(choices, ({ measure }) => meansCaption(figure, result, measure as Measure)),
    howToRead: `One line per auction through means over the same ${markets} markets at each place; the shade is the 95 % interval of a mean. The thick line is ${ours}.`,
  };
}

function meansCaption(figure: Figure, result: PaperFigures, measure: Measure): string {
  const { accounts, axis, values } = figure;
  const { ours } = result;
  const ends = (name: string) =>
    endsText(figure, (at) => threeDigits(meanOf(accounts.get(at)!, name, measure).mean));
  if (measure === "per unit paid") {
    const total = (name: string) => sum(values, (at) => meanOf(accounts.get(at)!, name, measure).mean);
    const best = shownIn(result).reduce((a, b) => (total(b) > total(a) ? b : a));
    const most = best === ours ? "" : `; the most, by ${best}, is ${ends(best)}`;
    return `Per unit paid, ${ours} gives a utility of ${ends(ours)}${most}.`;
  }
  const spent = [values[0]!, values.at(-1)!].map((at) =>
    percent(spentShare(accounts.get(at)!, ours, axis.settingAt(at).budget)),
  );
  return `In all, ${ours} gives a utility of ${ends(ours)}, spending ${listed(spent)} of the budget.`;
}

function repairsChart(figure: Figure, result: PaperFigures): Chart {
  const { ours } = result;
  const { axis } = figure;
  const present = repairsIn(result);
  const reached = (name: string, measure: Measure) =>
    endsText(figure, (at) =>
      ratioText(ratioOf(figure.accounts.get(at)!, [name, ours], { measure, together: 1 }).mean),
    );
  return {
    name: `repairs-by-${axis.name}`,
    title: `What the repairs reach of ${ours} by ${axis.label}, with ${axis.fixed}`,
    table: "repairs",
    choices,
    spec: lines(figure, { names: present, ours, level: 1 }),
    summary: captions(
      choices,
      (chosen) =>
        `Publisher's utility ${chosen.measure} as a multiple of that of ${ours}: ${present.map((name) => `${name} ${reached(name, chosen.measure as Measure)}`).join("; ")}.`,
    ),
    howToRead: `On the dashed line a repair gives the publisher as much as ${ours}. The shade is the interval of the ratio of means over the same markets; all of one axis hold together with 95 %.`,
  };
}

/** As many names side by side as there is room for; its lines are not as faint as the shades. */
const legend = {
  columns: { expr: "max(1, floor(width / 150))" },
  symbolType: "stroke",
  symbolOpacity: 1,
  symbolStrokeWidth: 3,
  offset: 10,
};

interface Lines {
  readonly names: readonly string[];
  readonly ours: string;
  /** A height to mark. */
  readonly level?: number;
}

function lines({ axis }: Figure, { names, ours, level }: Lines): object {
  const y = (field: string) => amountAxis(field, null, { scale: { zero: false } });
  const thick = { condition: { test: `datum.auction === ${JSON.stringify(ours)}`, value: 3.5 }, value: 1.5 };
  return {
    transform: [
      { filter: { field: "along", equal: axis.name } },
      { filter: { field: "auction", oneOf: names } },
    ],
    layer: [
      ...(level === undefined
        ? []
        : [{ mark: { type: "rule", strokeDash: [4, 4] }, encoding: { y: { datum: level } } }]),
      {
        encoding: {
          x: amountAxis(axis.name, axis.label),
          color: { ...mechanismColour("auction", names), title: null, legend },
          tooltip: tooltipOf(meansColumns, tooltips),
        },
        layer: linesWithBands(y, { value: "mean", width: thick }),
      },
    ],
  };
}

const tooltips = ["auction", "workers", "budget", "measure", "mean", "low", "high"];

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

function claimText({ kind, pair: [one, other] }: Claim): string {
  if (kind === "close") return `${one} is at most ${percent(CLOSE)} below ${other}`;
  return `${one} gives ${kind === "best" ? "at least as much as" : "more than"} ${other}`;
}

const relations = {
  close: { holds: `is at most ${percent(CLOSE)} below`, breaks: `is more than ${percent(CLOSE)} below` },
  above: { holds: "gives more per unit paid than", breaks: "gives less than" },
} as const;

export const findings = (result: PaperFigures): Finding[] => [
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
const repairsTogether = (present: readonly string[], { values }: Figure): number =>
  present.length * measureNames.length * values.length;

/** Those of the repairs that are there to compare. */
const repairsIn = ({ auctions, ours }: PaperFigures): string[] =>
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
const ratioText = (ratio: number): string => (Number.isFinite(ratio) ? ratio.toFixed(2) : "nothing");

/** Where a line begins and ends. */
function endsText({ axis, values }: Figure, text: (at: number) => string): string {
  const ends = [...new Set([values[0]!, values.at(-1)!])];
  return listed(ends.map((at) => `${text(at)} ${places([at], values, axis)}`));
}
