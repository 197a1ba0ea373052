/**
 * Runs a command in a thread of its own while this one waits for Ctrl-C: a handler in the thread that computes would not be
 * called before it is done, which a user's mechanism may never be.
 */

import { existsSync } from "node:fs";
import { basename, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { getEnvironmentData, type MessagePort, setEnvironmentData, Worker } from "node:worker_threads";
import { quoted } from "../lib/format.js";
import { type Caller, INTERRUPTED, toStderr } from "./session.js";

/** How long, in milliseconds, a command may take to hear of Ctrl-C; and how long it may then compute before it is asked again. */
const GRACE = 700;
const LONG_GRACE = 10_000;
const INTERNAL_ERROR = 70;

/** What the thread is started with. */
interface Call {
  readonly args: readonly string[];
  readonly calledAs: string;
  readonly columns: number | undefined;
}

/** What the thread says. */
type FromThread =
  | { readonly kind: "stops" }
  | { readonly kind: "ended"; readonly code: number }
  | { readonly kind: "keeps"; readonly path: string; readonly advice: string };

/** What the thread hears. */
type ToThread = { readonly kind: "stop" } | { readonly kind: "no input"; readonly code: string };

/** The module at `entry` calls `callerAt` and runs the command; returns the exit code. */
export function supervise(entry: URL, call: Call): Promise<number> {
  const reads = call.args.includes("-");
  endChildrenAtExit();
  const thread = new Worker(entry, { workerData: call, stdin: reads });
  const send = (message: ToThread) => thread.postMessage(message);
  if (reads) feed(thread, send);
  let [code, kept, patience]: [number, (FromThread & { kind: "keeps" }) | null, NodeJS.Timeout?] = [0, null];
  const giveUp = () => {
    if (kept !== null && existsSync(kept.path)) toStderr(`candor: ${kept.advice}\n`);
    process.exit(INTERRUPTED);
  };
  const ask = (grace: number) => {
    send({ kind: "stop" });
    patience = setTimeout(giveUp, grace);
  };
  onCtrlC(() => ask(GRACE), giveUp);
  thread.on("message", (message: FromThread) => {
    if (message.kind === "keeps") kept = message;
    else if (message.kind === "ended") {
      code = message.code;
      // It would wait for input that nobody needs any longer.
      if (reads) void thread.terminate();
    } else {
      clearTimeout(patience);
      // It has heard, but may still come to code of a user's that never ends.
      patience = setTimeout(() => ask(LONG_GRACE), LONG_GRACE);
    }
  });
  return new Promise((resolve) => {
    thread.on("error", (error) => {
      toStderr(`candor: internal error: ${String(error?.message ?? error).split("\n")[0]}\n`);
      code = INTERNAL_ERROR;
    });
    thread.on("exit", () => {
      clearTimeout(patience);
      resolve(code);
    });
  });
}

/** Standard input can be read in this thread only. */
function feed(thread: Worker, send: (message: ToThread) => void): void {
  const { stdin } = process;
  stdin.on("error", ({ code = "" }: NodeJS.ErrnoException) => send({ kind: "no input", code }));
  stdin.pipe(thread.stdin!);
  thread.stdin!.on("error", () => {});
  thread.on("exit", () => stdin.destroy());
}

/** For the thread: hears of Ctrl-C from the one that waits. */
export function callerAt(
  port: MessagePort,
  { calledAs, columns }: Call,
): Caller & { end(code: number): void } {
  const send = (message: FromThread) => port.postMessage(message);
  return {
    calledAs,
    columns,
    onInterrupt(stop) {
      port.on("message", (message: ToThread) => {
        if (message.kind === "no input")
          return void process.stdin.destroy(Object.assign(new Error(message.code), { code: message.code }));
        send({ kind: "stops" });
        stop();
      });
      port.unref();
    },
    keeps: (path, advice) => send({ kind: "keeps", path, advice }),
    end: (code) => send({ kind: "ended", code }),
  };
}

const main = fileURLToPath(new URL("./main.js", import.meta.url));
const ownPackage = fileURLToPath(new URL("../../../package.json", import.meta.url));

/** What stands before a command: "npm run --silent candor --" in a clone, "candor" or "npx candor" where it is installed. */
export function calledAs(typed = process.argv[1] ?? main, env = process.env): string {
  if (env.npm_lifecycle_event !== undefined && env.npm_package_json === ownPackage)
    return "npm run --silent candor --";
  if (basename(typed).replace(/\.cmd$/, "") === "candor")
    return /[\\/]node_modules[\\/]\.bin[\\/]/.test(typed) ? "npx candor" : "candor";
  const near = relative("", main);
  return `node ${quoted(near.startsWith("..") ? main : near)}`;
}

/** One Ctrl-C comes twice where npm hands on what the terminal has sent to all. */
const SAME = 300;

/** Calls one function at the first Ctrl-C, and another when it is pressed again. */
function onCtrlC(first: () => void, again: () => void): void {
  let at: number | undefined;
  process.on("SIGINT", () => {
    if (at === undefined) first();
    else if (performance.now() - at > SAME) again();
    at ??= performance.now();
  });
}

/** For what runs in the program's first thread; a second Ctrl-C ends it at once. */
export const firstThread = (): Caller => ({
  calledAs: calledAs(),
  columns: process.stdout.columns,
  onInterrupt: (stop) => onCtrlC(stop, () => process.exit(INTERRUPTED)),
  keeps: () => {},
});

/** Processes that candor has started: whatever ends the program ends them. */
const KEY = "candor: children";
const MOST_CHILDREN = 1024;

/** Their ids, in memory that all threads share; 0 where there is none. */
const ids = (): Int32Array | undefined => getEnvironmentData(KEY) as Int32Array | undefined;

/** For the first thread, before it starts another: ends all processes that candor has started when the program ends, by itself or by a signal. */
function endChildrenAtExit(): void {
  setEnvironmentData(
    KEY,
    new Int32Array(new SharedArrayBuffer(MOST_CHILDREN * Int32Array.BYTES_PER_ELEMENT)),
  );
  process.on("exit", endChildren);
  for (const signal of ["SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      endChildren();
      process.kill(process.pid, signal);
    });
}

function endChildren(): void {
  for (const id of ids() ?? []) if (id !== 0) endGroup(id);
}

/** Ends a process that was started in a group of its own, and all that it has started in it. */
export function endGroup(id: number): void {
  try {
    process.kill(process.platform === "win32" ? id : -id, "SIGKILL");
  } catch {
    // All have ended by themselves.
  }
}

/** Has a process ended with the program; returns what to call when it has ended before. */
export function endsWithUs(id: number): () => void {
  const all = ids();
  const place = all?.findIndex((_, k) => Atomics.compareExchange(all, k, 0, id) === 0) ?? -1;
  return () => void (place >= 0 && Atomics.store(all!, place, 0));
}
