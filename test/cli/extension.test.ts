import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { resolveMechanism } from "../../src/cli/mechanism.js";
import { InputError } from "../../src/lib/errors.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { hold } from "../../src/mechanisms/mechanism.js";
import { marketOf } from "../mechanisms/hand-solved.js";

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
  expect(hold(mechanism, market)).toEqual(hold(mechanisms["proportional-share"], market));
});

it("varies a user's mechanism as any other", async () => {
  const mechanism = await resolveMechanism(`${mine}:part=0.5,minWorkers=2`);
  expect(mechanism.name).toBe("mine:part=0.5,minWorkers=2");
  const half = { ...market, rules: { ...market.rules, budget: 2 } };
  expect(hold(mechanism, market)).toEqual(hold(mechanisms["proportional-share"], half));
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
  ["throws.ts", 'throw new TypeError("no\\nway");', "cannot be loaded: TypeError: no"],
  ["imports.ts", 'import "no-such-thing";', "cannot be loaded: Cannot find module 'no-such-thing'"],
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
  ["raises.ts", "throw new Error('out of\\nmoney');", "decide failed: out of"],
  ["forgets.ts", "return undefined;", "decide must return an outcome with a list of workers, got undefined"],
])("says in one line that a user's mechanism failed (%s)", async (name, body, message) => {
  const path = file(name, `export default { name: "a", about: "A.", decide() { ${body} } };`);
  const mechanism = await resolveMechanism(`${path}:minWorkers=1`);
  expect(() => hold(mechanism, market)).toThrow(
    new InputError({ source: path, path: [], expected: message, kind: "plain" }),
  );
});

it("says that a file is not there", async () => {
  const path = join(folder, "absent.ts");
  await expect(resolveMechanism(path)).rejects.toThrow(`${path}: no such file`);
});
