/** The paper's Tables 1 and 2, and how each is read here. */

import type { DatasetName } from "../../../src/training/datasets.js";
import type { MeasureName } from "./series.js";

export const datasets = ["mnist", "fashion"] as const satisfies readonly DatasetName[];

export const datasetTitles: Readonly<Record<DatasetName, string>> = {
  mnist: "MNIST",
  fashion: "Fashion-MNIST",
};

/** The mechanisms of the paper's tables, in its order. */
export const paperFive = ["online", "fixed-threshold", "rrafl", "vanilla", "bid-greedy"] as const;

export type PaperName = (typeof paperFive)[number];

type Printed = Readonly<Record<PaperName, Readonly<Record<DatasetName, number>>>>;

const qualities: Printed = {
  online: { mnist: 1, fashion: 0.9411 },
  "fixed-threshold": { mnist: 1, fashion: 0.9175 },
  rrafl: { mnist: 1, fashion: 0.8956 },
  vanilla: { mnist: 0.477, fashion: 0.477 },
  "bid-greedy": { mnist: 0.3296, fashion: 0.3296 },
};

const losses: Printed = {
  online: { mnist: 0.4393, fashion: 1.1162 },
  "fixed-threshold": { mnist: 0.4993, fashion: 1.4971 },
  rrafl: { mnist: 0.4389, fashion: 1.1376 },
  vanilla: { mnist: 0.5022, fashion: 1.4566 },
  "bid-greedy": { mnist: 0.5452, fashion: 1.6925 },
};

/** One way to read what a table counts in a task. */
export interface Measure {
  readonly name: MeasureName;
  /** Begins a sentence. */
  readonly label: string;
}

export interface PaperTable {
  readonly number: 1 | 2;
  readonly printed: Printed;
  /** The first is the one that charts show; the others are what the paper might have meant. */
  readonly measures: readonly [Measure, ...Measure[]];
  readonly kind: "share" | "amount";
  /** Near enough to a printed figure to be called close: our own choice, the paper gives no intervals. */
  readonly close: { readonly text: string; readonly within: (printed: number) => number };
  /** Whether more is better. */
  readonly more: boolean;
}

export const paperQualities: PaperTable = {
  number: 1,
  printed: qualities,
  measures: [
    { name: "goodShare", label: "Share of good workers among the selected" },
    { name: "goodRoundShare", label: "Share of good workers in the rounds worked" },
  ],
  kind: "share",
  close: { text: "0.05", within: () => 0.05 },
  more: true,
};

export const paperLosses: PaperTable = {
  number: 2,
  printed: losses,
  measures: [
    { name: "loss", label: "Loss after the last round" },
    { name: "meanLoss", label: "Mean loss of all rounds" },
  ],
  kind: "amount",
  close: { text: "10 %", within: (printed) => 0.1 * printed },
  more: false,
};

/** What the paper printed of a mechanism; null where it did not. */
export const printedOf = ({ printed }: PaperTable, auction: string, dataset: DatasetName): number | null =>
  Object.hasOwn(printed, auction) ? printed[auction as PaperName][dataset] : null;
