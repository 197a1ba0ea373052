/** `candor init`: a small working file with its test, to begin with: the example on the page of its kind. */

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Command } from "commander";
import { plainError, showValue } from "../lib/errors.js";
import { quoted } from "../lib/format.js";
import { textFile, writeFiles } from "./files.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

/** How to try one, and how to test it. */
const kinds = {
  mechanism: {
    page: "src/mechanisms/README.md",
    run: (path: string) => `candor check market.json --mechanism ${path}`,
    test: (name: string) => contractTest("mechanism", name),
  },
  agent: {
    page: "agents/README.md",
    run: (path: string) => `candor try market.json --agent ${path}`,
    test: (name: string) => contractTest("agent", name),
  },
  analysis: {
    page: "analyses/README.md",
    run: (path: string) => `candor analyze ${path} --out reports/mine`,
    test: (name: string) => analysisTest(name),
  },
} as const;

type Kind = keyof typeof kinds;

const examples = `
Writes NAME.ts, the example that the README of src/mechanisms, agents or analyses explains, and NAME.test.ts, which tests
it, for Vitest.
Nothing is overwritten.

Examples:
  candor init mechanism
  candor init agent my-liar`;

export function define(command: Command, session: Session): void {
  command
    .argument("<kind>", "mechanism, agent or analysis", option.wordArgument("init", Object.keys(kinds)))
    .argument("[name]", "its name, and that of the files", "mine")
    .addHelpText("after", examples)
    .action((kind: Kind, given: string) => init(kind, given, session));
}

async function init(kind: Kind, given: string, session: Session): Promise<void> {
  const path = given.replace(/\.ts$/, "");
  const name = basename(path);
  if (!/^[a-z0-9][a-z0-9-]*$/i.test(name))
    throw plainError(
      "init",
      `a name has letters, digits and hyphens, as in my-${kind}, got ${showValue(given)}`,
    );
  if (!existsSync(dirname(path))) throw plainError(dirname(path), "no such folder");
  const files = [
    [`${path}.ts`, exampleOf(kind, name)],
    [`${path}.test.ts`, kinds[kind].test(name)],
  ] as const;
  const there = files.find(([file]) => existsSync(file));
  if (there) throw plainError(there[0], "is there already; name another");
  await writeFiles(
    dirname(path),
    files.map(([file, text]) => textFile(basename(file), text)),
  );
  const own = path.includes("/") ? `${path}.ts` : `./${path}.ts`;
  session.spool.write(
    `Wrote ${files.map(([file]) => file).join(" and ")}. To try them:\n  ${kinds[kind].run(quoted(own))}\n  npx vitest run ${quoted(files[1][0])}\n`,
  );
}

/** The first piece of code that its page has on it, under another name. */
function exampleOf(kind: Kind, name: string): string {
  const guide = readFileSync(join(import.meta.dirname, "../../..", kinds[kind].page), "utf8");
  const [, code = ""] =
    new RegExp(`## Add an? ${kind}\\n[\\s\\S]*?\`\`\`ts\\n([\\s\\S]*?)\`\`\``).exec(guide) ?? [];
  return code.replace(/^ {2}name: ".*"/m, `  name: ${JSON.stringify(name)}`);
}

const contractTest = (
  kind: Kind,
  name: string,
): string => `import { ${kind}Contract } from "candor/contracts";
import { it } from "vitest";
import mine from ${JSON.stringify(`./${name}.js`)};

for (const { title, run } of ${kind}Contract(mine)) it(title, run);
`;

const analysisTest = (name: string): string => `import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

it("answers its question", { timeout: 60_000 }, () => {
  const out = mkdtempSync(join(tmpdir(), "${name}-"));
  const args = ["candor", "analyze", "./${name}.ts", "--out", out, "--json"];
  const printed = execFileSync("npx", args, { cwd: import.meta.dirname, encoding: "utf8" });
  const [{ state, error, result }] = JSON.parse(printed).analyses;
  expect([state, error]).toEqual(["done", null]);
  expect(result.findings.length).toBeGreaterThan(0);
});
`;
