/** What one worker's utility looks like over all prices and arrivals, for a worker of each regime. */

import type {
  Analysis,
  AnalysisContext,
  AnalysisResult,
  Chart,
  Exhibit,
  Finding,
  Profile,
  Row,
  Table,
} from "../src/analysis.js";
import { workerOf } from "../src/best-response/deviation.js";
import type { Response } from "../src/best-response/index.js";
import { explain, type LieKind, lieKinds } from "../src/explain.js";
import type { Bid, Market, Worker } from "../src/market.js";
import type { AnyMechanism } from "../src/mechanism.js";
import { type Regime, regimes } from "../src/regime.js";
import { answeredExactly, ask } from "../src/survey/inquiry.js";
import { heightsIn, type Outline, outline, type Segment, strips } from "../src/survey/outline.js";
import { atRelativeBudget, drawForSurvey } from "../src/survey/relative-budget.js";
import { capital, listed, many, money, rounded } from "../src/survey/words.js";

export interface LandscapeSettings {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Relative budgets to look for workers under. */
  readonly ratios: readonly number[];
  /** Markets drawn of each size to choose from. */
  readonly markets: number;
  /** Workers asked in each; null: everybody. */
  readonly asked: number | null;
  /** Prices tried for each arrival where no exact pieces are known. */
  readonly samples: number;
}

const scene = { rounds: 10, sizes: [6, 12], ratios: [0.15, 0.25, 0.35, 0.5, 0.7, 1, 1.4, 2], samples: 120 };

/** Sample sizes where answers are exact, and where each takes a search. */
export const settings: Readonly<Record<Profile, { exact: LandscapeSettings; searched: LandscapeSettings }>> =
  {
    quick: {
      exact: { ...scene, markets: 300, asked: null },
      searched: { ...scene, sizes: [6], ratios: [0.35, 1], markets: 12, asked: 2 },
    },
    full: {
      exact: { ...scene, markets: 5000, asked: null },
      searched: { ...scene, sizes: [6], ratios: [0.35, 1], markets: 200, asked: 2 },
    },
  };

export const landscape: Analysis = {
  name: "landscape",
  question: "What does a worker's utility look like over all it could say?",
  run: (context) =>
    drawLandscapes(
      context,
      settings[context.profile][answeredExactly(context.mechanism) ? "exact" : "searched"],
    ),
};

export async function drawLandscapes(
  context: AnalysisContext,
  given: LandscapeSettings,
): Promise<AnalysisResult> {
  const views = (await choose(context, given)).map((choice) => viewOf(choice, context.mechanism, given));
  return {
    tables: [chosenTable(views), ...views.map(outlineTable)],
    charts: views.flatMap((view) => [lineChart(view), heatChart(view)]),
    findings: views.map(findingOf),
    leftOut: leftOutOf(views, given, answeredExactly(context.mechanism)),
    exhibits: views.map((view) => exhibitOf(view, context.mechanism.name)),
  };
}

interface Choice {
  readonly market: Market;
  readonly ratio: number;
  readonly response: Response;
  /** How much a picture of it shows; 0 where the truth is best. */
  readonly interest: number;
}

/** Of each regime that occurs: the liar whose picture shows most, or else one hired with a typical utility. */
async function choose(context: AnalysisContext, given: LandscapeSettings): Promise<Choice[]> {
  const { stream, pool } = context;
  const { sizes, rounds, ratios, markets } = given;
  const inputs = sizes.flatMap((workers) => Array.from({ length: markets }, (_, k) => ({ workers, k })));
  const found = await pool.map(inputs, ({ workers, k }) => {
    const drawn = drawForSurvey({ workers, rounds }, stream.fork(workers).fork(k));
    return ratios.flatMap((ratio) => {
      const choices = choicesIn(atRelativeBudget(drawn, ratio), ratio, { ...given, ...context });
      return regimes.flatMap((regime) => chosenIn(choices, regime) ?? []);
    });
  });
  return regimes.flatMap((regime) => chosenIn(found.flat(), regime) ?? []);
}

function choicesIn(market: Market, ratio: number, options: Looking): Choice[] {
  return ask(market, options).workers.map((response) => {
    const interest = response.gain > 0 ? interestOf(market, response, options) : 0;
    return { market, ratio, response, interest };
  });
}

interface Looking {
  readonly mechanism: AnyMechanism;
  readonly asked: number | null;
  readonly samples: number;
}

/** Heights to see, times the part of the best utility that the lie brings; where pieces are not known, the gain. */
function interestOf(market: Market, { id, best, gain }: Response, { mechanism, samples }: Looking): number {
  if (!answeredExactly(mechanism)) return gain;
  const lie = { worker: id, price: best.price, arrival: best.arrival };
  return (heightsIn(outline(market, id, { mechanism, lie, samples })) * gain) / best.utility;
}

function chosenIn(choices: readonly Choice[], regime: Regime): Choice | null {
  const there = choices.filter(({ response }) => response.regime === regime);
  if (there.length === 0) return null;
  const best = there.reduce((a, b) => (b.interest > a.interest ? b : a));
  return best.interest > 0 ? best : typical(there);
}

/** The median of those who earn something, early ones first; of everybody where nobody does. */
function typical(choices: readonly Choice[]): Choice {
  const earning = choices.filter(({ response }) => response.truthful > 0);
  const sorted = [...(earning.length > 0 ? earning : choices)].sort(
    (a, b) => a.response.truthful - b.response.truthful,
  );
  return sorted[Math.floor(sorted.length / 2)]!;
}

interface View extends Choice {
  readonly regime: Regime;
  readonly key: string;
  readonly worker: Worker;
  readonly lie: Bid;
  readonly kind: LieKind | null;
  readonly outline: Outline;
}

function viewOf(choice: Choice, mechanism: AnyMechanism, { samples }: LandscapeSettings): View {
  const { market, response } = choice;
  const { id, best, regime } = response;
  const lie = { worker: id, price: best.price, arrival: best.arrival };
  return {
    ...choice,
    regime,
    key: regime.replace(" ", "-"),
    worker: workerOf(market, id),
    lie,
    kind: response.gain > 0 ? explain(market, lie, { mechanism }).kind : null,
    outline: outline(market, id, { mechanism, lie, samples }),
  };
}

function chosenTable(views: readonly View[]): Table {
  return {
    name: "chosen",
    title: "The workers looked at",
    columns: [
      { name: "regime", label: "Regime", kind: "text" },
      { name: "ratio", label: "Relative budget", kind: "amount" },
      { name: "worker", label: "Worker", kind: "count" },
      { name: "reputation", label: "Reputation", kind: "amount" },
      { name: "cost", label: "Cost of a round", kind: "amount" },
      { name: "arrival", label: "Arrival", kind: "count" },
      { name: "truthful", label: "Utility of the truth", kind: "amount" },
      { name: "gain", label: "Gain of the best lie", kind: "amount" },
      { name: "bestPrice", label: "Its price", kind: "amount" },
      { name: "bestArrival", label: "Its arrival", kind: "count" },
      { name: "kind", label: "Kind of lie", kind: "text" },
      { name: "segments", label: "Pieces in sight", kind: "count" },
      { name: "witness", label: "Witness", kind: "text" },
    ],
    rows: views.map(({ regime, ratio, worker, response, lie, kind, outline, key }) => ({
      regime,
      ratio,
      worker: worker.id,
      reputation: worker.reputation,
      cost: worker.cost,
      arrival: worker.arrival,
      truthful: rounded(response.truthful),
      gain: rounded(response.gain),
      bestPrice: rounded(lie.price),
      bestArrival: lie.arrival,
      kind: kind ?? "none",
      segments: outline.segments.length,
      witness: key,
    })),
  };
}

const STRIPS = 8;

function outlineTable(view: View): Table {
  const { outline, response, worker, lie, key, regime } = view;
  const { truthful, gain, best } = response;
  const point = (what: string, { price, arrival }: Pick<Bid, "price" | "arrival">, utility: number): Row =>
    segmentRow(what, { arrival, price, price2: price, utility, utility2: utility }, truthful);
  const segments = outline.segments.flatMap((segment) => strips(segment, STRIPS));
  const kindOf = ({ price, price2 }: Segment) => (price === price2 ? "single price" : "piece");
  return {
    name: `outline-${key}`,
    title: `Utility of worker ${worker.id}, ${regime}: from price to price`,
    columns: [
      { name: "what", label: "What", kind: "text" },
      { name: "arrival", label: "Arrival said", kind: "count" },
      { name: "price", label: "Price said from", kind: "amount" },
      { name: "price2", label: "to", kind: "amount" },
      { name: "utility", label: "Utility from", kind: "amount" },
      { name: "utility2", label: "to", kind: "amount" },
      { name: "more", label: "More than the truth brings", kind: "amount" },
    ],
    rows: [
      ...segments.map((segment) => segmentRow(kindOf(segment), segment, truthful)),
      point("truth", { price: worker.cost, arrival: worker.arrival }, truthful),
      ...(gain > 0 ? [point("best lie", lie, best.utility)] : []),
    ],
  };
}

function segmentRow(what: string, segment: Segment, truthful: number): Row {
  const { arrival, price, price2, utility, utility2 } = segment;
  return {
    what,
    arrival,
    price: rounded(price),
    price2: rounded(price2),
    utility: rounded(utility),
    utility2: rounded(utility2),
    more: rounded(tidy((utility + utility2) / 2 - truthful)),
  };
}

/** Rounding errors of a difference, removed. */
const tidy = (x: number): number => (Math.abs(x) < 1e-9 ? 0 : x);

const only = (...whats: string[]) => ({ filter: { field: "what", oneOf: whats } });

const shape = {
  field: "what",
  type: "nominal",
  title: null,
  scale: { domain: ["truth", "best lie"], range: ["circle", "diamond"] },
};

/** Black within white is seen on any ground. */
const marked = {
  type: "point",
  filled: true,
  size: 140,
  opacity: 1,
  color: "black",
  stroke: "white",
  strokeWidth: 1.5,
};

const tooltip = [
  { field: "what", title: "What" },
  { field: "arrival", title: "Arrival said" },
  { field: "price", title: "Price said from", format: ".4~g" },
  { field: "price2", title: "to", format: ".4~g" },
  { field: "utility", title: "Utility", format: ".4~g" },
  { field: "more", title: "More than the truth", format: ".4~g" },
];

const priceAxis = ({ top }: Outline) => ({
  field: "price",
  type: "quantitative",
  title: "price said",
  scale: { domain: [0, Number(top.toPrecision(3))], nice: false, zero: true },
});

const titleOf = ({ regime, worker }: View): string => `${capital(regime)}: worker ${worker.id}`;

function lineChart(view: View): Chart {
  const { key, outline, worker } = view;
  const x = priceAxis(outline);
  const y = { field: "utility", type: "quantitative", title: "utility" };
  const color = { field: "arrival", type: "ordinal", title: "arrival said" };
  const strokeWidth = { condition: { test: `datum.arrival === ${worker.arrival}`, value: 5 }, value: 2 };
  return {
    name: `lines-${key}`,
    title: `${titleOf(view)}, utility against price, a line per arrival`,
    table: `outline-${key}`,
    spec: {
      layer: [
        {
          transform: [only("piece")],
          mark: { type: "rule", clip: true },
          encoding: { x, x2: { field: "price2" }, y, y2: { field: "utility2" }, color, strokeWidth, tooltip },
        },
        {
          transform: [only("single price")],
          mark: { type: "point", filled: true, size: 14, clip: true },
          encoding: { x, y, color, tooltip },
        },
        { transform: [only("truth")], mark: { type: "rule", strokeDash: [3, 4] }, encoding: { y } },
        {
          transform: [only("truth", "best lie")],
          mark: marked,
          encoding: { x, y, shape, tooltip },
        },
      ],
    },
    summary: inWords(view),
    howToRead: `${outline.exact ? "Exact: each stretch is a straight piece, and a jump is a price at which a decision changes." : "Sampled: between two prices tried, anything may happen."} The true cost is ${money(worker.cost)}; the dashed line is what the truth brings, the thick ones are at the true arrival.`,
  };
}

function heatChart(view: View): Chart {
  const { key, outline, response } = view;
  const [less, more] = [Math.max(response.truthful, response.gain, 0.01), Math.max(response.gain, 0.01)];
  const domain = [-less, response.gain > 0 ? more : less].map((end) => Number(end.toPrecision(3)));
  const x = priceAxis(outline);
  const y = { field: "arrival", type: "ordinal", title: "arrival said" };
  const color = {
    field: "more",
    type: "quantitative",
    title: "more than truth",
    scale: { domain, domainMid: 0, clamp: true },
  };
  return {
    name: `heat-${key}`,
    title: `${titleOf(view)}, price × arrival`,
    table: `outline-${key}`,
    spec: {
      height: { step: 26 },
      layer: [
        {
          transform: [only("piece")],
          mark: { type: "rect", clip: true },
          encoding: { x, x2: { field: "price2" }, y, color, tooltip },
        },
        {
          transform: [only("truth", "best lie")],
          mark: marked,
          encoding: { x, y, shape, tooltip },
        },
      ],
    },
    summary: inWords(view),
    howToRead: `Colour: utility less that of the truth; losses beyond ${money(less)} look the same. Pieces of a single price are too narrow to be seen here.`,
  };
}

function inWords({ regime, worker, response, lie, kind, ratio, outline }: View): string {
  const who = `worker ${worker.id} (cost ${money(worker.cost)}, arrival ${worker.arrival}, relative budget ${ratio})`;
  const truth = `gets ${money(response.truthful)} by the truth`;
  const found = outline.exact ? "and no lie brings it more" : "and no better lie was found";
  if (kind === null) return `${capital(regime)}: ${who} ${truth}, ${found}.`;
  const change = [
    ...(lie.price === worker.cost ? [] : [`bidding ${money(lie.price)}`]),
    ...(lie.arrival === worker.arrival ? [] : [`arriving at ${lie.arrival}`]),
  ].join(" and ");
  const least = outline.exact ? "at most" : "at least";
  return `${capital(regime)}: ${who} ${truth} and ${least} ${money(response.best.utility)} by ${change}: ${lieKinds[kind]}.`;
}

const findingOf = (view: View): Finding => ({ text: inWords(view), weight: view.kind === null ? 2 : 3 });

function leftOutOf(views: readonly View[], given: LandscapeSettings, exact: boolean): string[] {
  const { markets, sizes, ratios, samples, asked } = given;
  const missing = regimes.filter((regime) => !views.some((view) => view.regime === regime));
  const choice = exact ? "of those who gain, the one whose picture shows most" : "the one who gains most";
  return [
    `Workers were chosen from ${many(markets, "market")} of each size (${listed(sizes.map(String))} workers) under ${ratios.length} relative budgets: in each regime ${choice}, or, where nobody gains, one with the median utility of those who earn something. They show what is possible, not what is usual.`,
    ...missing.map((regime) => `No worker was found in the regime ${regime}.`),
    exact
      ? "Utilities are exact for every price in sight; prices above it are not drawn."
      : `Utilities were tried at ${many(samples, "price")} for each arrival, and lies were searched${asked === null ? "" : ` for ${many(asked, "worker")} of each market`}: gains are lower bounds.`,
  ];
}

function exhibitOf(view: View, mechanism: string): Exhibit {
  const { key, market, lie, response, worker, regime, kind } = view;
  const gains =
    kind === null
      ? "cannot do better than the truth"
      : `gains ${money(response.gain)} on top of ${money(response.truthful)}`;
  const title = `${capital(regime)}: worker ${worker.id} ${gains}`;
  return { name: key, title, market, mechanism, lie: kind === null ? null : lie };
}
