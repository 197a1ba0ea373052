/** Numbers, lists and tables as plain text. */

/** Five significant digits, whole numbers in full. */
export function brief(x: number): string {
  if (!Number.isFinite(x) || Number.isInteger(x)) return String(x);
  return Math.abs(x) >= 1e5 ? x.toFixed(1) : String(Number(x.toPrecision(5)));
}

/** "1 worker", "3 workers". */
export const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

const WIDTH = 100;

/** Items behind a label, separated by commas, wrapped so that what follows the first line hangs below it. */
export function hangingList(label: string, items: readonly string[]): string {
  const indent = " ".repeat(label.length);
  const lines: string[] = [];
  let line = label;
  for (const [k, item] of items.entries()) {
    const piece = k === items.length - 1 ? item : `${item}, `;
    if (line.length + piece.trimEnd().length > WIDTH && line.length > indent.length) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += piece;
  }
  return [...lines, line].join("\n");
}

export interface Column {
  readonly head: string;
  readonly cells: readonly string[];
}

/** Columns side by side, each to the right with its decimal points one below the other. */
export function table(columns: readonly Column[]): string {
  const padded = columns.map(({ head, cells }) => toTheRight([head, ...alignPoints(cells)]));
  const rows = padded[0]?.map((_, k) => padded.map((column) => column[k]!).join("  ")) ?? [];
  return rows.map((row) => row.trimEnd()).join("\n");
}

function toTheRight(cells: readonly string[]): string[] {
  const width = longest(cells);
  return cells.map((cell) => cell.padStart(width));
}

/** Pads what comes after the decimal point; cells that are no plain number are left alone. */
function alignPoints(cells: readonly string[]): string[] {
  const numeric = /^[+-]?\d+(\.\d+)?$/;
  const fraction = (cell: string) => (numeric.test(cell) ? cell.length - wholeLength(cell) : 0);
  const width = Math.max(0, ...new Set(cells.map(fraction)));
  return cells.map((cell) => (numeric.test(cell) ? cell + " ".repeat(width - fraction(cell)) : cell));
}

const wholeLength = (cell: string): number => (cell.includes(".") ? cell.indexOf(".") : cell.length);

const longest = (cells: readonly string[]): number =>
  cells.reduce((most, cell) => Math.max(most, cell.length), 0);
