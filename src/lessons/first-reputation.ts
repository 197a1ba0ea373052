/** Whether what comes out hangs on the reputation that everybody starts with: the paper does not give it. */

import type { AnalysisContext, Finding, Row, Table } from "../analysis.js";
import { interval } from "../comparison/figure-tables.js";
import { amount, percent } from "../comparison/words.js";
import type { DatasetName } from "../training/files.js";
import { reputationSettings } from "../training/reputation.js";
import { datasets, datasetTitles, type PaperName, type PaperTable, printedOf } from "./paper-tables.js";
import { estimateOf, type Reading, readingsAt } from "./readings.js";
import { seriesJob, truthfulUnder } from "./series.js";

/** Of the paper's five, those that look at reputation. */
const auctions = ["online", "fixed-threshold", "rrafl"] as const satisfies readonly PaperName[];

/** Everybody is trusted in full until the first task is over. */
const TRUST = 1;

/** The surrogate once more, the same but for the first reputation. */
export async function trustedReadings(
  { measures: [measure] }: PaperTable,
  { mechanisms, pool }: AnalysisContext,
  { seeds, tasks }: { readonly seeds: number; readonly tasks: number },
): Promise<Reading[]> {
  const present = auctions.filter((name) => mechanisms.some((mechanism) => mechanism.name === name));
  const castings = present.map((auction) => ({ ...truthfulUnder(auction), start: TRUST }));
  const cells = datasets.map((dataset) => ({ cell: { dataset, tasks, castings }, markets: seeds }));
  const found = await pool.gather(seriesJob, cells);
  return datasets.flatMap((dataset, at) =>
    castings.map(({ auction }, k): Reading => {
      const values = (found[at] ?? []).map((means) => means[k]![measure.name]);
      return { source: "surrogate", dataset, auction, measure: measure.name, values, unit: "seed" };
    }),
  );
}

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
  const show = table.kind === "share" ? percent : amount;
  return pairsOf(table, usual, trusted).flatMap((pair) => {
    const printed = printedOf(table, pair.auction, pair.dataset)!;
    const [before, after] = [estimateOf(pair.usual).mean, estimateOf(pair.trusted).mean];
    const far = (mean: number) => !(Math.abs(mean - printed) <= table.close.within(printed));
    if (!far(before) || Math.abs(after - printed) > Math.abs(before - printed) / 2) return [];
    const text = `On ${datasetTitles[pair.dataset]}, ${pair.auction} misses the paper's ${show(printed)}, and the reputation that workers start with decides it: ${show(before)} from ${reputationSettings().start}, ${show(after)} from ${TRUST} (surrogate).`;
    return [{ text, weight: 50 }];
  });
}
