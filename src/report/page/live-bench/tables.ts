/** The two tables of the live bench: all workers, whose types and bids can be written in it, and mechanisms side by side. */

import { difference } from "../../../lib/tolerance.js";
import { amountText } from "../../result.js";
import { outcomeFields } from "../../views.js";
import { element, find, findAll, tableElement } from "../dom.js";
import type { AnswerOf, Gain } from "./answers.js";
import { type Change, complain, control, onWritten, sayIn, written } from "./controls.js";
import { type BenchState, bidOf, withBid, withNewWorker, withoutWorker, withWorker } from "./state.js";

/** Writes only what has changed: to write all cells takes longer than to work out what is in them. */
function write(cell: HTMLElement, text: string): void {
  if (cell.textContent !== text) cell.textContent = text;
}

const box = find<HTMLDetailsElement>(".bench-workers");
const place = find(".scroll", box);
const errorLine = find("#bench-bad-worker");
const complainOfRows = (message: string | null) => sayIn(errorLine, message);

const fieldNames = ["id", "reputation", "cost", "arrival", "said-price", "said-arrival"] as const;
type FieldName = (typeof fieldNames)[number];

const labelOf = (name: FieldName): string => name.replace("said-", "");

const outcome = outcomeFields(amountText);
const results = [...outcome.map(({ head }) => head), "against truth", "gain"];

interface TableRow {
  readonly row: HTMLTableRowElement;
  readonly cells: Readonly<Record<FieldName, HTMLTableCellElement>>;
  readonly results: readonly HTMLTableCellElement[];
  readonly end: HTMLTableCellElement;
  /** The numbers in its fields in full. */
  values: Partial<Record<FieldName, number>>;
}

let rows: TableRow[] = [];

/** The fields of the row that is being changed. One set for all rows: hundreds of fields would make every frame slow. */
const inputs = Object.fromEntries(fieldNames.map((name) => [name, inputFor(name)])) as Record<
  FieldName,
  HTMLInputElement
>;
const removeButton = element("button", { type: "button", class: "remove" }, "×");
let editing = -1;

function inputFor(name: FieldName): HTMLInputElement {
  const mode = name === "id" || name.endsWith("arrival") ? "numeric" : "decimal";
  return element("input", { type: "text", inputmode: mode, autocomplete: "off", "data-field": name });
}

interface TableEvents {
  readonly change: Change;
  /** The worker of a row goes on the sliders, and its row can be written in. */
  choose(row: number): void;
  /** The table was opened: while it is closed, nothing is written into it. */
  opened(): void;
}

export function startTable({ change, choose, opened }: TableEvents): void {
  box.addEventListener("toggle", opened);
  onWritten(place, change, { make: withField, line: errorLine });
  place.addEventListener("focusin", ({ target }) => showFull(target as HTMLElement));
  place.addEventListener("focusout", ({ target }) => showShort(target as HTMLElement));
  place.addEventListener("click", ({ target }) => {
    const row = (target as Element).closest<HTMLElement>("tr[data-row]");
    const field = (target as Element).closest<HTMLElement>("[data-field]")?.dataset.field;
    if (!row || Number(row.dataset.row) === editing) return;
    choose(Number(row.dataset.row));
    inputs[(field as FieldName | undefined) ?? "id"].focus();
  });
  removeButton.addEventListener("click", () => {
    change((state) => withoutWorker(state, editing), complainOfRows);
    removeButton.focus();
  });
  control("add").addEventListener("click", () => {
    change(withNewWorker, complainOfRows);
    inputs.reputation.focus();
  });
}

function withField(state: BenchState, input: HTMLInputElement): BenchState {
  const [name, value] = [input.dataset.field as FieldName, written(input)];
  if (!name.startsWith("said-")) return withWorker(state, editing, { [name]: value });
  return withBid(state, state.market.workers[editing]!.id, { [labelOf(name)]: value });
}

const isRight = (field: HTMLElement): field is HTMLInputElement =>
  field instanceof HTMLInputElement && field.getAttribute("aria-invalid") !== "true";

const fullValue = (input: HTMLElement): number => rows[editing]!.values[input.dataset.field as FieldName]!;

/** In full while somebody writes, and marked, so that what is typed takes its place. */
function showFull(field: HTMLElement): void {
  if (!isRight(field)) return;
  field.value = String(fullValue(field));
  field.select();
}

function showShort(field: HTMLElement): void {
  if (isRight(field)) field.value = amountText(fullValue(field));
}

/** Shows what everybody is and says; the chosen worker's row can be written in. */
export function showWorkers(state: BenchState, chosen: number | null): void {
  if (!box.open) return;
  const { workers } = state.market;
  errorLine.hidden = true;
  if (rows.length !== workers.length) build(workers.length);
  for (const [k, worker] of workers.entries()) {
    const { price, arrival } = bidOf(state, worker);
    showWorker(rows[k]!, { ...worker, "said-price": price, "said-arrival": arrival });
  }
  edit(
    workers.findIndex(({ id }) => id === chosen),
    workers.length > 1,
  );
}

function showWorker(row: TableRow, values: Readonly<Record<FieldName, number>>): void {
  const { cells } = row;
  const before = row.values;
  row.values = values;
  row.row.dataset.id = String(values.id);
  for (const name of fieldNames) {
    const wrong = inputs[name].hasAttribute("aria-invalid");
    if (before[name] !== values[name] || wrong) showValue(cells[name], inputs[name]);
  }
  cells["said-price"].classList.toggle("lie", values["said-price"] !== values.cost);
  cells["said-arrival"].classList.toggle("lie", values["said-arrival"] !== values.arrival);
}

function showValue(cell: HTMLElement, input: HTMLInputElement): void {
  if (!cell.contains(input)) showText(cell);
  else if (document.activeElement !== input) {
    complain(input, null, errorLine);
    showShort(input);
  }
}

/** A cell of a row that is not being changed: a number, and for the id a button by which the keyboard gets there. */
function showText(cell: HTMLElement): void {
  const row = rows[Number(cell.parentElement!.dataset.row)]!;
  const value = row.values[cell.dataset.field as FieldName]!;
  const text = amountText(value);
  cell.title = String(value);
  if (cell.dataset.field !== "id") cell.textContent = text;
  else
    cell.replaceChildren(element("button", { type: "button", "aria-label": `Change worker ${text}` }, text));
}

/** Moves the fields into a row; -1: into none. */
function edit(row: number, removable: boolean): void {
  const id = rows[row]?.values.id;
  if (row !== editing || !rows[row]?.row.contains(removeButton)) moveInputs(row);
  removeButton.disabled = !removable;
  removeButton.setAttribute("aria-label", `Remove worker ${id}`);
  for (const name of fieldNames) {
    const whose = name.startsWith("said-") ? `that worker ${id} says` : `of worker ${id}`;
    inputs[name].setAttribute("aria-label", `${labelOf(name)} ${whose}`);
    if (rows[row]) rows[row].cells[name].title = String(rows[row].values[name]);
  }
}

function moveInputs(row: number): void {
  const before = rows[editing];
  editing = row;
  if (before) {
    before.row.classList.remove("chosen");
    for (const name of fieldNames) showText(before.cells[name]);
  }
  const now = rows[row];
  if (!now) return;
  now.row.classList.add("chosen");
  for (const name of fieldNames) {
    complain(inputs[name], null, errorLine);
    now.cells[name].replaceChildren(inputs[name]);
    showShort(inputs[name]);
  }
  now.end.replaceChildren(removeButton);
}

/** Shows what everybody gets. */
export function showOutcome({ market }: BenchState, { truth, said }: AnswerOf<"outcome">): void {
  if (!box.open) return;
  const honest = new Map(truth.workers.map((record) => [record.id, record]));
  const got = new Map(said.workers.map((record) => [record.id, record]));
  for (const { values, results } of rows) {
    const record = got.get(values.id!);
    if (!record) continue;
    const { selectedAt, rounds, payment, utility } = record;
    for (const [k, value] of [selectedAt, rounds, payment, utility].entries()) {
      write(results[k]!, outcome[k]!.text(record));
      results[k]!.title = String(value);
    }
    const change = difference(utility, honest.get(record.id)!.utility, market.rules.budget);
    const cell = results[4]!;
    write(cell, change === 0 ? "" : `${change > 0 ? "+" : ""}${amountText(change)}`);
    cell.classList.toggle("more", change > 0);
    cell.classList.toggle("less", change < 0);
  }
}

/** Shows what everybody could gain; who is not known yet is marked so. */
export function showGains(gains: ReadonlyMap<number, Gain>, known: (id: number) => boolean): void {
  if (!box.open) return;
  for (const { values, results } of rows) {
    const id = values.id!;
    const cell = results[5]!;
    const value = gains.get(id)?.gain;
    write(cell, value === undefined ? "…" : value > 0 ? amountText(value) : "nothing");
    cell.classList.toggle("less", value !== undefined && value > 0);
    cell.classList.toggle("late", !known(id));
  }
}

function build(count: number): void {
  rows = Array.from({ length: count }, (_, k) => rowAt(k));
  editing = -1;
  const groups = { is: 4, says: 2, gets: results.length - 1, could: 1 };
  const above = Object.entries(groups).map(([text, span]) =>
    element("th", { scope: "colgroup", colspan: String(span), style: `--span: ${span}` }, text),
  );
  const titles = [...fieldNames.map(labelOf), ...results];
  const heads = titles.map((text) => element("th", { scope: "col", class: "number" }, text));
  const head = [element("tr", { class: "groups" }, ...above), element("tr", {}, ...heads)];
  place.replaceChildren(
    tableElement(
      head,
      rows.map(({ row }) => row),
    ),
  );
}

function rowAt(k: number): TableRow {
  const cells = Object.fromEntries(
    fieldNames.map((name) => [name, element("td", { class: "number field", "data-field": name })]),
  ) as Record<FieldName, HTMLTableCellElement>;
  const got = results.map(() => element("td", { class: "number result" }));
  const end = element("td", { class: "end" });
  const all = [...fieldNames.map((name) => cells[name]), ...got, end];
  const row = element("tr", { "data-row": String(k) }, ...all);
  return { row, cells, results: got, end, values: {} };
}

const besideBox = find<HTMLDetailsElement>(".bench-beside");
const besidePlace = find(".scroll", besideBox);
const boxes = findAll<HTMLInputElement>('.bench-beside [name="beside"]');

/** What is known of a mechanism so far. */
export interface MechanismAnswers {
  compared: AnswerOf<"compared"> | null;
  readonly gains: Map<number, Gain>;
  /** The state that the gains are of, and whose is known for just this; the others' are of an earlier one. */
  of: BenchState;
  fresh: Set<number>;
  exact: boolean;
  /** How many can gain and the most that one can; null until all were asked. */
  all: { readonly can: number; readonly most: number; readonly exact: boolean } | null;
  /** Why something is not known. */
  failed: string | null;
}

export function startBeside(choose: (names: readonly string[]) => void, opened: () => void): void {
  besideBox.addEventListener("toggle", opened);
  for (const one of boxes)
    one.addEventListener("change", () =>
      choose(boxes.filter(({ checked }) => checked).map(({ value }) => value)),
    );
}

/** Whether the table of mechanisms is open. */
export const isBeside = (): boolean => besideBox.open;

/** Those to be asked: while the table is closed, only the one on the bench. */
export const mechanismsIn = ({ mechanism, compared }: BenchState): string[] => [
  mechanism,
  ...(isBeside() ? compared.filter((name) => name !== mechanism) : []),
];

/** The mechanism on the bench is always among them. */
export function showChoice({ mechanism, compared }: BenchState): void {
  for (const one of boxes) {
    one.disabled = one.value === mechanism;
    one.checked = one.disabled || compared.includes(one.value);
  }
}

/** A link that has mechanisms side by side shows them. */
export function openBeside({ compared }: BenchState): void {
  if (compared.length > 0) besideBox.open = true;
}

const headings = [
  "mechanism",
  "selected",
  "spent",
  "publisher gets",
  "per unit paid",
  "this lie gains",
  "can gain",
  "most to gain",
];

let besideRows: readonly HTMLTableRowElement[] = [];

export function showBeside(state: BenchState, found: ReadonlyMap<string, MechanismAnswers>): void {
  if (!besideBox.open) return;
  const asked = mechanismsIn(state);
  if (besideRows.length !== asked.length) buildBeside(asked.length);
  for (const [k, name] of asked.entries()) {
    const row = besideRows[k]!;
    row.title = found.get(name)?.failed ?? "";
    for (const [j, text] of [name, ...besideCells(found.get(name), state)].entries())
      write(row.cells[j]!, text);
  }
}

function buildBeside(count: number): void {
  const head = headings.map((text, k) =>
    element("th", { scope: "col", class: k === 0 ? "" : "number" }, text),
  );
  besideRows = Array.from({ length: count }, () => {
    const cells = headings.slice(1).map(() => element("td", { class: "number" }));
    return element("tr", {}, element("th", { scope: "row" }), ...cells);
  });
  besidePlace.replaceChildren(tableElement([element("tr", {}, ...head)], besideRows));
}

function besideCells(found: MechanismAnswers | undefined, { market }: BenchState): string[] {
  const { compared = null, all = null, failed = null } = found ?? {};
  const amount = (value: number | null) => (value === null ? "–" : amountText(value));
  const gain = compared && difference(compared.lieGains, 0, market.rules.budget);
  const cells = [
    compared && `${compared.selected} of ${market.workers.length}`,
    compared && amount(compared.spent),
    compared && amount(compared.publisherUtility),
    compared && amount(compared.utilityPerUnitPaid),
    gain === null ? null : `${gain > 0 ? "+" : ""}${amount(gain)}`,
    all && `${all.can} of ${market.workers.length}`,
    all && (all.most > 0 ? `${all.exact ? "" : "at least "}${amount(all.most)}` : "nothing"),
  ];
  return cells.map((text) => text ?? (failed ? "–" : "…"));
}
