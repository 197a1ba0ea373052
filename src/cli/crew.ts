/** Who does the jobs of analyses, and where what they finish is kept. */

import type { Archive, Executor } from "../sweep/gather.js";
import { inMemory } from "../sweep/in-process.js";
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
}

/** Threads of this machine. */
export function crewFor(flags: CrewFlags): Crew {
  const executor = threads(flags.threads, new URL("./thread.js", import.meta.url));
  return { executor, archive: inMemory(), threads: flags.threads, close: () => executor.close() };
}
