/** Without threads and without files: does a study's chunks one after another and keeps them in memory. */

import type { Archive, Executor } from "./gather.js";
import { type Assignment, type ChunkResult, perform } from "./perform.js";

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
