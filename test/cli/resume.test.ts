import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { calledAs } from "../../src/cli/first-thread.js";
import { isLong } from "../long.js";
import { candor, type Ended, ended, main, root, start, temporaryFolder } from "./candor.js";
import { blockedBy, PER_CHUNK, type StudyFile, studyFile } from "./study.js";

const dataIn = (folder: string) => readFileSync(join(folder, "data.json"), "utf8");
const journalIn = (folder: string) => join(folder, "journal.jsonl");

/** Chunks whose lines are whole in a journal. */
function chunksIn(folder: string): number[] {
  if (!existsSync(journalIn(folder))) return [];
  const lines = readFileSync(journalIn(folder), "utf8").split("\n").slice(1, -1);
  return lines.map((line) => JSON.parse(line).chunk);
}

const until = async (holds: () => boolean): Promise<void> => {
  await expect.poll(holds, { interval: 20 }).toBe(true);
};

const whole = new Map<number, string>();

/** What a run that is not stopped gives, computed once; where the file is does not matter. */
async function wholeRun(padding = 0): Promise<string> {
  const out = temporaryFolder();
  if (!whole.has(padding)) {
    expect((await candor(["analyze", studyFile({ padding }).path, "--out", out])).code).toBe(0);
    whole.set(padding, dataIn(out));
  }
  return whole.get(padding)!;
}

/** A run that gets stuck in a market once chunks 0..3 are done; `unstick` is for later ones. */
function stuckStudy(): { study: StudyFile; unstick: () => void } {
  const stone = join(temporaryFolder(), "stone");
  writeFileSync(stone, "");
  const study = studyFile({ before: `if (k >= 22) ${blockedBy(stone)}` });
  return { study, unstick: () => rmSync(stone) };
}

/** The program's command line under another name. */
function link(name: string): string {
  const path = join(temporaryFolder(), name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(main, path);
  return path;
}

/** As from a shell: these tests may themselves be run by npm. */
const unmanaged = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")),
);

const killed = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.on("close", () => resolve());
    child.kill("SIGKILL");
  });

/** Goes on, and must not look again at what was finished. */
async function resumed(study: StudyFile, args: readonly string[], out: string): Promise<Ended> {
  const kept = chunksIn(out);
  expect(kept.length).toBeGreaterThan(0);
  const before = study.looked().length;
  const end = await candor(args);
  const again = study.looked().slice(before);
  expect(again.filter((k) => kept.includes(Math.floor(k / PER_CHUNK)))).toEqual([]);
  expect([end.code, end.stderr]).toEqual([0, ""]);
  expect(readdirSync(out).sort()).toEqual(["data.json", "mine.gains.csv", "report.html"]);
  return end;
}

it("what to type to call the program again is what was typed", () => {
  const typed = (path: string) => calledAs(path, {});
  expect(typed("/usr/bin/candor")).toBe("candor");
  expect(typed("/home/a/node_modules/.bin/candor")).toBe("npx candor");
  expect(typed(main)).toMatch(/^node \S*main\.js$/);
});

describe("--resume", () => {
  it("after kill -9 gives the same bytes as a run that was not stopped, and does nothing finished again", async () => {
    const { study, unstick } = stuckStudy();
    const out = temporaryFolder();
    const args = ["analyze", study.path, "--threads", "2", "--out", out];
    const child = start(args);
    await until(() => chunksIn(out).length === 4);
    await killed(child);
    expect(readdirSync(out).sort()).toEqual(["journal.jsonl", "journal.lock"]);
    unstick();
    await resumed(study, [...args, "--resume"], out);
    expect(dataIn(out)).toBe(await wholeRun());
  });

  it.each<[string, () => string[], string]>([
    ["from a clone", () => ["npm", "run", "--silent", "candor", "--"], "npm run --silent candor --"],
    ["in a project", () => [process.execPath, link("node_modules/.bin/candor")], "npx candor"],
  ])(
    "is what Ctrl-C advises, even in the middle of a chunk, in the form it was called: %s",
    async (_, how, form) => {
      const { study, unstick } = stuckStudy();
      const out = temporaryFolder();
      const [file = "", ...before] = how();
      const args = ["analyze", study.path, "--threads", "2", "--seed", "a b", "--out", out];
      // A terminal sends Ctrl-C to all processes of the group.
      const child = spawn(file, [...before, ...args], { cwd: root, detached: true, env: unmanaged });
      const end = ended(child);
      await until(() => chunksIn(out).length === 4);
      process.kill(-child.pid!, "SIGINT");
      const { code, stderr, stdout } = await end;
      // npm passes the signal on to itself; a shell tells of it as 130.
      const told = child.signalCode === "SIGINT" ? 130 : code;
      expect([told, stdout]).toEqual([130, expect.stringContaining("  interrupted\n")]);
      const line = stderr.slice(`candor: to go on from here: ${form} `.length);
      expect(stderr).toBe(`candor: to go on from here: ${form} ${line}`);
      expect(line).toMatch(/^analyze .* --seed 'a b' .* --resume\n$/);
      unstick();
      const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, inside, word]) => inside ?? word!);
      await resumed(study, words, out);
      expect(JSON.parse(dataIn(out)).analyses[0].state).toBe("done");
    },
  );

  it.runIf(isLong)("is what Ctrl-C advises, too, where the analysis itself is stuck", async () => {
    const stone = join(temporaryFolder(), "stone");
    writeFileSync(stone, "");
    const study = studyFile({ markets: 20, last: blockedBy(stone) });
    const out = temporaryFolder();
    const args = ["analyze", study.path, "--threads", "2", "--out", out];
    const child = start(args);
    onTestFinished(() => void child.kill("SIGKILL"));
    const end = ended(child);
    await until(() => chunksIn(out).length === 4);
    child.kill("SIGINT");
    const { code, stderr } = await end;
    expect([code, stderr]).toEqual([
      130,
      expect.stringMatching(/^candor: to go on from here: .* --resume\n$/),
    ]);
    rmSync(stone);
    await resumed(study, [...args, "--resume"], out);
  });

  it("is refused in one line while the run goes on, for another study, and where there is nothing to resume", async () => {
    const { study } = stuckStudy();
    const out = temporaryFolder();
    const args = ["analyze", study.path, "--threads", "1", "--out", out];
    const child = start(args);
    await until(() => chunksIn(out).length === 4);
    const refused = async (more: readonly string[], words: string) => {
      const { code, stdout, stderr } = await candor([...args, ...more]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(new RegExp(`^candor: .*journal\\.jsonl: ${words}.*\n$`));
    };
    await refused(["--resume"], `process ${child.pid} is writing it`);
    await refused([], `process ${child.pid} is writing it`);
    await killed(child);
    const before = readFileSync(journalIn(out));
    await refused(["--resume", "--seed", "2"], "belongs to another study: seed 1, not 2");
    writeFileSync(study.path, `${readFileSync(study.path, "utf8")}\n`);
    await refused(["--resume"], "belongs to another study: mine.ts has changed since");
    expect(readFileSync(journalIn(out))).toEqual(before);
    await refused(["--resume", "--out", join(out, "new")], "no such file: there is nothing to resume");
    expect(existsSync(join(out, "new"))).toBe(false);
  });

  it("works after a chunk has failed for a reason that is gone", async () => {
    const stone = join(temporaryFolder(), "stone");
    writeFileSync(stone, "");
    const before = `if (k === 32 && existsSync(${JSON.stringify(stone)})) throw new Error("a stone");`;
    const study = studyFile({ before });
    const out = temporaryFolder();
    const args = ["analyze", study.path, "--out", out];
    const { code, stderr } = await candor(args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^candor: to go on from here: .* --resume\n$/)]);
    rmSync(stone);
    await resumed(study, [...args, "--resume"], out);
    expect(dataIn(out)).toBe(await wholeRun());
  });
});

/** The program as it is installed elsewhere: the path of its command line. */
function installed(): string {
  const folder = temporaryFolder();
  for (const name of ["dist", "package.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return join(folder, "dist/src/cli/main.js");
}

describe("another build of the program", () => {
  it("goes on if its code is the same, wherever it is, and refuses if a file of it is not", async () => {
    const { study, unstick } = stuckStudy();
    const out = temporaryFolder();
    const args = ["analyze", study.path, "--threads", "2", "--out", out];
    const child = start(args);
    await until(() => chunksIn(out).length === 4);
    await killed(child);
    unstick();
    const other = installed();
    const run = (...more: string[]) =>
      ended(spawn(process.execPath, [other, ...args, "--resume", ...more], { cwd: root }));
    const engine = join(other, "../../auction/auction.js");
    const text = readFileSync(engine, "utf8");
    writeFileSync(engine, `${text}\n0;`);
    const { code, stdout, stderr } = await run();
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^candor: .*belongs to another study: the program has changed from (0[.\d]+\+\w{12}) to (?!\1)0[.\d]+\+\w{12}; without --resume .*\n$/,
    );
    writeFileSync(engine, text);
    writeFileSync(join(other, "../left-behind-by-an-earlier-build.js"), "");
    expect((await run()).code).toBe(0);
    expect(dataIn(out)).toBe(await wholeRun());
  });
});

/** A folder that takes no more than so many kilobytes: a small disk, or a limit on files where none can be mounted. */
function smallDisk(kilobytes: number): { out: string; run: (args: readonly string[]) => Promise<Ended> } {
  const out = temporaryFolder();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "none", out]).status === 0;
  if (mounted) onTestFinished(() => void spawnSync("umount", [out]));
  const limit = mounted ? "" : `ulimit -f ${kilobytes};`;
  const command = `${limit} exec "$@"`;
  const run = (args: readonly string[]) =>
    ended(spawn("bash", ["-c", command, "bash", process.execPath, main, ...args], { cwd: root }));
  return { out, run };
}

describe("a full disk", () => {
  it.each([
    ["while chunks are kept", 2000, "journal\\.jsonl: cannot be written"],
    ["while the report is written", 0, "cannot be written to"],
  ])("%s is one line that says how to go on, and nothing finished is lost", async (_, padding, words) => {
    const study = studyFile({ padding });
    const disk = smallDisk(64);
    const { code, stdout, stderr } = await disk.run(["analyze", study.path, "--out", disk.out]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      new RegExp(
        `^candor: .*${words}: (no space left \\(ENOSPC|too large for this disk \\(EFBIG)\\); to go on from here: .* --resume\n$`,
      ),
    );
    expect(readdirSync(disk.out)).toEqual(["journal.jsonl"]);
    const out = temporaryFolder();
    copyFileSync(journalIn(disk.out), journalIn(out));
    await resumed(study, ["analyze", study.path, "--out", out, "--resume"], out);
    expect(dataIn(out)).toBe(await wholeRun(padding));
  });
});
