/** The frontier's tables, charts and sentences. */

import { mean } from "d3-array";
import { brief, listed, many, percent, rounded, threeDigits } from "../../src/lib/format.js";
import { type Estimate, FEWEST } from "../../src/lib/statistics.js";
import type { Chart, Column, Finding, Row, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  mechanismColour,
  otherColours,
  shareColumn,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import type { FrontierAt, FrontierPoint, FrontierResult } from "../frontier.js";
import { type Measure, ratioOf } from "../shared/publisher.js";
import { attempts } from "./attempts.js";
import { truthfulLimit } from "./truthful-limit.js";

/** What the truthful mechanisms are compared with: ours, with workers who bid in one of three ways. */
const workersBid = {
  ours: "truthful workers",
  responses: "workers who best respond to the truth",
  equilibrium: "workers in equilibrium",
} as const;

type Base = keyof typeof workersBid;

const bases = Object.keys(workersBid) as Base[];

const sizeOf = ({ workers, budget }: FrontierAt): string => `${workers} workers, budget ${brief(budget)}`;

/** A point of both measures, as shares of another's in the same markets. */
interface Relative {
  readonly utility: Estimate;
  readonly unit: Estimate;
}

function relativeTo(
  point: FrontierPoint,
  base: FrontierPoint,
  {
    keep = () => true,
    together = 1,
  }: { readonly keep?: (market: number) => boolean; readonly together?: number } = {},
): Relative {
  const kept = ({ accounts }: FrontierPoint) => accounts.filter((_, k) => keep(k));
  const accounts = new Map([["point", kept(point)] as const, ["base", kept(base)] as const]);
  const of = (measure: Measure) => ratioOf(accounts, ["point", "base"], { measure, together });
  return { utility: of("in all"), unit: of("per unit paid") };
}

const baseIn = ({ points }: FrontierAt, kind: Base): FrontierPoint | undefined =>
  points.find((point) => point.kind === kind);

/** How much of both measures a point has: the smaller share. */
const ofBoth = ({ utility, unit }: Relative): number => Math.min(utility.mean, unit.mean);

/** Truthful, from bids as they arrive, and without a lie that was found to gain in markets of any size. */
function choosable({ points }: FrontierAt, { cells }: FrontierResult): FrontierPoint[] {
  const gaining = new Set(
    cells
      .flatMap((cell) => cell.points.filter(({ lies }) => (lies?.gainers ?? 0) > 0))
      .map(({ mechanism }) => mechanism),
  );
  return points.filter(
    ({ kind, sees, mechanism }) =>
      kind === "truthful" && sees === "bids as they arrive" && !gaining.has(mechanism),
  );
}

interface Chosen {
  readonly cell: FrontierAt;
  readonly base: Base;
  readonly point: FrontierPoint;
  readonly relative: Relative;
}

/** The truthful mechanism with most of both measures: chosen on every other market, measured on those between. */
function chosenOf(result: FrontierResult, base: Base): Chosen[] {
  const { cells } = result;
  return cells.flatMap((cell) => {
    const reference = baseIn(cell, base);
    const candidates = choosable(cell, result);
    if (!reference || candidates.length === 0) return [];
    const score = (point: FrontierPoint) =>
      ofBoth(relativeTo(point, reference, { keep: (k) => k % 2 === 0 })) || 0;
    const point = candidates.reduce((a, b) => (score(b) > score(a) ? b : a));
    const relative = relativeTo(point, reference, {
      keep: (k) => k % 2 === 1,
      together: 2 * cells.length * bases.length,
    });
    // Utility per unit paid is of no market in which nothing is paid.
    return relative.unit.n < FEWEST ? [] : [{ cell, base, point, relative }];
  });
}

const ROUNDS = 10;

/** Of the largest mean utility that any mechanism can get at its mean spending in which no price lie gains. */
function shareOfLimit({ accounts }: FrontierPoint, { workers }: FrontierAt): number {
  const of = (value: (account: FrontierPoint["accounts"][number]) => number) => mean(accounts, value) ?? 0;
  const spent = of((account) => account.spent);
  return of((account) => account.publisherUtility) / truthfulLimit({ workers, rounds: ROUNDS }, spent);
}

const estimateColumns = (name: string, label: string, from: string): Column[] => [
  amountColumn(name, label),
  amountColumn(`${name}Low`, from),
  amountColumn(`${name}High`, "to"),
];

const estimateCells = (name: string, { mean, low, high }: Estimate): Row => ({
  [name]: rounded(mean),
  [`${name}Low`]: rounded(low),
  [`${name}High`]: rounded(high),
});

const isStrategic = ({ kind }: FrontierPoint): boolean => kind === "responses" || kind === "equilibrium";

const labelOf = ({ kind, mechanism }: FrontierPoint): string =>
  kind in workersBid ? `${mechanism}, ${workersBid[kind as Base]}` : mechanism;

function liesText({ kind, lies }: FrontierPoint): string | null {
  if (kind !== "truthful" || lies === null) return null;
  if (lies.markets === 0) return "not looked for in markets of this size";
  if (lies.gainers > 0) return `${many(lies.gainers, "worker")} can gain in market ${lies.markets}`;
  return `none gains for ${many(lies.workers, "worker")}`;
}

const pointColumns = (ours: string): Column[] => [
  textColumn("size", "markets"),
  textColumn("label", "mechanism"),
  textColumn("family", "family"),
  amountColumn("value", "value of its option"),
  ...estimateColumns("utility", `utility / ${ours}'s`, "95 % from"),
  ...estimateColumns("unit", `utility per unit paid / ${ours}'s`, "95 % from"),
  shareColumn("ofLimit", "of the most that a truthful mechanism can get for its spending"),
  textColumn("sees", "sees"),
  textColumn("lies", "lies"),
  countColumn("markets", "number of markets"),
];

const chosenColumns = (ours: string): Column[] => [
  textColumn("comparedWith", "compared with"),
  countColumn("workers", "workers"),
  textColumn("budgetName", "budget"),
  amountColumn("budget", "budget"),
  textColumn("mechanism", "truthful mechanism"),
  amountColumn("both", `share of both of ${ours}'s`),
  ...estimateColumns("utility", "utility", "95 % together, from"),
  ...estimateColumns("unit", "per unit paid", "95 % together, from"),
  countColumn("markets", "markets"),
];

const comparedWith = (ours: string, base: Base): string => `${ours}, ${workersBid[base]}`;

export function tables(result: FrontierResult): Table[] {
  const { ours, cells } = result;
  return [
    {
      name: "frontier",
      title: `What the publisher gets, as shares of what ${ours} gives with truthful workers`,
      columns: pointColumns(ours),
      rows: cells.flatMap(pointRows),
    },
    {
      name: "both",
      title: "The truthful mechanism that gives most of both measures",
      columns: chosenColumns(ours),
      rows: bases.flatMap((base) => chosenOf(result, base).map((chosen) => chosenRow(chosen, ours))),
    },
    ...attemptTable(result),
  ];
}

const attemptColumns = (ours: string): Column[] => [
  textColumn("label", "attempt"),
  textColumn("about", "what it does"),
  ...estimateColumns("utility", `utility / ${ours}'s`, "95 % from"),
  ...estimateColumns("unit", `utility per unit paid / ${ours}'s`, "95 % from"),
  amountColumn("gain", "gain of a lie"),
  textColumn("market", "in this market"),
];

/** What else was tried, at the size where it was. */
function attemptTable({ ours, cells }: FrontierResult): Table[] {
  const rows = cells.filter(isPapers).flatMap((cell) => {
    const base = baseIn(cell, "ours")!;
    return cell.points.filter(({ kind }) => kind === "attempt").map((point) => attemptRow(point, base));
  });
  const title =
    "Repairs that were tried and are not built in: a lie gains, or they give less than those that are";
  return rows.length === 0 ? [] : [{ name: "attempts", title, columns: attemptColumns(ours), rows }];
}

function attemptRow(point: FrontierPoint, base: FrontierPoint): Row {
  const { mechanism, breaksIn } = attempts.find((one) => one.mechanism.name === point.mechanism)!;
  const { utility, unit } = relativeTo(point, base);
  const largest = point.lies?.largest;
  return {
    label: mechanism.name,
    about: mechanism.about,
    ...estimateCells("utility", utility),
    ...estimateCells("unit", unit),
    gain: largest ? rounded(largest.gain) : null,
    market: breaksIn ? JSON.stringify(breaksIn) : null,
  };
}

function pointRows(cell: FrontierAt): Row[] {
  const base = baseIn(cell, "ours")!;
  return cell.points
    .filter(({ kind }) => kind !== "attempt")
    .map((point) => {
      const { utility, unit } = relativeTo(point, base);
      return {
        size: sizeOf(cell),
        label: labelOf(point),
        family: point.mechanism.replace(/:.*/, ""),
        value: point.value,
        ...estimateCells("utility", utility),
        ...estimateCells("unit", unit),
        ofLimit: rounded(shareOfLimit(point, cell)),
        sees: isStrategic(point) ? "bids of strategic workers" : point.sees,
        lies: liesText(point),
        markets: cell.markets,
      };
    });
}

const chosenRow = ({ cell, base, point, relative }: Chosen, ours: string): Row => ({
  comparedWith: comparedWith(ours, base),
  workers: cell.workers,
  budgetName: cell.budgetName,
  budget: cell.budget,
  mechanism: point.mechanism,
  both: rounded(ofBoth(relative)),
  ...estimateCells("utility", relative.utility),
  ...estimateCells("unit", relative.unit),
  markets: relative.utility.n,
});

export const charts = (result: FrontierResult): Chart[] => [frontierChart(result), bothChart(result)];

const shareAxis = (field: string, title: string): object => ({
  field,
  type: "quantitative",
  title,
  scale: { zero: false, padding: 20 },
});

function frontierChart(result: FrontierResult): Chart {
  const { ours, cells } = result;
  const choices = [{ field: "size", label: "Markets", values: opening(cells).map(sizeOf) }];
  const families = [...new Set(cells.flatMap(pointRows).map(({ family }) => String(family)))];
  const [x, y] = [
    shareAxis("utility", `utility / ${ours}'s`),
    shareAxis("unit", `utility per unit paid / ${ours}'s`),
  ];
  const color = {
    ...mechanismColour("family", families),
    title: null,
    legend: { columns: 2, symbolLimit: 20 },
  };
  const shapes = {
    "bids as they arrive": "circle",
    "bids as they arrive, and a price beforehand": "triangle-up",
    "all bids at once": "square",
    "all costs": "diamond",
    "bids of strategic workers": "cross",
  };
  const sees = {
    field: "sees",
    type: "nominal",
    scale: { domain: Object.keys(shapes), range: Object.values(shapes) },
    legend: null,
  };
  return {
    name: "frontier",
    title: `What the publisher gets from truthful mechanisms, relative to ${ours}`,
    table: "frontier",
    choices,
    spec: {
      height: 360,
      layer: [
        { mark: { type: "rule", strokeDash: [4, 4], tooltip: null }, encoding: { x: { datum: 1 } } },
        { mark: { type: "rule", strokeDash: [4, 4], tooltip: null }, encoding: { y: { datum: 1 } } },
        {
          transform: [{ filter: "isValid(datum.value)" }],
          mark: { type: "line", tooltip: null },
          encoding: { x, y, color, order: { field: "value" } },
        },
        {
          mark: { type: "point", size: 80 },
          encoding: { x, y, color, shape: sees, tooltip: tooltipOf(pointColumns(ours)) },
        },
      ],
    },
    summary: captions(choices, ({ size }) =>
      frontierCaption(cells.find((cell) => sizeOf(cell) === size)!, result),
    ),
    howToRead: `Further right the publisher gets more, further up more per unit paid; both are shares of what ${ours} gives with truthful workers, in the same markets. A line joins the values of a mechanism's option. Circles decide from bids as they arrive, triangles also know a price beforehand, squares see all bids at once, the diamond sees all costs, and crosses are ${ours} with strategic workers. Above and to the right of both dashed lines a point gives more of both.`,
  };
}

/** The paper's size and budget first. */
const opening = (cells: readonly FrontierAt[]): FrontierAt[] =>
  [...cells].sort((a, b) => Number(isPapers(b)) - Number(isPapers(a)));

const isPapers = ({ workers, budget }: FrontierAt): boolean => workers === 100 && budget === 125;

function frontierCaption(cell: FrontierAt, result: FrontierResult): string {
  const { ours } = result;
  const base = baseIn(cell, "ours")!;
  const candidates = choosable(cell, result);
  const better = candidates.filter((point) => ofBoth(relativeTo(point, base)) > 1);
  const truthful = candidates.length;
  const counted =
    better.length === 0 ? "none gives" : `${better.length} ${better.length === 1 ? "gives" : "give"}`;
  return `${sizeOf(cell)}: of ${truthful} truthful mechanisms and settings that see bids as they arrive, ${counted} more of both than ${ours} with truthful workers, on average over ${many(cell.markets, "market")}${better.length > 0 ? ` (${listed(better.map(({ mechanism }) => mechanism))})` : ""}.`;
}

function bothChart(result: FrontierResult): Chart {
  const { ours, settings } = result;
  const names = Object.keys(settings.budgets);
  const present = bases.filter((base) => chosenOf(result, base).length > 0);
  const choices = [
    {
      field: "comparedWith",
      label: "Compared with",
      values: present.map((base) => comparedWith(ours, base)),
    },
  ];
  const color = {
    field: "budgetName",
    type: "nominal",
    title: "budget",
    sort: names,
    scale: otherColours(names),
  };
  const x = {
    field: "workers",
    type: "quantitative",
    title: "workers",
    scale: { type: "log", nice: false, padding: 20 },
    axis: { values: settings.sizes.map(({ workers }) => workers) },
  };
  const y = shareAxis("both", "share of both");
  return {
    name: "both",
    title: `How much of ${ours}'s utility, and of its utility per unit paid, a truthful mechanism gives`,
    table: "both",
    choices,
    spec: {
      layer: [
        { mark: { type: "rule", strokeDash: [4, 4], tooltip: null }, encoding: { y: { datum: 1 } } },
        { mark: { type: "line", tooltip: null }, encoding: { x, y, color } },
        {
          mark: { type: "point", size: 80 },
          encoding: { x, y, color, tooltip: tooltipOf(chosenColumns(ours)) },
        },
      ],
    },
    summary: captions(choices, ({ comparedWith: chosen }) =>
      bothCaption(chosenOf(result, present.find((base) => comparedWith(ours, base) === chosen)!)),
    ),
    howToRead:
      "The smaller of the two shares. From 1 on a truthful mechanism gives at least as much of both, and truthfulness costs the publisher nothing. The mechanism and its option are chosen on half of the markets and measured on the other half.",
  };
}

function bothCaption(chosen: readonly Chosen[]): string {
  const sorted = [...chosen].sort((a, b) => ofBoth(a.relative) - ofBoth(b.relative));
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (!least || !most) return "Nothing to compare.";
  const text = ({ cell, point, relative }: Chosen) =>
    `${threeDigits(ofBoth(relative))} (${sizeOf(cell)}, ${point.mechanism})`;
  return `From ${text(least)} to ${text(most)}.`;
}

/** "0.98 (0.97 to 0.99)". */
const shareText = ({ mean, low, high }: Estimate): string =>
  `${threeDigits(mean)}${Number.isFinite(low) ? ` (${threeDigits(low)} to ${threeDigits(high)})` : ""}`;

export function findings(result: FrontierResult): Finding[] {
  const truthful = chosenOf(result, "ours");
  const papers = truthful.filter(({ cell }) => isPapers(cell));
  const strategic = chosenOf(result, "equilibrium").concat(chosenOf(result, "responses"));
  return [
    ...papers.map((chosen) => ({ text: paperText(chosen, result.ours), weight: 48 })),
    ...limitFinding(result),
    ...free(truthful, result.ours, "truthful workers", 46),
    ...free(strategic, result.ours, "strategic workers", 44),
  ];
}

const paperText = ({ cell, point, relative }: Chosen, ours: string): string =>
  `With ${cell.workers} workers and a budget of ${brief(cell.budget)}, the truthful mechanism that gives the publisher most of both is ${point.mechanism}: ${shareText(relative.utility)} of ${ours}'s utility and ${shareText(relative.unit)} of its utility per unit paid, if ${ours}'s workers tell the truth.`;

/** How far the best possible is. */
function limitFinding(result: FrontierResult): Finding[] {
  return result.cells.filter(isPapers).flatMap((cell) => {
    const candidates = choosable(cell, result);
    const own = baseIn(cell, "ours")!;
    if (candidates.length === 0) return [];
    const best = candidates.reduce((a, b) => (shareOfLimit(b, cell) > shareOfLimit(a, cell) ? b : a));
    const text = `Of the most that any mechanism without a gainful price lie can get for what it spends (a bound by virtual costs, ${sizeOf(cell)}), ${best.mechanism} gets ${threeDigits(shareOfLimit(best, cell))} and ${result.ours} with truthful workers ${threeDigits(shareOfLimit(own, cell))}, on average over ${many(cell.markets, "market")}.`;
    return [{ text, weight: 36 }];
  });
}

/** Where truthfulness costs nothing: both intervals, corrected for the number of comparisons, are above 1. */
function free(chosen: readonly Chosen[], ours: string, bidding: string, weight: number): Finding[] {
  if (chosen.length === 0) return [];
  const sure = chosen.filter(({ relative }) => relative.utility.low >= 1 && relative.unit.low >= 1);
  const where = listed([...new Set(sure.map(({ cell }) => sizeOf(cell)))].map((size) => `“${size}”`));
  const compared = `${ours} with ${bidding}`;
  const text =
    sure.length === 0
      ? `In none of ${chosen.length} comparisons with ${compared} does a truthful mechanism surely give the publisher more of both measures; on average the most is ${percent(Math.max(...chosen.map(({ relative }) => ofBoth(relative))))} of both.`
      : `Truthfulness costs the publisher nothing beside ${compared} in ${where}: there a truthful mechanism gives more of both measures (95 % for all comparisons together).`;
  return [{ text, weight }];
}

export function methods({ cells, settings, ours }: FrontierResult): string[] {
  const asked = cells.flatMap(({ points }) =>
    points.filter(({ kind, lies }) => kind === "truthful" && lies!.markets > 0),
  );
  const gaining = [
    ...new Set(asked.filter(({ lies }) => lies!.gainers > 0).map(({ mechanism }) => mechanism)),
  ];
  const sizes = settings.sizes.map(({ workers, markets }) => `${markets} of ${workers}`);
  return [
    `Markets drawn as in the paper, for each of ${Object.keys(settings.budgets).length} budgets (${listed(Object.entries(settings.budgets).map(([name, each]) => `${name}: ${each} for each worker`))}): ${listed(sizes)} workers, 10 rounds. All mechanisms meet the same markets; ratios of means, with paired intervals.`,
    `Truthful are mechanisms with an argument that no lie gains; everybody's exact best lie was worked out in the first markets of the smaller sizes, and ${gaining.length === 0 ? "none gains" : `${listed(gaining)} had one that gains and ${gaining.length === 1 ? "is" : "are"} not chosen`}.`,
    `Strategic workers of ${ours} see nobody's bids. “Best respond to the truth”: each plays the best bid against truthful others, on draws other than these markets. “In equilibrium”: best responses to best responses, where they settle within 0.03; worked out for up to ${Math.max(0, ...settings.sizes.filter(({ equilibrium }) => equilibrium > 0).map(({ workers }) => workers))} workers.`,
    "The bound holds in expectation over markets drawn as in the paper, for every rule of selection and payment under which asking the true cost is best and never loses; shares of it are means over these markets and may exceed 1 by chance.",
    "Mechanisms that see all bids or costs at once, or whose price rests on knowing how such markets usually look, are drawn for comparison and never chosen.",
  ];
}
