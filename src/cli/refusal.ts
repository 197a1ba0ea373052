/** Why a worker cannot do a study. */

import { isAbsolute, relative } from "node:path";
import { Worker } from "node:worker_threads";
import { oneLine } from "../lib/errors.js";
import type { Named, Study } from "../study/study.js";
import { splitFile } from "./extension.js";
import { checkSame, prepare } from "./prepare.js";

/** Another program may compute something else; other code must not run at all. Null: it can. */
export async function refusal(study: Study, program: string): Promise<string | null> {
  if (study.program !== program) return `the study is of candor ${study.program}, the worker of ${program}`;
  const names = [study.analysis, study.mechanism];
  const outside = names.find(isOutside);
  if (outside !== undefined) return `${outside.spec}: is not in the folder where the worker was started`;
  try {
    for (const name of names) checkSame(name);
    if (names.some(({ checksum }) => checksum !== null)) return await rehearsed(study);
    await prepare(study);
    return null;
  } catch (error) {
    return oneLine(error);
  }
}

function isOutside({ spec }: Named): boolean {
  const { file } = splitFile(spec);
  if (file === null) return false;
  const path = relative("", file);
  return isAbsolute(path) || path.split(/[\\/]/)[0] === "..";
}

/** By names and checksums: an analysis that works step by step makes many studies of the same. */
const known = new Map<string, Promise<string | null>>();

/** A user's file may need what is not installed here; this thread stays clear of it. */
function rehearsed(study: Study): Promise<string | null> {
  const key = JSON.stringify([study.analysis, study.mechanism, study.job]);
  const found = known.get(key) ?? rehearse(study);
  known.set(key, found);
  // What lacked may have come when the study is looked at again.
  found.then((reason) => reason !== null && known.delete(key));
  return found;
}

function rehearse(study: Study): Promise<string | null> {
  const thread = new Worker(new URL("./rehearsal.js", import.meta.url), { workerData: study });
  return new Promise((resolve) => {
    thread.on("message", resolve);
    thread.on("error", (error) => resolve(oneLine(error)));
    thread.on("exit", () => resolve("its files end the thread that loads them"));
  }).finally(() => thread.terminate()) as Promise<string | null>;
}
