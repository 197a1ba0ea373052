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
