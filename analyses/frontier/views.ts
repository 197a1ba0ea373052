/** The frontier's tables, chart and sentences. */

import { mean } from "d3-array";
import { brief, listed, many, shareWithInterval, twoPlaces, withInterval } from "../../src/lib/format.js";
import { type Estimate, estimate, FEWEST } from "../../src/lib/statistics.js";
import type { Chart, Finding, Table } from "../../src/report/result.js";
import { axis, captions, colour, column, type Field, marks, tableOf } from "../../src/report/vocabulary.js";
import type { FrontierAt, FrontierPoint, FrontierResult } from "../frontier.js";
import { type Measure, ROUNDS, ratioOf, settingText } from "../shared/publisher.js";
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

/** A point of both measures, as shares of another's in the same markets. */
interface Relative {
  readonly utility: Estimate;
  readonly unit: Estimate;
}

function relativeTo(
  point: FrontierPoint,
  base: FrontierPoint,
  { only, together = 1 }: { readonly only?: "even" | "odd"; readonly together?: number } = {},
): Relative {
  const isKept = (_: unknown, k: number) => only === undefined || (k % 2 === 0) === (only === "even");
  const kept = ({ accounts }: FrontierPoint) => accounts.filter(isKept);
  const accounts = new Map([["point", kept(point)] as const, ["base", kept(base)] as const]);
  const of = (measure: Measure) => ratioOf(accounts, ["point", "base"], { measure, together });
  return { utility: of("in all"), unit: of("per unit paid") };
}

const baseIn = ({ points }: FrontierAt, kind: Base): FrontierPoint | undefined =>
  points.find((point) => point.kind === kind);

/** How much of both measures a point has: the smaller share. */
const ofBoth = ({ utility, unit }: Relative): number => Math.min(utility.mean, unit.mean);

const ONLINE = "bids as they arrive";

/** Truthful, from bids as they arrive, and without a lie that was found to gain in markets of any size. */
const choosable = ({ points }: FrontierAt, { gaining }: FrontierResult): FrontierPoint[] =>
  points.filter(
    ({ kind, sees, mechanism }) => kind === "truthful" && sees === ONLINE && !gaining.includes(mechanism),
  );

/** A point beside another in the same markets. */
interface Shown {
  readonly cell: FrontierAt;
  readonly point: FrontierPoint;
  readonly relative: Relative;
}

interface Chosen extends Shown {
  readonly base: Base;
}

/** The truthful mechanism with most of both measures: chosen on every other market, measured on those between. */
function chosenOf(result: FrontierResult, base: Base): Chosen[] {
  const { cells } = result;
  return cells.flatMap((cell) => {
    const reference = baseIn(cell, base);
    const candidates = choosable(cell, result);
    if (!reference || candidates.length === 0) return [];
    const score = (point: FrontierPoint) => ofBoth(relativeTo(point, reference, { only: "even" })) || 0;
    const point = candidates.reduce((a, b) => (score(b) > score(a) ? b : a));
    const together = 2 * cells.length * bases.length;
    const relative = relativeTo(point, reference, { only: "odd", together });
    // Utility per unit paid is of no market in which nothing is paid.
    return relative.unit.n < FEWEST ? [] : [{ cell, base, point, relative }];
  });
}

/**
 * Of the largest mean utility that a mechanism can get at its mean spending that starts on time, buys rounds only from the
 * arrival on, and in which no price lie gains. The interval is by
 * linearization: where more is spent, the limit is higher by its slope there.
 */
function shareOfLimit({ accounts }: FrontierPoint, { workers }: FrontierAt): Estimate {
  const spent = mean(accounts, (account) => account.spent) ?? 0;
  const at = (money: number) => truthfulLimit({ workers, rounds: ROUNDS }, money);
  const limit = at(spent);
  const share = (mean(accounts, ({ publisherUtility }) => publisherUtility) ?? 0) / limit;
  const slope = (at(1.01 * spent) - at(0.99 * spent)) / (0.02 * spent);
  return estimate(
    accounts.map((one) => (one.publisherUtility - share * slope * (one.spent - spent)) / limit),
  );
}

/** Whether the bound is about it: one that sees all bids at once buys rounds from before the arrival too. */
const isBounded = ({ kind, sees }: FrontierPoint): boolean =>
  kind === "truthful" && sees !== "all bids at once" && sees !== "all costs";

const labelOf = ({ kind, mechanism }: FrontierPoint): string =>
  kind in workersBid ? `${mechanism}, ${workersBid[kind as Base]}` : mechanism;

function liesText({ kind, lies }: FrontierPoint): string | null {
  if (kind !== "truthful" || lies === null) return null;
  if (lies.markets === 0) return "not looked for in markets of this size";
  if (lies.gainers > 0) return `${many(lies.gainers, "worker")} can gain in market ${lies.markets}`;
  return `none gains for ${many(lies.workers, "worker")}`;
}

/** Beside ours with truthful workers. */
const shownIn = (cells: readonly FrontierAt[], isShown: (point: FrontierPoint) => boolean): Shown[] =>
  cells.flatMap((cell) =>
    cell.points
      .filter(isShown)
      .map((point) => ({ cell, point, relative: relativeTo(point, baseIn(cell, "ours")!) })),
  );

/** Both measures with their intervals. */
const relativeColumns = (labels: readonly string[], from = {}): Field<Shown>[] =>
  (["utility", "unit"] as const).flatMap((name, k) =>
    column.estimate(column.amount(name, labels[k]!), ({ relative }: Shown) => relative[name], {
      ...from,
      own: true,
    }),
  );

const besideOurs = (ours: string) => [`utility / ${ours}'s`, `utility per unit paid / ${ours}'s`];

const STRATEGIC = "bids of strategic workers";

const pointColumns = (ours: string): Field<Shown>[] => [
  column.text("size", "markets", ({ cell }) => settingText(cell)),
  column.text("label", "mechanism", ({ point }) => labelOf(point)),
  column.text("family", "family", ({ point }) => familyOf(point)),
  column.amount("value", "value of its option", ({ point }) => point.value),
  ...relativeColumns(besideOurs(ours)),
  column.share(
    "ofLimit",
    "of the bound for truthful mechanisms that start on time and buy rounds only from the arrival on",
    ({ point, cell }) => (isBounded(point) ? shareOfLimit(point, cell).mean : null),
  ),
  column.text("sees", "sees", ({ point }) =>
    point.kind === "responses" || point.kind === "equilibrium" ? STRATEGIC : point.sees,
  ),
  column.text("lies", "lies", ({ point }) => liesText(point)),
  column.count("markets", "number of markets", ({ cell }) => cell.markets),
];

const familyOf = ({ mechanism }: FrontierPoint): string => mechanism.replace(/:.*/, "");

const bothTable = (ours: string, chosen: readonly Chosen[]): Table =>
  tableOf("both", "The truthful mechanism that gives most of both measures", chosen, [
    column.text("comparedWith", "compared with", ({ base }) => `${ours}, ${workersBid[base]}`),
    column.count("workers", "workers", ({ cell }) => cell.workers),
    column.text("budgetName", "budget", ({ cell }) => cell.budgetName),
    column.amount("budget", "budget", ({ cell }) => cell.budget),
    column.text("mechanism", "truthful mechanism", ({ point }) => point.mechanism),
    column.amount("both", `share of both of ${ours}'s`, ({ relative }) => ofBoth(relative)),
    ...relativeColumns(["utility", "per unit paid"], column.together),
    column.count("markets", "markets", ({ relative }) => relative.utility.n),
  ]);

function attemptsTable(ours: string, tried: readonly Shown[]): Table {
  const title =
    "Repairs that were tried and are not built in: a lie gains, or they give less than those that are";
  return tableOf("attempts", title, tried, [
    column.text("label", "attempt", ({ point }) => point.mechanism),
    column.text("about", "what it does", ({ point }) => attemptOf(point).mechanism.about),
    ...relativeColumns(besideOurs(ours)),
    column.amount("gain", "gain of a lie", ({ point }) => point.lies?.largest?.gain),
    column.text("market", "in this market", ({ point }) => JSON.stringify(attemptOf(point).breaksIn)),
  ]);
}

const attemptOf = (point: FrontierPoint) =>
  attempts.find(({ mechanism }) => mechanism.name === point.mechanism)!;

export function tables(result: FrontierResult): Table[] {
  const { ours, cells } = result;
  const tried = shownIn(cells.filter(isPapers), ({ kind }) => kind === "attempt");
  const points = shownIn(cells, ({ kind }) => kind !== "attempt");
  const title = `What the publisher gets, as shares of what ${ours} gives with truthful workers`;
  return [
    tableOf("frontier", title, points, pointColumns(ours)),
    bothTable(
      ours,
      bases.flatMap((base) => chosenOf(result, base)),
    ),
    ...(tried.length === 0 ? [] : [attemptsTable(ours, tried)]),
  ];
}

const isPapers = ({ workers, budget }: FrontierAt): boolean => workers === 100 && budget === 125;

/** Whether enough markets have payments, without which there is no utility per unit paid. */
const isComparable = ({ accounts }: FrontierPoint): boolean =>
  accounts.filter(({ spent }) => spent > 0).length >= FEWEST;

/** Those that decide from bids as they arrive, and ours with strategic workers. */
export function charts(result: FrontierResult): Chart[] {
  const { ours, cells } = result;
  const opening = cells
    .filter((cell) => isComparable(baseIn(cell, "ours")!))
    .sort((a, b) => Number(isPapers(b)) - Number(isPapers(a)));
  if (opening.length === 0) return [];
  const choices = [{ field: "size", label: "Markets", values: opening.map(settingText) }];
  const drawn = cells.flatMap(({ points }) =>
    points.filter(({ kind, sees }) => kind !== "attempt" && sees === ONLINE),
  );
  const families = [...new Set(drawn.map(familyOf))];
  const [x, y] = ["utility", "unit"].map((field, k) =>
    axis.amount(field, besideOurs(ours)[k]!, { scale: { zero: false, padding: 20 } }),
  );
  const level = { mark: { type: "rule", strokeDash: [4, 4], tooltip: null } };
  const color = {
    ...colour.mechanism("family", families),
    title: null,
    legend: { columns: { expr: "max(1, floor(width / 130))" } },
  };
  const strategic = (value: string) => ({ test: `datum.sees === '${STRATEGIC}'`, value });
  const shape = { condition: strategic("cross"), value: "circle" };
  const stroke = { condition: strategic("black"), value: "transparent" };
  return [
    {
      name: "frontier",
      title: `What truthful mechanisms give the publisher, relative to ${ours}`,
      table: "frontier",
      choices,
      spec: {
        height: 245,
        transform: [{ filter: { field: "sees", oneOf: [ONLINE, STRATEGIC] } }],
        layer: [
          { ...level, encoding: { x: { datum: 1 } } },
          { ...level, encoding: { y: { datum: 1 } } },
          {
            transform: [{ filter: "isValid(datum.value)" }],
            mark: { type: "line", tooltip: null },
            encoding: { x, y, color, order: { field: "value" } },
          },
          {
            mark: { type: "point", size: 80, opacity: 1 },
            encoding: { x, y, color, shape, stroke, tooltip: marks.tooltip(pointColumns(ours)) },
          },
        ],
      },
      summary: captions(choices, ({ size }) =>
        captionOf(cells.find((cell) => settingText(cell) === size)!, result),
      ),
      howToRead: `Right of the vertical dashed line the publisher gets more than from ${ours} with truthful workers, above the horizontal one more per unit paid. Lines join the values of a mechanism's option; crosses are ${ours} with strategic workers.`,
    },
  ];
}

function captionOf(cell: FrontierAt, result: FrontierResult): string {
  const base = baseIn(cell, "ours")!;
  const candidates = choosable(cell, result);
  const better = candidates.filter((point) => ofBoth(relativeTo(point, base)) > 1);
  const counted =
    better.length === 0 ? "none gives" : `${better.length} ${better.length === 1 ? "gives" : "give"}`;
  return `${settingText(cell)}: of ${candidates.length} truthful mechanisms and settings that decide from bids as they arrive, ${counted} more of both than ${result.ours} with truthful workers, on average over ${many(cell.markets, "market")}.`;
}

export function findings(result: FrontierResult): Finding[] {
  const { ours } = result;
  const truthful = chosenOf(result, "ours");
  const strategic = [...chosenOf(result, "equilibrium"), ...chosenOf(result, "responses")];
  return [
    ...truthful.filter(({ cell }) => isPapers(cell)).map((chosen) => paperFinding(chosen, ours)),
    ...result.cells.filter(isPapers).flatMap((cell) => limitFinding(cell, result)),
    ...freeFinding(truthful, `${ours} with truthful workers`, 46),
    ...freeFinding(strategic, `${ours} with strategic workers`, 44),
  ];
}

const paperFinding = ({ cell, point, relative }: Chosen, ours: string): Finding => ({
  text: `With ${cell.workers} workers and a budget of ${brief(cell.budget)}, the best truthful mechanism, ${point.mechanism}, gives the publisher ${withInterval(relative.utility, twoPlaces)} times the utility that ${ours} gives with truthful workers. Per unit paid it gives ${withInterval(relative.unit, twoPlaces)} times as much.`,
  weight: 48,
});

/** How far the best possible is. */
function limitFinding(cell: FrontierAt, result: FrontierResult): Finding[] {
  const found = choosable(cell, result).map((point) => ({ point, share: shareOfLimit(point, cell) }));
  if (found.length === 0) return [];
  const best = found.reduce((a, b) => (b.share.mean > a.share.mean ? b : a));
  const text = `No mechanism that starts on time, buys rounds only from a worker's arrival on, and in which asking the true cost is best can get more for its spending than a bound by virtual costs. With ${cell.workers} workers and a budget of ${brief(cell.budget)}, ${best.point.mechanism} gets ${shareWithInterval(best.share)} of that bound, on average over ${many(cell.markets, "market")}.`;
  return [{ text, weight: 36 }];
}

/** Where truthfulness costs nothing: both intervals, corrected for the number of comparisons, are above 1. */
function freeFinding(chosen: readonly Chosen[], compared: string, weight: number): Finding[] {
  if (chosen.length === 0) return [];
  const sure = chosen.filter(({ relative }) => relative.utility.low >= 1 && relative.unit.low >= 1);
  const where = [...new Set(sure.map(({ cell }) => settingText(cell)))].join("; ");
  const text = `A truthful mechanism is shown to give the publisher more utility, and more per unit paid, than ${compared} in ${sure.length || "none"} of ${many(chosen.length, "comparison")} (${where}${where && "; "}95 % for all comparisons together).`;
  return [{ text, weight }];
}

export function methods({ settings, ours, gaining }: FrontierResult): string[] {
  const sizes = settings.sizes.map(({ workers, markets }) => `${markets} of ${workers}`);
  return [
    `Markets drawn as in the paper, for each of ${Object.keys(settings.budgets).length} budgets (${listed(Object.entries(settings.budgets).map(([name, each]) => `${name}: ${each} for each worker`))}): ${listed(sizes)} workers, 10 rounds. All mechanisms meet the same markets; ratios of means, with paired intervals.`,
    `Truthful are mechanisms with an argument that no lie gains; everybody's exact best lie was worked out in the first markets of the smaller sizes, and ${gaining.length === 0 ? "none gains" : `${listed(gaining)} had one that gains and ${gaining.length === 1 ? "is" : "are"} not chosen`}.`,
    "Of the truthful mechanisms and their options, the one that gives most of both measures (whose smaller share is largest) is chosen on half of the markets and measured on the other half.",
    `Strategic workers of ${ours} see nobody's bids. “Best respond to the truth”: each plays the best bid against truthful others, on draws other than these markets. “In equilibrium”: best responses to best responses, where they settle within 0.03; one computation, so intervals beside it are of markets, given the bids found; worked out for up to ${Math.max(0, ...settings.sizes.filter(({ equilibrium }) => equilibrium > 0).map(({ workers }) => workers))} workers.`,
    "The bound holds in expectation over markets drawn as in the paper, for every rule of selection and payment that starts on time, buys rounds only from a worker's arrival on, and under which asking the true cost is best and never loses. Mechanisms that see all bids at once buy rounds from before the arrival too, and a delayed start moves rounds: these may exceed it and have no share of it. Shares of it are means over these markets and may exceed 1 by chance.",
    "Mechanisms that see all bids or costs at once, or whose price rests on knowing how such markets usually look, are in the table for comparison, never chosen and not drawn.",
  ];
}
