/** Lies of workers who do not see the others' bids, in tables, charts and sentences. */

import { capital, listed, many, percent, stated, threeDigits } from "../../src/lib/format.js";
import type { Estimate } from "../../src/lib/statistics.js";
import { paperRules } from "../../src/market/market.js";
import type { Chart, Finding, Table } from "../../src/report/result.js";
import {
  axis,
  captions,
  colour,
  column,
  marks,
  rankedFindings,
  tableOf,
} from "../../src/report/vocabulary.js";
import type { InterimKind } from "../../src/responses/interim.js";
import type { EpsilonAt, GainsAt, InterimLies, Place } from "../interim-lies.js";
import { roundsOnOffer } from "../shared/survey.js";

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

export const tables = (result: InterimLies): Table[] => [
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

export function charts(result: InterimLies): Chart[] {
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

export function findings(result: InterimLies): Finding[] {
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

export function methods({ places, mechanisms, epsilons, settings, map }: InterimLies): string[] {
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
