import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { resolveMechanism } from "../../src/cli/resolve.js";
import { InputError } from "../../src/lib/errors.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { mechanismContract } from "../../src/verdicts/contracts.js";
import { marketOf } from "../mechanisms/hand-solved.js";
import { codeOn } from "../pages.js";
import { candor, candorProcess, fileWith, root } from "./candor.js";

const folder = mkdtempSync(join(tmpdir(), "candor-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const market = marketOf(4, 2, [
  [1, 0.1, 1],
  [1, 0.2, 1],
  [0.5, 0.2, 2],
]);

const mine = file(
  "mine.ts",
  `import { mechanisms, withOptions, type Mechanism } from "candor";
import { mechanismContract } from "candor/contracts";

export const mine: Mechanism = withOptions({ part: { default: 1, from: 0, to: 1 } }, ({ part }) => ({
  name: "mine",
  about: "Holds some of the budget back.",
  decide: ({ budget, ...rules }, bids, trace) =>
    mechanisms["proportional-share"].decide({ budget: part * budget, ...rules }, bids, trace),
  offline: true,
}));

export const checks = () => mechanismContract(mine, { runs: 5 });
`,
);

it("loads a TypeScript file that imports candor and its contracts, from a folder without them", async () => {
  const mechanism = await resolveMechanism(mine);
  expect(mechanism.name).toBe("mine");
  expect(runAuction(mechanism, market)).toEqual(runAuction(mechanisms["proportional-share"], market));
});

it("varies a user's mechanism as any other", async () => {
  const mechanism = await resolveMechanism(`${mine}:part=0.5,minWorkers=2`);
  expect(mechanism.name).toBe("mine:part=0.5,minWorkers=2");
  const half = { ...market, rules: { ...market.rules, budget: 2 } };
  expect(runAuction(mechanism, market)).toEqual(runAuction(mechanisms["proportional-share"], half));
});

it.each([
  ["default.mjs", 'export default { name: "a", about: "A.", decide() {} }; export const other = 1;'],
  ["named.js", 'export const a = { name: "a", about: "A.", decide() {} };'],
  ["common.js", 'module.exports = { name: "a", about: "A.", decide() {} };'],
])("takes the default export or the only one that fits (%s)", async (name, text) => {
  expect((await resolveMechanism(file(name, text))).name).toBe("a");
});

it.each([
  ["broken.ts", "export default { name: ", "cannot be loaded: ParseError: Unexpected token at 1:23"],
  ["throws.ts", 'throw new TypeError("no\\nway");', "cannot be loaded: TypeError: no (throws.ts:1)"],
  [
    "imports.ts",
    'import "no-such-thing";',
    "cannot be loaded: Cannot find module 'no-such-thing' (imports.ts:1)",
  ],
  ["empty.ts", "", "exports nothing; must export a mechanism"],
  ["text.ts", 'export default "online";', 'is not a mechanism: must be an object, got "online"'],
  ["call.ts", "export default () => 1;", "is not a mechanism: must be an object, got a function"],
  [
    "verbless.ts",
    'export default { name: "a", about: "A." };',
    "is not a mechanism: decide must be a function, got undefined",
  ],
  [
    "nameless.ts",
    "export default { name: 3, about: 'A.', decide() {} };",
    "is not a mechanism: name must be a text, got 3",
  ],
  [
    "two.ts",
    'const a = { name: "a", about: "A.", decide() {} }; export { a, a as b };',
    "exports 2 mechanisms; must export one of them as default",
  ],
  ["none.ts", "export const a = 1, b = 2;", "none of its exports is a mechanism; must export one as default"],
])("says in one line what is wrong with %s", async (name, text, message) => {
  const path = file(name, text);
  const error = await resolveMechanism(path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InputError);
  expect((error as InputError).message).toBe(`${path}: ${message}`);
});

it.each([
  ["raises.ts", "throw new Error('out of\\nmoney');", "failed: out of"],
  ["forgets.ts", "return undefined;", "must be an outcome: an object with started, "],
])("says in one line that a user's mechanism failed (%s)", async (name, body, message) => {
  const path = file(name, `export default { name: "a", about: "A.", decide() { ${body} } };`);
  const mechanism = await resolveMechanism(`${path}:minWorkers=1`);
  const where = `${path}: decide on a market of 3 workers with budget 4 and 2 rounds: `;
  expect(() => runAuction(mechanism, market)).toThrow(`${where}${message}`);
  expect(() => runAuction(mechanism, market)).toThrow(InputError);
});

const [recipe = ""] = codeOn("src/mechanisms/README.md", "ts", "Add a mechanism");
const [onePrice = ""] = codeOn("src/mechanisms/README.md", "ts", "All blocks");

describe("a mechanism of one's own, through the program", () => {
  const text = JSON.stringify(market);

  it("works from any folder as its page has it, and keeps the contract", async () => {
    const path = file("recipe.ts", recipe);
    const args = ["run", "-", "--mechanism", path, "--json"];
    const { code, stdout, stderr } = await candor(args, `${text}\n`, { cwd: folder });
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      mechanism: "best-only",
      workers: [{ rounds: 2, payment: 0.2 }, { rounds: 0 }, { rounds: 0 }],
    });
    for (const check of mechanismContract(await resolveMechanism(path), { seed: 1 })) check.run();
  });

  it("that checks the budget by itself sets regimes by what it records", async () => {
    const path = file("one-price.ts", onePrice);
    const args = ["best-response", "-", "--mechanism", `${path}:pay=0.9`, "--json"];
    const regimes = async (budget: number) => {
      const { code, stdout, stderr } = await candor(
        args,
        JSON.stringify({ ...market, rules: { ...market.rules, budget } }),
      );
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout).workers.map(({ regime }: { regime: string }) => regime);
    };
    expect(await regimes(100)).toEqual(["sufficient", "sufficient", "sufficient"]);
    expect(await regimes(2.3)).toEqual(["sufficient", "tight", "sufficient"]);
    for (const check of mechanismContract(await resolveMechanism(path), { seed: 1 })) check.run();
  });

  it.each([
    ["Math.random()", "calls Math.random while it decides: one that draws says stochastic: true "],
    ["0 / 0", "payment: must be a finite number, got NaN"],
    ["'1'", 'payment: must be a finite number, got "1"'],
    ["(rules.budget = 99)", "writes to what it may only read: TypeError: "],
  ])("that pays %s is one line that names file, market and worker, and exit code 2", async (pay, message) => {
    const path = fileWith(
      "broken.ts",
      `export default { name: "a", about: "A.", offline: true, decide: (rules, bids) => ({
        started: true, startDelay: 0, thresholds: [], budgetEvents: [],
        workers: bids.map(({ id }) => ({ id, selectedAt: 1, rounds: 1, payment: ${pay} })),
      }) };`,
    );
    const { code, stdout, stderr } = await candor(["check", "-", "--mechanism", path], `${text}\n`);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.startsWith(`candor: ${path}: decide on stdin:1: `)).toBe(true);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^[^\n]*\n$/);
  });

  it("that draws is estimated over its seeds, and says so", async () => {
    const path = file(
      "draws.ts",
      `export default { name: "draws", about: "A.", offline: true, stochastic: true,
        decide: (rules, bids, trace, random) => {
          const pay = random.next();
          const workers = bids.map(({ id }) => ({ id, selectedAt: 1, rounds: 1, payment: pay }));
          return { started: true, startDelay: 0, thresholds: [], budgetEvents: [], workers };
        } };`,
    );
    const run = async (spec: string) =>
      JSON.parse((await candor(["run", "-", "--mechanism", spec, "--json"], `${text}\n`)).stdout).spent;
    expect(await run(path)).toBe(await run(path));
    expect(await run(`${path}:seed=7`)).not.toBe(await run(path));
    const { stdout } = await candor(["best-response", "-", "--mechanism", path], `${text}\n`);
    expect(stdout).toContain("estimated over 400 seeds");
    expect(stdout).toContain("No lie that gains was found for 3 workers.");
  });
});

it("says that a file is not there", async () => {
  const path = join(folder, "absent.ts");
  await expect(resolveMechanism(path)).rejects.toThrow(`${path}: no such file`);
});

const patched = (when: string, patch: string) =>
  `${when === "loaded" ? patch : ""}
  export default { name: "mine", about: "", decide(rules, bids) {
    ${when === "loaded" ? "" : patch}
    const workers = bids.map(({ id }) => ({ id, selectedAt: null, rounds: 0, payment: 0 }));
    return { started: true, startDelay: 0, workers: workers.sort((a, b) => a.id - b.id), thresholds: [], budgetEvents: [] };
  } };`;

describe("a file that changes what JavaScript brings is refused in one line", () => {
  const market = readFileSync(join(root, "test/golden/example-market.json"), "utf8");
  const readOnly = (name: string) => `Cannot assign to read only property '${name}'`;

  it.each([
    ["loaded", "Array.prototype.sort = function () { return this; };", readOnly("sort")],
    ["loaded", "Object.prototype.surprise = 1;", "Cannot add property surprise"],
    ["loaded", "Array.prototype.map = () => { throw new Error('gone'); };", readOnly("map")],
    ["asked", "Math.max = () => 7;", readOnly("max")],
    ["asked", "Array.prototype.flatMap = () => { throw new Error('gone'); };", readOnly("flatMap")],
  ])("when it is %s: %s", async (when, patch, why) => {
    const mine = fileWith("mine.mjs", patched(when, patch));
    const { code, stdout, stderr } = await candorProcess(
      ["run", "-", "--mechanism", mine],
      market.replace(/\s+/g, " "),
    );
    expect([code, stdout]).toEqual([2, ""]);
    const what =
      when === "loaded" ? "cannot be loaded" : "decide on stdin:1: writes to what it may only read";
    expect(stderr).toContain(`candor: ${mine}: ${what}: TypeError: ${why}`);
    expect(stderr).toMatch(/ \(mine\.mjs:\d+\)\n$/);
    expect(stderr.split("\n")).toHaveLength(2);
  });
});
