/** What stands in Redis for all to read: studies, how far they are, and workers. */

import type { Redis } from "ioredis";
import { type Study, studyId } from "../study.js";
import { STUDIES, studyKeys, WORKERS, workerKey } from "./keys.js";

/** How long what is not said again stays. */
export const LIFETIME = 5000;
/** How often it is said. */
export const HEARTBEAT = 1000;

/** What a worker says of itself. */
export interface WorkerCard {
  readonly host: string;
  readonly pid: number;
  /** Its version and a digest of its code. */
  readonly program: string;
  readonly threads: number;
  /** Ids of studies that it leaves alone, and why. */
  readonly refuses: Readonly<Record<string, string>>;
}

/** How far a study is, as its coordinator knows. */
export interface Standing {
  readonly chunks: number;
  readonly done: number;
  /** Done since the coordinator began, and in how many seconds. */
  readonly lately: number;
  readonly seconds: number;
}

export async function postStudy(redis: Redis, id: string, study: Study): Promise<void> {
  const { study: key } = studyKeys(id);
  if (!(await redis.hexists(key, "study"))) await redis.hset(key, "study", JSON.stringify(study));
  await redis.sadd(STUDIES, id);
}

/** Null where there is none, or where its id says that it is not what was posted. */
export async function readStudy(redis: Redis, id: string): Promise<Study | null> {
  const text = await redis.hget(studyKeys(id).study, "study");
  if (text === null) return null;
  const study = parsed<Study>(text);
  return study !== null && studyId(study) === id ? study : null;
}

export const postStanding = (redis: Redis, id: string, standing: Standing): Promise<unknown> =>
  redis.hset(studyKeys(id).study, "standing", JSON.stringify(standing));

export async function readStanding(redis: Redis, id: string): Promise<Standing | null> {
  const text = await redis.hget(studyKeys(id).study, "standing");
  return text === null ? null : parsed<Standing>(text);
}

export async function postWorker(redis: Redis, id: string, card: WorkerCard): Promise<void> {
  await redis.set(workerKey(id), JSON.stringify(card), "PX", LIFETIME);
  await redis.sadd(WORKERS, id);
}

export async function removeWorker(redis: Redis, id: string): Promise<void> {
  await redis.del(workerKey(id));
  await redis.srem(WORKERS, id);
}

/** Those who were heard of lately; the names of others are forgotten. */
export async function readWorkers(redis: Redis): Promise<WorkerCard[]> {
  const ids = (await redis.smembers(WORKERS)).sort();
  if (ids.length === 0) return [];
  const texts = await redis.mget(ids.map(workerKey));
  const gone = ids.filter((_, k) => texts[k] === null);
  if (gone.length > 0) await redis.srem(WORKERS, gone);
  return texts.flatMap((text) => parsed<WorkerCard>(text ?? "null") ?? []);
}

/** Redis holds what anybody may have put there. */
export function parsed<Value>(text: string): Value | null {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return null;
  }
}
