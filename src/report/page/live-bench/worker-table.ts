/** The table of all workers: what they are and say can be written in it, what they get is shown. */

import { difference } from "../../../lib/tolerance.js";
import type { Worker } from "../../../market/market.js";
import type { RunRecord } from "../../../mechanisms/outcome.js";
import { amountText } from "../../tables.js";
import { element, find } from "../dom.js";
import type { Gain, OutcomeAnswer } from "./answers.js";
import { complain, control, onWritten, written } from "./controls.js";
import { type BenchState, bidOf, withBid, withNewWorker, withoutWorker, withWorker } from "./state.js";
import { runText } from "./words.js";

const place = find(".bench-workers .scroll");
const errorLine = find("#bench-bad-worker");

const fieldNames = ["id", "reputation", "cost", "arrival", "said-price", "said-arrival"] as const;
type FieldName = (typeof fieldNames)[number];

const fieldLabels: Readonly<Record<FieldName, string>> = {
  id: "id",
  reputation: "reputation",
  cost: "cost",
  arrival: "arrival",
  "said-price": "price",
  "said-arrival": "arrival",
};

const results = ["in round", "rounds", "payment", "utility", "against truth"] as const;

interface TableRow {
  readonly row: HTMLTableRowElement;
  readonly cells: Readonly<Record<FieldName, HTMLTableCellElement>>;
  readonly results: readonly HTMLTableCellElement[];
  readonly gain: HTMLTableCellElement;
  readonly end: HTMLTableCellElement;
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

/** Changes the state, or says beside a field why not. */
export type Change = (
  make: (state: BenchState) => BenchState,
  failed: (message: string | null) => void,
) => void;

export interface TableEvents {
  readonly change: Change;
  /** The worker of a row goes on the sliders, and its row can be written in. */
  choose(row: number): void;
}

export function startTable({ change, choose }: TableEvents): void {
  onWritten(place, (input, settled) => {
    const name = input.dataset.field as FieldName;
    change(
      (state) => withField(state, editing, name, written(input)),
      (message) => {
        if (message === null || settled) complain(input, message, errorLine);
      },
    );
  });
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

function complainOfRows(message: string | null): void {
  errorLine.textContent = message ?? "";
  errorLine.hidden = message === null;
}

function withField(state: BenchState, row: number, name: FieldName, value: number | string): BenchState {
  if (name === "said-price") return withBid(state, state.market.workers[row]!.id, { price: value });
  if (name === "said-arrival") return withBid(state, state.market.workers[row]!.id, { arrival: value });
  return withWorker(state, row, { [name]: value });
}

const isRight = (field: HTMLElement): field is HTMLInputElement =>
  field instanceof HTMLInputElement && field.getAttribute("aria-invalid") !== "true";

const fullText = (input: HTMLElement): string => input.parentElement!.dataset.full!;

/** In full while somebody writes, and marked, so that what is typed takes its place. */
function showFull(field: HTMLElement): void {
  if (!isRight(field)) return;
  field.value = fullText(field);
  field.select();
}

function showShort(field: HTMLElement): void {
  if (isRight(field)) field.value = amountText(Number(fullText(field)));
}

/** Shows what everybody is and says; the chosen worker's row can be written in. */
export function showWorkers(state: BenchState, chosen: number | null): void {
  const { workers } = state.market;
  errorLine.hidden = true;
  if (rows.length !== workers.length) build(workers.length);
  for (const [k, worker] of workers.entries()) showWorker(rows[k]!, worker, state);
  edit(
    workers.findIndex(({ id }) => id === chosen),
    workers.length > 1,
  );
}

function showWorker({ row, cells }: TableRow, worker: Worker, state: BenchState): void {
  const bid = bidOf(state, worker);
  const { id, reputation, cost, arrival } = worker;
  row.dataset.id = String(id);
  const values = { id, reputation, cost, arrival, "said-price": bid.price, "said-arrival": bid.arrival };
  for (const name of fieldNames) showValue(cells[name], values[name], inputs[name]);
  cells["said-price"].classList.toggle("lie", bid.price !== cost);
  cells["said-arrival"].classList.toggle("lie", bid.arrival !== arrival);
}

function showValue(cell: HTMLElement, value: number, input: HTMLInputElement): void {
  const full = String(value);
  if (cell.dataset.full === full && !input.hasAttribute("aria-invalid")) return;
  cell.dataset.full = full;
  if (!cell.contains(input)) showText(cell);
  else if (document.activeElement !== input) {
    complain(input, null, errorLine);
    showShort(input);
  }
}

/** A cell of a row that is not being changed: a number, and for the id a button by which the keyboard gets there. */
function showText(cell: HTMLElement): void {
  const text = amountText(Number(cell.dataset.full));
  if (cell.dataset.field !== "id") cell.textContent = text;
  else
    cell.replaceChildren(element("button", { type: "button", "aria-label": `Change worker ${text}` }, text));
}

/** Moves the fields into a row; -1: into none. */
function edit(row: number, removable: boolean): void {
  const id = rows[row]?.row.dataset.id;
  if (row !== editing || !rows[row]?.row.contains(removeButton)) moveInputs(row);
  removeButton.disabled = !removable;
  removeButton.setAttribute("aria-label", `Remove worker ${id}`);
  for (const name of fieldNames) inputs[name].setAttribute("aria-label", labelOf(name, id));
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

const labelOf = (name: FieldName, id: string | undefined): string =>
  name.startsWith("said-")
    ? `${fieldLabels[name]} that worker ${id} says`
    : `${fieldLabels[name]} of worker ${id}`;

/** Shows what everybody gets. */
export function showOutcome(state: BenchState, { truth, said }: OutcomeAnswer): void {
  const { budget } = state.market.rules;
  const honest = new Map(truth.workers.map((record) => [record.id, record]));
  const got = new Map(said.workers.map((record) => [record.id, record]));
  for (const { row, results } of rows) {
    const id = Number(row.dataset.id);
    const record = got.get(id);
    if (!record) continue;
    const { selectedAt, rounds, payment, utility } = record;
    for (const [k, value] of [selectedAt, rounds, payment, utility].entries()) showNumber(results[k]!, value);
    showChange(results[4]!, changeOf(record, honest.get(id)!, budget));
  }
  find(".bench-workers .summary").textContent =
    `${runText(said)} Click what a worker is or says to change it.`;
}

type WorkerRecord = RunRecord["workers"][number];

const changeOf = (said: WorkerRecord, truth: WorkerRecord, budget: number): number =>
  difference(said.utility, truth.utility, budget);

function showNumber(cell: HTMLElement, value: number | null): void {
  const full = String(value);
  if (cell.dataset.value === full) return;
  cell.dataset.value = full;
  cell.textContent = value === null ? "never" : amountText(value);
}

function showChange(cell: HTMLElement, change: number): void {
  const text = change === 0 ? "" : `${change > 0 ? "+" : ""}${amountText(change)}`;
  if (cell.textContent === text) return;
  cell.textContent = text;
  cell.classList.toggle("more", change > 0);
  cell.classList.toggle("less", change < 0);
}

/** Shows what everybody could gain; who is not known yet is marked so. */
export function showGains(gains: ReadonlyMap<number, Gain>, known: (id: number) => boolean): void {
  for (const { row, gain } of rows) {
    const id = Number(row.dataset.id);
    const value = gains.get(id)?.gain;
    const text = value === undefined ? "…" : value > 0 ? amountText(value) : "nothing";
    if (gain.textContent !== text) gain.textContent = text;
    gain.classList.toggle("less", value !== undefined && value > 0);
    gain.classList.toggle("late", !known(id));
  }
}

function build(count: number): void {
  rows = Array.from({ length: count }, (_, k) => rowAt(k));
  editing = -1;
  const groups: readonly (readonly [string, number])[] = [
    ["is", 4],
    ["says", 2],
    ["gets", results.length],
    ["could", 1],
  ];
  const above = groups.map(([text, span]) =>
    element("th", { scope: "colgroup", colspan: String(span), class: "group" }, text),
  );
  const names = [...fieldNames.map((name) => fieldLabels[name]), ...results, "gain"];
  const heads = names.map((text) => element("th", { scope: "col", class: "number" }, text));
  const empty = () => element("td");
  const head = element(
    "thead",
    {},
    element("tr", {}, ...above, empty()),
    element("tr", {}, ...heads, empty()),
  );
  const body = element("tbody", {}, ...rows.map(({ row }) => row));
  place.replaceChildren(element("table", {}, columns(names), head, body));
}

const widths: Readonly<Record<string, string>> = {
  ...{ id: "short", arrival: "short", "in round": "short", rounds: "short" },
  reputation: "long",
};

const columns = (names: readonly string[]): HTMLElement =>
  element(
    "colgroup",
    {},
    ...names.map((name) => element("col", { class: widths[name] ?? "" })),
    element("col", { class: "end" }),
  );

function rowAt(k: number): TableRow {
  const cells = Object.fromEntries(
    fieldNames.map((name) => [name, element("td", { class: "number field", "data-field": name })]),
  ) as Record<FieldName, HTMLTableCellElement>;
  const got = results.map(() => element("td", { class: "number result" }));
  const [gain, end] = [element("td", { class: "number result" }), element("td")];
  const all = [...fieldNames.map((name) => cells[name]), ...got, gain, end];
  return { row: element("tr", { "data-row": String(k) }, ...all), cells, results: got, gain, end };
}
