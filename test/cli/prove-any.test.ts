/** `candor prove --workers any` and what other commands say of it. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { candor, root, temporaryFolder } from "./candor.js";

interface Claim {
  readonly property: string;
  readonly regime: string;
  readonly start?: string;
  readonly verdict: string;
  readonly given?: readonly string[];
  readonly why?: string;
  readonly worst?: string;
  readonly witness?: object;
}

async function claimsOf(...args: string[]): Promise<Claim[]> {
  const { stdout } = await candor(["prove", "--workers", "any", "--json", ...args]);
  return (JSON.parse(stdout) as { claims: Claim[] }).claims;
}

const find = (claims: readonly Claim[], property: string, regime: string, start?: string) =>
  claims.find((one) => one.property === property && one.regime === regime && one.start === start)!;

it("settles every property, regime and start, and says what a proof rests on or what is missing", async () => {
  const claims = await claimsOf("--rounds", "any");
  expect(claims).toHaveLength(4 * (2 + 3 * 3));
  expect(find(claims, "joint", "sufficient", "kept")).toMatchObject({ verdict: "proved, given", worst: "0" });
  expect(find(claims, "P2", "tight")).toMatchObject({ verdict: "proved", worst: "0" });
  expect(find(claims, "joint", "sufficient", "advanced").why).toMatch(/makes the start earlier/);
}, 60_000);

it("[M4] shows the controls: money that decides, and a start that is delayed into an empty sample", async () => {
  const claims = await claimsOf("--rounds", "any");
  expect(find(claims, "joint", "tight", "kept")).toMatchObject({ verdict: "breaks", worst: "13/40" });
  expect(find(claims, "joint", "sufficient", "delayed")).toMatchObject({ verdict: "breaks", worst: "3/40" });
}, 60_000);

it("[M6] takes the rules from the command line and from a variant", async () => {
  const typed = await claimsOf("--rounds", "5", "--delay", "shorten");
  const variant = await claimsOf("--rounds", "5", "--mechanism", "online:delay=shorten");
  expect(find(typed, "joint", "late start", "delayed").verdict).toBe("proved, given");
  expect(variant.map(({ verdict }) => verdict)).toEqual(typed.map(({ verdict }) => verdict));
}, 60_000);

const mine = (body: string) => `
import { defineMechanism, judgeAcross, sidesOf } from "candor";
export default defineMechanism({
  name: "mine",
  about: "Mine.",
  program(auction) {
    const { math, rules } = auction;
    const sides = sidesOf(auction, auction.byReputation());
    const half = math.over(math.over(rules.budget, 2), math.known(rules.rounds));
${body}
  },
});
`;

const rounds = (offer: string) => `    auction.eachRound(({ round, clock }) => {
      const purses = [auction.purse(half), auction.purse(half)] as const;
      judgeAcross(auction, sides, { round, clock, budget: half, purses }, (worker, threshold, purse) => {
        ${offer}
      });
    });`;

const OFFER = "auction.offer(worker, { round, buys: 1, purse, threshold });";

function written(text: string): string {
  const file = join(temporaryFolder(), "mine.ts");
  writeFileSync(file, text);
  return file;
}

it("proves a program of one's own, and names the line of what it refuses", async () => {
  const good = await claimsOf("--rounds", "any", "--mechanism", written(mine(rounds(OFFER))));
  expect(new Set(good.map(({ verdict }) => verdict))).toEqual(new Set(["proved"]));
  const reads = await claimsOf(
    "--rounds",
    "any",
    "--mechanism",
    written(mine(rounds(`if (worker.id > 0) ${OFFER}`))),
  );
  expect(find(reads, "P5", "tight", "kept").why).toBe(
    "its program reads the id of a worker, which no contract covers (mine.ts:13)",
  );
  const counts = `    let n = 0;\n${rounds(`n = n + 1; if (n < 1000) ${OFFER}`)}`;
  const counted = await claimsOf("--rounds", "any", "--mechanism", written(mine(counts)));
  expect(find(counted, "P5", "tight", "kept").why).toMatch(
    /its text may keep or count .*: let \(mine\.ts:10\)/,
  );
}, 60_000);

it.each([
  [["--rounds", "any", "--workers", "2"], /--rounds: any is for --workers any/],
  [["--workers", "any"], /--rounds: missing/],
  [["--workers", "many", "--rounds", "2"], /--workers/],
  [
    ["--workers", "any", "--rounds", "any", "--reputations", "1,2"],
    /--reputations: is for a number of workers/,
  ],
  [
    ["--workers", "any", "--rounds", "any", "--certificate", "x"],
    /--certificate: is for a number of workers/,
  ],
  [["--workers", "any", "--rounds", "any", "--mechanism", "onlin"], /did you mean "online"/],
])("%j is one clear line", async (args, message) => {
  const { code, stdout, stderr } = await candor(["prove", ...args]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

it("check says under which theorems a market falls", async () => {
  const { stdout } = await candor([
    "check",
    join(root, "test/golden/example-market.json"),
    "--property",
    "P2",
  ]);
  expect(stdout).toContain("Proved for any number of workers and rounds under these rules: P2.");
}, 60_000);

it("hunt says where there is nothing to be found, and only there", async () => {
  const hunt = async (...args: string[]) => (await candor(["hunt", "--markets", "5", ...args])).stdout;
  expect(await hunt("--mechanism", "posted-rounds")).toContain("there is nothing to be found");
  expect(await hunt("--start", "kept")).toContain("there is nothing to be found");
  expect(await hunt("--start", "any")).not.toContain("there is nothing to be found");
  // Above one half of the budget for the first step payments may exceed it.
  expect(await hunt("--property", "P2", "--markets", "0")).not.toContain("there is nothing to be found");
}, 60_000);

it("gate holds a mechanism to a proof for any number", async () => {
  const folder = temporaryFolder();
  const config = join(folder, "candor.config.ts");
  const claim = (mechanism: string, more: string) =>
    `{ mechanism: "${mechanism}", claims: [{ property: "joint", expect: "proved", shapes: ["any"]${more} }] }`;
  const all = [
    claim("posted-rounds", ""),
    claim("online", ', regime: "sufficient", start: "kept"'),
    claim("online", ', regime: "tight"'),
    claim("two-stage", ', regime: "sufficient", start: "kept"'),
  ];
  writeFileSync(config, `export default { mechanisms: [${all.join(", ")}] };`);
  const { code, stdout } = await candor(["gate", "--config", config, "--json"]);
  expect(code).toBe(1);
  const { claims } = JSON.parse(stdout) as { claims: { status: string; found: string }[] };
  expect(claims.map(({ status }) => status).slice(0, 3)).toEqual(["kept", "kept", "broken"]);
  expect(["inconclusive", "broken"]).toContain(claims[3]!.status);
  expect(claims[0]!.found).toBe("proved for any number of workers and rounds");
}, 120_000);
