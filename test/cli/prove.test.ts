/** `prove` on the command line: words, JSON to the letter, certificates, threads and errors. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
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
      firstRoundRatio: "7/20",
      minWorkers: 1,
      reading: "prose",
    });
    expect(claims).toHaveLength(24);
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
      /^For all costs, all budgets and all arrivals, with 2 workers of equal reputation 1 and 3/,
    );
    expect(stdout).toContain("4 claims of 24 break, the others are proved.");
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
      "arrivals 1 and 2, with 2 workers of reputations 1/3 and 1/2 and 2 rounds",
    );
    expect(fixed.stdout).toContain("first-round ratio 1/2");
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
    expect(verified).toEqual({ code: 0, stdout: written.stdout, stderr: "" });
    expect((await prove("--verify", file)).stdout).toContain(`Verified: ${file} proves this, in`);
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
      "--mechanism: critical(online) is not written",
    ],
    [
      ["--workers", "2", "--rounds", "2", "--pairs", "--certificate", "proof.jsonl"],
      "--certificate: cannot be given with --pairs",
    ],
    [["--verify", "nothing.jsonl"], "nothing.jsonl: no such file"],
  ])("%j is refused in one line", async (args, message) => {
    const { code, stdout, stderr } = await prove(...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^candor: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});
