/** Has the chunks of a study done, keeps what is finished, and adds the summaries up in the order of markets. */

import type { AnyJob } from "./job.js";
import {
  type Assignment,
  type Chunk,
  type ChunkResult,
  chunksOf,
  marketsIn,
  perform,
  type Study,
  studyId,
} from "./study.js";

/** Does chunks of a study: here, on threads, or on other machines. */
export interface Executor {
  /** Hands over each result as soon as it is there; rejects when a chunk fails for good, or when the signal says stop. */
  run(order: Order): Promise<void>;
}

export interface Order {
  readonly study: Study;
  readonly job: AnyJob;
  readonly chunks: readonly Chunk[];
  /** Numbers of the chunks to do, in this order as far as possible. */
  readonly wanted: readonly number[];
  readonly done: (chunk: number, result: ChunkResult) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Where finished chunks are kept. */
export interface Archive {
  has(study: string, chunk: number): boolean;
  read(study: string, chunk: number): Promise<ChunkResult>;
  keep(study: string, chunk: number, result: ChunkResult): Promise<void>;
}

export interface Desk {
  readonly executor: Executor;
  readonly archive: Archive;
  /** Told at the beginning, and after each chunk. */
  readonly tell: (reached: Reached) => void;
  readonly signal: AbortSignal;
}

export interface Reached {
  /** How many markets are done. */
  readonly items: number;
  /** The share of the work that is done, as the job tells what a market costs. */
  readonly share: number;
  /** Nothing has been done yet: it is what was found in the archive. */
  readonly begins?: boolean;
}

/** One summary per cell; null for a cell without markets. */
export async function gather(study: Study, job: AnyJob, desk: Desk): Promise<unknown[]> {
  const chunks = chunksOf(study.cells, job);
  const id = studyId(study);
  const wanted = [...chunks.keys()].filter((number) => !desk.archive.has(id, number));
  const told = counter(study, job, { chunks, wanted, tell: desk.tell });
  await desk.executor.run({
    study,
    job,
    chunks,
    wanted,
    signal: desk.signal,
    done: async (number, result) => {
      await desk.archive.keep(id, number, result);
      told(number);
    },
  });
  return added(study, job, { chunks, read: (number) => desk.archive.read(id, number) });
}

function counter({ cells }: Study, job: AnyJob, { chunks, wanted, tell }: Counted): (number: number) => void {
  const costs = cells.map(({ cell }) => Math.max(job.cost(cell), 1e-6));
  const workIn = (chunk: Chunk) =>
    chunk.reduce((sum, { cell, from, to }) => sum + costs[cell]! * (to - from), 0);
  const whole = chunks.reduce((sum, chunk) => sum + workIn(chunk), 0);
  const found = new Set(chunks.keys());
  for (const number of wanted) found.delete(number);
  let [items, work] = [0, 0];
  const add = (number: number) => {
    items += marketsIn(chunks[number]!);
    work += workIn(chunks[number]!);
  };
  for (const number of found) add(number);
  const reached = () => ({ items, share: whole === 0 ? 1 : work / whole });
  tell({ ...reached(), begins: true });
  return (number) => {
    add(number);
    tell(reached());
  };
}

interface Counted extends Pick<Desk, "tell"> {
  readonly chunks: readonly Chunk[];
  readonly wanted: readonly number[];
}

interface Kept {
  readonly chunks: readonly Chunk[];
  readonly read: (number: number) => Promise<ChunkResult>;
}

/** One chunk after another, read back one at a time: memory does not grow with their number. */
async function added(study: Study, job: AnyJob, { chunks, read }: Kept): Promise<unknown[]> {
  const sums: unknown[] = study.cells.map(() => null);
  for (const [number, chunk] of chunks.entries()) {
    const summaries = JSON.parse((await read(number)).summaries) as unknown[];
    for (const [k, { cell }] of chunk.entries())
      sums[cell] = sums[cell] === null ? summaries[k] : job.merge(sums[cell], summaries[k]);
  }
  return sums;
}

/** `rest` yields now and then, so that a signal can come in. */
export const inProcess = (
  context: Assignment["context"],
  rest: () => Promise<unknown> = async () => {},
): Executor => ({
  async run({ study: { cells, rows }, job, chunks, wanted, done, signal }) {
    for (const number of wanted) {
      await rest();
      signal.throwIfAborted();
      await done(number, await perform({ job, cells, context, rows }, chunks[number]!));
    }
  },
});

export function inMemory(): Archive {
  const kept = new Map<string, ChunkResult>();
  const key = (study: string, chunk: number) => `${study}/${chunk}`;
  return {
    has: (study, chunk) => kept.has(key(study, chunk)),
    read: async (study, chunk) => kept.get(key(study, chunk))!,
    keep: async (study, chunk, result) => void kept.set(key(study, chunk), result),
  };
}
