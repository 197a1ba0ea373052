#!/usr/bin/env node
/** The command line: in the program's first thread, or in a thread of its own once it comes to a file of the user's. */

import { isMainThread, workerData } from "node:worker_threads";
import { commands } from "./commands.js";
import type { Caller } from "./session.js";

process.exitCode = isMainThread ? await begin(process.argv.slice(2)) : await runInThread();

/** Without a listener for Ctrl-C Node ends any loop at once, so that only users' code, which may never end, needs a thread. */
async function begin(args: readonly string[]): Promise<number> {
  const [{ firstThread }, { report, runProgram }, { INTERRUPTED }, { RunsUserCode, refuseUserCode }] =
    await Promise.all([
      import("./first-thread.js"),
      import("./program.js"),
      import("./session.js"),
      import("./user-code.js"),
    ]);
  const caller = firstThread();
  if (namesUserCode(args)) return inThread(args, caller);
  refuseUserCode();
  process.on("uncaughtException", (error) => process.exit(report(error, args, caller.output)));
  try {
    const code = await runProgram(commands, args, caller);
    // A server that does not answer may keep its connection open for seconds.
    return code === INTERRUPTED ? process.exit(code) : code;
  } catch (error) {
    if (!(error instanceof RunsUserCode)) throw error;
    return inThread(args, caller);
  }
}

/** Whether it is plain that a file of the user's will run: what is loaded before it is met would be loaded twice. */
function namesUserCode(args: readonly string[]): boolean {
  return args[0] === "gate" || args.some((arg) => /\bexec:|\.(ts|js|mjs)\b/.test(arg));
}

async function inThread(args: readonly string[], { calledAs, columns }: Caller): Promise<number> {
  const { supervise } = await import("./supervise.js");
  return supervise(new URL(import.meta.url), { args, calledAs, columns });
}

async function runInThread(): Promise<number> {
  const [{ callerAt }, { report, runProgram }, { endThread, hostUserCode }] = await Promise.all([
    import("./supervise.js"),
    import("./program.js"),
    import("./user-code.js"),
  ]);
  const { args } = workerData;
  const caller = callerAt(workerData);
  hostUserCode({
    onLoading: caller.loads,
    onLost(error) {
      const code = report(error, args, caller.output);
      caller.end(code);
      endThread(code);
    },
  });
  const code = await runProgram(commands, args, caller);
  caller.end(code);
  return code;
}
