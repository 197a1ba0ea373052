/** A worker: looks for studies, takes chunks of those that it can do, and leaves what it finishes in Redis. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, Worker } from "bullmq";
import type { Redis } from "ioredis";
import type { ChunkResult, Study } from "../study.js";
import { ChunkTooLong } from "../threads.js";
import { connect, type RedisPlace, toInputError } from "./connect.js";
import {
  chunkOf,
  expireStudy,
  HEARTBEAT,
  keyRefusal,
  PREFIX,
  postWorker,
  readStudy,
  removeWorker,
  resultText,
  STUDIES,
  studyIds,
  studyKeys,
  WEEK,
} from "./records.js";

/** What a worker can do. */
export interface Capabilities {
  /** Its version and a digest of its code. */
  readonly program: string;
  readonly threads: number;
  /** Why it cannot do a study; null if it can. */
  whyNot(study: Study): Promise<string | null>;
  /** The signal ends the thread that computes it. */
  compute(study: Study, chunk: number, abandoned: AbortSignal): Promise<ChunkResult>;
}

interface Setting extends RedisPlace {
  readonly capabilities: Capabilities;
  /** Says when to leave. */
  readonly signal: AbortSignal;
  /** After how many seconds without a word a chunk is taken for lost. */
  readonly lockSeconds: number;
}

/** How often it looks for studies, in milliseconds. */
const LOOK = 200;

/** A server that does not answer must not keep a worker from leaving. */
const DEADLINE = 700;

/** Works until it is stopped; then gives back what it has not finished. */
export async function runWorker(setting: Setting): Promise<void> {
  const redis = connect(setting.address, setting.driver, setting.warn);
  const loop = new WorkerLoop(redis, setting);
  const left = new Promise((resolve) => setting.signal.addEventListener("abort", resolve, { once: true }));
  try {
    await Promise.race([inDatabase(redis, setting).then(() => loop.run()), left]);
  } finally {
    await Promise.race([loop.leave().catch(() => {}), sleep(DEADLINE)]);
    redis.disconnect();
  }
}

/** A connection whose database is not there would go on in another. */
async function inDatabase(redis: Redis, { address }: Setting): Promise<void> {
  await redis.select(address.database).catch((error) => {
    throw toInputError(error, address);
  });
}

class WorkerLoop {
  private readonly id = randomUUID();
  private readonly workers = new Map<string, StudyWorker>();
  private readonly refuses = new Map<string, string>();
  private readonly warned = new Set<string>();

  constructor(
    private readonly redis: Redis,
    private readonly setting: Setting,
  ) {}

  async run(): Promise<void> {
    for (let saidAt = -Infinity; !this.setting.signal.aborted; await sleep(LOOK)) {
      const due = performance.now() - saidAt >= HEARTBEAT;
      try {
        const changed = await this.look(due);
        if (!due && !changed) continue;
        await this.introduce();
      } catch (error) {
        this.endure(error);
      }
      saidAt = performance.now();
    }
  }

  /** What the server does not like today it may like tomorrow: there is one warning, and it tries again. */
  private endure(error: unknown): void {
    const { driver, address } = this.setting;
    if (!(error instanceof driver.ioredis.ReplyError)) throw error;
    this.warnOnce(toInputError(error, address).message);
  }

  private warnOnce(line: string): void {
    if (!this.warned.has(line)) this.setting.warn(line);
    this.warned.add(line);
  }

  private introduce(): Promise<void> {
    const { program, threads } = this.setting.capabilities;
    const refuses = Object.fromEntries(this.refuses);
    return postWorker(this.redis, this.id, { host: hostname(), pid: process.pid, program, threads, refuses });
  }

  /** True where what it refuses has changed; what it refused is looked at `again` because a file may have come. */
  private async look(again: boolean): Promise<boolean> {
    const ids = await studyIds(this.redis);
    if (again) for (const id of this.workers.keys()) await expireStudy(this.redis, id);
    const there = new Set(ids);
    for (const id of this.workers.keys()) if (!there.has(id)) this.end(id, true);
    const gone = [...this.refuses.keys()].filter((id) => !there.has(id));
    for (const id of gone) this.refuses.delete(id);
    let changed = gone.length > 0;
    for (const id of ids) {
      if (this.workers.has(id) || (this.refuses.has(id) && !again)) continue;
      changed = (await this.consider(id)) || changed;
    }
    return changed;
  }

  /** Gives back what is not finished, unless the study is over. */
  private end(id: string, over: boolean): void {
    const worker = this.workers.get(id);
    this.workers.delete(id);
    (over ? worker?.abandon() : worker?.leave())?.catch(() => {});
  }

  /** Begins to work on a study, or says why not; true where it refuses for a new reason. */
  private async consider(id: string): Promise<boolean> {
    const posted = await readStudy(this.redis, id);
    if (this.setting.signal.aborted) return false;
    if (posted === null) {
      const { study: place } = studyKeys(id);
      if (await this.redis.exists(place)) this.warnOnce(`${place} in Redis is not a study; ignored`);
      // A study that was begun and never gone on with has expired.
      else await this.redis.srem(STUDIES, id);
      return false;
    }
    const { study } = posted;
    const known = this.refuses.get(id);
    const reason = keyRefusal(posted, this.setting.key) ?? (await this.setting.capabilities.whyNot(study));
    if (reason === null) {
      this.refuses.delete(id);
      const unable = () => this.end(id, false);
      this.workers.set(id, new StudyWorker(this.redis, { id, study, setting: this.setting, unable }));
      this.setting.warn(`works on ${study.analysis.spec} (study ${id})`);
    } else {
      this.refuses.set(id, reason);
      if (reason !== known) this.setting.warn(`leaves ${study.analysis.spec} (study ${id}) alone: ${reason}`);
    }
    return reason !== (known ?? null);
  }

  async leave(): Promise<void> {
    await Promise.all([...this.workers.values()].map((worker) => worker.leave()));
    await removeWorker(this.redis, this.id);
  }
}

const whenAborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener("abort", () => resolve(null), { once: true });
  });

interface Assigned {
  readonly id: string;
  readonly study: Study;
  readonly setting: Setting;
  /** Called when it turns out that this worker cannot do the study after all. */
  readonly unable: () => void;
}

/** So often may a chunk lose its worker before it is taken to be the cause. */
const STALLS = 2;

/** A study that is over takes no results: they would stay for ever. */
const HAND_IN = `
  if redis.call("SISMEMBER", KEYS[1], ARGV[1]) == 0 then return 0 end
  redis.call("HSET", KEYS[2], ARGV[2], ARGV[3])
  redis.call("LPUSH", KEYS[3], "1")
  redis.call("LTRIM", KEYS[3], 0, 0)
  redis.call("EXPIRE", KEYS[2], ARGV[4])
  redis.call("EXPIRE", KEYS[3], ARGV[4])
  return 1`;

/** What BullMQ may have written after the study was cleared away; it must not be cleared or done again meanwhile. */
const SWEEP = `
  if redis.call("SISMEMBER", KEYS[1], ARGV[1]) + redis.call("EXISTS", KEYS[2]) > 0 then return 0 end
  redis.call("DEL", unpack(KEYS, 3))
  return 1`;

/** How long to wait before sweeping, and before trying again. */
const SETTLED = 500;
const TRIES = 20;

/** What comes of a hold that was lost: another worker does the chunk, and the result is the same. */
const HARMLESS =
  /[Mm]issing (lock|key)|renew lock|not in the active state|Lock mismatch|Connection is closed/;

class StudyWorker {
  private readonly worker: Worker;
  /** Aborted when it leaves the study: what its threads still compute is of no use, and may never end. */
  private readonly departure = new AbortController();
  private readonly leaving = whenAborted(this.departure.signal);
  private over = false;
  private warned = "";

  constructor(
    private readonly redis: Redis,
    private readonly assigned: Assigned,
  ) {
    const { id, setting } = assigned;
    const lock = Math.round(setting.lockSeconds * 1000);
    this.worker = new setting.driver.bullmq.Worker(id, (job, token) => this.process(job, token), {
      connection: redis,
      prefix: PREFIX,
      concurrency: setting.capabilities.threads,
      lockDuration: lock,
      stalledInterval: Math.round(lock / 3),
      maxStalledCount: STALLS,
      runRetryDelay: 1000,
      drainDelay: 2,
    });
    this.worker.on("error", (error) => this.warnOnce(error));
  }

  private async process(job: Job, token?: string): Promise<void> {
    const chunk = chunkOf(job.id!);
    const { study, setting } = this.assigned;
    const { signal } = this.departure;
    const work = setting.capabilities
      .compute(study, chunk, signal)
      .catch((error) => this.unlessUnable(error));
    const result = await Promise.race([work, this.leaving]);
    if (result !== null) return this.handIn(chunk, result);
    if (!this.over) await job.moveToWait(token);
    throw new setting.driver.bullmq.WaitingError();
  }

  /** A chunk that fails because this worker cannot do the study is for others to do. */
  private async unlessUnable(error: unknown): Promise<null> {
    const { study, setting, unable } = this.assigned;
    if (this.departure.signal.aborted) return null;
    // Who tries it again waits as long again.
    if (error instanceof ChunkTooLong) throw new setting.driver.bullmq.UnrecoverableError(error.message);
    if ((await setting.capabilities.whyNot(study)) === null) throw error;
    this.departure.abort();
    unable();
    return null;
  }

  private async handIn(chunk: number, result: ChunkResult): Promise<void> {
    const { id, study, setting } = this.assigned;
    const { results, bell } = studyKeys(id);
    const text = resultText({ study, chunk, key: setting.key }, result);
    await this.redis.eval(HAND_IN, 3, STUDIES, results, bell, id, chunk, text, WEEK);
  }

  private warnOnce({ message }: Error): void {
    if (message === this.warned || HARMLESS.test(message) || /E[A-Z]{4,}/.test(message)) return;
    this.warned = message;
    this.assigned.setting.warn(`Redis says: ${message.split("\n")[0]!.slice(0, 200)}`);
  }

  /** Gives back what is not finished, for others. */
  async leave(): Promise<void> {
    this.departure.abort();
    await this.worker.close();
  }

  /** The study is over: there are no more messages about it. */
  async abandon(): Promise<void> {
    this.over = true;
    this.departure.abort();
    await this.worker.close(true).catch(() => {});
    const left = ["meta", "events", "stalled", "stalled-check", "marker"].map((key) =>
      this.worker.toKey(key),
    );
    const keys = [STUDIES, studyKeys(this.assigned.id).coordinator, ...left];
    for (let k = 0, swept: unknown = 0; k < TRIES && swept !== 1; k++) {
      await sleep(SETTLED, undefined, { ref: false });
      swept = await this.redis.eval(SWEEP, keys.length, ...keys, this.assigned.id);
    }
  }
}
