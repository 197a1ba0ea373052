/** Machines: folders in which the program is started, with a user's own file in them. */

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Ended, ended, root, type StartOptions, start, temporaryFolder } from "../cli/candor.js";

/** What is computed on them; it takes about 20 ms a market, five of which make a chunk. */
export const slow = readFileSync(join(root, "test/study/slow.ts"), "utf8");

export function machine(text: string | null = slow): string {
  const folder = join(temporaryFolder(), "machine");
  mkdirSync(folder);
  if (text !== null) writeFileSync(join(folder, "slow.ts"), text);
  return folder;
}

/** Something that was started and may be stopped; `text` is all it has said so far. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly end: Promise<Ended>;
  text(): string;
}

export function running(args: readonly string[], options: StartOptions = {}): Running {
  const child = start(args, options);
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (piece: Buffer) => {
      text += piece;
    });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, end: ended(child), text: () => text };
}

/** A worker that is ready. */
export async function worker(
  url: string,
  options: StartOptions = {},
  more: readonly string[] = [],
): Promise<Running> {
  const args = ["worker", "--redis", url, "--threads", "1", "--lock-seconds", "1", ...more];
  const made = running(args, { cwd: machine(), ...options });
  while (!made.text().includes("waits for studies")) await once(made.child.stderr, "data");
  return made;
}

export interface Coordinating extends Running {
  /** The bytes that matter, once it has ended well. */
  data(): Promise<string>;
  /** How many chunks are finished and kept so far. */
  kept(): number;
}

/** An analysis of the user's own. */
export function analyze(
  more: readonly string[],
  { spec = "./slow.ts", ...options }: StartOptions & { spec?: string } = {},
): Coordinating {
  const cwd = String(options.cwd ?? machine());
  const made = running(["analyze", spec, "--out", "out", ...more], { ...options, cwd });
  const data = async () => {
    const { code, stdout, stderr } = await made.end;
    if (code !== 0) throw new Error(`ended with ${code}: ${stdout}${stderr}`);
    return readFileSync(join(cwd, "out/data.json"), "utf8");
  };
  const journal = join(cwd, "out/journal.jsonl");
  const kept = () => (existsSync(journal) ? readFileSync(journal, "utf8").split("\n").length - 2 : 0);
  return { ...made, data, kept };
}
