/** The processes that candor has started: whatever ends the program ends them. */

import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

const KEY = "candor: children";
const MOST = 1024;

/** Their ids, in memory that all threads share; 0 where there is none. */
const ids = (): Int32Array | undefined => getEnvironmentData(KEY) as Int32Array | undefined;

/** For the first thread, before it starts another: ends all children when the program ends, by itself or by a signal. */
export function endChildrenAtExit(): void {
  setEnvironmentData(KEY, new Int32Array(new SharedArrayBuffer(MOST * Int32Array.BYTES_PER_ELEMENT)));
  process.on("exit", endChildren);
  for (const signal of ["SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      endChildren();
      process.kill(process.pid, signal);
    });
}

function endChildren(): void {
  for (const id of ids() ?? []) {
    if (id === 0) continue;
    try {
      process.kill(id, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

/** Has a process ended with the program; returns what to call when it has ended before. */
export function endsWithUs(id: number): () => void {
  const all = ids();
  const place = all?.findIndex((_, k) => Atomics.compareExchange(all, k, 0, id) === 0) ?? -1;
  return () => void (place >= 0 && Atomics.store(all!, place, 0));
}
