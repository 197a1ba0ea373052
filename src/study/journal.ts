/**
 * Finished work in a file, line by line, each with a checksum: work that stops for any reason can go on from there. Studies keep
 * their chunks in one, `train` its tasks.
 */

import {
  closeSync,
  createReadStream,
  existsSync,
  fdatasync,
  ftruncateSync,
  openSync,
  read,
  renameSync,
  rmdirSync,
  rmSync,
  write,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { InputError } from "../lib/errors.js";
import { makeFolder, openAs, refusalOf, syncFolder } from "./disk.js";
import { lock } from "./lock.js";
import { checksumOf } from "./study.js";

const [writeTo, readFrom, flush] = [promisify(write), promisify(read), promisify(fdatasync)];

/** What a kind of journal does about a file that is there, or is not, or is damaged. */
export interface JournalKind<Heading> {
  /** The file's name without its ending. */
  readonly name: string;
  /** What keeps the journal of an earlier run from being this one's, in words; null if nothing does. */
  difference(earlier: Heading, now: Heading): string | null;
  /** Without --resume, one that is there already is set aside, or refused with these words. */
  readonly existing: "set aside" | { readonly refused: string };
  /** With --resume, one that is not there is begun, or refused. */
  readonly missing: "begun" | "refused";
  /** Lines in between that are not what was written are left out, or the whole is refused. */
  readonly damaged: "left out" | "refused";
}

export interface JournalOptions<Heading, Entry> {
  readonly folder: string;
  readonly heading: Heading;
  readonly resumes: boolean;
  readonly warn: (text: string) => void;
  /** Hears of what earlier runs have finished, in their order. */
  readonly found: (entry: Entry, place: Place) => void;
}

/** Where an entry's line is, without its end. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** Nothing can be kept: no use to go on with anything. */
export class JournalError extends InputError {
  constructor(path: string, expected: string) {
    super({ source: path, path: [], expected, kind: "plain" });
  }
}

/** Nothing is written before the first entry: some input shows only then that it is no good. */
export class Journal<Entry extends object> {
  private file = -1;
  private count: number;
  /** Where the last whole line ends on the disk, and where it will when all that waits is written. */
  private end: number;
  private planned: number;
  private waiting: Buffer[] = [];
  private written: Promise<void> = Promise.resolve();

  private constructor(
    readonly path: string,
    private readonly heading: Buffer,
    private readonly release: () => void,
    { entries, end }: Scanned,
  ) {
    this.count = entries;
    [this.end, this.planned] = [end, end];
  }

  static async open<Entry extends object, Heading extends object>(
    kind: JournalKind<Heading>,
    options: JournalOptions<Heading, Entry>,
  ): Promise<Journal<Entry>> {
    const { folder, heading, resumes } = options;
    const path = join(folder, `${kind.name}.jsonl`);
    if (resumes && kind.missing === "refused" && !existsSync(path))
      throw new JournalError(path, "no such file: there is nothing to resume");
    const release = locked(folder, path);
    try {
      const scanned = existsSync(path) && resumes ? await resumed(path, kind, options) : NOTHING;
      if (existsSync(path) && !resumes) putAside(path, kind, options.warn);
      return new Journal(path, encodeLine(heading), release, scanned);
    } catch (error) {
      release();
      throw unwritable(path, error);
    }
  }

  /** Whether anything finished is kept. */
  get holds(): boolean {
    return this.count > 0;
  }

  /** Done when it is on the disk; what comes while another is being written goes there in one go. */
  async append(entry: Entry): Promise<Place> {
    if (this.planned === 0) this.plan(this.heading);
    const line = encodeLine(entry);
    const place = { offset: this.planned, length: line.length - 1 };
    this.plan(line);
    await this.written;
    this.count++;
    return place;
  }

  async read({ offset, length }: Place): Promise<Entry> {
    const line = Buffer.alloc(length);
    await readFrom(this.open(), line, 0, length, offset);
    const entry = decodeLine(line) as Entry | null;
    if (entry !== null) return entry;
    throw new JournalError(this.path, `has been changed by others at byte ${offset}`);
  }

  /** One that holds nothing is removed in any case. */
  async close({ remove }: { readonly remove: boolean }): Promise<void> {
    await this.written.catch(() => {});
    if (this.file >= 0) closeSync(this.file);
    if (remove || !this.holds) rmSync(this.path, { force: true });
    this.release();
  }

  private plan(line: Buffer): void {
    this.waiting.push(line);
    this.planned += line.length;
    if (this.waiting.length === 1) this.written = this.written.then(() => this.write());
  }

  private open(): number {
    if (this.file >= 0) return this.file;
    const there = existsSync(this.path);
    this.file = openSync(this.path, there ? openAs.change : openAs.create);
    if (!there) syncFolder(dirname(this.path));
    return this.file;
  }

  private async write(): Promise<void> {
    const bytes = Buffer.concat(this.waiting);
    this.waiting = [];
    try {
      const file = this.open();
      // What was torn, and what was not written whole because the disk was full, must not stay.
      ftruncateSync(file, this.end);
      await writeAll(file, bytes, this.end);
      await flush(file);
      this.end += bytes.length;
    } catch (error) {
      if (this.file >= 0) ftruncateSync(this.file, this.end);
      throw unwritable(this.path, error);
    }
  }
}

async function writeAll(file: number, bytes: Buffer, position: number): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const { bytesWritten } = await writeTo(file, bytes, from, bytes.length - from, position + from);
    from += bytesWritten;
  }
}

function unwritable(path: string, error: unknown): Error {
  const reason = error instanceof JournalError ? undefined : refusalOf(error, "written");
  return reason === undefined ? (error as Error) : new JournalError(path, reason);
}

/** Returns how to let go; folders that were made for nothing go as well. */
function locked(folder: string, path: string): () => void {
  const place = path.replace(/jsonl$/, "lock");
  try {
    const made = makeFolder(folder);
    const got = lock(place);
    if ("holder" in got) throw new JournalError(path, `${got.holder} is writing it; if not, remove ${place}`);
    return () => {
      got.release();
      if (made !== undefined) removeEmpty(resolve(folder), made);
    };
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** A folder and those above it, up to the topmost that was made for it. */
function removeEmpty(folder: string, topmost: string): void {
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
  if (folder.length > topmost.length) removeEmpty(dirname(folder), topmost);
}

/** Somebody may have meant to go on with it: it is never overwritten. */
function putAside<Heading>(
  path: string,
  { existing }: JournalKind<Heading>,
  warn: (text: string) => void,
): void {
  if (existing !== "set aside") throw new JournalError(path, existing.refused);
  const aside = unused(path);
  renameSync(path, aside);
  warn(`${path}: unfinished, kept as ${basename(aside)}; --resume would have continued it`);
}

function unused(path: string): string {
  for (let k = 1; ; k++) {
    const name = path.replace(/jsonl$/, k === 1 ? "previous.jsonl" : `previous-${k}.jsonl`);
    if (!existsSync(name)) return name;
  }
}

/** What a file holds; an end of 0 says that not even its heading is whole. */
interface Scanned {
  readonly entries: number;
  /** Where the last whole line ends. */
  readonly end: number;
  /** Numbers of the lines in between that are not what was written. */
  readonly damaged: readonly number[];
}

const NOTHING: Scanned = { entries: 0, end: 0, damaged: [] };

/** Refuses a journal of another run, and leaves it as it is. */
async function resumed<Heading extends object, Entry>(
  path: string,
  kind: JournalKind<Heading>,
  { heading, warn, found }: JournalOptions<Heading, Entry>,
): Promise<Scanned> {
  const isHeading = (first: Line) => checkHeading(first, { path, kind, heading });
  const scanned = await scan(path, isHeading, (entry, place) => found(entry as Entry, place));
  const [line] = scanned.damaged;
  if (line === undefined) return scanned;
  if (kind.damaged === "refused")
    throw new JournalError(`${path}:${line}`, "is damaged: its checksum does not match");
  const count = scanned.damaged.length;
  warn(`${path}: ${count} damaged ${count === 1 ? "line" : "lines"} left out and done again`);
  return scanned;
}

/** A last line that is not what was written is torn, no more. */
async function scan(
  path: string,
  isHeading: (line: Line) => boolean,
  found: (entry: unknown, place: Place) => void,
): Promise<Scanned> {
  const bad: number[] = [];
  let [number, entries, end] = [0, 0, 0];
  for await (const line of linesOf(path)) {
    const { bytes, offset, whole } = line;
    number++;
    if (number === 1) {
      if (!isHeading(line)) return NOTHING;
    } else {
      const entry = whole ? decodeLine(bytes) : null;
      if (entry === null) {
        bad.push(number);
        continue;
      }
      found(entry, { offset, length: bytes.length });
      entries++;
    }
    end = offset + bytes.length + 1;
  }
  return { entries, end, damaged: bad.filter((line) => line < number) };
}

interface Expected<Heading> {
  readonly path: string;
  readonly kind: JournalKind<Heading>;
  readonly heading: Heading;
}

/** False if it was torn while it was being written: nothing came after it. */
function checkHeading<Heading extends object>(
  { bytes, whole }: Line,
  { path, kind, heading }: Expected<Heading>,
): boolean {
  if (!whole && encodeLine(heading).subarray(0, bytes.length).equals(bytes)) return false;
  const again =
    kind.existing === "set aside" ? "; without --resume it is set aside, and everything starts again" : "";
  const earlier = whole ? (decodeLine(bytes) as Heading | null) : null;
  if (earlier === null) throw new JournalError(path, `its first line is damaged${again}`);
  const difference = kind.difference(earlier, heading);
  if (difference === null) return true;
  throw new JournalError(path, `${difference}${again}`);
}

const FRONT = '{"sum":"';
const DIGITS = 16;
const BODY = FRONT.length + DIGITS + '",'.length;

const front = (body: Uint8Array): string => `${FRONT}${checksumOf(body).slice(0, DIGITS)}",`;

/** An object as a line, with its end. */
function encodeLine(value: object): Buffer {
  const body = Buffer.from(JSON.stringify(value).slice(1));
  return Buffer.concat([Buffer.from(front(body)), body, Buffer.from("\n")]);
}

/** Null if a single byte is not what was written. */
function decodeLine(line: Buffer): unknown {
  const body = line.subarray(BODY);
  if (line.subarray(0, BODY).toString("latin1") !== front(body)) return null;
  return JSON.parse(`{${body}`);
}

interface Line {
  /** Without its end. */
  readonly bytes: Buffer;
  readonly offset: number;
  /** Whether its end is there. */
  readonly whole: boolean;
}

const END = 0x0a;

/** The types of Node want a flag in letters, and there is none that does not follow links. */
const asIs = { highWaterMark: 1 << 20, flags: openAs.read as unknown as string };

/** One after another: memory holds one of them. */
async function* linesOf(path: string): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let offset = 0;
  for await (const block of createReadStream(path, asIs) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let to = block.indexOf(END); to >= 0; to = block.indexOf(END, from)) {
      const bytes = Buffer.concat([...parts, block.subarray(from, to)]);
      yield { bytes, offset, whole: true };
      offset += bytes.length + 1;
      parts = [];
      from = to + 1;
    }
    if (from < block.length) parts.push(block.subarray(from));
  }
  if (parts.length > 0) yield { bytes: Buffer.concat(parts), offset, whole: false };
}
