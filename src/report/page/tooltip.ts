/** Tooltips in words, as text. */

import { cellText } from "../cells.js";
import type { Cell, Table } from "../result.js";
import { element, find } from "./dom.js";

const box = find("#tooltip");

export type Told = readonly (readonly [label: string, text: string])[];

/** What a mark says: a row in the words of its table's columns, or what its specification says. */
export function wordsOf(value: unknown, table: Table | undefined): Told {
  if (typeof value !== "object" || value === null) return [["", String(value)]];
  // Vega-Lite writes a missing value as "null".
  const said = Object.entries(value as Record<string, Cell>).filter(
    ([, cell]) => cell !== null && cell !== "null",
  );
  const columns = table?.columns.filter(({ name }) => said.some(([field]) => field === name)) ?? [];
  const row = value as Record<string, Cell>;
  if (columns.length > 0) return columns.map(({ name, label, kind }) => [label, cellText(row[name], kind)]);
  return said.map(([title, cell]) => [title, cellText(cell, "amount")]);
}

export function showTooltip(
  at: { readonly clientX: number; readonly clientY: number },
  told: Told,
  hint: string,
): void {
  const rows = told.map(([label, text]) =>
    element("div", {}, element("span", {}, label), element("b", {}, text)),
  );
  box.replaceChildren(...rows, ...(hint === "" ? [] : [element("em", {}, hint)]));
  box.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = Math.min(at.clientX + 14, innerWidth - width - 8);
  const top = at.clientY + height + 22 > innerHeight ? at.clientY - height - 12 : at.clientY + 16;
  box.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(8, top)}px)`;
}

export function hideTooltip(): void {
  box.hidden = true;
}
