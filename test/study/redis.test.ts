import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isLong } from "../long.js";
import { analyze, type Coordinating, machine, slow, worker } from "./machines.js";
import { type RedisServer, redisServer } from "./redis-server.js";

/** What comes out without Redis, computed once. */
let known: Promise<string> | undefined;
const alone = () => (known ??= analyze(["--threads", "2"]).data());

/** Something has been finished, but not all. */
const midway = (study: Coordinating) => expect.poll(() => study.kept(), { interval: 20 }).toBeGreaterThan(2);

/** Workers may take a moment to see that a study is over. */
const empty = (server: RedisServer) => expect.poll(() => server.leftovers()).toEqual([]);

describe("the same bytes", () => {
  it("on one thread, on two, and on two workers; and Redis is as empty as before", async () => {
    const server = await redisServer();
    await Promise.all([worker(server.url), worker(server.url)]);
    const study = analyze(["--redis", server.url]);
    expect(await analyze(["--threads", "1"]).data()).toBe(await alone());
    expect(await study.data()).toBe(await alone());
    await empty(server);
  });

  it("when a worker is killed and another joins", async () => {
    const server = await redisServer();
    const first = await worker(server.url);
    const study = analyze(["--redis", server.url]);
    await midway(study);
    first.child.kill("SIGKILL");
    await worker(server.url);
    expect(await study.data()).toBe(await alone());
    await empty(server);
  });

  it.runIf(isLong)("when a worker leaves: it gives its chunk back at once", async () => {
    const server = await redisServer();
    const first = await worker(server.url, {}, ["--lock-seconds", "600"]);
    const study = analyze(["--redis", server.url]);
    await midway(study);
    first.child.kill("SIGINT");
    expect((await first.end).code).toBe(130);
    const { active, waiting } = (await server.status()).studies[0]!.chunks;
    expect(active).toBe(0);
    expect(waiting).toBeGreaterThan(0);
    await worker(server.url);
    expect(await study.data()).toBe(await alone());
  });

  it.runIf(isLong)("when Redis is restarted", async () => {
    const server = await redisServer();
    const helper = await worker(server.url);
    const study = analyze(["--redis", server.url]);
    await midway(study);
    await server.stop();
    await server.start();
    expect(await study.data()).toBe(await alone());
    expect(helper.text() + study.text()).not.toMatch(/^ +at |rror/m);
  });

  it.runIf(isLong)("when Redis is away for a while and comes back without its data", async () => {
    const server = await redisServer();
    const helper = await worker(server.url);
    const study = analyze(["--redis", server.url]);
    await midway(study);
    await server.stop();
    server.forget();
    const away = `candor: Redis at 127.0.0.1:${server.port} does not answer; trying again\n`;
    for (const one of [helper, study]) await expect.poll(() => one.text()).toContain(away);
    await server.start();
    expect(await study.data()).toBe(await alone());
    const back = `candor: Redis at 127.0.0.1:${server.port} answers again\n`;
    expect((await study.end).stderr).toBe(away + back);
    await empty(server);
  });

  it.runIf(isLong)("when whoever started the study is killed and resumes it", async () => {
    const server = await redisServer();
    await worker(server.url);
    const cwd = machine();
    const first = analyze(["--redis", server.url], { cwd });
    await midway(first);
    first.child.kill("SIGKILL");
    await first.end;
    expect(await analyze(["--redis", server.url, "--resume"], { cwd }).data()).toBe(await alone());
    await empty(server);
  });

  it.runIf(isLong)(
    "when whoever started the study is interrupted: Redis is cleared, and --resume goes on without it",
    async () => {
      const server = await redisServer();
      const helper = await worker(server.url);
      const cwd = machine();
      const first = analyze(["--redis", server.url], { cwd });
      await midway(first);
      first.child.kill("SIGINT");
      const { code, stderr } = await first.end;
      expect([code, stderr]).toEqual([
        130,
        expect.stringMatching(/^candor: to go on from here: .* --resume\n$/),
      ]);
      await empty(server);
      helper.child.kill("SIGKILL");
      expect(await analyze(["--resume"], { cwd }).data()).toBe(await alone());
    },
  );

  it.runIf(isLong)(
    "for two studies at once, and for the same study twice: the second waits for the first",
    async () => {
      const server = await redisServer();
      await worker(server.url, {}, ["--threads", "2"]);
      const spec = "./slow.ts:markets=20";
      const other = analyze(["--redis", server.url], { spec });
      const same = [analyze(["--redis", server.url]), analyze(["--redis", server.url])];
      await expect.poll(async () => (await server.status()).studies.length, { interval: 20 }).toBe(2);
      for (const study of same) expect(await study.data()).toBe(await alone());
      expect(await other.data()).toBe(await analyze(["--threads", "2"], { spec }).data());
      await empty(server);
    },
  );

  it.runIf(isLong)("with a file that was changed since the worker first loaded it", async () => {
    const server = await redisServer();
    const [there, here] = [machine(), machine()];
    await worker(server.url, { cwd: there });
    const spec = "./slow.ts:markets=10";
    const before = await analyze(["--redis", server.url], { cwd: here, spec }).data();
    for (const folder of [there, here])
      writeFileSync(join(folder, "slow.ts"), slow.replace("total + worker.cost", "total + 2 * worker.cost"));
    const after = await analyze(["--redis", server.url], { cwd: here, spec }).data();
    expect(after).not.toBe(before);
    expect(after).toBe(await analyze(["--threads", "1"], { cwd: here, spec }).data());
  });
});
