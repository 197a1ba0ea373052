/** Threads for the studies of a worker. */

import type { ChunkResult, Study } from "../study/study.js";
import { type Threads, threads } from "../study/threads.js";

interface Pool {
  readonly threads: Threads;
  busy: number;
}

/** A thread keeps a user's file as it was when it was first loaded: another content needs other threads. */
export class Pools {
  private readonly pools = new Map<string, Pool>();

  /** So many threads each. */
  constructor(private readonly count: number) {}

  async perform(study: Study, chunk: number): Promise<ChunkResult> {
    const pool = this.poolFor(study);
    pool.busy++;
    try {
      return await pool.threads.perform(study, chunk);
    } finally {
      pool.busy--;
    }
  }

  private poolFor({ analysis, mechanism }: Study): Pool {
    const key = `${analysis.checksum} ${mechanism.checksum}`;
    const known = this.pools.get(key);
    if (known !== undefined) return known;
    for (const [old, { busy, threads: idle }] of this.pools) {
      if (busy > 0) continue;
      this.pools.delete(old);
      void idle.close();
    }
    const made = { threads: threads(this.count, new URL("./thread.js", import.meta.url)), busy: 0 };
    this.pools.set(key, made);
    return made;
  }

  /** Ends all threads at once. */
  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.threads.close()));
  }
}
