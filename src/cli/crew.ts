/** Who does the jobs of analyses, and where what they finish is kept. */

import type { Archive, Executor } from "../sweep/gather.js";
import { inMemory } from "../sweep/in-process.js";
import type { Address } from "../sweep/redis/address.js";
import { threads } from "../sweep/threads.js";
import { prepare } from "./prepare.js";
import type { Session } from "./session.js";

export interface Crew {
  readonly executor: Executor;
  readonly archive: Archive;
  /** How many work at once. */
  readonly threads: number;
  close(): Promise<void>;
}

/** This thread alone, and nothing outlives it. */
export const alone = (session: Session): Crew => ({
  executor: {
    async run({ study, wanted, done, signal }) {
      const doer = await prepare(study);
      for (const number of wanted) {
        await session.goesOn();
        signal.throwIfAborted();
        await done(number, await doer(number));
      }
    },
  },
  archive: inMemory(),
  threads: 1,
  close: async () => {},
});

export interface CrewFlags {
  readonly threads: number;
  readonly redis?: Address;
}

/** Threads of this machine, or workers anywhere. */
export async function crewFor(flags: CrewFlags, session: Session): Promise<Crew> {
  if (flags.redis !== undefined) return anywhere(flags.redis, session);
  const executor = threads(flags.threads, new URL("./thread.js", import.meta.url));
  return { executor, archive: inMemory(), threads: flags.threads, close: () => executor.close() };
}

/** Loaded only when a server is named. */
async function anywhere(address: Address, session: Session): Promise<Crew> {
  const [{ redisPlace }, { redisExecutor }] = await Promise.all([
    import("./redis-place.js"),
    import("../sweep/redis/executor.js"),
  ]);
  const executor = redisExecutor(await redisPlace(address, { session, waits: false }));
  return {
    executor,
    archive: inMemory(),
    get threads() {
      return executor.threads();
    },
    close: async () => {},
  };
}
