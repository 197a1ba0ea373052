import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { lock } from "../../src/study/lock.js";
import { root, temporaryFolder } from "../cli/candor.js";

const PROCESSES = 6;
const ROUNDS = 300;

/** In each round all ask at the same moment for the lock of a dead process; who gets it keeps it. */
const contender = `
  import { writeFileSync } from "node:fs";
  import { lock } from ${JSON.stringify(pathToFileURL(join(root, "dist/src/study/lock.js")).href)};
  const still = new Int32Array(new SharedArrayBuffer(4));
  const [folder, begin] = process.argv.slice(1);
  for (let round = 0; round < ${ROUNDS}; round++) {
    // Asleep, not in a loop: those who wait must not keep each other from a core.
    Atomics.wait(still, 0, 0, Math.max(0, Number(begin) + 10 * round - Date.now()));
    if ("release" in lock(folder + "/" + round + ".lock"))
      writeFileSync(folder + "/" + round + "." + process.pid + ".got", "");
  }
  process.stdout.write("asked");
  process.stdin.on("end", () => {}).resume();`;

it("a dead process's lock goes to one of several that ask for it at the same moment", async () => {
  const folder = temporaryFolder();
  const dead = spawnSync("true").pid;
  for (let round = 0; round < ROUNDS; round++)
    writeFileSync(join(folder, `${round}.lock`), `${dead} ${hostname()}`);
  const args = ["--input-type=module", "-e", contender, folder, String(Date.now() + 2000)];
  const children = Array.from({ length: PROCESSES }, () => spawn(process.execPath, args));
  // Nobody leaves before all have asked: a process that is gone holds nothing.
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  for (const child of children) child.stdin.end();
  await Promise.all(children.map((child) => once(child, "close")));
  const got = readdirSync(folder).filter((name) => name.endsWith(".got"));
  const winners = Array.from({ length: ROUNDS }, (_, k) => got.filter((name) => name.startsWith(`${k}.`)));
  expect(winners.filter(({ length }) => length !== 1)).toEqual([]);
});

it("who does not get it leaves it as it was for the next", () => {
  const path = join(temporaryFolder(), "a.lock");
  const first = lock(path);
  expect(lock(path)).toEqual({ holder: `process ${process.pid}` });
  if ("release" in first) first.release();
  expect(existsSync(path)).toBe(false);
  const next = lock(path);
  expect("release" in next && readFileSync(path, "utf8")).toContain(`${process.pid} ${hostname()}`);
});
