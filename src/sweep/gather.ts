/** Has the chunks of a study done, keeps what is finished, and adds the summaries up in the order of markets. */

import type { AnyJob } from "../job.js";
import { type Chunk, chunksOf, marketsIn } from "./chunks.js";
import type { ChunkResult } from "./perform.js";
import { type Study, studyId } from "./study.js";

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
  /** Told after each chunk how many markets are done, of how many. */
  readonly tell: (markets: number, of: number) => void;
  readonly signal: AbortSignal;
}

/** One summary per cell; null for a cell without markets. */
export async function gather(study: Study, job: AnyJob, desk: Desk): Promise<unknown[]> {
  const chunks = chunksOf(study.cells, job);
  const id = studyId(study);
  const wanted = [...chunks.keys()].filter((number) => !desk.archive.has(id, number));
  const told = counter(chunks, wanted, desk);
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

function counter(chunks: readonly Chunk[], wanted: readonly number[], { tell }: Desk) {
  const total = chunks.reduce((sum, chunk) => sum + marketsIn(chunk), 0);
  let markets = total - wanted.reduce((sum, number) => sum + marketsIn(chunks[number]!), 0);
  tell(markets, total);
  return (number: number) => {
    markets += marketsIn(chunks[number]!);
    tell(markets, total);
  };
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
