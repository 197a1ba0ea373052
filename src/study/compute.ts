/** Computes the chunks of a study that are not kept yet, and merges what all of them give in the order of markets. */

import type { AnyJob, Cells, WorkContext } from "./job.js";
import { Journal, type JournalKind, type JournalOptions, type Place } from "./journal.js";
import { isResult } from "./results.js";
import type { RunIdentity } from "./study.js";
import {
  type Chunk,
  type ChunkResult,
  chunksOf,
  computeChunk,
  headingDifference,
  type Study,
  studyId,
} from "./study.js";

/** Computes chunks of a study: in this thread, on threads, or on other machines. */
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

/** Where finished chunks are kept. */
export interface Archive {
  has(study: string, chunk: number): boolean;
  read(study: string, chunk: number): Promise<ChunkResult>;
  keep(study: string, chunk: number, result: ChunkResult): Promise<void>;
}

interface Computing {
  readonly study: Study;
  readonly job: AnyJob;
  readonly context: WorkContext;
  readonly executor: Executor;
  readonly archive: Archive;
  readonly signal: AbortSignal;
  /** Hears of chunks that were found done, and of each that is done now. */
  readonly onChunk?: (chunk: Chunk, found: boolean) => void;
}

/** The results of all chunks of a study. */
export interface Computed {
  readonly chunks: readonly Chunk[];
  read(chunk: number): Promise<ChunkResult>;
}

export async function compute(computing: Computing): Promise<Computed> {
  const { study, job, context, executor, archive, signal, onChunk = () => {} } = computing;
  const chunks = chunksOf(study.cells, job);
  const id = studyId(study);
  const wanted: number[] = [];
  for (const [number, chunk] of chunks.entries()) {
    // An earlier version may have kept what no job has made: that is computed again.
    const found = archive.has(id, number) && isResult(await archive.read(id, number), { study, job, chunk });
    if (found) onChunk(chunk, true);
    else wanted.push(number);
  }
  const done = async (number: number, result: ChunkResult) => {
    await archive.keep(id, number, result);
    onChunk(chunks[number]!, false);
  };
  await executor.run({ study, job, context, chunks, wanted, done, signal });
  return { chunks, read: (number) => archive.read(id, number) };
}

/** One summary per cell; null for a cell without markets. Chunks are read back one at a time: memory does not grow with their number. */
export async function merge(
  job: AnyJob,
  cells: readonly Cells<unknown>[],
  { chunks, read }: Computed,
): Promise<unknown[]> {
  const sums: unknown[] = cells.map(() => null);
  for (const [number, chunk] of chunks.entries()) {
    const summaries = JSON.parse((await read(number)).summaries) as unknown[];
    for (const [k, { cell }] of chunk.entries())
      sums[cell] = sums[cell] === null ? summaries[k] : job.merge(sums[cell], summaries[k]);
  }
  return sums;
}

const keyOf = (study: string, chunk: number): string => `${study}/${chunk}`;

export function inMemory(): Archive {
  const kept = new Map<string, ChunkResult>();
  return {
    has: (study, chunk) => kept.has(keyOf(study, chunk)),
    read: async (study, chunk) => kept.get(keyOf(study, chunk))!,
    keep: async (study, chunk, result) => void kept.set(keyOf(study, chunk), result),
  };
}

/** A finished chunk, as a line of the journal holds it. */
interface Entry extends ChunkResult {
  readonly study: string;
  readonly chunk: number;
}

const journalKind: JournalKind<RunIdentity> = {
  name: "journal",
  difference: headingDifference,
  existing: "set aside",
  missing: "refused",
  damaged: "left out",
};

/** Chunks in a journal, which outlives the program. */
export async function openArchive(options: Omit<JournalOptions<RunIdentity, Entry>, "found">) {
  const places = new Map<string, Place>();
  const found = ({ study, chunk }: Entry, place: Place) => void places.set(keyOf(study, chunk), place);
  const journal = await Journal.open(journalKind, { ...options, found });
  return {
    journal,
    has: (study: string, chunk: number) => places.has(keyOf(study, chunk)),
    read: async (study: string, chunk: number): Promise<ChunkResult> => {
      const { summaries, rows } = await journal.read(places.get(keyOf(study, chunk))!);
      return { summaries, rows };
    },
    keep: async (study: string, chunk: number, { summaries, rows }: ChunkResult) => {
      const place = await journal.append({ study, chunk, summaries, rows });
      places.set(keyOf(study, chunk), place);
    },
    /** What is finished for good needs no journal. */
    close: (finished: boolean) => journal.close({ remove: finished }),
  };
}
