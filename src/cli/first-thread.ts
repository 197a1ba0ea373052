/** Who calls a command in the program's first thread: what stands before it, and what Ctrl-C does. */

import { existsSync } from "node:fs";
import { basename, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { quoted } from "../lib/format.js";
import { type Caller, INTERRUPTED, processOutput } from "./session.js";

/** Once the session listens, the first Ctrl-C stops it, and a second one ends the program. */
export function firstThread(): Caller {
  let stop = () => {};
  let kept: { readonly path: string; readonly advice: string } | null = null;
  let listens = false;
  const giveUp = () => {
    tellKept(kept);
    process.exit(INTERRUPTED);
  };
  return {
    calledAs: calledAs(),
    columns: process.stdout.columns,
    onInterrupt(call) {
      stop = call;
    },
    listens() {
      if (!listens) onCtrlC(() => stop(), giveUp);
      listens = true;
    },
    keeps(path, advice) {
      kept = { path, advice };
    },
    output: processOutput,
  };
}

/** How to go on with what is kept in a file, where it is there. */
export function tellKept(kept: { readonly path: string; readonly advice: string } | null): void {
  if (kept !== null && existsSync(kept.path)) processOutput.tell(`candor: ${kept.advice}\n`);
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
export function onCtrlC(first: () => void, again: () => void): void {
  let at: number | undefined;
  process.on("SIGINT", () => {
    if (at === undefined) first();
    else if (performance.now() - at > SAME) again();
    at ??= performance.now();
  });
}
