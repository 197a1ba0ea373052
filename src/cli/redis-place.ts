/** From what `--redis` says to a server that answers. */

import type { Address } from "../study/redis/address.js";
import { tryAddress } from "../study/redis/connect.js";
import { loadDriver } from "../study/redis/driver.js";
import type { RedisPlace } from "../study/redis/executor.js";
import type { Session } from "./session.js";

export interface Caller {
  readonly session: Session;
  /** Whether a server that is not there yet is waited for. */
  readonly waits: boolean;
}

export async function redisPlace(address: Address, { session, waits }: Caller): Promise<RedisPlace> {
  const driver = await loadDriver();
  await tryAddress(address, driver, waits);
  return { address, driver, tell: (line) => session.warn(line) };
}
