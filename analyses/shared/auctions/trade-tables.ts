/** The tables of the trade-off. */

import { regimes } from "../../../src/mechanisms/outcome.js";
import type { Cell, Column, Row, Table } from "../../../src/report/result.js";
import { finite, interval } from "./figure-tables.js";
import type { Sizes } from "./gains.js";
import { read } from "./meter.js";
import { type Dot, examined, type Trade } from "./trade.js";

/** "20 workers, budget 25". */
export const sizeText = ({ workers, budget }: Pick<Sizes, "workers" | "budget">): string =>
  `${workers} workers, budget ${budget}`;

const place: Column[] = [
  { name: "size", label: "Market", kind: "text" },
  { name: "auction", label: "Auction", kind: "text" },
];

const amounts = (columns: Readonly<Record<string, string>>, kind: Column["kind"] = "amount"): Column[] =>
  Object.entries(columns).map(([name, label]) => ({ name, label, kind }));

export function tradeTable(trades: readonly Trade[]): Table {
  return {
    name: "trade-off",
    title: "What the publisher gets per unit paid, and what lying brings",
    columns: [
      ...place,
      ...amounts({ mean: "Utility per unit paid", low: "95 % from", high: "to" }),
      ...amounts({ share: "Workers who can gain", shareLow: "95 % from", shareHigh: "to" }, "share"),
      ...amounts({ gain: "Mean gain", gainLow: "95 % from", gainHigh: "to", most: "Largest gain" }),
      ...amounts({ truthful: "Mean utility of the truth" }),
      { name: "certainty", label: "Gains are", kind: "text" },
      ...amounts({ workers: "Workers looked at", evaluations: "Lies tried" }, "count"),
    ],
    rows: trades.flatMap((trade) => inOrder(examined(trade)).map((dot) => tradeRow(dot, trade))),
  };
}

/** By what the publisher gets, most first. */
const inOrder = (dots: readonly Dot[]): Dot[] => [...dots].sort((a, b) => b.unit.mean - a.unit.mean);

function tradeRow({ auction, unit, reading }: Dot, { sizes }: Trade): Row {
  const { share, gain, most, truthful, certainty, workers, evaluations } = reading;
  const tried: Cell = certainty === "lower bound" ? evaluations : null;
  return {
    size: sizeText(sizes),
    auction,
    ...interval(unit),
    share: finite(share.mean),
    shareLow: finite(share.low),
    shareHigh: finite(share.high),
    gain: finite(gain.mean),
    gainLow: finite(gain.low),
    gainHigh: finite(gain.high),
    most,
    truthful: finite(truthful),
    certainty,
    workers,
    evaluations: tried,
  };
}

/** Who can gain, by what kind of truthful run a worker lives in. */
export function regimeTable(trades: readonly Trade[]): Table {
  return {
    name: "by-regime",
    title: "What lying brings, by regime",
    columns: [
      ...place,
      { name: "regime", label: "Regime", kind: "text" },
      ...amounts({ workers: "Workers looked at", gainers: "Who can gain" }, "count"),
      ...amounts({ share: "Share" }, "share"),
      ...amounts({ gain: "Mean gain", most: "Largest gain" }),
      { name: "certainty", label: "Gains are", kind: "text" },
    ],
    rows: trades.flatMap(({ sizes, dots }) => dots.flatMap((dot) => regimeRows(dot, sizeText(sizes)))),
  };
}

function regimeRows({ auction, looks, reading }: Dot, size: string): Row[] {
  const exact = reading.certainty !== "lower bound";
  return (["all", ...regimes] as const).flatMap((regime) => {
    const here = looks.map((look) => {
      const fates = look.fates.filter((fate) => regime === "all" || fate.regime === regime);
      return { ...look, fates, most: Math.max(0, ...fates.map(({ gain }) => gain)) };
    });
    const { workers, gainers, gain, most, certainty } = read(here, exact);
    if (workers === 0) return [];
    const share = gainers / workers;
    return [{ size, auction, regime, workers, gainers, share, gain: finite(gain.mean), most, certainty }];
  });
}
