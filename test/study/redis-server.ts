/** A real Redis server on a free port of this machine, which goes when the test ends. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { loadDriver } from "../../src/study/redis/connect.js";
import { readStatus, type Status } from "../../src/study/redis/records.js";
import { temporaryFolder } from "../cli/candor.js";

export class RedisServer {
  private child: ChildProcess | undefined;
  readonly redis: Redis;

  constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly options: readonly string[],
  ) {
    this.redis = new Redis({ port, maxRetriesPerRequest: null, lazyConnect: true });
    this.redis.on("error", () => {});
    onTestFinished(async () => {
      this.redis.disconnect();
      await this.stop();
    });
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    mkdirSync(this.folder, { recursive: true });
    const kept = ["--dir", this.folder, "--appendonly", "yes", "--appendfsync", "always", "--save", ""];
    const open = ["--bind", "127.0.0.1", "--port", String(this.port)];
    this.child = spawn("/usr/bin/redis-server", [...open, ...kept, ...this.options], { stdio: "ignore" });
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  /** What was there before is lost. */
  forget(): void {
    rmSync(this.folder, { recursive: true });
  }

  async status(): Promise<Status> {
    return readStatus(this.redis, await loadDriver());
  }

  /** What is left there when no study is. */
  async leftovers(): Promise<string[]> {
    return (await this.redis.keys("*")).filter((key) => !key.startsWith("candor:worker"));
  }
}

export async function redisServer(...options: string[]): Promise<RedisServer> {
  const server = new RedisServer(await freePort(), join(temporaryFolder(), "data"), options);
  await server.start();
  return server;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
