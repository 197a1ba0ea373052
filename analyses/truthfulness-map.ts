/** Where truthfulness holds and where it breaks: who can gain by lying, by regime, relative budget and number of workers. */

import { isExact } from "../src/best-response/index.js";
import { threeDigits } from "../src/lib/format.js";
import type { SomeSettings } from "../src/lib/options.js";
import { atRelativeBudget, surveyed } from "../src/market/draw.js";
import { type Regime, regimes } from "../src/mechanisms/outcome.js";
import type { Exhibit } from "../src/report/result.js";
import { lies } from "../src/report/vocabulary.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import type { Job, JobContext, WorkContext } from "../src/study/job.js";
import {
  askAt,
  askingCost,
  type BySpeed,
  type GainSummary,
  type GainsAt,
  gainSummary,
  gainsAt,
  type LieName,
  mergeGains,
  mergeParts,
  type SurveyCell,
  type SurveySettings,
  settingsFor,
  surveyPlan,
  type Witness,
  workerColumns,
} from "./shared/gains.js";
import { charts, findings, methods, tables } from "./truthfulness-map/views.js";

const grid = {
  rounds: 10,
  sizes: [5, 10, 20, 40, 80, 160],
  ratios: [0.03, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 5],
};

const coarse = { rounds: 10, sizes: [5, 10, 20], ratios: [0.1, 0.35, 1, 3] };

const profiles: BySpeed<SurveySettings> = {
  quick: {
    fast: { ...grid, markets: 300, asked: null },
    slow: { ...coarse, markets: 6, asked: 2 },
  },
  full: {
    fast: { ...grid, markets: 5000, asked: null },
    slow: { ...coarse, markets: 100, asked: 4 },
  },
};

/** Another number of markets of each size, one size alone, or one relative budget alone. */
const withOptions = (usual: SurveySettings, set: SomeSettings): SurveySettings => ({
  ...usual,
  ...(set.markets !== undefined && { markets: Number(set.markets) }),
  ...(set.workers !== undefined && { sizes: [Number(set.workers)] }),
  ...(set.ratio !== undefined && { ratios: [Number(set.ratio)] }),
});

/** "all" budgets: those of the cell together. */
interface Part {
  readonly ratio: number | "all";
  readonly regime: Regime;
  readonly lie: LieName;
}

/** A summary of every part that anybody was in. */
type MapSummary = Record<string, GainSummary>;

const keyOf = ({ ratio, regime, lie }: Part): string => `${ratio} ${regime} ${lie}`;

function look(cell: SurveyCell, k: number, context: JobContext): MapSummary {
  const { workers, ratios, asked } = cell;
  const { mechanism } = context;
  const drawn = surveyed(cell, k, context.stream);
  const parts: Record<string, GainsAt[]> = {};
  for (const ratio of ratios) {
    const place = { workers, k, ratio };
    const { market, responses } = askAt(drawn, place, { ...context, asked });
    for (const seen of gainsAt(market, responses.workers, { place, mechanism }))
      for (const at of [ratio, "all"] as const) {
        const key = keyOf({ ...seen, ratio: at });
        parts[key] ??= [];
        parts[key].push(seen);
      }
  }
  return Object.fromEntries(Object.entries(parts).map(([key, seen]) => [key, gainSummary(seen)]));
}

const job: Job<SurveyCell, MapSummary> = {
  look,
  merge: (left, right) => mergeParts(left, right, mergeGains),
  cost: ({ workers, ratios, asked }) => askingCost(workers, asked, ratios.length),
  columns: workerColumns,
};

/** The workers of one regime and what one lie brings them: in markets of one size at one budget, or in all. */
export interface Seen<Where = { readonly workers: number; readonly ratio: number }> {
  readonly regime: Regime;
  readonly lie: LieName;
  readonly where: Where;
  readonly gains: GainSummary;
  /** The exhibit with the largest gain. */
  readonly exhibit: string | null;
}

export interface MapResult {
  readonly settings: SurveySettings;
  readonly exact: boolean;
  /** Over all sizes and budgets; a regime that nobody was in is absent. */
  readonly overall: readonly Seen<null>[];
  /** Over all budgets, by size. */
  readonly bySize: readonly Seen<{ readonly workers: number }>[];
  readonly cells: readonly Seen[];
  readonly exhibits: readonly Exhibit[];
}

/** Larger markets say little on the bench, and make the page heavy. */
const LARGEST_SHOWN = 40;

const parts = regimes.flatMap((regime) => lies.map((lie) => ({ regime, lie })));

function conclude(
  gathered: readonly Gathered<SurveyCell, MapSummary>[],
  settings: SurveySettings,
  context: WorkContext,
) {
  const seenAt = (ratio: number | "all") =>
    gathered.flatMap(({ cell: { workers }, summary }) =>
      parts.flatMap((part) => {
        const gains = summary?.[keyOf({ ...part, ratio })];
        return gains ? [{ ...part, where: { workers }, gains, exhibit: null }] : [];
      }),
    );
  const bySize = seenAt("all");
  const overall = parts.flatMap((part) => allSizes(bySize, part));
  const cells = settings.ratios.flatMap((ratio) => seenAt(ratio).map((seen) => cellAt(seen, ratio)));
  const exhibits = [...overall, ...cells].flatMap(({ exhibit, gains }) =>
    exhibit === null ? [] : [exhibitOf(exhibit, gains.most!, { ...context, rounds: settings.rounds })],
  );
  return { settings, exact: isExact(context.mechanism), overall, bySize, cells, exhibits };
}

/** Merging changes the left one: each is a copy. */
function allSizes(bySize: MapResult["bySize"], { regime, lie }: (typeof parts)[number]): Seen<null>[] {
  const there = bySize.filter((one) => one.regime === regime && one.lie === lie);
  if (there.length === 0) return [];
  const gains = there.map((one) => structuredClone(one.gains)).reduce(mergeGains);
  const exhibit = gains.most && `largest-${lie}-${regime.replace(" ", "-")}`;
  return [{ regime, lie, where: null, gains, exhibit }];
}

function cellAt(seen: MapResult["bySize"][number], ratio: number): Seen {
  const { regime, lie, gains, where } = seen;
  const shown = gains.most && lie === "joint" && where.workers <= LARGEST_SHOWN;
  const exhibit = shown ? `map-${where.workers}-${ratio}-${regime.replace(" ", "-")}` : null;
  return { ...seen, where: { ...where, ratio }, exhibit };
}

function exhibitOf(
  name: string,
  { workers, k, ratio, regime, gain, truthful, bid }: Witness,
  { stream, mechanism, rounds }: WorkContext & { readonly rounds: number },
): Exhibit {
  const market = atRelativeBudget(surveyed({ workers, rounds }, k, stream), ratio);
  const title = `${workers} workers at relative budget ${ratio}, ${regime}: worker ${bid.worker} gains ${threeDigits(gain)} on top of ${threeDigits(truthful)}`;
  return { name, title, market, mechanism: mechanism.name, lie: bid };
}

export const truthfulnessMap: Analysis<SurveySettings, SurveyCell, MapSummary, MapResult> = {
  name: "truthfulness-map",
  question: "How many workers can gain by lying about their price, their arrival or both, and how much?",
  part: "gains",
  options: {
    markets: { from: 1, whole: true },
    workers: { from: 1, to: 10_000, whole: true },
    ratio: { from: 0.001, to: 1000 },
  },
  settings: (context) => withOptions(settingsFor(profiles, context), context.options),
  plan: surveyPlan,
  job,
  conclude,
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
