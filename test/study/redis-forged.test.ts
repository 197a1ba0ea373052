import { describe, expect, it } from "vitest";
import { studyId as idOf, type Study } from "../../src/study/study.js";
import { candorProcess } from "../cli/candor.js";
import { isLong } from "../long.js";
import { analyze, worker } from "./machines.js";
import { type RedisServer, redisServer } from "./redis-server.js";

const spec = "./slow.ts:markets=20";

let known: Promise<string> | undefined;
const alone = () => (known ??= analyze(["--threads", "1"], { spec }).data());

const withKey = (key: string) => ({ env: { ...process.env, CANDOR_KEY: key } });

const studyId = async (server: RedisServer): Promise<string> => {
  await expect.poll(async () => (await server.redis.smembers("candor:studies")).length).toBe(1);
  return (await server.redis.smembers("candor:studies"))[0]!;
};

const flawed = ["{}", "null", '{"summaries":"[1', "[]", "7", '{"summaries":1,"rows":null}', "", "\u0000"];

describe("whatever somebody puts into Redis", () => {
  it.runIf(isLong)("as a study or a worker's card is ignored with one line by all", async () => {
    const server = await redisServer();
    const places = flawed.map((text, k) => ({ text, study: `0123456789abcde${k}`, card: `odd-${k}` }));
    for (const { text, study, card } of places) {
      await server.redis.sadd("candor:studies", study);
      await server.redis.hset(`candor:study:${study}`, { study: text, progress: text });
      await server.redis.sadd("candor:workers", card);
      await server.redis.set(`candor:worker:${card}`, text);
    }
    const helper = await worker(server.url);
    const study = analyze(["--redis", server.url], { spec });
    expect(await study.data()).toBe(await alone());
    const { code, stdout, stderr } = await candorProcess(["status", "--redis", server.url]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/: 0 studies, 1 worker with 1 thread\n/)]);
    const studies = places.map((odd) => `candor:study:${odd.study} in Redis is not a study; ignored`);
    const cards = places.map(
      (odd) => `candor:worker:${odd.card} in Redis is not what a worker says of itself; ignored`,
    );
    expect(stderr).toBe([...studies, ...cards].map((line) => `candor: ${line}\n`).join(""));
    for (const line of studies) expect(helper.text().split(line)).toHaveLength(2);
    for (const line of cards) expect(study.text().split(line)).toHaveLength(2);
    expect(helper.child.exitCode).toBe(null);
  });

  it.runIf(isLong)("as a result is dropped with one line, and its chunk done again", async () => {
    const server = await redisServer();
    const study = analyze(["--redis", server.url], { spec });
    const id = await studyId(server);
    for (const [chunk, text] of flawed.entries())
      await server.redis.hset(`candor:results:${id}`, chunk, text);
    await expect
      .poll(() => study.text())
      .toContain("a result for chunk 0 in Redis was not written by a worker; dropped");
    const nulls = JSON.stringify({ summaries: "[null]", rows: null, signature: null });
    await server.redis.hset(`candor:results:${id}`, 1, nulls);
    await expect
      .poll(() => study.text())
      .toContain("a result for chunk 1 in Redis is not what the job of ./slow.ts:markets=20 makes; dropped");
    await worker(server.url);
    expect(await study.data()).toBe(await alone());
  });

  it.runIf(isLong)("in the place of what a study keeps there is replaced", async () => {
    const server = await redisServer();
    const study = analyze(["--redis", server.url], { spec });
    const id = await studyId(server);
    const { redis } = server;
    for (const key of [`candor:study:${id}`, `candor:results:${id}`, `candor:bell:${id}`, "candor:studies"]) {
      await redis.del(key);
      await redis.set(key, "{}");
    }
    // Once all chunks are out, only workers look at it.
    await expect.poll(() => redis.exists(`candor:queue:${id}:wait`)).toBe(1);
    await redis.del(`candor:queue:${id}:wait`);
    await redis.set(`candor:queue:${id}:wait`, "{}");
    await worker(server.url);
    expect(await study.data()).toBe(await alone());
  });

  it.runIf(isLong)("before a study begins is no result of it", async () => {
    const server = await redisServer();
    const first = analyze(["--redis", server.url], { spec });
    const id = await studyId(server);
    first.child.kill("SIGINT");
    await first.end;
    const forged = JSON.stringify({
      summaries: '[{"markets":5,"cost":0,"last":0}]',
      rows: null,
      signature: null,
    });
    for (let chunk = 0; chunk < 8; chunk++) await server.redis.hset(`candor:results:${id}`, chunk, forged);
    await worker(server.url);
    expect(await analyze(["--redis", server.url], { spec }).data()).toBe(await alone());
  });
});

it.runIf(isLong)(
  "a study of more chunks than memory can hold is refused in one line, and others are done",
  async () => {
    const server = await redisServer();
    const helper = await worker(server.url);
    const first = analyze(["--redis", server.url], { spec: "./slow.ts:markets=9000" });
    const id = await studyId(server);
    first.child.kill("SIGKILL");
    const posted = JSON.parse((await server.redis.hget(`candor:study:${id}`, "study"))!) as Study;
    const vast = { ...posted, cells: [{ cell: 5, markets: 9e15 }] };
    await server.redis.hset(`candor:study:${idOf(vast)}`, { study: JSON.stringify(vast) });
    await server.redis.sadd("candor:studies", idOf(vast));
    await expect
      .poll(() => helper.text())
      .toContain("study: it has about 2e+15 chunks of markets, and may have 1000000");
    expect(await analyze(["--redis", server.url], { spec }).data()).toBe(await alone());
  },
);

it.runIf(isLong)("all that a killed study leaves behind expires", async () => {
  const server = await redisServer();
  await worker(server.url);
  const study = analyze(["--redis", server.url], { spec: "./slow.ts:markets=9000" });
  await studyId(server);
  await expect.poll(() => study.kept()).toBeGreaterThan(1);
  study.child.kill("SIGKILL");
  await study.end;
  // One heartbeat of the worker later.
  const kept = async () =>
    (await server.redis.keys("candor:*")).filter((key) => !/candor:(studies|workers)$/.test(key));
  const lasting = async () => {
    const all = await kept();
    const lives = await Promise.all(all.map((key) => server.redis.pttl(key)));
    return all.filter((_, k) => lives[k] === -1);
  };
  const hasResults = async () => (await kept()).some((key) => key.startsWith("candor:results:"));
  await expect.poll(hasResults).toBe(true);
  await expect.poll(lasting).toEqual([]);
});

describe("with a CANDOR_KEY", () => {
  it("results are taken from workers that have it, and forged or unsigned ones are refused", async () => {
    const server = await redisServer();
    const study = analyze(["--redis", server.url], { spec, ...withKey("ours") });
    const id = await studyId(server);
    const forged = { summaries: '[{"markets":5,"cost":0,"last":0}]', rows: null };
    for (const [chunk, signature] of [null, "", "0".repeat(64)].entries())
      await server.redis.hset(`candor:results:${id}`, chunk, JSON.stringify({ ...forged, signature }));
    await expect
      .poll(() => study.text())
      .toContain("a result for chunk 0 in Redis is not signed by a worker with this CANDOR_KEY; dropped");
    const others = [await worker(server.url), await worker(server.url, withKey("theirs"))];
    await expect.poll(() => others[0]!.text()).toContain("it is signed, and the worker has no CANDOR_KEY");
    await expect.poll(() => others[1]!.text()).toContain("its signature is not of the worker's CANDOR_KEY");
    await worker(server.url, withKey("ours"));
    expect(await study.data()).toBe(await alone());
  });

  it.runIf(isLong)("a worker leaves a study alone that is not signed", async () => {
    const server = await redisServer();
    const helper = await worker(server.url, withKey("ours"));
    const study = analyze(["--redis", server.url], { spec });
    await expect.poll(() => helper.text()).toContain("it is not signed, and the worker has a CANDOR_KEY");
    study.child.kill("SIGINT");
    await study.end;
  });
});

it.runIf(isLong)("a database that the server does not have is refused in one line", async () => {
  const server = await redisServer();
  await expect.poll(() => server.redis.ping()).toBe("PONG");
  for (const args of [["status"], ["worker"], ["analyze", "landscape"]]) {
    const { code, stdout, stderr } = await candorProcess([...args, "--redis", `${server.url}/99`]);
    expect([code, stdout, stderr]).toEqual([
      2,
      "",
      `candor: Redis at 127.0.0.1:${server.port}: has no database of this number\n`,
    ]);
  }
});
