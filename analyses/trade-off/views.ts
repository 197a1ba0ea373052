/** The tables and charts of the trade-off. */

import { rounded, threeDigits } from "../../src/lib/format.js";
import { FEWEST } from "../../src/lib/statistics.js";
import type { Chart, Choice, Column, Row, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  intervalCells,
  intervalColumns,
  mechanismColour,
  regimeColour,
  shareColumn,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import { asked, type Trade, type TradeOff } from "./trade.js";
import { gainersText, regimeGains } from "./words.js";

const place = [textColumn("size", "market"), textColumn("auction", "auction")];

/** Interval columns under names of their own, for a table with several. */
const named = (prefix: string, kind: Column["kind"]): Column[] => [
  { name: `${prefix}Low`, label: "95 % from", kind },
  { name: `${prefix}High`, label: "to", kind },
];

const tradeColumns: Column[] = [
  ...place,
  amountColumn("mean", "utility per unit paid"),
  ...intervalColumns("amount"),
  shareColumn("share", "workers who can gain"),
  ...named("share", "share"),
  amountColumn("gain", "mean gain"),
  ...named("gain", "amount"),
  amountColumn("most", "largest gain"),
  amountColumn("truthful", "mean utility of the truth"),
  textColumn("certainty", "gains are"),
  countColumn("workers", "workers asked"),
  countColumn("evaluations", "lies tried"),
];

const regimeColumns: Column[] = [
  ...place,
  textColumn("regime", "regime"),
  countColumn("markets", "markets"),
  countColumn("workers", "workers asked"),
  countColumn("gainers", "who can gain"),
  shareColumn("share", "share"),
  ...intervalColumns("share"),
  amountColumn("gain", "mean gain"),
  amountColumn("most", "largest gain"),
  textColumn("certainty", "gains are"),
];

const certaintyOf = (exact: boolean): string => (exact ? "exact" : "lower bound");

export const tablesOf = ({ trades, ours }: TradeOff): Table[] => [
  {
    name: "trade-off",
    title: "What the publisher gets per unit paid, and how many workers can gain by lying",
    columns: tradeColumns,
    rows: trades.flatMap(tradeRows),
  },
  {
    name: "by-regime",
    title: "Who can gain by lying, by regime",
    columns: regimeColumns,
    rows: trades.flatMap(regimeRows),
  },
  {
    name: "comparisons",
    title: `How far auctions are above ${ours}, in the same markets`,
    columns: [
      ...place,
      textColumn("measure", "publisher's utility"),
      shareColumn("mean", "difference, as a share"),
      ...intervalColumns("share", "95 % together, from"),
      countColumn("pairs", "markets"),
    ],
    rows: trades.flatMap(({ size, comparisons }) =>
      comparisons.map(({ auction, measure, gap }) => ({
        size,
        auction,
        measure,
        mean: rounded(gap.mean),
        ...intervalCells(gap),
        pairs: gap.n,
      })),
    ),
  },
];

const tradeRows = (trade: Trade): Row[] =>
  asked(trade).map(({ name, unit, gains, exact, evaluations }) => ({
    size: trade.size,
    auction: name,
    mean: rounded(unit.mean),
    ...intervalCells(unit),
    share: rounded(gains.share.mean),
    shareLow: rounded(gains.share.low),
    shareHigh: rounded(gains.share.high),
    gain: rounded(gains.gain.mean),
    gainLow: rounded(gains.gain.low),
    gainHigh: rounded(gains.gain.high),
    most: rounded(gains.most),
    truthful: rounded(gains.truthful),
    certainty: certaintyOf(exact),
    workers: gains.workers,
    evaluations: exact ? null : evaluations,
  }));

const regimeRows = (trade: Trade): Row[] =>
  asked(trade).flatMap(({ name, byRegime, exact }) =>
    byRegime
      .filter(({ workers }) => workers > 0)
      .map(({ regime, markets, workers, gainers, share, gain, most }) => ({
        size: trade.size,
        auction: name,
        regime,
        markets,
        workers,
        gainers,
        share: rounded(share.mean),
        ...intervalCells(share),
        gain: rounded(gain.mean),
        most: rounded(most),
        certainty: certaintyOf(exact),
      })),
  );

export function chartsOf(result: TradeOff): Chart[] {
  const choices = [{ field: "size", label: "Markets", values: result.trades.map(({ size }) => size) }];
  return [publisherChart(result, choices), regimeChart(result, choices)];
}

const tradeCaption = (result: TradeOff, choices: readonly Choice[], text: (trade: Trade) => string) =>
  captions(choices, ({ size }) => text(result.trades.find((trade) => trade.size === size)!));

const auctionAxis = (sort: object): object => ({
  field: "auction",
  type: "nominal",
  title: null,
  sort,
  axis: { labelLimit: 160 },
});

/** A dot for each auction, with the share of workers who can gain beside it. */
function publisherChart(result: TradeOff, choices: readonly Choice[]): Chart {
  const names = [...new Set(result.trades.flatMap((trade) => asked(trade).map(({ name }) => name)))];
  const y = auctionAxis({ field: "mean", order: "descending" });
  const color = { ...mechanismColour("auction", names), legend: null };
  const scale = { zero: false, nice: false, padding: 45 };
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: "publisher's utility per unit paid",
    scale,
  });
  return {
    name: "publisher",
    title: "Publisher's utility per unit paid, and the share of workers who can gain by lying",
    table: "trade-off",
    choices,
    spec: {
      height: { step: 26 },
      layer: [
        {
          mark: { type: "rule", strokeWidth: 2, tooltip: null },
          encoding: { y, color, x: x("low"), x2: { field: "high" } },
        },
        {
          mark: { type: "point", size: 90 },
          encoding: { y, color, x: x("mean"), tooltip: tooltipOf(tradeColumns) },
        },
        {
          transform: [{ calculate: LABEL, as: "label" }],
          mark: { type: "text", align: "left", dx: 8, tooltip: null },
          encoding: { y, x: x("end"), text: { field: "label" } },
        },
      ],
      transform: [{ calculate: "isValid(datum.high) ? datum.high : datum.mean", as: "end" }],
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
  const seen = result.trades
    .flatMap(asked)
    .flatMap(({ byRegime }) => byRegime.filter(({ workers }) => workers > 0));
  const present = seen.map(({ regime }) => regime);
  const top = Math.max(
    0.1,
    ...seen.map(({ share }) => (Number.isFinite(share.high) ? share.high : share.mean)),
  );
  const y = auctionAxis({ field: "share", op: "max", order: "descending" });
  const shared = {
    y,
    yOffset: { field: "regime", type: "nominal" },
    color: { ...regimeColour("regime", present), title: null, legend: { offset: 10 } },
  };
  const scale = { type: "sqrt", domain: [0, Math.min(1, 1.05 * top)], nice: false };
  const axis = { values: [0, 0.01, 0.05, 0.1, 0.25, 0.5, 1], format: "~%" };
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: "workers who can gain by lying",
    scale,
    axis,
  });
  return {
    name: "by-regime",
    title: "The share of workers who can gain by lying, by regime",
    table: "by-regime",
    choices,
    spec: {
      height: { step: 10 },
      layer: [
        {
          mark: { type: "rule", tooltip: null },
          encoding: { ...shared, x: x("low"), x2: { field: "high" } },
        },
        {
          mark: { type: "point", size: 60 },
          encoding: { ...shared, x: x("share"), tooltip: tooltipOf(regimeColumns) },
        },
        {
          transform: [
            { filter: `datum.markets < ${FEWEST}` },
            { calculate: "datum.markets + (datum.markets === 1 ? ' market' : ' markets')", as: "few" },
          ],
          mark: { type: "text", align: "left", dx: 8, tooltip: null },
          encoding: { ...shared, x: x("share"), text: { field: "few" } },
        },
      ],
    },
    summary: tradeCaption(result, choices, (trade) => `${trade.size}: ${regimeGains(trade, result.ours)}.`),
    howToRead: `A point for each regime that workers of an auction's truthful runs are in, with a 95 % interval over markets; below ${FEWEST} markets their number is given instead. The scale is that of square roots, so that small shares can be seen.`,
  };
}
