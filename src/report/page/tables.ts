/** Tables: filled when they are first seen, sorted by a click on a heading, following the choice. */

import { exhibitLink } from "../markup.js";
import type { Cell, Column, Row, Table } from "../result.js";
import { ALL, cellText, chosenRows, csvText, facets } from "../tables.js";
import { choice, onChoice } from "./choices.js";
import { type Content, contentOf } from "./contents.js";
import { element, findAll, offerFile } from "./dom.js";

/** More rows than this are not drawn: the download has them all. */
const SHOWN = 500;

interface Order {
  readonly column: string;
  readonly descending: boolean;
}

export function fillTables(): void {
  for (const place of findAll(".scroll[data-table]")) watch(place);
  for (const button of findAll<HTMLButtonElement>("button[data-csv], button[data-json]"))
    button.addEventListener("click", () => offer(button));
}

function watch(place: HTMLElement): void {
  const content = contentOf(place);
  const table = content.tables.get(place.dataset.table!)!;
  const fold = place.closest("details");
  let order: Order | null = null;
  const show = () => {
    if (fold && !fold.open) return;
    const sort = (next: Order) => {
      order = next;
      show();
      place.querySelector<HTMLElement>("th[aria-sort] button")?.focus();
    };
    place.replaceChildren(...drawn({ table, content, order, sort }));
  };
  fold?.addEventListener("toggle", show);
  onChoice(show);
  show();
}

interface Drawn {
  readonly table: Table;
  readonly content: Content;
  readonly order: Order | null;
  readonly sort: (order: Order) => void;
}

function drawn({ table, content, order, sort }: Drawn): HTMLElement[] {
  const rows = sorted(chosenRows(table, choice()), order);
  const known = table.columns.filter((column) => says(column, rows));
  const shared = known.filter(({ name }) => name in (table.opensWith ?? {}) && isSame(name, rows));
  const columns = known.filter((column) => !shared.includes(column));
  const heads = columns.map((column) => heading(column, order, sort));
  const body = rows
    .slice(0, SHOWN)
    .map((row) =>
      element("tr", {}, ...columns.map((column) => cell(row[column.name] ?? null, column, content))),
    );
  const whole = element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...body),
  );
  const told = shared.map(({ name, label }) => `${label}: ${rows[0]![name]}`).join("; ");
  const size = `The first ${SHOWN} of ${rows.length} rows; the CSV has them all.`;
  return [
    whole,
    ...(told === "" ? [] : [element("p", { class: "size" }, `In all rows, ${told}.`)]),
    ...(rows.length <= SHOWN ? [] : [element("p", { class: "size" }, size)]),
  ];
}

/** Whether a column says the same in all rows: one line under the table says it then. */
const isSame = (name: string, rows: readonly Row[]): boolean =>
  rows.length > 0 && rows.every((row) => row[name] === rows[0]![name]);

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

function cell(value: Cell, column: Column, content: Content): HTMLElement {
  const exhibit = typeof value === "string" ? content.exhibits.get(value) : undefined;
  const text = cellText(value, column.kind);
  if (!exhibit) return element("td", alignment(column), verdict(text));
  const link = { href: exhibitLink(content.name, exhibit.name), title: exhibit.title };
  return element("td", {}, element("a", link, "replay"));
}

/** Whether a column says anything: not if it is empty, or a facet of which nothing is chosen. */
const says = ({ name }: Column, rows: readonly Row[]): boolean =>
  rows.some((row) => (row[name] ?? null) !== null && !(name in facets && row[name] === ALL));

/** Verdicts are words with a colour, never a colour alone. */
function verdict(text: string): HTMLElement | string {
  const [word, name] = /^(holds|breaks|undecided)\b/.exec(text) ?? [];
  if (word === undefined) return text;
  const judged = element("span", { class: `verdict-${name}` }, word);
  return element("span", { class: "judged" }, judged, text.slice(word.length));
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

/** What is offered are all rows, whatever is chosen. */
function offer({ dataset }: HTMLButtonElement): void {
  const name = dataset.csv ?? dataset.json ?? "";
  const table = contentOf({ dataset } as HTMLElement).tables.get(name)!;
  if (dataset.csv !== undefined) offerFile(`${dataset.of}.${name}.csv`, csvText(table), "text/csv");
  else offerFile(`${dataset.of}.${name}.json`, JSON.stringify(table, null, 1), "application/json");
}
