/**
 * Calls the built program as `candor()` does, without a process of its own, which takes most of the time. What needs one (Ctrl-C,
 * pipes, memory, code of a user's that prints, exits or patches built-ins) is tested with `candor()`.
 */

import { Readable } from "node:stream";
import type { Ended } from "./candor.js";
import { root } from "./candor.js";

const [{ commands }, { runProgram }] = await Promise.all([
  import("../../dist/src/cli/commands.js"),
  import("../../dist/src/cli/program.js"),
]);

export interface CallOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

let last: Promise<unknown> = Promise.resolve();

/** One call, with text on standard input if it is given. Calls wait for each other: they share the folder they run in. */
export function call(args: readonly string[], input = "", options: CallOptions = {}): Promise<Ended> {
  const ended = last.then(() => callNow(args, input, options));
  last = ended.catch(() => {});
  return ended;
}

async function callNow(
  args: readonly string[],
  input: string,
  { cwd = root, env = {} }: CallOptions,
): Promise<Ended> {
  const chunks: Buffer[] = [];
  let stderr = "";
  const before = { cwd: process.cwd(), env: { ...process.env }, stdin: process.stdin };
  process.chdir(cwd);
  Object.assign(process.env, env);
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  try {
    const code = await runProgram(commands, args, {
      calledAs: "candor",
      columns: undefined,
      onInterrupt() {},
      keeps() {},
      output: {
        async print(chunk) {
          chunks.push(Buffer.from(chunk));
        },
        tell(text, cursor = "") {
          stderr += cursor + text;
        },
      },
    });
    return { code, stdout: Buffer.concat(chunks).toString(), stderr };
  } finally {
    process.chdir(before.cwd);
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before.env);
    Object.defineProperty(process, "stdin", { value: before.stdin, configurable: true });
  }
}
