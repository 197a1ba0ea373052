/** A terminal obeys control characters: what comes from elsewhere must not reach it as such. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { table } from "../../src/lib/format.js";
import { candor, candorProcess, fileWith, temporaryFolder } from "./candor.js";

const CLEAR = "\u001b[2J\u009b1m\u202e";
const SHOWN = "\\u001b[2J\\u009b1m\\u202e";

const rules = { budget: 6, rounds: 3 };
const market = JSON.stringify({
  id: `m${CLEAR}`,
  rules,
  workers: [{ id: 0, reputation: 1, cost: 1, arrival: 1 }],
});

it("names of files and markets are written out, on both outputs; JSON says the same as before", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, `${CLEAR}.json`), market);
  const [shown, json, wrong] = await Promise.all([
    candorProcess(["run", join(folder, `${CLEAR}.json`)]),
    candor(["run", join(folder, `${CLEAR}.json`), "--json"]),
    candorProcess(["run", join(folder, `none${CLEAR}.json`)]),
  ]);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(`${SHOWN}.json`)]);
  expect(`${shown.stdout}${json.stdout}${wrong.stderr}`).not.toMatch(/[^\P{Cc}\n]/u);
  expect(JSON.parse(json.stdout).id).toBe(`m${CLEAR}`);
  expect(wrong.stderr).toBe(`candor: ${folder}/none${SHOWN}.json: no such file\n`);
});

it("an error of a user's program is one line without them", async () => {
  const mine = fileWith(
    "mine.mjs",
    `export default { name: "mine", about: "", decide() { throw new Error("a${CLEAR}b\\r") } };`,
  );
  const { code, stderr } = await candorProcess(["run", "-", "--mechanism", mine], market);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`a${SHOWN}b`)]);
  expect(stderr).toMatch(/^candor: [^\n]*\n$/);
  expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
});

it("a cell of a table is one line", () => {
  expect(table([{ head: "host", cells: ["a\nb", "c"] }])).toBe("    host\na\\u000ab\n       c");
});
