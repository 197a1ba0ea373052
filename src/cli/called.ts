/** How the program was called: what to type to call it again, and who tells it of Ctrl-C. */

import { basename, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { quoted } from "../verdicts/explain.js";
import { type Caller, INTERRUPTED } from "./session.js";

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

/** For what runs in the program's first thread; a second Ctrl-C ends it at once. */
export const firstThread = (): Caller => ({
  calledAs: calledAs(),
  onInterrupt: (stop) => onCtrlC(stop, () => process.exit(INTERRUPTED)),
  keeps: () => {},
});
