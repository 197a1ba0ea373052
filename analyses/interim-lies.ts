/** What pays when a worker does not see the others' bids, by relative budget, number of workers and mechanism. */

import type { AnyMechanism } from "../src/auction/mechanism.js";
import type { Stream } from "../src/lib/random.js";
import { type Estimate, estimate, FEWEST, meanAlone, meanRatio, share } from "../src/lib/statistics.js";
import { paperRules, type Rules, type Worker } from "../src/market/market.js";
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
import { charts, findings, methods, tables } from "./interim-lies/views.js";
import { bounded } from "./shared/gains.js";
import { type BySpeed, settingsFor } from "./shared/survey.js";

/** A size of market, drawn as in the paper. */
export interface Place {
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

export interface EpsilonAt extends EpsilonFound, Bounded, At {
  readonly types: number;
}

export interface InterimLies {
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

export type GainsAt = ReturnType<typeof gainsIn>[number];

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
