/** What was named on the command line, in words that mean the same on another machine. */

import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { plainError } from "../lib/errors.js";
import { checksumOf, type Named } from "../study/study.js";
import { splitFile } from "./extension.js";

export function named(spec: string): Named {
  const { file } = splitFile(spec);
  return { spec, checksum: file === null ? null : checksumOfFile(file) };
}

/** Static and dynamic imports, and files that are started as threads. */
const LOCAL = /(?:\bfrom|\bimport|\bnew URL)\s*\(?\s*["'](\.[^"']+)["']/g;

/** Of a file and all it imports by relative path, under their places relative to it; `outermost` bounds where they may be. */
export function checksumOfFile(path: string, outermost = "/"): string {
  const entry = resolve(path);
  const found = new Map<string, string>();
  const visit = (file: string): void => {
    const text = textOf(file);
    found.set(file, text);
    for (const [, target] of text.matchAll(LOCAL)) {
      const imported = existing(join(dirname(file), target!), found);
      if (imported !== undefined && !found.has(imported) && imported.startsWith(outermost)) visit(imported);
    }
  };
  visit(entry);
  const parts = [...found].map(([file, text]) => [relative(dirname(entry), file), checksumOf(text)]);
  return checksumOf(JSON.stringify(parts.sort()));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw plainError(relative("", file), code === "ENOENT" ? "no such file" : `cannot be read (${code})`);
  }
}

/** The file that an import without, or with a script's, ending means. */
function existing(path: string, known: ReadonlyMap<string, unknown>): string | undefined {
  const places = [path, path.replace(/\.js$/, ".ts"), `${path}.ts`, `${path}.js`, join(path, "index.ts")];
  return places.find((place) => known.has(place) || statSync(place, { throwIfNoEntry: false })?.isFile());
}
