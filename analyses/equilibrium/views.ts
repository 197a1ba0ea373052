/** Strategic populations in tables, charts and sentences. */

import { capital, listed, many, percent, signed, threeDigits } from "../../src/lib/format.js";
import { type Estimate, estimate, reach } from "../../src/lib/statistics.js";
import type { Chart, Choice, Finding, Table } from "../../src/report/result.js";
import {
  amountAxis,
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  fromTogether,
  logAxis,
  mechanismColour,
  nameAxis,
  otherColours,
  pointsWithIntervals,
  tableOf,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import type { EquilibriumAt, EquilibriumResult, ShownBid } from "../equilibrium.js";

/** Per market or model: under the truth, with everybody strategic, and the difference. */
interface Effect {
  readonly truth: number;
  readonly strategic: number;
  readonly change: Estimate;
}

const measures = {
  "publisher's utility": ({ effects }: EquilibriumAt) => accountOf(effects, "publisherUtility"),
  "payments in all": ({ effects }: EquilibriumAt) => accountOf(effects, "spent"),
  "workers' utilities in all": ({ effects }: EquilibriumAt) => accountOf(effects, "workersUtility"),
  "loss of the model": ({ losses }: EquilibriumAt): Effect => ({
    truth: estimate(losses.truth).mean,
    strategic: estimate(losses.strategy).mean,
    change: estimate(losses.strategy.map((loss, k) => loss - losses.truth[k]!)),
  }),
} as const;

type Measure = keyof typeof measures;

const measureNames = Object.keys(measures) as Measure[];

const accountOf = (
  { truth, strategy, change }: EquilibriumAt["effects"],
  name: keyof EquilibriumAt["effects"]["truth"],
): Effect => ({ truth: truth[name].mean, strategic: strategy[name].mean, change: change[name] });

/** The interval of a mean, as wide as it takes to hold together with others with 95 %. */
function widened({ mean, low, high, n }: Estimate, together: number): Estimate {
  const wider = reach(n - 1, together) / reach(n - 1);
  return { mean, low: mean - wider * (mean - low), high: mean + wider * (high - mean), n };
}

/** Those of one measure hold for all mechanisms together. */
function effectOf(at: EquilibriumAt, measure: Measure, { found }: EquilibriumResult): Effect {
  const effect = measures[measure](at);
  return { ...effect, change: widened(effect.change, found.length) };
}

type EffectAt = Effect & { readonly mechanism: string; readonly measure: Measure };

const effectsIn = (result: EquilibriumResult): EffectAt[] =>
  result.found.flatMap((at) =>
    measureNames.map((measure) => ({ ...effectOf(at, measure, result), mechanism: at.mechanism, measure })),
  );

const mechanismColumn = textColumn("mechanism", "Mechanism");

const effectColumns: readonly Field<EffectAt>[] = [
  mechanismColumn,
  textColumn("measure", "Measured"),
  amountColumn("truth", "All truthful"),
  amountColumn("strategic", "All strategic"),
  ...estimateColumns(amountColumn("change", "Change"), ({ change }: EffectAt) => change, {
    from: fromTogether,
  }),
  countColumn("n", "Markets or seeds", ({ change }) => change.n),
];

const ON_TIME = "comes on time";

const LATE = "comes late";

const whenOf = ({ late }: ShownBid): string => (late > 0 ? LATE : ON_TIME);

const bidColumns: readonly Field<ShownBid>[] = [
  mechanismColumn,
  amountColumn("reputation", "Reputation"),
  amountColumn("cost", "Cost"),
  countColumn("arrival", "Arrival"),
  amountColumn("price", "Asks"),
  amountColumn("over", "Price / cost", ({ price, cost }) => price / cost),
  countColumn("late", "Comes late by"),
  textColumn("when", "When", whenOf),
];

const endColumns: readonly Field<EquilibriumAt>[] = [
  mechanismColumn,
  textColumn("end", "Responses", ({ end }) => (end.kind === "cycle" ? `cycle of ${end.length}` : end.kind)),
  countColumn("iterations", "Iterations"),
  amountColumn("firstGain", "Largest gain over the truth, in the table"),
  amountColumn("lastGain", "Largest gain in the last iteration"),
  amountColumn("gain", "Gain of the type that still gains most", ({ epsilon }) => epsilon.gain),
  amountColumn("low", "95 % from", ({ epsilon }) => epsilon.low),
  amountColumn("high", "to, for all types, prices and arrivals together", ({ epsilon }) => epsilon.high),
  countColumn("draws", "Draws"),
];

export const tables = (result: EquilibriumResult): Table[] => [
  tableOf(
    "equilibria",
    "Where best responses lead, and what somebody can still gain there",
    result.found,
    endColumns,
  ),
  tableOf("effects", "What it changes that all workers are strategic", effectsIn(result), effectColumns),
  tableOf(
    "strategies",
    "How types bid",
    result.found.flatMap(({ mechanism, bids }) => bids.map((bid) => ({ mechanism, ...bid }))),
    bidColumns,
  ),
];

export const charts = (result: EquilibriumResult): Chart[] => [strategyChart(result), effectChart(result)];

/** Always within the axis, where all tell the truth too. */
const NEAR_THE_TRUTH = [0.9, 1.1];

function strategyChart(result: EquilibriumResult): Chart {
  const values = result.found.map(({ mechanism }) => mechanism);
  const choices: Choice[] = [{ field: "mechanism", label: "Mechanism", values }];
  const bids = result.found.flatMap((at) => at.bids);
  const present = [ON_TIME, LATE].filter((when) => bids.some((bid) => whenOf(bid) === when));
  const when = nameAxis("when", present);
  const ticks = [0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50];
  return {
    name: "strategies",
    title: "How types bid where all workers are strategic",
    table: "strategies",
    choices,
    spec: {
      height: 280,
      transform: [{ filter: "datum.over > 0" }],
      layer: [
        { mark: { type: "rule", strokeDash: [4, 3] }, encoding: { y: { datum: 1 } } },
        ...NEAR_THE_TRUTH.map((datum) => ({
          mark: { type: "rule", opacity: 0 },
          encoding: { y: { datum } },
        })),
        {
          mark: { type: "point", size: 45, opacity: 0.8 },
          encoding: {
            x: amountAxis("cost", "true cost of a round"),
            y: {
              ...logAxis("over", "price / cost", ticks, { padding: 12 }),
              axis: { values: ticks, format: "~g", labelOverlap: "greedy" },
            },
            color: { ...when, scale: otherColours(present), legend: { symbolOpacity: 1 } },
            shape: when,
            tooltip: tooltipOf(bidColumns),
          },
        },
      ],
    },
    summary: captions(choices, ({ mechanism }) =>
      captionOf(result.found.find((at) => at.mechanism === mechanism)!),
    ),
    howToRead: `Each point is a type, drawn as in the paper; on the line it asks its cost. ${settingText(result)}`,
  };
}

const settingText = ({ settings: { workers, budget, rounds } }: EquilibriumResult): string =>
  `${workers} workers, a budget of ${budget}, ${rounds} rounds.`;

/** A price this close to the cost, as a share of it, counts as the truth. */
const CLOSE = 0.01;

/** Shares of the types shown. */
function manners(bids: readonly ShownBid[]) {
  const share = (holds: (bid: ShownBid) => boolean) => bids.filter(holds).length / bids.length;
  const isSame = ({ price, cost }: ShownBid) => Math.abs(price - cost) <= CLOSE * cost;
  return {
    less: share((bid) => !isSame(bid) && bid.price < bid.cost),
    more: share((bid) => !isSame(bid) && bid.price > bid.cost),
    late: share(({ late }) => late > 0),
    truth: share((bid) => isSame(bid) && bid.late === 0),
  };
}

function captionOf({ mechanism, bids }: EquilibriumAt): string {
  const { less, more, late, truth } = manners(bids);
  const asked = `of ${many(bids.length, "type")}`;
  if (truth === 1) return `${capital(mechanism)}: all ${many(bids.length, "type")} tell the truth.`;
  return `${capital(mechanism)}: ${asked}, ${percent(less)} ask at least 1 % less than their cost, ${percent(more)} at least 1 % more, and ${percent(late)} come late.`;
}

function effectChart(result: EquilibriumResult): Chart {
  const names = result.found.map(({ mechanism }) => mechanism);
  const choices: Choice[] = [{ field: "measure", label: "Measured", values: measureNames }];
  const x = (field: string) => amountAxis(field, "change from all truthful to all strategic");
  return {
    name: "effects",
    title: "What it changes that all workers are strategic",
    table: "effects",
    choices,
    spec: {
      height: { step: 26 },
      layer: [
        { mark: "rule", encoding: { x: { datum: 0 } } },
        {
          encoding: {
            y: nameAxis("mechanism", names, { labelLimit: 160 }),
            color: { ...mechanismColour("mechanism", names), legend: null },
            tooltip: tooltipOf(effectColumns),
          },
          layer: pointsWithIntervals(x, { value: "change" }),
        },
      ],
    },
    summary: captions(choices, ({ measure }) => effectText(result, measure as Measure)),
    howToRead:
      "Points are mean differences in the same markets or seeds; lines are intervals that hold for all mechanisms together with 95 %. The model is that of the surrogate for MNIST.",
  };
}

/** Which mechanisms' intervals lie on either side of 0. */
function effectText(result: EquilibriumResult, measure: Measure): string {
  const all = result.found.map((at) => ({ name: at.mechanism, ...effectOf(at, measure, result).change }));
  const each = (some: typeof all) => listed(some.map(({ name, mean }) => `${name} (${signed(mean)})`));
  const [up, down] = [all.filter(({ low }) => low > 0), all.filter(({ high }) => high < 0)];
  const open = all.filter((one) => !up.includes(one) && !down.includes(one) && one.low < one.high);
  const parts = [
    ...(up.length > 0 ? [`rises under ${each(up)}`] : []),
    ...(down.length > 0 ? [`falls under ${each(down)}`] : []),
    ...(open.length > 0 ? [`is not shown to change under ${listed(open.map(({ name }) => name))}`] : []),
  ];
  const verb = parts.length > 0 ? parts.join("; ") : "changes under no mechanism";
  return `${capital(measure)}: ${verb}.`;
}

export function findings(result: EquilibriumResult): Finding[] {
  const isTruth = ({ bids }: EquilibriumAt) => manners(bids).truth === 1;
  const honest = result.found.filter(isTruth);
  const strategic = result.found.filter((at) => !isTruth(at));
  const [first, ...others] = strategic;
  return [
    ...(first
      ? [{ text: strategicText(first, result, ` (${settingText(result).slice(0, -1)})`), weight: 62 }]
      : []),
    ...others.map((at, k) => ({ text: strategicText(at, result), weight: 46 - k })),
    ...(honest.length > 0 ? [{ text: honestText(honest, result), weight: 50 }] : []),
  ];
}

/** How types bid, what somebody can still gain, and what it changes. */
function strategicText(at: EquilibriumAt, result: EquilibriumResult, setting = ""): string {
  const changes = measureNames.flatMap((measure) => {
    const { truth, strategic, change } = effectOf(at, measure, result);
    if (change.low <= 0 && change.high >= 0) return [];
    return [`${measure} from ${threeDigits(truth)} to ${threeDigits(strategic)}`];
  });
  const moved =
    changes.length > 0 ? ` This changes the ${listed(changes)}.` : " No measure is shown to change.";
  const bought = at.effects.strategy.spent.mean > 0 ? "" : " Nothing is bought any more.";
  const { less, more, late } = manners(at.bids);
  const doing = [
    ...(less > 0 ? [`${percent(less)} ask at least 1 % less than their cost`] : []),
    ...(more > 0 ? [`${percent(more)} ask at least 1 % more than their cost`] : []),
    ...(late > 0 ? [`${percent(late)} come late`] : []),
  ];
  return `If all are strategic under ${at.mechanism}${setting}, of ${many(at.bids.length, "type")} ${listed(doing)}; ${endText(at, result)}.${moved}${bought}`;
}

function endText({ end, epsilon }: EquilibriumAt, { settings: { types } }: EquilibriumResult): string {
  if (epsilon.high === 0) return "no other bid gains anything on any draw";
  const bound = `none of ${types} drawn types can expect to gain more than ε = ${threeDigits(epsilon.high)} by another bid (95 %)`;
  if (end.kind === "settled") return bound;
  return `${end.kind === "cycle" ? `best responses go round in a cycle of ${end.length}` : "best responses do not settle"}, and at their average ${bound}`;
}

function honestText(honest: readonly EquilibriumAt[], { settings: { types } }: EquilibriumResult): string {
  const most = Math.max(...honest.map(({ epsilon }) => epsilon.high));
  return `Under ${listed(honest.map(({ mechanism }) => mechanism))} the truth is its own best response on all draws, for all types of the table; for ${types} types drawn anew, nobody can expect to gain more than ε = ${threeDigits(most)} (95 %).`;
}

export function methods({ settings, found }: EquilibriumResult): string[] {
  const { reputations, costs, fast, slow, tolerance, types, seeds, tasks, workers, budget, rounds } =
    settings;
  const efforts = [...new Set(found.map(({ draws }) => draws))];
  return [
    `${workers} workers drawn as in the paper, a budget of ${budget}, ${rounds} rounds, prose; nobody sees the others' bids. A strategy is a table of ${reputations.length} reputations, ${costs.length} costs and all arrivals; types between its rows bid in proportion. From the truth on, every type's best response to the table, over all prices and arrivals, is exact on ${listed(efforts)} draws (${fast.draws} for online, ${slow.draws} for the others); the table moves to the mean of all responses so far, at most ${Math.max(fast.iterations, slow.iterations)} times, until nobody in it gains more than ${tolerance}.`,
    "Where it does not settle, undamped responses are followed: a table that is its own best response is taken, and responses that come back to an earlier table are called a cycle. No equilibrium need be the only one.",
    `What somebody can still gain, ε, is bounded from above with 97.5 % for ${types} types drawn anew, all prices and arrivals at once, on as many other draws (multiplier bootstrap); it includes what the table loses between its rows. Changes are of the same markets, as many again, everybody truthful or everybody strategic; those of one measure hold together with 95 % (Bonferroni).`,
    `The model: ${many(seeds, "seed")} with ${many(tasks, "task")} each of ${workers} workers of the paper's Tables 1 and 2 at the same budget under the surrogate for MNIST; the loss is that after the last round, and that of the untrained model where nobody is selected.`,
  ];
}
