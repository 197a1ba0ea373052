/** The interface of an executor, which computes chunks of a study: in this thread, on threads, or on other machines. */

import type { AnyJob, WorkContext } from "./job.js";
import type { Address } from "./redis/connect.js";
import { type Chunk, type ChunkResult, computeChunk, type Study } from "./study.js";

export interface Executor {
  /** Hands over each result as soon as it is there; rejects when a chunk fails for good, or when the signal says stop. */
  run(order: Order): Promise<void>;
  /** How many work at once. */
  threads(): number;
  /** Ends whatever still works, and needs no memory any longer. */
  close(): Promise<void>;
}

export interface Order {
  readonly study: Study;
  readonly job: AnyJob;
  readonly context: WorkContext;
  readonly chunks: readonly Chunk[];
  /** Numbers of the chunks to do, in this order as far as possible. */
  readonly wanted: readonly number[];
  readonly done: (chunk: number, result: ChunkResult) => Promise<void>;
  readonly signal: AbortSignal;
}

/** This thread alone; `goesOn` lets signals in now and then. */
export const inProcess = (goesOn: () => Promise<unknown> = async () => {}): Executor => ({
  async run({ study: { cells, rows }, job, context, chunks, wanted, done, signal }) {
    for (const number of wanted) {
      await goesOn();
      signal.throwIfAborted();
      await done(number, await computeChunk({ job, cells, context, rows }, number, chunks));
    }
  },
  threads: () => 1,
  close: async () => {},
});

export interface ExecutorFlags {
  /** As many as there are cores if left out. */
  readonly threads?: number;
  /** Where workers on other machines are. */
  readonly redis?: Address;
}
