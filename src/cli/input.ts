/** Input: markets one by one from files and standard input, in memory that does not grow with their number. */

import { createReadStream } from "node:fs";
import { addAbortSignal, type Readable } from "node:stream";
import { text as wholeText } from "node:stream/consumers";
import { InputError, plainError } from "../lib/errors.js";
import { dashed } from "../lib/format.js";
import { jsonText, parseJson } from "../lib/json.js";
import { parseSettings } from "../lib/options.js";
import { parseMarketCsv } from "../market/csv.js";
import type { LeftOut, Market, Rules } from "../market/market.js";
import { idOf, validateMarket } from "../market/parse.js";
import { rulesBehindFile, rulesFromFile } from "../market/rules.js";
import type { WrittenRules } from "../market/words.js";
import type { SourcedMarket } from "../study/job.js";
import { LONGEST, readable, readText, tooLong } from "./files.js";
import { givenRules, type RuleFlags } from "./rules.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

/** Where the market with these very rules was read; undefined for one that was not read from anywhere. */
export const sourceOf = (rules: Rules): string | undefined => sources.get(rules);

const sources = new WeakMap<Rules, string>();

function sourced(market: Market, source: string, id?: SourcedMarket["id"]): SourcedMarket {
  sources.set(market.rules, source);
  return { market, source, id };
}

function fromJson(text: string, source: string, leftOut?: LeftOut): SourcedMarket {
  const value = parseJson(text, source);
  return sourced(validateMarket(value, source, leftOut), source, idOf(value));
}

/** The answer about a market: as data, and for people. */
export interface Answer {
  readonly record: object;
  readonly text: () => string;
}

type Answers = Answer | readonly Answer[] | null;

/** Answers market by market, in lines of JSON or as text, until Ctrl-C or until there is no answer; returns how many were answered. */
export async function answerEach(
  paths: readonly string[],
  flags: ReadFlags & { readonly json?: boolean },
  session: Session,
  answer: (sourced: SourcedMarket, n: number) => Answers | Promise<Answers>,
): Promise<number> {
  let [count, gap] = [0, ""];
  for await (const sourced of readMarkets(paths, session, flags)) {
    const answers = await answer(sourced, count);
    if (answers === null) break;
    for (const { record, text } of [answers].flat()) {
      session.spool.write(flags.json ? jsonLine(record, sourced) : gap + text());
      gap = "\n\n";
    }
    count++;
    if (!(await session.goesOn())) break;
  }
  return count;
}

/** A result as a line of JSON, with the market's place and id. */
function jsonLine(record: object, { source, id }: SourcedMarket): string {
  const [, file = source, line] = /^(.*):(\d+)$/.exec(source) ?? [];
  const place = { market: source, file, line: line === undefined ? null : Number(line), id: id ?? null };
  return `${jsonText({ ...record, ...place })}\n`;
}

export const marketHelp = `
MARKET is a .json file with one market, a .jsonl file with one per line, or - for lines on standard input. A .csv file with
the columns id, reputation, cost and arrival holds one market's workers; its rules are then --budget B --rounds T and,
where they are not the paper's, --ratio, --min-workers, --reading, --first-step and --delay.`;

/** How markets are read: the rules of a CSV file, and what the mechanism lets a market leave out. */
interface ReadFlags extends RuleFlags {
  readonly leftOut?: LeftOut;
}

/** The argument and options that many commands have. */
export const marketFiles = ["<market...>", "market files, or -"] as const;
export const mechanismOption = option
  .text("<name>", "the auction; candor list shows what there is")
  .default("online");
export const workersOption = option.several(
  option.integer("<id>", "this worker only; may be repeated", { from: 0 }),
);
export const jsonLines = option.flag("one JSON object per market and line");

/** Whether a file holds one market's workers, and no rules. */
export const isTable = (file: string): boolean => /\.csv$/i.test(file);

/** A file, and the rules that stand behind its name. */
export function splitRules(path: string): { readonly file: string; readonly rules: string | null } {
  const [, file = path, rules = null] = /^(.*\.csv|-):([^:/\\]*=[^:/\\]*)$/i.exec(path) ?? [];
  return { file, rules };
}

/** Puts the rules given by options behind each file's name: so one text says all of a market, also to other threads. */
export function withRules(paths: readonly string[], flags: RuleFlags, option?: string): readonly string[] {
  const given = givenRules(flags).map(([flag, value]) => [dashed(flag), value] as const);
  if (given.length === 0) return paths;
  if (paths.length === 0) throw plainError(`--${given[0]![0]}`, `is for the CSV files of ${option}`);
  return paths.map((path) => {
    const { file, rules } = splitRules(path);
    if (rules === null && (isTable(file) || file === "-"))
      return `${path}:${given.map(([name, value]) => `${name}=${value}`).join(",")}`;
    throw hasOwnRules(path, given[0]![0]);
  });
}

const hasOwnRules = (source: string, option = "budget"): InputError =>
  plainError(
    source,
    `has rules of its own; --${option} and the like are for CSV files, which hold workers only`,
  );

/** Workers from CSV text, under the rules that stand behind the file's name. */
function fromTable(text: string, source: string, rules: string | null, leftOut: LeftOut = {}): SourcedMarket {
  if (text.trimStart().startsWith("{")) throw hasOwnRules(source);
  const given = rulesFromFile(rules === null ? {} : parseSettings(rules, rulesBehindFile, source));
  const missing = (["budget", "rounds"] as const).filter(
    (name) => given[name] === undefined && !leftOut[name],
  );
  if (missing.length > 0)
    throw plainError(
      source,
      `holds workers only: give their rules with --budget B --rounds T (${missing.map((name) => `--${name}`).join(" and ")} missing)`,
    );
  return sourced(parseMarketCsv(text, given as WrittenRules, source, leftOut), source);
}

/** What reads: a session, or a thread without Ctrl-C. */
interface Reader {
  readonly signal: AbortSignal;
  warn?(text: string): void;
}

/** The markets of all files in turn, those of CSV files under the rules given; stops quietly when the signal says so. */
export async function* readMarkets(
  paths: readonly string[],
  reader: Reader,
  flags: ReadFlags = {},
): AsyncGenerator<SourcedMarket> {
  let warned = false;
  for await (const sourced of marketsIn(paths, reader.signal, flags)) {
    const high = warned ? undefined : sourced.market.workers.find(({ reputation }) => reputation > UNUSUAL);
    if (high) {
      warned = true;
      reader.warn?.(
        `warning: ${sourced.source}: worker ${high.id} has reputation ${high.reputation}; the paper's are from 0 to 1, and percentages are taken as they stand`,
      );
    }
    yield sourced;
  }
}

/** A reputation beyond this may be meant as a percentage. */
const UNUSUAL = 10;

async function* marketsIn(
  paths: readonly string[],
  signal: AbortSignal,
  flags: ReadFlags,
): AsyncGenerator<SourcedMarket> {
  if (paths.filter((path) => path === "-").length > 1)
    throw plainError("-", "standard input can be read only once");
  const { leftOut } = flags;
  for (const path of withRules(paths, flags)) {
    const { file, rules } = splitRules(path);
    if (file === "-" && rules !== null)
      yield fromTable(await wholeText(process.stdin), "stdin", rules, leftOut);
    else if (file === "-") yield* readLines(process.stdin, "stdin", signal, leftOut);
    else if (isTable(file)) yield fromTable(await readText(file), file, rules, leftOut);
    else if (/\.(jsonl|ndjson)$/i.test(file)) yield* readLines(createReadStream(file), file, signal, leftOut);
    else yield fromJson(await readText(file), file, leftOut);
    if (signal.aborted) return;
  }
}

async function* readLines(
  stream: Readable,
  name: string,
  signal: AbortSignal,
  leftOut?: LeftOut,
): AsyncGenerator<SourcedMarket> {
  let line = 0;
  let empty = true;
  for await (const text of linesOf(stream, name, signal)) {
    line++;
    if (text.trim() === "") continue;
    empty = false;
    yield fromJson(text, `${name}:${line}`, leftOut);
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

/** The ids that were asked for, each once and in order; undefined where none were, and everybody is meant. */
export function chosenIds(
  { workers }: Market,
  asked: readonly number[] | undefined,
  source: string,
  flag = "--worker",
): readonly number[] | undefined {
  const ids = asked && [...new Set(asked)].sort((a, b) => a - b);
  const id = ids?.find((one) => !workers.some((worker) => worker.id === one));
  if (id === undefined) return ids;
  const expected = `the id of a worker in ${source}`;
  throw new InputError({ source: flag, path: [], expected, kind: "invalid", got: id });
}
