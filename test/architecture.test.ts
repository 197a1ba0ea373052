import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** The folders in order, each with its sentence: a folder imports only from those above it. CONTRIBUTING prints this list. */
const folders: readonly (readonly [folder: string, holds: string])[] = [
  ["src/lib/", "helpers that know no market: random streams, statistics, sorting, text, errors, JSON"],
  ["src/market/", "rules, workers, bids: types, parsing, drawing, generators for tests and searches"],
  [
    "src/auction/",
    "what every auction is made of: the Mechanism interface, arithmetics, building blocks, runs, outcomes and regimes, the trace, what a worker gets at every price",
  ],
  [
    "src/properties/",
    "what is claimed of an auction, each an amount over a truthful run and a lying one; replaying a witness in exact fractions",
  ],
  ["src/mechanisms/", "one auction per file; `online/` holds the paper's: its program and its fast engine"],
  ["src/agents/", "the Agent interface, options, wrappers, formulas, playing a market"],
  [
    "src/responses/",
    "the best lie of a worker: exact from a mechanism's program, and the search for mechanisms without one",
  ],
  ["agents/", "one strategic worker per file"],
  [
    "src/proofs/",
    "claims settled for all markets of a shape: cells, worst cases, certificates and their check",
  ],
  [
    "src/verdicts/",
    "verdicts on one market, Myerson's audit, explanations, counterexamples, the gate, contracts",
  ],
  ["src/training/", "trainers (surrogate, tfjs), data sets, reputation, repeated tasks, recordings"],
  ["src/report/", "what analyses speak (tables, charts, sentences) and the page made of it"],
  ["src/study/", "Analysis, Job, how a study is run: executors (threads, Redis), journal, rows"],
  ["analyses/", "one question per file"],
  ["src/index.ts", "what others import"],
  ["src/cli/", "one file per command; all input and output"],
  ["src/node.ts", "what others import on Node"],
  ["src/bench/", "what the program's speed is"],
];

/** Only these may use what a browser lacks. */
const nodeOnly = [
  "src/cli/",
  "src/node.ts",
  "src/bench/",
  "src/study/",
  "src/training/tfjs",
  "src/training/scripts/",
];

const root = fileURLToPath(new URL("..", import.meta.url));

const files = ["src", "agents", "analyses"]
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[]).map((path) => `${folder}/${path}`),
  )
  .filter((path) => path.endsWith(".ts"))
  .sort();

const placeOf = (file: string): number => folders.findIndex(([folder]) => file.startsWith(folder));

interface Import {
  readonly target: string;
  /** A dynamic import costs nothing until it is reached; a type costs nothing at all. */
  readonly kind: "static" | "type" | "dynamic";
}

const STATIC = /^(?:import|export) (type )?(?:[^;"]*? from )?"([^"]+)"/gm;
const DYNAMIC = /\bimport\("([^"]+)"\)/g;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const resolve = (target: string) =>
    target.startsWith(".") ? join(dirname(file), target).replace(/\.js$/, ".ts") : target;
  return [
    ...[...text.matchAll(STATIC)].map(([, type, target]) => ({
      target: resolve(target!),
      kind: type === undefined ? ("static" as const) : ("type" as const),
    })),
    ...[...text.matchAll(DYNAMIC)].map(([, target]) => ({
      target: resolve(target!),
      kind: "dynamic" as const,
    })),
  ];
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** Everything that is loaded when a file is. */
function loadedWith(file: string, found = new Set<string>()): Set<string> {
  for (const { target, kind } of imports.get(file) ?? []) {
    if (kind !== "static" || found.has(target)) continue;
    found.add(target);
    loadedWith(target, found);
  }
  return found;
}

it("every file is in one of the folders", () => {
  expect(files.filter((file) => placeOf(file) < 0)).toEqual([]);
  expect(files).toContain("src/cli/main.ts");
});

it("CONTRIBUTING prints the folders in this order, each with its sentence", () => {
  const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const printed = [...page.matchAll(/^\| `([^`]+\/)` \| (.+) \|$/gm)].map(([, folder, holds]) => [
    folder,
    holds,
  ]);
  expect(printed).toEqual(folders.filter(([folder]) => folder.endsWith("/")));
});

it("every import inside of the project leads to a file", () => {
  const known = new Set(files);
  const local = [...imports.values()].flat().filter(({ target }) => /^(src|agents|analyses)\//.test(target));
  const isData = (target: string) => target.endsWith(".json") && existsSync(join(root, target));
  expect(local.filter(({ target }) => !known.has(target) && !isData(target))).toEqual([]);
  expect(local.length).toBeGreaterThan(100);
});

it("imports go down, never up", () => {
  const upward = [...imports].flatMap(([file, targets]) =>
    targets
      .filter(({ target }) => imports.has(target) && placeOf(file) >= 0 && placeOf(target) > placeOf(file))
      .map(({ target }) => `${file} imports ${target}`),
  );
  expect(upward).toEqual([]);
});

/** What the strong words rest on: written to be read, and importing nothing else, not even a type. */
const kernel: readonly string[] = JSON.parse(readFileSync(join(root, "test/kernel.json"), "utf8"));

it("src/proofs/README.md says how many lines the kernel has, to the hundred, and names its files", () => {
  const page = readFileSync(join(root, "src/proofs/README.md"), "utf8");
  const lines = kernel.reduce(
    (sum, file) => sum + readFileSync(join(root, file), "utf8").split("\n").length - 1,
    0,
  );
  expect(page).toContain(`about ${(Math.round(lines / 100) * 100).toLocaleString("en")} lines`);
  const parts = page.slice(page.indexOf("## What is trusted")).split("\n## ")[0]!;
  for (const file of kernel) expect(parts).toContain(file.split("/").at(-1)!.replace(/\.ts$/, ""));
});

it("the kernel imports the kernel only", () => {
  const outside = kernel.flatMap((file) =>
    imports
      .get(file)!
      .filter(({ target }) => !kernel.includes(target))
      .map(({ target }) => `${file} imports ${target}`),
  );
  expect(outside).toEqual([]);
  expect(kernel).toContain("src/auction/auction.ts");
});

it("who answers is decided in one place: elsewhere no mechanism is compared with the paper's or asked what it sees", () => {
  const asks = /[!=]== online\b|\bisPaper\b|"sees" in|\bunvaried\b/;
  const decides = ["src/responses/game.ts", "src/auction/mechanism.ts"];
  const guilty = files
    .filter((file) => !file.startsWith("src/mechanisms/") && !decides.includes(file))
    .filter((file) => asks.test(readFileSync(join(root, file), "utf8")));
  expect(guilty).toEqual([]);
});

it("no file needs itself to load", () => {
  expect(files.filter((file) => loadedWith(file).has(file))).toEqual([]);
});

it("all but a few folders run in a browser: they import no Node modules", () => {
  const ofNode = (target: string) =>
    target.startsWith("node:") || builtinModules.includes(target.split("/")[0]!);
  const guilty = files
    .filter((file) => !nodeOnly.some((place) => file.startsWith(place)))
    .filter((file) => imports.get(file)!.some(({ target }) => ofNode(target)));
  expect(guilty).toEqual([]);
  expect(imports.get("src/cli/input.ts")!.some(({ target }) => ofNode(target))).toBe(true);
});

it("run and check start fast: mathjs is loaded to parse expressions only", () => {
  const isMathjs = (target: string) => target.startsWith("mathjs");
  const starting = [
    "cli/main",
    "cli/run",
    "cli/check",
    "verdicts/certify",
    "verdicts/counterexamples/violations",
  ];
  const loaded = starting.flatMap((name) => [...loadedWith(`src/${name}.ts`)]);
  expect(loaded.filter(isMathjs)).toEqual([]);
  expect([...loadedWith("src/lib/expression.ts")].filter(isMathjs)).not.toEqual([]);
});
