/** A training kept on disk, task by task, so that it can go on after an interruption: `train.jsonl`, every line with a checksum. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readFile, rmdir, truncate } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { plainError, showValue } from "../lib/errors.js";
import { lock } from "../study/lock.js";
import type { HeldTask, TaskRecord } from "../training/tasks.js";
import { isPath, named } from "./extension.js";
import { program } from "./program.js";
import type { TrainFlags } from "./train-setting.js";

/** A finished task; the auction as well, where somebody learns from it. */
interface TaskLine {
  readonly record: TaskRecord;
  readonly held?: HeldTask;
}

export interface Journal {
  readonly path: string;
  /** What earlier runs have finished. */
  readonly lines: readonly TaskLine[];
  /** Returns when the task is safe on the disk. */
  add(line: TaskLine): Promise<void>;
  /** Lets others write it. */
  close(): Promise<void>;
}

type Settings = Readonly<Record<string, unknown>>;

/** Opens the journal of a folder; an earlier one is gone on with if it is of the same run, and that is wanted. */
export async function openJournal(folder: string, flags: TrainFlags): Promise<Journal> {
  const path = join(folder, "train.jsonl");
  const settings = settingsOf(flags);
  const close = await locked(folder, path);
  try {
    return { ...(await opened(path, settings, flags)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns how to let go; a folder that was made for nothing goes as well. */
async function locked(folder: string, path: string): Promise<() => Promise<void>> {
  let made: string | undefined;
  await onDisk(folder, async () => {
    made = await mkdir(folder, { recursive: true });
  });
  const place = join(folder, "train.lock");
  const got = attempt(place);
  if ("holder" in got) throw plainError(path, `${got.holder} is writing it; if not, remove ${place}`);
  return async () => {
    got.release();
    if (made !== undefined && !existsSync(path)) await removeEmpty(resolve(folder), made);
  };
}

function attempt(place: string): ReturnType<typeof lock> {
  try {
    return lock(place);
  } catch (error) {
    throw unwritable(place, error);
  }
}

/** A folder and those above it, up to the topmost that was made for it. */
async function removeEmpty(folder: string, topmost: string): Promise<void> {
  await rmdir(folder).catch(() => {});
  if (folder.length > topmost.length) await removeEmpty(dirname(folder), topmost);
}

async function opened(path: string, settings: Settings, flags: TrainFlags): Promise<Omit<Journal, "close">> {
  if (existsSync(path) && !flags.resume)
    throw plainError(path, "holds a training already; --resume goes on with it, or name another --out");
  const { values, length } = existsSync(path) ? readLines(await readFile(path, "utf8"), path) : NOTHING;
  const [header, ...lines] = values;
  if (header !== undefined) demandSame(header as Settings, settings, path);
  const begin = once(async () => {
    if (existsSync(path)) await onDisk(path, () => truncate(path, length));
    if (header === undefined) await append(path, settings);
  });
  const add = async (line: TaskLine) => {
    await begin();
    await append(path, line);
  };
  return { path, lines: lines as TaskLine[], add };
}

/** Nothing is written before the first task is over: some input shows only then that it is no good. */
function once(act: () => Promise<void>): () => Promise<void> {
  let acted: Promise<void> | undefined;
  return () => {
    acted ??= act();
    return acted;
  };
}

const NOTHING: { values: unknown[]; length: number } = { values: [], length: 0 };

/** All that numbers depend on; not how many tasks, nor on how many threads. */
function settingsOf(flags: TrainFlags): Settings {
  const { tasks: _tasks, threads: _threads, json: _json, out: _out, resume: _resume, ...rest } = flags;
  const files = [flags.mechanism, flags.trainer, flags.agent ?? ""].map((name) => name.replace(/:.*$/, ""));
  const own = files.filter((name) => isPath(name) && existsSync(name));
  const contents = own.map((name) => [`contents of ${name}`, named(name).checksum]);
  return { program: program(), ...rest, ...Object.fromEntries(contents) };
}

/** One setting that differs is enough to say. */
function demandSame(there: Settings, here: Settings, path: string): void {
  for (const name of new Set([...Object.keys(here), ...Object.keys(there)])) {
    if (there[name] === here[name]) continue;
    const [old, now] = [there[name], here[name]].map((value) => showValue(value ?? "none"));
    throw plainError(path, `is another training's: ${name} is ${old} there, ${now} here`);
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** A value with its checksum, still a line of JSON. */
function sealed(value: unknown): string {
  const text = JSON.stringify(value);
  return `{"sum":"${digest(text)}","line":${text}}\n`;
}

function unsealed(text: string): unknown {
  const [, sum, line] = /^\{"sum":"([0-9a-f]{16})","line":(.*)\}$/.exec(text) ?? [];
  return line !== undefined && digest(line) === sum ? JSON.parse(line) : undefined;
}

/** The values of whole lines, and how many bytes they are; a last line that was cut off is left out. */
function readLines(text: string, path: string): { values: unknown[]; length: number } {
  const parts = text.split("\n");
  const values: unknown[] = [];
  let length = 0;
  for (const [k, part] of parts.entries()) {
    const value = unsealed(part);
    const last = k >= parts.length - 2 && parts.slice(k + 1).every((rest) => rest === "");
    if (value === undefined && !last)
      throw plainError(`${path}:${k + 1}`, "is damaged: its checksum does not fit");
    if (value === undefined || k === parts.length - 1) break;
    values.push(value);
    length += Buffer.byteLength(part) + 1;
  }
  return { values, length };
}

const append = (path: string, value: unknown): Promise<void> =>
  onDisk(path, async () => {
    const file = await open(path, "a");
    try {
      await file.writeFile(sealed(value));
      await file.sync();
    } finally {
      await file.close();
    }
  });

async function onDisk(path: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw unwritable(path, error);
  }
}

const unwritable = (path: string, error: unknown): Error =>
  plainError(path, `cannot be written to (${(error as NodeJS.ErrnoException).code ?? error})`);
