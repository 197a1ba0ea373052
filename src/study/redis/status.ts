/** What goes on at a Redis server: studies, how far they are, and workers. */

import type { Redis } from "ioredis";
import type { Study } from "../study.js";
import type { Driver } from "./connect.js";
import {
  type Owner,
  PREFIX,
  readOwner,
  readProgress,
  readStudy,
  readWorkers,
  studyIds,
  studyKeys,
  unlessMistyped,
  type WorkerCard,
} from "./records.js";

export interface StudyStatus {
  readonly id: string;
  readonly analysis: string;
  readonly mechanism: string;
  readonly seed: string;
  /** That it was begun with. */
  readonly program: string;
  /** Who hands out its chunks; null where nobody does, until it is resumed. */
  readonly coordinator: Owner | null;
  readonly chunks: ChunkCounts;
  /** Chunks a second since its coordinator began; null before the first. */
  readonly rate: number | null;
  readonly secondsLeft: number | null;
}

/** Waiting ones are those that nobody has taken, whether they are handed out or not. */
interface ChunkCounts {
  readonly all: number;
  readonly done: number;
  readonly waiting: number;
  readonly active: number;
  readonly failed: number;
}

export interface Status {
  readonly studies: readonly StudyStatus[];
  readonly workers: readonly WorkerCard[];
}

/** `odd` hears of what is neither a study nor a worker. */
export async function readStatus(
  redis: Redis,
  driver: Driver,
  odd: (line: string) => void = () => {},
): Promise<Status> {
  const studies: StudyStatus[] = [];
  for (const id of await studyIds(redis)) {
    const posted = await readStudy(redis, id);
    if (posted !== null) studies.push(await statusOf({ id, study: posted.study }, redis, driver));
    else if (await redis.exists(studyKeys(id).study))
      odd(`${studyKeys(id).study} in Redis is not a study; ignored`);
  }
  return { studies, workers: await readWorkers(redis, odd) };
}

interface Known {
  readonly id: string;
  readonly study: Study;
}

async function statusOf({ id, study }: Known, redis: Redis, { bullmq }: Driver): Promise<StudyStatus> {
  const queue = new bullmq.Queue(id, { connection: redis, prefix: PREFIX, skipMetasUpdate: true });
  queue.on("error", () => {});
  const { active = 0, failed = 0 } = (await unlessMistyped(queue.getJobCounts("active", "failed"))) ?? {};
  const progress = await readProgress(redis, id);
  const { chunks: all = 0, done = 0, lately = 0, seconds = 0 } = progress ?? {};
  const rate = lately > 0 && seconds > 0 ? lately / seconds : null;
  return {
    id,
    analysis: study.analysis.spec,
    mechanism: study.mechanism.spec,
    seed: study.seed,
    program: study.program,
    coordinator: await readOwner(redis, id),
    chunks: { all, done, waiting: Math.max(0, all - done - active - failed), active, failed },
    rate,
    secondsLeft: rate === null ? null : (all - done) / rate,
  };
}
