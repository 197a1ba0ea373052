/** Cells as a reader sees them. */

import type { Cell, Column } from "./result.js";

/** Not a number, not yet one, or none at all. */
const NOTHING = "–";

/** A cell in its column's words: 3.1 %, 24,000, 0.4512, yes. */
export function cellText(cell: Cell | undefined, kind: Column["kind"]): string {
  if (cell === null || cell === undefined) return NOTHING;
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "string") return cell;
  if (kind === "share") return percentText(cell);
  return kind === "count" ? grouped(Math.round(cell)) : amountText(cell);
}

function percentText(share: number): string {
  const percent = share * 100;
  if (percent === 0 || Math.abs(percent) >= 99.95) return `${Math.round(percent)} %`;
  const digits = Math.abs(percent) >= 10 ? 1 : Math.abs(percent) >= 0.1 ? 2 : 3;
  return `${trimmed(percent.toFixed(digits))} %`;
}

/** Four significant digits. */
export function amountText(amount: number): string {
  if (Number.isInteger(amount)) return grouped(amount);
  if (Math.abs(amount) >= 1e4) return grouped(Math.round(amount));
  const text = Math.abs(amount) < 1e-4 ? amount.toExponential(2) : trimmed(amount.toPrecision(4));
  return text.replace("-", "−");
}

const trimmed = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

const grouped = (whole: number): string =>
  String(Math.abs(whole))
    .replace(/^/, whole < 0 ? "−" : "")
    .replace(/\B(?=(\d{3})+(?!\d))/g, ",");
