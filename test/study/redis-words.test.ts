import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { whyNot } from "../../src/cli/worker.js";
import { compute, inMemory } from "../../src/study/compute.js";
import { collectJob } from "../../src/study/job.js";
import { loadDriver, parseAddress, shown } from "../../src/study/redis/connect.js";
import { redisExecutor } from "../../src/study/redis/executor.js";
import type { Study } from "../../src/study/study.js";
import { contextFor } from "../analyses/context.js";
import { candorProcess, root, temporaryFolder } from "../cli/candor.js";
import { isLong } from "../long.js";
import { analyze, machine, slow, worker } from "./machines.js";
import { freePort, redisServer } from "./redis-server.js";

/** As the built program says itself. */
const { program }: { program: () => string } = await import(join(root, "dist/src/cli/program.js"));

const short = { spec: "./slow.ts:markets=10" };

it.runIf(isLong)(
  "a chunk that fails three times fails the study, with its number and the error",
  async () => {
    const server = await redisServer();
    await worker(server.url);
    const { code, stdout } = await analyze(["--redis", server.url], { spec: "./slow.ts:markets=20,poison=7" })
      .end;
    expect(code).toBe(1);
    expect(stdout).toContain("failed: chunk 1: RangeError: market 7 is bad (slow.ts:17) (tried 3 times)\n");
    await expect.poll(() => server.leftovers()).toEqual([]);
  },
);

it.runIf(isLong)(
  "a worker without the user's file, or with another, says so and leaves the study alone until it has it",
  async () => {
    const server = await redisServer();
    const [bare, other] = [machine(null), machine(slow.replace("20)", "21)"))];
    const workers = [await worker(server.url, { cwd: bare }), await worker(server.url, { cwd: other })];
    const study = analyze(["--redis", server.url], short);
    await expect
      .poll(() => workers[0]!.text())
      .toMatch(/leaves \S+ \(study \w+\) alone: slow\.ts: no such file\n/);
    await expect
      .poll(() => workers[1]!.text())
      .toMatch(/alone: \S+: is not the same file as the one the study/);
    const line =
      /^candor: no worker takes this study: .* not the same file .*; slow\.ts: no such file \(.*\)\n$/;
    await expect.poll(() => study.text()).toMatch(line);
    const { stdout } = await candorProcess(["status", "--redis", server.url]);
    expect(stdout).toMatch(/leaves study \w+ alone: slow\.ts: no such file\n/);
    writeFileSync(join(bare, "slow.ts"), slow);
    expect((await study.end).code).toBe(0);
  },
);

const names = {
  program: program(),
  analysis: { spec: "landscape", checksum: null },
  mechanism: { spec: "online", checksum: null },
  agents: [],
  markets: [],
  seed: "1",
  profile: "quick",
  cells: [{ cell: 1, markets: 1 }],
  rows: false,
} satisfies Study;

it.runIf(isLong)("a study of another program is refused, and whoever started it hears why", async () => {
  const server = await redisServer();
  const helper = await worker(server.url);
  const stopped = new AbortController();
  const heard: string[] = [];
  const warn = (line: string) => {
    heard.push(line);
    stopped.abort(new Error("heard"));
  };
  const place = { address: parseAddress(server.url, "--redis"), warn, driver: await loadDriver(), key: null };
  const job = collectJob(
    () => 1,
    () => 1,
  );
  const computing = compute({
    study: { ...names, program: "0.1.0+000000000000" },
    job,
    context: contextFor(1),
    executor: redisExecutor(place),
    archive: inMemory(),
    signal: stopped.signal,
  });
  await expect(computing).rejects.toThrow("heard");
  const reason = `the study is of candor 0.1.0+000000000000, the worker of ${program()}`;
  expect(heard).toEqual([expect.stringContaining(`no worker takes this study: ${reason} (`)]);
  expect(helper.text()).toContain(`alone: ${reason}\n`);
});

it("a worker runs only what candor has, and files in its own folder that are the same", async () => {
  const refused = (analysis: Study["analysis"]) => whyNot({ ...names, analysis }, program());
  expect(await whyNot({ ...names, cells: [] }, program())).toBe(null);
  expect(await refused({ spec: "no-such", checksum: null })).toMatch(/^analyze: no "no-such"; /);
  expect(await refused({ spec: "../slow.ts", checksum: "0" })).toMatch(/not in the folder/);
  expect(await refused({ spec: "/tmp/slow.ts", checksum: "0" })).toMatch(/not in the folder/);
  expect(await refused({ spec: "test/study/slow.ts", checksum: null })).toMatch(/not the same file/);
  expect(await refused({ spec: "test/study/slow.ts", checksum: "0" })).toMatch(/not the same file/);
});

it.runIf(isLong)("status tells studies, chunks and workers, for people and for programs", async () => {
  const server = await redisServer();
  const helper = await worker(server.url);
  const study = analyze(["--redis", server.url], { spec: "./slow.ts:markets=5000" });
  await expect.poll(async () => (await server.status()).studies[0]?.chunks.done).toBeGreaterThan(2);
  const { stdout } = await candorProcess(["status", "--redis", server.url, "--json"]);
  const told = JSON.parse(stdout);
  expect(told.workers).toEqual([
    { host: expect.any(String), pid: helper.child.pid, program: program(), threads: 1, refuses: {} },
  ]);
  const [{ analysis, chunks, coordinator, rate, secondsLeft }] = told.studies;
  expect([analysis, coordinator.pid]).toEqual(["./slow.ts:markets=5000", study.child.pid]);
  expect(chunks.done + chunks.waiting + chunks.active).toBe(chunks.all);
  expect(rate * secondsLeft).toBeCloseTo(chunks.all - chunks.done);
  const text = (await candorProcess(["status", "--redis", server.url])).stdout;
  expect(text).toMatch(/^redis:\/\/\S+: 1 study, 1 worker with 1 thread\n/);
});

it.runIf(isLong)("passwords work and are never shown", async () => {
  const secret = "s3cr%t@word";
  const server = await redisServer("--requirepass", secret);
  const url = server.url.replace("//", `//:${encodeURIComponent(secret)}@`);
  const helper = await worker(url);
  const cwd = machine();
  const study = analyze(["--redis", url], { ...short, cwd });
  const { stdout, stderr } = await study.end;
  const status = await candorProcess(["status", "--redis", url]);
  expect(status.stdout).toContain(`redis://***@127.0.0.1:${server.port}: 0 studies`);
  const files = readdirSync(join(cwd, "out")).map((name) => readFileSync(join(cwd, "out", name), "utf8"));
  const all = [helper.text(), stdout, stderr, status.stdout, status.stderr, ...files].join("\n");
  expect(all).toContain("redis://***@127.0.0.1");
  for (const form of [secret, encodeURIComponent(secret), "s3cr"]) expect(all).not.toContain(form);
  const place = `Redis at 127.0.0.1:${server.port}`;
  expect(await complaint(server.url)).toBe(
    `${place}: asks for a password, as in redis://:PASSWORD@HOST:PORT`,
  );
  expect(await complaint(url.replace("s3cr", "other"))).toBe(
    `${place}: does not take this user and password`,
  );
});

it.runIf(isLong)("rediss:// works with a certificate that is trusted, and no other", async () => {
  const folder = temporaryFolder();
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", key, "-out", certificate];
  const named = ["-subj", "/CN=candor", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", "-nodes", ...made, ...named], { stdio: "ignore" });
  const port = await freePort();
  const tls = ["--tls-port", String(port), "--tls-cert-file", certificate, "--tls-key-file", key];
  const plain = await redisServer(...tls, "--tls-auth-clients", "no");
  const url = `rediss://127.0.0.1:${port}`;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificate };
  await worker(url, { env });
  expect((await analyze(["--redis", url], { ...short, env }).end).code).toBe(0);
  expect(await complaint(url)).toMatch(
    /certificate that this machine does not trust; NODE_EXTRA_CA_CERTS=FILE/,
  );
  expect(await complaint(plain.url.replace("redis:", "rediss:"))).toMatch(
    /without TLS its address begins with redis:/,
  );
  expect(await complaint(url.replace("rediss:", "redis:"))).toMatch(
    /with TLS its address begins with rediss:/,
  );
});

/** The one line of a call that cannot do anything. */
async function complaint(url: string): Promise<string> {
  const { code, stdout, stderr } = await candorProcess(["status", "--redis", url]);
  expect([code, stdout]).toEqual([2, ""]);
  const [, line] = /^candor: (.*)\n$/.exec(stderr) ?? [];
  return line ?? stderr;
}

it("an address that is none, or where nothing is, gets one line and exit code 2", async () => {
  const free = await freePort();
  expect(await complaint(`redis://127.0.0.1:${free}`)).toBe(
    `Redis at 127.0.0.1:${free}: refuses the connection: nothing listens there`,
  );
  const { code, stderr } = await candorProcess([
    "analyze",
    "landscape",
    "--redis",
    `redis://localhost:${free}`,
  ]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^candor: Redis at localhost.*nothing listens there\n$/),
  ]);
  expect(await complaint("http://me:s3cr@here")).toMatch(/^--redis: must be the address of a Redis server/);
  expect(await complaint("redis://me:s3cr@host/zero")).toMatch(/number of a database$/);
  expect((await candorProcess(["worker"])).stderr).toBe(
    "candor: --redis: missing, must be the address of a Redis server\n",
  );
});

it.runIf(isLong)("a worker waits for a server that is not there yet", async () => {
  const server = await redisServer();
  await server.stop();
  const helper = await worker(server.url);
  await expect
    .poll(() => helper.text())
    .toContain(`Redis at 127.0.0.1:${server.port} does not answer; trying again`);
  await server.start();
  await expect.poll(async () => (await server.status()).workers.length).toBe(1);
});

it("addresses are shown without what is secret", () => {
  const shownAs = (url: string) => shown(parseAddress(url, "--redis"));
  expect(shownAs("redis://me:s3cr@HOST")).toBe("redis://***@HOST:6379");
  expect(shownAs("rediss://:s3cr@[::1]:7000/3")).toBe("rediss://***@[::1]:7000/3");
  expect(shownAs("redis://10.0.0.7")).toBe("redis://10.0.0.7:6379");
});

it("says what to install where the packages for it are missing", async () => {
  const hook = `export async function resolve(name, context, next) {
    if (name === "bullmq") throw Object.assign(new Error("none"), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context);
  }`;
  const register = `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(hook)}");`;
  const node = ["--import", `data:text/javascript,${encodeURIComponent(register)}`];
  const { code, stderr } = await candorProcess(["worker", "--redis", "redis://127.0.0.1"], "", { node });
  expect([code, stderr]).toEqual([
    2,
    "candor: --redis: needs two more packages: npm install bullmq ioredis\n",
  ]);
});
