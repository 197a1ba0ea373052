/**
 * Runs the property tests on fresh seeds: `npm run fuzz -- --minutes 10`. Stops at the first seed on which one fails, and
 * says how to repeat it: `npm run fuzz -- --seed S`.
 */

import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";

/** What takes minutes on one seed is no use here: its small part is elsewhere. */
const isLong = (path) => path.startsWith("test/long/");

/** How a test file shows that it draws cases: by itself, or by a contract or a suite that does. */
const DRAWS = /from "fast-check"|from ".*(contracts|random-programs\/suite)\.js"/;

const options = { minutes: { type: "string", default: "5" }, seed: { type: "string" } };

function numberOf(name, text) {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0) return value;
  console.error(`fuzz: --${name}: must be a number ≥ 0, got ${text}`);
  process.exit(2);
}

const propertyTests = (given) =>
  given.length > 0
    ? given
    : readdirSync("test", { recursive: true })
        .map((path) => `test/${path}`)
        .filter(
          (path) => path.endsWith(".test.ts") && !isLong(path) && DRAWS.test(readFileSync(path, "utf8")),
        )
        .sort();

/** Whether all properties hold on a seed; null if the time was over before that was known. */
function holdOn(seed, files, until) {
  const left = until - Date.now();
  if (left <= 0) return null;
  const vitest = [
    "vitest",
    "run",
    "--config",
    "test/vitest.config.ts",
    "--bail",
    "1",
    "--reporter",
    "dot",
    ...files,
  ];
  return new Promise((resolve) => {
    const child = spawn("npx", vitest, { env: { ...process.env, FC_SEED: String(seed) }, detached: true });
    const said = [];
    // A child of its own group does not hear Ctrl-C.
    const stop = () => {
      process.kill(-child.pid);
      process.exit(130);
    };
    process.once("SIGINT", stop);
    child.stdout.on("data", (chunk) => said.push(chunk));
    child.stderr.on("data", (chunk) => said.push(chunk));
    let over = false;
    const clock = setTimeout(
      () => {
        over = true;
        process.kill(-child.pid);
      },
      Math.min(left, 2 ** 31 - 1),
    );
    child.on("close", (code) => {
      clearTimeout(clock);
      process.off("SIGINT", stop);
      if (!over && code !== 0) process.stdout.write(Buffer.concat(said));
      resolve(over ? null : code === 0);
    });
  });
}

async function fuzz() {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const files = propertyTests(positionals);
  const fixed = values.seed === undefined ? null : numberOf("seed", values.seed);
  const until =
    fixed === null ? Date.now() + 60_000 * numberOf("minutes", values.minutes) : Number.POSITIVE_INFINITY;
  for (let seeds = 0; ; seeds++) {
    const seed = fixed ?? randomInt(2 ** 31);
    const holds = await holdOn(seed, files, until);
    if (holds === null) return console.log(`Seeds on which all properties hold: ${seeds}.`);
    console.log(
      holds ? `seed ${seed}: all hold` : `seed ${seed}: fails; repeat with npm run fuzz -- --seed ${seed}`,
    );
    if (!holds) process.exitCode = 1;
    if (!holds || fixed !== null) return;
  }
}

await fuzz();
