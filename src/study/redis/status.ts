/** What goes on at a Redis server: studies, how far they are, and workers. */

import type { Redis } from "ioredis";
import type { Study } from "../study.js";
import { parsed, readStanding, readStudy, readWorkers, type WorkerCard } from "./board.js";
import type { Driver } from "./driver.js";
import { PREFIX, STUDIES, studyKeys } from "./keys.js";

export interface StudyStatus {
  readonly id: string;
  readonly analysis: string;
  readonly mechanism: string;
  readonly seed: string;
  /** That it was begun with. */
  readonly program: string;
  /** Who hands out its chunks; null where nobody does, until it is resumed. */
  readonly coordinator: { readonly host: string; readonly pid: number } | null;
  readonly chunks: ChunkCounts;
  /** Chunks a second since its coordinator began; null before the first. */
  readonly rate: number | null;
  readonly secondsLeft: number | null;
}

/** Waiting ones are those that nobody has taken, whether they are handed out or not. */
export interface ChunkCounts {
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

export async function readStatus(redis: Redis, driver: Driver): Promise<Status> {
  const studies: StudyStatus[] = [];
  for (const id of (await redis.smembers(STUDIES)).sort()) {
    const study = await readStudy(redis, id);
    if (study !== null) studies.push(await statusOf({ id, study }, redis, driver));
  }
  return { studies, workers: await readWorkers(redis) };
}

interface Posted {
  readonly id: string;
  readonly study: Study;
}

async function statusOf({ id, study }: Posted, redis: Redis, { bullmq }: Driver): Promise<StudyStatus> {
  const queue = new bullmq.Queue(id, { connection: redis, prefix: PREFIX, skipMetasUpdate: true });
  queue.on("error", () => {});
  const { active = 0, failed = 0 } = await queue.getJobCounts("active", "failed");
  const owner = await redis.get(studyKeys(id).coordinator);
  const standing = await readStanding(redis, id);
  const { chunks: all = 0, done = 0, lately = 0, seconds = 0 } = standing ?? {};
  const rate = lately > 0 && seconds > 0 ? lately / seconds : null;
  return {
    id,
    analysis: study.analysis.spec,
    mechanism: study.mechanism.spec,
    seed: study.seed,
    program: study.program,
    coordinator: owner === null ? null : parsed(owner),
    chunks: { all, done, waiting: Math.max(0, all - done - active - failed), active, failed },
    rate,
    secondsLeft: rate === null ? null : (all - done) / rate,
  };
}
