/** The package as users get it: packed, and laid into a folder that has nothing but its dependencies. */

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "./cli/candor.js";
import { isLong } from "./long.js";
import { codeOn, pages, read } from "./pages.js";

const folder = mkdtempSync(join(tmpdir(), "candor-package-"));
const modules = join(folder, "node_modules");
const installed = join(modules, "candor");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** In the folder of the user. */
const run = (file: string, args: readonly string[]): string =>
  execFileSync(file, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

beforeAll(() => {
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  mkdirSync(installed, { recursive: true });
  run("tar", ["-xzf", JSON.parse(packed)[0].filename, "-C", installed, "--strip-components=1"]);
  for (const name of [...Object.keys(manifest.dependencies), "@types/node"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  write("package.json", '{"private": true, "type": "module"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

it("holds what the documents name, and nothing that only a clone needs", () => {
  const has = (path: string) => existsSync(join(installed, path));
  expect(pages.length).toBeGreaterThan(7);
  expect(pages.filter((path) => !has(path))).toEqual([]);
  const linked = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|\.github)([^)#]+)[^)]*\)/g)].map(([, path]) =>
      join(dirname(page), path!),
    ),
  );
  expect(linked).toContain("CONTRIBUTING.md");
  expect(linked.filter((path) => !has(path))).toEqual([]);
  expect(readFileSync(join(installed, "dist/THIRD-PARTY.txt"), "utf8")).toBe(read("dist/THIRD-PARTY.txt"));
  expect(has("dist/page/licences.txt")).toBe(true);
  expect(["dist/src/bench", "dist/src/training/scripts", "src/index.ts"].filter(has)).toEqual([]);
});

it("every entry is there, with its types", () => {
  const entries = Object.values<string | Record<string, string>>(manifest.exports);
  const paths = entries.flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry)));
  expect(paths.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
});

it("bundles for a browser, and the bundle computes", async () => {
  write(
    "browser.ts",
    `import { bestResponses, drawMarket, paperRules, stream } from "candor";
const market = drawMarket({ rules: { ...paperRules, budget: 4, rounds: 4 }, workers: 6 }, stream(1));
console.log(bestResponses(market).exact, agentCount());
import { builtInAgents } from "candor";
function agentCount() { return builtInAgents().length; }`,
  );
  const { outputFiles, errors } = await build({
    entryPoints: [join(folder, "browser.ts")],
    bundle: true,
    platform: "browser",
    format: "esm",
    write: false,
    logLevel: "silent",
    absWorkingDir: folder,
  });
  expect(errors).toEqual([]);
  const [{ text } = { text: "" }] = outputFiles;
  expect(text).not.toMatch(/(?:from|import\(|require\()\s*"node:/);
  expect(run(process.execPath, [write("bundle.mjs", text)])).toMatch(/^true \d+\n$/);
});

const printed = pages.flatMap((page) => codeOn(page, "ts")).filter((text) => text.startsWith("import "));
const isTest = (text: string) => text.includes("candor/matchers");
const recipes = printed.filter((text) => !isTest(text));

it("its matchers work under vitest as the page on mechanisms has them, on the mechanism that it has", () => {
  mkdirSync(join(folder, "matchers"));
  write("matchers/mine.ts", recipes.find((text) => text.includes("best-only"))!);
  write("matchers/mine.test.ts", printed.find(isTest)!);
  symlinkSync(join(root, "node_modules/vitest"), join(modules, "vitest"));
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  expect(run(process.execPath, [vitest, "run", "--root", "matchers", "--testTimeout", "120000"])).toMatch(
    /1 passed/,
  );
});

it("its types hold in a strict project that checks libraries, too, and so do the pages' examples", () => {
  expect(recipes.length).toBeGreaterThanOrEqual(6);
  const own = recipes.map((text, k) => write(`recipe${k}.ts`, text));
  const web = write(
    "web.ts",
    `import { type Analysis, bestResponses, hunt, type Market, mechanisms, surrogate } from "candor";
import { mechanismContract } from "candor/contracts";
import type { CandorMatchers } from "candor/matchers";
export const exact = (market: Market): boolean => bestResponses(market, { mechanism: mechanisms.online }).exact;
export const more = [hunt, surrogate, mechanismContract] as const;
export type Mine = Analysis;
export type Matchers = CandorMatchers<void>;`,
  );
  const node = write(
    "node.ts",
    `import { type ReportData, readMarkets, renderChart, renderReport, resolveAgent, runAnalyses } from "candor/node";
export const data: Promise<ReportData> = runAnalyses(["landscape"], { seed: "2", threads: 1 });
export const more = [readMarkets, renderChart, renderReport, resolveAgent] as const;`,
  );
  const strict = { noEmit: true, strict: true, target: "es2023", module: "nodenext", skipLibCheck: false };
  const check = (name: string, files: readonly string[], options: object) =>
    run(process.execPath, [
      join(root, isLong ? "node_modules/typescript/lib/tsc.js" : "node_modules/typescript-native/bin/tsc"),
      ...["-p", write(name, JSON.stringify({ compilerOptions: { ...strict, ...options }, files }))],
    ]);
  expect(check("tsconfig.web.json", [web, ...own], { lib: ["es2023", "dom"], types: [] })).toBe("");
  expect(check("tsconfig.node.json", [web, node], { lib: ["es2023"], types: ["node"] })).toBe("");
});

it("runs an analysis of one's own and renders report and chart from code, with no more packages than that", () => {
  write("mine.ts", recipes.find((text) => text.includes('name: "gainers"'))!);
  const script = write(
    "report.mjs",
    `import { renderChart, renderReport, runAnalyses } from "candor/node";
const data = await runAnalyses(["./mine.ts"], { seed: "3", threads: 1, mechanism: "proportional-share" });
const [{ state, error, result }] = data.analyses;
const html = await renderReport(data);
const svg = await renderChart(result.charts[0], result.tables);
const again = await renderReport(["./mine.ts"], { seed: "3", threads: 1 });
console.log(JSON.stringify([state, error, html.includes("many workers can gain"), svg.startsWith("<svg"), again.startsWith("<!doctype html>")]));`,
  );
  expect(JSON.parse(run(process.execPath, [script]))).toEqual(["done", null, true, true, true]);
});
