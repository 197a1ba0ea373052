/**
 * Runs the built program. `npm test` builds it first. `candor` calls it inside of the test's own process, which is fast;
 * `candorProcess` starts it as a user does, for what needs a process of its own: Ctrl-C, memory, threads that are ended, replays
 * by a shell, and files of a user's that print, exit or patch built-ins.
 */

import {
  type ChildProcessWithoutNullStreams,
  type SpawnOptionsWithoutStdio,
  spawn,
} from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const main = join(root, "dist/src/cli/main.js");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions extends SpawnOptionsWithoutStdio {
  /** For node itself. */
  readonly node?: readonly string[];
}

export function start(
  args: readonly string[],
  { node = [], ...options }: StartOptions = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [...node, main, ...args], { cwd: root, ...options });
}

/** Collects what a child says until it ends. */
export function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...said }));
  });
}

/** One process, with text on standard input if it is given. */
export async function candorProcess(
  args: readonly string[],
  input = "",
  options: StartOptions = {},
): Promise<Ended> {
  const child = start(args, options);
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return ended(child);
}

export interface CallOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

let lastCall: Promise<unknown> = Promise.resolve();

/** One call, with text on standard input if it is given. Calls wait for each other: they share a folder and an environment. */
export function candor(args: readonly string[], input = "", options: CallOptions = {}): Promise<Ended> {
  const end = lastCall.then(() => callNow(args, input, options));
  lastCall = end.catch(() => {});
  return end;
}

async function callNow(
  args: readonly string[],
  input: string,
  { cwd = root, env = {} }: CallOptions,
): Promise<Ended> {
  const [{ commands }, { runProgram }] = await Promise.all([
    import("../../dist/src/cli/commands.js"),
    import("../../dist/src/cli/program.js"),
  ]);
  const before = { cwd: process.cwd(), env: process.env, stdin: process.stdin };
  const printed: Buffer[] = [];
  let stderr = "";
  process.chdir(cwd);
  process.env = { ...process.env, ...env };
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  try {
    const code = await runProgram(commands, args, {
      calledAs: "candor",
      columns: undefined,
      onInterrupt() {},
      listens() {},
      keeps() {},
      output: {
        async print(chunk) {
          printed.push(Buffer.from(chunk));
        },
        tell(text, cursor = "") {
          stderr += cursor + text;
        },
      },
    });
    return { code, stdout: Buffer.concat(printed).toString(), stderr };
  } finally {
    process.chdir(before.cwd);
    process.env = before.env;
    Object.defineProperty(process, "stdin", { value: before.stdin, configurable: true });
  }
}

/** A folder that goes when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "candor-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function fileWith(name: string, text: string): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

/** One call whose output goes to an open file. */
export function exitOf(
  args: readonly string[],
  { stdout, env }: { readonly stdout: number; readonly env: NodeJS.ProcessEnv },
): Promise<Omit<Ended, "stdout">> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: root,
    env,
    stdio: ["ignore", stdout, "pipe"],
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stderr }));
  });
}

/** The commands that `candor --help` lists. */
export function commandsIn(help: string): string[] {
  const [, list = ""] = /\nCommands:\n((?: {2}.*\n)+)/.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name!);
}
