/** Tables: filled when they are first opened, sorted by a click on a heading. */

import { exhibitLink, verdictMarkup } from "../markup.js";
import {
  type Cell,
  type Column,
  cellText,
  csvText,
  type Exhibit,
  type Row,
  shownColumns,
  type Table,
  witnessColumn,
} from "../result.js";
import { type Content, contentOf, element, findAll, offerFile } from "./dom.js";

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
  const content = contentOf(place);
  const table = content.tables.get(place.dataset.table!)!;
  const fold = place.closest("details")!;
  let order: Order | null = null;
  const show = () => {
    if (!fold.open) return;
    const sort = (next: Order) => {
      order = next;
      show();
      place.querySelector<HTMLElement>("th[aria-sort] button")?.focus();
    };
    place.replaceChildren(...drawn({ table, content, order, sort }));
  };
  fold.addEventListener("toggle", show);
  return show;
}

interface Drawn {
  readonly table: Table;
  readonly content: Content;
  readonly order: Order | null;
  readonly sort: (order: Order) => void;
}

function drawn({ table, content, order, sort }: Drawn): HTMLElement[] {
  const rows = sorted(table.rows, order);
  const columns = shownColumns(table);
  const heads = columns.map((column) => heading(column, order, sort));
  const body = rows
    .slice(0, SHOWN)
    .map((row) => element("tr", {}, ...columns.map((column) => cell(row, column, content))));
  const whole = element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...body),
  );
  const size = `The first ${SHOWN} of ${rows.length} rows; the CSV has them all.`;
  return [whole, ...(rows.length <= SHOWN ? [] : [element("p", { class: "size" }, size)])];
}

const alignment = ({ kind }: Column): Record<string, string> => (kind === "text" ? {} : { class: "number" });

function heading(column: Column, order: Order | null, sort: (order: Order) => void): HTMLElement {
  const own = order?.column === column.name ? order : null;
  const arrow = own === null ? "" : own.descending ? " ↓" : " ↑";
  const button = element("button", { type: "button" }, `${column.label}${arrow}`);
  button.addEventListener("click", () =>
    sort({ column: column.name, descending: own ? !own.descending : false }),
  );
  const state: Record<string, string> = own
    ? { "aria-sort": own.descending ? "descending" : "ascending" }
    : {};
  return element("th", { scope: "col", ...alignment(column), ...state }, button);
}

/** A cell that names an exhibit opens it, and so does one whose column has a companion that does. */
function cell(row: Row, column: Column, content: Content): HTMLElement {
  const value = row[column.name] ?? null;
  const text = cellText(value, column.kind);
  const own = exhibitNamed(value, content);
  const exhibit = own ?? exhibitNamed(row[witnessColumn(column.name)] ?? null, content);
  if (!exhibit) return element("td", alignment(column), verdict(text));
  const link = { href: exhibitLink(content.name, exhibit.name), title: exhibit.title };
  return element("td", alignment(column), element("a", link, own ? "replay" : verdict(text)));
}

const exhibitNamed = (value: Cell, { exhibits }: Content): Exhibit | undefined =>
  typeof value === "string" ? exhibits.get(value) : undefined;

function verdict(text: string): HTMLElement {
  const words = element("span");
  words.innerHTML = verdictMarkup(text).text;
  return words;
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
