/** How many workers can gain by lying in each mechanism, beside what it gives the publisher per unit paid. */

import { maxIndex, mean, sum } from "d3-array";
import { bestResponses, isExact, type Response, searchResponses } from "../src/best-response/index.js";
import {
  listed,
  many,
  percent,
  shareWithInterval,
  threeDigits,
  twoPlaces,
  whole,
  withInterval,
} from "../src/lib/format.js";
import { atLeast, type Estimate, FEWEST, meanRatio } from "../src/lib/statistics.js";
import { countsOf, mergeCounts, pooledShare } from "../src/lib/summaries.js";
import type { Bid, Market } from "../src/market/market.js";
import { type AnyMechanism, hold } from "../src/mechanisms/mechanism.js";
import { type PublisherAccount, publisherAccount, type Regime, regimes } from "../src/mechanisms/outcome.js";
import type { Chart, Exhibit, Finding, MechanismNote, Table } from "../src/report/result.js";
import {
  amountAxis,
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  mechanismColour,
  nameAxis,
  pointsWithIntervals,
  regimeWords,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../src/report/vocabulary.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { listing, type Profile, type WorkContext } from "../src/study/job.js";
import { marketAt, meanOf, type Setting, settingText } from "./shared/publisher.js";

interface TradeOffCell extends Setting {
  /** In how many markets one worker's best lie is searched for where no exact method is known. */
  readonly searched: number;
  /** Of a search, for one worker. */
  readonly effort: number;
}

type TradeOffSettings = readonly (TradeOffCell & { readonly markets: number })[];

/** The paper's budget per worker in small markets, where searches are cheap, and in the paper's own. */
const settings: Record<Profile, TradeOffSettings> = {
  quick: [
    { workers: 20, budget: 25, markets: 100, searched: 30, effort: 800 },
    { workers: 100, budget: 125, markets: 8, searched: 0, effort: 0 },
  ],
  full: [
    { workers: 20, budget: 25, markets: 400, searched: 200, effort: 2000 },
    { workers: 100, budget: 125, markets: 200, searched: 200, effort: 1200 },
  ],
};

export const tradeOff: Analysis<TradeOffSettings, TradeOffCell, Look[][], TradeOff> = {
  name: "trade-off",
  question: "In which mechanisms can workers gain by lying, and do those give the publisher more?",
  part: "mechanisms",
  settings: ({ profile }) => settings[profile],
  plan: (sizes) => sizes.map(({ markets, ...cell }) => ({ cell, markets })),
  /** In one market, a look at each auction. */
  job: listing(
    (cell, k, { mechanisms, stream }) => {
      const market = marketAt(cell, k, stream);
      const chosen = k < cell.searched ? stream.fork("chosen").fork(k).below(cell.workers) : null;
      return mechanisms.map((mechanism) => lookAt(market, mechanism, { chosen, effort: cell.effort }));
    },
    ({ workers, searched, effort }) => 0.045 * workers ** 2.4 + (searched > 0 ? 0.01 * effort : 0),
  ),
  conclude: (gathered, _, context) => ({
    ours: context.mechanism.name,
    trades: gathered.map((cell) => tradeAt(cell, context)),
    exhibits: gathered.slice(0, 1).flatMap((first) => exhibitsOf(first, context)),
  }),
  tables,
  charts: (result) => [chartOf(result)],
  findings: ({ trades, ours }) => trades.slice(0, 1).flatMap((first) => findingsOf(first, ours)),
  methods: ({ trades }) => [
    ...trades.map(drawnText),
    `Every worker's best lie was computed exactly unless said. The share of workers who can gain is pooled over markets, with intervals that take markets as clusters; from fewer than ${FEWEST} markets none is stated. Intervals are single ones: comparisons of mechanisms are exploratory.`,
  ],
  exhibits: ({ exhibits }) => exhibits,
  /** What was established about each auction, for its card. */
  mechanismNotes: ({ trades: [first] }) =>
    (first ? first.asked : []).map(
      (auction): MechanismNote => ({
        mechanism: auction.name,
        text: `${auction.exact ? "Computed" : "Searched"}: ${gainersText(auction)} (${first!.size}, drawn as in the paper).`,
      }),
    ),
};

/** What became of one worker. */
interface Fate {
  readonly regime: Regime;
  readonly truthful: number;
  readonly gain: number;
}

/** One auction in one market: everybody's fate where that is exact, one worker's where it is searched, or nobody's. */
interface Look {
  readonly account: PublisherAccount;
  readonly fates: readonly Fate[];
  readonly evaluations: number;
  /** The lie that gains most; null where none gains. */
  readonly best: Bid | null;
}

interface Search {
  readonly chosen: number | null;
  readonly effort: number;
}

function lookAt(market: Market, mechanism: AnyMechanism, { chosen, effort }: Search): Look {
  const { workers, evaluations } = isExact(mechanism)
    ? bestResponses(market, { mechanism })
    : chosen === null
      ? { workers: [], evaluations: 0 }
      : searchResponses(market, { mechanism, workers: [chosen], effort });
  const top = workers.reduce<Response | null>((a, b) => (b.gain > (a?.gain ?? 0) ? b : a), null);
  return {
    account: publisherAccount(market.workers, hold(mechanism, market)),
    fates: workers.map(({ regime, truthful, gain }) => ({ regime, truthful, gain })),
    evaluations,
    best: top && { worker: top.id, price: top.best.price, arrival: top.best.arrival },
  };
}

/** Of the workers asked: how many can gain, and how much. */
interface Gains {
  /** In which any worker was asked. */
  readonly markets: number;
  readonly workers: number;
  readonly gainers: number;
  readonly share: Estimate;
  /** Over all workers asked, also those who cannot gain. */
  readonly gain: Estimate;
  readonly most: number;
  /** The mean utility of the truth. */
  readonly truthful: number;
}

interface Auction {
  readonly name: string;
  readonly offline: boolean;
  /** Publisher's utility per unit paid. */
  readonly unit: Estimate;
  /** Whether best lies were computed; else they were searched for. */
  readonly exact: boolean;
  readonly evaluations: number;
  readonly gains: Gains;
  readonly byRegime: readonly (Gains & { readonly regime: Regime })[];
}

/** Everything known of one size of market. */
interface Trade extends TradeOffCell {
  readonly size: string;
  readonly markets: number;
  /** Those of which any worker was asked, by what the publisher gets per unit paid, most first. */
  readonly asked: readonly Auction[];
  /** The names of the others. */
  readonly skipped: readonly string[];
}

interface TradeOff {
  readonly ours: string;
  readonly trades: readonly Trade[];
  readonly exhibits: readonly Exhibit[];
}

function tradeAt(
  { cell, markets, summary }: Gathered<TradeOffCell, Look[][]>,
  { mechanisms }: WorkContext,
): Trade {
  const auctions = mechanisms
    .map((one, column) =>
      auctionOf(
        one,
        (summary ?? []).map((row) => row[column]!),
      ),
    )
    .sort((a, b) => b.unit.mean - a.unit.mean);
  return {
    ...cell,
    markets,
    size: settingText(cell),
    asked: auctions.filter(({ gains }) => gains.workers > 0),
    skipped: auctions.filter(({ gains }) => gains.workers === 0).map(({ name }) => name),
  };
}

function auctionOf(mechanism: AnyMechanism, looks: readonly Look[]): Auction {
  const { name, offline = false } = mechanism;
  const exact = isExact(mechanism);
  const fates = looks.map((look) => look.fates);
  const accounts = new Map([[name, looks.map(({ account }) => account)]]);
  return {
    name,
    offline,
    unit: meanOf(accounts, name, "per unit paid"),
    exact,
    evaluations: sum(looks, ({ evaluations }) => evaluations),
    gains: gainsOf(fates, exact),
    byRegime: regimes.map((regime) => {
      const here = fates.map((some) => some.filter((fate) => fate.regime === regime));
      return { regime, ...gainsOf(here, exact) };
    }),
  };
}

/** Over all workers asked, pooled over markets, with markets as clusters; of a search, without upper ends. */
function gainsOf(byMarket: readonly (readonly Fate[])[], exact: boolean): Gains {
  const asked = byMarket.filter((fates) => fates.length > 0);
  const fates = asked.flat();
  const gainersIn = (some: readonly Fate[]) => some.filter(({ gain }) => gain > 0).length;
  const counts = asked.map((some) => countsOf(gainersIn(some), some.length));
  const share = counts.length > 0 ? pooledShare(counts.reduce(mergeCounts)) : NOTHING;
  const gain = meanRatio(asked.map((some) => [sum(some, ({ gain }) => gain), some.length]));
  const known = (estimate: Estimate) => (exact ? estimate : atLeast(estimate));
  return {
    markets: asked.length,
    workers: fates.length,
    gainers: gainersIn(fates),
    share: known(asked.length < FEWEST ? { ...NOTHING, mean: share.mean } : share),
    gain: known({ ...gain, low: Math.max(0, gain.low) }),
    most: Math.max(0, ...fates.map(({ gain }) => gain)),
    truthful: mean(fates, ({ truthful }) => truthful) ?? Number.NaN,
  };
}

const NOTHING: Estimate = { mean: Number.NaN, low: Number.NaN, high: Number.NaN, n: 0 };

/** The largest gain found in each auction. */
function exhibitsOf(
  { cell, summary }: Gathered<TradeOffCell, Look[][]>,
  { mechanisms, stream }: WorkContext,
): Exhibit[] {
  const mostIn = ({ fates }: Look) => Math.max(0, ...fates.map(({ gain }) => gain));
  return mechanisms.flatMap(({ name: mechanism }, column) => {
    const looks = (summary ?? []).map((row) => row[column]!);
    const k = maxIndex(looks, mostIn);
    const lie = looks[k]?.best;
    if (!lie) return [];
    const title = `Worker ${lie.worker} gains ${threeDigits(mostIn(looks[k]!))} by a lie in ${mechanism}`;
    return [{ name: `${mechanism}-${k}`, title, market: marketAt(cell, k, stream), mechanism, lie }];
  });
}

type Sized<Item> = Item & Pick<Trade, "size">;

const certainty = textColumn("certainty", "gains are", ({ exact }: Pick<Auction, "exact">) =>
  exact ? "exact" : "lower bound",
);

const tradeColumns: Field<Sized<Auction>>[] = [
  textColumn("size", "market"),
  textColumn("auction", "auction", ({ name }) => name),
  ...estimateColumns(amountColumn("mean", "utility per unit paid"), ({ unit }: Auction) => unit),
  ...estimateColumns(shareColumn("share", "workers who can gain"), ({ gains }: Auction) => gains.share, {
    own: true,
  }),
  ...estimateColumns(amountColumn("gain", "mean gain"), ({ gains }: Auction) => gains.gain, { own: true }),
  amountColumn("most", "largest gain", ({ gains }) => gains.most),
  amountColumn("truthful", "mean utility of the truth", ({ gains }) => gains.truthful),
  certainty,
  countColumn("workers", "workers asked", ({ gains }) => gains.workers),
  countColumn("evaluations", "lies tried", ({ exact, evaluations }) => (exact ? null : evaluations)),
];

type InRegime = Sized<Auction["byRegime"][number] & Pick<Auction, "name" | "exact">>;

const regimeColumns: Field<InRegime>[] = [
  textColumn("size", "market"),
  textColumn("auction", "auction", ({ name }) => name),
  textColumn("regime", "regime"),
  countColumn("markets", "markets"),
  countColumn("workers", "workers asked"),
  countColumn("gainers", "who can gain"),
  ...estimateColumns(shareColumn("share", "share"), ({ share }: InRegime) => share),
  amountColumn("gain", "mean gain", ({ gain }) => gain.mean),
  amountColumn("most", "largest gain"),
  certainty,
];

function tables({ trades }: TradeOff): Table[] {
  const sized = trades.flatMap(({ size, asked }) => asked.map((one) => ({ size, ...one })));
  const inRegimes = sized.flatMap(({ size, name, exact, byRegime }) =>
    byRegime.filter(({ workers }) => workers > 0).map((one) => ({ size, name, exact, ...one })),
  );
  return [
    tableOf(
      "trade-off",
      "What the publisher gets per unit paid, and how many workers can gain by lying",
      sized,
      tradeColumns,
    ),
    tableOf("by-regime", "Who can gain by lying, by regime", inRegimes, regimeColumns),
  ];
}

/** "39 %", "≥ 39 %" where lies were searched for. */
const LABEL =
  "(datum.certainty === 'exact' ? '' : '≥ ') + format(100 * datum.share, datum.share >= 0.1 ? '.0f' : '.2~r') + ' %'";

/** A dot for each auction, with the share of workers who can gain beside it. */
function chartOf({ trades }: TradeOff): Chart {
  const choices = [{ field: "size", label: "Markets", values: trades.map(({ size }) => size) }];
  const names = [...new Set(trades.flatMap(({ asked }) => asked.map(({ name }) => name)))];
  const scale = { zero: false, nice: false, padding: 45 };
  const x = (field: string) =>
    amountAxis(field, "publisher's utility per unit paid", { scale, axis: { labelBound: true } });
  return {
    name: "publisher",
    title: "Publisher's utility per unit paid, and the share of workers who can gain by lying",
    table: "trade-off",
    choices,
    spec: {
      height: { step: 22 },
      transform: [{ calculate: "isValid(datum.high) ? datum.high : datum.mean", as: "end" }],
      encoding: {
        y: nameAxis("auction", { field: "mean", order: "descending" }, { labelLimit: 160 }),
        color: { ...mechanismColour("auction", names), legend: null },
        tooltip: tooltipOf(tradeColumns),
      },
      layer: [
        ...pointsWithIntervals(x, { value: "mean", size: 90 }),
        {
          transform: [{ calculate: LABEL, as: "label" }],
          mark: { type: "text", align: "left", dx: 8, tooltip: null },
          encoding: { x: x("end"), text: { field: "label" }, color: { value: "black" } },
        },
      ],
    },
    summary: captions(choices, ({ size }) => captionOf(trades.find((trade) => trade.size === size)!)),
    howToRead:
      "Points are means with 95 % intervals; further right is better for the publisher. The percentage is the share of workers who can gain by lying, computed exactly unless marked ≥.",
  };
}

function captionOf({ markets, workers, budget, asked }: Trade): string {
  const [best, last] = [asked[0]!, asked.at(-1)!];
  const end = ({ name, unit }: Auction) => `${name} (${threeDigits(unit.mean)})`;
  return `${many(markets, "market")} of ${workers} workers with a budget of ${budget}: from ${end(best)} down to ${end(last)}.`;
}

/** "3.3 % (2.1 % to 4.4 %) of 2,000 workers in 100 markets can gain by lying". */
function gainersText({ gains, exact }: Auction): string {
  const { share, workers, markets, gainers } = gains;
  const people = `${many(workers, "worker")} in ${many(markets, "market")}`;
  const bound = Number.isFinite(share.high) ? ` (at most ${percent(share.high)} with 95 %)` : "";
  if (exact && gainers === 0) return `none of ${people} can gain by lying${bound}`;
  if (exact) return `${shareWithInterval(share)} of ${people} can gain by lying`;
  return gainers === 0
    ? `no gain was found for any of ${people}`
    : `a gain was found for ${whole(gainers)} of ${people}`;
}

function findingsOf(trade: Trade, ours: string): Finding[] {
  const { asked, workers, budget } = trade;
  const where = `With ${workers} workers and a budget of ${budget}`;
  const own = asked.filter(({ name }) => name === ours);
  const safe = asked.filter(({ exact, gains }) => exact && gains.gainers === 0);
  const most = asked.filter(({ exact }) => exact).toSorted((a, b) => b.gains.share.mean - a.gains.share.mean);
  return [
    ...own.map((one) => ({
      text: `${where}, ${gainersText(one)} in ${ours}${regimesText(one)}.`,
      weight: 50,
    })),
    ...most
      .slice(0, 1)
      .filter(({ gains, name }) => gains.gainers > 0 && name !== ours)
      .map(({ name, gains }) => ({
        text: `${where}, the share of workers who can gain is largest in ${name}: ${shareWithInterval(gains.share)}.`,
        weight: 38,
      })),
    ...(safe.length > 0 ? [{ text: `${where}, ${safeText(safe, asked)}.`, weight: 40 }] : []),
    ...unitFinding(trade, where),
  ];
}

/** ", all of them where the budget is tight". */
function regimesText({ byRegime }: Auction): string {
  const gaining = byRegime.filter(({ gainers }) => gainers > 0);
  if (gaining.length === 0) return "";
  if (gaining.length === 1) return `, all of them ${regimeWords[gaining[0]!.regime]}`;
  return `: ${listed(gaining.map(({ gainers, regime }) => `${whole(gainers)} ${regimeWords[regime]}`))}`;
}

const safeText = (safe: readonly Auction[], asked: readonly Auction[]): string =>
  `none of the workers asked can gain in ${safe.length} of ${asked.length} mechanisms: ${listed(safe.map(({ name }) => name))}`;

/** Whether a mechanism that can be lied to gives more than the best one that cannot; of those that decide online. */
function unitFinding({ asked }: Trade, where: string): Finding[] {
  const online = asked.filter(({ offline, exact }) => exact && !offline);
  const [safe, open] = [
    online.find(({ gains }) => gains.gainers === 0),
    online.find(({ gains }) => gains.gainers > 0),
  ];
  if (!safe || !open) return [];
  const text = `${where}, ${safe.name} gives the publisher ${withInterval(safe.unit, twoPlaces)} per unit paid: of the mechanisms that decide as bids arrive, the most where nobody can gain. Of those where somebody can gain, ${open.name} gives most: ${withInterval(open.unit, twoPlaces)}.`;
  return [{ text, weight: 30 }];
}

function drawnText({ size, markets, searched, effort, asked, skipped }: Trade): string {
  const found = asked.filter(({ exact }) => !exact).map(({ name }) => name);
  return [
    `${size}: ${markets} markets drawn as in the paper, the same for all auctions.`,
    ...(found.length > 0
      ? [
          `One worker's best lie in ${searched} of them was searched for in ${listed(found)}, with about ${threeDigits(effort)} lies each: a search can miss, so that what it finds are lower bounds.`,
        ]
      : []),
    ...(skipped.length > 0 ? [`Nobody's best lie was looked for in ${listed(skipped)}.`] : []),
  ].join(" ");
}
