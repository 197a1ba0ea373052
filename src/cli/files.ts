/** Files: read whole, and written whole or not at all; what the disk refuses is an error of one line. */

import { constants, existsSync, readFileSync } from "node:fs";
import { access, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { type InputError, plainError } from "../lib/errors.js";
import { codeOf, makeFolder, openAs, refusalOf, syncFolder } from "../study/disk.js";
import { lives } from "../study/lock.js";
import type { Sink } from "../study/row-files.js";

/** What one market, or one line, may take: text beyond this fits no string. */
export const LONGEST = 256 << 20;

export const tooLong = (source: string): InputError =>
  plainError(source, `a single market of more than ${LONGEST >> 20} MB`);

/** A whole file as text. */
export async function readText(path: string): Promise<string> {
  try {
    if ((await stat(path)).size > LONGEST) throw tooLong(path);
    return await readFile(path, "utf8");
  } catch (error) {
    throw readable(error, path);
  }
}

/** A whole file as bytes, where nothing can be waited for. */
export function readSync(path: string, called = path): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw readable(error, called);
  }
}

/** The text of a file; null if there is none. */
export const readIfThere = async (path: string): Promise<string | null> =>
  existsSync(path) ? readText(path) : null;

/** A failure to read, in words; other errors are passed on. */
export function readable(error: unknown, path: string): unknown {
  const reason = refusalOf(error, "read");
  return reason === undefined ? error : plainError(path, reason);
}

function writable(error: unknown, path: string): unknown {
  const reason = refusalOf(error, "written");
  return reason === undefined ? error : plainError(path, reason);
}

/** Asks the file, or else the nearest folder that exists. */
export async function demandWritable(path: string): Promise<void> {
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      const { R_OK, W_OK } = constants;
      const folder = (await stat(at)).isDirectory();
      if (folder && at === resolve(path)) throw writable({ code: "EISDIR" }, path);
      await access(at, R_OK | W_OK);
      if (!folder) await access(dirname(at), W_OK);
      return;
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw writable(error, path);
    }
  }
}

/** A file to be written. */
export interface NewFile {
  readonly name: string;
  /** Writes the content piece by piece; false if it was stopped, and there shall be no file. */
  readonly fill: (sink: Sink) => Promise<boolean>;
}

/** One text, whole or not at all. */
export const replaceFile = (path: string, text: string): Promise<void> =>
  writeFiles(dirname(path), [textFile(basename(path), text)]);

export const textFile = (name: string, text: string): NewFile => ({
  name,
  fill: async (sink) => {
    await sink(text);
    return true;
  },
});

/** All are written beside their places first, and then moved there; on the disk when this is done. */
export async function writeFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  const disk: Disk = (work) => work.catch((error) => cannotWrite(folder, error));
  const begun = files.map(({ name }) => join(folder, `.${name}.${process.pid}@${hostname()}.part`));
  const whole: boolean[] = [];
  try {
    await disk((async () => makeFolder(folder))());
    await disk(removeLeftovers(folder));
    for (const [k, file] of files.entries()) whole.push(await write(begun[k]!, file, disk));
    for (const [k, { name }] of files.entries())
      if (whole[k]) await disk(rename(begun[k]!, join(folder, name)));
    await disk((async () => syncFolder(folder))());
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

/** What the disk refuses is an error of one line. */
type Disk = <T>(work: Promise<T>) => Promise<T>;

function cannotWrite(folder: string, error: unknown): never {
  const reason = refusalOf(error, "written to");
  throw reason === undefined ? error : plainError(folder, reason);
}

/** What was moved into its place before its content is on the disk would be empty after a crash. */
async function write(path: string, { fill }: NewFile, disk: Disk): Promise<boolean> {
  const file = await disk(open(path, openAs.create));
  try {
    const whole = await fill((piece) => disk(file.writeFile(piece)));
    await disk(file.sync());
    return whole;
  } finally {
    await disk(file.close());
  }
}
