/** Who can gain, by which lie, and where the gain comes from. */

import { isExact, type Response } from "../src/best-response/index.js";
import { capital, threeDigits } from "../src/lib/format.js";
import { atRelativeBudget, surveyed } from "../src/market/draw.js";
import type { Market } from "../src/market/market.js";
import { workerOf } from "../src/market/market.js";
import type { Exhibit } from "../src/report/result.js";
import type { Analysis } from "../src/study/analysis.js";
import type { JobContext, WorkContext } from "../src/study/job.js";
import { explain, lieKinds } from "../src/verdicts/explain.js";
import { askAt, askingCost, type BySpeed, type Place, settingsFor, workerColumns } from "./shared/gains.js";
import { kinds, mergeWho, type Person, summaryOfMarket, type WhoSummary } from "./who-lies/summary.js";
import { charts, findings, methods, tables } from "./who-lies/views.js";

export interface WhoSettings {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Relative budgets; every market is looked at under each. */
  readonly ratios: readonly number[];
  /** Markets drawn of each size. */
  readonly markets: number;
  /** Workers asked in each; null: everybody. */
  readonly asked: number | null;
}

const grid = {
  rounds: 10,
  sizes: [5, 10, 20, 40, 80],
  ratios: [0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3],
};

const coarse = { rounds: 10, sizes: [5, 10], ratios: [0.2, 0.7, 2] };

const profiles: BySpeed<WhoSettings> = {
  quick: {
    fast: { ...grid, markets: 200, asked: null },
    slow: { ...coarse, markets: 10, asked: 2 },
  },
  full: {
    fast: { ...grid, markets: 3000, asked: null },
    slow: { ...coarse, markets: 200, asked: 2 },
  },
};

/** Markets of one size. */
export interface WhoCell extends Pick<WhoSettings, "rounds" | "ratios" | "asked"> {
  readonly workers: number;
}

function look(cell: WhoCell, k: number, context: JobContext): WhoSummary {
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
  readonly settings: WhoSettings;
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

export const whoLies: Analysis<WhoSettings, WhoCell, WhoSummary, WhoResult> = {
  name: "who-lies",
  question: "Who can gain, by which kind of lie, and where does the gain come from?",
  part: "gains",
  options: { markets: { from: 1, whole: true } },
  settings: (context) => {
    const usual = settingsFor(profiles, context);
    const { markets = usual.markets } = context.options;
    return { ...usual, markets: Number(markets) };
  },
  plan: ({ sizes, rounds, ratios, asked, markets }) =>
    sizes.map((workers) => ({ cell: { workers, rounds, ratios, asked }, markets })),
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
