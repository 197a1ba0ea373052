/** Does chunks on threads: they start when there is something to do, and stay for the next study until closed. */

import { Tinypool } from "tinypool";
import { oneLine } from "../lib/errors.js";
import type { Executor, Order } from "./gather.js";
import { type ChunkResult, type Study, studyId } from "./study.js";

/** What a thread is told: memory that all share holds the study, so that it is never sent. */
export interface Task {
  readonly id: string;
  /** The study as JSON. */
  readonly text: SharedArrayBuffer;
  readonly chunk: number;
}

export type Reply = ChunkResult | { readonly error: string };

export interface Threads extends Executor {
  /** Does one chunk; rejects with one line that names it. */
  perform(study: Study, chunk: number): Promise<ChunkResult>;
  /** Ends the threads at once, whatever they do. */
  close(): Promise<void>;
}

/** A chunk's thread was ended for no fault of its own. */
class Dropped extends Error {}

/** So many per thread: the next is there when one is done. */
const QUEUED = 2;

/** The module at `entry` exports, by default, a function from a task to a reply. */
export function threads(count: number, entry: URL): Threads {
  let pool: Tinypool | undefined;
  const close = async () => {
    const old = pool;
    pool = undefined;
    await old?.destroy();
  };
  const perform = async (study: Study, chunk: number): Promise<ChunkResult> => {
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
  return { perform, close, run: (order) => runLanes({ perform, close, lanes: QUEUED * count }, order) };
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

interface Crowd extends Pick<Threads, "perform" | "close"> {
  readonly lanes: number;
}

/** Chunks are begun in order and none is left behind: the first one that fails is the same on any number of threads. */
async function runLanes({ perform, close, lanes }: Crowd, order: Order): Promise<void> {
  const { study, wanted, done, signal } = order;
  const failures = new Map<number, unknown>();
  const over = () => signal.aborted || failures.size > 0;
  const attempt = async (number: number): Promise<void> => {
    try {
      await done(number, await perform(study, number));
    } catch (error) {
      if (!(error instanceof Dropped)) failures.set(number, error);
      else if (!over()) await attempt(number);
    }
  };
  const queue = wanted.values();
  const lane = async () => {
    for (const number of queue) if (!over()) await attempt(number);
  };
  const stop = () => void close();
  signal.addEventListener("abort", stop, { once: true });
  await Promise.all(Array.from({ length: Math.min(lanes, wanted.length) }, lane));
  signal.removeEventListener("abort", stop);
  signal.throwIfAborted();
  const [first] = [...failures.keys()].sort((a, b) => a - b);
  if (first !== undefined) throw failures.get(first);
}
