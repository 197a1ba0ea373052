/** Whether what comes out hangs on the reputation that everybody starts with: the paper does not give it. */

import { percent, threeDigits } from "../../../src/lib/format.js";
import type { Finding, Row, Table } from "../../../src/report/result.js";
import type { DatasetName } from "../../../src/training/datasets.js";
import { reputationSettings } from "../../../src/training/reputation.js";
import { interval } from "../auctions/figure-tables.js";
import { datasetTitles, type PaperName, type PaperTable, printedOf } from "./paper-tables.js";
import { estimateOf, type Reading, readingsAt } from "./readings.js";
import { type Casting, truthfulUnder } from "./series.js";

/** Of the paper's five, those that look at reputation. */
const auctions = ["online", "fixed-threshold", "rrafl"] as const satisfies readonly PaperName[];

/** Everybody is trusted in full until the first task is over. */
const TRUST = 1;

/** The same as usual but for the first reputation. */
export const trustedCastings = (present: readonly string[]): Casting[] =>
  auctions
    .filter((name) => present.includes(name))
    .map((auction) => ({ ...truthfulUnder(auction), start: TRUST }));

interface Pair {
  readonly dataset: DatasetName;
  readonly auction: string;
  readonly usual: Reading;
  readonly trusted: Reading;
}

const pairsOf = (
  { measures: [measure] }: PaperTable,
  usual: readonly Reading[],
  trusted: readonly Reading[],
) =>
  trusted.flatMap((reading): Pair[] => {
    const { dataset, auction } = reading;
    if (reading.measure !== measure.name) return [];
    const other = readingsAt(usual, { source: "surrogate", dataset, measure }).get(auction);
    return other === undefined ? [] : [{ dataset, auction, usual: other, trusted: reading }];
  });

export function startTable(table: PaperTable, usual: readonly Reading[], trusted: readonly Reading[]): Table {
  const { kind, measures } = table;
  const start = reputationSettings().start;
  const rows = pairsOf(table, usual, trusted).flatMap((pair) =>
    (
      [
        [start, pair.usual],
        [TRUST, pair.trusted],
      ] as const
    ).map(
      ([from, reading]): Row => ({
        dataset: datasetTitles[pair.dataset],
        auction: pair.auction,
        start: from,
        paper: printedOf(table, pair.auction, pair.dataset),
        ...interval(estimateOf(reading)),
      }),
    ),
  );
  return {
    name: "first-reputation",
    title: `${measures[0].label} by the reputation that workers start with (surrogate)`,
    columns: [
      { name: "dataset", label: "Data set", kind: "text" },
      { name: "auction", label: "Auction", kind: "text" },
      { name: "start", label: "First reputation", kind: "amount" },
      { name: "paper", label: "Paper", kind },
      { name: "mean", label: "Mean", kind },
      { name: "low", label: "95 % from", kind },
      { name: "high", label: "to", kind },
    ],
    rows,
  };
}

/** Where the first reputation decides whether a figure of the paper's is met. */
export function startFindings(
  table: PaperTable,
  usual: readonly Reading[],
  trusted: readonly Reading[],
): Finding[] {
  const show = table.kind === "share" ? percent : threeDigits;
  return pairsOf(table, usual, trusted).flatMap((pair) => {
    const printed = printedOf(table, pair.auction, pair.dataset)!;
    const [before, after] = [estimateOf(pair.usual).mean, estimateOf(pair.trusted).mean];
    const far = (mean: number) => !(Math.abs(mean - printed) <= table.close.within(printed));
    if (!far(before) || Math.abs(after - printed) > Math.abs(before - printed) / 2) return [];
    const text = `On ${datasetTitles[pair.dataset]} the paper prints ${show(printed)} for ${pair.auction}. Under the surrogate it comes to ${show(before)} where workers start with a reputation of ${reputationSettings().start}, and to ${show(after)} where they start with ${TRUST}: it depends on the first reputation, which the paper does not give.`;
    return [{ text, weight: 50 }];
  });
}
