/** Who gets a report or the package gets the licences of what is bundled into them. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { root } from "../cli/candor.js";

/** The build's own scripts, which have no types. */
const script = (name: string) => import(join(root, "src/report/page", name));
const { noticesOf }: { noticesOf: (metafiles: readonly Metafile[], root?: string) => string } =
  await script("notices.mjs");
const bundles: Record<"page" | "libraries", BuildOptions> = await script("bundles.mjs");

const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Name and version of every package of which a bundle holds anything. */
async function packagesIn(bundle: BuildOptions): Promise<string[]> {
  const { metafile } = await build({ ...bundle, write: false, absWorkingDir: root });
  const files = Object.values(metafile!.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const folders = files.flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput === 0 ? [] : (/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
  );
  return [...new Set(folders)].map((folder) => {
    const { name, version } = JSON.parse(read(`${folder}/package.json`));
    return `${name} ${version} (`;
  });
}

it("the page's licences and the package's name every package that is bundled, those copied into others too", async () => {
  const page = await packagesIn(bundles.page);
  const all = [...page, ...(await packagesIn(bundles.libraries))];
  const ofPage = read("dist/page/licences.txt");
  const ofPackage = read("dist/THIRD-PARTY.txt");
  expect(page.length).toBeGreaterThan(40);
  expect(page.filter((name) => !ofPage.includes(name))).toEqual([]);
  expect(all.filter((name) => !ofPackage.includes(name))).toEqual([]);
  expect(ofPage).toContain(read("LICENSE").trim());
  for (const name of ["d3-delaunay", "delaunator", "robust-predicates", "vega-interpreter", "zod"])
    expect(ofPage).toContain(`${name} `);
  for (const holder of [
    "University of Washington",
    "Ariya Hidayat",
    "Jason Davies",
    "Johannes Baagøe",
    "Mapbox",
  ])
    expect(ofPage).toContain(holder);
  for (const holder of ["Jos de Jong", "Jim Palmer", "Zhipeng Jia"]) expect(ofPackage).toContain(holder);
});

/** A folder with packages of these files, and the metafile of a bundle of all their index.js. */
function bundled(packages: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  const folder = mkdtempSync(join(tmpdir(), "candor-licences-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const inputs: Record<string, { bytesInOutput: number }> = {};
  for (const [name, files] of Object.entries(packages))
    for (const [file, text] of Object.entries(files)) {
      const path = `node_modules/${name}/${file}`;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
      if (file === "index.js") inputs[path] = { bytesInOutput: 1 };
    }
  return noticesOf([{ outputs: { "out.js": { inputs } } } as unknown as Metafile], folder);
}

const GRANT = "Permission is hereby granted to anybody.";
const manifest = (more = {}) => JSON.stringify({ name: "a", version: "1.0.0", license: "MIT", ...more });

it("a build stops at a package without the text of its licence", () => {
  const files = { "package.json": manifest(), "index.js": "1" };
  expect(() => bundled({ a: files })).toThrow("a 1.0.0: the text of its licence (MIT) is missing");
  expect(() => bundled({ a: { ...files, LICENSE: "" } })).toThrow("is missing");
  expect(bundled({ a: { ...files, "LICENCE.md": GRANT } })).toBe(`a 1.0.0 (MIT)\n\n${GRANT}\n`);
});

it("a build stops at a package that may hold a copy of another", () => {
  const files = { "package.json": manifest({ dependencies: { b: "1" } }), "index.js": "1", LICENSE: GRANT };
  expect(() => bundled({ a: files })).toThrow("a: is b copied into it?");
  const b = { "package.json": manifest({ name: "b" }), "index.js": "2", LICENSE: GRANT };
  expect(bundled({ a: files, b })).toBe(`a 1.0.0 (MIT), b 1.0.0 (MIT)\n\n${GRANT}\n`);
});

it("a package within another, a NOTICE, and what sources say of their own rights are not left out", () => {
  const inner = { "package.json": manifest({ name: "b" }), "index.js": "2", LICENSE: "Public domain." };
  const source = "/*\n * Copyright 1999 Ann.\n * All yours.\n */\nlet a;\n// Copyright 2000\n//  Bob\nlet b;";
  const outer = { "package.json": manifest(), "index.js": source, LICENSE: GRANT, NOTICE: "Made by Cy." };
  const text = bundled({ a: outer, "a/node_modules/b": inner });
  for (const part of [
    GRANT,
    "Made by Cy.",
    "Copyright 1999 Ann.\nAll yours.",
    "Copyright 2000\n Bob",
    "b 1.0.0",
  ])
    expect(text).toContain(part);
});
