/** The interface of a format for row-level data: a few blocks in memory, however many rows there are. */

import type { DataColumn } from "../job.js";
import type { RowBlock } from "../rows.js";

/** Takes the file's content piece by piece, and waits until a piece is written. */
export type Sink = (piece: string | Uint8Array) => Promise<void>;

export interface RowWriter {
  write(block: RowBlock): Promise<void>;
  /** Whatever is left; nothing is written afterwards. */
  finish(): Promise<void>;
}

export type RowFormat = (columns: readonly DataColumn[], sink: Sink) => RowWriter;
