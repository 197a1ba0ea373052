/** The table of all workers: what they are and say can be written in it, what they get is shown. */

import { difference } from "../../../lib/tolerance.js";
import type { Worker } from "../../../market/market.js";
import type { RunRecord } from "../../../mechanisms/outcome.js";
import { amountText } from "../../tables.js";
import { element, find } from "../dom.js";
import type { Gain, OutcomeAnswer } from "./answers.js";
import { complain, control, onWritten, written } from "./fields.js";
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
  readonly inputs: Readonly<Record<FieldName, HTMLInputElement>>;
  readonly results: readonly HTMLTableCellElement[];
  readonly gain: HTMLTableCellElement;
  readonly remove: HTMLButtonElement;
}

let rows: TableRow[] = [];

/** Changes the state, or says beside a field why not. */
export type Change = (
  make: (state: BenchState) => BenchState,
  failed: (message: string | null) => void,
) => void;

export interface TableEvents {
  readonly change: Change;
  /** A row was clicked. */
  choose(row: number): void;
}

export function startTable({ change, choose }: TableEvents): void {
  onWritten(place, (input, settled) => {
    const row = Number(input.dataset.row);
    const name = input.dataset.field as FieldName | undefined;
    if (name === undefined) return;
    change(
      (state) => withField(state, row, name, written(input)),
      (message) => {
        if (message === null || settled) complain(input, message, errorLine);
      },
    );
  });
  place.addEventListener("focusin", ({ target }) => showFull(target as HTMLInputElement));
  place.addEventListener("focusout", ({ target }) => showShort(target as HTMLInputElement));
  place.addEventListener("click", ({ target }) => {
    const button = (target as Element).closest<HTMLElement>("button[data-row]");
    const row = (target as Element).closest<HTMLElement>("tr[data-row]");
    if (button) remove(Number(button.dataset.row), change);
    else if (row) choose(Number(row.dataset.row));
  });
  control("add").addEventListener("click", () => {
    change(withNewWorker, (message) => complainOfRows(message));
    rows.at(-1)?.inputs.reputation.focus();
  });
}

function remove(row: number, change: Change): void {
  change((state) => withoutWorker(state, row), complainOfRows);
  rows[Math.min(row, rows.length - 1)]?.remove.focus();
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

const isRight = (input: HTMLInputElement): boolean =>
  input.dataset.full !== undefined && input.getAttribute("aria-invalid") !== "true";

/** In full while somebody writes, and marked, so that what is typed takes its place. */
function showFull(input: HTMLInputElement): void {
  if (!isRight(input)) return;
  input.value = input.dataset.full!;
  input.select();
}

function showShort(input: HTMLInputElement): void {
  if (isRight(input)) input.value = amountText(Number(input.dataset.full));
}

/** Shows what everybody is and says. */
export function showWorkers(state: BenchState, chosen: number | null): void {
  const { workers } = state.market;
  errorLine.hidden = true;
  if (rows.length !== workers.length) build(workers.length);
  for (const [k, worker] of workers.entries()) showWorker(rows[k]!, worker, state, chosen);
}

function showWorker(
  { row, inputs, remove }: TableRow,
  worker: Worker,
  state: BenchState,
  chosen: number | null,
): void {
  const bid = bidOf(state, worker);
  const { id } = worker;
  const values: Record<FieldName, number> = {
    ...{ id, reputation: worker.reputation, cost: worker.cost, arrival: worker.arrival },
    ...{ "said-price": bid.price, "said-arrival": bid.arrival },
  };
  for (const name of fieldNames) showValue(inputs[name], values[name]);
  if (row.dataset.id !== String(id)) {
    row.dataset.id = String(id);
    for (const name of fieldNames) inputs[name].setAttribute("aria-label", labelOf(name, id));
    remove.setAttribute("aria-label", `Remove worker ${id}`);
  }
  inputs["said-price"].classList.toggle("lie", bid.price !== worker.cost);
  inputs["said-arrival"].classList.toggle("lie", bid.arrival !== worker.arrival);
  row.classList.toggle("chosen", id === chosen);
  remove.disabled = state.market.workers.length === 1;
}

const labelOf = (name: FieldName, id: number): string =>
  name.startsWith("said-")
    ? `${fieldLabels[name]} that worker ${id} says`
    : `${fieldLabels[name]} of worker ${id}`;

function showValue(input: HTMLInputElement, value: number): void {
  const full = String(value);
  if (input.dataset.full === full && input.getAttribute("aria-invalid") !== "true") return;
  input.dataset.full = full;
  if (document.activeElement === input) return;
  input.value = amountText(value);
  complain(input, null, errorLine);
}

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
    `${runText(said)} All that workers are and say can be changed here.`;
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
  cell.className = change === 0 ? "number" : `number ${change > 0 ? "more" : "less"}`;
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
    element("col", { class: "remove" }),
  );

function rowAt(k: number): TableRow {
  const inputs = Object.fromEntries(
    fieldNames.map((name) => {
      const mode = name === "id" || name.endsWith("arrival") ? "numeric" : "decimal";
      const data = { "data-row": String(k), "data-field": name };
      return [name, element("input", { type: "text", inputmode: mode, autocomplete: "off", ...data })];
    }),
  ) as Record<FieldName, HTMLInputElement>;
  const cells = results.map(() => element("td", { class: "number" }));
  const gain = element("td", { class: "number" });
  const remove = element("button", { type: "button", "data-row": String(k), class: "remove" }, "×");
  const row = element(
    "tr",
    { "data-row": String(k) },
    ...fieldNames.map((name) => element("td", {}, inputs[name])),
    ...cells,
    gain,
    element("td", {}, remove),
  );
  return { row, inputs, results: cells, gain, remove };
}
