/** How fast a large study goes: on one thread, on all cores, and through Redis, in turns so that noise hits all alike. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { median } from "d3-array";
import type { SurveyCell } from "../../analyses/shared/gains.js";
import { truthfulnessMap } from "../../analyses/truthfulness-map.js";
import { program } from "../cli/program.js";
import { online } from "../mechanisms/online.js";
import { compute, inMemory, merge } from "../study/compute.js";
import { workContext } from "../study/context.js";
import type { Executor } from "../study/executor.js";
import type { Cells } from "../study/job.js";
import { type Driver, loadDriver, parseAddress, tryAddress } from "../study/redis/connect.js";
import { redisExecutor } from "../study/redis/executor.js";
import type { Study } from "../study/study.js";
import { type Threads, threads } from "../study/threads.js";

interface StudyRow {
  /** Exact best lies on all cores: each worker of each market at each budget, drawing included. */
  readonly workersPerSecond: number;
  /** Time on one thread over time on two. */
  readonly twoThreadsOverOne: number;
  /** Time by a worker with all cores, through Redis on this machine, over time on threads of this process. */
  readonly redisOverThreads?: number;
}

const WORKERS = 100;
const RATIOS = [0.03, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 5];

/** Several seconds on two threads: the last chunk to end, and the first to be found, must matter little. */
const MARKETS = { warm: 3000, counted: 8000 };
const REPEATS = 5;

export async function benchStudy(): Promise<StudyRow> {
  const cores = availableParallelism();
  const [one, two, all] = [1, 2, cores].map((count) => threads(count, THREAD)) as [Threads, Threads, Threads];
  const redis = await redisHere(cores);
  try {
    const [alone = [], paired = []] = await inTurns([one, two]);
    const [here = [], there = []] = await inTurns([all, ...(redis ? [redis.executor] : [])]);
    return {
      workersPerSecond: (MARKETS.counted * WORKERS * RATIOS.length) / median(here)!,
      twoThreadsOverOne: median(alone.map((time, k) => time / paired[k]!))!,
      ...(redis && { redisOverThreads: median(there.map((time, k) => time / here[k]!))! }),
    };
  } finally {
    await Promise.all([one, two, all, redis].map((each) => each?.close()));
  }
}

const THREAD = new URL("../cli/thread.js", import.meta.url);

/** Seconds of each repeat by executor, there and back again; each has done something before that does not count. */
async function inTurns(executors: readonly Executor[]): Promise<number[][]> {
  const times: number[][] = executors.map(() => []);
  for (const [k, executor] of executors.entries()) await seconds(executor, `warm ${k}`, MARKETS.warm);
  const turn = [...executors.entries()];
  for (let repeat = 0; repeat < REPEATS; repeat++, turn.reverse())
    for (const [k, executor] of turn)
      times[k]!.push(await seconds(executor, `counted ${repeat}`, MARKETS.counted));
  return times;
}

async function seconds(executor: Executor, seed: string, markets: number): Promise<number> {
  const { job } = truthfulnessMap;
  const cell: SurveyCell = { workers: WORKERS, rounds: 10, ratios: RATIOS, asked: null };
  const study = studyOf(seed, [{ cell, markets }]);
  const own = { agents: [], markets: [], mechanism: online, settings: {}, builtIn: true };
  const context = await workContext({ ...study, ...own, analysis: truthfulnessMap });
  const { signal } = new AbortController();
  const begun = performance.now();
  const computed = await compute({ study, job, context, executor, archive: inMemory(), signal });
  await merge(job, study.cells, computed);
  return (performance.now() - begun) / 1000;
}

const studyOf = (seed: string, cells: readonly Cells<SurveyCell>[]): Study => ({
  program: program(),
  analysis: { spec: truthfulnessMap.name, checksum: null },
  mechanism: { spec: "online", checksum: null },
  agents: [],
  markets: [],
  seed,
  profile: "quick",
  cells,
  rows: false,
});

/** A Redis server and a worker on this machine, for as long as they are measured. */
interface RedisHere {
  readonly executor: Executor;
  close(): Promise<void>;
}

/** One worker process with this many threads; null where Redis is not installed. */
async function redisHere(threads: number): Promise<RedisHere | null> {
  const driver = await loadDriver().catch(() => null);
  const port = await freePort();
  const server = driver && (await started(["redis-server", "--bind", "127.0.0.1", ...atPort(port)]));
  if (!driver || !server) return null;
  const url = `redis://127.0.0.1:${port}`;
  const address = parseAddress(url, "redis");
  await answering(address, driver);
  const program = fileURLToPath(new URL("../cli/main.js", import.meta.url));
  const worker = await started([
    process.execPath,
    program,
    "worker",
    ...["--redis", url, "--threads", String(threads)],
  ]);
  const close = async () => {
    for (const child of [worker, server]) if (child) await ended(child);
  };
  return { executor: redisExecutor({ address, driver, warn: () => {}, key: null }), close };
}

/** Keeps nothing on disk. */
const atPort = (port: number): string[] => ["--port", String(port), "--save", "", "--appendonly", "no"];

/** Null where there is no such program. */
async function started([program = "", ...parts]: readonly string[]): Promise<ChildProcess | null> {
  const child = spawn(program, parts, { stdio: "ignore" });
  const stop = () => child.kill("SIGKILL");
  process.once("exit", stop);
  child.once("exit", () => process.off("exit", stop));
  return Promise.race([once(child, "spawn").then(() => child), once(child, "error").then(() => null)]).catch(
    () => null,
  );
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

async function answering(address: ReturnType<typeof parseAddress>, driver: Driver): Promise<void> {
  for (let tries = 1; ; tries++) {
    const trouble = await tryAddress(address, driver, {
      waits: false,
      signal: new AbortController().signal,
    }).then(
      () => null,
      (error) => error,
    );
    if (trouble === null) return;
    if (tries === 100) throw trouble;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
