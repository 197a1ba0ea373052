/** A Redis server and a worker on this machine, for as long as they are measured. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import type { Executor } from "../study/gather.js";
import { parseAddress } from "../study/redis/address.js";
import { tryAddress } from "../study/redis/connect.js";
import { type Driver, loadDriver } from "../study/redis/driver.js";
import { redisExecutor } from "../study/redis/executor.js";

export interface RedisHere {
  readonly executor: Executor;
  close(): Promise<void>;
}

/** One worker process with so many threads; null where Redis is not installed. */
export async function redisHere(threads: number): Promise<RedisHere | null> {
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
  return { executor: redisExecutor({ address, driver, tell: () => {}, key: null }), close };
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
