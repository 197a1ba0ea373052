/**
 * Runs a command that uses files of the user's in a thread of its own while this one waits for Ctrl-C: a handler in the thread
 * that computes would not be called before it is done, which a user's mechanism may never be.
 */

import {
  getEnvironmentData,
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  setEnvironmentData,
  Worker,
} from "node:worker_threads";
import { onCtrlC, tellKept } from "./first-thread.js";
import { type Caller, INTERRUPTED, processOutput, toStderr } from "./session.js";

/** How long, in milliseconds, a command may take to hear of Ctrl-C; and how long it may then compute before it is asked again. */
const GRACE = 2000;
const LONG_GRACE = 10_000;
const INTERNAL_ERROR = 70;
const BAD_INPUT = 2;

/** What the thread is started with. */
interface Call {
  readonly args: readonly string[];
  readonly calledAs: string;
  readonly columns: number | undefined;
}

/** With what the two talk over: users' code in the thread has no hold of it. */
interface CallInThread extends Call {
  port?: MessagePort;
}

/** What the thread says. */
type FromThread =
  | { readonly kind: "stops" }
  | { readonly kind: "ended"; readonly code: number }
  | { readonly kind: "loads"; readonly path: string | null }
  | { readonly kind: "keeps"; readonly path: string; readonly advice: string };

/** What the thread hears. */
type ToThread = { readonly kind: "stop" } | { readonly kind: "no input"; readonly code: string };

/** The module at `entry` calls `callerAt` and runs the command; returns the exit code. */
export function supervise(entry: URL, call: Call): Promise<number> {
  const reads = call.args.includes("-");
  endChildrenAtExit();
  const { port1: port, port2 } = new MessageChannel();
  const workerData: CallInThread = { ...call, port: port2 };
  const thread = new Worker(entry, { workerData, transferList: [port2], stdin: reads });
  const send = (message: ToThread) => port.postMessage(message);
  if (reads) feed(thread, send);
  let code: number | null = null;
  let kept: (FromThread & { kind: "keeps" }) | null = null;
  let loading: string | null = null;
  let patience: NodeJS.Timeout | undefined;
  const giveUp = () => {
    tellKept(kept);
    process.exit(INTERRUPTED);
  };
  const ask = (grace: number) => {
    send({ kind: "stop" });
    patience = setTimeout(giveUp, grace);
  };
  onCtrlC(() => ask(GRACE), giveUp);
  const hear = (message: FromThread) => {
    if (message.kind === "keeps") kept = message;
    else if (message.kind === "loads") loading = message.path;
    else if (message.kind === "ended") {
      code ??= message.code;
      // It would wait for input that is not needed any longer, or for a timer of a user's.
      void thread.terminate();
    } else {
      clearTimeout(patience);
      // It has heard, but may still come to code of a user's that never ends.
      patience = setTimeout(() => ask(LONG_GRACE), LONG_GRACE);
    }
  };
  port.on("message", hear);
  return new Promise((resolve) => {
    thread.on("error", (error) => {
      toStderr(`candor: internal error: ${String(error?.message ?? error).split("\n")[0]}\n`);
      code = INTERNAL_ERROR;
    });
    thread.on("exit", () => {
      // Its last message may not have been received yet.
      for (let last = receiveMessageOnPort(port); last; last = receiveMessageOnPort(port)) hear(last.message);
      clearTimeout(patience);
      port.close();
      resolve(code ?? withoutResult(loading));
    });
  });
}

/** The thread has ended by itself, without the message that the command is done: no result is no success. */
function withoutResult(loading: string | null): number {
  const why =
    loading === null
      ? "the command ended without a result"
      : `${loading}: ends while it is loaded: something that it awaits at its top level never comes`;
  toStderr(`candor: ${why}\n`);
  return BAD_INPUT;
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
  call: CallInThread,
): Caller & { end(code: number): void; loads(path: string | null): void } {
  const { calledAs, columns, port } = call;
  if (port === undefined) throw new Error("the thread was started without a port");
  delete call.port;
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
    listens() {},
    keeps: (path, advice) => send({ kind: "keeps", path, advice }),
    output: processOutput,
    end: (code) => send({ kind: "ended", code }),
    loads: (path) => send({ kind: "loads", path }),
  };
}

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
