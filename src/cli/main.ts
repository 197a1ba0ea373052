#!/usr/bin/env node
/** The command line, started by itself or, for what may compute long, in a thread of its own. */

import { isMainThread, workerData } from "node:worker_threads";
import { commands } from "./commands.js";

/** These never compute for long in the thread they are in, and so hear of Ctrl-C in the program's first one. */
const listening = ["worker", "status", "list", "init", "completion"];

process.exitCode = isMainThread ? await begin(process.argv.slice(2)) : await runInThread();

async function begin(args: readonly string[]): Promise<number> {
  const [{ calledAs, firstThread, supervise }, { INTERRUPTED }] = await Promise.all([
    import("./supervise.js"),
    import("./session.js"),
  ]);
  const [name = ""] = args;
  if (!Object.hasOwn(commands, name) || listening.includes(name)) {
    const { runProgram } = await import("./program.js");
    const code = await runProgram(commands, args, firstThread());
    // A server that does not answer may keep its connection open for seconds.
    return code === INTERRUPTED ? process.exit(code) : code;
  }
  return supervise(new URL(import.meta.url), { args, calledAs: calledAs(), columns: process.stdout.columns });
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
