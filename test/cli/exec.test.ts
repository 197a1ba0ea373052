import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { named } from "../../src/cli/resolve.js";
import { whyNot } from "../../src/cli/worker.js";
import { codeOn } from "../pages.js";
import { candor, candorProcess, ended, fileWith, root, start, temporaryFolder } from "./candor.js";

const market = JSON.stringify({
  rules: { budget: 6, rounds: 3 },
  workers: [
    { id: 0, reputation: 0.6, cost: 0.4, arrival: 1 },
    { id: 1, reputation: 0.9, cost: 0.7, arrival: 2 },
    { id: 2, reputation: 0.5, cost: 1.2, arrival: 1 },
  ],
});

/** The examples on the page on mechanisms. */
const [mine = "", liar = ""] = codeOn("src/mechanisms/README.md", "python");

const python = spawnSync("python3", ["--version"]).status === 0;
const inPython = (title: string) =>
  python ? title : `python3 is not installed here, so this is not tried: ${title}`;

/** A mechanism for Node that hires nobody, with something done before each answer. */
const idle = (before: string) =>
  fileWith(
    "idle.mjs",
    `import { createInterface } from "node:readline";
    import { spawn } from "node:child_process";
    import { existsSync, rmSync, writeFileSync } from "node:fs";
    for await (const line of createInterface({ input: process.stdin })) {
      const { rules, bids, random, question } = JSON.parse(line);
      const workers = bids.map(({ id }) => id).sort((a, b) => a - b).map((id) => ({ id, selectedAt: null, rounds: 0, payment: 0 }));
      let answer = JSON.stringify({ started: true, startDelay: 0, workers, thresholds: [], budgetEvents: [] });
      ${before}
      console.log(answer);
    }`,
  );

const node = (path: string, settings = "") => `exec:${settings}"${process.execPath}" "${path}"`;

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Until something is so; the test's own time limit ends a wait in vain. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("a mechanism in another language", () => {
  it(inPython("its page's decides as the built-in one does, and its lies are searched for"), async () => {
    expect(mine).toContain("serve(decide)");
    if (!python) return;
    const spec = `exec:python3 '${fileWith("mine.py", mine)}'`;
    const [own, builtIn, lies, check] = await Promise.all([
      candorProcess(["run", "-", "--mechanism", spec, "--json"], market),
      candorProcess(["run", "-", "--mechanism", "bid-greedy", "--json"], market),
      candorProcess(["best-response", "-", "--mechanism", spec, "--effort", "200", "--json"], market),
      candorProcess(["check", "-", "--mechanism", spec, "--property", "P5"], market),
    ]);
    expect([own.stderr, own.code]).toEqual(["", 0]);
    const { workers, spent } = JSON.parse(own.stdout);
    expect({ workers, spent }).toEqual(
      ((all) => ({ workers: all.workers, spent: all.spent }))(JSON.parse(builtIn.stdout)),
    );
    expect(JSON.parse(lies.stdout)).toMatchObject({ mechanism: spec, method: "search", exact: false });
    expect(check.code).toBe(1);
    const [, replay = ""] = /replay: (.*)/.exec(check.stdout) ?? [];
    const again = spawnSync("sh", ["-c", replay.replace("candor ", "npm run --silent candor -- ")], {
      cwd: root,
      encoding: "utf8",
    });
    expect([again.stderr, again.stdout]).toEqual(["", expect.stringMatching(/gains/)]);
  });

  it(inPython("what it raises is told with its line"), async () => {
    if (!python) return;
    const path = fileWith("mine.py", mine.replace("left = rules", "print(1)\n    left = rules['none']"));
    const { code, stdout, stderr } = await candorProcess(
      ["run", "-", "--mechanism", `exec:python3 ${path}`],
      market,
    );
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^candor: exec:python3 \S+: decide on stdin:1: failed: KeyError: 'none' \(\S+, line \d+\)\n$/,
    );
  });

  it.each([
    ["answer = 'hello';", "", /failed: must answer in JSON, got "hello"/],
    ["answer = '{\"workers\": []}';", "", /started: missing/],
    [
      "console.error('no\\nmoney left'); process.exit(3);",
      "",
      /failed: ended with exit code 3: money left\n/,
    ],
    ["while (true);", "seconds=0.5:", /failed: no answer within 0.5 seconds/],
    ["answer = JSON.stringify({ error: 'I do not know' });", "", /failed: I do not know\n/],
    [
      "answer = answer.replace('{', '{\"question\":' + (question - 1) + ',');",
      "",
      /failed: answers question 0, and was asked question 1\n/,
    ],
    [
      "answer = [answer, answer].join(String.fromCharCode(10));",
      "",
      /said more than one line for one question/,
    ],
    [
      "answer = answer.replace('true', Math.random() < 0.5).replace('0', Math.random() < 0.5);",
      "",
      /candor: exec/,
    ],
  ])("%s is one line", async (before, settings, message) => {
    const { code, stdout, stderr } = await candorProcess(
      ["run", "-", "--mechanism", node(idle(before), settings)],
      market,
    );
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^candor: [^\n]*\n$/);
    expect(stderr).toMatch(message);
  });

  it.each([
    ["exec:", '"exec:": names no command'],
    ["exec:python3 'mine.py", "a quotation mark is not closed"],
    ["exec:no-such-program", 'cannot be started: no such program, "no-such-program"'],
    ["exec:second=3:true", 'no option "second"; did you mean "seconds"?'],
  ])("%s is refused", async (spec, message) => {
    const { code, stderr } = await candor(["run", "-", "--mechanism", spec], market);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("is started again where it ends, and asked once more", async () => {
    const stone = fileWith("stone", "");
    const path = idle(
      `if (existsSync(${JSON.stringify(stone)})) { rmSync(${JSON.stringify(stone)}); process.exit(1); }`,
    );
    const { code, stderr } = await candorProcess(["run", "-", "--mechanism", node(path)], market);
    expect([code, stderr, existsSync(stone)]).toEqual([0, "", false]);
  });

  it("that draws says so, and is handed a number that the seed fixes", async () => {
    const path = idle(
      "answer = answer.replace('\"startDelay\":0', '\"startDelay\":' + Math.floor(1000 * random));",
    );
    const delay = async (settings: string) =>
      JSON.parse(
        (await candorProcess(["run", "-", "--json", "--mechanism", node(path, settings)], market)).stdout,
      ).startDelay;
    const [one, again, other] = await Promise.all(
      ["draws=yes:", "draws=yes,seed=0:", "draws=yes,seed=1:"].map(delay),
    );
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  it("is asked in all threads of an analysis, with the same results", async () => {
    const [out, other, lines] = [
      temporaryFolder(),
      temporaryFolder(),
      fileWith("m.jsonl", `${market}\n${market}\n`),
    ];
    const args = ["analyze", "own-markets", "--markets", lines, "--mechanism", node(idle("")), "--out"];
    const ends = await Promise.all([
      candorProcess([...args, out, "--threads", "2"]),
      candorProcess([...args, other, "--threads", "1"]),
    ]);
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    const [data, same] = [out, other].map((folder) => readFileSync(join(folder, "data.json"), "utf8"));
    expect(data).toBe(same);
  });

  it("is known by the files it names and imports, and runs on no machine but this", async () => {
    const folder = temporaryFolder();
    const [path, beside] = [join(folder, "mine.py"), join(folder, "beside.py")];
    writeFileSync(path, "from beside import x\n");
    writeFileSync(beside, "x = 1\n");
    const before = named(`exec:python3 ${path}`);
    expect(named(`exec:python3 ${path}`)).toEqual(before);
    writeFileSync(beside, "x = 2\n");
    expect(named(`exec:python3 ${path}`).checksum).not.toBe(before.checksum);
    const none = { spec: "landscape", checksum: null };
    const study = {
      program: "p",
      analysis: none,
      mechanism: before,
      agents: [],
      markets: [],
      seed: "1",
      cells: [],
      rows: false,
    };
    expect(await whyNot({ ...study, profile: "quick" }, "p")).toMatch(/only on the machine/);
    const { code, stderr } = await candorProcess([
      "analyze",
      "landscape",
      "--mechanism",
      "exec:true",
      "--redis",
      "redis://127.0.0.1:1",
    ]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^candor: --redis: exec:true runs only on/)]);
  });

  it("what it has started ends with it: after a time-out, where it ends itself, and at the end", async () => {
    const pidFile = join(temporaryFolder(), "pid");
    // A process of its own that holds the output open.
    const forks = `const more = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: ["ignore", "inherit", "inherit"] });
      writeFileSync(${JSON.stringify(pidFile)}, String(more.pid)); more.unref();`;
    for (const [then, settings] of [
      ["while (true);", "seconds=0.5:"],
      ["process.exit(3);", ""],
      ["", ""],
    ] as const) {
      await candorProcess(["run", "-", "--mechanism", node(idle(`${forks} ${then}`), settings)], market);
      const left = Number(readFileSync(pidFile, "utf8"));
      expect(left).toBeGreaterThan(0);
      await until(() => !alive(left));
    }
  });

  it("an answer with the number of its question is as good as one without", async () => {
    const numbered = idle("answer = answer.replace('{', '{\"question\":' + question + ',');");
    const run = async (path: string) =>
      JSON.parse((await candorProcess(["run", "-", "--json", "--mechanism", node(path)], market)).stdout)
        .workers;
    expect(await run(numbered)).toEqual(await run(idle("")));
  });

  it("leaves no process behind: neither at the end nor at Ctrl-C", async () => {
    const pidFile = join(temporaryFolder(), "pid");
    const says = `writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`;
    const stays = idle(`${says} setInterval(() => {}, 1000);`);
    await candorProcess(["run", "-", "--mechanism", node(stays)], market);
    const stayed = Number(readFileSync(pidFile, "utf8"));
    await until(() => !alive(stayed));
    writeFileSync(pidFile, "");
    const child = start(["run", "-", "--mechanism", node(idle(`${says} while (true);`), "seconds=600:")]);
    const end = ended(child);
    child.stdin.end(market);
    await until(() => readFileSync(pidFile, "utf8") !== "");
    child.kill("SIGINT");
    expect((await end).code).toBe(130);
    const stuck = Number(readFileSync(pidFile, "utf8"));
    await until(() => !alive(stuck));
  });
});

describe("an agent in another language", () => {
  it(inPython("its page's bids by its view and a number that the seed fixes"), async () => {
    expect(liar).toContain("serve(bid)");
    if (!python) return;
    const agent = `exec:python3 ${fileWith("liar.py", liar)}`;
    const ask = async (seed: string) =>
      (await candorProcess(["try", "-", "--agent", agent, "--seed", seed, "--json"], market)).stdout;
    const [first, again, other] = await Promise.all(["1", "1", "2"].map(ask));
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    const { agent: name, workers } = JSON.parse(first!);
    expect(name).toBe(agent);
    for (const { price, arrival, id } of workers) {
      const { cost, arrival: truth } = JSON.parse(market).workers[id];
      expect(price).toBeGreaterThanOrEqual(cost);
      expect(price).toBeLessThanOrEqual(1.5 * cost);
      expect(arrival).toBe(truth);
    }
  });

  it("is refused in one line where it answers with no bid", async () => {
    const { code, stderr } = await candorProcess(
      ["try", "-", "--agent", node(idle("")).replace("bids.map", "[].map")],
      market,
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^candor: exec:[^\n]*bid of worker 0[^\n]*\n$/),
    ]);
  });
});
