/** Tables: filled when they are first opened, sorted by a click on a heading. */

import { exhibitLink, html, type Markup, verdictMarkup } from "../markup.js";
import {
  type Cell,
  type Column,
  cellText,
  csvText,
  type Row,
  shownColumns,
  witnessColumn,
} from "../result.js";
import { type Content, contentOf, findAll, offerFile } from "./dom.js";

/** More rows than this are not drawn: the download has them all. */
const SHOWN = 500;

interface Order {
  readonly column: string;
  readonly descending: boolean;
}

export function fillTables(): void {
  const tables = findAll(".scroll[data-table]").map(watch);
  for (const button of findAll<HTMLButtonElement>("button[data-csv], button[data-json]"))
    button.addEventListener("click", () => offer(button));
  openForPrint(() => {
    for (const show of tables) show();
  });
}

/** Tables that are printed are open while the page is. */
function openForPrint(fill: () => void): void {
  const folds = findAll<HTMLDetailsElement>("details:is(.printed, .evidence:has(.printed))");
  let opened: readonly HTMLDetailsElement[] = [];
  window.addEventListener("beforeprint", () => {
    opened = folds.filter(({ open }) => !open);
    for (const fold of opened) fold.open = true;
    fill();
  });
  window.addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
}

/** Shows a table whenever its fold is opened; what it returns shows it now, if that is open. */
function watch(place: HTMLElement): () => void {
  const fold = place.closest("details")!;
  let order: Order | null = null;
  const show = () => {
    if (fold.open) place.innerHTML = tableMarkup(place, order).text;
  };
  fold.addEventListener("toggle", show);
  place.addEventListener("click", ({ target }) => {
    const column = (target as Element).closest<HTMLElement>("th button")?.dataset.column;
    if (column === undefined) return;
    order = { column, descending: order?.column === column && !order.descending };
    show();
    place.querySelector<HTMLElement>("th[aria-sort] button")?.focus();
  });
  return show;
}

function tableMarkup(place: HTMLElement, order: Order | null): Markup {
  const content = contentOf(place);
  const table = content.tables.get(place.dataset.table!)!;
  const columns = shownColumns(table);
  const body = sorted(table.rows, order)
    .slice(0, SHOWN)
    .map((row) => html`<tr>${columns.map((column) => cellMarkup(row, column, content))}</tr>`);
  const size = `The first ${SHOWN} of ${table.rows.length} rows; the CSV has them all.`;
  return html`<table><thead><tr>${columns.map((column) => headMarkup(column, order))}</tr></thead><tbody>${body}</tbody></table>
${table.rows.length <= SHOWN ? null : html`<p class="size">${size}</p>`}`;
}

const alignment = ({ kind }: Column): string => (kind === "text" ? "" : "number");

function headMarkup(column: Column, order: Order | null): Markup {
  const [state, arrow] =
    order?.column !== column.name
      ? [null, ""]
      : order.descending
        ? [html` aria-sort="descending"`, " ↓"]
        : [html` aria-sort="ascending"`, " ↑"];
  return html`<th scope="col" class="${alignment(column)}"${state}><button type="button" data-column="${column.name}">${column.label || column.name}${arrow}</button></th>`;
}

/** A cell that names an exhibit opens it, and so does one whose column has a companion that does. */
function cellMarkup(row: Row, column: Column, { name, exhibits }: Content): Markup {
  const named = (cell: Cell | undefined) => (typeof cell === "string" ? exhibits.get(cell) : undefined);
  const own = named(row[column.name]);
  const exhibit = own ?? named(row[witnessColumn(column.name)]);
  const text = own ? html`replay` : verdictMarkup(cellText(row[column.name], column.kind));
  return html`<td class="${alignment(column)}">${
    exhibit ? html`<a href="${exhibitLink(name, exhibit.name)}" title="${exhibit.title}">${text}</a>` : text
  }</td>`;
}

function sorted(rows: readonly Row[], order: Order | null): readonly Row[] {
  if (order === null) return rows;
  const { column, descending } = order;
  const by = (a: Row, b: Row) => compare(a[column] ?? null, b[column] ?? null);
  return [...rows].sort((a, b) => (descending ? by(b, a) : by(a, b)));
}

/** Numbers by size, texts by alphabet, nothing last. */
function compare(a: Cell, b: Cell): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}

function offer({ dataset }: HTMLButtonElement): void {
  const name = dataset.csv ?? dataset.json ?? "";
  const table = contentOf({ dataset } as HTMLElement).tables.get(name)!;
  if (dataset.csv !== undefined) offerFile(`${dataset.of}.${name}.csv`, csvText(table), "text/csv");
  else offerFile(`${dataset.of}.${name}.json`, JSON.stringify(table, null, 1), "application/json");
}
