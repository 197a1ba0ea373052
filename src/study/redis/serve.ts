/** A worker: looks for studies, takes chunks of those that it can do, and leaves what it finishes in Redis. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { ChunkResult } from "../perform.js";
import type { Study } from "../study.js";
import { HEARTBEAT, keyRefusal, postWorker, readStudy, removeWorker, studyIds } from "./board.js";
import { connect, inWords } from "./connect.js";
import type { RedisPlace } from "./executor.js";
import { studyKeys } from "./keys.js";
import { Post } from "./post.js";

/** What a worker can do. */
export interface Skill {
  /** Its version and a digest of its code. */
  readonly program: string;
  readonly threads: number;
  /** Why it cannot do a study; null if it can. */
  refusal(study: Study): Promise<string | null>;
  perform(study: Study, chunk: number): Promise<ChunkResult>;
}

export interface Shift extends RedisPlace {
  readonly skill: Skill;
  /** Says when to leave. */
  readonly signal: AbortSignal;
  /** After how many seconds without a word a chunk is taken for lost. */
  readonly lockSeconds: number;
}

/** How often it looks for studies, in milliseconds. */
const LOOK = 200;

/** A server that does not answer must not keep a worker from leaving. */
const DEADLINE = 700;

/** Works until told to leave; then gives back what it has not finished. */
export async function serve(shift: Shift): Promise<void> {
  const redis = connect(shift.address, shift.driver, shift.tell);
  const server = new Server(redis, shift);
  const left = new Promise((resolve) => shift.signal.addEventListener("abort", resolve, { once: true }));
  try {
    await Promise.race([inDatabase(redis, shift).then(() => server.run()), left]);
  } finally {
    await Promise.race([server.leave().catch(() => {}), sleep(DEADLINE)]);
    redis.disconnect();
  }
}

/** A connection whose database is not there would go on in another. */
async function inDatabase(redis: Redis, { address }: Shift): Promise<void> {
  await redis.select(address.database).catch((error) => {
    throw inWords(error, address);
  });
}

class Server {
  private readonly id = randomUUID();
  private readonly posts = new Map<string, Post>();
  private readonly refuses = new Map<string, string>();
  private readonly told = new Set<string>();

  constructor(
    private readonly redis: Redis,
    private readonly shift: Shift,
  ) {}

  async run(): Promise<void> {
    for (let saidAt = -Infinity; !this.shift.signal.aborted; await sleep(LOOK)) {
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

  /** What the server does not like today it may like tomorrow: it is said once, and tried again. */
  private endure(error: unknown): void {
    const { driver, address } = this.shift;
    if (!(error instanceof driver.ioredis.ReplyError)) throw error;
    this.mention(inWords(error, address).message);
  }

  private mention(line: string): void {
    if (!this.told.has(line)) this.shift.tell(line);
    this.told.add(line);
  }

  private introduce(): Promise<void> {
    const { program, threads } = this.shift.skill;
    const refuses = Object.fromEntries(this.refuses);
    return postWorker(this.redis, this.id, { host: hostname(), pid: process.pid, program, threads, refuses });
  }

  /** True where what it refuses has changed; what it refused is looked at `again` because a file may have come. */
  private async look(again: boolean): Promise<boolean> {
    const ids = await studyIds(this.redis);
    const there = new Set(ids);
    for (const id of this.posts.keys()) if (!there.has(id)) this.end(id, true);
    const gone = [...this.refuses.keys()].filter((id) => !there.has(id));
    for (const id of gone) this.refuses.delete(id);
    let changed = gone.length > 0;
    for (const id of ids) {
      if (this.posts.has(id) || (this.refuses.has(id) && !again)) continue;
      changed = (await this.consider(id)) || changed;
    }
    return changed;
  }

  /** Gives back what is not finished, unless the study is over. */
  private end(id: string, over: boolean): void {
    const post = this.posts.get(id);
    this.posts.delete(id);
    (over ? post?.abandon() : post?.leave())?.catch(() => {});
  }

  /** Begins to work on a study, or says why not; true where it refuses for a new reason. */
  private async consider(id: string): Promise<boolean> {
    const posted = await readStudy(this.redis, id);
    if (this.shift.signal.aborted) return false;
    if (posted === null) {
      const { study: place } = studyKeys(id);
      if (await this.redis.exists(place)) this.mention(`${place} in Redis is not a study; ignored`);
      return false;
    }
    const { study } = posted;
    const known = this.refuses.get(id);
    const reason = keyRefusal(posted, this.shift.key) ?? (await this.shift.skill.refusal(study));
    if (reason === null) {
      this.refuses.delete(id);
      const unable = () => this.end(id, false);
      this.posts.set(id, new Post(this.redis, { id, study, shift: this.shift, unable }));
      this.shift.tell(`takes chunks of ${study.analysis.spec} (study ${id})`);
    } else {
      this.refuses.set(id, reason);
      if (reason !== known) this.shift.tell(`leaves ${study.analysis.spec} (study ${id}) alone: ${reason}`);
    }
    return reason !== (known ?? null);
  }

  async leave(): Promise<void> {
    await Promise.all([...this.posts.values()].map((post) => post.leave()));
    await removeWorker(this.redis, this.id);
  }
}
