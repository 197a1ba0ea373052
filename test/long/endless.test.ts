/** A chunk that never ends is ended, and holds up nothing else. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { chunkSeconds } from "../../src/study/threads.js";
import { candorProcess, temporaryFolder } from "../cli/candor.js";
import { studyFile } from "../cli/study.js";
import { analyze, machine, slow, worker } from "../study/machines.js";
import { redisServer } from "../study/redis-server.js";

const limited = (seconds: number) => ({ ...process.env, CANDOR_CHUNK_SECONDS: String(seconds) });

/** The market that is poisoned never ends. */
const endless = slow.replace(/throw new RangeError\(.*\);/, "for (;;);");

it("in a thread: its analysis fails with one line that names it, and the next is done", async () => {
  const { path } = studyFile({ before: "if (k === 32) for (;;);" });
  const out = temporaryFolder();
  const args = ["analyze", path, "test/report/fixture.ts", "--threads", "1", "--out", out];
  const { code, stdout } = await candorProcess(args, "", { env: limited(20) });
  const line = `chunk 6: ${path} did not end it within 20 seconds (CANDOR_CHUNK_SECONDS=40 waits longer)`;
  expect([code, stdout]).toEqual([1, expect.stringContaining(`  failed: ${line}\n`)]);
  const { analyses } = JSON.parse(readFileSync(join(out, "data.json"), "utf8"));
  expect(analyses.map(({ state }: { state: string }) => state)).toEqual(["failed", "done"]);
});

it("at a worker: its study fails at once with the same line", async () => {
  const server = await redisServer();
  const text = endless;
  await worker(server.url, { cwd: machine(text), env: limited(20) });
  const spec = "./slow.ts:markets=5,poison=0";
  const { code, stdout } = await analyze(["--redis", server.url], { spec, cwd: machine(text) }).end;
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/failed: chunk 0: \S+ did not end it within 20 seconds .* \(tried 1 times\)\n/),
  ]);
});

it("at a worker whose study is given up: its thread is free for the next", async () => {
  const server = await redisServer();
  const helper = await worker(server.url, { cwd: machine(endless) });
  const spec = "./slow.ts:markets=5,poison=0";
  const given = analyze(["--redis", server.url], { spec, cwd: machine(endless) });
  await expect.poll(() => helper.text()).toContain(`works on ${spec}`);
  await expect.poll(async () => (await server.status()).studies[0]?.chunks.active).toBe(1);
  given.child.kill("SIGINT");
  await given.end;
  const next = analyze(["--redis", server.url], { spec: "./slow.ts:markets=5", cwd: machine(endless) });
  expect(JSON.parse(await next.data()).analyses[0].state).toBe("done");
});

it("the limit is a number of seconds", () => {
  expect([undefined, "", "0.5", "1e6"].map(chunkSeconds)).toEqual([3600, 3600, 0.5, 1e6]);
  for (const wrong of ["0", "-1", "many", "Infinity", "1e7"])
    expect(() => chunkSeconds(wrong)).toThrow("CANDOR_CHUNK_SECONDS: must be a number of seconds, above 0");
});
