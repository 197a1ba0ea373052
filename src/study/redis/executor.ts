/** Has the chunks of a study done by workers that a Redis server connects. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Executor } from "../gather.js";
import type { Address } from "./address.js";
import { connect, inWords, type Tell } from "./connect.js";
import { Coordinator } from "./coordinator.js";
import type { Driver } from "./driver.js";
import type { Key } from "./signature.js";

export interface RedisPlace {
  readonly address: Address;
  /** Hears of what goes wrong but may pass. */
  readonly tell: Tell;
  readonly driver: Driver;
  /** What studies and results are signed with. */
  readonly key: Key;
}

/** A server that does not answer must not keep anybody from leaving. */
const DEADLINE = 700;

export interface RedisExecutor extends Executor {
  /** How many threads worked at once, at most; none are known before there were any. */
  threads(): number;
}

export function redisExecutor({ address, tell, driver, key }: RedisPlace): RedisExecutor {
  let most = 1;
  return {
    threads: () => most,
    async run(order) {
      if (order.wanted.length === 0) return;
      const redis = connect(address, driver, tell);
      const bell = redis.duplicate().on("error", () => {});
      const coordinator = new Coordinator(order, { redis, bell, driver, tell, key });
      const stop = () => bell.disconnect();
      order.signal.addEventListener("abort", stop, { once: true });
      try {
        await Promise.race([coordinator.run(), overdue(order.signal)]);
      } catch (error) {
        order.signal.throwIfAborted();
        throw error instanceof driver.ioredis.ReplyError ? inWords(error, address) : error;
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
