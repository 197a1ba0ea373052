/** Finished chunks in a file, line by line: whoever stops for whatever reason can go on from there. */

import { closeSync, fdatasync, ftruncateSync, read, rmSync, write } from "node:fs";
import { promisify } from "node:util";
import type { Archive } from "./gather.js";
import { decodeLine, encodeLine } from "./journal-line.js";
import {
  begin,
  type Entry,
  JournalError,
  type JournalPlace,
  keyOf,
  type Opened,
  pathOf,
  resume,
  unwritable,
} from "./journal-open.js";
import type { ChunkResult } from "./perform.js";

const [writeTo, readFrom, flush] = [promisify(write), promisify(read), promisify(fdatasync)];

export interface Journal extends Archive {
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
