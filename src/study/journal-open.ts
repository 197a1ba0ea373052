/** Opens a journal: a new one, or one to go on with. */

import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { InputError } from "../lib/errors.js";
import { difference, type Heading } from "./heading.js";
import { decodeLine, encodeLine, type Line, linesOf } from "./journal-line.js";
import { lock } from "./lock.js";
import type { ChunkResult } from "./perform.js";

/** Nothing can be kept: no use to go on with anything. */
export class JournalError extends InputError {
  constructor(path: string, expected: string) {
    super({ source: path, path: [], expected, kind: "plain" });
  }
}

export interface JournalPlace {
  readonly folder: string;
  readonly heading: Heading;
  readonly warn: (text: string) => void;
}

export const pathOf = ({ folder }: JournalPlace): string => join(folder, "journal.jsonl");

/** A finished chunk, as a line holds it. */
export interface Entry extends ChunkResult {
  readonly study: string;
  readonly chunk: number;
}

export const keyOf = ({ study, chunk }: Pick<Entry, "study" | "chunk">): string => `${study}/${chunk}`;

export interface Opened {
  readonly file: number;
  /** Where the line of a chunk is, without its end. */
  readonly index: Map<string, { readonly offset: number; readonly length: number }>;
  readonly release: () => void;
  /** Where the last whole line ends. */
  end: number;
}

export function unwritable(place: JournalPlace, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof JournalError || code === undefined
    ? (error as Error)
    : new JournalError(pathOf(place), `cannot be written (${code})`);
}

/** One that is there already is set aside: somebody may have meant to go on with it. */
export function begin(place: JournalPlace): Opened {
  const path = pathOf(place);
  let release = () => {};
  try {
    mkdirSync(place.folder, { recursive: true });
    release = locked(place);
    if (existsSync(path)) {
      const aside = unused(path);
      renameSync(path, aside);
      place.warn(`${path}: unfinished, kept as ${basename(aside)}; --resume would have gone on with it`);
    }
    return withHeading({ file: openSync(path, "wx+"), index: new Map(), release, end: 0 }, place);
  } catch (error) {
    release();
    throw unwritable(place, error);
  }
}

function unused(path: string): string {
  for (let k = 1; ; k++) {
    const name = path.replace(/jsonl$/, k === 1 ? "previous.jsonl" : `previous-${k}.jsonl`);
    if (!existsSync(name)) return name;
  }
}

function locked(place: JournalPlace): () => void {
  const path = join(place.folder, "journal.lock");
  const got = lock(path);
  if ("release" in got) return got.release;
  throw new JournalError(pathOf(place), `${got.holder} is writing it; if not, remove ${path}`);
}

function withHeading(opened: Opened, { heading }: JournalPlace): Opened {
  const line = encodeLine(heading);
  ftruncateSync(opened.file, 0);
  for (let from = 0; from < line.length; )
    from += writeSync(opened.file, line, from, line.length - from, from);
  fdatasyncSync(opened.file);
  opened.end = line.length;
  return opened;
}

/** Refuses a journal of another study, and leaves it as it is; drops what is torn or damaged. */
export async function resume(place: JournalPlace): Promise<Opened> {
  const path = pathOf(place);
  if (!existsSync(path)) throw new JournalError(path, "no such file: there is nothing to resume");
  let [release, file] = [() => {}, -1];
  try {
    release = locked(place);
    file = openSync(path, "r+");
    const { index, end, damaged } = await scan(place);
    const opened = { file, index, release, end };
    if (end === 0) return withHeading(opened, place);
    ftruncateSync(file, end);
    const lines = damaged === 1 ? "line" : "lines";
    if (damaged > 0) place.warn(`${path}: ${damaged} damaged ${lines} left out and done again`);
    return opened;
  } catch (error) {
    if (file >= 0) closeSync(file);
    release();
    throw unwritable(place, error);
  }
}

interface Scanned extends Pick<Opened, "index" | "end"> {
  /** Lines in between that are not what was written. */
  readonly damaged: number;
}

async function scan(place: JournalPlace): Promise<Scanned> {
  const index: Opened["index"] = new Map();
  let [end, bad, damaged] = [0, 0, 0];
  for await (const line of linesOf(pathOf(place))) {
    const { bytes, offset, whole } = line;
    if (offset === 0) {
      if (!checkHeading(line, place)) return { index, end, damaged };
    } else {
      const entry = whole ? (decodeLine(bytes) as Entry | null) : null;
      if (entry === null) {
        bad++;
        continue;
      }
      index.set(keyOf(entry), { offset, length: bytes.length });
    }
    // Bad lines at the very end are torn, no more.
    [end, damaged] = [offset + bytes.length + 1, bad];
  }
  return { index, end, damaged };
}

/** False if it was torn while it was being written: nothing came after it. */
function checkHeading({ bytes, whole }: Line, place: JournalPlace): boolean {
  const ours = encodeLine(place.heading);
  if (!whole && ours.subarray(0, bytes.length).equals(bytes)) return false;
  const again = "without --resume it is set aside and all begins anew";
  const earlier = whole ? (decodeLine(bytes) as Heading | null) : null;
  if (earlier === null) throw new JournalError(pathOf(place), `its first line is damaged; ${again}`);
  const apart = difference(earlier, place.heading);
  if (apart === null) return true;
  throw new JournalError(pathOf(place), `is of another study: ${apart}; ${again}`);
}
