/** Computes chunks on threads: they start when there is something to do, and stay for the next study until closed. */

import { Tinypool } from "tinypool";
import { InputError, oneLine, plainError, showValue } from "../lib/errors.js";
import { isDecimal } from "../lib/format.js";
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

export type Reply = ChunkResult | { readonly error: string; readonly problem?: InputError["problem"] };

export interface Threads extends Executor {
  /** Computes one chunk; rejects with one line that names it. Its thread is ended when the signal comes. */
  compute(study: Study, chunk: number, abandoned?: AbortSignal): Promise<ChunkResult>;
  /** Why a thread cannot do a study; null if it can. */
  preflight(study: Study): Promise<string | null>;
}

/** A chunk's thread was ended for no fault of its own. */
class Dropped extends Error {}

/** A chunk took longer than any may: it would do so again. */
export class ChunkTooLong extends Error {}

/** So many per thread are asked for: the next begins while what came of the last is kept. */
const QUEUED = 2;

/** Chunks are meant to take half a second; one that takes an hour will hardly ever end. */
const MOST_SECONDS = 3600;

/** How long a user's files may take to be loaded. */
const LOADING_SECONDS = 60;

/** CANDOR_CHUNK_SECONDS sets how long a chunk may take. */
export function chunkSeconds(set = process.env.CANDOR_CHUNK_SECONDS): number {
  if (set === undefined || set === "") return MOST_SECONDS;
  const seconds = isDecimal(set) ? Number(set) : Number.NaN;
  if (seconds > 0 && seconds <= 1e6) return seconds;
  throw plainError(
    "CANDOR_CHUNK_SECONDS",
    `must be a number of seconds, above 0 and up to 1e6, got ${showValue(set)}`,
  );
}

/** The module at `entry` exports what `threadFunctions` makes: `compute` by default, and `preflight`. */
export function threads(count: number, entry: URL): Threads {
  const seconds = chunkSeconds();
  const turns = new Turns(count);
  let pool: Tinypool | undefined;
  const close = async () => {
    const old = pool;
    pool = undefined;
    await old?.destroy();
  };
  const compute = async (study: Study, chunk: number, abandoned?: AbortSignal): Promise<ChunkResult> => {
    pool ??= poolOf(count, entry);
    const mine = pool;
    const isDropped = () => pool !== mine || abandoned?.aborted === true;
    const dropped = () => new Dropped(`chunk ${chunk}: dropped`);
    await turns.take();
    try {
      if (isDropped()) throw dropped();
      const task = { ...shared(study), chunk };
      const reply = await runFor(seconds, (signal) => mine.run(task, { signal }), abandoned).catch(
        (error: Error) => {
          if (isDropped()) throw dropped();
          if (error instanceof TimeIsUp)
            throw new ChunkTooLong(
              `chunk ${chunk}: ${study.analysis.spec} did not end it within ${seconds} seconds (CANDOR_CHUNK_SECONDS=${2 * seconds} waits longer)`,
            );
          // What waits for a thread that is lost would wait forever.
          void close();
          throw new Error(`chunk ${chunk}: its thread ended: ${oneLine(error)}`);
        },
      );
      if ("error" in reply) throw reply.problem ? new InputError(reply.problem) : new Error(reply.error);
      return reply;
    } finally {
      turns.give();
    }
  };
  const preflight = async (study: Study): Promise<string | null> => {
    pool ??= poolOf(count, entry);
    const mine = pool;
    const limit = Math.min(seconds, LOADING_SECONDS);
    return runFor(limit, (signal) => mine.run(study, { name: "preflight", signal })).catch((error: Error) =>
      error instanceof TimeIsUp ? `its files do not load within ${limit} seconds` : oneLine(error),
    );
  };
  const run = (order: Order) => runMany({ compute, close, atOnce: QUEUED * count }, order);
  return { compute, preflight, close, run, threads: () => count };
}

/** So many at once; the others wait, in their order. What Tinypool is given begins at once: it is known when. */
class Turns {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async take(): Promise<void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  give(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free++;
    else next();
  }
}

class TimeIsUp extends Error {}

/** Aborts work, which ends its thread, when time is up or another signal comes. */
async function runFor<Result>(
  seconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
  other?: AbortSignal,
): Promise<Result> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, seconds * 1000);
  other?.addEventListener("abort", stop, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    throw late ? new TimeIsUp() : error;
  } finally {
    clearTimeout(timer);
    other?.removeEventListener("abort", stop);
  }
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

/** What runs in each thread; `lost` rejects with what users' code throws where nothing waits for it, `check` throws where it did not keep to what answers rest on. */
export function threadFunctions(
  resolver: Resolver,
  program: () => string,
  { lost, check }: { readonly lost: Promise<never>; readonly check: () => Promise<void> },
) {
  let chunks = 0;
  const computed = async (task: Task): Promise<ChunkResult> => {
    const result = await (await find(task))(task.chunk);
    // After 1, 2, 4, 8, … chunks: what is checked rests on all that were computed before.
    chunks++;
    if ((chunks & (chunks - 1)) === 0) await check();
    return result;
  };
  const prepared = new Map<string, Promise<ComputeChunk>>();
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
        return await Promise.race([lost, computed(task)]);
      } catch (error) {
        const isPlain = error instanceof InputError && error.problem.kind === "plain";
        return { error: oneLine(error), ...(isPlain && { problem: error.problem }) };
      }
    },
    preflight: (study: Study): Promise<string | null> =>
      Promise.race([lost, prepare(study)]).then(() => null, oneLine),
  };
}
