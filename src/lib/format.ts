/** Numbers, lists and tables as plain text. */

import type { Estimate } from "./statistics.js";

/** Five significant digits, whole numbers in full; "unbounded" where no number bounds it. */
export function brief(x: number): string {
  if (x === Number.POSITIVE_INFINITY) return "unbounded";
  if (!Number.isFinite(x) || Number.isInteger(x)) return String(x);
  return Math.abs(x) >= 1e5 ? x.toFixed(1) : String(Number(x.toPrecision(5)));
}

/** "1 worker", "3 workers". */
export const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** "no market", "1 market", "1,200 markets". */
export const many = (n: number, noun: string): string =>
  `${n === 0 ? "no" : whole(n)} ${noun}${n === 1 || n === 0 ? "" : "s"}`;

/** "1,200". */
export const whole = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

/** A number of a sentence: three significant digits, thousands as whole numbers; "nothing" where there is no number, "unbounded" where none bounds it. */
export function threeDigits(x: number): string {
  if (x === Number.POSITIVE_INFINITY) return "unbounded";
  if (!Number.isFinite(x)) return "nothing";
  const size = Math.abs(x);
  const digits = size >= 1000 ? whole(Math.round(size)) : String(Number(size.toPrecision(3)));
  return `${x < 0 ? "−" : ""}${digits}`;
}

/** Of a ratio: "1.00", "0.97"; "nothing" where there is no number. */
export const twoPlaces = (x: number): string =>
  Number.isFinite(x) ? `${x < 0 ? "−" : ""}${Math.abs(x).toFixed(2)}` : "nothing";

/** With its sign: "+0.02", "−1.5"; what is only rounding is "0". */
export function signed(x: number, show: (size: number) => string = threeDigits): string {
  if (Math.abs(x) < 1e-9) return "0";
  return `${x < 0 ? "−" : "+"}${show(Math.abs(x))}`;
}

/** Per cent with two significant digits, or to the whole one: "0.021 %", "2.6 %", "12 %", "134 %". */
export const percent = (share: number): string => percentTo(2, share);

function percentTo(digits: number, share: number): string {
  if (!Number.isFinite(share)) return "nothing";
  const size = 100 * Math.abs(share);
  const enough = Math.max(digits, Math.floor(Math.log10(Math.max(1, size))) + 1);
  return `${share < 0 ? "−" : ""}${Number(size.toPrecision(enough))} %`;
}

/** Mean, low and high, with as many digits as it takes to tell them apart: of a million markets they are close. */
export function percents({ mean, low, high }: Omit<Estimate, "n">): [string, string, string] {
  let digits = 2;
  const alike = (a: number, b: number) => a !== b && percentTo(digits, a) === percentTo(digits, b);
  while (digits < 15 && (alike(low, mean) || alike(mean, high))) digits++;
  return [percentTo(digits, mean), percentTo(digits, low), percentTo(digits, high)];
}

/** An estimate in a sentence: its mean, and "95 %: 22 % to 32 %" or what else is known of its interval. */
export function stated(found: Omit<Estimate, "n">, unit: "share" | "change" = "share"): [string, string] {
  const ends = [found.mean, found.low, found.high].map((x) => signed(x));
  const [mean, low, high] = unit === "share" ? percents(found) : ends;
  if (!Number.isFinite(found.low)) return [mean!, "too few for an interval"];
  return [mean!, `95 %: ${Number.isFinite(found.high) ? `${low} to ${high}` : `at least ${low}`}`];
}

/** "0.92 (0.91 to 0.93)"; the mean alone where there is no interval. */
export const withInterval = (
  { mean, low, high }: Omit<Estimate, "n">,
  show: (x: number) => string = threeDigits,
): string => (Number.isFinite(high - low) ? `${show(mean)} (${show(low)} to ${show(high)})` : show(mean));

/** "3.3 % (2.1 % to 4.4 %)", with as many digits as it takes to tell the ends apart. */
export function shareWithInterval(share: Omit<Estimate, "n">): string {
  const [middle, low, high] = percents(share);
  return Number.isFinite(share.high - share.low) ? `${middle} (${low} to ${high})` : middle;
}

/** "a", "a and b", "a, b and c". */
export function listed(items: readonly (string | number)[], before: "and" | "or" = "and"): string {
  const last = String(items.at(-1) ?? "");
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} ${before} ${last}`;
}

/** "minWorkers" as "min-workers". */
export const dashed = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Quoted where a shell would make something else of it. */
export const quoted = (text: string): string =>
  /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Words in lines of at most so many characters, the first behind a label, the others below its first word. */
export const wrapped = (text: string, width: number, label = ""): string =>
  inLines(text.split(/\s+/), width, label);

function inLines(words: readonly string[], width: number, label: string): string {
  const indent = " ".repeat(label.length);
  const lines: string[] = [];
  let line = label;
  for (const word of words) {
    const full = line.length > indent.length;
    if (full && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent + word;
    } else line += full ? ` ${word}` : word;
  }
  return [...lines, line].join("\n");
}

/** Text for a terminal so wide: sentences are wrapped below where they begin; tables, JSON and commands to copy stay as they are. */
export const fitted = (text: string, width: number): string =>
  text
    .split("\n")
    .map((line) => {
      const [, label = "", body = ""] = /^(\s*(?:[-•] )?)(.*)$/.exec(line) ?? [];
      const isText = line.length > width && !/ {2}|^[{[]|\bcandor [a-z-]+ /.test(body);
      return isText ? wrapped(body, width, label) : line;
    })
    .join("\n");

/** For tables: six significant digits are enough, and keep files small; null where there is no number. */
export const rounded = (x: number): number | null => (Number.isFinite(x) ? Number(x.toPrecision(6)) : null);

const WIDTH = 100;

/** Items behind a label, separated by commas, wrapped so that what follows the first line hangs below it. */
export const hangingList = (label: string, items: readonly string[]): string =>
  inLines(
    items.map((item, k) => (k === items.length - 1 ? item : `${item},`)),
    WIDTH,
    label,
  );

export interface TextColumn {
  readonly head: string;
  readonly cells: readonly string[];
}

/** Columns of one table, by their heads and what each item has in them. */
export const columnOf =
  <Item>(items: readonly Item[]) =>
  (head: string, cell: (item: Item) => string): TextColumn => ({ head, cells: items.map(cell) });

/** Columns side by side, each to the right with its decimal points one below the other. */
export function table(columns: readonly TextColumn[]): string {
  const padded = columns.map(({ head, cells }) => {
    // A cell is one line, whatever a name in it holds.
    const all = [head, ...alignPoints(cells.map((cell) => cell.replaceAll("\n", "\\u000a")))];
    const width = largest(all.map(({ length }) => length));
    return all.map((cell) => cell.padStart(width));
  });
  const rows = padded[0]?.map((_, k) => padded.map((column) => column[k]!).join("  ")) ?? [];
  return rows.map((row) => row.trimEnd()).join("\n");
}

/** Pads what comes after the decimal point; cells that are no plain number are left alone. */
function alignPoints(cells: readonly string[]): string[] {
  const numeric = /^[+-]?\d+(\.\d+)?$/;
  const fraction = (cell: string) => numeric.exec(cell)?.[1]?.length ?? 0;
  const width = largest(cells.map(fraction));
  return cells.map((cell) => (numeric.test(cell) ? cell + " ".repeat(width - fraction(cell)) : cell));
}

/** Of numbers ≥ 0, however many. */
const largest = (sizes: readonly number[]): number => sizes.reduce((most, size) => Math.max(most, size), 0);

/** Decimal notation only: Number() would also take "", "0x10" and "Infinity". */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** The number that a text writes, blanks around it aside; any other text as it is, for a check that names it. */
export const writtenNumber = (text: string): number | string =>
  isDecimal(text.trim()) ? Number(text) : text.trim();

/** Control characters, and those that turn the direction of writing, which could make a name look like something else. */
const hidden = /[^\P{Cc}\n\t]|[\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** A text in which such characters are written out: a name cannot move a terminal's cursor or reverse a sentence. */
export const withoutControls = (text: string): string =>
  text.replace(hidden, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
