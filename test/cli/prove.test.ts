/** `prove` on the command line: words, JSON to the letter, certificates, threads and errors. */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { candor, temporaryFolder } from "./candor.js";

const prove = (...args: string[]) => candor(["prove", ...args]);
const small = ["--workers", "2", "--rounds", "3"];

describe("prove", () => {
  it("--json: one object with an entry per property, regime and start, and exit code 1 where one breaks", async () => {
    const { code, stdout, stderr } = await prove(...small, "--json");
    expect([code, stderr]).toEqual([1, ""]);
    const { claims, ...shape } = JSON.parse(stdout);
    expect(shape).toEqual({
      mechanism: "online",
      workers: 2,
      rounds: 3,
      reputations: ["1", "1"],
      ids: [0, 1],
      firstRoundRatio: "7/20",
      minWorkers: 1,
      reading: "prose",
      firstStep: "algorithm",
      delay: "postpone",
    });
    expect(claims).toHaveLength(32);
    const of = (property: string, start?: string) =>
      claims.find((claim: Record<string, string>) => claim.property === property && claim.start === start);
    expect(of("P1")).toEqual({
      property: "P1",
      regime: "sufficient",
      verdict: "proved",
      worst: "0",
      cells: 67,
    });
    const moved = of("joint", "moved");
    expect(moved).toMatchObject({ regime: "sufficient", verdict: "breaks", worst: "3/40", attained: true });
    const { market, bid, gain } = moved.witness;
    const lie = ["--worker", `${bid.worker}`, "--price", `${bid.price}`, "--arrival", `${bid.arrival}`];
    const explained = await candor(["explain", "-", ...lie, "--json"], JSON.stringify(market));
    expect(JSON.parse(explained.stdout).gain).toBeCloseTo(Number(gain), 9);
  });

  it("says in words what is proved for which markets, and how to replay what is not", async () => {
    const { stdout } = await prove(...small);
    expect(stdout).toMatch(
      /^For all costs, all budgets above 0 and all arrivals, with workers 0 and 1 \(equal reputation 1\) and 3 rounds/,
    );
    expect(stdout).toContain("4 claims of 32 break, the others are proved.");
    expect(stdout).toContain("P6, sufficient, start moved: the largest gain is 3/40 of the budget (7.5 %)");
    expect(stdout).toMatch(/arbitrarily close to 3\/20 of the budget \(15 %\) but never reaches it/);
    expect(stdout).toMatch(/replay: echo '\{.*\}' \| candor explain - --worker 0 --price \d/);
  });

  it("exits with 0 where all is proved; fractions, fixed arrivals and several shapes are taken", async () => {
    const proved = await prove("--shapes", "1x2,2x2", "--mechanism", "falling-price", "--json");
    expect(proved.code).toBe(0);
    expect(proved.stdout.trimEnd().split("\n")).toHaveLength(2);
    const fixed = await prove(
      "--rounds",
      "2",
      "--reputations",
      "1/3,0.5",
      "--ratio",
      "1/2",
      "--arrivals",
      "1,2",
    );
    expect(fixed.stdout).toContain(
      "arrivals 1 and 2, with workers 0 and 1 (reputations 1/3 and 1/2) and 2 rounds",
    );
    expect(fixed.stdout).toContain("first-round ratio 1/2");
  });

  it("speaks of the workers with the ids that are given, and of no others", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "mine.ts");
    // Truthful among the ids 0 to 5 only.
    writeFileSync(
      file,
      `import { defineMechanism } from "candor";
export default defineMechanism({ name: "mine", about: "Mine.", program(auction) {
  for (const worker of auction.workers)
    auction.hire(worker, { round: 1, buys: 1, threshold: null }, worker.id > 5 ? worker.price : 2);
} });`,
    );
    const asked = ["--rounds", "1", "--mechanism", file];
    const verdictOf = (stdout: string) => JSON.parse(stdout).claims[8];
    const first = await prove("--workers", "2", ...asked, "--json");
    expect(JSON.parse(first.stdout).ids).toEqual([0, 1]);
    expect(verdictOf(first.stdout)).toMatchObject({ property: "P5", start: "kept", verdict: "proved" });
    const proof = join(folder, "proof.jsonl");
    const others = await prove("--ids", "4,7", ...asked, "--json", "--certificate", proof);
    expect(JSON.parse(others.stdout).ids).toEqual([4, 7]);
    expect(verdictOf(others.stdout)).toMatchObject({
      verdict: "breaks",
      worst: "unbounded",
      witness: { bid: { worker: 7 }, market: { workers: [{ id: 4 }, { id: 7 }] } },
    });
    const verified = await prove("--verify", proof, "--mechanism", file);
    expect(verified.stdout).toContain("with workers 4 and 7 (equal reputation 1) and 1 round");
    // Of other workers the same cells prove nothing.
    const forged = readFileSync(proof, "utf8").replace('"ids":[4,7],', '"ids":[4,5],');
    writeFileSync(proof, forged);
    expect((await prove("--verify", proof, "--mechanism", file)).code).toBe(2);
  });

  it.each([
    ["7,4", "must be 2 different ids in increasing order, one per worker, got 7,4"],
    ["1", "must be 2 different ids in increasing order, one per worker, got 1"],
    ["0,-2", "must be an integer"],
  ])("refuses --ids %s", async (ids, line) => {
    const { code, stderr, stdout } = await prove("--workers", "2", "--rounds", "1", "--ids", ids);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^candor: --ids: .*\n$/);
    expect(stderr).toContain(line);
  });

  it("prints the same on threads as in one", async () => {
    const folder = temporaryFolder();
    const alone = await prove(...small, "--json");
    const threads = await prove(...small, "--json", "--threads", "2", "--out", folder);
    expect(threads.stdout).toBe(alone.stdout);
    expect(existsSync(join(folder, "journal.jsonl"))).toBe(false);
  });

  it("--pairs settles what every two workers gain together, with a witness that replays", async () => {
    const asked = ["--workers", "2", "--rounds", "2", "--pairs"];
    const { code, stdout } = await prove(...asked, "--json");
    expect(code).toBe(1);
    const { claims } = JSON.parse(stdout);
    expect(claims[0]).toMatchObject({
      ...{ property: "pair", regime: "sufficient", start: "kept", verdict: "breaks", worst: "7/80" },
      witness: { bid: { worker: 0 }, partner: { worker: 1 }, share: "7/80" },
    });
    const shown = (await prove(...asked)).stdout;
    expect(shown).toContain("workers 0 and 1 gain 0.0875 of a budget of 1 (7/80) together");
    expect(shown).toMatch(/replay: echo .* \| candor best-response - --coalition 0,1\n/);
  });

  it("writes certificates that --verify accepts, and rejects with any character altered", async () => {
    const file = join(temporaryFolder(), "proof.jsonl.gz");
    const written = await prove("--workers", "2", "--rounds", "2", "--certificate", file, "--json");
    expect(written.code).toBe(1);
    const verified = await prove("--verify", file, "--json");
    expect([verified.code, verified.stderr]).toEqual([0, ""]);
    const { verified: facts, ...record } = JSON.parse(verified.stdout);
    expect(record).toEqual(JSON.parse(written.stdout));
    expect(facts).toMatchObject({ program: { builtIn: "online" }, format: 3, kernel: 2 });
    const shown = (await prove("--verify", file)).stdout;
    expect(shown).toContain(`Verified: ${file} proves this, in ${facts.cells} cells.`);
    expect(shown).toContain(`program: online, as it comes with candor ${facts.checkedBy}\n`);
    const other = await prove("--verify", file, "--mechanism", "falling-price");
    expect([other.code, other.stdout]).toEqual([2, ""]);
    expect(other.stderr).toContain('is about "online", not about falling-price');
    const text = gunzipSync(readFileSync(file)).toString();
    for (const at of [0.1, 0.5, 0.9].map((share) => text.search(/[0-9]/) + Math.floor(share * text.length))) {
      const digit = at + text.slice(at).search(/[0-9]/);
      const other = String((Number(text[digit]) + 1) % 10);
      writeFileSync(file, gzipSync(text.slice(0, digit) + other + text.slice(digit + 1)));
      const { code, stdout, stderr } = await prove("--verify", file);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^candor: .*proof\.jsonl\.gz:\d+: .+\n$/);
    }
    writeFileSync(file, gzipSync(text.slice(0, text.length / 2)));
    expect((await prove("--verify", file)).code).toBe(2);
  });

  it("certificates on pairs verify too", async () => {
    const file = join(temporaryFolder(), "pairs.jsonl");
    const asked = ["--workers", "2", "--rounds", "1", "--pairs", "--json"];
    const written = await prove(...asked, "--certificate", file);
    const { verified, ...record } = JSON.parse((await prove("--verify", file, "--json")).stdout);
    expect(record).toEqual(JSON.parse(written.stdout));
    expect(verified.cells).toBeGreaterThan(10);
  });

  it("certificates of another format or kernel are refused by name, and what is none by the field", async () => {
    const file = join(temporaryFolder(), "proof.jsonl");
    await prove("--workers", "1", "--rounds", "1", "--certificate", file);
    const lines = readFileSync(file, "utf8").split("\n");
    const with1 = (change: object) => JSON.stringify({ ...JSON.parse(lines[0]!), ...change });
    for (const [change, message] of [
      [{ proof: 1 }, "it is of format 1, which does not say whose program it is about"],
      [{ proof: 2 }, "it is of format 2, whose regimes ask about a worker's whole group"],
      [{ proof: 9 }, "it is of format 9, and this is format 3"],
      [{ kernel: 1 }, "it was written for kernel 1, and this is kernel 2"],
      [{ proof: "x" }, "does not begin as a certificate"],
      [{ candor: "9\u001b[31m\nVerified: all of it" }, "candor: must be a version"],
      [{ program: { builtIn: ["online"] } }, "program: must be { builtIn } or"],
      [
        { program: { file: "mine.ts", settings: "\u001b[31m", sha256: "0".repeat(64) } },
        "program.settings: must be",
      ],
      [{ rounds: "1" }, 'rounds: must be a whole number, got "1"'],
      [{ note: "" }, "note: "],
    ] as const) {
      writeFileSync(file, [with1(change), ...lines.slice(1)].join("\n"));
      const { code, stdout, stderr } = await prove("--verify", file);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^candor: [^\n]+\n$/);
      expect(stderr).toContain(message);
    }
  });

  it("never runs a file that a certificate names, and checks the digest of the one that is given", async () => {
    const folder = temporaryFolder();
    const mine = join(folder, "mine.ts");
    const ran = join(folder, "ran");
    const shared = join(folder, "share.ts");
    writeFileSync(shared, "export const rounds = 1;\n");
    writeFileSync(
      mine,
      `import { writeFileSync } from "node:fs";
import { defineMechanism } from "candor";
import { rounds } from "./share.js";
writeFileSync(${JSON.stringify(ran)}, "");
export const mine = defineMechanism({
  name: "mine",
  about: "Hires everybody whose price fits into the budget, at its price.",
  program(auction) {
    const purse = auction.purse(auction.rules.budget);
    for (const worker of auction.byPrice())
      auction.offer(worker, { round: 1, buys: rounds, purse, threshold: null });
  },
});
`,
    );
    const file = join(folder, "proof.jsonl");
    const asked = ["--workers", "1", "--rounds", "1", "--mechanism", mine];
    expect((await prove(...asked, "--certificate", file)).stdout).toContain("break");
    rmSync(ran);
    const named = await prove("--verify", file);
    expect([named.code, named.stdout, existsSync(ran)]).toEqual([2, "", false]);
    expect(named.stderr).toMatch(/^candor: [^\n]*no file that a certificate names is run[^\n]*\n$/);
    const { program } = JSON.parse(readFileSync(file, "utf8").split("\n")[0]!);
    expect(program).toEqual({ file: "mine.ts", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const given = await prove("--verify", file, "--mechanism", mine);
    expect([given.code, given.stderr]).toEqual([0, ""]);
    expect(given.stdout).toContain(`and what it imports by relative path, sha-256 ${program.sha256}`);
    const builtIn = await prove("--verify", file, "--mechanism", "vanilla");
    expect(builtIn.stderr).toContain("--mechanism: must be a file");
    rmSync(ran);
    writeFileSync(shared, "export const rounds = 2;\n");
    const changed = await prove("--verify", file, "--mechanism", mine);
    expect([changed.code, changed.stdout, existsSync(ran)]).toEqual([2, "", false]);
    expect(changed.stderr).toContain("is not what");
  });

  it("gives witnesses that no decimals write in fractions, with how to replay them or that nothing can", async () => {
    const asked = ["--workers", "3", "--rounds", "2", "--arrivals", "1,2,2", "--reputations", "1,4/3,1"];
    const scaled = await prove(...asked, "--ratio", "3/4");
    expect([scaled.code, scaled.stderr]).toEqual([1, ""]);
    const replay =
      /replay \(reputations times 3, which changes no payment\): echo '(\{.*\})' \| candor explain - (--worker.*)\n/;
    const [, market, lie] = replay.exec(scaled.stdout)!;
    const explained = await candor(["explain", "-", ...lie!.split(" "), "--json"], market!);
    expect(JSON.parse(explained.stdout).gain).toBeGreaterThan(0);
    const { claims } = JSON.parse((await prove(...asked, "--ratio", "3/4", "--json")).stdout);
    const witness = claims.find((claim: { witness?: object }) => claim.witness).witness;
    expect(witness.market.workers[1].reputation).toBe("4/3");
    const fixed = await prove(...asked, "--ratio", "2/3");
    expect(fixed.stdout).toContain(
      "certified in fractions; no decimals write it, so no other command reads it",
    );
  });

  it.each([[], ["--threads", "2"]])(
    "an error of a program in a chunk is its own (%j)",
    async (...threads) => {
      const folder = temporaryFolder();
      const file = join(folder, "mine.ts");
      writeFileSync(
        file,
        `import { defineMechanism } from "candor";
export default defineMechanism({ name: "mine", about: "Mine.", program({ workers }) {
  if (workers[0].arrival === 2) workers[0].wrong();
} });`,
      );
      const asked = ["--workers", "1", "--rounds", "2", "--mechanism", file, "--out", join(folder, "out")];
      const { code, stdout, stderr } = await prove(...asked, ...threads);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(`candor: chunk 0: ${file}: its program failed: TypeError: `);
      expect(stderr).toContain("(mine.ts:3)");
    },
  );

  it.each([
    [["--rounds", "2"], "--workers: missing, must be an integer ≥ 1"],
    [
      ["--workers", "2", "--rounds", "2", "--reputations", "1"],
      "--reputations: must be 2, one per worker, got 1",
    ],
    [
      ["--rounds", "2", "--reputations", "1,1/0"],
      '--reputations: must be a number or a fraction from 0 to 1000000000000, got "1/0"',
    ],
    [
      ["--workers", "1", "--rounds", "2", "--arrivals", "3"],
      "--arrivals: must be at most 2, the last round, got 3",
    ],
    [["--workers", "9", "--rounds", "9"], "--rounds: 9 workers can arrive in 387420489 ways"],
    [
      ["--workers", "2", "--rounds", "2", "--mechanism", "critical(online)"],
      "--mechanism: critical(online) has no program that pays as it says",
    ],
    [["--shapes", "1x2,2x2", "--certificate", "proof.jsonl"], "--certificate: is for one shape at a time"],
    [["--verify", "nothing.jsonl"], "nothing.jsonl: no such file"],
  ])("%j is refused in one line", async (args, message) => {
    const { code, stdout, stderr } = await prove(...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^candor: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});
