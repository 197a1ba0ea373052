/** `candor worker`: does chunks of studies that others start. */

import { availableParallelism } from "node:os";
import { isAbsolute, relative } from "node:path";
import { type Command, Option } from "commander";
import { oneLine } from "../errors.js";
import { type Address, parseAddress, shown } from "../sweep/redis/address.js";
import { type Skill, serve } from "../sweep/redis/serve.js";
import type { Named, Study } from "../sweep/study.js";
import { threads } from "../sweep/threads.js";
import { splitFile } from "./extension.js";
import { prepare } from "./prepare.js";
import { redisPlace } from "./redis-place.js";
import type { Session } from "./session.js";
import { integerOption, numberOption, required } from "./values.js";
import { version } from "./version.js";

const examples = `
Takes chunks of every study that is started with --redis and the same address, until it is stopped. Ctrl-C gives
unfinished chunks back. It runs only what this candor has, and files of the study's own if the very same are in the
folder where it is started. A server that is not there yet is waited for.

Example:
  candor worker --redis redis://10.0.0.7:6379 --threads 8`;

interface WorkerFlags {
  readonly redis?: Address;
  readonly threads: number;
  readonly lockSeconds: number;
}

export function define(command: Command, session: Session): void {
  command
    .option("--redis <url>", "the server that connects workers and studies", (url) =>
      parseAddress(url, "--redis"),
    )
    .option(
      "--threads <count>",
      "how many chunks are done at once",
      integerOption("--threads", { from: 1, to: 256 }),
      availableParallelism(),
    )
    .addOption(
      new Option("--lock-seconds <count>", "after how many seconds a chunk of a dead worker goes to others")
        .argParser(numberOption("--lock-seconds", { from: 1, to: 3600 }))
        .default(15)
        .hideHelp(),
    )
    .addHelpText("after", examples)
    .action((flags: WorkerFlags) => work(flags, session));
}

async function work(flags: WorkerFlags, session: Session): Promise<void> {
  const address = required(flags.redis, "--redis", "the address of a Redis server");
  const place = await redisPlace(address, { session, waits: true });
  const pool = threads(flags.threads, new URL("./thread.js", import.meta.url));
  const terminated = new AbortController();
  process.once("SIGTERM", () => terminated.abort());
  const signal = AbortSignal.any([session.signal, terminated.signal]);
  const count = `${flags.threads} ${flags.threads === 1 ? "thread" : "threads"}`;
  session.say(`worker ${version()} with ${count} waits for studies at ${shown(address)}; Ctrl-C leaves`);
  const skill: Skill = {
    version: version(),
    threads: flags.threads,
    refusal,
    perform: (study, chunk) => pool.perform(study, chunk),
  };
  try {
    await serve({ ...place, skill, signal, lockSeconds: flags.lockSeconds });
  } finally {
    await pool.close();
  }
}

/** Another version may compute something else; other code must not run at all. */
async function refusal(study: Study): Promise<string | null> {
  if (study.candor !== version()) return `the study is of candor ${study.candor}, the worker of ${version()}`;
  const outside = [study.analysis, study.mechanism].find(isOutside);
  if (outside !== undefined) return `${outside.spec}: is not in the folder where the worker was started`;
  try {
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
