/** What files need so that a crash loses nothing: folders, parts and their places, on the disk before the next step; links are not followed. */

import { closeSync, constants, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/** How a file of candor's own is opened. Where somebody has put a link in its place, that is an error, and what it names is left alone. */
export const openAs = {
  /** One that is there, to be read. */
  read: O_RDONLY | O_NOFOLLOW,
  /** One that is there, to be read and changed. */
  change: O_RDWR | O_NOFOLLOW,
  /** One that is not there yet. */
  create: O_RDWR | O_CREAT | O_EXCL,
  /** One that is there or not, to be added to. */
  append: O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW,
} as const;

/**
 * Makes a folder and those above it; returns the topmost that was made, undefined if all were there. Node's own recursive way
 * says "no such file" of a file system that is read-only, and does not end in /proc.
 */
export function makeFolder(path: string): string | undefined {
  const missing: string[] = [];
  let at = resolve(path);
  while (!isFolder(at)) {
    missing.push(at);
    at = dirname(at);
  }
  for (const folder of missing.toReversed()) {
    try {
      mkdirSync(folder);
    } catch (error) {
      // Somebody else may have made it at the same moment.
      if (codeOf(error) !== "EEXIST" || !isFolder(folder)) throw error;
    }
  }
  return missing.at(-1);
}

function isFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return found !== undefined;
  throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR" });
}

/** New names in a folder are on the disk when this returns; some file systems cannot be asked, and need not be. */
export function syncFolder(path: string): void {
  try {
    const folder = openSync(path, O_RDONLY);
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch (error) {
    if (!["EINVAL", "EISDIR", "EPERM", "EACCES", "ENOTSUP"].includes(codeOf(error))) throw error;
  }
}

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? "";

/** Why the disk refuses, by the code of its error. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EDQUOT: "no space left for this user",
  EFBIG: "too large for this disk",
  EIO: "the disk has failed",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENOSPC: "no space left",
  EPERM: "permission denied",
  EROFS: "read-only file system",
};

/** Where the name itself is wrong, whatever is to be done with the file. */
const names: Readonly<Record<string, string>> = {
  EEXIST: "has just been made by another process",
  EISDIR: "is a folder, not a file",
  ELOOP: "is a link, which is not followed here",
  ENAMETOOLONG: "is too long a name",
  ENOENT: "no such file",
  ENOTDIR: "is inside of a file, not of a folder",
};

/** As in "cannot be written: no space left (ENOSPC)"; undefined for what is no error of the disk. */
export function refusalOf(error: unknown, deed: "read" | "written" | "written to"): string | undefined {
  const code = codeOf(error);
  if (!/^E[A-Z0-9]+$/.test(code)) return undefined;
  const reason = reasons[code];
  return names[code] ?? `cannot be ${deed}${reason === undefined ? "" : `: ${reason}`} (${code})`;
}
