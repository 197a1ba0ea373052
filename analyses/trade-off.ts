/** How many workers can gain by lying in each mechanism, beside what it gives the publisher per unit paid. */

import { greatest, maxIndex, mean, sum } from "d3-array";
import { type AnyMechanism, runAuction } from "../src/auction/mechanism.js";
import { publisherAccount, regimes } from "../src/auction/outcome.js";
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
import { FEWEST, meanAlone, meanRatio } from "../src/lib/statistics.js";
import { countsOf, mergeCounts, pooledShare } from "../src/lib/summaries.js";
import type { Market } from "../src/market/market.js";
import type { Chart, Exhibit, Finding, MechanismNote, Table } from "../src/report/result.js";
import {
  axis,
  captions,
  colour,
  column,
  type Field,
  marks,
  rankedFindings,
  regimeWords,
  tableOf,
} from "../src/report/vocabulary.js";
import { bestResponses, isExact, type Response, searchResponses } from "../src/responses/index.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { collectJob, type Profile, type WorkContext } from "../src/study/job.js";
import { bounded } from "./shared/gains.js";
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
  job: collectJob(
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
interface Fate extends Pick<Response, "regime" | "truthful" | "gain"> {
  /** The gain is that of the lie that is named, and higher prices gain more. */
  readonly unbounded: boolean;
}

const fateOf = ({ regime, truthful, gain, best }: Response): Fate =>
  gain < Number.POSITIVE_INFINITY
    ? { regime, truthful, gain, unbounded: false }
    : { regime, truthful, gain: best.utility - truthful, unbounded: true };

const gainOf = ({ gain, unbounded }: Fate): number => (unbounded ? Number.POSITIVE_INFINITY : gain);

/** One auction in one market: everybody's fate where that is exact, that of the one chosen where it is searched. */
function lookAt(
  market: Market,
  mechanism: AnyMechanism,
  { chosen, effort }: { readonly chosen: number | null; readonly effort: number },
) {
  const { workers, evaluations } = isExact(mechanism)
    ? bestResponses(market, { mechanism })
    : chosen === null
      ? { workers: [], evaluations: 0 }
      : searchResponses(market, { mechanism, workers: [chosen], effort });
  const top = workers.reduce<Response | null>((a, b) => (b.gain > (a?.gain ?? 0) ? b : a), null);
  return {
    account: publisherAccount(market.workers, runAuction(mechanism, market)),
    fates: workers.map(fateOf),
    evaluations,
    // The lie that gains most; null where none gains.
    best: top && { worker: top.id, price: top.best.price, arrival: top.best.arrival },
  };
}

type Look = ReturnType<typeof lookAt>;

type Found = Gathered<TradeOffCell, Look[][]>;

const looksIn = ({ summary }: Found, column: number): Look[] => (summary ?? []).map((row) => row[column]!);

/** Everything known of one size of market: of the auctions of which any worker was asked, those that give most first. */
function tradeAt(found: Found, { mechanisms }: WorkContext) {
  const auctions = mechanisms
    .map((mechanism, column) => auctionOf(mechanism, looksIn(found, column)))
    .sort((a, b) => b.unit.mean - a.unit.mean);
  return {
    ...found.cell,
    markets: found.markets,
    size: settingText(found.cell),
    asked: auctions.filter(({ workers }) => workers > 0),
    skipped: auctions.filter(({ workers }) => workers === 0).map(({ name }) => name),
  };
}

type Trade = ReturnType<typeof tradeAt>;

interface TradeOff {
  readonly ours: string;
  readonly trades: readonly Trade[];
  readonly exhibits: readonly Exhibit[];
}

function auctionOf(mechanism: AnyMechanism, looks: readonly Look[]) {
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
    ...gainsOf(fates, exact),
    byRegime: regimes.map((regime) => {
      const here = fates.map((some) => some.filter((fate) => fate.regime === regime));
      return { regime, ...gainsOf(here, exact) };
    }),
  };
}

type Auction = ReturnType<typeof auctionOf>;

/** Over all workers asked, pooled over markets, with markets as clusters; of a search, without upper ends. */
function gainsOf(byMarket: readonly (readonly Fate[])[], exact: boolean) {
  const asked = byMarket.filter((fates) => fates.length > 0);
  const fates = asked.flat();
  const gainersIn = (some: readonly Fate[]) => some.filter(({ gain }) => gain > 0).length;
  const gainers = gainersIn(fates);
  const share =
    asked.length < FEWEST
      ? meanAlone(gainers / fates.length, asked.length)
      : pooledShare(asked.map((some) => countsOf(gainersIn(some), some.length)).reduce(mergeCounts));
  const gain = meanRatio(asked.map((some) => [sum(some, gainOf), some.length]));
  return {
    markets: asked.length,
    workers: fates.length,
    gainers,
    share: bounded(share, exact),
    // Over all workers asked, also those who cannot gain.
    gain: bounded({ ...gain, low: Math.max(0, gain.low) }, exact),
    most: Math.max(0, ...fates.map(gainOf)),
    truthful: mean(fates, ({ truthful }) => truthful) ?? Number.NaN,
  };
}

/** The largest gain found in each auction. */
const exhibitsOf = (found: Found, { mechanisms, stream }: WorkContext): Exhibit[] =>
  mechanisms.flatMap(({ name: mechanism }, column) => {
    const mostIn = ({ fates }: Look) => Math.max(0, ...fates.map(gainOf));
    const looks = looksIn(found, column);
    const k = maxIndex(looks, mostIn);
    const lie = looks[k]?.best;
    if (!lie) return [];
    const title = `Worker ${lie.worker} gains ${threeDigits(mostIn(looks[k]!))} by a lie in ${mechanism}`;
    return [{ name: `${mechanism}-${k}`, title, market: marketAt(found.cell, k, stream), mechanism, lie }];
  });

type Sized<Item> = Item & Pick<Trade, "size">;

const certainty = column.text("certainty", "gains are", ({ exact }: Pick<Auction, "exact">) =>
  exact ? "exact" : "lower bound",
);

/** Of several intervals in a table, each has names of its own. */
const ownNames = { own: true };

const tradeColumns: Field<Sized<Auction>>[] = [
  column.text("size", "market"),
  column.text("auction", "auction", ({ name }) => name),
  ...column.estimate(column.amount("mean", "utility per unit paid"), ({ unit }: Auction) => unit),
  ...column.estimate(column.share("share", "workers who can gain"), ({ share }: Auction) => share, ownNames),
  ...column.estimate(column.amount("gain", "mean gain"), ({ gain }: Auction) => gain, ownNames),
  column.amount("most", "largest gain"),
  column.amount("truthful", "mean utility of the truth"),
  certainty,
  column.count("workers", "workers asked"),
  column.count("evaluations", "lies tried", ({ exact, evaluations }) => (exact ? null : evaluations)),
];

type InRegime = Sized<Auction["byRegime"][number] & Pick<Auction, "name" | "exact">>;

const regimeColumns: Field<InRegime>[] = [
  column.text("size", "market"),
  column.text("auction", "auction", ({ name }) => name),
  column.text("regime", "regime"),
  column.count("markets", "markets"),
  column.count("workers", "workers asked"),
  column.count("gainers", "who can gain"),
  ...column.estimate<InRegime>(column.share("share", "share")),
  column.amount("gain", "mean gain", ({ gain }) => gain.mean),
  column.amount("most", "largest gain"),
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
    axis.amount(field, "publisher's utility per unit paid", { scale, axis: { labelBound: true } });
  return {
    name: "publisher",
    title: "Publisher's utility per unit paid, and the share of workers who can gain by lying",
    table: "trade-off",
    choices,
    spec: {
      height: { step: 22 },
      transform: [{ calculate: "isValid(datum.high) ? datum.high : datum.mean", as: "end" }],
      encoding: {
        y: axis.name("auction", { field: "mean", order: "descending" }, { labelLimit: 160 }),
        color: { ...colour.mechanism("auction", names), legend: null },
        tooltip: marks.tooltip(tradeColumns),
      },
      layer: [
        ...marks.points(x, { value: "mean", size: 90 }),
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
function gainersText({ share, workers, markets, gainers, exact }: Auction): string {
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
  const own = asked.find(({ name }) => name === ours);
  const exact = asked.filter((one) => one.exact);
  const safe = exact.filter(({ gainers }) => gainers === 0).map(({ name }) => name);
  const most = greatest(exact, ({ share }) => share.mean);
  const said = (weight: number, text: string) => [weight, text && `${where}, ${text}.`] as const;
  return rankedFindings(
    said(50, own ? `${gainersText(own)} in ${ours}${regimesText(own)}` : ""),
    said(38, most && most.gainers > 0 && most.name !== ours ? largestText(most) : ""),
    said(40, safe.length > 0 ? safeText(safe, asked.length) : ""),
    said(30, unitText(exact)),
  );
}

const largestText = ({ name, share }: Auction): string =>
  `the share of workers who can gain is largest in ${name}: ${shareWithInterval(share)}`;

/** ", all of them where the budget is tight". */
function regimesText({ byRegime }: Auction): string {
  const gaining = byRegime.filter(({ gainers }) => gainers > 0);
  if (gaining.length === 0) return "";
  if (gaining.length === 1) return `, all of them ${regimeWords[gaining[0]!.regime]}`;
  return `: ${listed(gaining.map(({ gainers, regime }) => `${whole(gainers)} ${regimeWords[regime]}`))}`;
}

const safeText = (safe: readonly string[], among: number): string =>
  `none of the workers asked can gain in ${safe.length} of ${among} mechanisms: ${listed(safe)}`;

/** Whether a mechanism that can be lied to gives more than the best one that cannot; of those that decide online. */
function unitText(exact: readonly Auction[]): string {
  const online = exact.filter(({ offline }) => !offline);
  const safe = online.find(({ gainers }) => gainers === 0);
  const open = online.find(({ gainers }) => gainers > 0);
  if (!safe || !open) return "";
  return `${safe.name} gives the publisher ${withInterval(safe.unit, twoPlaces)} per unit paid: of the mechanisms that decide as bids arrive, the most where nobody can gain. Of those where somebody can gain, ${open.name} gives most: ${withInterval(open.unit, twoPlaces)}`;
}

function drawnText({ size, markets, searched, effort, asked, skipped }: Trade): string {
  const found = asked.filter(({ exact }) => !exact).map(({ name }) => name);
  const search = `One worker's best lie in ${searched} of them was searched for in ${listed(found)}, with about ${threeDigits(effort)} lies each: a search can miss, so that what it finds are lower bounds.`;
  return [
    `${size}: ${markets} markets drawn as in the paper, the same for all auctions.`,
    ...(found.length > 0 ? [search] : []),
    ...(skipped.length > 0 ? [`Nobody's best lie was looked for in ${listed(skipped)}.`] : []),
  ].join(" ");
}
