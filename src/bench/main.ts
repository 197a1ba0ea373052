/**
 * `npm run bench`: each speed the project promises, measured in one run on input drawn beforehand. Names of benches, as in
 * `npm run bench -- auction`, run those alone.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { median, quantile } from "d3-array";
import type { SurveyCell } from "../../analyses/shared/survey.js";
import { truthfulnessMap } from "../../analyses/truthfulness-map.js";
import { program } from "../cli/program.js";
import { exactly } from "../lib/fraction.js";
import { stream } from "../lib/random.js";
import { microseconds } from "../lib/statistics.js";
import { drawMarkets } from "../market/draw.js";
import { bidders, type Market, paperRules, type Worker } from "../market/market.js";
import { mechanisms } from "../mechanisms/index.js";
import { type Columns, columnsOf, OnlineEngine } from "../mechanisms/online/engine.js";
import { online } from "../mechanisms/online/online.js";
import { onlineResponses } from "../mechanisms/online/solver.js";
import { piecesOf } from "../proofs/prove.js";
import { plainShape } from "../proofs/shape.js";
import { cellsOf, pieceSummary } from "../proofs/worst.js";
import { pairsOf } from "../responses/coalition.js";
import { Draws } from "../responses/draws.js";
import { pieceResponses } from "../responses/index.js";
import { bestJointLie } from "../responses/joint-lie.js";
import { compute, type Executor, inMemory, merge } from "../study/compute.js";
import { workContext } from "../study/context.js";
import type { Cells } from "../study/job.js";
import { type Driver, loadDriver, parseAddress, tryAddress } from "../study/redis/connect.js";
import { redisExecutor } from "../study/redis/executor.js";
import type { Study } from "../study/study.js";
import { type Threads, threads } from "../study/threads.js";

const round = (value: number): number => Number(value.toPrecision(4));

const rounded = <Row extends object>(row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "number" ? round(value) : value]),
  ) as Row;

const ROUNDS = 10;

interface AuctionRow {
  readonly workers: number;
  readonly rounds: number;
  readonly microseconds: number;
}

function paperMarkets(workers: number, count: number): Market[] {
  const rules = { ...paperRules, budget: 1.25 * workers, rounds: ROUNDS };
  return [...drawMarkets({ rules, workers }, count, stream("bench").fork(workers))];
}

const columnsFor = (market: Market): Columns => columnsOf(bidders(market.workers));

/** How long one auction takes, untraced, on the paper's markets at a budget of 1.25 per worker. */
function benchAuction(workers: number): AuctionRow {
  const count = Math.max(4, Math.min(40, Math.floor(2e5 / workers)));
  const engine = new OnlineEngine();
  const prepared = paperMarkets(workers, count).map((market) => ({
    rules: market.rules,
    columns: columnsFor(market),
  }));
  const all = () => {
    for (const { rules, columns } of prepared) engine.run(rules, columns);
  };
  microseconds(all, 300);
  const batches = Array.from({ length: 15 }, () => microseconds(all, 20) / count);
  return { workers, rounds: ROUNDS, microseconds: median(batches)! };
}

interface ResponseRow {
  readonly workers: number;
  readonly rounds: number;
  /** The median market. */
  readonly milliseconds: number;
  readonly auctionsWorth: number;
  /** Nine markets in ten cost no more than this. */
  readonly auctionsWorth90: number;
}

/** What the exact best responses of all workers cost, in milliseconds and in plain auctions of the same market. */
function benchBestResponse(workers: number): ResponseRow {
  const engine = new OnlineEngine();
  const markets = paperMarkets(workers, 60);
  for (let warm = 0; warm < 3; warm++) for (const market of markets) onlineResponses(market);
  const rows = markets.map((market) => {
    const columns = columnsFor(market);
    const auction = () =>
      median([0, 1, 2].map(() => microseconds(() => engine.run(market.rules, columns), 2)))!;
    const response = () => median([0, 1, 2].map(() => microseconds(() => onlineResponses(market), 5)))!;
    const [before, taken, after] = [auction(), response(), auction()];
    return { milliseconds: taken / 1000, worth: taken / ((before + after) / 2) };
  });
  return {
    workers,
    rounds: ROUNDS,
    milliseconds: median(rows.map(({ milliseconds }) => milliseconds))!,
    auctionsWorth: median(rows.map(({ worth }) => worth))!,
    auctionsWorth90: quantile(
      rows.map(({ worth }) => worth),
      0.9,
    )!,
  };
}

const measured = ["two-stage", "multi-stage", "vanilla", "bid-greedy", "rrafl", "posted-rounds"] as const;

interface AnyMechanismRow {
  readonly mechanism: string;
  readonly workers: number;
  readonly rounds: number;
  /** All best responses of the median market. */
  readonly milliseconds: number;
  readonly auctionsWorth: number;
}

/** What exact best responses to mechanisms other than the paper's cost, in milliseconds and in plain auctions. */
const benchAnyMechanism = (workers: number): AnyMechanismRow[] => measured.map((name) => row(name, workers));

function row(name: (typeof measured)[number], workers: number): AnyMechanismRow {
  const mechanism = mechanisms[name];
  const markets = paperMarkets(workers, workers > 50 ? 5 : 20);
  for (const market of markets.slice(0, 5)) pieceResponses(market, mechanism);
  const times = markets.map((market) => {
    const bids = bidders(market.workers);
    const auction = microseconds(() => mechanism.decide(market.rules, bids), 20);
    const taken = microseconds(() => pieceResponses(market, mechanism), 1);
    return { milliseconds: taken / 1000, worth: taken / auction };
  });
  return {
    mechanism: name,
    workers,
    rounds: ROUNDS,
    milliseconds: median(times, ({ milliseconds }) => milliseconds)!,
    auctionsWorth: median(times, ({ worth }) => worth)!,
  };
}

interface ProveRow {
  readonly mechanism: string;
  readonly workers: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly cells: number;
}

/** How long it takes to settle all claims for all costs, budgets and arrivals, in one thread. */
function benchProve(name: keyof typeof mechanisms, workers: number, rounds: number): ProveRow {
  const shape = plainShape({
    ...paperRules,
    mechanism: mechanisms[name],
    rounds,
    firstRoundRatio: exactly(paperRules.firstRoundRatio),
    reputations: Array.from({ length: workers }, () => exactly(1)),
  });
  let cells = 0;
  const all = () => {
    cells = 0;
    for (const piece of piecesOf(shape)) pieceSummary(shape, piece, counted(cellsOf(shape, piece)));
  };
  function* counted<Cell>(found: Iterable<Cell>): Generator<Cell> {
    for (const cell of found) {
      cells++;
      yield cell;
    }
  }
  const seconds = round(median([0, 1, 2].map(() => microseconds(all, 0) / 1e6))!);
  return { mechanism: name, workers, rounds, seconds, cells };
}

interface InterimRow {
  readonly workers: number;
  readonly rounds: number;
  readonly draws: number;
  readonly millisecondsPerType: number;
}

/** What the best lie of a worker who does not see the others costs: over all prices and arrivals, on so many draws. */
function benchInterim(workers: number, count: number): InterimRow {
  const markets = paperMarkets(workers, count);
  const draws = new Draws({ rules: markets[0]!.rules, workers: markets.map((market) => market.workers) });
  const types = paperMarkets(workers, 1)[0]!
    .workers.slice(0, 9)
    .map((type) => ({ ...type, arrival: 1 }));
  const respond = (type: Worker) => draws.landscape(type).best(type);
  for (const type of types.slice(0, 3)) respond(type);
  const times = types.map((type) => microseconds(() => respond(type), 1) / 1000);
  return { workers, rounds: ROUNDS, draws: count, millisecondsPerType: median(times)! };
}

/** The best joint lies of all pairs of some markets as in the paper: cells, time, and how many pairs need no cell at all. */
function benchPairs(workers: number, rounds: number): object {
  const rules = { ...paperRules, budget: 0.125 * workers * rounds, rounds };
  const markets = [...drawMarkets({ rules, workers }, 4, stream("bench").fork("pairs"))];
  const ask = (market: Market) =>
    pairsOf(market).map((members) => bestJointLie(market, { mechanism: online, members }));
  ask(markets[0]!);
  let found: ReturnType<typeof ask> = [];
  const time = microseconds(() => {
    found = markets.slice(1).flatMap(ask);
  }, 0);
  const cells = found.reduce((sum, { evaluations }) => sum + evaluations, 0);
  const discarded = found.filter(({ evaluations }) => evaluations === 0).length;
  const [perPair, share] = [time / 1000 / found.length, discarded / found.length];
  return {
    workers,
    rounds,
    millisecondsPerPair: perPair,
    cellsPerPair: cells / found.length,
    discarded: share,
  };
}

/** How fast a large study goes: on one thread, on all cores, and through Redis, in turns so that noise hits all alike. */
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

async function benchStudy(): Promise<StudyRow> {
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

const benches: Readonly<Record<string, () => object | Promise<object>>> = {
  auction: () => [100, 1_000, 10_000, 100_000].map((workers) => rounded(benchAuction(workers))),
  bestResponse: () => [20, 100, 500].map((workers) => rounded(benchBestResponse(workers))),
  anyMechanism: () => [20, 100].flatMap((workers) => benchAnyMechanism(workers).map(rounded)),
  interim: () => [20, 100].map((workers) => rounded(benchInterim(workers, 1000))),
  pairs: () =>
    [
      [5, 3],
      [10, 5],
      [20, 10],
    ].map(([workers, rounds]) => rounded(benchPairs(workers!, rounds!))),
  study: async () => rounded(await benchStudy()),
  prove: () => [
    ...[
      [2, 2],
      [2, 3],
      [3, 2],
      [3, 3],
    ].map(([workers, rounds]) => benchProve("online", workers!, rounds!)),
    ...(["rrafl", "proportional-share"] as const).map((name) => benchProve(name, 5, 2)),
  ],
};

const named = process.argv.slice(2).filter((argument) => argument in benches);
const results: Record<string, object> = {};
for (const name of named.length > 0 ? named : Object.keys(benches)) results[name] = await benches[name]!();

if (process.argv.includes("--json")) console.log(JSON.stringify(results));
else
  for (const [name, rows] of Object.entries(results)) {
    console.log(name);
    console.table(rows);
  }
