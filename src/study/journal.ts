/** Finished chunks in a file, line by line: whoever stops for whatever reason can go on from there. */

import {
  closeSync,
  createReadStream,
  existsSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  read,
  renameSync,
  rmSync,
  write,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { InputError } from "../lib/errors.js";
import type { Archive } from "./gather.js";
import type { Profile } from "./job.js";
import { lock } from "./lock.js";
import { type ChunkResult, checksumOf, type Named } from "./study.js";

const [writeTo, readFrom, flush] = [promisify(write), promisify(read), promisify(fdatasync)];

interface Journal extends Archive {
  /** Whether anything finished is kept. */
  readonly holds: boolean;
  /** What is finished for good needs no journal, nor does a study of which nothing is. */
  close(finished: boolean): Promise<void>;
}

/** Goes on with the journal there is; or begins one, once there is something to ask or to keep. */
export async function journalIn(place: JournalPlace, { resumes }: { resumes: boolean }): Promise<Journal> {
  return new JournalFile(place, resumes ? await resume(place) : undefined);
}

class JournalFile implements Journal {
  private batch: Entry[] = [];
  private written: Promise<void> = Promise.resolve();

  constructor(
    private readonly place: JournalPlace,
    private opened: Opened | undefined,
  ) {}

  get holds(): boolean {
    return (this.opened?.index.size ?? 0) > 0;
  }

  has(study: string, chunk: number): boolean {
    return this.open().index.has(keyOf({ study, chunk }));
  }

  async read(study: string, chunk: number): Promise<ChunkResult> {
    const { file, index } = this.open();
    const { offset, length } = index.get(keyOf({ study, chunk }))!;
    const line = Buffer.alloc(length);
    await readFrom(file, line, 0, length, offset);
    const entry = decodeLine(line) as Entry | null;
    if (entry !== null) return { summaries: entry.summaries, rows: entry.rows };
    throw new JournalError(pathOf(this.place), `has been changed by others at byte ${offset}`);
  }

  /** Done when it is on the disk; what comes while another is being written goes there in one go. */
  keep(study: string, chunk: number, { summaries, rows }: ChunkResult): Promise<void> {
    this.open();
    this.batch.push({ study, chunk, summaries, rows });
    if (this.batch.length === 1) this.written = this.written.then(() => this.append());
    return this.written;
  }

  async close(finished: boolean): Promise<void> {
    await this.written.catch(() => {});
    if (this.opened === undefined) return;
    closeSync(this.opened.file);
    if (finished || !this.holds) rmSync(pathOf(this.place), { force: true });
    this.opened.release();
    this.opened = undefined;
  }

  private open(): Opened {
    this.opened ??= begin(this.place);
    return this.opened;
  }

  private async append(): Promise<void> {
    const [entries, opened] = [this.batch, this.open()];
    this.batch = [];
    const lines = entries.map(encodeLine);
    try {
      await writeAll(opened.file, Buffer.concat(lines), opened.end);
      await flush(opened.file);
    } catch (error) {
      // Half a line would do no harm, but the disk may be full.
      ftruncateSync(opened.file, opened.end);
      throw unwritable(this.place, error);
    }
    for (const [k, { length }] of lines.entries()) {
      opened.index.set(keyOf(entries[k]!), { offset: opened.end, length: length - 1 });
      opened.end += length;
    }
  }
}

async function writeAll(file: number, bytes: Buffer, position: number): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const { bytesWritten } = await writeTo(file, bytes, from, bytes.length - from, position + from);
    from += bytesWritten;
  }
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

/** One after another: memory holds one of them. */
async function* linesOf(path: string): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let offset = 0;
  for await (const block of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
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

/** Nothing can be kept: no use to go on with anything. */
export class JournalError extends InputError {
  constructor(path: string, expected: string) {
    super({ source: path, path: [], expected, kind: "plain" });
  }
}

interface JournalPlace {
  readonly folder: string;
  readonly heading: Heading;
  readonly warn: (text: string) => void;
}

const pathOf = ({ folder }: JournalPlace): string => join(folder, "journal.jsonl");

/** A finished chunk, as a line holds it. */
interface Entry extends ChunkResult {
  readonly study: string;
  readonly chunk: number;
}

const keyOf = ({ study, chunk }: Pick<Entry, "study" | "chunk">): string => `${study}/${chunk}`;

interface Opened {
  readonly file: number;
  /** Where the line of a chunk is, without its end. */
  readonly index: Map<string, { readonly offset: number; readonly length: number }>;
  readonly release: () => void;
  /** Where the last whole line ends. */
  end: number;
}

function unwritable(place: JournalPlace, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof JournalError || code === undefined
    ? (error as Error)
    : new JournalError(pathOf(place), `cannot be written (${code})`);
}

/** One that is there already is set aside: somebody may have meant to go on with it. */
function begin(place: JournalPlace): Opened {
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
async function resume(place: JournalPlace): Promise<Opened> {
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

export interface Heading {
  /** This program's version and a digest of its code: other code may compute something else. */
  readonly program: string;
  readonly analyses: readonly Named[];
  readonly mechanism: Named;
  readonly seed: string;
  readonly profile: Profile;
  /** Whether row-level data are kept. */
  readonly rows: boolean;
}

/** What sets an earlier study apart from this one, in words; null if nothing does. */
function difference(earlier: Heading, now: Heading): string | null {
  if (earlier.program !== now.program)
    return `the program is another: ${earlier.program ?? "one without a digest"} then, ${now.program} now`;
  const parts = (heading: Heading): Record<string, string> => ({
    analyses: heading.analyses.map(({ spec }) => spec).join(" "),
    mechanism: heading.mechanism.spec,
    seed: heading.seed,
    profile: heading.profile,
    "row-level data": heading.rows ? "yes" : "no",
  });
  const [before, after] = [parts(earlier), parts(now)];
  const other = Object.keys(after).filter((name) => before[name] !== after[name]);
  if (other.length > 0) return other.map((name) => `${name} ${before[name]}, not ${after[name]}`).join(", ");
  const files = (heading: Heading) => [...heading.analyses, heading.mechanism];
  const changed = files(now).find(({ checksum }, k) => checksum !== files(earlier)[k]!.checksum);
  return changed === undefined ? null : `${basename(changed.spec)} has changed since`;
}
