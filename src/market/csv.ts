/** A market's workers from CSV text with the header id,reputation,cost,arrival, the columns in any order. */

import { didYouMean, InputError, plainError, showValue } from "../lib/errors.js";
import { writtenNumber } from "../lib/format.js";
import type { Market, Rules } from "./market.js";
import { validateMarket } from "./parse.js";

const columns = ["id", "reputation", "cost", "arrival"] as const;
const HEADER = columns.join(",");

interface Line {
  /** Counted from 1, as editors do. */
  readonly number: number;
  readonly cells: readonly string[];
}

/** The market of these workers under these rules; the source ("m.csv") starts every message, with the line and the column. */
export function parseMarketCsv(text: string, rules: Rules, source: string): Market {
  const [header, ...lines] = linesOf(text);
  if (!header) throw plainError(source, `empty, must hold the header ${HEADER} and a line for each worker`);
  const names = columnsOf(header, source);
  const workers = lines.map((line) => workerIn(line, names, source));
  try {
    return validateMarket({ rules, workers }, source);
  } catch (error) {
    throw atLine(error, lines, source);
  }
}

function linesOf(text: string): Line[] {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return body.split(/\r\n|\r|\n/).flatMap((line, k) => {
    if (line.trim() === "") return [];
    return [{ number: k + 1, cells: cellsOf(line) }];
  });
}

/** A cell in quotes may hold commas, and quotes written twice. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g)].map(([, inQuotes, plain = ""]) =>
    (inQuotes?.replaceAll('""', '"') ?? plain).trim(),
  );

const placeOf = (source: string, { number }: Line): string => `${source}: line ${number}`;

function columnsOf(header: Line, source: string): readonly string[] {
  const known: readonly string[] = columns;
  const { cells } = header;
  const place = placeOf(source, header);
  const stranger = cells.find((name) => !known.includes(name));
  if (stranger !== undefined) {
    const guess = didYouMean(stranger, known);
    throw plainError(
      place,
      `unknown column ${showValue(stranger)}; ${guess || `the header is ${HEADER}, in any order`}`,
    );
  }
  const missing = known.find((name) => !cells.includes(name));
  if (missing !== undefined)
    throw plainError(place, `column ${missing} is missing; the header is ${HEADER}, in any order`);
  const twice = cells.find((name, k) => cells.indexOf(name) !== k);
  if (twice !== undefined) throw plainError(place, `column ${twice} is there twice`);
  return cells;
}

function workerIn(line: Line, names: readonly string[], source: string): object {
  const { cells } = line;
  if (cells.length !== names.length)
    throw plainError(placeOf(source, line), `must have ${names.length} cells, got ${cells.length}`);
  return Object.fromEntries(names.map((name, k) => [name, writtenNumber(cells[k]!)]));
}

/** What is wrong with a worker is told with its line and column in place of its number in the list. */
function atLine(error: unknown, lines: readonly Line[], source: string): unknown {
  if (!(error instanceof InputError)) return error;
  const [part, row, column] = error.problem.path;
  if (part !== "workers" || typeof row !== "number") return error;
  const expected = error.problem.expected.replace(
    /workers\[(\d+)\]/,
    (_, k) => `line ${lines[Number(k)]!.number}`,
  );
  const place = `${placeOf(source, lines[row]!)}, ${column}`;
  return new InputError({ ...error.problem, source: place, path: [], expected });
}
