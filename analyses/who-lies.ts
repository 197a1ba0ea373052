/** Who can gain, by which lie, and where the gain comes from. */

import { group, rollups } from "d3-array";
import { isExact, type Response } from "../src/best-response/index.js";
import { capital, threeDigits } from "../src/lib/format.js";
import { countsOf, mergeCounts } from "../src/lib/summaries.js";
import { negligible } from "../src/lib/tolerance.js";
import { atRelativeBudget, surveyed } from "../src/market/draw.js";
import { type Market, workerOf } from "../src/market/market.js";
import type { Regime } from "../src/mechanisms/outcome.js";
import type { Exhibit } from "../src/report/result.js";
import type { Analysis } from "../src/study/analysis.js";
import type { JobContext, WorkContext } from "../src/study/job.js";
import { type Causes, explain, type LieKind, lieKinds } from "../src/verdicts/explain.js";
import {
  askAt,
  askingCost,
  type BySpeed,
  mergeParts,
  type PayingLie,
  type Place,
  type SurveyCell,
  type SurveySettings,
  settingsFor,
  surveyPlan,
  type Witness,
  workerColumns,
} from "./shared/gains.js";
import {
  addKinds,
  BANDS,
  type Band,
  bandKey,
  charts,
  eachCause,
  findings,
  type KindSummary,
  kindKey,
  kinds,
  methods,
  tables,
  total,
  type WhoSummary,
} from "./who-lies/views.js";

const grid = {
  rounds: 10,
  sizes: [5, 10, 20, 40, 80],
  ratios: [0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3],
};

const coarse = { rounds: 10, sizes: [5, 10], ratios: [0.2, 0.7, 2] };

const profiles: BySpeed<SurveySettings> = {
  quick: {
    fast: { ...grid, markets: 200, asked: null },
    slow: { ...coarse, markets: 10, asked: 2 },
  },
  full: {
    fast: { ...grid, markets: 3000, asked: null },
    slow: { ...coarse, markets: 200, asked: 2 },
  },
};

function look(cell: SurveyCell, k: number, context: JobContext): WhoSummary {
  const { workers, ratios, asked } = cell;
  const drawn = surveyed(cell, k, context.stream);
  const people = ratios.flatMap((ratio) => {
    const place = { workers, k, ratio };
    const { market, responses } = askAt(drawn, place, { ...context, asked });
    return responses.workers.map((response) => personOf(response, { market, place, ...context }));
  });
  return summaryOfMarket(people);
}

interface Met extends Pick<JobContext, "mechanism"> {
  readonly market: Market;
  readonly place: Place;
}

function personOf(response: Response, { market, place, mechanism }: Met): Person {
  const { id, regime, best, gain, truthful } = response;
  const { reputation } = workerOf(market, id);
  const person = { ...place, regime, reputation, lie: null };
  if (gain <= 0) return person;
  const bid = { worker: id, price: best.price, arrival: best.arrival };
  const { kind, causes } = explain(market, bid, { mechanism });
  return kind === null ? person : { ...person, lie: { bid, truthful, gain, regime, kind, causes } };
}

export interface WhoResult {
  readonly who: WhoSummary;
  readonly settings: SurveySettings;
  readonly exact: boolean;
  readonly exhibits: readonly Exhibit[];
}

/** The largest gain of each kind. */
function exhibitsOf({ most }: WhoSummary, { stream, mechanism }: WorkContext, rounds: number): Exhibit[] {
  return kinds.flatMap((kind): Exhibit[] => {
    const witness = most[kind];
    if (!witness) return [];
    const { bid, gain, truthful, regime, workers, k, ratio } = witness;
    const market = atRelativeBudget(surveyed({ workers, rounds }, k, stream), ratio);
    const title = `${capital(lieKinds[kind])} (${regime}): worker ${bid.worker} of ${workers} gains ${threeDigits(gain)} on top of ${threeDigits(truthful)}`;
    return [{ name: kind, title, market, mechanism: mechanism.name, lie: bid }];
  });
}

/** A worker of a market under one budget. */
interface Person extends Place {
  readonly regime: Regime;
  readonly reputation: number;
  /** Null where no lie pays. */
  readonly lie: ExplainedLie | null;
}

interface ExplainedLie extends PayingLie {
  readonly kind: LieKind;
  /** Null where the mechanism is not the paper's. */
  readonly causes: Causes | null;
}

type Liar = Person & { readonly lie: ExplainedLie };

/** Which of the bands of reputations. */
const bandOf = (reputation: number): number => Math.min(BANDS - 1, Math.floor(reputation * BANDS));

/** One market, at all its budgets. */
function summaryOfMarket(people: readonly Person[]): WhoSummary {
  const liars = people.flatMap((person) => (person.lie ? [{ ...person, lie: person.lie }] : []));
  return {
    bands: Object.fromEntries(
      rollups(people, summaryOfBand, ({ regime, reputation }) => bandKey(regime, bandOf(reputation))),
    ),
    kinds: kindsOf(liars),
    most: mostOf(liars),
  };
}

function summaryOfBand(people: readonly Person[]): Band {
  const gains = people.flatMap(({ lie }) => lie?.gain ?? []);
  return { share: countsOf(gains.length, people.length), total: total(gains) };
}

/** Every kind in each regime where somebody gains: one that nobody tells has a share of 0 there. */
function kindsOf(liars: readonly Liar[]): Record<string, KindSummary> {
  const found = [...group(liars, ({ regime }) => regime)].flatMap(([regime, part]) =>
    kinds.map((kind) => {
      const mine = part.filter(({ lie }) => lie.kind === kind);
      return [kindKey(regime, kind), summaryOfKind(mine, part.length)];
    }),
  );
  return Object.fromEntries(found);
}

function summaryOfKind(liars: readonly Liar[], among: number): KindSummary {
  const gains = liars.map(({ lie }) => lie.gain);
  const known = liars.flatMap(({ lie }) => lie.causes ?? []);
  return {
    share: countsOf(liars.length, among),
    count: liars.length,
    total: total(gains),
    most: gains.reduce((most, gain) => Math.max(most, gain), 0),
    explained: known.length,
    causes: eachCause((name) => total(known.map((causes) => causes[name]))),
    helping: eachCause((name) => known.filter((causes) => helps(causes, name)).length),
  };
}

/** Whether a cause adds to a gain; beside the largest it must be more than rounding. */
const helps = (causes: Causes, name: keyof Causes): boolean =>
  causes[name] > negligible(Math.max(...Object.values(causes).map(Math.abs)));

function mostOf(liars: readonly Liar[]): Record<string, Witness> {
  const most: Record<string, Witness> = {};
  for (const { lie, workers, k, ratio } of liars) {
    const { bid, truthful, gain, regime, kind } = lie;
    if (gain > (most[kind]?.gain ?? 0)) most[kind] = { workers, k, ratio, bid, truthful, gain, regime };
  }
  return most;
}

/** Of different markets; it changes the left one. */
const mergeWho = (left: WhoSummary, right: WhoSummary): WhoSummary => ({
  bands: mergeParts(left.bands, right.bands, (a, b) => ({
    share: mergeCounts(a.share, b.share),
    total: a.total + b.total,
  })),
  kinds: mergeParts(left.kinds, right.kinds, (a, b) => ({
    ...addKinds(a, b),
    share: mergeCounts(a.share, b.share),
  })),
  most: mergeParts(left.most, right.most, (a, b) => (b.gain > a.gain ? b : a)),
});

export const whoLies: Analysis<SurveySettings, SurveyCell, WhoSummary, WhoResult> = {
  name: "who-lies",
  question: "Who can gain, by which kind of lie, and where does the gain come from?",
  part: "gains",
  options: { markets: { from: 1, whole: true } },
  settings: (context) => {
    const usual = settingsFor(profiles, context);
    const { markets = usual.markets } = context.options;
    return { ...usual, markets: Number(markets) };
  },
  plan: surveyPlan,
  job: {
    look,
    merge: mergeWho,
    cost: ({ workers, ratios, asked }) => askingCost(workers, asked, ratios.length),
    columns: workerColumns,
  },
  conclude: (gathered, settings, context) => {
    const who = gathered.flatMap(({ summary }) => summary ?? []).reduce(mergeWho);
    const exhibits = exhibitsOf(who, context, settings.rounds);
    return { who, settings, exact: isExact(context.mechanism), exhibits };
  },
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
