/** The thread that holds a process: passes on one question at a time, and answers the thread that waits for it. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { type MessagePort, workerData } from "node:worker_threads";
import { toStderr } from "./session.js";
import { endGroup, endsWithUs } from "./supervise.js";

/** What the thread is started with. */
export interface ExecCall {
  readonly words: readonly string[];
  readonly seconds: number;
  /** Where questions come from and answers go to. */
  readonly port: MessagePort;
  /** Is 1 once there is an answer. */
  readonly answered: Int32Array;
}

/** A line that the process has written, or why there is none. */
export type ExecReply = { readonly line: string } | { readonly error: string };

const { words, seconds, port, answered } = workerData as ExecCall;
const [program = "", ...args] = words;

/** The helper for Python lies there. */
const helpers = fileURLToPath(new URL("../../../src/cli", import.meta.url));
const { PYTHONPATH } = process.env;
const env = { ...process.env, PYTHONPATH: PYTHONPATH ? `${helpers}${delimiter}${PYTHONPATH}` : helpers };

interface Question {
  readonly line: string;
  readonly timer: NodeJS.Timeout;
  /** The process ended at it once. */
  again: boolean;
}

let asked: Question | null = null;
let child: ChildProcessWithoutNullStreams | null = null;
/** What was written without a question. */
let surplus: string | null = null;

port.on("message", (line: string) => {
  const timer = setTimeout(() => {
    if (child?.pid !== undefined) endGroup(child.pid);
    child = null;
    reply({ error: `no answer within ${seconds} seconds (exec:seconds=60:… waits longer)` });
  }, seconds * 1000);
  asked = { line, timer, again: false };
  if (surplus !== null)
    reply({ error: `said more than one line for one question, ${JSON.stringify(surplus)}` });
  else pass(line);
});

function reply(message: ExecReply): void {
  clearTimeout(asked?.timer);
  asked = null;
  port.postMessage(message);
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
}

function pass(line: string): void {
  child ??= begun();
  child.stdin.write(`${line}\n`);
}

function begun(): ChildProcessWithoutNullStreams {
  // In a group of its own, so that what it starts can be ended with it.
  const detached = process.platform !== "win32";
  const started = spawn(program, args, { env, stdio: "pipe", windowsHide: true, detached });
  const { pid } = started;
  const ended = pid === undefined ? () => {} : endsWithUs(pid);
  // What it has started may hold its output open, and would never end by itself.
  started.on("exit", () => pid !== undefined && endGroup(pid));
  let last = "";
  onLines(started.stdout, (line) => {
    if (started !== child) return;
    if (asked === null) surplus = line;
    else reply({ line });
  });
  onLines(started.stderr, (line) => {
    if (line.trim() !== "") last = line.trim();
    if (process.env.CANDOR_DEBUG === "1") toStderr(`${line}\n`);
  });
  started.stdin.on("error", () => {});
  started.on("error", ({ code, message }: NodeJS.ErrnoException) =>
    lost(
      started,
      `cannot be started: ${code === "ENOENT" ? `no such program, ${JSON.stringify(program)}` : message}`,
    ),
  );
  started.on("close", (code, signal) => {
    ended();
    const how = code === null ? `ended by ${signal}` : `ended with exit code ${code}`;
    lost(started, last === "" ? how : `${how}: ${last}`);
  });
  return started;
}

/** What ends at a question is started again and asked once more. */
function lost(which: ChildProcessWithoutNullStreams, why: string): void {
  if (which !== child) return;
  child = null;
  if (asked === null) return;
  if (asked.again || which.pid === undefined) reply({ error: why });
  else {
    asked.again = true;
    pass(asked.line);
  }
}

function onLines(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let begun = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const pieces = (begun + text).split("\n");
    begun = pieces.pop()!;
    for (const piece of pieces) take(piece);
  });
  stream.on("end", () => begun !== "" && take(begun));
}
