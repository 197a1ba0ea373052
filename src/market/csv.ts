/** A market's workers from CSV text with the header id,reputation,cost,arrival, the columns in any order. */

import { didYouMean, InputError, plainError, showValue } from "../lib/errors.js";
import { writtenNumber } from "../lib/format.js";
import type { LeftOut, Market } from "./market.js";
import { validateMarket } from "./parse.js";
import type { WrittenRules } from "./words.js";

const columns = ["id", "reputation", "cost", "arrival"] as const;

interface Line {
  /** Counted from 1, as editors do. */
  readonly number: number;
  /** The source and the number: starts a message. */
  readonly place: string;
  readonly cells: readonly string[];
}

/** The market of these workers under these rules; the source ("m.csv") starts every message, with the line and the column. */
export const parseMarketCsv = (
  text: string,
  rules: WrittenRules,
  source: string,
  leftOut: LeftOut = {},
): Market => {
  const optional = columns.filter((name) => leftOut[name as keyof LeftOut]);
  return parseTable(text, { columns, optional, source }, (workers) =>
    validateMarket({ rules, workers }, source, leftOut),
  );
};

/** What a check makes of a table's rows; what it says of row k of a list is told with its line and column. */
export function parseTable<Checked>(
  text: string,
  {
    columns,
    optional = [],
    source,
  }: { readonly columns: readonly string[]; readonly optional?: readonly string[]; readonly source: string },
  check: (rows: readonly object[]) => Checked,
): Checked {
  const [header, ...lines] = linesOf(text, source);
  if (!header)
    throw plainError(source, `empty, must hold the header ${columns.join(",")} and a line for each worker`);
  const names = columnsOf(header, columns, optional);
  const rows = lines.map((line) => workerIn(line, names));
  try {
    return check(rows);
  } catch (error) {
    throw atLine(error, lines);
  }
}

function linesOf(text: string, source: string): Line[] {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return body.split(/\r\n|\r|\n/).flatMap((line, k) => {
    const number = k + 1;
    return line.trim() === "" ? [] : [{ number, place: `${source}: line ${number}`, cells: cellsOf(line) }];
  });
}

/** A cell in quotes may hold commas, and quotes written twice. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g)].map(([, inQuotes, plain = ""]) =>
    (inQuotes?.replaceAll('""', '"') ?? plain).trim(),
  );

function columnsOf(
  { cells, place }: Line,
  known: readonly string[],
  optional: readonly string[],
): readonly string[] {
  const header = `the header is ${known.join(",")}, in any order`;
  const stranger = cells.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw plainError(
      place,
      `unknown column ${showValue(stranger)}; ${didYouMean(stranger, known) || header}`,
    );
  const missing = known.find((name) => !cells.includes(name) && !optional.includes(name));
  if (missing !== undefined) throw plainError(place, `column ${missing} is missing; ${header}`);
  const twice = cells.find((name, k) => cells.indexOf(name) !== k);
  if (twice !== undefined) throw plainError(place, `column ${twice} is there twice`);
  return cells;
}

function workerIn({ cells, place }: Line, names: readonly string[]): object {
  if (cells.length !== names.length)
    throw plainError(place, `must have ${names.length} cells, got ${cells.length}`);
  return Object.fromEntries(names.map((name, k) => [name, writtenNumber(cells[k]!)]));
}

/** What is wrong with a worker is told with its line and column in place of its number in the list. */
function atLine(error: unknown, lines: readonly Line[]): unknown {
  if (!(error instanceof InputError)) return error;
  const { path } = error.problem;
  const [row, column] = path[0] === "workers" ? path.slice(1) : path;
  if (typeof row !== "number") return error;
  const expected = error.problem.expected.replace(
    /workers\[(\d+)\]/,
    (_, k) => `line ${lines[Number(k)]!.number}`,
  );
  return new InputError({ ...error.problem, source: `${lines[row]!.place}, ${column}`, path: [], expected });
}
