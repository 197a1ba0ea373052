/** What pays when a worker does not see the others' bids, by relative budget, number of workers and mechanism. */

import { drawnBelief } from "../src/best-response/belief.js";
import { Draws, drawsOf } from "../src/best-response/draws.js";
import { isExact } from "../src/best-response/index.js";
import { Interim } from "../src/best-response/interim.js";
import { type InterimGains, interimGains } from "../src/best-response/interim-gains.js";
import { type LargestGain, largestGain } from "../src/best-response/largest-gain.js";
import type { Stream } from "../src/lib/random.js";
import { type Estimate, reach } from "../src/lib/statistics.js";
import { paperRules, type Rules, type Worker } from "../src/market/market.js";
import type { AnyMechanism } from "../src/mechanisms/mechanism.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { type JobContext, jobByKind, listing, type OfKind } from "../src/study/job.js";
import { charts, findings, methods, tables } from "./interim-lies/views.js";
import { type BySpeed, settingsFor } from "./shared/gains/sampled-responses.js";

/** A size of market, drawn as in the paper. */
export interface Place {
  readonly workers: number;
  readonly budget: number;
}

interface Sample {
  readonly types: number;
  /** On so many a lie is chosen, and on as many others it is judged. */
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
  reputations: Array.from({ length: 20 }, (_, k) => (k + 0.5) / 20),
  costs: [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95],
  arrivals: [1, 2, 3, 5, 10],
};

const coarse = { rounds: 10, sizes: [5, 10], budgetsPerWorker: [0.6, 1.2, 2.5] };

const coarseGrid: TypeGrid = { reputations: [0.3, 0.9], costs: [0.3, 0.7], arrivals: [1] };

const few: Sample = { types: 10, draws: 40, omniscientDraws: 8 };
const some: Sample = { types: 40, draws: 200, omniscientDraws: 40 };

const profiles: BySpeed<InterimLiesSettings> = {
  quick: {
    fast: {
      ...map,
      sample: { types: 32, draws: 300, omniscientDraws: 30 },
      places: [
        {
          ...small,
          sample: { types: 100, draws: 400, omniscientDraws: 30 },
          epsilon: { draws: 400, replicates: 250 },
        },
        {
          ...larger,
          sample: { types: 60, draws: 400, omniscientDraws: 30 },
          epsilon: { draws: 400, replicates: 250 },
        },
        {
          ...paper,
          sample: { types: 10, draws: 200, omniscientDraws: 10 },
          epsilon: { draws: 200, replicates: 250 },
        },
      ],
      grid,
      others: { types: 24, draws: 80, omniscientDraws: 15 },
    },
    slow: {
      ...coarse,
      sample: few,
      places: [{ ...small, sample: few, epsilon: { draws: 40, replicates: 250 } }],
      grid: coarseGrid,
      others: few,
    },
  },
  full: {
    fast: {
      ...map,
      sizes: [5, 10, 20, 40, 80],
      sample: { types: 400, draws: 2000, omniscientDraws: 100 },
      places: [small, larger, paper].map((place) => ({
        ...place,
        sample: { types: 1000, draws: 2000, omniscientDraws: 100 },
        epsilon: { draws: 2000, replicates: 1000 },
      })),
      grid: fineGrid,
      others: { types: 200, draws: 400, omniscientDraws: 50 },
    },
    slow: {
      ...coarse,
      sample: some,
      places: [{ ...small, sample: some, epsilon: { draws: 200, replicates: 1000 } }],
      grid,
      others: some,
    },
  },
};

interface At extends Place {
  readonly mechanism: string;
  readonly rounds: number;
}

interface GainsCell extends At, Sample {
  readonly kind: "gains";
}

interface EpsilonCell extends At, Bounded {
  readonly kind: "epsilon";
  readonly grid: TypeGrid;
}

export type InterimCell = GainsCell | EpsilonCell;

export type GainsFound = Omit<InterimGains, "types">;

/** The type that gains most, and what its lie does on the draws that judge. */
export interface EpsilonFound extends LargestGain {
  readonly truthful: number;
  readonly startsEarlier: number;
}

type InterimSummary = OfKind<"gains", GainsFound[]> | OfKind<"epsilon", EpsilonFound[]>;

/** Everything a place is drawn with: the same for all mechanisms. */
function drawnAt({ workers, budget, rounds }: At, stream: Stream) {
  const rules: Rules = { ...paperRules, budget, rounds };
  const ids = Array.from({ length: workers }, (_, id) => id);
  const own = stream.fork(`${workers} workers, budget ${budget}`);
  const beliefOf = (name: string) => drawnBelief({ rules, ids }, own.fork(name));
  return {
    rules,
    belief: beliefOf("others"),
    types: beliefOf("types"),
    multipliers: own.fork("multipliers"),
  };
}

const mechanismOf = ({ mechanism }: At, { mechanisms }: Pick<JobContext, "mechanisms">): AnyMechanism =>
  mechanisms.find(({ name }) => name === mechanism)!;

/** Types take the workers' places in turn, so that both groups are seen. */
const gainsJob = listing(
  (cell: GainsCell, _k, context): GainsFound => {
    const { rules, belief, types } = drawnAt(cell, context.stream);
    const drawn = Array.from({ length: cell.types }, (_, k) => types.draw(k)[k % cell.workers]!);
    const { draws, omniscientDraws } = cell;
    const mechanism = mechanismOf(cell, context);
    const { types: _, ...found } = interimGains({
      ...{ rules, mechanism, belief, draws, omniscientDraws },
      types: drawn,
    });
    return found;
  },
  ({ types, draws, workers, mechanism }) =>
    types * draws * (mechanism === "online" ? 0.02 + 0.0004 * workers : 0.3),
);

const epsilonJob = listing(
  (cell: EpsilonCell, _k, context): EpsilonFound => {
    const { rules, belief, multipliers } = drawnAt(cell, context.stream);
    const { draws, replicates } = cell;
    const mechanism = mechanismOf(cell, context);
    const drawn = (from: number) => new Draws({ rules, mechanism, workers: drawsOf(belief, from, draws) });
    const found = largestGain({
      types: typesOf(cell.grid),
      chosenOn: drawn(0),
      judgedOn: drawn(draws),
      stream: multipliers,
      replicates,
    });
    const interim = new Interim({ rules, mechanism, belief, draws });
    const { response } = interim.judge(found.type, { ...found.bid, gain: found.chosenGain });
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

/** What was found at a place under a mechanism. */
export interface GainsAt extends GainsFound, Sample, At {
  /** Whether the lies are the best on the draws they were chosen on. */
  readonly exact: boolean;
  /** What somebody who knows only the rules gains, of what somebody gains who sees all bids; null where that may be nothing. */
  readonly withinReach: Estimate | null;
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

/** The two errors are taken for independent, which widens the interval: who gains without seeing bids gains with seeing them. */
function ratioOf(above: Estimate, below: Estimate): Estimate | null {
  if (!(below.low > 0)) return null;
  const error = ({ mean, high, n }: Estimate) => (high - mean) / reach(n - 1);
  const mean = above.mean / below.mean;
  const half =
    (reach(Math.min(above.n, below.n) - 1) * Math.hypot(error(above), mean * error(below))) / below.mean;
  return { mean, low: mean - half, high: mean + half, n: above.n };
}

const isAt =
  (place: Place) =>
  ({ workers, budget }: Place): boolean =>
    workers === place.workers && budget === place.budget;

/** A place looked at more closely stands in the map too, with its larger sample. */
function placesOf({ sizes, budgetsPerWorker, places, sample }: InterimLiesSettings): (Place & Sample)[] {
  const map = sizes.flatMap((workers) =>
    budgetsPerWorker.map((each) => ({ workers, budget: Number((each * workers).toPrecision(6)) })),
  );
  const others = map.filter((place) => !places.some(isAt(place)));
  return [
    ...places.map(({ workers, budget, sample }) => ({ workers, budget, ...sample })),
    ...others.map((place) => ({ ...place, ...sample })),
  ];
}

/** Whether expected gains are known at all prices; of those searched for there is no ε. */
const isExactly = (mechanism: AnyMechanism): boolean => !mechanism.stochastic && isExact(mechanism);

const found = ({ cell, summary }: Gathered<InterimCell, InterimSummary>, context: JobContext): GainsAt[] =>
  cell.kind !== "gains" || summary?.kind !== "gains"
    ? []
    : summary.summary.map((gains) => {
        const exact = isExactly(mechanismOf(cell, context));
        return { ...cell, ...gains, exact, withinReach: ratioOf(gains.gain, gains.omniscient) };
      });

export const interimLies: Analysis<InterimLiesSettings, InterimCell, InterimSummary, InterimLies> = {
  name: "interim-lies",
  question: "What pays for a worker who knows the rules and the usual markets, but sees nobody's bid?",
  part: "gains",
  settings: (context) => settingsFor(profiles, context),
  plan: (settings, { mechanism, mechanisms }) => {
    const { name: ours } = mechanism;
    const { rounds, places, others } = settings;
    const cellOf = (mechanism: string, place: Place & Sample): InterimCell => ({
      ...{ kind: "gains", mechanism, rounds },
      ...place,
    });
    const [first] = places;
    const theirs = mechanisms.filter(({ name }) => name !== ours);
    const cells: InterimCell[] = [
      ...placesOf(settings).map((place) => cellOf(ours, place)),
      ...theirs.map(({ name }) =>
        cellOf(name, { workers: first!.workers, budget: first!.budget, ...others }),
      ),
      ...(isExactly(mechanism) ? places : []).map(({ workers, budget, epsilon }): InterimCell => {
        const at = { mechanism: ours, rounds, workers, budget };
        return { kind: "epsilon", ...at, ...epsilon, grid: settings.grid };
      }),
    ];
    return cells.map((cell) => ({ cell, markets: 1 }));
  },
  job: jobByKind<InterimCell, InterimSummary>({ gains: gainsJob, epsilon: epsilonJob }),
  conclude: (gathered, settings, context) => {
    const ours = context.mechanism.name;
    const [first] = settings.places;
    const gains = gathered.flatMap((one) => found(one, context));
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
