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
 * Rows of plain values. Columns named regime, reading, family, mechanism, lie or kind are facets: a reader's choice keeps
 * the rows with the chosen value, where there are any. In a column named auction, which compares mechanisms, it keeps the
 * chosen one and the paper's. A table with such a column has rows for the choice "all" too, where
 * adding up the others would be wrong.
 */
export interface Table {
  readonly name: string;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** By facet, the value whose rows are shown while nothing is chosen: what must not be pooled has no rows for "all". */
  readonly opensWith?: Readonly<Record<string, string>>;
}

export interface Chart {
  readonly name: string;
  readonly title: string;
  /** A Vega-Lite specification without data: it draws the table named here. */
  readonly table: string;
  readonly spec: object;
  /** What it shows, for those who cannot see it; computed from the data. */
  readonly summary: string;
  readonly howToRead: string;
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

export interface AnalysisResult {
  readonly tables: readonly Table[];
  readonly charts: readonly Chart[];
  readonly findings: readonly Finding[];
  /** What was not looked at, or only sampled, and how much. */
  readonly leftOut: readonly string[];
  readonly exhibits?: readonly Exhibit[];
}
