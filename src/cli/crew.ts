/** Who does the jobs of analyses, and where what they finish is kept. */

import { availableParallelism } from "node:os";
import { type Archive, type Executor, inMemory } from "../study/gather.js";
import { journalIn } from "../study/journal.js";
import type { Address } from "../study/redis/connect.js";
import { threads } from "../study/threads.js";
import { prepare } from "./prepare.js";
import type { Request } from "./run-analyses.js";
import type { Session } from "./session.js";

export interface Crew {
  readonly executor: Executor;
  readonly archive: Archive;
  /** How many work at once. */
  readonly threads: number;
  /** Whether something finished is kept that --resume could go on from. */
  resumable(): boolean;
  /** All is done that is to be done: those who did it need no memory any longer, only what they have done. */
  rest(): Promise<void>;
  /** Finished: nothing needs to be kept any longer. */
  close(finished: boolean): Promise<void>;
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
  resumable: () => false,
  rest: async () => {},
  close: async () => {},
});

interface CrewFlags {
  /** As many as there are cores if left out. */
  readonly threads?: number;
  readonly resume?: boolean;
  /** Where the journal is. */
  readonly out: string;
  /** Where workers on other machines are. */
  readonly redis?: Address;
}

/** Threads of this machine, or workers anywhere; and a journal that outlives them. */
export async function crewFor(flags: CrewFlags, request: Request, session: Session): Promise<Crew> {
  const { program, analyses, mechanismNamed: mechanism, seed, profile, rows } = request;
  const heading = {
    program,
    analyses: analyses.map(({ named }) => named),
    mechanism,
    seed,
    profile,
    rows,
  };
  const hands = flags.redis === undefined ? here(flags) : await anywhere(flags.redis, session);
  const place = { folder: flags.out, heading, warn: (text: string) => session.warn(text) };
  const archive = await journalIn(place, { resumes: flags.resume === true });
  return {
    executor: hands.executor,
    archive,
    get threads() {
      return hands.threads();
    },
    resumable: () => archive.holds,
    rest: () => hands.close(),
    close: async (finished) => {
      await hands.close();
      await archive.close(finished);
    },
  };
}

/** Who does the work. */
interface Hands {
  readonly executor: Executor;
  readonly threads: () => number;
  close(): Promise<void>;
}

function here(flags: CrewFlags): Hands {
  const count = flags.threads ?? availableParallelism();
  const executor = threads(count, new URL("./thread.js", import.meta.url));
  return { executor, threads: () => count, close: () => executor.close() };
}

/** Loaded only when a server is named. */
async function anywhere(address: Address, session: Session): Promise<Hands> {
  const [{ redisPlace }, { redisExecutor }] = await Promise.all([
    import("./redis-place.js"),
    import("../study/redis/executor.js"),
  ]);
  const executor = redisExecutor(await redisPlace(address, { session, waits: false }));
  return { executor, threads: executor.threads, close: async () => {} };
}
