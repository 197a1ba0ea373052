/**
 * Hands out the chunks of one study and takes their results. What is in Redis may be lost, doubled or left over from
 * before: which chunks are still to be done is known here.
 */

import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { Order } from "../gather.js";
import { studyId } from "../study.js";
import { HEARTBEAT, LIFETIME, postStanding, postStudy, readWorkers, type WorkerCard } from "./board.js";
import { Complaint } from "./complaint.js";
import type { Tell } from "./connect.js";
import type { Driver } from "./driver.js";
import { jobId, PREFIX, STUDIES, studyKeys } from "./keys.js";
import { demandNoFailure, lostChunks } from "./losses.js";

export interface Tools {
  readonly redis: Redis;
  /** A connection of its own for waiting. */
  readonly bell: Redis;
  readonly driver: Driver;
  readonly tell: Tell;
}

const ATTEMPTS = 3;

/** How many chunks are out: some, and more for every thread that works. */
const SOME = 20;
const PER_THREAD = 3;

/** In seconds. */
const WEEK = 7 * 24 * 3600;

/** How long workers may take to see that a study is over. */
const FAREWELL = 400;

const me = JSON.stringify({ host: hostname(), pid: process.pid });

export class Coordinator {
  private readonly id: string;
  private readonly keys: ReturnType<typeof studyKeys>;
  private readonly queue: Queue;
  /** Still to be done; some of them are out. */
  private readonly left: Set<number>;
  private readonly out = new Set<number>();
  private readonly next: Iterator<number>;
  private readonly begun = performance.now();
  private readonly complaint: Complaint;
  /** Of all workers that take this study, at most. */
  threads = 0;
  private room = SOME;
  private claimed = false;

  constructor(
    private readonly order: Order,
    private readonly tools: Tools,
  ) {
    this.id = studyId(order.study);
    this.keys = studyKeys(this.id);
    this.left = new Set(order.wanted);
    this.next = order.wanted.values();
    this.complaint = new Complaint(this.id, tools.tell);
    const { redis, driver } = tools;
    this.queue = new driver.bullmq.Queue(this.id, { connection: redis, prefix: PREFIX });
    this.queue.on("error", () => {});
  }

  async run(): Promise<void> {
    await this.claim();
    // Results that are left over from before are as good as new ones; jobs are handed out anew.
    await this.queue.obliterate({ force: true });
    for (let lookedAt = -Infinity; this.left.size > 0; ) {
      if (performance.now() - lookedAt >= HEARTBEAT) {
        await this.look();
        lookedAt = performance.now();
      }
      await this.collect();
      await this.handOut();
      this.order.signal.throwIfAborted();
      if (this.left.size > 0) await this.tools.bell.blpop(this.keys.bell, HEARTBEAT / 1000);
    }
  }

  /** Waits while another process does this very study. */
  private async claim(): Promise<void> {
    const { redis, tell } = this.tools;
    for (let waited = 0; ; waited += 200) {
      this.order.signal.throwIfAborted();
      if ((await redis.set(this.keys.coordinator, me, "PX", LIFETIME, "NX")) !== null) break;
      if (waited === 2 * LIFETIME) tell("another candor is doing this very study there; waiting for it");
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
      if (text !== null) {
        await this.order.done(number, JSON.parse(text));
        this.left.delete(number);
        this.out.delete(number);
      }
      await redis.hdel(this.keys.results, field);
    }
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

  /** Says that it is here, and looks after what nobody tells it. */
  private async look(): Promise<void> {
    const { redis } = this.tools;
    await redis.set(this.keys.coordinator, me, "PX", LIFETIME);
    await postStudy(redis, this.id, this.order.study);
    await this.tellStanding();
    // Nobody may ever come back for what a killed process leaves behind.
    for (const key of [this.keys.study, this.keys.results]) await redis.expire(key, WEEK);
    await demandNoFailure(this.queue, this.left);
    await this.add(await lostChunks(this.queue, this.out, { redis, results: this.keys.results }));
    this.hear(await readWorkers(redis));
  }

  private tellStanding(): Promise<unknown> {
    const { chunks, wanted } = this.order;
    return postStanding(this.tools.redis, this.id, {
      chunks: chunks.length,
      done: chunks.length - this.left.size,
      lately: wanted.length - this.left.size,
      seconds: (performance.now() - this.begun) / 1000,
    });
  }

  private hear(workers: readonly WorkerCard[]): void {
    const able = workers.filter(({ refuses }) => !Object.hasOwn(refuses, this.id));
    const threads = able.reduce((sum, card) => sum + card.threads, 0);
    this.threads = Math.max(this.threads, threads);
    this.room = SOME + PER_THREAD * threads;
    this.complaint.hear(workers, able.length);
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
