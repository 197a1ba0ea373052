/** `candor worker`: computes chunks of studies that others start. */

import { availableParallelism } from "node:os";
import { isAbsolute, relative } from "node:path";
import { oneLine } from "../lib/errors.js";
import { checkNames, namesOf, prepareStudy } from "../study/context.js";
import { parseAddress, reachServer, shown } from "../study/redis/connect.js";
import { type Capabilities, runWorker } from "../study/redis/worker.js";
import type { ChunkResult, Study } from "../study/study.js";
import { type Threads, threads } from "../study/threads.js";
import { onlyHere } from "./exec.js";
import { splitFile } from "./extension.js";
import { splitRules } from "./input.js";
import { program } from "./program.js";
import { resolver, THREAD } from "./resolve.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const examples = `
Takes chunks of every study that is started with --redis and the same address, until it is stopped. Ctrl-C gives
unfinished chunks back. It runs only what this candor has, and files of the study's own if the very same are in the
folder where it is started. A server that is not there yet is waited for.

Example:
  candor worker --redis redis://10.0.0.7:6379 --threads 8`;

const options = {
  redis: option.value("<url>", "the server that connects workers and studies", parseAddress),
  threads: option
    .integer("<count>", "how many chunks are done at once", { from: 1, to: 256 })
    .default(availableParallelism()),
  lockSeconds: {
    ...option
      .number("<count>", "after how many seconds a chunk of a dead worker goes to others", {
        from: 1,
        to: 3600,
      })
      .default(15),
    hidden: true,
  },
};

type Flags = option.FlagsOf<typeof options>;

export const define = option.command({ options, help: examples }, work);

async function work(flags: Flags, session: Session): Promise<void> {
  session.listens();
  const address = option.required(flags.redis, "--redis", "the address of a Redis server");
  const place = await reachServer(address, session, { waits: true });
  const pools = new ThreadsByContent(flags.threads);
  const terminated = new AbortController();
  process.once("SIGTERM", () => terminated.abort());
  const signal = AbortSignal.any([session.signal, terminated.signal]);
  const count = `${flags.threads} ${flags.threads === 1 ? "thread" : "threads"}`;
  session.warn(`worker ${program()} with ${count} waits for studies at ${shown(address)}; Ctrl-C stops it`);
  const capabilities: Capabilities = {
    program: program(),
    threads: flags.threads,
    whyNot: (study) => whyNot(study, program()),
    compute: (study, chunk, abandoned) => pools.compute(study, chunk, abandoned),
  };
  try {
    await runWorker({ ...place, capabilities, signal, lockSeconds: flags.lockSeconds });
  } finally {
    await pools.close();
  }
}

const contentOf = (study: Study): string => JSON.stringify(namesOf(study).map(({ checksum }) => checksum));

/** A thread keeps a user's file as it was when it was first loaded: another content needs other threads. */
class ThreadsByContent {
  private readonly pools = new Map<string, { readonly threads: Threads; busy: number }>();

  /** So many threads each. */
  constructor(private readonly count: number) {}

  async compute(study: Study, chunk: number, abandoned: AbortSignal): Promise<ChunkResult> {
    const pool = this.poolFor(contentOf(study));
    pool.busy++;
    try {
      return await pool.threads.compute(study, chunk, abandoned);
    } finally {
      pool.busy--;
    }
  }

  private poolFor(content: string) {
    const known = this.pools.get(content);
    if (known !== undefined) return known;
    for (const [old, { busy, threads: idle }] of this.pools) {
      if (busy > 0) continue;
      this.pools.delete(old);
      void idle.close();
    }
    const made = { threads: threads(this.count, THREAD), busy: 0 };
    this.pools.set(content, made);
    return made;
  }

  /** Ends all threads at once. */
  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.threads.close()));
  }
}

/** Why a worker cannot do a study: another program may compute something else, and other code must not run at all. Null: it can. */
export async function whyNot(study: Study, program: string): Promise<string | null> {
  if (study.program !== program) return `the study is of candor ${study.program}, the worker of ${program}`;
  const names = namesOf(study);
  const command = names.find(({ spec }) => spec.includes("exec:"));
  if (command !== undefined) return `${command.spec} ${onlyHere}`;
  const outside = names.find(isOutside);
  if (outside !== undefined) return `${outside.spec}: is not in the folder where the worker was started`;
  try {
    checkNames(study, resolver);
    if (names.some(({ checksum }) => checksum !== null)) return await tried(study);
    await prepareStudy(study, resolver);
    return null;
  } catch (error) {
    return oneLine(error);
  }
}

function isOutside({ kind, spec }: ReturnType<typeof namesOf>[number]): boolean {
  const file = kind === "markets" ? splitRules(spec).file : splitFile(spec).file;
  if (file === null) return false;
  const path = relative("", file);
  return isAbsolute(path) || path.split(/[\\/]/)[0] === "..";
}

/** By names and checksums: the seeds of a study matter little. */
const attempts = new Map<string, Promise<string | null>>();

/** A user's file may need what is not installed here; this thread stays clear of it. */
function tried(study: Study): Promise<string | null> {
  const key = JSON.stringify(namesOf(study));
  const found = attempts.get(key) ?? preflight(study);
  attempts.set(key, found);
  // What lacked may have come when the study is looked at again.
  found.then((reason) => reason !== null && attempts.delete(key));
  return found;
}

async function preflight(study: Study): Promise<string | null> {
  const one = threads(1, THREAD);
  try {
    return await one.preflight(study);
  } finally {
    await one.close();
  }
}
