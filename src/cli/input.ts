/** Input: markets one by one from files and standard input, in memory that does not grow with their number. */

import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import { InputError, plainError } from "../lib/errors.js";
import type { Market, Rules } from "../market/market.js";
import { parseMarket } from "../market/parse.js";
import type { SourcedMarket } from "../study/job.js";

/** Where the market with these very rules was read; undefined for one that was not read from anywhere. */
export const sourceOf = (rules: Rules): string | undefined => sources.get(rules);

const sources = new WeakMap<Rules, string>();

function sourced(text: string, source: string): SourcedMarket {
  const market = parseMarket(text, source);
  sources.set(market.rules, source);
  return { market, source };
}

/** What one market, or one line, may take: text beyond this fits no string. */
const LONGEST = 256 << 20;

/** The markets of all files in turn; stops quietly when the signal says so. */
export async function* readMarkets(
  paths: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<SourcedMarket> {
  if (paths.filter((path) => path === "-").length > 1)
    throw plainError("-", "standard input can be read only once");
  for (const path of paths) {
    if (path === "-") yield* readLines(process.stdin, "stdin", signal);
    else if (/\.(jsonl|ndjson)$/i.test(path)) yield* readLines(createReadStream(path), path, signal);
    else yield sourced(await readText(path), path);
    if (signal.aborted) return;
  }
}

/** A whole file as text. */
export async function readText(path: string): Promise<string> {
  try {
    if ((await stat(path)).size > LONGEST) throw tooLong(path);
    return await readFile(path, "utf8");
  } catch (error) {
    throw readable(error, path);
  }
}

async function* readLines(
  stream: Readable,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<SourcedMarket> {
  let line = 0;
  let empty = true;
  for await (const text of linesOf(stream, name, signal)) {
    line++;
    if (text.trim() === "") continue;
    empty = false;
    yield sourced(text, `${name}:${line}`);
  }
  if (empty && !signal.aborted) throw plainError(name, "empty, must hold a market per line");
}

/** Ends at line feeds only: other separators that Unicode knows may stand inside of JSON strings. */
async function* linesOf(stream: Readable, name: string, signal: AbortSignal): AsyncGenerator<string> {
  stream.setEncoding("utf8");
  const begun: string[] = [];
  let length = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<string>) {
      const pieces = chunk.split("\n");
      for (const piece of pieces.slice(0, -1)) {
        yield begun.length === 0 ? piece : begun.join("") + piece;
        begun.length = 0;
        length = 0;
      }
      begun.push(pieces.at(-1)!);
      length += begun.at(-1)!.length;
      if (length > LONGEST) throw tooLong(name);
    }
  } catch (error) {
    if (signal.aborted) return;
    throw readable(error, name);
  }
  if (length > 0) yield begun.join("");
}

const tooLong = (source: string): InputError =>
  plainError(source, `a single market of more than ${LONGEST >> 20} MB`);

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EISDIR: "is a folder, not a file",
  EACCES: "may not be read (permission denied)",
  ENOTDIR: "no such file",
  ENAMETOOLONG: "no such file",
};

/** A failure to read, in words; other errors are passed on. */
function readable(error: unknown, path: string): unknown {
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? ""];
  return reason === undefined ? error : plainError(path, reason);
}

export function demandWorker({ workers }: Market, id: number, source: string): void {
  if (workers.some((worker) => worker.id === id)) return;
  const expected = `the id of a worker in ${source}`;
  throw new InputError({ source: "--worker", path: [], expected, kind: "invalid", got: id });
}
