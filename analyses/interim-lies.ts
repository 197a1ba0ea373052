/** What pays when a worker does not see the others' bids, by relative budget, number of workers and mechanism. */

import type { AnyMechanism } from "../src/auction/mechanism.js";
import { capital, listed, many, percent, stated, threeDigits } from "../src/lib/format.js";
import type { Stream } from "../src/lib/random.js";
import { type Estimate, estimate, FEWEST, meanAlone, meanRatio, share } from "../src/lib/statistics.js";
import { paperRules, type Rules, type Worker } from "../src/market/market.js";
import type { Chart, Finding, Table } from "../src/report/result.js";
import { axis, captions, colour, column, marks, rankedFindings, tableOf } from "../src/report/vocabulary.js";
import { type Belief, drawnBelief } from "../src/responses/belief.js";
import { Draws, drawsOf } from "../src/responses/draws.js";
import { isExact } from "../src/responses/index.js";
import {
  Interim,
  type InterimKind,
  type InterimResponse,
  interimKindOf,
  judgingDraws,
} from "../src/responses/interim.js";
import { type LargestGain, largestGain } from "../src/responses/largest-gain.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { collectJob, type JobContext, jobByKind, type OfKind, type WorkContext } from "../src/study/job.js";
import { bounded } from "./shared/gains.js";
import { type BySpeed, roundsOnOffer, settingsFor } from "./shared/survey.js";

/** A size of market, drawn as in the paper. */
interface Place {
  readonly workers: number;
  readonly budget: number;
}

/** Every type meets draws of its own, so that types are independent of each other. */
interface Sample {
  readonly types: number;
  /** On so many a lie is chosen; more others judge it. */
  readonly draws: number;
  /** On so many of these a best lie is worked out for somebody who sees all bids. */
  readonly omniscientDraws: number;
}

/** Of ε: all reputations, with all costs that have such a reputation, at all arrivals. */
interface TypeGrid {
  readonly reputations: readonly number[];
  /** Shares of types of the same reputation whose cost is lower. */
  readonly costs: readonly number[];
  readonly arrivals: readonly number[];
}

interface Bounded {
  readonly draws: number;
  /** Of the bootstrap. */
  readonly replicates: number;
}

export interface InterimLiesSettings {
  readonly rounds: number;
  readonly sizes: readonly number[];
  readonly budgetsPerWorker: readonly number[];
  readonly sample: Sample;
  /** Looked at more closely: with more types, and ε. The first opens the report. */
  readonly places: readonly (Place & { readonly sample: Sample; readonly epsilon: Bounded })[];
  readonly grid: TypeGrid;
  /** Where the other mechanisms are looked at: the first of the places. */
  readonly others: Sample;
}

const small: Place = { workers: 10, budget: 12 };
const larger: Place = { workers: 20, budget: 24 };
const paper: Place = { workers: 100, budget: 125 };

const map = { rounds: 10, sizes: [5, 10, 20, 40], budgetsPerWorker: [0.3, 0.6, 0.9, 1.2, 1.8, 2.5] };

const grid: TypeGrid = {
  reputations: [0.1, 0.3, 0.5, 0.7, 0.9],
  costs: [0.1, 0.3, 0.5, 0.7, 0.9],
  arrivals: [1, 3],
};

const fineGrid: TypeGrid = {
  ...grid,
  reputations: [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95],
};

const coarse = { rounds: 10, sizes: [5, 10], budgetsPerWorker: [0.6, 1.2, 2.5] };

const coarseGrid: TypeGrid = { reputations: [0.3, 0.9], costs: [0.3, 0.7], arrivals: [1] };

const few: Sample = { types: 12, draws: 40, omniscientDraws: 8 };
const some: Sample = { types: 80, draws: 200, omniscientDraws: 40 };
const lots: Sample = { types: 1000, draws: 2000, omniscientDraws: 100 };

/** With as many draws for ε. */
const closely = (place: Place, sample: Sample, replicates: number) => ({
  ...place,
  sample,
  epsilon: { draws: sample.draws, replicates },
});

const profiles: BySpeed<InterimLiesSettings> = {
  quick: {
    fast: {
      ...{ ...map, grid, sample: { types: 30, draws: 250, omniscientDraws: 25 } },
      places: [
        closely(small, { types: 100, draws: 300, omniscientDraws: 25 }, 250),
        closely(larger, { types: 60, draws: 300, omniscientDraws: 25 }, 250),
        closely(paper, { types: 5, draws: 150, omniscientDraws: 10 }, 250),
      ],
      others: { types: 20, draws: 60, omniscientDraws: 12 },
    },
    slow: {
      ...{ ...coarse, grid: coarseGrid, sample: few, others: few },
      places: [closely(small, few, 250)],
    },
  },
  full: {
    fast: {
      ...{ ...map, sizes: [5, 10, 20, 40, 80], grid: fineGrid },
      sample: { types: 400, draws: 2000, omniscientDraws: 100 },
      places: [small, larger, paper].map((place) => closely(place, lots, 1000)),
      others: { types: 200, draws: 400, omniscientDraws: 50 },
    },
    slow: { ...{ ...coarse, grid, sample: some, others: some }, places: [closely(small, some, 1000)] },
  },
};

interface At extends Place {
  readonly mechanism: string;
  readonly rounds: number;
}

/** A size at several budgets: types and their draws are the same at all of them. */
interface GainsCell extends Omit<At, "budget">, Sample {
  readonly kind: "gains";
  readonly budgets: readonly number[];
}

interface EpsilonCell extends At, Bounded {
  readonly kind: "epsilon";
  readonly grid: TypeGrid;
}

type InterimCell = GainsCell | EpsilonCell;

/** A type at one budget. */
interface TypeFound {
  readonly kind: InterimKind;
  /** Whether the interval of the gain lies above 0. */
  readonly pays: boolean;
  /** What its best lie gains on average if it sees all bids. */
  readonly omniscient: number;
  readonly gain: number;
}

/** The type that gains most, and what its lie does on the draws that judge. */
type EpsilonFound = LargestGain & Pick<InterimResponse, "truthful" | "startsEarlier">;

/** By type and budget; or one. */
type InterimSummary = OfKind<"gains", TypeFound[][]> | OfKind<"epsilon", EpsilonFound[]>;

const rulesAt = ({ budget, rounds }: Pick<At, "budget" | "rounds">): Rules => ({
  ...paperRules,
  budget,
  rounds,
});

function beliefIn({ workers, rounds }: Omit<At, "budget">, stream: Stream): Belief {
  const ids = Array.from({ length: workers }, (_, id) => id);
  return drawnBelief({ rules: rulesAt({ budget: 1, rounds }), ids }, stream);
}

const mechanismOf = (cell: InterimCell, { mechanisms }: Pick<JobContext, "mechanisms">): AnyMechanism =>
  mechanisms.find(({ name }) => name === cell.mechanism)!;

/** Types take the workers' places in turn, so that both groups of the auction are seen. */
const gainsJob = collectJob(
  (cell: GainsCell, k, context): TypeFound[] => {
    const own = context.stream.fork(`${cell.workers} workers`).fork(k);
    const others = beliefIn(cell, own.fork("others"));
    const type = beliefIn(cell, own.fork("type")).draw(0)[k % cell.workers]!;
    const { draws, omniscientDraws } = cell;
    const workers = drawsOf(others, 0, draws + judgingDraws(draws));
    const belief = { ...others, draw: (j: number) => workers[j]! };
    const mechanism = mechanismOf(cell, context);
    return cell.budgets.map((budget) => {
      const rules = rulesAt({ ...cell, budget });
      const interim = new Interim({ rules, mechanism, belief, draws });
      const response = interim.response(type);
      const [kind, omniscient] = [interimKindOf(response), interim.omniscientGain(type, omniscientDraws)];
      return { kind, pays: response.low > 0, omniscient, gain: response.gain };
    });
  },
  ({ draws, workers, mechanism, budgets }) =>
    budgets.length * draws * (mechanism === "online" ? 0.02 + 0.0004 * workers : 0.3),
);

const epsilonJob = collectJob(
  (cell: EpsilonCell, _k, context): EpsilonFound => {
    const own = context.stream.fork(`ε, ${cell.workers} workers`);
    const [rules, belief] = [rulesAt(cell), beliefIn(cell, own.fork("others"))];
    const { draws, replicates } = cell;
    const mechanism = mechanismOf(cell, context);
    const drawn = (from: number) => new Draws({ rules, mechanism, workers: drawsOf(belief, from, draws) });
    const found = largestGain({
      types: typesOf(cell.grid),
      chosenOn: drawn(0),
      judgedOn: drawn(draws),
      stream: own.fork("multipliers"),
      replicates,
    });
    const interim = new Interim({ rules, mechanism, belief, draws });
    const response = interim.judge(found.type, { ...found.bid, gain: found.chosenGain });
    return { ...found, truthful: response.truthful, startsEarlier: response.startsEarlier };
  },
  ({ grid: { reputations, costs, arrivals }, draws, replicates }) =>
    0.0003 * reputations.length * costs.length * arrivals.length * draws * replicates,
);

/** Costs are even between Re/3 + 1/15 and Re/3 + 4/15. */
function typesOf({ reputations, costs, arrivals }: TypeGrid): Worker[] {
  return reputations.flatMap((reputation) =>
    costs.flatMap((share) =>
      arrivals.map((arrival) => ({ id: 0, reputation, cost: reputation / 3 + 1 / 15 + share / 5, arrival })),
    ),
  );
}

interface EpsilonAt extends EpsilonFound, Bounded, At {
  readonly types: number;
}

interface InterimLies {
  readonly ours: string;
  readonly settings: InterimLiesSettings;
  /** Ours, by size and budget. */
  readonly map: readonly GainsAt[];
  /** Ours at the places looked at more closely. */
  readonly places: readonly GainsAt[];
  readonly epsilons: readonly EpsilonAt[];
  /** All mechanisms at the first of the places, ours first. */
  readonly mechanisms: readonly GainsAt[];
}

const isAt =
  (place: Place) =>
  ({ workers, budget }: Place): boolean =>
    workers === place.workers && budget === place.budget;

/** Whether expected gains are known at all prices; of those searched for there is no ε. */
const isExactly = (mechanism: AnyMechanism): boolean => !mechanism.stochastic && isExact(mechanism);

/** What was found at each of a cell's budgets; intervals are over types. */
function gainsIn({ cell, summary }: Gathered<InterimCell, InterimSummary>, context: JobContext) {
  if (cell.kind !== "gains" || summary?.kind !== "gains") return [];
  const { kind: _, budgets, ...rest } = cell;
  const exact = isExactly(mechanismOf(cell, context));
  return budgets.map((budget, k) => {
    const types = summary.summary.map((type) => type[k]!);
    return { ...rest, judgedOn: judgingDraws(rest.draws), budget, exact, ...overTypes(types, exact) };
  });
}

type GainsAt = ReturnType<typeof gainsIn>[number];

/** Where lies are not the best on the draws they were chosen on, more types may gain. */
function overTypes(types: readonly TypeFound[], exact: boolean) {
  const known = (found: Estimate) => bounded(found, exact);
  const paying = (some: readonly TypeFound[]) =>
    known(share(some.filter(({ pays }) => pays).length, types.length));
  // A mean that rests on a few types has no interval: by Student's t it would claim too much.
  const mean = (value: (type: TypeFound) => number, gains: (type: TypeFound) => boolean) => {
    const found = estimate(types.map(value));
    return known(types.filter(gains).length < FEWEST ? meanAlone(found.mean, found.n) : found);
  };
  const omniscient = mean(
    (type) => type.omniscient,
    (type) => type.omniscient > 0,
  );
  const kinds = [...new Set(types.map(({ kind }) => kind))].filter((kind) => kind !== "truth");
  return {
    pays: paying(types),
    gain: mean(
      ({ gain }) => gain,
      ({ pays }) => pays,
    ),
    /** Of somebody who sees all bids. */
    omniscient,
    /** The one of the other; null where that may be nothing. */
    withinReach: omniscient.low > 0 ? meanRatio(types.map((type) => [type.gain, type.omniscient])) : null,
    /** Of all types, those who choose a kind of lie and for whom it pays, and its part of the mean gain; the largest first. */
    kinds: kinds
      .map((kind) => ({
        kind,
        pays: paying(types.filter((type) => type.kind === kind)),
        gain: mean(
          (type) => (type.kind === kind ? type.gain : 0),
          (type) => type.kind === kind && type.pays,
        ),
      }))
      .sort((a, b) => b.gain.mean - a.gain.mean),
  };
}

/** Ours at all places and in the map, and the others at the first of the places. */
function gainsCells(settings: InterimLiesSettings, { mechanism, mechanisms }: WorkContext): GainsCell[] {
  const { rounds, sizes, budgetsPerWorker, places, sample, others } = settings;
  const ours = { kind: "gains", mechanism: mechanism.name, rounds } as const;
  const { workers, budget } = places[0]!;
  return [
    ...places.map((at) => ({ ...ours, ...at.sample, workers: at.workers, budgets: [at.budget] })),
    ...sizes.map((workers) => {
      const all = budgetsPerWorker.map((each) => Number((each * workers).toPrecision(6)));
      const budgets = all.filter((budget) => !places.some(isAt({ workers, budget })));
      return { ...ours, ...sample, workers, budgets };
    }),
    ...mechanisms
      .filter((one) => one.name !== mechanism.name)
      .map(({ name }) => ({ ...ours, ...others, mechanism: name, workers, budgets: [budget] })),
  ];
}

/** Costs are 1/3 on average, whenever somebody arrives. */
const ratioOf = ({ workers, budget, rounds }: GainsAt): number =>
  budget / ((workers / 3) * roundsOnOffer(rounds));

/** An amount as a share of the budget per worker. */
const perBudget = ({ mean, low, high, n }: Estimate, { workers, budget }: Place): Estimate => {
  const unit = budget / workers;
  return { mean: mean / unit, low: low / unit, high: high / unit, n };
};

const measuresOf = (at: GainsAt) => ({
  "types for whom a lie pays": at.pays,
  "mean gain / budget per worker": perBudget(at.gain, at),
  "mean gain / that of somebody who sees all bids": at.withinReach,
});

const sizeText = ({ workers }: Pick<Place, "workers">): string => `${workers} workers`;

const placeText = ({ workers, budget }: Place): string => `${workers} workers at a budget of ${budget}`;

/** What is known of each market, measure by measure. */
const measuredIn = ({ map }: InterimLies) =>
  map.flatMap((at) =>
    Object.entries(measuresOf(at)).flatMap(([measure, value]) => (value ? [{ ...at, measure, value }] : [])),
  );

type Measured = ReturnType<typeof measuredIn>[number];

const sizeColumn = column.text("size", "Market", sizeText);

const budgetColumn = column.amount("budget", "Budget");

const sampleColumns = [column.count("types", "Types"), column.count("judgedOn", "Draws that judge")];

const mapColumns = [
  sizeColumn,
  budgetColumn,
  column.amount("ratio", "Relative budget", ratioOf),
  column.text("measure", "Measured"),
  ...column.estimate(column.share("share", "Share"), ({ value }: Measured) => value),
  ...sampleColumns,
];

/** A lie as a doing. */
const kindWords: Readonly<Record<InterimKind, string>> = {
  truth: "telling the truth",
  "lower price that forces the start": "asking less than the cost so that the task starts earlier",
  "lower price": "asking less than the cost",
  "higher price": "asking more than the cost",
  delay: "coming late",
  "lower price and delay": "asking less and coming late",
  "higher price and delay": "asking more and coming late",
};

const tables = (result: InterimLies): Table[] => [
  tableOf(
    "by-budget",
    "Lies without seeing the others' bids, by relative budget and number of workers",
    measuredIn(result),
    mapColumns,
  ),
  kindsTable(result),
  mechanismsTable(result),
  epsilonsTable(result),
];

function kindsTable({ map, mechanisms }: InterimLies): Table {
  const ofKinds = [...map, ...mechanisms.slice(1)].flatMap((at) =>
    at.kinds.map((one) => ({ ...at, ...one })),
  );
  return tableOf("kinds", "The same by kind of lie", ofKinds, [
    column.text("mechanism", "Mechanism"),
    sizeColumn,
    budgetColumn,
    column.text("said", "Lie", ({ kind }) => kind),
    column.share("pays", "Types who choose it and for whom it pays", ({ pays }) => pays.mean),
    ...column.estimate(column.amount("gain", "Its part of the mean gain")),
    column.count("types", "Types"),
  ]);
}

function mechanismsTable({ mechanisms, places }: InterimLies): Table {
  const lying = mechanisms.flatMap((at) => [
    { ...at, who: "knows only the rules", share: perBudget(at.gain, at), pays: at.pays.mean },
    {
      ...at,
      who: "sees all bids",
      share: perBudget(at.omniscient, at),
      pays: null,
      judgedOn: at.omniscientDraws,
    },
  ]);
  return tableOf("mechanisms", `What lies bring under each mechanism, ${placeText(places[0]!)}`, lying, [
    column.text("mechanism", "Mechanism"),
    column.text("who", "Who lies"),
    ...column.estimate(column.share("share", "Mean gain / budget per worker")),
    column.share("pays", "Types for whom it pays"),
    column.text("lies", "Lies", ({ exact }) => (exact ? "exact" : "searched for")),
    ...sampleColumns,
  ]);
}

const epsilonsTable = ({ epsilons }: InterimLies): Table =>
  tableOf("largest", "The most that any of these types can expect to gain", epsilons, [
    sizeColumn,
    budgetColumn,
    column.amount("gain", "Gain of the type that gains most"),
    column.amount("low", "95 % from"),
    column.amount("high", "to, for all types, prices and arrivals together"),
    column.amount("reputation", "Its reputation", ({ type }) => type.reputation),
    column.amount("cost", "Its cost", ({ type }) => type.cost),
    column.count("arrival", "Its arrival", ({ type }) => type.arrival),
    column.amount("price", "It asks", ({ bid }) => bid.price),
    column.count("late", "It comes late by", ({ bid, type }) => bid.arrival - type.arrival),
    column.amount("truthful", "The truth earns"),
    column.share("startsEarlier", "Draws in which the task starts earlier"),
    column.count("types", "Types"),
    column.count("draws", "Draws that judge"),
  ]);

/** Sizes at one budget stand beside each other. */
const BESIDE = 1.035;

function charts(result: InterimLies): Chart[] {
  const sizes = [...new Set(result.map.map(sizeText))];
  const measured = measuredIn(result);
  const values = [...new Set(measured.map(({ measure }) => measure))];
  const choices = [{ field: "measure", label: "Measured", values }];
  const beside = `datum.ratio * pow(${BESIDE}, indexof(${JSON.stringify(sizes)}, datum.size) - ${(sizes.length - 1) / 2})`;
  const title = "budget / expected true cost of all rounds on offer";
  const y = (field: string) => axis.percent(field, "");
  return [
    {
      name: "by-budget",
      title: "Lies of somebody who sees nobody's bid, by relative budget and number of workers",
      table: "by-budget",
      choices,
      spec: {
        height: 280,
        transform: [{ calculate: beside, as: "at" }],
        encoding: {
          x: axis.log("at", title, [0.1, 0.2, 0.5, 1, 2], { padding: 12 }),
          color: { ...axis.name("size", sizes), scale: colour.other(sizes), legend: { symbolOpacity: 1 } },
          tooltip: marks.tooltip(mapColumns),
        },
        layer: [
          {
            transform: [{ filter: "isValid(datum.high)" }],
            mark: { type: "rule", opacity: 0.45, strokeWidth: 2 },
            encoding: { y: y("low"), y2: { field: "high" } },
          },
          { mark: { type: "line", tooltip: null }, encoding: { y: y("share") } },
          { mark: { type: "point", size: 50, opacity: 1 }, encoding: { y: y("share") } },
        ],
      },
      summary: captions(choices, ({ measure }) =>
        budgetText(measured.filter((one) => one.measure === measure)),
      ),
      howToRead: `Lines are 95 % intervals over ${result.settings.sample.types} types or more; points of one budget are set apart.`,
    },
  ];
}

function budgetText(known: readonly Measured[]): string {
  const top = known.reduce((a, b) => (b.value.mean > a.value.mean ? b : a));
  const none = known.filter(({ value }) => value.low <= 0).length;
  return `${capital(top.measure)}: most with ${placeText(top)}, ${percent(top.value.mean)} (${many(top.types, "type")}); in ${none} of ${many(known.length, "market")} the interval includes 0.`;
}

/** With no gain anywhere, so many types would be counted by chance. */
const BY_CHANCE = 0.025;

const isPaying = ({ pays, gain }: GainsAt): boolean => pays.low > BY_CHANCE || gain.low > 0;

/** "38 % (95 %: 29 % to 47 %)"; of what was searched for, only the number. */
function shareText(value: Estimate, exact = true, unit = ""): string {
  const [mean, interval] = stated(value);
  return `${mean}${unit}${exact ? ` (${interval})` : ""}`;
}

function findings(result: InterimLies): Finding[] {
  const [at] = result.places;
  return rankedFindings(
    [93, firstText(at!)],
    [61, mostText(result.epsilons)],
    [58, howText(at!)],
    [48, othersText(result)],
  );
}

/** For how many lying pays, and how much it brings. */
function firstText(at: GainsAt): string {
  const { pays, gain, exact, types } = at;
  const who = `A worker who sees nobody's bid ${isPaying(at) ? "can gain too" : "was not seen to gain"}`;
  const share = shareText(pays, exact, ` of ${types} types`);
  const mean = shareText(perBudget(gain, at), exact, " of the budget per worker");
  return `${who}: with ${placeText(at)}, lying ${exact ? "pays" : "was found to pay"} for ${share}. The mean gain is ${mean}.`;
}

/** The type that gains most at the first of the places, and the most that any can expect. */
function mostText([epsilon]: readonly EpsilonAt[]): string {
  if (!epsilon) return "";
  const { type, bid, truthful, gain, low, high, startsEarlier, budget, rounds, types } = epsilon;
  const most = `${placeText(epsilon)} (95 % for all ${types} types, prices and arrivals together)`;
  if (low <= 0) return `No type can expect to gain more than ${threeDigits(high)} with ${most}.`;
  const alone = (paperRules.firstRoundRatio * budget) / rounds;
  const forces = startsEarlier >= 0.25 && type.cost > alone && bid.price <= alone;
  const how = forces ? `, below B1/T = ${threeDigits(alone)}, which forces the start` : "";
  const late = bid.arrival > type.arrival ? ` and coming ${bid.arrival - type.arrival} later` : "";
  return `The type that gains most, with cost ${threeDigits(type.cost)} and reputation ${threeDigits(type.reputation)}, earns ${threeDigits(truthful + gain)} instead of ${threeDigits(truthful)} by asking ${threeDigits(bid.price)}${how}${late}. None can expect to gain more than ${threeDigits(high)} with ${most}.`;
}

/** By which lie, and how much of what somebody gains who sees all bids. */
function howText(at: GainsAt): string {
  const [most] = at.kinds.filter(({ pays }) => pays.mean > 0);
  if (!most) return "";
  const reached =
    at.withinReach === null
      ? ""
      : ` The mean gain is ${shareText(at.withinReach)} of that of a worker who sees all bids.`;
  return `With ${placeText(at)}, most is gained by ${kindWords[most.kind]}: it pays for ${percent(most.pays.mean)} of ${at.types} types.${reached}`;
}

/** Under which of the other mechanisms it pays. */
function othersText({ mechanisms: [ours, ...others] }: InterimLies): string {
  if (others.length === 0) return "";
  const paying = others.filter(isPaying);
  const none = others.filter(({ kinds }) => kinds.length === 0);
  const open = others.filter((at) => !paying.includes(at) && !none.includes(at));
  const nameOf = ({ mechanism, exact }: GainsAt) => (exact ? mechanism : `${mechanism} (searched for)`);
  const shares = paying.map((at) => `${nameOf(at)} (${percent(at.pays.mean)})`);
  const parts = [
    paying.length > 0 && `such lies pay for some of ${paying[0]!.types} types under ${listed(shares)}`,
    open.length > 0 && `it is open under ${listed(open.map(nameOf))}`,
    none.length > 0 &&
      `under ${many(none.length, "other mechanism")} the truth was best for every type drawn`,
  ].filter(Boolean);
  return `With ${placeText(ours!)}, ${parts.join("; ")}.`;
}

function methods({ places, mechanisms, epsilons, settings, map }: InterimLies): string[] {
  const { types, draws, omniscientDraws } = settings.sample;
  const searched = mechanisms.filter(({ exact }) => !exact).map(({ mechanism }) => mechanism);
  const sampleOf = (at: GainsAt) => `${at.types} with ${placeText(at)}, ${at.draws} draws`;
  const theirs = mechanisms[1];
  return [
    `Types and the others are drawn as in the paper, ${settings.rounds} rounds, prose, in ${many(map.length, "market")}. For each of ${types} types in a market (${listed(places.map(sampleOf))}), the lie with the highest mean utility over ${draws} draws of the others is chosen among all prices and arrivals, and measured beside the truth on ${map[0]?.judgedOn} others (${listed(places.map((at) => at.judgedOn))}). It pays where the 95 % interval of its gain lies above 0: small gains may be missed, and up to 2.5 % of lies that gain nothing are counted. The interval rests on payments being between 0 and the budget (the larger of the first part and half of it under online) and is valid however rare and large the gains are (bets of Waudby-Smith and Ramdas 2023).`,
    `Every type meets draws of its own, the same at all budgets, so that intervals over types allow for the draws too. Shares have Wilson's intervals, means Student's, and none where fewer than five types gain. The gain of somebody who sees all bids is that of the best lie in each of ${omniscientDraws} draws, on average; ratios are ratios of means.`,
    epsilons.length > 0 ? epsilonText(epsilons, settings.grid) : "",
    theirs
      ? `Other mechanisms: ${theirs.types} types, ${theirs.draws} draws to choose and ${theirs.judgedOn} to judge, ${theirs.omniscientDraws} for somebody who sees all bids. The order in which vanilla looks at workers is drawn once, and known to them.`
      : "",
    searched.length > 0
      ? `Lies in ${listed(searched)} were searched for on a grid of prices, which can miss; all others are exact on their draws.`
      : "All lies are exact on the draws they were chosen on.",
  ].filter((text) => text !== "");
}

function epsilonText(
  epsilons: readonly EpsilonAt[],
  { reputations, costs, arrivals }: InterimLies["settings"]["grid"],
): string {
  const sizes = epsilons.map((one) => `${one.draws} draws (${placeText(one)})`);
  return `The most that any of ${epsilons[0]!.types} types can expect to gain, ε, is bounded with 97.5 % from above for all these types, prices and arrivals at once by a multiplier bootstrap over ${listed(sizes)}, with ${epsilons[0]!.replicates} replicates, which knows nothing of gains so rare that no draw shows them; and from below by the type that gains most, measured on as many other draws. The types: reputations ${extent(reputations)} (${reputations.length}), each with ${costs.length} costs between the lowest and the highest of that reputation, arrivals ${listed(arrivals)}. Of types between these it says nothing.`;
}

const extent = (values: readonly number[]): string => `${values[0]} to ${values.at(-1)}`;

export const interimLies: Analysis<InterimLiesSettings, InterimCell, InterimSummary, InterimLies> = {
  name: "interim-lies",
  question: "What pays for a worker who knows the rules and the usual markets, but sees nobody's bid?",
  part: "gains",
  settings: (context) => settingsFor(profiles, context),
  plan: (settings, context) => {
    const { rounds, places, grid } = settings;
    const { mechanism } = context;
    const epsilons = (isExactly(mechanism) ? places : []).map(({ workers, budget, epsilon }): EpsilonCell => {
      return { kind: "epsilon", mechanism: mechanism.name, rounds, workers, budget, ...epsilon, grid };
    });
    return [
      ...gainsCells(settings, context).map((cell) => ({ cell, markets: cell.types })),
      ...epsilons.map((cell) => ({ cell, markets: 1 })),
    ];
  },
  job: jobByKind<InterimCell, InterimSummary>({ gains: gainsJob, epsilon: epsilonJob }),
  conclude: (gathered, settings, context) => {
    const ours = context.mechanism.name;
    const [first] = settings.places;
    const gains = gathered.flatMap((one) => gainsIn(one, context));
    const own = gains.filter(({ mechanism }) => mechanism === ours);
    return {
      ours,
      settings,
      map: own
        .filter(({ workers }) => settings.sizes.includes(workers))
        .sort((a, b) => a.workers - b.workers || a.budget - b.budget),
      places: settings.places.map((place) => own.find(isAt(place))!),
      epsilons: gathered.flatMap(({ cell, summary }) =>
        cell.kind === "epsilon" && summary?.kind === "epsilon"
          ? summary.summary.map((one) => ({ ...cell, ...one, types: typesOf(cell.grid).length }))
          : [],
      ),
      mechanisms: gains
        .filter(isAt(first!))
        .sort((a, b) => Number(b.mechanism === ours) - Number(a.mechanism === ours)),
    };
  },
  tables,
  charts,
  findings,
  methods,
};
