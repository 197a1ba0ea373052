import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** The house from the ground up: imports go down. A name that ends in / is a folder, any other a file. */
const layers: readonly (readonly [about: string, ...places: string[]])[] = [
  [
    "helpers that know no market",
    "src/errors",
    "src/suggest",
    "src/compare",
    "src/random",
    "src/format",
    "src/statistics",
    "src/moments",
    "src/sketch",
    "src/lots",
    "src/measure",
  ],
  ["options, numbers, text", "src/options", "src/arithmetic", "src/expression", "src/argsort", "src/json"],
  ["vocabulary", "src/market", "src/trace"],
  ["markets read and drawn", "src/parse", "src/draw", "src/arbitraries"],
  ["the interface of an auction", "src/mechanism"],
  ["auctions", "src/mechanisms/"],
  ["outcomes in numbers", "src/utility", "src/regime", "src/run-record"],
  ["outcomes in words", "src/trace-book", "src/share-text", "src/ruling-text", "src/trace-text"],
  ["best responses", "src/best-response/"],
  ["the interface of an agent", "src/agent", "src/play", "src/trial", "src/tunable"],
  ["agents made of others", "src/transformers", "src/formula"],
  ["contracts", "src/contract", "src/agent-contract", "src/contracts"],
  ["agents", "agents/"],
  ["verdicts", "src/regret", "src/properties", "src/certify", "src/audit"],
  ["reasons", "src/causes", "src/explain", "src/reason-text", "src/replay"],
  ["counterexamples", "src/hunt/"],
  ["training", "src/training/"],
  ["the interface of a job", "src/job"],
  ["work spread over threads and machines", "src/sweep/"],
  ["the interface of an analysis", "src/analysis", "src/statistics"],
  ["surveys of drawn markets", "src/survey/"],
  ["auctions side by side", "src/comparison/"],
  ["auctions and the models they lead to", "src/lessons/"],
  ["questions", "analyses/"],
  ["reports", "src/report/"],
  ["row-level data in files", "src/rows/"],
  ["what others import", "src/index"],
  ["programs", "src/bench/", "src/cli/"],
];

/** Only these may use what a browser lacks. */
const nodeOnly = [
  "src/cli/",
  "src/bench/",
  "src/sweep/",
  "src/training/tfjs",
  "src/training/files",
  "src/training/record/",
  "src/training/fit/",
];

const root = fileURLToPath(new URL("..", import.meta.url));

const files = ["src", "agents", "analyses"]
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[]).map((path) => `${folder}/${path}`),
  )
  .filter((path) => path.endsWith(".ts"))
  .sort();

const isIn = (place: string, file: string): boolean =>
  place.endsWith("/") ? file.startsWith(place) : file === `${place}.ts`;

const layerOf = (file: string): number =>
  layers.findIndex(([, ...places]) => places.some((place) => isIn(place, file)));

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

it("every file has a place in the house", () => {
  expect(files.filter((file) => layerOf(file) < 0)).toEqual([]);
  expect(files).toContain("src/cli/main.ts");
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
      .filter(({ target }) => imports.has(target) && layerOf(file) >= 0 && layerOf(target) > layerOf(file))
      .map(({ target }) => `${file} imports ${target}`),
  );
  expect(upward).toEqual([]);
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

it("run starts fast: it does not load mathjs", () => {
  const isMathjs = (target: string) => target.startsWith("mathjs");
  expect([...loadedWith("src/cli/main.ts"), ...loadedWith("src/cli/run.ts")].filter(isMathjs)).toEqual([]);
  expect([...loadedWith("src/expression.ts")].filter(isMathjs)).not.toEqual([]);
});
