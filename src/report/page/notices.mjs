/** The licences of what a bundle holds, complete; a build stops where one is missing. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const mit = (holder) => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

/** Packages published without the text of their licence: the text of the one they declare, with the author they name. */
const undelivered = {
  "javascript-natural-sort": mit("Jim Palmer (based on chunking idea from Dave Koelle)"),
};

/** Packages that are published with others copied into their own file. */
const within = { "d3-delaunay": ["delaunator", "robust-predicates"] };

/** Dependencies of bundled packages that are in no bundle: of their commands, their types, and parts that are left out. */
const apart = [
  "@types/estree",
  "commander",
  "complex.js",
  "fraction.js",
  "iconv-lite",
  "json-stringify-pretty-compact",
  "rw",
  "tiny-emitter",
  "tslib",
  "vega-typings",
  "yargs",
];

/** Between two notices. */
export const RULE = `\n${"-".repeat(72)}\n\n`;

/** Of the outputs of esbuild's metafiles: the packages with what each has in its licence files and in comments of its sources. */
export function noticesOf(metafiles, root = ".") {
  const texts = new Map();
  for (const { title, text } of bundledPackages(metafiles, root).flatMap(noticesOfPackage))
    texts.set(text, [...(texts.get(text) ?? []), title]);
  return [...texts].map(([text, titles]) => `${titles.join(", ")}\n\n${text}\n`).join(RULE);
}

/** Every folder of a package of which something is in an output, with the files that are; and those copied into one. */
function bundledPackages(metafiles, root) {
  const files = new Map();
  for (const path of bundledFiles(metafiles)) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    if (folder !== undefined) files.set(folder, [...(files.get(folder) ?? []), join(root, path)]);
  }
  const packages = [...files].map(([folder, sources]) => packageIn(join(root, folder), sources));
  const names = new Set(packages.map(({ name }) => name));
  const copied = packages.flatMap(({ name, dependencies }) => {
    for (const dependency of dependencies)
      if (![...names, ...apart, ...(within[name] ?? [])].includes(dependency))
        throw new Error(`${name}: is ${dependency} copied into it? Say so in notices.mjs`);
    return within[name] ?? [];
  });
  const all = [...packages, ...copied.map((name) => packageIn(join(root, "node_modules", name), []))];
  return all.sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

const bundledFiles = (metafiles) =>
  new Set(
    metafiles
      .flatMap(({ outputs }) => Object.values(outputs))
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  );

function packageIn(folder, sources) {
  const {
    name,
    version,
    license,
    dependencies = {},
  } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { name, version, license, dependencies: Object.keys(dependencies), folder, sources };
}

const grant =
  /permission is hereby granted|permission to use, copy|redistribution and use|apache license|public domain/i;

function noticesOfPackage({ name, version, license, folder, sources }) {
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  const delivered = files
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => trimmed(readFileSync(join(folder, file), "utf8")));
  const own = name in undelivered ? [...delivered, undelivered[name]] : delivered;
  const stated = [...new Set(sources.flatMap((path) => commentsOf(readFileSync(path, "utf8"))))].filter(
    (text) => !own.some((whole) => words(whole).includes(words(text))),
  );
  if (![...own, ...stated].some((text) => grant.test(words(text))))
    throw new Error(`${name} ${version}: the text of its licence (${license}) is missing; see notices.mjs`);
  const title = `${name} ${version} (${license})`;
  return [
    ...own.map((text) => ({ title, text })),
    ...stated.map((text) => ({ title: `${title}, in its source`, text })),
  ];
}

const trimmed = (text) =>
  text
    .replace(/\r/g, "")
    .replace(/[ \t]+$/gm, "")
    .trim();

const words = (text) => text.replace(/\s+/g, " ");

/** Comments of a source that name a holder of rights, without the signs of a comment. */
const commentsOf = (source) =>
  (source.match(/\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+/gm) ?? [])
    .filter((comment) => /copyright/i.test(comment))
    .map((comment) =>
      trimmed(comment.replace(/^[ \t]*(?:\/\*+!?|\*+\/|\/\/|\*(?!\/))[ \t]?|\*+\/\s*$/gm, "")),
    );
