/** The tables and charts of the trade-off. */

import { listed, many, percent, percents, signed, threeDigits, whole } from "../../src/lib/format.js";
import { type Estimate, FEWEST } from "../../src/lib/statistics.js";
import type { Regime } from "../../src/mechanisms/outcome.js";
import type { Chart, Choice, Exhibit, Finding, MechanismNote, Table } from "../../src/report/result.js";
import {
  amountAxis,
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  fromTogether,
  mechanismColour,
  nameAxis,
  pointsWithIntervals,
  regimeColour,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import { type Measure, repairs, type Setting } from "../shared/publisher.js";

export function methods({ trades, ours }: TradeOff): string[] {
  const names = (auctions: readonly Auction[]) => listed(auctions.map(({ name }) => name));
  const [first] = trades;
  return [
    ...trades.map(({ size, markets, searched, effort, auctions }) => {
      const found = auctions.filter(({ exact, gains }) => !exact && gains.workers > 0);
      const skipped = auctions.filter(({ gains }) => gains.workers === 0);
      return [
        `${size}: ${markets} markets drawn as in the paper, the same for all auctions.`,
        ...(found.length > 0
          ? [
              `One worker's best lie in ${searched} of them was searched for in ${names(found)}, with about ${threeDigits(effort)} lies each: a search can miss, so that what it finds are lower bounds.`,
            ]
          : []),
        ...(skipped.length > 0 ? [`Nobody's best lie was looked for in ${names(skipped)}.`] : []),
      ].join(" ");
    }),
    `Every worker's best lie was computed exactly unless said. The share of workers who can gain is pooled over markets, with intervals that take markets as clusters; from fewer than ${FEWEST} markets none is stated. Comparisons with ${ours} are of the same markets, and the ${first ? first.comparisons.length : 0} of one size hold together with 95 % (Bonferroni).`,
  ];
}

/** Of the workers asked: how many can gain, and how much. */
export interface Gains {
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

export interface Auction {
  readonly name: string;
  readonly offline: boolean;
  /** Sees the costs. */
  readonly informed: boolean;
  /** Whether an argument is known that nobody ever gains. */
  readonly truthful: boolean;
  /** Publisher's utility per unit paid. */
  readonly unit: Estimate;
  /** Whether best lies were computed; else they were searched for. */
  readonly exact: boolean;
  readonly evaluations: number;
  readonly gains: Gains;
  readonly byRegime: readonly (Gains & { readonly regime: Regime })[];
}

/** How far an auction is above the one in question, as a share of what that gives. */
interface Compared {
  readonly auction: string;
  readonly measure: Measure;
  readonly gap: Estimate;
}

/** Everything known of one size of market. */
export interface Trade extends Setting {
  readonly size: string;
  readonly markets: number;
  readonly searched: number;
  readonly effort: number;
  /** By what the publisher gets per unit paid, most first. */
  readonly auctions: readonly Auction[];
  readonly comparisons: readonly Compared[];
}

export interface TradeOff {
  readonly ours: string;
  readonly trades: readonly Trade[];
  readonly exhibits: readonly Exhibit[];
}

/** "20 workers, budget 25". */
export const sizeText = ({ workers, budget }: Setting): string => `${workers} workers, budget ${budget}`;

/** Those of which any worker was asked. */
const asked = ({ auctions }: Trade): Auction[] => auctions.filter(({ gains }) => gains.workers > 0);

type Asked = Auction & Pick<Trade, "size">;

/** With the size of its markets. */
const askedAt = (trade: Trade): Asked[] => asked(trade).map((one) => ({ size: trade.size, ...one }));

const certainty = textColumn("certainty", "gains are", ({ exact }: Pick<Auction, "exact">) =>
  exact ? "exact" : "lower bound",
);

const tradeColumns: Field<Asked>[] = [
  textColumn("size", "market"),
  textColumn("auction", "auction", ({ name }) => name),
  ...estimateColumns(amountColumn("mean", "utility per unit paid"), ({ unit }: Asked) => unit),
  ...estimateColumns(shareColumn("share", "workers who can gain"), ({ gains }: Asked) => gains.share, {
    own: true,
  }),
  ...estimateColumns(amountColumn("gain", "mean gain"), ({ gains }: Asked) => gains.gain, { own: true }),
  amountColumn("most", "largest gain", ({ gains }) => gains.most),
  amountColumn("truthful", "mean utility of the truth", ({ gains }) => gains.truthful),
  certainty,
  countColumn("workers", "workers asked", ({ gains }) => gains.workers),
  countColumn("evaluations", "lies tried", ({ exact, evaluations }) => (exact ? null : evaluations)),
];

type InRegime = Auction["byRegime"][number] &
  Pick<Trade, "size"> &
  Pick<Auction, "exact"> & { readonly auction: string };

/** Every regime that workers of an auction are in. */
const regimesAt = (trade: Trade): InRegime[] =>
  asked(trade).flatMap(({ name, byRegime, exact }) =>
    byRegime
      .filter(({ workers }) => workers > 0)
      .map((one) => ({ size: trade.size, auction: name, exact, ...one })),
  );

const regimeColumns: Field<InRegime>[] = [
  textColumn("size", "market"),
  textColumn("auction", "auction"),
  textColumn("regime", "regime"),
  countColumn("markets", "markets"),
  countColumn("workers", "workers asked"),
  countColumn("gainers", "who can gain"),
  ...estimateColumns(shareColumn("share", "share"), ({ share }: InRegime) => share),
  amountColumn("gain", "mean gain", ({ gain }) => gain.mean),
  amountColumn("most", "largest gain"),
  certainty,
];

export const tables = ({ trades, ours }: TradeOff): Table[] => [
  tableOf(
    "trade-off",
    "What the publisher gets per unit paid, and how many workers can gain by lying",
    trades.flatMap(askedAt),
    tradeColumns,
  ),
  tableOf("by-regime", "Who can gain by lying, by regime", trades.flatMap(regimesAt), regimeColumns),
  tableOf(
    "comparisons",
    `How far auctions are above ${ours}, in the same markets`,
    trades.flatMap(({ size, comparisons }) => comparisons.map((one) => ({ size, ...one }))),
    [
      textColumn("size", "market"),
      textColumn("auction", "auction"),
      textColumn("measure", "publisher's utility"),
      ...estimateColumns(shareColumn("mean", "difference, as a share"), ({ gap }: Compared) => gap, {
        from: fromTogether,
      }),
      countColumn("pairs", "markets", ({ gap }: Compared) => gap.n),
    ],
  ),
];

export function charts(result: TradeOff): Chart[] {
  const choices = [{ field: "size", label: "Markets", values: result.trades.map(({ size }) => size) }];
  return [publisherChart(result, choices), regimeChart(result, choices)];
}

const tradeCaption = (result: TradeOff, choices: readonly Choice[], text: (trade: Trade) => string) =>
  captions(choices, ({ size }) => text(result.trades.find((trade) => trade.size === size)!));

/** A dot for each auction, with the share of workers who can gain beside it. */
function publisherChart(result: TradeOff, choices: readonly Choice[]): Chart {
  const names = [...new Set(result.trades.flatMap((trade) => asked(trade).map(({ name }) => name)))];
  const scale = { zero: false, nice: false, padding: 45 };
  const x = (field: string) => amountAxis(field, "publisher's utility per unit paid", { scale });
  return {
    name: "publisher",
    title: "Publisher's utility per unit paid, and the share of workers who can gain by lying",
    table: "trade-off",
    choices,
    spec: {
      height: { step: 26 },
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
    summary: tradeCaption(result, choices, publisherCaption),
    howToRead:
      "Points are means over markets with 95 % intervals; further right is better for the publisher. The percentage is the share of workers asked who can gain by lying.",
  };
}

/** "39 %", "≥ 39 %" where lies were searched for. */
const LABEL =
  "(datum.certainty === 'exact' ? '' : '≥ ') + format(100 * datum.share, datum.share >= 0.1 ? '.0f' : '.2~r') + ' %'";

function publisherCaption(trade: Trade): string {
  const auctions = asked(trade);
  const [best, last] = [auctions[0]!, auctions.at(-1)!];
  const most = auctions.reduce((a, b) => (b.gains.share.mean > a.gains.share.mean ? b : a));
  const ends = `${trade.size}: from ${best.name} (${threeDigits(best.unit.mean)}) down to ${last.name} (${threeDigits(last.unit.mean)}) per unit paid`;
  return most.gains.gainers === 0
    ? `${ends}; no gain was found in any of them.`
    : `${ends}; most gain in ${most.name}, where ${gainersText(most)}.`;
}

/** The share of workers who can gain, by the regime of their truthful run. */
function regimeChart(result: TradeOff, choices: readonly Choice[]): Chart {
  const seen = result.trades.flatMap(regimesAt);
  const ends = seen.map(({ share }) => (Number.isFinite(share.high) ? share.high : share.mean));
  const scale = { type: "sqrt", domain: [0, Math.min(1, 1.05 * Math.max(0.1, ...ends))], nice: false };
  const axis = { values: [0, 0.01, 0.05, 0.1, 0.25, 0.5, 1], format: "~%" };
  const x = (field: string) => amountAxis(field, "workers who can gain by lying", { scale, axis });
  const colour = regimeColour(
    "regime",
    seen.map(({ regime }) => regime),
  );
  return {
    name: "by-regime",
    title: "The share of workers who can gain by lying, by regime",
    table: "by-regime",
    choices,
    spec: {
      height: { step: 10 },
      encoding: {
        y: nameAxis("auction", { field: "share", op: "max", order: "descending" }, { labelLimit: 160 }),
        yOffset: { field: "regime", type: "nominal" },
        color: { ...colour, title: null, legend: { offset: 10 } },
        tooltip: tooltipOf(regimeColumns),
      },
      layer: [
        ...pointsWithIntervals(x, { value: "share" }),
        {
          transform: [
            { filter: `datum.markets < ${FEWEST}` },
            { calculate: "datum.markets + (datum.markets === 1 ? ' market' : ' markets')", as: "few" },
          ],
          mark: { type: "text", align: "left", dx: 8, tooltip: null },
          encoding: { x: x("share"), text: { field: "few" } },
        },
      ],
    },
    summary: tradeCaption(result, choices, (trade) => `${trade.size}: ${regimeGains(trade, result.ours)}.`),
    howToRead: `A point for each regime that workers of an auction's truthful runs are in, with a 95 % interval over markets; below ${FEWEST} markets their number is given instead. The scale is that of square roots, so that small shares can be seen.`,
  };
}

export function findings({ trades, ours }: TradeOff): Finding[] {
  const [first] = trades;
  return [
    ...trades.flatMap((trade) =>
      asked(trade)
        .filter(({ name }) => name === ours)
        .map((own) => ownFinding(own, trade)),
    ),
    ...(first ? [...repairFindings(first, ours), ...truthfulFinding(first)] : []),
  ];
}

const where = ({ workers, budget }: Trade): string => `With ${workers} workers and a budget of ${budget}`;

/** "3.3 % (2.1 % to 4.4 %) of 2,000 workers in 100 markets can gain by lying". */
function gainersText({ gains, exact, truthful }: Auction): string {
  const { share, workers, markets, gainers } = gains;
  if (truthful && gainers === 0) return "nobody can gain by lying";
  const people = `${many(workers, "worker")} in ${many(markets, "market")}`;
  if (!exact)
    return gainers === 0
      ? `no gain was found for any of ${people}`
      : `a gain was found for ${whole(gainers)} of ${people}`;
  const known = Number.isFinite(share.high);
  if (gainers === 0)
    return `none of ${people} can gain by lying${known ? ` (at most ${percent(share.high)} with 95 %)` : ""}`;
  const [middle, low, high] = percents(share);
  return `${middle}${known ? ` (${low} to ${high})` : ""} of ${people} can gain by lying`;
}

const intervalText = ({ low, high }: Estimate): string =>
  Number.isFinite(low) ? ` (${threeDigits(low)} to ${threeDigits(high)})` : "";

function ownFinding(own: Auction, trade: Trade): Finding {
  const gaining = own.byRegime.filter(({ gainers }) => gainers > 0);
  const regimes =
    gaining.length === 1
      ? `, all of them in ${regimeName(gaining[0]!.regime)} runs (${whole(gaining[0]!.gainers)} of ${whole(gaining[0]!.workers)})`
      : gaining.map((one) => `, ${regimeText(one)}`).join("");
  const unit = `${threeDigits(own.unit.mean)}${intervalText(own.unit)}`;
  const text = `${where(trade)}, ${own.name} gives ${unit} per unit paid, and ${gainersText(own)}${regimes}.`;
  return { text, weight: 50 };
}

/** "65 of 830 in tight runs". */
const regimeText = ({ regime, gainers, workers }: Auction["byRegime"][number]): string =>
  `${whole(gainers)} of ${whole(workers)} in ${regimeName(regime)} runs`;

const regimeName = (regime: string): string => regime.replace("late start", "late-start");

/** Where the workers of the auction in question can gain. */
function regimeGains(trade: Trade, ours: string): string {
  const own = asked(trade).find(({ name }) => name === ours);
  if (!own) return `nobody was asked in ${ours}`;
  const each = own.byRegime.filter(({ workers }) => workers > 0);
  return `in ${ours} ${own.exact ? "" : "at least "}${listed(each.map((one) => `${shareText(one)} of ${many(one.workers, "worker")} in ${regimeName(one.regime)} runs`))} can gain`;
}

const shareText = ({ gainers, share }: Gains): string => (gainers === 0 ? "none" : percent(share.mean));

/** What a repair costs the publisher. */
function repairFindings(trade: Trade, ours: string): Finding[] {
  const { comparisons } = trade;
  return asked(trade)
    .filter(({ name }) => repairs.includes(name) && name !== ours)
    .map((repair) => {
      const own = comparisons.filter(({ auction }) => auction === repair.name);
      const changes = own.map(({ measure, gap }) => `by ${changeText(gap)} ${measure}`);
      const text = `${where(trade)}, ${gainersText(repair)} in the repair ${repair.name}; compared with ${ours} it changes the publisher's utility ${listed(changes)} (95 % for all ${comparisons.length} comparisons together).`;
      return { text, weight: 40 };
    });
}

/** "−5.4 % (−6.9 % to −3.9 %)". */
function changeText({ mean, low, high }: Estimate): string {
  const ends = [low, high].map((end) => signed(end, percent));
  const interval = Number.isFinite(low) ? ends.join(" to ") : "too few markets for an interval";
  return `${signed(mean, percent)} (${interval})`;
}

/** Who gives the publisher most among those where nobody can gain. */
function truthfulFinding(trade: Trade): Finding[] {
  const honest = asked(trade).filter(
    ({ exact, gains, informed }) => exact && gains.gainers === 0 && !informed,
  );
  const named = [false, true].flatMap((offline) => {
    const best = honest.find((one) => one.offline === offline);
    const kind = offline ? "that see all bids at once" : "that decide online";
    return best
      ? [`${threeDigits(best.unit.mean)}${intervalText(best.unit)} by ${best.name} among those ${kind}`]
      : [];
  });
  if (named.length === 0) return [];
  const text = `${where(trade)}, the most per unit paid by auctions in which none of the workers asked can gain is ${listed(named)} (${trade.markets} markets).`;
  return [{ text, weight: 30 }];
}

/** What was established about each auction, for its card. */
export const mechanismNotes = ({ trades: [first] }: TradeOff): MechanismNote[] =>
  first
    ? asked(first).map((auction) => ({
        mechanism: auction.name,
        text: `${auction.exact ? "Computed" : "Searched"}: ${gainersText({ ...auction, truthful: false })} (${first.size}, drawn as in the paper).`,
      }))
    : [];
