/** Computes chunks on threads: they start when there is something to do, and stay for the next study until closed. */

import { Tinypool } from "tinypool";
import { oneLine } from "../lib/errors.js";
import type { Executor, Order } from "./compute.js";
import { type ComputeChunk, prepareStudy, type Resolver } from "./context.js";
import { type ChunkResult, type Study, studyId } from "./study.js";

/** What a thread is handed: memory that all share holds the study, so that it is never sent. */
export interface Task {
  readonly id: string;
  /** The study as JSON. */
  readonly text: SharedArrayBuffer;
  readonly chunk: number;
}

export type Reply = ChunkResult | { readonly error: string };

export interface Threads extends Executor {
  /** Computes one chunk; rejects with one line that names it. */
  compute(study: Study, chunk: number): Promise<ChunkResult>;
  /** Why a thread cannot do a study; null if it can. */
  preflight(study: Study): Promise<string | null>;
}

/** A chunk's thread was ended for no fault of its own. */
class Dropped extends Error {}

/** So many per thread: the next is there when one is done. */
const QUEUED = 2;

/** The module at `entry` exports what `threadFunctions` makes: `compute` by default, and `preflight`. */
export function threads(count: number, entry: URL): Threads {
  let pool: Tinypool | undefined;
  const close = async () => {
    const old = pool;
    pool = undefined;
    await old?.destroy();
  };
  const compute = async (study: Study, chunk: number): Promise<ChunkResult> => {
    pool ??= poolOf(count, entry);
    const mine = pool;
    const reply: Reply = await mine.run({ ...shared(study), chunk }).catch((error: Error) => {
      if (pool !== mine) throw new Dropped(`chunk ${chunk}: dropped`);
      // What waits for a thread that is lost would wait forever.
      void close();
      throw new Error(`chunk ${chunk}: its thread ended: ${oneLine(error)}`);
    });
    if ("error" in reply) throw new Error(reply.error);
    return reply;
  };
  const preflight = (study: Study): Promise<string | null> => {
    pool ??= poolOf(count, entry);
    return pool.run(study, { name: "preflight" }).catch(oneLine);
  };
  const run = (order: Order) => runMany({ compute, close, atOnce: QUEUED * count }, order);
  return { compute, preflight, close, run, threads: () => count };
}

function poolOf(count: number, entry: URL): Tinypool {
  const stay = 2 ** 31 - 1;
  const pool = new Tinypool({ filename: entry.href, minThreads: 0, maxThreads: count, idleTimeout: stay });
  // What goes wrong while a thread has nothing to do shows when it next has.
  pool.on("error", () => {});
  return pool;
}

const texts = new WeakMap<Study, Omit<Task, "chunk">>();

function shared(study: Study): Omit<Task, "chunk"> {
  const known = texts.get(study);
  if (known !== undefined) return known;
  const bytes = new TextEncoder().encode(JSON.stringify(study));
  const text = new SharedArrayBuffer(bytes.length);
  new Uint8Array(text).set(bytes);
  const made = { id: studyId(study), text };
  texts.set(study, made);
  return made;
}

interface Pool extends Pick<Threads, "compute" | "close"> {
  readonly atOnce: number;
}

/** Chunks are begun in order and none is left behind: the first one that fails is the same on any number of threads. */
async function runMany({ compute, close, atOnce }: Pool, order: Order): Promise<void> {
  const { study, wanted, done, signal } = order;
  const failures = new Map<number, unknown>();
  const over = () => signal.aborted || failures.size > 0;
  const attempt = async (number: number): Promise<void> => {
    try {
      await done(number, await compute(study, number));
    } catch (error) {
      if (!(error instanceof Dropped)) failures.set(number, error);
      else if (!over()) await attempt(number);
    }
  };
  const queue = wanted.values();
  const next = async () => {
    for (const number of queue) if (!over()) await attempt(number);
  };
  const stop = () => void close();
  signal.addEventListener("abort", stop, { once: true });
  await Promise.all(Array.from({ length: Math.min(atOnce, wanted.length) }, next));
  signal.removeEventListener("abort", stop);
  signal.throwIfAborted();
  const [first] = [...failures.keys()].sort((a, b) => a - b);
  if (first !== undefined) throw failures.get(first);
}

/** The analyses of one run make a study each; only the latest are needed again. */
const REMEMBERED = 8;

/** What runs in each thread. */
export function threadFunctions(resolver: Resolver, program: () => string) {
  const prepared = new Map<string, Promise<ComputeChunk>>();
  // The thread would be gone without a word, and its chunk waited for.
  process.exit = (() => {
    throw new Error("process.exit was called");
  }) as typeof process.exit;
  const prepare = async (study: Study): Promise<ComputeChunk> => {
    // Threads load the code when they start: by then it may have been built anew.
    if (study.program === program()) return prepareStudy(study, resolver);
    throw new Error(`the program has changed since the study was begun: ${study.program}, now ${program()}`);
  };
  const find = ({ id, text }: Task): Promise<ComputeChunk> => {
    const found = prepared.get(id) ?? prepare(JSON.parse(Buffer.from(text).toString()));
    prepared.set(id, found);
    // What lacked may be there the next time.
    found.catch(() => prepared.delete(id));
    for (const old of [...prepared.keys()].slice(0, -REMEMBERED)) prepared.delete(old);
    return found;
  };
  return {
    compute: async (task: Task): Promise<Reply> => {
      try {
        return await (await find(task))(task.chunk);
      } catch (error) {
        return { error: oneLine(error) };
      }
    },
    preflight: (study: Study): Promise<string | null> => prepare(study).then(() => null, oneLine),
  };
}
