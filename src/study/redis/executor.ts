/** Has the chunks of a study done by workers that a Redis server connects. */

import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Queue } from "bullmq";
import { sum } from "d3-array";
import type { Redis } from "ioredis";
import type { Executor, Order } from "../compute.js";
import { isResult } from "../results.js";
import { type ChunkResult, studyId } from "../study.js";
import { connect, IdleWarning, type RedisPlace, toInputError } from "./connect.js";
import {
  chunkOf,
  expireStudy,
  HEARTBEAT,
  isMistyped,
  jobId,
  LIFETIME,
  PREFIX,
  postProgress,
  postStudy,
  readResult,
  readWorkers,
  STUDIES,
  studyKeys,
  WORKERS,
  type WorkerCard,
} from "./records.js";

/** A server that does not answer must not keep anybody from leaving. */
const DEADLINE = 700;

/** How many threads worked at once, at most, is not known before there were any. */
export function redisExecutor({ address, warn, driver, key }: RedisPlace): Executor {
  let most = 1;
  return {
    threads: () => most,
    close: async () => {},
    async run(order) {
      if (order.wanted.length === 0) return;
      const redis = connect(address, driver, warn);
      const bell = redis.duplicate().on("error", () => {});
      const coordinator = new Coordinator(order, { redis, bell, driver, warn, key });
      const stop = () => bell.disconnect();
      order.signal.addEventListener("abort", stop, { once: true });
      try {
        await Promise.race([coordinator.run(), overdue(order.signal)]);
      } catch (error) {
        order.signal.throwIfAborted();
        throw error instanceof driver.ioredis.ReplyError ? toInputError(error, address) : error;
      } finally {
        most = Math.max(most, coordinator.threads);
        await Promise.race([coordinator.clear().catch(() => {}), sleep(DEADLINE)]);
        order.signal.removeEventListener("abort", stop);
        stop();
        redis.disconnect();
      }
    },
  };
}

/** Rejects a while after the signal. */
const overdue = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const give = () => void setTimeout(() => reject(signal.reason), DEADLINE);
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });

interface Tools extends Omit<RedisPlace, "address"> {
  readonly redis: Redis;
  /** A connection of its own for waiting. */
  readonly bell: Redis;
}

const ATTEMPTS = 3;

/** How many chunks are out: some, and more for every thread that works. */
const SOME = 20;
const PER_THREAD = 3;

/** How long workers may take to see that a study is over. */
const FAREWELL = 400;

/** How long to wait after something was put right, in milliseconds. */
const LOST = 100;

const me = JSON.stringify({ host: hostname(), pid: process.pid });

class Coordinator {
  private readonly id: string;
  private readonly keys: ReturnType<typeof studyKeys>;
  private readonly queue: Queue;
  /** Still to be done; some of them are out. */
  private readonly left: Set<number>;
  private readonly out = new Set<number>();
  private readonly next: Iterator<number>;
  private readonly begun = performance.now();
  private readonly idleWarning: IdleWarning;
  /** Of all workers that take this study, at most. */
  threads = 0;
  private room = SOME;
  private claimed = false;
  private readonly warned = new Set<string>();
  /** How often a chunk's result was none. */
  private readonly odd = new Map<number, number>();

  constructor(
    private readonly order: Order,
    private readonly tools: Tools,
  ) {
    this.id = studyId(order.study);
    this.keys = studyKeys(this.id);
    this.left = new Set(order.wanted);
    this.next = order.wanted.values();
    this.idleWarning = new IdleWarning(this.id, tools.warn);
    const { redis, driver } = tools;
    this.queue = new driver.bullmq.Queue(this.id, { connection: redis, prefix: PREFIX });
    this.queue.on("error", () => {});
  }

  async run(): Promise<void> {
    const { redis, key } = this.tools;
    await this.claim();
    // Results that are left over from before are as good as new ones if their signatures say so.
    if (key === null) await redis.del(this.keys.results);
    await this.clearQueue();
    for (let lookedAt = -Infinity; this.left.size > 0; ) {
      const due = performance.now() - lookedAt >= HEARTBEAT;
      if (due) lookedAt = performance.now();
      await this.step(due).catch((error) => this.mend(error));
      this.order.signal.throwIfAborted();
    }
  }

  private async step(due: boolean): Promise<void> {
    if (due) await this.look();
    await this.collect();
    await this.handOut();
    this.order.signal.throwIfAborted();
    if (this.left.size > 0) await this.tools.bell.blpop(this.keys.bell, HEARTBEAT / 1000);
  }

  /** Somebody has put something else where candor keeps its own: that goes, and the chunks that are out go out again. */
  private async mend(error: unknown): Promise<void> {
    if (!isMistyped(error) && !(error instanceof SyntaxError)) throw error;
    this.warnOnce("what Redis held for this study was not written by candor; it is written again");
    await this.dropMistyped();
    await this.clearQueue();
    await this.add([...this.out]);
    await sleep(LOST);
  }

  private async dropMistyped(): Promise<void> {
    const { study, results, bell } = this.keys;
    const types = { [study]: "hash", [results]: "hash", [bell]: "list", [STUDIES]: "set", [WORKERS]: "set" };
    for (const [key, type] of Object.entries(types))
      if (![type, "none"].includes(await this.tools.redis.type(key))) await this.tools.redis.del(key);
  }

  /** Lists of chunks that are out are read by workers only: they would say WRONGTYPE, and it would be lost here. */
  private async demandQueue(): Promise<void> {
    const types = { wait: "list", active: "list", delayed: "zset", failed: "zset", meta: "hash" };
    for (const [name, type] of Object.entries(types)) {
      const key = this.queue.toKey(name);
      if (![type, "none"].includes(await this.tools.redis.type(key))) throw new Error(`WRONGTYPE ${key}`);
    }
  }

  /** Jobs are handed out anew; what BullMQ cannot read it cannot clear away either. */
  private async clearQueue(): Promise<void> {
    const { redis } = this.tools;
    await this.queue.obliterate({ force: true }).catch(() => {});
    for (let cursor = "0", first = true; first || cursor !== "0"; first = false) {
      const [next, keys] = await redis.scan(cursor, "MATCH", `${PREFIX}:${this.id}:*`, "COUNT", 1000);
      if (keys.length > 0) await redis.del(keys);
      cursor = next;
    }
  }

  private warnOnce(line: string): void {
    if (!this.warned.has(line)) this.tools.warn(line);
    this.warned.add(line);
  }

  /** Waits while another process does this very study. */
  private async claim(): Promise<void> {
    const { redis, warn } = this.tools;
    for (let waited = 0; ; waited += 200) {
      this.order.signal.throwIfAborted();
      if ((await redis.set(this.keys.coordinator, me, "PX", LIFETIME, "NX")) !== null) break;
      // A coordinator has to renew its entry: this would stay for ever.
      if ((await redis.pttl(this.keys.coordinator)) === -1) await redis.del(this.keys.coordinator);
      if (waited === 2 * LIFETIME)
        warn("another process is running this study there already; waiting for it");
      await sleep(200);
    }
    this.claimed = true;
  }

  /** Results of chunks that are done already are thrown away. */
  private async collect(): Promise<void> {
    const { redis } = this.tools;
    for (const field of await redis.hkeys(this.keys.results)) {
      const number = Number(field);
      const text = this.left.has(number) ? await redis.hget(this.keys.results, field) : null;
      this.order.signal.throwIfAborted();
      const result = text === null ? null : this.checked(text, number);
      if (result !== null) {
        await this.order.done(number, result);
        this.left.delete(number);
        this.out.delete(number);
      }
      await redis.hdel(this.keys.results, field);
    }
  }

  /** Null for a result that no worker has made: the chunk is done again. */
  private checked(text: string, chunk: number): ChunkResult | null {
    const { study, chunks, job } = this.order;
    const { key } = this.tools;
    const result = readResult(text, { study, chunk, key });
    if (result === null) {
      const whose =
        key === null ? "was not written by a worker" : "is not signed by a worker with this CANDOR_KEY";
      this.warnOnce(`a result for chunk ${chunk} in Redis ${whose}; dropped and done again`);
      return null;
    }
    if (isResult(result, { study, job, chunk: chunks[chunk]! })) return result;
    const times = (this.odd.get(chunk) ?? 0) + 1;
    this.odd.set(chunk, times);
    const flaw = `is not what the job of ${study.analysis.spec} makes`;
    if (times === ATTEMPTS) throw new Error(`chunk ${chunk}: its result ${flaw} (tried ${times} times)`);
    this.warnOnce(`a result for chunk ${chunk} in Redis ${flaw}; dropped and done again`);
    return null;
  }

  private async handOut(): Promise<void> {
    const batch: number[] = [];
    while (this.out.size < this.room) {
      const { value, done } = this.next.next();
      if (done) break;
      if (!this.left.has(value)) continue;
      this.out.add(value);
      batch.push(value);
    }
    await this.add(batch);
  }

  /** A chunk that is there already stays as it is. */
  private async add(numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return;
    const opts = {
      attempts: ATTEMPTS,
      backoff: { type: "exponential", delay: 1000 },
      removeOnComplete: true,
    };
    await this.queue.addBulk(
      numbers.map((number) => ({ name: "chunk", data: null, opts: { ...opts, jobId: jobId(number) } })),
    );
  }

  /** Says that it is here, and looks after what no message brings. */
  private async look(): Promise<void> {
    const { redis } = this.tools;
    await redis.set(this.keys.coordinator, me, "PX", LIFETIME);
    await this.dropMistyped();
    await this.demandQueue();
    await postStudy(redis, this.order.study, this.tools.key);
    await this.sayProgress();
    await expireStudy(redis, this.id, this.out);
    await demandNoFailure(this.queue, this.left);
    await this.add(await lostChunks(this.queue, this.out, { redis, results: this.keys.results }));
    this.count(await readWorkers(redis, (line) => this.warnOnce(line)));
  }

  private sayProgress(): Promise<unknown> {
    const { chunks, wanted } = this.order;
    return postProgress(this.tools.redis, this.id, {
      chunks: chunks.length,
      done: chunks.length - this.left.size,
      lately: wanted.length - this.left.size,
      seconds: (performance.now() - this.begun) / 1000,
    });
  }

  private count(workers: readonly WorkerCard[]): void {
    const able = workers.filter(({ refuses }) => !Object.hasOwn(refuses, this.id));
    const threads = sum(able, (card) => card.threads);
    this.threads = Math.max(this.threads, threads);
    this.room = SOME + PER_THREAD * threads;
    this.idleWarning.look(workers, able.length);
  }

  /** Leaves nothing behind; workers that are still at it are waited for, but not for long. */
  async clear(): Promise<void> {
    if (!this.claimed) return;
    const { redis } = this.tools;
    await redis.srem(STUDIES, this.id);
    for (let waited = 0; waited < FAREWELL && (await this.queue.getActiveCount()) > 0; waited += 20)
      await sleep(20);
    await this.queue.obliterate({ force: true });
    const { study, results, bell, coordinator } = this.keys;
    await redis.del(study, results, bell, coordinator);
  }
}

/** Throws when a chunk that is still to be done has failed as often as it may. */
async function demandNoFailure(queue: Queue, left: ReadonlySet<number>): Promise<void> {
  const failed = (await queue.getFailed()).filter(({ id = "" }) => left.has(chunkOf(id)));
  const [job] = failed.sort((a, b) => chunkOf(a.id!) - chunkOf(b.id!));
  if (job === undefined) return;
  const chunk = `chunk ${chunkOf(job.id!)}: `;
  const [reason = ""] = job.failedReason.split("\n");
  if (reason.startsWith("job stalled")) throw new Error(`${chunk}every worker that tried it was lost`);
  throw new Error(`${reason.startsWith(chunk) ? "" : chunk}${reason} (tried ${job.attemptsMade} times)`);
}

/** Chunks that are out, but that Redis knows nothing of: it may have been restarted without its data. */
async function lostChunks(
  queue: Queue,
  out: ReadonlySet<number>,
  { redis, results }: { readonly redis: Redis; readonly results: string },
): Promise<number[]> {
  const numbers = [...out];
  const there = await Promise.all(numbers.map((number) => redis.exists(queue.toKey(jobId(number)))));
  // After the jobs: one that went meanwhile has left its result.
  const came = new Set(await redis.hkeys(results));
  return numbers.filter((number, k) => there[k] === 0 && !came.has(String(number)));
}
