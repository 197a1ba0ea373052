/** What truthfulness costs the publisher: truthful mechanisms beside ours, whose workers tell the truth or do not. */

import { mean } from "d3-array";
import { type AnyMechanism, runAuction } from "../src/auction/mechanism.js";
import { type PublisherAccount, publisherAccount } from "../src/auction/outcome.js";
import { isInformed } from "../src/auction/program.js";
import { brief, listed, many, shareWithInterval, twoPlaces, withInterval } from "../src/lib/format.js";
import { type Estimate, estimate, FEWEST } from "../src/lib/statistics.js";
import type { Market } from "../src/market/market.js";
import { variantOf } from "../src/mechanisms/index.js";
import type { Chart, Finding, Table } from "../src/report/result.js";
import { axis, captions, colour, column, type Field, marks, tableOf } from "../src/report/vocabulary.js";
import { drawnBelief, type Strategy } from "../src/responses/belief.js";
import { drawsOf } from "../src/responses/draws.js";
import { interimEquilibrium, strategyOf } from "../src/responses/equilibrium.js";
import { isExact, isFast } from "../src/responses/index.js";
import { InterimPolicy } from "../src/responses/interim.js";
import type { Analysis } from "../src/study/analysis.js";
import { collectJob, type JobContext, type Profile } from "../src/study/job.js";
import { type LieCount, liesIn } from "../src/verdicts/design.js";
import { attempts } from "./frontier/attempts.js";
import { truthfulLimit } from "./frontier/truthful-limit.js";
import { type Measure, marketAt, ROUNDS, ratioOf, type Setting, settingText } from "./shared/publisher.js";

/** Options to sweep, by mechanism; a mechanism that has none is one point. */
type Sweeps = Readonly<Record<string, { readonly option: string; readonly values: readonly number[] }>>;

interface Size {
  readonly workers: number;
  readonly markets: number;
  /** In so many of them everybody's best lie is worked out under every truthful mechanism. */
  readonly lieMarkets: number;
  /** On so many draws of the others best responses to the truth are worked out; not at all where there are none. */
  readonly responses: number;
  /** The same for best responses to best responses. */
  readonly equilibrium: number;
  /** Whether mechanisms that were tried and not built in are shown too. */
  readonly attempts?: true;
}

export interface FrontierSettings {
  readonly sizes: readonly Size[];
  /** The budget for each worker, with what to call it: the paper has 125 for 100. */
  readonly budgets: Readonly<Record<string, number>>;
  readonly sweeps: Sweeps;
  /** Mechanisms whose price comes from knowing how such markets usually look: drawn for comparison, never chosen. */
  readonly priceKnown: readonly string[];
}

const common = {
  budgets: { scarce: 0.5, "the paper's": 1.25, ample: 3 },
  sweeps: {
    "posted-rounds": { option: "share", values: [0.5, 0.6, 0.7, 0.8, 0.9, 1] },
    "round-auctions": { option: "share", values: [0.6, 0.7, 0.76, 0.85, 1] },
    "fixed-threshold": { option: "density", values: [0.5, 0.55, 0.6, 0.65, 0.75] },
  },
  priceKnown: ["fixed-threshold", "learned-price"],
};

const settings: Record<Profile, FrontierSettings> = {
  quick: {
    ...common,
    sizes: [
      { workers: 10, markets: 200, lieMarkets: 5, responses: 300, equilibrium: 120 },
      { workers: 30, markets: 120, lieMarkets: 1, responses: 300, equilibrium: 60 },
      { workers: 100, markets: 200, lieMarkets: 0, responses: 150, equilibrium: 0, attempts: true },
      { workers: 300, markets: 100, lieMarkets: 0, responses: 40, equilibrium: 0 },
    ],
  },
  full: {
    ...common,
    sizes: [10, 20, 30, 50, 100, 200, 300].map((workers) => ({
      workers,
      markets: 400,
      lieMarkets: workers <= 50 ? 100 : 10,
      responses: 400,
      equilibrium: workers <= 30 ? 400 : 0,
      ...(workers === 100 && { attempts: true }),
    })),
  },
};

interface FrontierCell extends Setting, Size, Pick<FrontierSettings, "sweeps" | "priceKnown"> {
  readonly budgetName: string;
}

/** Whose accounts: a mechanism with truthful workers, or ours with workers who bid by a strategy. */
interface FrontierPoint {
  readonly mechanism: string;
  /** Of a swept option. */
  readonly value: number | null;
  readonly kind: "truthful" | "ours" | "limit" | "responses" | "equilibrium" | "attempt";
  /** What it decides from. */
  readonly sees:
    | "bids as they arrive"
    | "bids as they arrive, and a price beforehand"
    | "all bids at once"
    | "all costs";
  readonly accounts: readonly PublisherAccount[];
  readonly lies: LieCount | null;
}

interface FrontierAt extends FrontierCell {
  readonly points: readonly FrontierPoint[];
}

interface FrontierResult {
  readonly settings: FrontierSettings;
  readonly ours: string;
  readonly cells: readonly FrontierAt[];
  /** Mechanisms that are said to be truthful, and under which a lie was found to gain. */
  readonly gaining: readonly string[];
}

interface Variant {
  readonly mechanism: AnyMechanism;
  /** Of a swept option. */
  readonly value?: number;
}

/** Those that are said to be truthful, with the values of the options that are swept; lies are then looked for. */
const truthfulVariants = (sweeps: Sweeps, { allMechanisms, mechanism: ours }: JobContext): Variant[] =>
  allMechanisms
    .filter((one) => one !== ours && one.truthful !== undefined && isPlain(one))
    .flatMap((mechanism): Variant[] => {
      const sweep = Object.hasOwn(sweeps, mechanism.name) ? sweeps[mechanism.name] : undefined;
      if (sweep === undefined || mechanism.options?.[sweep.option] === undefined) return [{ mechanism }];
      const variant = (value: number) => variantOf(mechanism, `${sweep.option}=${value}`);
      return sweep.values.map((value) => ({ mechanism: variant(value), value }));
    });

/** Decides from bids alone, without chance, and has exact best responses. */
const isPlain = (one: AnyMechanism): boolean => !one.stochastic && !isInformed(one) && isExact(one);

function look(cell: FrontierCell, _: number, context: JobContext): FrontierPoint[] {
  const { mechanism: ours, allMechanisms, stream } = context;
  const markets = Array.from({ length: cell.markets }, (_, k) => marketAt(cell, k, stream));
  const accountsOf = (mechanism: AnyMechanism, strategy?: Strategy) =>
    markets.map((market) => accountOf(market, mechanism, strategy));
  const pointOf = (
    kind: FrontierPoint["kind"],
    { mechanism, value }: Variant,
    lies: LieCount | null = null,
  ): FrontierPoint => ({
    ...{ mechanism: mechanism.name, value: value ?? null, kind, lies },
    sees: seenBy(mechanism, cell.priceKnown),
    accounts: accountsOf(mechanism),
  });
  const base = pointOf("ours", { mechanism: ours });
  return [
    base,
    ...strategies(cell, markets, context).map(([kind, strategy]) => {
      return { ...base, kind, accounts: accountsOf(ours, strategy) };
    }),
    ...truthfulVariants(cell.sweeps, context).map((one) =>
      pointOf("truthful", one, liesIn(one.mechanism, markets.slice(0, cell.lieMarkets))),
    ),
    ...(cell.attempts ? attempts : []).map(({ mechanism, breaksIn }) =>
      pointOf("attempt", { mechanism }, breaksIn ? liesIn(mechanism, [breaksIn]) : null),
    ),
    ...allMechanisms
      .filter((one) => isInformed(one) && one !== ours)
      .map((mechanism) => pointOf("limit", { mechanism })),
  ];
}

function seenBy(mechanism: AnyMechanism, priceKnown: readonly string[]): FrontierPoint["sees"] {
  if (isInformed(mechanism)) return "all costs";
  if (mechanism.offline) return "all bids at once";
  const known = priceKnown.includes(mechanism.name.replace(/:.*/, ""));
  return known ? "bids as they arrive, and a price beforehand" : "bids as they arrive";
}

function accountOf(market: Market, mechanism: AnyMechanism, strategy?: Strategy): PublisherAccount {
  const bids = strategy ? market.workers.map((type) => ({ worker: type.id, ...strategy(type) })) : [];
  return publisherAccount(market.workers, runAuction(mechanism, market, bids));
}

const REPUTATIONS = 8;

/** As in the analysis of equilibria. */
const equilibriumTable = {
  reputations: [0.1, 0.3, 0.5, 0.7, 0.9],
  costs: Array.from({ length: 14 }, (_, k) => 0.08 + 0.04 * k),
  ...{ damping: 1, tolerance: 0.03, iterations: 20 },
};

/** How strategic workers of ours bid, where that can be worked out. */
function strategies(
  { responses, equilibrium }: FrontierCell,
  markets: readonly Market[],
  { mechanism: ours, stream }: JobContext,
): ["responses" | "equilibrium", Strategy][] {
  if (!isPlain(ours) || !isFast(ours)) return [];
  const { rules, workers } = markets[0]!;
  const belief = drawnBelief({ rules, ids: workers.map(({ id }) => id) }, stream.fork("others"));
  const found: ["responses" | "equilibrium", Strategy][] = [];
  if (responses > 0) {
    const drawn = drawsOf(belief, 0, responses);
    const policy = new InterimPolicy({ rules, mechanism: ours, workers: drawn, reputations: REPUTATIONS });
    found.push(["responses", policy.bid]);
  }
  if (equilibrium > 0) {
    const { strategy, end } = interimEquilibrium({
      ...{ rules, mechanism: ours, belief, draws: equilibrium, ...equilibriumTable },
      ...{ types: workers.slice(0, 1), stream: stream.fork("multipliers") },
    });
    if (end.kind === "settled") found.push(["equilibrium", strategyOf(strategy)]);
  }
  return found;
}

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

function tables(result: FrontierResult): Table[] {
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
function charts(result: FrontierResult): Chart[] {
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

function findings(result: FrontierResult): Finding[] {
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

function methods({ settings, ours, gaining }: FrontierResult): string[] {
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

export const frontier: Analysis<FrontierSettings, FrontierCell, FrontierPoint[][], FrontierResult> = {
  name: "frontier",
  question: "What does truthfulness cost the publisher, and where does it cost nothing?",
  part: "mechanisms",
  settings: ({ profile }) => settings[profile],
  plan: ({ sizes, budgets, sweeps, priceKnown }) =>
    sizes.flatMap((size) =>
      Object.entries(budgets).map(([budgetName, each]) => ({
        cell: { ...size, budget: each * size.workers, budgetName, sweeps, priceKnown },
        markets: 1,
      })),
    ),
  job: collectJob(
    look,
    ({ workers, markets, equilibrium, lieMarkets }) =>
      0.03 * workers * markets + 10 * equilibrium + 300 * lieMarkets,
  ),
  conclude: (gathered, settings, { mechanism }) => {
    const cells = gathered.flatMap(({ cell, summary }) =>
      (summary ?? []).map((points) => ({ ...cell, points })),
    );
    const gaining = cells
      .flatMap(({ points }) => points)
      .filter(({ kind, lies }) => kind === "truthful" && lies!.gainers > 0);
    const names = gaining.map((point) => point.mechanism);
    return { settings, ours: mechanism.name, cells, gaining: [...new Set(names)] };
  },
  tables,
  charts,
  findings,
  methods,
};
