/** `candor worker`: does chunks of studies that others start. */

import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { type Address, parseAddress, shown } from "../study/redis/connect.js";
import { type Skill, serve } from "../study/redis/serve.js";
import { Pools } from "./pools.js";
import { program } from "./program.js";
import { redisPlace } from "./redis-place.js";
import { refusal } from "./refusal.js";
import type { Session } from "./session.js";
import { integerOption, numberOption, required } from "./values.js";

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
  const pools = new Pools(flags.threads);
  const terminated = new AbortController();
  process.once("SIGTERM", () => terminated.abort());
  const signal = AbortSignal.any([session.signal, terminated.signal]);
  const count = `${flags.threads} ${flags.threads === 1 ? "thread" : "threads"}`;
  session.warn(`worker ${program()} with ${count} waits for studies at ${shown(address)}; Ctrl-C leaves`);
  const skill: Skill = {
    program: program(),
    threads: flags.threads,
    refusal: (study) => refusal(study, program()),
    perform: (study, chunk) => pools.perform(study, chunk),
  };
  try {
    await serve({ ...place, skill, signal, lockSeconds: flags.lockSeconds });
  } finally {
    await pools.close();
  }
}
