/** Which of the paper's claims hold, in markets drawn as in the paper and in random ones, in both readings. */

import { isExact } from "../src/best-response/index.js";
import type { Stream } from "../src/lib/random.js";
import { atRelativeBudget, drawForSurvey } from "../src/market/draw.js";
import { BATCH, batchFrom, marketArbitrary } from "../src/market/generators.js";
import type { Market, Rules } from "../src/market/market.js";
import type { AnyMechanism } from "../src/mechanisms/mechanism.js";
import type { Exhibit } from "../src/report/result.js";
import type { Analysis, Profile } from "../src/study/analysis.js";
import { type Cells, type Job, jobByKind, type OfKind } from "../src/study/job.js";
import { huntedProperties } from "../src/verdicts/counterexamples/violations.js";
import { breaksIn, type Examined, type Examining } from "./properties/breaks.js";
import {
  type Certify,
  type Judged,
  judge,
  mergeRatios,
  mergeTallies,
  noRatios,
  questions,
  type RatioSummary,
  ratioCounts,
  ratioProperties,
  readings,
  type Tallies,
  talliesOf,
} from "./properties/tallies.js";
import { charts, exhibitOf, findings, methods, tables } from "./properties/views.js";

export interface Draws {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Over the true cost of all rounds on offer. */
  readonly budgets: readonly number[];
  /** How many of each size and budget. */
  readonly perCell: number;
  /** How many random ones. */
  readonly wide: number;
}

export interface PropertySettings {
  readonly draws: Draws;
  /** P4 takes long: it is asked of every so manieth market. */
  readonly everyForP4: number;
  readonly ratios: readonly number[];
  /** The markets that are looked at under every first-round ratio. */
  readonly ratioDraws: Draws;
}

const spread = { rounds: 10, sizes: [5, 10, 20, 40, 60], budgets: [0.1, 0.2, 0.35, 0.6, 1, 2, 4] };
const few = { rounds: 10, sizes: [10, 30], budgets: [0.3, 0.6, 1.2] };
const ratios = Array.from({ length: 18 }, (_, k) => (k + 2) / 20);

const profiles: Record<Profile, PropertySettings> = {
  quick: {
    draws: { ...spread, perCell: 30, wide: 1700 },
    everyForP4: 3,
    ratios,
    ratioDraws: { ...few, perCell: 12, wide: 72 },
  },
  full: {
    draws: { ...spread, perCell: 250, wide: 12_500 },
    everyForP4: 4,
    ratios,
    ratioDraws: { ...few, perCell: 400, wide: 2400 },
  },
};

/** Where the best lie of one worker takes a search of about 70 ms. */
const searched: Record<Profile, PropertySettings> = {
  quick: {
    ...profiles.quick,
    draws: { rounds: 10, sizes: [5, 10], budgets: [0.2, 0.6, 2], perCell: 4, wide: 24 },
    everyForP4: 1,
  },
  full: {
    ...profiles.full,
    draws: { rounds: 10, sizes: [5, 10], budgets: [0.2, 0.6, 2], perCell: 60, wide: 400 },
    everyForP4: 1,
  },
};

const SEARCH_MILLISECONDS = 70;

/** The paper's markets of one size and budget one by one, or random ones a batch at a time. */
export type DrawCell = { readonly first: number } & (
  | { readonly family: "paper"; readonly workers: number; readonly rounds: number; readonly budget: number }
  | { readonly family: "random"; readonly count: number }
);

interface Drawn {
  /** Counts over all draws. */
  readonly index: number;
  readonly market: Market;
}

const randomLimits = { minWorkers: 1, maxWorkers: 12, maxRounds: 8, maxRatio: 0.5 } as const;

function drawCells({ rounds, sizes, budgets, perCell, wide }: Draws): Cells<DrawCell>[] {
  const places = sizes.flatMap((workers) => budgets.map((budget) => ({ workers, rounds, budget })));
  const paper = places.map((place, k) => ({
    cell: { family: "paper" as const, first: k * perCell, ...place },
    markets: perCell,
  }));
  const random = { family: "random" as const, first: places.length * perCell, count: wide };
  return [...paper, { cell: random, markets: Math.ceil(wide / BATCH) }];
}

/** What is k-th in a cell: a market of the paper's, or a batch of random ones. */
function drawnAt(cell: DrawCell, k: number, stream: Stream): Drawn[] {
  if (cell.family === "random") return randomDraws(cell, k, stream.fork("random"));
  const { workers, rounds, budget, first } = cell;
  const own = stream.fork("paper").fork(workers).fork(budget).fork(k);
  return [{ index: first + k, market: atRelativeBudget(drawForSurvey({ workers, rounds }, own), budget) }];
}

function randomDraws(
  { first, count }: DrawCell & { readonly family: "random" },
  batch: number,
  stream: Stream,
): Drawn[] {
  const from = batch * BATCH;
  const arbitrary = marketArbitrary({ ...randomLimits, readings: ["prose"] });
  return batchFrom(arbitrary, batch, stream)
    .slice(0, count - from)
    .map((market, k) => ({ index: first + from + k, market }));
}

/** A drawn market in both readings. */
const inBothReadings = (market: Market, rules: Partial<Rules>, examining: Examining): Examined[] =>
  readings.map((reading) =>
    breaksIn({ ...market, rules: { ...market.rules, ...rules, reading } }, examining),
  );

export interface ClaimCell {
  readonly kind: "claims";
  readonly of: DrawCell;
  readonly everyForP4: number;
  /** Whether best lies are searched for. */
  readonly searched: boolean;
}

const withoutP4 = huntedProperties.filter((property) => property !== "P4");

const claimJob: Job<ClaimCell, Tallies> = {
  look: ({ of, everyForP4 }, k, { stream, mechanism }) =>
    drawnAt(of, k, stream.fork("board"))
      .flatMap(({ market, index }) => {
        const properties = index % everyForP4 === 0 ? huntedProperties : withoutP4;
        return inBothReadings(market, {}, { mechanism, properties });
      })
      .map((examined) => talliesOf(examined, { ratio: "up to 1/2", family: of.family }))
      .reduce(mergeTallies, {}),
  merge: mergeTallies,
  cost: ({ of, searched }) => {
    if (searched) return 2 * SEARCH_MILLISECONDS * (of.family === "random" ? 6 * BATCH : of.workers);
    return of.family === "random" ? 60 : 2 + 0.1 * of.workers;
  },
};

export interface RatioCell {
  readonly kind: "ratios";
  readonly of: DrawCell;
  readonly firstRoundRatio: number;
}

const ratioJob: Job<RatioCell, RatioSummary> = {
  look: ({ of, firstRoundRatio }, k, { stream, mechanism }) =>
    drawnAt(of, k, stream.fork("ratios"))
      .flatMap(({ market }) =>
        inBothReadings(market, { firstRoundRatio }, { mechanism, properties: ratioProperties }),
      )
      .map((examined): RatioSummary => {
        const { family } = of;
        const high = firstRoundRatio > 0.5;
        const tallies = high ? talliesOf(examined, { ratio: "above 1/2", family }) : {};
        return { counts: ratioCounts(examined, family), tallies };
      })
      .reduce(mergeRatios, noRatios),
  merge: mergeRatios,
  cost: ({ of }) => (of.family === "random" ? 8 : 0.2 + 0.01 * of.workers),
};

export type PropertyCell = ClaimCell | RatioCell;

export type PropertySummary = OfKind<"claims", Tallies> | OfKind<"ratios", RatioSummary>;

/** A judged question, and the exhibit that shows its break. */
export interface Verdict extends Judged {
  readonly exhibit: string | null;
}

export interface PropertyResult {
  readonly settings: PropertySettings;
  readonly exact: boolean;
  readonly verdicts: readonly Verdict[];
  /** By ratio. */
  readonly ratios: readonly { readonly ratio: number; readonly counts: RatioSummary["counts"] }[];
  readonly exhibits: readonly Exhibit[];
}

/** Asks exact arithmetic, once of each break. */
async function certifier(mechanism: AnyMechanism): Promise<Certify> {
  const { confirm } = await import("../src/verdicts/counterexamples/violations.js");
  const answers = new Map<string, boolean | null>();
  return ({ market, found }) => {
    const key = JSON.stringify([market, found]);
    if (!answers.has(key)) answers.set(key, confirm(mechanism, market, found));
    return answers.get(key)!;
  };
}

/** Exhibits: one for each claim, regime and family, of the prose, or where that breaks nothing of the pseudocode. */
function verdictsOn(tallies: Tallies, certify: Certify, mechanism: AnyMechanism) {
  const exhibits = new Map<string, Exhibit>();
  const verdicts = questions.map((question): Verdict => {
    const judged = judge(question, tallies, certify);
    const exhibit = judged.witness && exhibitOf(question, judged.witness, mechanism);
    const about = [question.claim.label, question.regime, question.family].join("; ");
    if (exhibit && !exhibits.has(about)) exhibits.set(about, exhibit);
    const shown = exhibit?.name === exhibits.get(about)?.name;
    return { ...judged, exhibit: exhibit && shown ? exhibit.name : null };
  });
  return { verdicts, exhibits: [...exhibits.values()] };
}

export const properties: Analysis<PropertySettings, PropertyCell, PropertySummary, PropertyResult> = {
  name: "properties",
  question: "Which of the paper's claims hold, in which regime and under which reading?",
  part: "claims",
  settings: ({ profile, mechanism }) => (isExact(mechanism) ? profiles : searched)[profile],
  plan: ({ draws, everyForP4, ratios, ratioDraws }, { mechanism }) => [
    ...drawCells(draws).map(({ cell: of, markets }) => ({
      cell: { kind: "claims" as const, of, everyForP4, searched: !isExact(mechanism) },
      markets,
    })),
    ...ratios.flatMap((firstRoundRatio) =>
      drawCells(ratioDraws).map(({ cell: of, markets }) => ({
        cell: { kind: "ratios" as const, of, firstRoundRatio },
        markets,
      })),
    ),
  ],
  job: jobByKind({ claims: claimJob, ratios: ratioJob }),
  conclude: async (gathered, settings, { mechanism }) => {
    const found = gathered.flatMap(({ cell, summary }) => (summary ? [{ cell, summary }] : []));
    const drawn = found.flatMap(({ summary }) => (summary.kind === "claims" ? [summary.summary] : []));
    const ratios = settings.ratios.map((ratio) => {
      const here = found.flatMap(({ cell, summary }) =>
        summary.kind === "ratios" && cell.kind === "ratios" && cell.firstRoundRatio === ratio
          ? [summary.summary]
          : [],
      );
      return { ratio, ...here.reduce(mergeRatios, noRatios) };
    });
    const tallies = [...drawn, ...ratios.map((one) => one.tallies)].reduce(mergeTallies, {});
    const judged = verdictsOn(tallies, await certifier(mechanism), mechanism);
    return { settings, exact: isExact(mechanism), ratios, ...judged };
  },
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
