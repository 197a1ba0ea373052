/** What runs in each thread: takes chunks of studies and gives back their results. */

import { oneLine } from "../lib/errors.js";
import type { ChunkResult, Study } from "../study/study.js";
import type { Reply, Task } from "../study/threads.js";
import { type Doer, prepare } from "./prepare.js";
import { program } from "./program.js";

/** An analysis that works step by step makes many studies; only the latest are needed again. */
const REMEMBERED = 8;

const doers = new Map<string, Promise<Doer>>();

// The thread would be gone without a word, and its chunk waited for.
process.exit = (() => {
  throw new Error("process.exit was called");
}) as typeof process.exit;

export default async function doTask({ id, text, chunk }: Task): Promise<Reply> {
  try {
    return await resultOf({ id, text, chunk });
  } catch (error) {
    return { error: oneLine(error) };
  }
}

/** Threads load the code when they start: by then it may have been built anew. */
async function prepareHere(study: Study): Promise<Doer> {
  if (study.program === program()) return prepare(study);
  throw new Error(`the program has changed since the study was begun: ${study.program}, now ${program()}`);
}

async function resultOf({ id, text, chunk }: Task): Promise<ChunkResult> {
  let doer = doers.get(id);
  if (doer === undefined) {
    doer = prepareHere(JSON.parse(Buffer.from(text).toString()));
    doers.set(id, doer);
    // What lacked may be there the next time.
    doer.catch(() => doers.delete(id));
    for (const old of [...doers.keys()].slice(0, -REMEMBERED)) doers.delete(old);
  }
  return (await doer)(chunk);
}
