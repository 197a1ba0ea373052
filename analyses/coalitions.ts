/** What two workers gain who lie together and share what they gain, beside what each could gain alone. */

import { mean as meanOf } from "d3-array";
import { type AnyMechanism, runAuction } from "../src/auction/mechanism.js";
import {
  allotmentOf,
  commonRegime,
  type Regime,
  regimes,
  regimesIn,
  workerUtility,
} from "../src/auction/outcome.js";
import { isInformed } from "../src/auction/program.js";
import { listed, many, percent, stated, whole } from "../src/lib/format.js";
import { type Estimate, FEWEST, meanAlone } from "../src/lib/statistics.js";
import { type PooledCounts, pooledShare } from "../src/lib/summaries.js";
import { type Bid, groupOf, type Market, workerOf } from "../src/market/market.js";
import {
  type Accumulated,
  accumulators,
  by,
  type GroupIn,
  meanOfTotal,
  mergeAll,
  together,
} from "../src/report/accumulators.js";
import type { Chart, Exhibit, Finding, Table } from "../src/report/result.js";
import * as show from "../src/report/vocabulary.js";
import { coalitionResponses } from "../src/responses/coalition.js";
import { isExact } from "../src/responses/index.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import type { JobContext, Profile, WorkContext } from "../src/study/job.js";
import { marketAt } from "./shared/survey.js";

export interface CoalitionSettings {
  readonly workers: number;
  readonly rounds: number;
  readonly relativeBudgets: readonly number[];
  /** At each budget, for the mechanism in question and for each of the others. */
  readonly markets: number;
  readonly otherMarkets: number;
  /** Drawn in each market. */
  readonly pairs: number;
}

const settings: Record<Profile, CoalitionSettings> = {
  quick: { workers: 6, rounds: 4, relativeBudgets: [0.2, 0.5, 1], markets: 50, otherMarkets: 30, pairs: 3 },
  full: {
    workers: 8,
    rounds: 5,
    relativeBudgets: [0.1, 0.2, 0.35, 0.5, 0.75, 1],
    markets: 400,
    otherMarkets: 100,
    pairs: 6,
  },
};

interface CoalitionCell extends Pick<CoalitionSettings, "workers" | "rounds" | "pairs"> {
  readonly mechanism: string;
  /** The relative budget. */
  readonly ratio: number;
}

/** A pair and what it can gain; amounts are shares of the budget, so that markets compare. */
interface PairFound {
  readonly mechanism: string;
  /** Which market. */
  readonly ratio: number;
  readonly k: number;
  readonly sameGroup: boolean;
  /** Tight where either is. */
  readonly regime: Regime;
  /** Of both together, by their best joint lie; where that has no bound, by the one that is named. */
  readonly gain: number;
  /** Whether the two, or one alone, gain without bound. */
  readonly unbounded: boolean;
  /** Of each by its own best lie, the other telling the truth. */
  readonly alone: readonly number[];
  /** What the member gets that gets least out of the joint lie, less what it gets by the truth: below 0 it must be paid by the other. */
  readonly least: number;
  readonly bids: readonly Bid[];
}

function look(cell: CoalitionCell, k: number, context: JobContext): PairFound[] {
  const market = marketAt({ ...cell, k }, { ...context, rounds: cell.rounds });
  const mechanism = context.mechanisms.find(({ name }) => name === cell.mechanism)!;
  const random = context.stream.fork("pairs").fork(k);
  const all = market.workers.flatMap(({ id }, place) =>
    market.workers.slice(place + 1).map((other) => [id, other.id]),
  );
  const coalitions = Array.from(
    { length: Math.min(cell.pairs, all.length) },
    () => all.splice(random.below(all.length), 1)[0]!,
  );
  const regimeOf = regimesIn(runAuction(mechanism, market));
  const { pairs } = coalitionResponses(market, { mechanism, coalitions });
  return pairs.map(({ workers: [one = 0, other = 0], truthful, gain, utility, alone, best }) => ({
    ...{ mechanism: cell.mechanism, ratio: cell.ratio, k },
    sameGroup: groupOf(one) === groupOf(other),
    regime: commonRegime(regimeOf, [one, other]),
    gain: (utility - truthful) / market.rules.budget,
    unbounded: [gain, ...alone].includes(Number.POSITIVE_INFINITY),
    // Where somebody gains without bound, means are not shown: that it gains is all that counts.
    alone: alone.map((amount) => (amount < Number.POSITIVE_INFINITY ? amount / market.rules.budget : 1)),
    least: leastOf(market, mechanism, best) / market.rules.budget,
    bids: best,
  }));
}

function leastOf(market: Market, mechanism: AnyMechanism, bids: readonly Bid[]): number {
  const [truth, lying] = [runAuction(mechanism, market), runAuction(mechanism, market, bids)];
  const changes = bids.map(({ worker: id }) => {
    const worker = workerOf(market, id);
    return workerUtility(worker, allotmentOf(lying, id)) - workerUtility(worker, allotmentOf(truth, id));
  });
  return Math.min(...changes);
}

const { breakdown, count, largest, markets, mean, share } = accumulators<PairFound>();

const ALONE = "somebody alone";

const TOGETHER = "the two together";

const UNAIDED = "the two, neither alone";

/** Who gains in a pair. */
const gainers = {
  [ALONE]: ({ alone }: PairFound) => alone.some((own) => own > 0),
  [TOGETHER]: ({ gain }: PairFound) => gain > 0,
  [UNAIDED]: ({ gain, alone }: PairFound) => gain > 0 && alone.every((own) => own === 0),
};

type Who = keyof typeof gainers;

const gains = gainers[TOGETHER];

const loses = ({ least }: PairFound): boolean => least < 0;

const OPPOSITE = "opposite groups";

const mechanism = by.text("mechanism", (pair: PairFound) => pair.mechanism);

const who = by.text<PairFound, Who>("who gains", "every", [ALONE, TOGETHER, UNAIDED]);

const shared = {
  share: share("share of pairs", (pair, { who }: { readonly who: Who }) => gainers[who](pair), {
    few: "no interval",
  }),
  pairs: count<{ readonly who: Who }>("pairs"),
  markets: markets<{ readonly who: Who }>("markets"),
};

const shares = breakdown({ mechanism, who }, shared);

const byRegime = breakdown(
  {
    mechanism,
    regime: by.text("regime", ({ regime }: PairFound) => regime, regimes),
    groups: by.text("groups", ({ sameGroup }: PairFound) => (sameGroup ? "same group" : OPPOSITE), [
      OPPOSITE,
      "same group",
    ]),
    who,
  },
  shared,
);

const orUnbounded = ({ unbounded }: PairFound, amount: number): number =>
  unbounded ? Number.POSITIVE_INFINITY : amount;

const gained = breakdown(
  { mechanism },
  {
    pairs: count("pairs that gain", gains),
    together: mean("mean gain per head, together / budget", (pair) => orUnbounded(pair, pair.gain / 2), {
      kind: "share",
      among: gains,
    }),
    alone: mean("mean gain per head, each alone / budget", (pair) => orUnbounded(pair, meanOf(pair.alone)!), {
      kind: "share",
      among: gains,
    }),
    most: largest("largest gain of a pair / budget", ({ gain }) => gain, {
      kind: "share",
      keep: (pair) => pair,
    }),
    unbounded: count("pairs that gain without bound", (pair) => gains(pair) && pair.unbounded),
  },
);

const sacrifices = breakdown({ mechanism }, { share: share("one of the two loses", loses) }, gains);

const sums = together({ shares, byRegime, gained, sacrifices });

type Sums = Accumulated<typeof sums>;

function conclude(
  gathered: readonly Gathered<CoalitionCell, Sums>[],
  settings: CoalitionSettings,
  context: WorkContext,
) {
  const all = mergeAll(sums, gathered) ?? sums.of([]);
  const found = {
    shares: shares.shown(all.shares, true),
    byRegime: byRegime.shown(all.byRegime, true),
    gained: gained.shown(all.gained, true),
    sacrifices: sacrifices.shown(all.sacrifices, true),
  };
  const exhibits = found.gained.groups.flatMap(({ sums: { most } }) =>
    most ? [exhibitOf(most.kept, settings, context)] : [],
  );
  return { settings, ours: context.mechanism.name, ...found, exhibits };
}

type CoalitionResult = ReturnType<typeof conclude>;

type Gained = GroupIn<typeof gained>;

function tables({ shares, byRegime, gained, sacrifices, ours }: CoalitionResult): Table[] {
  const orNothing = (read: (found: Gained) => number | null) => (found: Gained) =>
    found.sums.pairs === 0 ? 0 : read(found);
  const { share, text } = show.column;
  return [
    shares.table("shares", "Who gains, in pairs of workers"),
    gained.table("gains", "How much pairs gain together, and how much their members could gain alone", [
      ...(["mechanism", "pairs"] as const),
      share(
        "together",
        "mean gain per head, together / budget",
        orNothing(({ sums }) => meanOfTotal(sums.together)),
      ),
      share(
        "alone",
        "mean gain per head, each alone / budget",
        orNothing(({ sums }) => meanOfTotal(sums.alone)),
      ),
      share("most", "largest gain of a pair / budget", ({ sums }) =>
        sums.unbounded > 0 ? null : (sums.most?.amount ?? 0),
      ),
      "unbounded",
      text("mostWitness", "market", ({ mechanism, sums }) => sums.most && exhibitName(mechanism)),
      share("loses", "pairs in which one of the two loses", ({ mechanism }) => {
        const counts = sacrifices.at({ mechanism })?.sums.share;
        return counts && counts.hits / counts.size;
      }),
    ]),
    byRegime.table(
      "by-regime",
      `Pairs in ${ours}, by regime and groups`,
      ["regime", "groups", "who", "share", "pairs", "markets"],
      byRegime.where({ mechanism: ours }),
    ),
  ];
}

function charts(result: CoalitionResult): Chart[] {
  const shown = [ALONE, TOGETHER];
  const who = { field: "who", type: "nominal", sort: shown };
  const order = { field: "share", op: "max", order: "descending" };
  return [
    {
      name: "by-mechanism",
      title: "Pairs of workers who can gain, by mechanism",
      table: "shares",
      spec: {
        height: { step: 10 },
        transform: [{ filter: { field: "who", oneOf: shown } }],
        encoding: {
          y: show.axis.name("mechanism", order, { labelLimit: 160 }),
          yOffset: who,
          color: {
            ...{ ...who, title: "who gains", scale: show.colour.other(shown) },
            legend: { labelExpr: `datum.label === "${ALONE}" ? "one alone" : "both together"` },
          },
          tooltip: result.shares.tooltip(),
        },
        layer: result.shares.points("share", { size: 50, scale: { domain: [0, 1], nice: false } }),
      },
      summary: captionOf(result),
      howToRead:
        "A point is a share of the pairs drawn, its line the 95 % interval with markets as clusters: pairs of which some member can gain alone, and pairs that can gain together.",
    },
  ];
}

/** Where nobody can gain alone, whether pairs can. */
function captionOf({ shares }: CoalitionResult): string {
  const all = shares.where({ who: ALONE });
  const safe = all.filter(({ sums }) => sums.share.hits === 0);
  const open = safe.filter(({ mechanism }) => shares.at({ mechanism, who: TOGETHER })!.sums.share.hits > 0);
  const none = `Under ${safe.length} of ${many(all.length, "mechanism")} no member of a pair can gain alone`;
  const where = open.length === safe.length ? "all" : open.length;
  return safe.length === 0 ? `${none}.` : `${none}; under ${where} of these some pairs gain together.`;
}

const findings = (result: CoalitionResult): Finding[] =>
  show.rankedFindings(
    [52, oursText(result)],
    [48, sufficientText(result)],
    [40, resistanceText(result)],
    [30, sacrificeText(result)],
  );

/** Of so many that are to hold together with 95 %; no interval from few markets. */
function known(counts: PooledCounts, together = 1): Estimate {
  const found = pooledShare(counts, together);
  return found.n < FEWEST ? meanAlone(found.mean, found.n) : found;
}

function oursText({ shares, ours }: CoalitionResult): string {
  const found = shares.at({ mechanism: ours, who: TOGETHER })?.sums.share;
  if (!found) return "";
  const drawn = many(found.size, "pair");
  const [share, interval] = stated(known(found));
  if (found.hits === 0) return `None of ${drawn} drawn can gain together under \`${ours}\` (${interval}).`;
  const [alone, around] = stated(known(shares.at({ mechanism: ours, who: UNAIDED })!.sums.share));
  return `Under \`${ours}\`, ${share} of ${drawn} drawn can gain by lying together (${interval}), ${alone} although neither of the two can gain alone (${around}).`;
}

/** The paper claims truthfulness of single workers here. */
function sufficientText({ byRegime, ours }: CoalitionResult): string {
  const where = { mechanism: ours, regime: "sufficient", groups: OPPOSITE, who: TOGETHER } as const;
  const found = byRegime.at(where)?.sums.share;
  if (!found || found.markets < FEWEST) return "";
  const [share, interval] = stated(known(found));
  return `With a sufficient budget, ${share} of ${many(found.size, "pair")} of opposite groups can gain together under \`${ours}\` (${interval}).`;
}

/** Which mechanisms resist, or resist best. */
function resistanceText({ shares }: CoalitionResult): string {
  const all = shares.where({ who: TOGETHER });
  const found = all.map(({ mechanism, sums }) => {
    return { mechanism, hits: sums.share.hits, share: known(sums.share, all.length) };
  });
  const resisting = found.filter(({ hits }) => hits === 0);
  const jointly = `all ${many(all.length, "mechanism")} together`;
  if (resisting.length > 0) {
    const most = percent(Math.max(...resisting.map(({ share }) => share.high)));
    return `No pair drawn gains together under ${listed(resisting.map(({ mechanism }) => mechanism))} (95 %, ${jointly}: at most ${most} of pairs).`;
  }
  const least = found.reduce((a, b) => (b.share.mean < a.share.mean ? b : a));
  const [share, interval] = stated(least.share);
  return `Under every mechanism some pairs gain. They gain least often under ${least.mechanism}: ${share} of them (${interval}, ${jointly}).`;
}

function sacrificeText({ sacrifices, ours }: CoalitionResult): string {
  const losing = sacrifices.at({ mechanism: ours })?.sums.share;
  if (!losing || losing.hits === 0 || losing.markets < FEWEST) return "";
  const [share, interval] = stated(known(losing));
  return `In ${share} of the ${many(losing.size, "pair")} that gain under \`${ours}\` (${interval}), one of the two loses by the joint lie and has to be paid by the other.`;
}

const exhibitName = (mechanism: string): string => `pair in ${mechanism}`;

/** The pair that gains most of the budget. */
function exhibitOf(pair: PairFound, settings: CoalitionSettings, context: WorkContext): Exhibit {
  const { workers, rounds } = settings;
  const [lie = null, ...others] = pair.bids;
  const unbounded = pair.unbounded ? ", and without bound by higher prices" : "";
  return {
    name: exhibitName(pair.mechanism),
    title: `Workers ${listed(pair.bids.map(({ worker }) => worker))} lie together and gain ${percent(pair.gain)} of the budget${unbounded}`,
    market: marketAt({ workers, k: pair.k, ratio: pair.ratio }, { ...context, rounds }),
    mechanism: pair.mechanism,
    lie,
    others,
  };
}

function methods({ settings, ours }: CoalitionResult): string[] {
  const { workers, rounds, relativeBudgets, markets, otherMarkets, pairs } = settings;
  return [
    `Markets of ${workers} workers and ${rounds} rounds drawn as in the paper, with budgets of ${listed(relativeBudgets)} times the true cost of all rounds on offer: ${markets} of each budget for ${ours}, ${otherMarkets} for the others; ${pairs} pairs drawn in each market, the same for all mechanisms.`,
    "The best joint lie of a pair is computed over all prices and all arrivals from the true ones on, the others telling the truth. The two share what they gain, so that one may lose if the other gains more. A pair's regime is that of the truthful run: tight where the budget decided something in either member's group. Workers with an even and an odd id are of opposite groups; under online such workers set each other's prices.",
  ];
}

export const coalitions: Analysis<CoalitionSettings, CoalitionCell, Sums, CoalitionResult> = {
  name: "coalitions",
  question: "What do two workers gain who lie together, and which mechanisms resist?",
  part: "strategies",
  settings: ({ profile }) => settings[profile],
  plan: ({ workers, rounds, relativeBudgets, markets, otherMarkets, pairs }, { mechanism, mechanisms }) =>
    mechanisms
      .filter((one) => !one.stochastic && !isInformed(one) && isExact(one))
      .flatMap((one) =>
        relativeBudgets.map((ratio) => ({
          cell: { workers, rounds, ratio, pairs, mechanism: one.name },
          markets: one === mechanism ? markets : otherMarkets,
        })),
      ),
  job: {
    look: (cell, k, context) => sums.of(look(cell, k, context)),
    merge: sums.merge,
    cost: ({ pairs }) => 20 * pairs,
  },
  conclude,
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
  mechanismNotes: ({ shares }) =>
    shares.where({ who: TOGETHER }).map(({ mechanism, sums: { share } }) => ({
      mechanism,
      text: `Computed: ${whole(share.hits)} of ${many(share.size, "pair")} drawn can gain by lying together.`,
    })),
};
