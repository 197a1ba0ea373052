/** Chunks that do not come back by themselves: failed for good, or lost. */

import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { chunkOf, jobId } from "./keys.js";

/** Throws when a chunk that is still to be done has failed as often as it may. */
export async function demandNoFailure(queue: Queue, left: ReadonlySet<number>): Promise<void> {
  const failed = (await queue.getFailed()).filter(({ id = "" }) => left.has(chunkOf(id)));
  const [job] = failed.sort((a, b) => chunkOf(a.id!) - chunkOf(b.id!));
  if (job === undefined) return;
  const chunk = `chunk ${chunkOf(job.id!)}: `;
  const [reason = ""] = job.failedReason.split("\n");
  if (reason.startsWith("job stalled")) throw new Error(`${chunk}all workers that tried it vanished`);
  throw new Error(`${reason.startsWith(chunk) ? "" : chunk}${reason} (tried ${job.attemptsMade} times)`);
}

interface Results {
  readonly redis: Redis;
  /** Where they are. */
  readonly results: string;
}

/** Chunks that are out, but that Redis knows nothing of: it may have been restarted without its data. */
export async function lostChunks(
  queue: Queue,
  out: ReadonlySet<number>,
  { redis, results }: Results,
): Promise<number[]> {
  const numbers = [...out];
  const there = await Promise.all(numbers.map((number) => redis.exists(queue.toKey(jobId(number)))));
  // After the jobs: one that went meanwhile has left its result.
  const came = new Set(await redis.hkeys(results));
  return numbers.filter((number, k) => there[k] === 0 && !came.has(String(number)));
}
