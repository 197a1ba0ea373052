/** Output: held back until all input has proved good, then copied to standard output. */

import { closeSync, mkdtempSync, openSync, readSync, rmSync, write, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { plainError } from "../lib/errors.js";

/** Whoever read our output has stopped reading. */
export class PipeClosed extends Error {}

const MEMORY = 4 << 20;
const CHUNK = 1 << 20;

/** Keeps a few megabytes in memory; more goes to a temporary file that has no name and so cannot be left behind. */
export class Spool {
  private held: string[] = [];
  private size = 0;
  private file: number | undefined;

  write(text: string): void {
    this.held.push(text);
    this.size += text.length;
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
export async function toStdout(chunk: string | Buffer): Promise<void> {
  const bytes = Buffer.from(chunk);
  for (let from = 0; from < bytes.length; ) {
    try {
      from += (await writeTo(STDOUT, bytes, from)).bytesWritten;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE") throw new PipeClosed();
      if (code === undefined) throw error;
      if (code !== "EAGAIN") throw plainError("standard output", `cannot be written (${code})`);
      await sleep(FULL_PIPE);
    }
  }
}

/** For people; where nobody can read it, it is lost. */
export function toStderr(text: string): void {
  try {
    writeSync(STDERR, text);
  } catch {
    // There is nowhere left to say so.
  }
}
