/** Who does a task's jobs: this thread, one after another, or several threads. The results are the same. */

import { setImmediate } from "node:timers/promises";
import type { Tinypool } from "tinypool";
import { type Jobs, openBench, type Setup } from "./bench.js";

export interface Crew {
  /** Does a job, after those that came before it. */
  call<Name extends keyof Jobs>(
    name: Name,
    input: Parameters<Jobs[Name]>[0],
  ): Promise<ReturnType<Jobs[Name]>>;
  end(): void;
}

/** Lets signals in between one job and the next. */
export async function alone(setup: Setup, signal?: AbortSignal): Promise<Crew> {
  const { jobs, close } = await openBench(setup);
  let turn: Promise<unknown> = Promise.resolve();
  return {
    call(name, input) {
      const job = jobs[name] as (given: typeof input) => ReturnType<Jobs[typeof name]>;
      const mine = turn.then(async () => {
        await setImmediate();
        signal?.throwIfAborted();
        return job(input);
      });
      turn = mine;
      return mine;
    },
    end: close,
  };
}

/** Threads keep their tensors until the next task; once aborted, those at work are ended. */
export const onThreads = (setup: Setup, threads: Tinypool, signal?: AbortSignal): Crew => ({
  call: (name, input) => threads.run({ setup, name, input }, signal && { signal }),
  end() {},
});

/** As many threads as asked for; they stay until the program ends and do not keep it from that. */
export async function hire(threads: number): Promise<Tinypool> {
  const { Tinypool } = await import("tinypool");
  return new Tinypool({
    filename: new URL("./thread.js", import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    isolateWorkers: false,
  });
}
