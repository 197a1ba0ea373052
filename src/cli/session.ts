/** One call of the program: what it prints, held back until all input has proved good, and whether Ctrl-C was pressed. */

import { closeSync, mkdtempSync, openSync, readSync, rmSync, write, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import { promisify } from "node:util";
import { plainError } from "../lib/errors.js";
import { fitted, withoutControls } from "../lib/format.js";
import { refusalOf } from "../study/disk.js";
import type { StatusLine } from "../study/progress.js";
import { checkUserCode, forgetUserCode } from "./user-code.js";

export const INTERRUPTED = 130;

/** What called the program, and stops it. */
export interface Caller {
  /** What stands before a command, as in "candor" or "npm run --silent candor --". */
  readonly calledAs: string;
  /** How wide the terminal is; undefined if that is not known. */
  readonly columns: number | undefined;
  /** Has a function called at Ctrl-C, once the session listens. */
  onInterrupt(stop: () => void): void;
  /** There is something to write before the program ends: until then Ctrl-C may end it at once. */
  listens(): void;
  /** If the program must be ended while it computes, the advice is given, provided that the file is there. */
  keeps(path: string, advice: string): void;
  /** Where the call's output goes. */
  readonly output: Output;
}

export interface Output {
  /** Waits until it is written. */
  print(chunk: string | Buffer): Promise<void>;
  /** For people. Only the program itself moves the cursor, before the text. */
  tell(text: string, before?: string): void;
}

/** How long the program may compute without listening for Ctrl-C. */
const LISTENS_EVERY = 50;

export class Session {
  /** For output that counts only if all input is good. */
  readonly spool = new Spool(() => this.listens());
  /** What the program ends with unless something goes wrong. */
  exitCode = 0;
  private readonly controller = new AbortController();
  /** Shown on a terminal while the work takes long; cleared before anything else is printed. */
  readonly line: StatusLine;
  private printed = false;
  private listenedAt = performance.now();
  /** What stands before a command, as in "candor" or "npm run --silent candor --". */
  readonly calledAs: string;
  /** Finished work is kept in a file; the advice says how to go on with it. */
  keeps(path: string, advice: string): void {
    this.listens();
    this.caller.keeps(path, advice);
  }

  constructor(private readonly caller: Caller) {
    this.line = new Line(caller.output);
    this.calledAs = caller.calledAs;
    caller.onInterrupt(() => {
      this.exitCode = INTERRUPTED;
      this.controller.abort();
    });
  }

  /** From now on Ctrl-C stops the work, and what is there is printed: before, it ends the program at once. */
  listens(): void {
    this.caller.listens();
  }

  /** How many characters fit on a line. */
  get columns(): number {
    return this.caller.columns ?? 80;
  }

  /** Aborted by Ctrl-C: stop reading and computing; what is there will be printed. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Output that nothing can call back. */
  async print(text: string): Promise<void> {
    this.listens();
    if (!this.printed) await checkUserCode();
    this.printed = true;
    await this.caller.output.print(this.fit(withoutControls(text)));
  }

  /** Sentences wrapped on a terminal. */
  private fit(text: string): string {
    const { columns } = this.caller;
    return columns === undefined ? text : fitted(text, columns);
  }

  /** Counts what is done, on the line above. */
  progress(label: string): Progress {
    return new Progress(label, this.line);
  }

  /** A line for the user that is no result. */
  warn(text: string): void {
    this.line.clear();
    this.caller.output.tell(`candor: ${text.replace(/\s*\n\s*/g, " ")}\n`);
  }

  /** Lets signals in now and then; false once interrupted. */
  async goesOn(): Promise<boolean> {
    if (performance.now() - this.listenedAt > LISTENS_EVERY) {
      await setImmediate();
      this.listenedAt = performance.now();
    }
    return !this.signal.aborted;
  }

  /** Looks at one item after another until Ctrl-C, and shows how far it is. */
  async lookAtEach<Item, Found>(
    items: readonly Item[],
    { label, noun }: { readonly label: string; readonly noun: string },
    look: (item: Item) => Found,
  ): Promise<Found[]> {
    const progress = this.progress(label);
    const found: Found[] = [];
    for (const item of items) {
      found.push(look(item));
      this.listens();
      progress.tick(noun, items.length);
      if (!(await this.goesOn())) break;
    }
    this.line.clear();
    return found;
  }

  /** Everything went well, or was interrupted: what was held back goes out. */
  async finish(): Promise<void> {
    this.line.clear();
    await checkUserCode();
    const { output } = this.caller;
    await this.spool.release((chunk) => output.print(typeof chunk === "string" ? this.fit(chunk) : chunk));
    if (this.signal.aborted) this.exitCode = INTERRUPTED;
  }

  close(): void {
    this.line.clear();
    this.spool.discard();
    forgetUserCode();
  }
}

const EVERY = 200;
const CLEAR = "\r\x1b[K";

/** Written over again at most five times a second, on a terminal only. */
class Line implements StatusLine {
  private shownAt = Number.NEGATIVE_INFINITY;
  private shown = false;

  constructor(private readonly output: Output) {}

  show(text: () => string): void {
    const now = performance.now();
    if (!isatty(2) || now - this.shownAt < EVERY) return;
    this.shownAt = now;
    this.shown = true;
    this.output.tell(text(), CLEAR);
  }

  clear(): void {
    if (this.shown) this.output.tell("", CLEAR);
    this.shown = false;
  }
}

const SILENT = 1000;

/** Counts what is done, where the whole may not be known; shown after a second. */
export class Progress {
  private readonly begun = performance.now();
  private count = 0;

  constructor(
    private readonly label: string,
    private readonly line: StatusLine,
  ) {}

  /** One more thing is done; `total` where it is known. */
  tick(noun: string, total?: number): void {
    this.count++;
    const milliseconds = performance.now() - this.begun;
    if (milliseconds < SILENT) return;
    const rate = (1000 * this.count) / milliseconds;
    const left = total === undefined ? "" : `, ${Math.ceil((total - this.count) / rate)} s left`;
    const of = total === undefined ? "" : `/${total}`;
    this.line.show(() => `${this.label}: ${this.count}${of} ${noun}s, ${rate.toFixed(1)}/s${left}`);
  }
}

/** The reader of our output has stopped reading. */
export class PipeClosed extends Error {}

const MEMORY = 4 << 20;
const CHUNK = 1 << 20;

/** Keeps a few megabytes in memory; more goes to a temporary file that has no name and so cannot be left behind. */
class Spool {
  private held: string[] = [];
  private size = 0;
  private file: number | undefined;

  constructor(private readonly onWrite: () => void) {}

  /** Control characters are written out, in a way that JSON reads as well: names and hosts come from anywhere. */
  write(text: string): void {
    this.onWrite();
    const shown = withoutControls(text);
    this.held.push(shown);
    this.size += shown.length;
    if (this.size >= MEMORY) this.spill();
  }

  private spill(): void {
    this.file ??= openNameless();
    writeAll(this.file, Buffer.from(this.held.join("")));
    this.held = [];
    this.size = 0;
  }

  async release(write: (chunk: string | Buffer) => Promise<void>): Promise<void> {
    const { file } = this;
    if (file !== undefined) {
      let position = 0;
      for (;;) {
        const chunk = Buffer.alloc(CHUNK);
        const length = readSync(file, chunk, 0, CHUNK, position);
        if (length === 0) break;
        position += length;
        await write(chunk.subarray(0, length));
      }
    }
    if (this.size > 0) await write(this.held.join(""));
    this.discard();
  }

  discard(): void {
    this.held = [];
    this.size = 0;
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }
}

function openNameless(): number {
  const folder = mkdtempSync(join(tmpdir(), "candor-"));
  try {
    return openSync(join(folder, "output"), "wx+", 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

const [STDOUT, STDERR] = [1, 2];
const writeTo = promisify(write);

/** A pipe that takes no more at the moment is tried again after so many milliseconds. */
const FULL_PIPE = 5;

/** Writes and waits until it is written; by number, for only one thread has the stream. */
async function toStdout(chunk: string | Buffer): Promise<void> {
  const bytes = Buffer.from(chunk);
  for (let from = 0; from < bytes.length; ) {
    try {
      from += (await writeTo(STDOUT, bytes, from)).bytesWritten;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE") throw new PipeClosed();
      if (code === undefined) throw error;
      if (code !== "EAGAIN")
        throw plainError("standard output", refusalOf(error, "written") ?? String(error));
      await sleep(FULL_PIPE);
    }
  }
}

/** For people; where it cannot be written, it is lost. Only the program itself moves the cursor, before the text. */
export function toStderr(text: string, before = ""): void {
  try {
    writeSync(STDERR, before + withoutControls(text));
  } catch {
    // There is nowhere left to say so.
  }
}

/** That of the process. */
export const processOutput: Output = { print: toStdout, tell: toStderr };
