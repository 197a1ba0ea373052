/** Which program this is: its version, and a digest of its code. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { checksumOfFile } from "./named.js";

export const version = (): string =>
  JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")).version;

const DIGITS = 12;

let known: string | undefined;

/**
 * As in "0.1.0+3f2a90c1d7e4", the same for the same code wherever it is installed. Follows imports from the command line on:
 * a file that an earlier build left behind does not count.
 */
export function program(): string {
  const [built = "", main = ""] = ["../../", "./main.js"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  known ??= `${version()}+${checksumOfFile(main, built).slice(0, DIGITS)}`;
  return known;
}
