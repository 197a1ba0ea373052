/** A worker's post at one study: takes chunks, renews its hold on them, and hands in results. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Job, Worker } from "bullmq";
import type { Redis } from "ioredis";
import type { ChunkResult } from "../perform.js";
import type { Study } from "../study.js";
import { resultText } from "./board.js";
import { chunkOf, PREFIX, STUDIES, studyKeys } from "./keys.js";
import type { Shift } from "./serve.js";

export interface Assigned {
  readonly id: string;
  readonly study: Study;
  readonly shift: Shift;
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
  return 1`;

/** What BullMQ may have written after the study was cleared away; nobody must be clearing it or doing it again. */
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

export class Post {
  private readonly worker: Worker;
  private readonly leaving: Promise<null>;
  private depart = (): void => {};
  private told = "";

  constructor(
    private readonly redis: Redis,
    private readonly assigned: Assigned,
  ) {
    const { id, shift } = assigned;
    this.leaving = new Promise((resolve) => {
      this.depart = () => resolve(null);
    });
    const lock = Math.round(shift.lockSeconds * 1000);
    this.worker = new shift.driver.bullmq.Worker(id, (job, token) => this.process(job, token), {
      connection: redis,
      prefix: PREFIX,
      concurrency: shift.skill.threads,
      lockDuration: lock,
      stalledInterval: Math.round(lock / 3),
      maxStalledCount: STALLS,
      runRetryDelay: 1000,
      drainDelay: 2,
    });
    this.worker.on("error", (error) => this.mention(error));
  }

  private async process(job: Job, token?: string): Promise<void> {
    const chunk = chunkOf(job.id!);
    const { study, shift } = this.assigned;
    const work = shift.skill.perform(study, chunk).catch((error) => this.unlessUnable(error));
    const result = await Promise.race([work, this.leaving]);
    if (result !== null) return this.handIn(chunk, result);
    await job.moveToWait(token);
    throw new shift.driver.bullmq.WaitingError();
  }

  /** A chunk that fails because this worker cannot do the study is for others to do. */
  private async unlessUnable(error: unknown): Promise<null> {
    const { study, shift, unable } = this.assigned;
    if ((await shift.skill.refusal(study)) === null) throw error;
    this.depart();
    unable();
    return null;
  }

  private async handIn(chunk: number, result: ChunkResult): Promise<void> {
    const { id, study, shift } = this.assigned;
    const { results, bell } = studyKeys(id);
    const text = resultText({ study, chunk, key: shift.key }, result);
    await this.redis.eval(HAND_IN, 3, STUDIES, results, bell, id, chunk, text);
  }

  private mention({ message }: Error): void {
    if (message === this.told || HARMLESS.test(message) || /E[A-Z]{4,}/.test(message)) return;
    this.told = message;
    this.assigned.shift.tell(`Redis says: ${message.split("\n")[0]!.slice(0, 200)}`);
  }

  /** Gives back what is not finished, for others. */
  async leave(): Promise<void> {
    this.depart();
    await this.worker.close();
  }

  /** The study is over: nothing is said of it any more. */
  async abandon(): Promise<void> {
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
