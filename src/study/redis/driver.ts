/** BullMQ and ioredis, which not everybody needs: loaded when a Redis server is named, and asked for where they lack. */

import { plainError } from "../../lib/errors.js";

export interface Driver {
  readonly bullmq: typeof import("bullmq");
  readonly ioredis: Pick<typeof import("ioredis"), "Redis" | "ReplyError">;
}

export async function loadDriver(): Promise<Driver> {
  try {
    const [bullmq, ioredis] = await Promise.all([import("bullmq"), import("ioredis")]);
    return { bullmq, ioredis };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw plainError("--redis", "needs two more packages: npm install bullmq ioredis");
  }
}
