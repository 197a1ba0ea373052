/** What two workers gain who lie together and share what they gain, beside what each could gain alone. */

import { groups, mean } from "d3-array";
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
import { FEWEST, meanAlone } from "../src/lib/statistics.js";
import { countsOf, mergeCounts, pooledShare } from "../src/lib/summaries.js";
import { type Bid, groupOf, type Market, workerOf } from "../src/market/market.js";
import type { Chart, Exhibit, Finding, Table } from "../src/report/result.js";
import {
  axis,
  colour,
  column,
  type Field,
  marks,
  rankedFindings,
  tableOf,
} from "../src/report/vocabulary.js";
import { coalitionResponses } from "../src/responses/coalition.js";
import { isExact } from "../src/responses/index.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { collectJob, type JobContext, type Profile, type WorkContext } from "../src/study/job.js";
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
  readonly sameGroup: boolean;
  /** Tight where either is. */
  readonly regime: Regime;
  /** Of both together, by their best joint lie; where that has no bound, by the one that is named. */
  readonly gain: number;
  readonly unbounded: boolean;
  /** Of each by its own best lie, the other telling the truth. */
  readonly alone: readonly number[];
  /** What the member gets that gets least out of the joint lie, less what it gets by the truth: below 0 it must be paid by the other. */
  readonly least: number;
  readonly bids: readonly Bid[];
}

/** The pairs of each market, which are the clusters. */
type Pairs = readonly (readonly PairFound[])[];

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

const ALONE = "somebody alone";

const TOGETHER = "the two together";

const UNAIDED = "the two, neither alone";

/** The share of pairs of which something is true, pooled over the markets that have any. */
function shareOf(markets: Pairs, isTrue: (pair: PairFound) => boolean, together = 1) {
  const counts = markets
    .filter((pairs) => pairs.length > 0)
    .map((pairs) => countsOf(pairs.filter(isTrue).length, pairs.length))
    .reduce(mergeCounts, { ...countsOf(0, 0), markets: 0 });
  const found = pooledShare(counts, together);
  const known = found.n < FEWEST ? meanAlone(found.mean, found.n) : found;
  return { ...known, hits: counts.hits, pairs: counts.size };
}

const gains = ({ gain }: PairFound): boolean => gain > 0;

/** By who gains in a pair. */
const sharesIn = (markets: Pairs) => ({
  [ALONE]: shareOf(markets, ({ alone }) => alone.some((own) => own > 0)),
  [TOGETHER]: shareOf(markets, gains),
  [UNAIDED]: shareOf(markets, ({ gain, alone }) => gain > 0 && alone.every((own) => own === 0)),
});

/** What was found under one mechanism. */
function under(mechanism: string, markets: Pairs) {
  const gaining = markets.flat().filter(gains);
  const most = Math.max(0, ...gaining.map(({ gain }) => gain));
  const unbounded = gaining.filter((pair) => pair.unbounded).length;
  return { mechanism, markets, shares: sharesIn(markets), gaining, most, unbounded };
}

type Under = ReturnType<typeof under>;

interface CoalitionResult {
  readonly settings: CoalitionSettings;
  readonly found: readonly Under[];
  /** Of the mechanism in question; no markets if its joint lies are not exact. */
  readonly own: Under;
  readonly exhibits: readonly Exhibit[];
}

const loses = ({ least }: PairFound): boolean => least < 0;

const OPPOSITE = "opposite groups";

/** The pairs of the mechanism in question, by regime and groups. */
const byRegime = ({ own }: CoalitionResult) =>
  regimes.flatMap((regime) =>
    [OPPOSITE, "same group"].flatMap((groups) => {
      const isHere = (one: PairFound) => one.regime === regime && one.sameGroup === (groups !== OPPOSITE);
      const pairs = own.markets.map((some) => some.filter(isHere));
      return pairs.flat().length === 0
        ? []
        : rowsOf(sharesIn(pairs)).map((row) => ({ regime, groups, ...row }));
    }),
  );

const rowsOf = (shares: Under["shares"]) => Object.entries(shares).map(([who, share]) => ({ who, share }));

const shareColumns: readonly Field<ReturnType<typeof rowsOf>[number]>[] = [
  column.text("who", "who gains"),
  ...column.estimate(column.share("share", "share of pairs")),
  column.count("pairs", "pairs", ({ share }) => share.pairs),
  column.count("markets", "markets", ({ share }) => share.n),
];

const mechanismColumns = [column.text("mechanism", "mechanism"), ...shareColumns];

const tables = (result: CoalitionResult): Table[] => [
  tableOf(
    "shares",
    "Who gains, in pairs of workers",
    result.found.flatMap(({ mechanism, shares }) => rowsOf(shares).map((row) => ({ mechanism, ...row }))),
    mechanismColumns,
  ),
  gainsTable(result),
  tableOf("by-regime", `Pairs in ${result.own.mechanism}, by regime and groups`, byRegime(result), [
    column.text("regime", "regime"),
    column.text("groups", "groups"),
    ...shareColumns,
  ]),
];

const gainsTable = ({ found }: CoalitionResult): Table =>
  tableOf("gains", "How much pairs gain together, and how much their members could gain alone", found, [
    column.text("mechanism", "mechanism"),
    column.count("pairs", "pairs that gain", ({ gaining }) => gaining.length),
    column.share("together", "mean gain per head, together / budget", ({ gaining, unbounded }) =>
      unbounded > 0 ? null : (mean(gaining, ({ gain }) => gain / 2) ?? 0),
    ),
    column.share("alone", "mean gain per head, each alone / budget", ({ gaining, unbounded }) =>
      unbounded > 0 ? null : (mean(gaining, ({ alone }) => mean(alone)!) ?? 0),
    ),
    column.share("most", "largest gain of a pair / budget", ({ most, unbounded }) =>
      unbounded > 0 ? null : most,
    ),
    column.count("unbounded", "pairs that gain without bound"),
    column.text("mostWitness", "market", ({ gaining, mechanism }) =>
      gaining.length === 0 ? null : exhibitName(mechanism),
    ),
    column.share("loses", "pairs in which one of the two loses", ({ gaining }) =>
      gaining.length === 0 ? null : gaining.filter(loses).length / gaining.length,
    ),
  ]);

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
          y: axis.name("mechanism", order, { labelLimit: 160 }),
          yOffset: who,
          color: {
            ...{ ...who, title: "who gains", scale: colour.other(shown) },
            legend: { labelExpr: `datum.label === "${ALONE}" ? "one alone" : "both together"` },
          },
          tooltip: marks.tooltip(mechanismColumns),
        },
        layer: marks.points(
          (field) => axis.percent(field, "share of pairs", { domain: [0, 1], nice: false }),
          { value: "share", size: 50 },
        ),
      },
      summary: captionOf(result),
      howToRead:
        "A point is a share of the pairs drawn, its line the 95 % interval with markets as clusters: pairs of which some member can gain alone, and pairs that can gain together.",
    },
  ];
}

/** Where nobody can gain alone, whether pairs can. */
function captionOf({ found }: CoalitionResult): string {
  const safe = found.filter(({ shares }) => shares[ALONE].hits === 0);
  const open = safe.filter(({ shares }) => shares[TOGETHER].hits > 0);
  const none = `Under ${safe.length} of ${many(found.length, "mechanism")} no member of a pair can gain alone`;
  const where = open.length === safe.length ? "all" : open.length;
  return safe.length === 0 ? `${none}.` : `${none}; under ${where} of these some pairs gain together.`;
}

const findings = (result: CoalitionResult): Finding[] =>
  rankedFindings(
    [52, oursText(result.own)],
    [48, sufficientText(result)],
    [40, resistanceText(result.found)],
    [30, sacrificeText(result.own)],
  );

function oursText({ mechanism, shares }: Under): string {
  const { hits, pairs } = shares[TOGETHER];
  const drawn = many(pairs, "pair");
  if (pairs === 0) return "";
  const [share, interval] = stated(shares[TOGETHER]);
  if (hits === 0) return `None of ${drawn} drawn can gain together under \`${mechanism}\` (${interval}).`;
  const [alone, around] = stated(shares[UNAIDED]);
  return `Under \`${mechanism}\`, ${share} of ${drawn} drawn can gain by lying together (${interval}), ${alone} although neither of the two can gain alone (${around}).`;
}

/** The paper claims truthfulness of single workers here. */
function sufficientText(result: CoalitionResult): string {
  const found = byRegime(result).find(
    ({ regime, groups, who }) => regime === "sufficient" && groups === OPPOSITE && who === TOGETHER,
  );
  if (!found || found.share.n < FEWEST) return "";
  const [share, interval] = stated(found.share);
  return `With a sufficient budget, ${share} of ${many(found.share.pairs, "pair")} of opposite groups can gain together under \`${result.own.mechanism}\` (${interval}).`;
}

/** Which mechanisms resist, or resist best. */
function resistanceText(found: readonly Under[]): string {
  const shares = found.map(({ mechanism, markets }) => ({
    mechanism,
    share: shareOf(markets, gains, found.length),
  }));
  const resisting = shares.filter(({ share }) => share.hits === 0);
  const all = `all ${many(found.length, "mechanism")} together`;
  if (resisting.length > 0) {
    const most = percent(Math.max(...resisting.map(({ share }) => share.high)));
    return `No pair drawn gains together under ${listed(resisting.map(({ mechanism }) => mechanism))} (95 %, ${all}: at most ${most} of pairs).`;
  }
  const least = shares.reduce((a, b) => (b.share.mean < a.share.mean ? b : a));
  const [share, interval] = stated(least.share);
  return `Under every mechanism some pairs gain. They gain least often under ${least.mechanism}: ${share} of them (${interval}, ${all}).`;
}

function sacrificeText({ mechanism, markets }: Under): string {
  const losing = shareOf(
    markets.map((pairs) => pairs.filter(gains)),
    loses,
  );
  if (losing.hits === 0 || losing.n < FEWEST) return "";
  const [share, interval] = stated(losing);
  return `In ${share} of the ${many(losing.pairs, "pair")} that gain under \`${mechanism}\` (${interval}), one of the two loses by the joint lie and has to be paid by the other.`;
}

const exhibitName = (mechanism: string): string => `pair in ${mechanism}`;

/** The pair that gains most of the budget, by mechanism. */
function exhibitOf(
  { mechanism, gaining, most }: Under,
  cells: readonly Gathered<CoalitionCell, Pairs>[],
  context: WorkContext,
): Exhibit[] {
  const largest = gaining.find(({ gain }) => gain === most);
  if (!largest) return [];
  const { cell, summary } = cells.find((one) => one.summary?.flat().includes(largest))!;
  const k = summary!.findIndex((pairs) => pairs.includes(largest));
  const [lie = null, ...others] = largest.bids;
  const title = `Workers ${listed(largest.bids.map(({ worker }) => worker))} lie together and gain ${percent(most)} of the budget${largest.unbounded ? ", and without bound by higher prices" : ""}`;
  const market = marketAt({ ...cell, k }, { ...context, rounds: cell.rounds });
  return [{ name: exhibitName(mechanism), title, market, mechanism, lie, others }];
}

function methods({ settings, own }: CoalitionResult): string[] {
  const { workers, rounds, relativeBudgets, markets, otherMarkets, pairs } = settings;
  return [
    `Markets of ${workers} workers and ${rounds} rounds drawn as in the paper, with budgets of ${listed(relativeBudgets)} times the true cost of all rounds on offer: ${markets} of each budget for ${own.mechanism}, ${otherMarkets} for the others; ${pairs} pairs drawn in each market, the same for all mechanisms.`,
    "The best joint lie of a pair is computed over all prices and all arrivals from the true ones on, the others telling the truth. The two share what they gain, so that one may lose if the other gains more. A pair's regime is that of the truthful run: tight where the budget decided something in either member's group. Workers with an even and an odd id are of opposite groups; under online such workers set each other's prices.",
  ];
}

export const coalitions: Analysis<CoalitionSettings, CoalitionCell, PairFound[][], CoalitionResult> = {
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
  job: collectJob(look, ({ pairs }) => 20 * pairs),
  conclude: (gathered, settings, context) => {
    const { name } = context.mechanism;
    const found = groups(gathered, ({ cell }) => cell.mechanism).map(([mechanism, cells]) =>
      under(
        mechanism,
        cells.flatMap(({ summary }) => summary ?? []),
      ),
    );
    const own = found.find(({ mechanism }) => mechanism === name) ?? under(name, []);
    return { settings, found, own, exhibits: found.flatMap((one) => exhibitOf(one, gathered, context)) };
  },
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
  mechanismNotes: ({ found }) =>
    found.map(({ mechanism, shares: { [TOGETHER]: together } }) => ({
      mechanism,
      text: `Computed: ${whole(together.hits)} of ${many(together.pairs, "pair")} drawn can gain by lying together.`,
    })),
};
