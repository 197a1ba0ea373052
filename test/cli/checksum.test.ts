/** The digest of a user's file: it changes with every file that is imported by relative path, however that is written. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { checksumOfFile } from "../../src/cli/extension.js";
import { temporaryFolder } from "./candor.js";

it.each([
  ["./pay", "pay.js"],
  ["./pay", "pay.ts"],
  ["./pay", "pay.mts"],
  ["./pay", "pay.cjs"],
  ["./pay", "pay/index.ts"],
  ["./pay", "pay/index.js"],
  ["./pay.js", "pay.ts"],
  ["./pay.mjs", "pay.mts"],
  ["./pay.json", "pay.json"],
  ["./lib/../pay.js", "pay.js"],
])("import of %s from %s", (imported, file) => {
  const folder = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("mine.ts", `import pay from "${imported}";\nexport default pay;\n`);
  write(file, "2");
  const before = checksumOfFile(join(folder, "mine.ts"));
  expect(checksumOfFile(join(folder, "mine.ts"))).toBe(before);
  write(file, "3");
  expect(checksumOfFile(join(folder, "mine.ts"))).not.toBe(before);
});
