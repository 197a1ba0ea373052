/** Writes several files, each whole or not at all. */

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { plainError } from "../errors.js";

export interface NewFile {
  readonly name: string;
  readonly text: string;
}

/** All are written beside their places first, and then moved there. */
export async function writeFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  const begun = files.map(({ name }) => join(folder, `.${name}.${process.pid}.part`));
  try {
    await mkdir(folder, { recursive: true });
    for (const [k, { text }] of files.entries()) await writeFile(begun[k]!, text);
    for (const [k, { name }] of files.entries()) await rename(begun[k]!, join(folder, name));
  } catch (error) {
    await Promise.all(begun.map((path) => rm(path, { force: true }).catch(() => {})));
    throw plainError(folder, `cannot be written to (${(error as NodeJS.ErrnoException).code ?? error})`);
  }
}
