/** candor audit: every property of a mechanism, for people and as data. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { candor, temporaryFolder } from "./candor.js";

const few = ["--markets", "10"];

/** Pays whoever is cheapest what it asks, once. */
const MINE = `import { defineMechanism } from "candor";
export default defineMechanism({
  name: "mine",
  about: "Pays the cheapest its bid.",
  uses: { budget: false },
  claims: [{ property: "P5", quote: "nobody gains", where: "Here." }],
  program(auction) {
    const [first] = auction.byPrice();
    if (first) auction.hire(first, { round: 1, buys: 1, threshold: null }, first.price);
  },
});
`;

describe("candor audit", () => {
  it("prints every property with what is claimed and found, the smallest break, and the publisher's account", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "mine.ts"), MINE);
    const { code, stdout } = await candor(["audit", "./mine.ts", ...few], "", { cwd: folder });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^mine: 3 of 5 rows break, 1 of them claimed to hold\n/);
    expect(stdout).toMatch(/P5 +cost truthfulness +holds +breaks\n/);
    expect(stdout).toMatch(/P1 +individual rationality +proved for shapes\n/);
    expect(stdout).toContain(
      'P5 breaks without bound; its source says that it holds: "nobody gains" (Here).',
    );
    expect(stdout).toContain("joint breaks without bound.\n  The market and the lie of P5.");
    expect(stdout).toMatch(/What the publisher gets .*10 markets/);
    expect(stdout).toMatch(/^ *mechanism +Σ Re · rounds +budget spent +per unit paid\n +mine /m);
    const [, market = "", args = ""] = /^replay: echo '(.*)' \| candor (explain .*)$/m.exec(stdout) ?? [];
    const replayed = await candor(args.split(" "), market, { cwd: folder });
    expect(replayed.stdout).toContain("Kind: get better terms");
  });

  it("is 0 where nothing breaks, and prints JSON that a seed fixes", async () => {
    const once = await candor(["audit", "clock-auction", ...few, "--json"]);
    expect(once.code).toBe(0);
    const audit = JSON.parse(once.stdout);
    expect(audit).toMatchObject({ mechanism: "clock-auction", measure: "of the budget", unprovable: null });
    expect(audit.properties.map((one: { property: string }) => one.property)).toEqual([
      "P1",
      "P2",
      "P4",
      "P5",
      "P6",
      "joint",
    ]);
    expect((await candor(["audit", "clock-auction", ...few, "--json"])).stdout).toBe(once.stdout);
  });

  it.each([
    [["nosuch"], 'candor: audit: no "nosuch"; there are online, '],
    [["vickry"], 'candor: audit: no "vickry"; did you mean "vickrey"?'],
    [[], "candor: audit: missing required argument 'mechanism'"],
    [["vickrey", "--markets", "0"], "candor: --markets: must be an integer from 1 to 1000000, got"],
  ])("refuses %j in one line", async (args, message) => {
    const { code, stdout, stderr } = await candor(["audit", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.startsWith(message), stderr).toBe(true);
  });
});

describe("a market for a mechanism that uses less", () => {
  const small = '{"workers": [{"id": 0, "cost": 1}, {"id": 1, "cost": 2}]}';

  it("may leave the rest out, in JSON and CSV", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "m.json"), small);
    writeFileSync(join(folder, "m.csv"), "id,cost\n0,1\n1,2\n");
    for (const file of ["m.json", "m.csv"]) {
      const { code, stdout } = await candor(["run", file, "--mechanism", "vickrey", "--json"], "", {
        cwd: folder,
      });
      expect([code, JSON.parse(stdout).spent]).toEqual([0, 2]);
    }
  });

  it("must hold what the mechanism uses", async () => {
    const { code, stderr } = await candor(["run", "-", "--mechanism", "clock-auction"], `${small}\n`);
    expect([code, stderr]).toEqual([2, "candor: stdin:1: rules.budget: missing, must be a number ≥ 0\n"]);
    expect((await candor(["run", "-"], `${small}\n`)).stderr).toContain("stdin:1: rules: missing");
  });
});

describe("money that a program of one's own decides by", () => {
  const program = (check: string) => `import { defineMechanism } from "candor";
export default defineMechanism({
  name: "mine",
  about: "Pays bids while they fit.",
  program(auction) {
    const { math, rules } = auction;
    const purse = auction.purse(rules.budget);
    for (const worker of auction.byPrice()) {
      const terms = { round: 1, buys: 1, purse, threshold: null };
      if (!${check}) continue;
      auction.admit(worker, terms, worker.price);
    }
  },
});
`;
  const audited = async (check: string) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "mine.ts"), program(check));
    return candor(["audit", "./mine.ts", "--markets", "5", "--json"], "", { cwd: folder });
  };

  it("counts where it asks whether an amount fits", async () => {
    const { stderr, stdout } = await audited("auction.fits(worker, terms, worker.price)");
    expect(stderr).not.toContain("note:");
    expect(JSON.parse(stdout).recordsMoney).toBe(true);
  });

  it("is said to be missing where it compares with a purse itself", async () => {
    const { stderr, stdout } = await audited(
      "math.atMost(math.plus(purse.spent, worker.price), purse.limit)",
    );
    expect(stderr).toContain("note: money never turned anybody down in a recorded decision");
    expect(JSON.parse(stdout).recordsMoney).toBe(false);
  });
});
