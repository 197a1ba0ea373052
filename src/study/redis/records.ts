/**
 * What stands in Redis for all to read: studies, how far they are, workers and results. Anybody may have put anything there, so
 * whatever is read is checked, and what does not hold is taken for nothing.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Redis } from "ioredis";
import { z } from "zod";
import { type ChunkResult, type Study, studyId } from "../study.js";
import type { Driver } from "./connect.js";

/** How long an entry stays that is not renewed. */
export const LIFETIME = 5000;
/** How often it is renewed. */
export const HEARTBEAT = 1000;

const count = z.int().nonnegative();
const name = z.strictObject({ spec: z.string(), checksum: z.string().nullable() });

const studyShape = z.strictObject({
  program: z.string(),
  analysis: name,
  sharing: z.array(name).optional(),
  mechanism: name,
  agents: z.array(name),
  markets: z.array(name),
  seed: z.string(),
  profile: z.enum(["quick", "full"]),
  cells: z.array(z.strictObject({ cell: z.unknown(), markets: count })),
  rows: z.boolean(),
});

const cardShape = z.strictObject({
  host: z.string(),
  pid: count,
  /** Its version and a digest of its code. */
  program: z.string(),
  threads: z.int().min(1).max(4096),
  /** Ids of studies that it leaves alone, and why. */
  refuses: z.record(z.string(), z.string()),
});

const progressShape = z.strictObject({
  chunks: count,
  done: count,
  /** Done since the coordinator began, and in how many seconds. */
  lately: count,
  seconds: z.number().nonnegative(),
});

const ownerShape = z.strictObject({ host: z.string(), pid: count });

const resultShape = z.strictObject({
  summaries: z.string(),
  rows: z.string().nullable(),
  signature: z.string().nullable(),
});

/** What a worker says of itself. */
export type WorkerCard = z.infer<typeof cardShape>;

/** How far a study is, as its coordinator knows. */
type Progress = z.infer<typeof progressShape>;

/** Null for what is no JSON, or not of this shape. */
function parsed<Value>(text: string | null, shape: z.ZodType<Value>): Value | null {
  try {
    // Not what the check gives back: it may put fields in another order, and checksums go by it.
    const value = JSON.parse(text ?? "null");
    return shape.safeParse(value).success ? value : null;
  } catch {
    return null;
  }
}

/** Null where a key holds something that cannot be read in this way. */
async function unlessMistyped<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if (isMistyped(error)) return null;
    throw error;
  }
}

export const isMistyped = (error: unknown): boolean => /WRONGTYPE/.test(String(error));

const studyParts = (id: string, study: Study) => ["study", id, study.program, study];

/** What is there already, unless it is the very same, is replaced. */
export async function postStudy(redis: Redis, study: Study, key: Key): Promise<void> {
  const id = studyId(study);
  const { study: place } = studyKeys(id);
  const wanted = [JSON.stringify(study), key === null ? "" : signature(key, studyParts(id, study))] as const;
  const there = await redis.hmget(place, "study", "signature");
  if (there[0] !== wanted[0] || there[1] !== wanted[1])
    await redis.hset(place, { study: wanted[0], signature: wanted[1] });
  await redis.sadd(STUDIES, id);
}

/** Null where there is none, or where it is none, or not the one of this id. Its signature is null where it has none. */
export async function readStudy(redis: Redis, id: string) {
  const [text, signed] = (await unlessMistyped(redis.hmget(studyKeys(id).study, "study", "signature"))) ?? [];
  const study = parsed<Study>(text ?? null, studyShape as z.ZodType<Study>);
  if (study === null || studyId(study) !== id) return null;
  return { study, signature: signed ? signed : null };
}

/** Why a worker with this key must not do a study; null if it may. */
export function keyRefusal(
  { study, signature: signed }: { readonly study: Study; readonly signature: string | null },
  key: Key,
): string | null {
  if (key === null) return signed === null ? null : "it is signed, and the worker has no CANDOR_KEY";
  if (signed === null) return "it is not signed, and the worker has a CANDOR_KEY";
  const right = isSigned(signed, key, studyParts(studyId(study), study));
  return right ? null : "its signature is not of the worker's CANDOR_KEY";
}

export const postProgress = (redis: Redis, id: string, progress: Progress): Promise<unknown> =>
  redis.hset(studyKeys(id).study, "progress", JSON.stringify(progress));

const readJson = async <Value>(reading: Promise<string | null>, shape: z.ZodType<Value>) =>
  parsed((await unlessMistyped(reading)) ?? null, shape);

export async function postWorker(redis: Redis, id: string, card: WorkerCard): Promise<void> {
  await redis.set(workerKey(id), JSON.stringify(card), "PX", LIFETIME);
  await redis.sadd(WORKERS, id);
}

export async function removeWorker(redis: Redis, id: string): Promise<void> {
  await redis.del(workerKey(id));
  await redis.srem(WORKERS, id);
}

export const studyIds = async (redis: Redis): Promise<string[]> =>
  ((await unlessMistyped(redis.smembers(STUDIES))) ?? []).sort();

/** Those who were heard of lately; the names of others are forgotten. `odd` hears of cards that are none. */
export async function readWorkers(redis: Redis, odd: (line: string) => void): Promise<WorkerCard[]> {
  const ids = ((await unlessMistyped(redis.smembers(WORKERS))) ?? []).sort();
  if (ids.length === 0) return [];
  const texts = await redis.mget(ids.map(workerKey));
  const gone = ids.filter((_, k) => texts[k] === null);
  if (gone.length > 0) await redis.srem(WORKERS, gone);
  return texts.flatMap((text, k) => {
    if (text === null) return [];
    const card = parsed(text, cardShape);
    if (card === null) odd(`${workerKey(ids[k]!)} in Redis is not what a worker says of itself; ignored`);
    return card ?? [];
  });
}

/** Which result something is, or should be. */
interface ResultOf {
  readonly study: Study;
  readonly chunk: number;
  readonly key: Key;
}

const resultParts = ({ study, chunk }: ResultOf, { summaries, rows }: ChunkResult) => [
  "result",
  studyId(study),
  study.program,
  chunk,
  summaries,
  rows,
];

export function resultText(of: ResultOf, { summaries, rows }: ChunkResult): string {
  const signed = of.key === null ? null : signature(of.key, resultParts(of, { summaries, rows }));
  return JSON.stringify({ summaries, rows, signature: signed });
}

/** Null for what no worker with this key has handed in for this chunk; what it holds is not checked yet. */
export function readResult(text: string, of: ResultOf): ChunkResult | null {
  const found = parsed(text, resultShape);
  if (found === null) return null;
  const { summaries, rows, signature: signed } = found;
  if (of.key !== null && !isSigned(signed ?? "", of.key, resultParts(of, { summaries, rows }))) return null;
  return { summaries, rows };
}

/** What BullMQ puts before the names of its own. */
export const PREFIX = "candor:queue";

/** Ids of the studies that are being done. */
export const STUDIES = "candor:studies";

/** Ids of workers, some of which may be gone. */
export const WORKERS = "candor:workers";

/** A worker's entry; goes when it is not renewed. */
const workerKey = (id: string): string => `candor:worker:${id}`;

/** Of one study. */
export const studyKeys = (id: string) => ({
  /** The study itself and how far it is. */
  study: `candor:study:${id}`,
  /** Results that were not taken yet, by the numbers of their chunks. */
  results: `candor:results:${id}`,
  /** Holds something when a result has come. */
  bell: `candor:bell:${id}`,
  /** Who hands out the chunks and takes the results; goes when it is not renewed. */
  coordinator: `candor:coordinator:${id}`,
});

/** In seconds. What a killed process leaves behind may never be fetched. */
export const WEEK = 7 * 24 * 3600;

/** What BullMQ keeps of a queue, besides its jobs and what it lets expire by itself: prolonged, "stalled-check" would end all checks. */
const QUEUE_KEYS = [
  "active",
  "delayed",
  "events",
  "failed",
  "id",
  "marker",
  "meta",
  "pc",
  "prioritized",
  "stalled",
  "wait",
];

/** All that is kept of a study goes after a week in which it was not renewed; `out`: the chunks that are handed out. */
export async function expireStudy(redis: Redis, id: string, out: Iterable<number> = []): Promise<void> {
  const { study, results, bell } = studyKeys(id);
  const ofQueue = [...QUEUE_KEYS, ...Array.from(out, jobId)].map((name) => `${PREFIX}:${id}:${name}`);
  const expiring = redis.pipeline();
  for (const key of [study, results, bell, ...ofQueue]) expiring.expire(key, WEEK);
  await expiring.exec();
}

/** BullMQ takes no numbers as names of jobs. */
export const jobId = (chunk: number): string => `chunk-${chunk}`;

export const chunkOf = (job: string): number => Number(job.slice("chunk-".length));

/** The shared key; null where there is none, and nothing is signed. */
export type Key = string | null;

const signature = (key: string, parts: readonly unknown[]): string =>
  createHmac("sha256", key).update(JSON.stringify(parts)).digest("hex");

function isSigned(signed: string, key: string, parts: readonly unknown[]): boolean {
  const [found, right] = [Buffer.from(signed), Buffer.from(signature(key, parts))];
  return found.length === right.length && timingSafeEqual(found, right);
}

export type Status = Awaited<ReturnType<typeof readStatus>>;
export type StudyStatus = Awaited<ReturnType<typeof statusOf>>;

/** Studies and workers; `odd` hears of what is neither. */
export async function readStatus(redis: Redis, driver: Driver, odd: (line: string) => void = () => {}) {
  const studies: StudyStatus[] = [];
  for (const id of await studyIds(redis)) {
    const posted = await readStudy(redis, id);
    if (posted !== null) studies.push(await statusOf(id, posted.study, { redis, driver }));
    else if (await redis.exists(studyKeys(id).study))
      odd(`${studyKeys(id).study} in Redis is not a study; ignored`);
  }
  return { studies, workers: await readWorkers(redis, odd) };
}

/** A study, and how far it is. */
async function statusOf(id: string, study: Study, { redis, driver }: { redis: Redis; driver: Driver }) {
  const connection = { connection: redis, prefix: PREFIX, skipMetasUpdate: true };
  const queue = new driver.bullmq.Queue(id, connection).on("error", () => {});
  const { active = 0, failed = 0 } = (await unlessMistyped(queue.getJobCounts("active", "failed"))) ?? {};
  const progress = await readJson(redis.hget(studyKeys(id).study, "progress"), progressShape);
  const { chunks: all = 0, done = 0, lately = 0, seconds = 0 } = progress ?? {};
  /** Chunks a second since its coordinator began; null before the first. */
  const rate = lately > 0 && seconds > 0 ? lately / seconds : null;
  return {
    id,
    analysis: [study.analysis, ...(study.sharing ?? [])].map(({ spec }) => spec).join(" "),
    mechanism: study.mechanism.spec,
    seed: study.seed,
    /** That it was begun with. */
    program: study.program,
    /** Who hands out its chunks; null where there is none, until it is resumed. */
    coordinator: await readJson(redis.get(studyKeys(id).coordinator), ownerShape),
    /** Waiting ones are those that were not taken, whether they are handed out or not. */
    chunks: { all, done, waiting: Math.max(0, all - done - active - failed), active, failed },
    rate,
    secondsLeft: rate === null ? null : (all - done) / rate,
  };
}
