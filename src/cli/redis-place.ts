/** From what `--redis` says to a server that answers. */

import { type Address, loadDriver, tryAddress } from "../study/redis/connect.js";
import type { RedisPlace } from "../study/redis/executor.js";
import type { Session } from "./session.js";

export interface Caller {
  readonly session: Session;
  /** Whether a server that is not there yet is waited for. */
  readonly waits: boolean;
}

/** Rejects at Ctrl-C: a server may take seconds not to answer. */
export const interrupted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

export async function redisPlace(address: Address, { session, waits }: Caller): Promise<RedisPlace> {
  const driver = await loadDriver();
  await Promise.race([
    tryAddress(address, driver, { waits, signal: session.signal }),
    interrupted(session.signal),
  ]);
  return { address, driver, tell: (line) => session.warn(line), key: process.env.CANDOR_KEY || null };
}
