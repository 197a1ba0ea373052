/** What an analysis says: tables, charts, sentences, and markets to replay. */

import type { Bid, Market } from "../market/market.js";

export type Cell = string | number | boolean | null;

export type Row = Readonly<Record<string, Cell>>;

export interface Column {
  /** The field in each row. */
  readonly name: string;
  readonly label: string;
  /** count: whole numbers; share: 0..1, shown in per cent; amount: a real number; text. */
  readonly kind: "count" | "share" | "amount" | "text";
}

/**
 * Rows of plain values. A cell that is the name of an exhibit links to it on the live bench; so does a cell whose column has a
 * companion of the same name with "Witness" behind it that names one.
 */
export interface Table {
  readonly name: string;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly opensWith?: Readonly<Record<string, string>>;
  /** The one table of the first screen. */
  readonly firstScreen?: true;
}

/** What a reader may choose for a figure; it opens with the first value. */
export interface Choice {
  /** A column of the figure's table: the rows with the chosen value are drawn. */
  readonly field: string;
  readonly label: string;
  readonly values: readonly string[];
}

/** A text for one combination of choices. */
export interface ChosenText {
  /** The chosen value of each field. */
  readonly chosen: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Chart {
  readonly name: string;
  readonly title: string;
  /** A Vega-Lite specification without data: it draws the table named here. */
  readonly table: string;
  readonly spec: object;
  readonly choices?: readonly Choice[];
  /** What it shows, for those who cannot see it; computed from the data, for each combination of choices. */
  readonly summary: string | readonly ChosenText[];
  readonly howToRead: string;
  /** The one picture of the first screen. */
  readonly firstScreen?: true;
}

/** A sentence computed from the data; the heaviest ones, on a scale from 0 to 100, open the report. */
export interface Finding {
  readonly text: string;
  readonly weight: number;
}

/** A market in which something happened that a reader may want to replay. */
export interface Exhibit {
  readonly name: string;
  readonly title: string;
  readonly market: Market;
  readonly mechanism: string;
  /** The lie; null where the truthful run itself is to be looked at. */
  readonly lie: Bid | null;
}

/** What an analysis has established about a mechanism: a sentence on its card. */
export interface MechanismNote {
  readonly mechanism: string;
  /** How, as in "Computed: …", "Proved: …" or "Sampled: …". */
  readonly text: string;
}

export interface AnalysisResult {
  readonly tables: readonly Table[];
  readonly charts: readonly Chart[];
  readonly findings: readonly Finding[];
  /** How it was found: what was drawn, how much of it, what is exact, what was not looked at. */
  readonly methods: readonly string[];
  readonly exhibits?: readonly Exhibit[];
  readonly mechanismNotes?: readonly MechanismNote[];
}
