/** What two workers gain who lie together and share what they gain, beside what each could gain alone. */

import { mean } from "d3-array";
import { coalitionResponses } from "../src/best-response/coalition.js";
import { isExact } from "../src/best-response/index.js";
import { listed, many, percent, stated, whole } from "../src/lib/format.js";
import { type Estimate, FEWEST } from "../src/lib/statistics.js";
import { countsOf, mergeCounts, pooledShare } from "../src/lib/summaries.js";
import { atRelativeBudget, surveyed } from "../src/market/draw.js";
import { type Bid, groupOf, type Market, workerOf } from "../src/market/market.js";
import { type AnyMechanism, hold } from "../src/mechanisms/mechanism.js";
import { allotmentOf, type Regime, regimes, regimesIn, workerUtility } from "../src/mechanisms/outcome.js";
import type { Chart, Exhibit, Finding, MechanismNote, Table } from "../src/report/result.js";
import {
  countColumn,
  estimateColumns,
  type Field,
  nameAxis,
  otherColours,
  percentAxis,
  pointsWithIntervals,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../src/report/vocabulary.js";
import type { Analysis } from "../src/study/analysis.js";
import { type JobContext, listing, type Profile, type WorkContext } from "../src/study/job.js";

interface Size {
  readonly workers: number;
  readonly rounds: number;
}

export interface CoalitionSettings extends Size {
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

interface CoalitionCell extends Size {
  readonly mechanism: string;
  readonly relativeBudget: number;
  readonly pairs: number;
}

/** A pair and what it can gain; amounts are shares of the budget, so that markets compare. */
interface PairFound {
  readonly sameGroup: boolean;
  readonly regime: Regime;
  /** Of both together, by their best joint lie. */
  readonly gain: number;
  /** Of each by its own best lie, the other telling the truth. */
  readonly alone: readonly number[];
  /** What the member gets that gets least out of the joint lie, less what it gets by the truth: below 0 it must be paid by the other. */
  readonly least: number;
  readonly bids: readonly Bid[];
}

interface CoalitionMarket {
  readonly k: number;
  readonly pairs: readonly PairFound[];
}

interface CoalitionResult {
  readonly settings: CoalitionSettings;
  readonly ours: string;
  readonly mechanisms: readonly string[];
  readonly markets: readonly (CoalitionMarket & { readonly cell: CoalitionCell })[];
  readonly marketOf: (cell: CoalitionCell, k: number) => Market;
}

const marketAt = (
  { relativeBudget, ...size }: CoalitionCell,
  k: number,
  { stream }: Pick<WorkContext, "stream">,
): Market => atRelativeBudget(surveyed(size, k, stream), relativeBudget);

function look(cell: CoalitionCell, k: number, context: JobContext): CoalitionMarket {
  const market = marketAt(cell, k, context);
  const mechanism = context.mechanisms.find(({ name }) => name === cell.mechanism)!;
  const random = context.stream.fork("pairs").fork(k);
  const all = market.workers.flatMap(({ id }, place) =>
    market.workers.slice(place + 1).map((other) => [id, other.id]),
  );
  const coalitions = Array.from(
    { length: Math.min(cell.pairs, all.length) },
    () => all.splice(random.below(all.length), 1)[0]!,
  );
  const regimeOf = regimesIn(hold(mechanism, market));
  const { pairs } = coalitionResponses(market, { mechanism, coalitions });
  return {
    k,
    pairs: pairs.map(({ workers: [one = 0, other = 0], gain, alone, best }) => ({
      sameGroup: groupOf(one) === groupOf(other),
      regime: regimeTogether(regimeOf(one), regimeOf(other)),
      gain: gain / market.rules.budget,
      alone: alone.map((amount) => amount / market.rules.budget),
      least: leastOf(market, mechanism, best) / market.rules.budget,
      bids: best,
    })),
  };
}

/** Tight where either is. */
const regimeTogether = (one: Regime, other: Regime): Regime => (one === "sufficient" ? other : one);

function leastOf(market: Market, mechanism: AnyMechanism, bids: readonly Bid[]): number {
  const [truth, lying] = [hold(mechanism, market), hold(mechanism, market, bids)];
  const changes = bids.map(({ worker: id }) => {
    const worker = workerOf(market, id);
    return workerUtility(worker, allotmentOf(lying, id)) - workerUtility(worker, allotmentOf(truth, id));
  });
  return Math.min(...changes);
}

const ALONE = "somebody alone";

const TOGETHER = "the two together";

const UNAIDED = "the two, neither alone";

/** Who gains in a pair. */
const kinds = {
  [ALONE]: ({ alone }: PairFound) => alone.some((gain) => gain > 0),
  [TOGETHER]: ({ gain }: PairFound) => gain > 0,
  [UNAIDED]: ({ gain, alone }: PairFound) => gain > 0 && alone.every((own) => own === 0),
} as const;

type Kind = keyof typeof kinds;

/** The pairs of each market, which are the clusters. */
type Pairs = readonly (readonly PairFound[])[];

interface PairShare extends Estimate {
  readonly hits: number;
  readonly pairs: number;
}

/** The share of pairs of which something is true, pooled over the markets that have any. */
function shareOf(markets: Pairs, isTrue: (pair: PairFound) => boolean, together = 1): PairShare {
  const counts = markets
    .filter((pairs) => pairs.length > 0)
    .map((pairs) => countsOf(pairs.filter(isTrue).length, pairs.length))
    .reduce(mergeCounts, { ...countsOf(0, 0), markets: 0 });
  const found = pooledShare(counts, together);
  const known = found.n < FEWEST ? { ...found, low: Number.NaN, high: Number.NaN } : found;
  return { ...known, hits: counts.hits, pairs: counts.size };
}

/** Of one mechanism; those pairs only that are to be kept. */
const pairsIn = ({ markets }: CoalitionResult, mechanism: string, keep = (_: PairFound) => true): Pairs =>
  markets.filter(({ cell }) => cell.mechanism === mechanism).map(({ pairs }) => pairs.filter(keep));

interface Shared {
  readonly who: Kind;
  readonly share: PairShare;
}

const sharesIn = (markets: Pairs): Shared[] =>
  (Object.keys(kinds) as Kind[]).map((who) => ({ who, share: shareOf(markets, kinds[who]) }));

const shareColumns: readonly Field<Shared>[] = [
  textColumn("who", "who gains"),
  ...estimateColumns(shareColumn("share", "share of pairs"), ({ share }: Shared) => share),
  countColumn("pairs", "pairs", ({ share }) => share.pairs),
  countColumn("markets", "markets", ({ share }) => share.n),
];

const mechanismColumns: readonly Field<Shared & { readonly mechanism: string }>[] = [
  textColumn("mechanism", "mechanism"),
  ...shareColumns,
];

interface Gains {
  readonly mechanism: string;
  /** That gain. */
  readonly pairs: readonly PairFound[];
  readonly most: number;
}

function gainsIn(result: CoalitionResult, mechanism: string): Gains {
  const pairs = pairsIn(result, mechanism, kinds[TOGETHER]).flat();
  return { mechanism, pairs, most: Math.max(0, ...pairs.map(({ gain }) => gain)) };
}

const loses = ({ least }: PairFound): boolean => least < 0;

const gainColumns: readonly Field<Gains>[] = [
  textColumn("mechanism", "mechanism"),
  countColumn("pairs", "pairs that gain", ({ pairs }) => pairs.length),
  shareColumn("together", "mean gain per head, together / budget", ({ pairs }) =>
    pairs.length === 0 ? 0 : mean(pairs, ({ gain }) => gain / 2),
  ),
  shareColumn("alone", "mean gain per head, each alone / budget", ({ pairs }) =>
    pairs.length === 0 ? 0 : mean(pairs, ({ alone }) => mean(alone)!),
  ),
  shareColumn("most", "largest gain of a pair / budget"),
  textColumn("mostWitness", "market", ({ pairs, mechanism }) =>
    pairs.length === 0 ? null : exhibitName(mechanism),
  ),
  shareColumn("loses", "pairs in which one of the two loses", ({ pairs }) =>
    pairs.length === 0 ? null : pairs.filter(loses).length / pairs.length,
  ),
];

const OPPOSITE = "opposite groups";

const groupsOf = ({ sameGroup }: PairFound): string => (sameGroup ? "same group" : OPPOSITE);

/** The pairs of the mechanism in question, by regime and groups. */
const byRegime = (result: CoalitionResult) =>
  regimes.flatMap((regime) =>
    [OPPOSITE, "same group"].flatMap((groups) => {
      const keep = (pair: PairFound) => pair.regime === regime && groupsOf(pair) === groups;
      const pairs = pairsIn(result, result.ours, keep);
      return pairs.flat().length === 0
        ? []
        : sharesIn(pairs).map((shared) => ({ regime, groups, ...shared }));
    }),
  );

const tables = (result: CoalitionResult): Table[] => [
  tableOf(
    "shares",
    "Who gains, in pairs of workers",
    result.mechanisms.flatMap((mechanism) =>
      sharesIn(pairsIn(result, mechanism)).map((shared) => ({ mechanism, ...shared })),
    ),
    mechanismColumns,
  ),
  tableOf(
    "gains",
    "How much pairs gain together, and how much their members could gain alone",
    result.mechanisms.map((mechanism) => gainsIn(result, mechanism)),
    gainColumns,
  ),
  tableOf("by-regime", `Pairs in ${result.ours}, by regime and groups`, byRegime(result), [
    textColumn("regime", "regime"),
    textColumn("groups", "groups"),
    ...shareColumns,
  ]),
];

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
          y: nameAxis("mechanism", order, { labelLimit: 160 }),
          yOffset: who,
          color: {
            ...{ ...who, title: "who gains", scale: otherColours(shown) },
            legend: { labelExpr: `datum.label === "${ALONE}" ? "one alone" : "both together"` },
          },
          tooltip: tooltipOf(mechanismColumns),
        },
        layer: pointsWithIntervals(
          (field) => percentAxis(field, "share of pairs", { domain: [0, 1], nice: false }),
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
function captionOf(result: CoalitionResult): string {
  const hits = (mechanism: string, kind: Kind) => shareOf(pairsIn(result, mechanism), kinds[kind]).hits;
  const safe = result.mechanisms.filter((mechanism) => hits(mechanism, ALONE) === 0);
  const open = safe.filter((mechanism) => hits(mechanism, TOGETHER) > 0);
  const none = `Under ${safe.length} of ${many(result.mechanisms.length, "mechanism")} no member of a pair can gain alone`;
  const where = open.length === safe.length ? "all" : open.length;
  return safe.length === 0 ? `${none}.` : `${none}; under ${where} of these some pairs gain together.`;
}

const findings = (result: CoalitionResult): Finding[] =>
  [
    { text: oursText(result), weight: 52 },
    { text: sufficientText(result), weight: 48 },
    { text: resistanceText(result), weight: 40 },
    { text: sacrificeText(result), weight: 30 },
  ].filter(({ text }) => text !== "");

function oursText(result: CoalitionResult): string {
  const { ours } = result;
  const [together, only] = ([TOGETHER, UNAIDED] as const).map((kind) =>
    shareOf(pairsIn(result, ours), kinds[kind]),
  ) as [PairShare, PairShare];
  const drawn = many(together.pairs, "pair");
  if (together.pairs === 0) return "";
  const [share, interval] = stated(together);
  if (together.hits === 0) return `None of ${drawn} drawn can gain together under \`${ours}\` (${interval}).`;
  const [alone, around] = stated(only);
  return `Under \`${ours}\`, ${share} of ${drawn} drawn can gain by lying together (${interval}), ${alone} although neither of the two can gain alone (${around}).`;
}

/** The paper claims truthfulness of single workers here. */
function sufficientText(result: CoalitionResult): string {
  const found = byRegime(result).find(
    ({ regime, groups, who }) => regime === "sufficient" && groups === OPPOSITE && who === TOGETHER,
  );
  if (!found || found.share.n < FEWEST) return "";
  const [share, interval] = stated(found.share);
  return `With a sufficient budget, ${share} of ${many(found.share.pairs, "pair")} of opposite groups can gain together under \`${result.ours}\` (${interval}).`;
}

/** Which mechanisms resist, or resist best. */
function resistanceText(result: CoalitionResult): string {
  const { mechanisms } = result;
  const shares = mechanisms.map((mechanism) => ({
    mechanism,
    share: shareOf(pairsIn(result, mechanism), kinds[TOGETHER], mechanisms.length),
  }));
  const resisting = shares.filter(({ share }) => share.hits === 0);
  const all = `all ${many(mechanisms.length, "mechanism")} together`;
  if (resisting.length > 0) {
    const most = percent(Math.max(...resisting.map(({ share }) => share.high)));
    return `No pair drawn gains together under ${listed(resisting.map(({ mechanism }) => mechanism))} (95 %, ${all}: at most ${most} of pairs).`;
  }
  const least = shares.reduce((a, b) => (b.share.mean < a.share.mean ? b : a));
  const [share, interval] = stated(least.share);
  return `Under every mechanism some pairs gain. They gain least often under ${least.mechanism}: ${share} of them (${interval}, ${all}).`;
}

function sacrificeText(result: CoalitionResult): string {
  const losing = shareOf(pairsIn(result, result.ours, kinds[TOGETHER]), loses);
  if (losing.hits === 0 || losing.n < FEWEST) return "";
  const [share, interval] = stated(losing);
  return `In ${share} of the ${many(losing.pairs, "pair")} that gain under \`${result.ours}\` (${interval}), one of the two loses by the joint lie and has to be paid by the other.`;
}

const exhibitName = (mechanism: string): string => `pair in ${mechanism}`;

/** The pair that gains most of the budget, by mechanism. */
const exhibits = (result: CoalitionResult): Exhibit[] =>
  result.mechanisms.flatMap((mechanism): Exhibit[] => {
    const { most, pairs } = gainsIn(result, mechanism);
    const largest = pairs.find(({ gain }) => gain === most);
    if (!largest) return [];
    const { cell, k } = result.markets.find((market) => market.pairs.includes(largest))!;
    const [lie = null, ...others] = largest.bids;
    const title = `Workers ${listed(largest.bids.map(({ worker }) => worker))} lie together and gain ${percent(most)} of the budget`;
    const market = result.marketOf(cell, k);
    return [{ name: exhibitName(mechanism), title, market, mechanism, lie, others }];
  });

const mechanismNotes = (result: CoalitionResult): MechanismNote[] =>
  result.mechanisms.map((mechanism) => {
    const { hits, pairs } = shareOf(pairsIn(result, mechanism), kinds[TOGETHER]);
    const text = `Computed: ${whole(hits)} of ${many(pairs, "pair")} drawn can gain by lying together.`;
    return { mechanism, text };
  });

function methods({ settings, ours }: CoalitionResult): string[] {
  const { workers, rounds, relativeBudgets, markets, otherMarkets, pairs } = settings;
  return [
    `Markets of ${workers} workers and ${rounds} rounds drawn as in the paper, with budgets of ${listed(relativeBudgets)} times the true cost of all rounds on offer: ${markets} of each budget for ${ours}, ${otherMarkets} for the others; ${pairs} pairs drawn in each market, the same for all mechanisms.`,
    "The best joint lie of a pair is exact: over all prices and all arrivals from the true ones on, the others telling the truth. The two share what they gain, so that one may lose if the other gains more. A pair's regime is that of the truthful run: tight where the budget decided something in either member's group. Workers with an even and an odd id are of opposite groups; under online such workers set each other's prices.",
  ];
}

export const coalitions: Analysis<CoalitionSettings, CoalitionCell, CoalitionMarket[], CoalitionResult> = {
  name: "coalitions",
  question: "What do two workers gain who lie together, and which mechanisms resist?",
  part: "strategies",
  settings: ({ profile }) => settings[profile],
  plan: ({ workers, rounds, relativeBudgets, markets, otherMarkets, pairs }, { mechanism, mechanisms }) =>
    mechanisms
      .filter((one) => !one.stochastic && !("sees" in one) && isExact(one))
      .flatMap((one) =>
        relativeBudgets.map((relativeBudget) => ({
          cell: { workers, rounds, relativeBudget, pairs, mechanism: one.name },
          markets: one === mechanism ? markets : otherMarkets,
        })),
      ),
  job: listing(look, ({ pairs }) => 20 * pairs),
  conclude: (gathered, settings, context) => ({
    settings,
    ours: context.mechanism.name,
    mechanisms: [...new Set(gathered.map(({ cell }) => cell.mechanism))],
    markets: gathered.flatMap(({ cell, summary }) => (summary ?? []).map((one) => ({ ...one, cell }))),
    marketOf: (cell, k) => marketAt(cell, k, context),
  }),
  tables,
  charts,
  findings,
  methods,
  exhibits,
  mechanismNotes,
};
