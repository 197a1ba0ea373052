/** What one worker's utility looks like over all prices and arrivals, for a worker of each regime. */

import type { AnyMechanism } from "../src/auction/mechanism.js";
import { type Regime, regimeSlug, regimes } from "../src/auction/outcome.js";
import { capital, listed, many, threeDigits } from "../src/lib/format.js";
import { near, negligible } from "../src/lib/tolerance.js";
import { type Bid, type Market, workerOf } from "../src/market/market.js";
import type { Chart, Exhibit, Finding, Table } from "../src/report/result.js";
import {
  axis,
  captions,
  column,
  type Field,
  marks,
  regimeChoice,
  regimeWords,
  tableOf,
} from "../src/report/vocabulary.js";
import { bestResponses, isExact, type Piece, pieces, type Response } from "../src/responses/index.js";
import { Deviation } from "../src/responses/search.js";
import type { Analysis } from "../src/study/analysis.js";
import { append, type WorkContext } from "../src/study/job.js";
import { explain, lieKinds } from "../src/verdicts/explain.js";
import { exactnessText, finite } from "./shared/gains.js";
import * as survey from "./shared/survey.js";

export interface LandscapeSettings extends survey.SurveySettings {
  /** Prices tried for each arrival where no exact pieces are known. */
  readonly samples: number;
}

interface LandscapeCell extends survey.SurveyCell, Pick<LandscapeSettings, "samples"> {}

/** A picture of a worker of a larger market says little. */
const LARGEST = 12;

/** A worker that was looked at, small enough to be kept of every market. */
interface Candidate extends survey.Place {
  readonly worker: number;
  readonly regime: Regime;
  readonly truthful: number;
  /** How much a picture of it shows; 0 where the truth is best. */
  readonly interest: number;
}

/** Of every market, the candidate of each regime at each budget. */
const job = survey.drawnJob<Candidate[], LandscapeCell>({
  reduce: ({ budgets }, { samples }, { mechanism }) =>
    budgets.flatMap(({ market, place, asked }) => {
      const candidates = asked.map(({ response }): Candidate => {
        const { id, regime, truthful, gain } = response;
        const interest = gain > 0 ? interestOf(market, response, { mechanism, samples }) : 0;
        return { ...place, worker: id, regime, truthful, interest };
      });
      return regimes.flatMap((regime) => chosenIn(candidates, regime) ?? []);
    }),
  merge: append,
});

/** Heights to see, times the part of the best utility that the lie brings; where pieces are not known, the gain. */
function interestOf(market: Market, response: Response, tried: Tried): number {
  const { best, truthful } = response;
  const gain = best.utility - truthful;
  if (!isExact(tried.mechanism)) return gain;
  const heights = heightsIn(utilityCurve(market, lieOf(response), tried));
  return best.utility > 0 ? (heights * gain) / best.utility : 0;
}

const lieOf = ({ id, best: { price, arrival } }: Response): Bid => ({ worker: id, price, arrival });

/** The liar whose picture shows most, or else one hired with a typical utility; null where nobody is in the regime. */
function chosenIn(candidates: readonly Candidate[], regime: Regime): Candidate | null {
  const there = candidates.filter((one) => one.regime === regime);
  if (there.length === 0) return null;
  const best = there.reduce((a, b) => (b.interest > a.interest ? b : a));
  return best.interest > 0 ? best : typical(there);
}

/** The median of those who earn something, early ones first; of everybody where nobody does. */
function typical(candidates: readonly Candidate[]): Candidate {
  const earning = candidates.filter(({ truthful }) => truthful > 0);
  const sorted = [...(earning.length > 0 ? earning : candidates)].sort((a, b) => a.truthful - b.truthful);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** A chosen worker, looked at again. */
function viewOf(
  { workers, k, ratio, worker, regime }: Candidate,
  { stream, mechanism }: WorkContext,
  { rounds, samples }: LandscapeSettings,
) {
  const market = survey.marketAt({ workers, k, ratio }, { rounds, stream });
  const response = bestResponses(market, { mechanism, workers: [worker] }).workers[0]!;
  const lie = lieOf(response);
  return {
    ...{ regime, market, ratio, response, lie },
    worker: workerOf(market, worker),
    kind: response.gain > 0 ? explain(market, lie, { mechanism }).kind : null,
    curve: utilityCurve(market, lie, { mechanism, samples }),
  };
}

type View = ReturnType<typeof viewOf>;

interface LandscapeResult {
  readonly views: readonly View[];
  readonly settings: LandscapeSettings;
  readonly mechanism: string;
  /** Whether no lie can be better than the best one. */
  readonly exact: boolean;
}

const nameOf = ({ regime }: View): string => regimeSlug(regime);

/** The pieces of a utility curve, the truth, and the best lie where one gains. */
function drawnOf(view: View) {
  const { curve, response, worker, lie } = view;
  const point = (what: string, { price, arrival }: Omit<Bid, "worker">, utility: number) => {
    return { view, what, arrival, price, price2: price, utility, utility2: utility };
  };
  return [
    ...curve.segments.map((one) => {
      return { ...one, view, what: one.price === one.price2 ? "single price" : "piece" };
    }),
    point("truth", { price: worker.cost, arrival: worker.arrival }, response.truthful),
    ...(response.gain > 0 ? [point("best lie", lie, response.best.utility)] : []),
  ];
}

const tables = ({ views }: LandscapeResult): Table[] => [
  chosenTable(views),
  tableOf(
    "curves",
    "Utility of the workers looked at, from price to price",
    views.flatMap(drawnOf),
    curveColumns,
  ),
];

const chosenTable = (views: readonly View[]): Table =>
  tableOf("chosen", "The workers looked at", views, [
    column.text("regime", "Regime"),
    column.amount("ratio", "Relative budget"),
    column.count("worker", "Worker", ({ worker }) => worker.id),
    column.amount("reputation", "Reputation", ({ worker }) => worker.reputation),
    column.amount("cost", "Cost of a round", ({ worker }) => worker.cost),
    column.count("arrival", "Arrival", ({ worker }) => worker.arrival),
    column.amount("truthful", "Utility of the truth", ({ response }) => response.truthful),
    column.amount("gain", "Gain of the best lie", ({ response }) => finite(response.gain)),
    column.amount("bestPrice", "Its price", ({ lie }) => lie.price),
    column.count("bestArrival", "Its arrival", ({ lie }) => lie.arrival),
    column.text("kind", "Kind of lie"),
    column.text("witness", "On the bench", nameOf),
  ]);

const curveColumns: readonly Field<ReturnType<typeof drawnOf>[number]>[] = [
  column.text("regime", "Regime", ({ view }) => view.regime),
  column.text("what", "What"),
  column.count("arrival", "Arrival said"),
  column.text("true", "It is the true arrival", ({ view, arrival }) =>
    arrival === view.worker.arrival ? "yes" : "no",
  ),
  column.amount("price", "Price said from"),
  column.amount("price2", "to"),
  column.amount("utility", "Utility from"),
  column.amount("utility2", "to"),
  column.amount("more", "More than the truth brings", ({ view, utility, utility2 }) => {
    const { truthful } = view.response;
    const middle = (utility + utility2) / 2;
    return near(middle, truthful) ? 0 : middle - truthful;
  }),
];

const only = (...whats: string[]) => ({ filter: { field: "what", oneOf: whats } });

function charts({ views }: LandscapeResult): Chart[] {
  const choices = [regimeChoice(views.map(({ regime }) => regime))];
  const x = axis.amount("price", "price said", { scale: { nice: false, zero: true } });
  const y = axis.amount("utility", "utility");
  const color = {
    ...{ field: "arrival", type: "ordinal", title: "arrival said" },
    legend: { symbolOpacity: 1 },
  };
  const strokeWidth = { condition: { test: "datum.true === 'yes'", value: 5 }, value: 2 };
  const shown = ["truth", "best lie"];
  const shape = { ...axis.name("what", shown), scale: { domain: shown, range: ["circle", "diamond"] } };
  const marked = { type: "point", filled: true, size: 140, opacity: 1, color: "black", stroke: "white" };
  return [
    {
      name: "curves",
      title: "A worker's utility against the price it says, a line per arrival it says",
      table: "curves",
      choices,
      spec: {
        encoding: { tooltip: marks.tooltip(curveColumns) },
        layer: [
          {
            transform: [only("piece")],
            mark: { type: "rule", clip: true },
            encoding: { x, x2: { field: "price2" }, y, y2: { field: "utility2" }, color, strokeWidth },
          },
          {
            transform: [only("single price")],
            mark: { type: "point", filled: true, size: 14, clip: true },
            encoding: { x, y, color },
          },
          { transform: [only("truth")], mark: { type: "rule", strokeDash: [3, 4] }, encoding: { y } },
          { transform: [only("truth", "best lie")], mark: marked, encoding: { x, y, shape } },
        ],
      },
      summary: captions(choices, ({ regime }) => captionOf(views.find((view) => view.regime === regime)!)),
      howToRead: `${views.every(({ curve }) => curve.exact) ? "Exact: at a jump a decision changes." : "Sampled: between two prices tried, anything may happen."} Dashed: what the truth brings. Thick lines are at the true arrival.`,
    },
  ];
}

const captionOf = ({ regime, worker, ratio, market }: View): string =>
  `${capital(regime)}: worker ${worker.id} of ${market.workers.length} (cost ${threeDigits(worker.cost)}, arrival ${worker.arrival}), at a relative budget of ${ratio}.`;

function inWords({ regime, worker, response, lie, kind }: View, exact: boolean): string {
  const truth = `${capital(regimeWords[regime])}, the worker shown earns ${threeDigits(response.truthful)} by the truth`;
  if (kind === null) return `${truth}, and no ${exact ? "lie brings it more" : "better lie was found"}.`;
  const change = [
    ...(lie.price === worker.cost ? [] : [`bidding ${threeDigits(lie.price)}`]),
    ...(lie.arrival === worker.arrival ? [] : [`arriving at ${lie.arrival}`]),
  ].join(" and ");
  return `${truth} and ${exact ? "at most" : "at least"} ${threeDigits(response.best.utility)} by ${change}, which is to ${lieKinds[kind].split(":")[0]}.`;
}

const findings = ({ views, exact }: LandscapeResult): Finding[] =>
  views.map((view) => ({ text: inWords(view, exact), weight: view.kind === null ? 16 : 24 }));

function methods({ views, settings, exact }: LandscapeResult): string[] {
  const { markets, sizes, ratios, samples, asked } = settings;
  const missing = regimes.filter((regime) => !views.some((view) => view.regime === regime));
  const choice = exact
    ? "of those who gain, the one whose picture shows most, or, where nobody gains,"
    : "the one with the largest gain found, or, where none was found,";
  return [
    `Workers were chosen from ${many(markets, "market")} of each size (${listed(sizes)} workers, drawn as in the paper, prose) under ${ratios.length} relative budgets: in each regime ${choice} one with the median utility of those who earn something. They show what is possible, not what is usual.`,
    ...missing.map((regime) => `No worker was found in the regime ${regime}.`),
    views.every(({ curve }) => curve.exact)
      ? "Utilities are computed for every price drawn; higher prices are left out."
      : `Utilities were tried at ${many(samples, "price")} for each arrival.`,
    exactnessText(exact, asked),
  ];
}

function exhibits({ views, mechanism, exact }: LandscapeResult): Exhibit[] {
  return views.map((view) => {
    const { market, lie, response, worker, regime, kind } = view;
    const nothing = exact ? "cannot do better than the truth" : "has no better lie that was found";
    const unbounded = response.gain === Number.POSITIVE_INFINITY;
    const gains = `gains ${unbounded ? "without bound" : threeDigits(response.gain)} on top of ${threeDigits(response.truthful)}`;
    const title = `${capital(regime)}: worker ${worker.id} ${kind === null ? nothing : gains}`;
    return { name: nameOf(view), title, market, mechanism, lie: kind === null ? null : lie };
  });
}

/** From (price, utility) straight to (price2, utility2); a single price where they are the same. */
interface Segment {
  readonly arrival: number;
  readonly price: number;
  readonly price2: number;
  readonly utility: number;
  readonly utility2: number;
}

interface UtilityCurve {
  /** Whether segments are exact pieces; else they join samples. */
  readonly exact: boolean;
  readonly segments: readonly Segment[];
}

/** What bids are tried in, and prices for each arrival where no exact pieces are known. */
interface Tried {
  readonly mechanism: AnyMechanism;
  readonly samples: number;
}

/** Of the worker who lies, with the truth and the lie in sight. */
function utilityCurve(market: Market, lie: Bid, { mechanism, samples }: Tried): UtilityCurve {
  const worker = workerOf(market, lie.worker);
  const known = pieces(market, lie.worker, mechanism);
  const inSight = Math.max(worker.cost, lie.price);
  if (!known) {
    const segments = sampled(new Deviation(mechanism, market, worker), 3 * inSight, samples);
    return { exact: false, segments };
  }
  const top = 1.1 * Math.max(inSight, Math.min(3 * inSight, lastChange(known)));
  const segments = known.filter(({ from }) => from < top).map((piece) => cut(piece, top));
  return { exact: true, segments: joined(segments, negligible(market.rules.budget)) };
}

/** The price beyond which nothing changes, at any arrival. */
const lastChange = (known: readonly Piece[]): number =>
  Math.max(0, ...known.filter(({ to }) => to === Number.POSITIVE_INFINITY).map(({ from }) => from));

function cut({ arrival, from, to, utilityFrom, slope }: Piece, top: number): Segment {
  const price2 = Math.min(to, top);
  const utility2 = utilityFrom + slope * (price2 - from);
  return { arrival, price: from, price2, utility: utilityFrom, utility2 };
}

/** Level neighbours at one height in one: they differ in how they come about, not in what they bring. */
function joined(segments: readonly Segment[], noise: number): Segment[] {
  const result: Segment[] = [];
  for (const segment of segments) {
    const last = result.at(-1);
    const heights = last ? [last.utility, last.utility2, segment.utility, segment.utility2] : [];
    const level = Math.max(...heights) - Math.min(...heights) <= noise;
    if (last && level && last.arrival === segment.arrival && last.price2 === segment.price)
      result[result.length - 1] = { ...last, price2: segment.price2 };
    else result.push(segment);
  }
  return result;
}

/** How much there is to see: the number of different heights above zero. */
function heightsIn({ segments }: UtilityCurve): number {
  const highest = Math.max(0, ...segments.map(({ utility }) => utility));
  const above = segments.filter(({ utility }) => utility > negligible(highest));
  return new Set(above.map(({ utility }) => utility.toPrecision(6))).size;
}

/** Level steps around prices spread evenly: what lies between two of them is not known. */
const sampled = (deviation: Deviation, top: number, samples: number): Segment[] =>
  deviation.arrivals.flatMap((arrival) =>
    Array.from({ length: samples }, (_, k) => {
      const [price, price2] = [(k * top) / samples, ((k + 1) * top) / samples];
      const utility = deviation.utility((price + price2) / 2, arrival);
      return { arrival, price, price2, utility, utility2: utility };
    }),
  );

export const landscape: Analysis<LandscapeSettings, LandscapeCell, Candidate[], LandscapeResult> = {
  name: "landscape",
  question: "What does a worker's utility look like over all it could say?",
  part: "gains",
  settings: (context) => ({ ...survey.upTo(LARGEST, survey.surveySettings(context)), samples: 120 }),
  plan: ({ sizes, markets, ...rest }) => sizes.map((workers) => ({ cell: { workers, ...rest }, markets })),
  job,
  conclude: (gathered, settings, context) => {
    const found = gathered.flatMap(({ summary }) => summary ?? []);
    const chosen = regimes.flatMap((regime) => chosenIn(found, regime) ?? []);
    const views = chosen.map((candidate) => viewOf(candidate, context, settings));
    return { views, settings, mechanism: context.mechanism.name, exact: isExact(context.mechanism) };
  },
  tables,
  charts,
  findings,
  methods,
  exhibits,
};
