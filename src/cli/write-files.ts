/** Writes several files, each whole or not at all. */

import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { plainError } from "../lib/errors.js";
import { lives } from "../study/lock.js";
import type { Sink } from "../study/rows/format.js";

export interface NewFile {
  readonly name: string;
  /** Writes the content piece by piece; false if it was stopped, and there shall be no file. */
  readonly fill: (sink: Sink) => Promise<boolean>;
}

export const textFile = (name: string, text: string): NewFile => ({
  name,
  fill: async (sink) => {
    await sink(text);
    return true;
  },
});

/** All are written beside their places first, and then moved there. */
export async function writeFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  const disk: Disk = (work) => work.catch((error) => cannotWrite(folder, error));
  const begun = files.map(({ name }) => join(folder, `.${name}.${process.pid}@${hostname()}.part`));
  const whole: boolean[] = [];
  try {
    await disk(mkdir(folder, { recursive: true }));
    await disk(removeLeftovers(folder));
    for (const [k, file] of files.entries()) whole.push(await write(begun[k]!, file, disk));
    for (const [k, { name }] of files.entries())
      if (whole[k]) await disk(rename(begun[k]!, join(folder, name)));
  } finally {
    await Promise.all(begun.map((path) => rm(path, { force: true }).catch(() => {})));
  }
}

/** What a process began to write and was killed over. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid, host] = /^\..*\.(\d+)@(.+)\.part$/.exec(name) ?? [];
    if (pid === undefined || host !== hostname()) continue;
    if (Number(pid) === process.pid || !lives(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

/** Whatever the disk refuses is said in one line. */
type Disk = <T>(work: Promise<T>) => Promise<T>;

function cannotWrite(folder: string, { code }: NodeJS.ErrnoException): never {
  throw plainError(folder, `cannot be written to (${code})`);
}

async function write(path: string, { fill }: NewFile, disk: Disk): Promise<boolean> {
  const file = await disk(open(path, "w"));
  try {
    return await fill((piece) => disk(file.writeFile(piece)));
  } finally {
    await disk(file.close());
  }
}
