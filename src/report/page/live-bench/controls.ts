/** The controls above the live bench's pictures: which market, under which rules, and what one worker says. */

import { writtenNumber } from "../../../lib/format.js";
import { costOnOffer } from "../../../market/draw.js";
import type { Market, Worker } from "../../../market/market.js";
import { amountText } from "../../result.js";
import { go } from "../choices.js";
import { element, find } from "../dom.js";
import type { Gain } from "./answers.js";
import { DRAWN, OWN } from "./link.js";
import { type BenchState, bidOf, PASTED, rules, withBid, withDraw, withRule, withText } from "./state.js";

type Field = HTMLInputElement | HTMLSelectElement;

export const section = find(".bench");

/** A control of the bench. */
export const control = <Kind extends HTMLElement = HTMLInputElement>(name: string): Kind =>
  find<Kind>(`[name="${name}"]`, section);

/** What a field says: a number where it is one. */
export const written = (field: Field): number | string => writtenNumber(field.value);

/** Says in a line what is wrong; null: nothing is. */
export function sayIn(line: HTMLElement, message: string | null): void {
  line.textContent = message ?? "";
  line.hidden = message === null;
}

/** Says what is wrong with a field, in a line of its own or in one that is there for all fields of a table; null: nothing is. */
export function complain(
  field: Field | HTMLTextAreaElement,
  message: string | null,
  line = lineOf(field),
): void {
  sayIn(line, message);
  for (const [name, value] of Object.entries({ "aria-invalid": "true", "aria-describedby": line.id }))
    if (message === null) field.removeAttribute(name);
    else field.setAttribute(name, value);
}

function lineOf(field: HTMLElement): HTMLElement {
  const id = `bench-bad-${field.getAttribute("name")}`;
  const known = document.getElementById(id);
  if (known) return known;
  const line = element("span", { class: "bad", id, role: "alert" });
  const place = field.closest(".slide") ?? field.closest("label") ?? field;
  place.after(line);
  return line;
}

/** Puts a value into a field, unless somebody is writing there; what was wrong there is forgotten. */
function show(field: Field, value: string): void {
  if (document.activeElement === field) return;
  if (field.value !== value) field.value = value;
  if (field.hasAttribute("aria-invalid")) complain(field, null);
}

/** Changes the state, or says beside a field why not. */
export type Change = (
  make: (state: BenchState) => BenchState,
  failed?: (message: string | null) => void,
) => void;

/** Changes the state with every value that a reader writes; what is wrong is shown once the field is left or Enter is pressed. */
export function onWritten(
  place: HTMLElement,
  change: Change,
  { make, line }: { make(state: BenchState, input: HTMLInputElement): BenchState; line?: HTMLElement },
): void {
  for (const event of ["input", "change"])
    place.addEventListener(event, ({ target }) => {
      const input = target as HTMLInputElement;
      change(
        (state) => make(state, input),
        (message) => {
          if (message === null || event === "change") complain(input, message, line);
        },
      );
    });
}

/** Whether the page has a mechanism: one of the reader's own stands in the list only because markets were examined under it. */
export const canRun = (mechanism: string): boolean =>
  ![...control<HTMLSelectElement>("auction").options].some(
    ({ value, dataset }) => value === mechanism && dataset.own !== undefined,
  );

interface ControlEvents {
  readonly change: Change;
  /** Whose bid is on the sliders now. */
  chosen(): number;
  choose(worker: number): void;
  /** Puts the best lie of that worker on the sliders. */
  lieBest(): void;
}

export function startControls(events: ControlEvents): void {
  const { change, chosen } = events;
  type Make = (state: BenchState, value: number | string) => BenchState;
  const field = (name: string, make: Make) =>
    onWritten(control(name), change, { make: (state, input) => make(state, written(input)) });
  const slider = (name: string, make: Make) =>
    control(`${name}-slider`).addEventListener("input", ({ target }) => {
      const value = Number(Number((target as HTMLInputElement).value).toPrecision(4));
      change(
        (state) => make(state, value),
        (message) => complain(control(name), message),
      );
    });
  for (const [rule, name] of rules) {
    const make: Make = (state, value) => withRule(state, rule, value);
    field(name, make);
    if (rule === "budget" || rule === "firstRoundRatio") slider(name, make);
  }
  for (const name of ["price", "arrival"])
    for (const start of [field, slider])
      start(name, (state, value) => withBid(state, chosen(), { [name]: value }));
  field("workers", (state, workers) => withDraw(state, { workers, seed: control("seed").value }));
  field("seed", (state, seed) =>
    withDraw(state, { workers: written(control("workers")), seed: String(seed) }),
  );
  field("auction", (state, mechanism) => ({ ...state, mechanism: String(mechanism) }));
  startMarkets(change);
  startBids(events);
  find("form", section).addEventListener("submit", (event) => event.preventDefault());
}

function startBids({ change, chosen, choose, lieBest }: ControlEvents): void {
  const worker = control<HTMLSelectElement>("worker");
  worker.addEventListener("change", () => choose(Number(worker.value)));
  control("best").addEventListener("click", lieBest);
  control("truth").addEventListener("click", () =>
    change((state) => ({ ...state, bids: state.bids.filter((bid) => bid.worker !== chosen()) })),
  );
  control("honest").addEventListener("click", () => change((state) => ({ ...state, bids: [] })));
}

/** Another market: one of the report, one that is drawn, one that is pasted or a file. */
function startMarkets(change: Change): void {
  const exhibit = control<HTMLSelectElement>("exhibit");
  const text = control<HTMLTextAreaElement>("text");
  const file = control("file");
  exhibit.addEventListener("change", () => {
    if (exhibit.value !== OWN) return go({ exhibit: exhibit.value, at: null });
    change((state) => ({ ...state, origin: { kind: "own" } }));
  });
  const take = (written: string, source: string) =>
    change(
      (state) => withText(state, written, source),
      (message) => {
        if (message !== null) find<HTMLDetailsElement>(".bench-text").open = true;
        complain(text, message);
      },
    );
  const takeFile = async (given: File | null | undefined) => {
    if (given) take(await given.text(), given.name);
  };
  control("use").addEventListener("click", () => take(text.value, PASTED));
  file.addEventListener("change", () => void takeFile(file.files?.[0]));
  section.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  section.addEventListener("drop", (event) => {
    const given = event.dataTransfer?.files[0];
    if (!given) return;
    event.preventDefault();
    void takeFile(given);
  });
}

/** Shows the market's origin and rules, and the bid on the sliders. */
export function showControls(state: BenchState, worker: Worker | undefined): void {
  const { origin, market } = state;
  const exhibit = control<HTMLSelectElement>("exhibit");
  exhibit.value = origin.kind === "exhibit" ? origin.path : origin.kind === "own" ? OWN : DRAWN;
  for (const name of ["workers", "seed"] as const) {
    control(name).closest("label")!.hidden = origin.kind !== "drawn";
    if (origin.kind === "drawn") show(control(name), String(origin[name]));
  }
  for (const [rule, name] of rules) show(control(name), String(market.rules[rule]));
  showMechanism(state.mechanism);
  budgetSlider(market);
  control("ratio-slider").value = String(market.rules.firstRoundRatio);
  if (worker) showBid(state, worker);
}

/** A link may name a variant that the list does not have. */
function showMechanism(name: string): void {
  const picked = control<HTMLSelectElement>("auction");
  if (![...picked.options].some(({ value }) => value === name)) picked.append(element("option", {}, name));
  picked.value = name;
}

let budgetsOf = Number.NaN;

/** Up to twice what all rounds on offer cost. The end stays while the budget moves. */
function budgetSlider(market: Market): void {
  const slider = control("budget-slider");
  const { budget } = market.rules;
  const cost = costOnOffer(market);
  if (cost !== budgetsOf || budget > Number(slider.max))
    slider.max = String(Math.max(2 * cost, 1.5 * budget) || 1);
  budgetsOf = cost;
  slider.value = String(budget);
}

function showBid(state: BenchState, worker: Worker): void {
  const { rounds } = state.market.rules;
  const bid = bidOf(state, worker);
  const [price, arrival] = [control("price-slider"), control("arrival-slider")];
  if (bid.price > Number(price.max)) price.max = String(bid.price);
  price.value = String(bid.price);
  arrival.min = String(worker.arrival);
  arrival.max = String(rounds);
  arrival.step = "1";
  arrival.value = String(bid.arrival);
  for (const field of [arrival, control("arrival")]) field.disabled = worker.arrival === rounds;
  show(control("price"), String(bid.price));
  show(control("arrival"), String(bid.arrival));
  find('label[for="bench-price"]', section).textContent = `Price it says (cost ${amountText(worker.cost)})`;
  find('label[for="bench-arrival"]', section).textContent = `Arrival it says (truly ${worker.arrival})`;
}

/** The price slider goes a little beyond the last price that matters. */
export function showPriceLimit(limit: number, price: number): void {
  control("price-slider").max = String(Math.max(limit, price));
  control("price-slider").value = String(price);
}

let choicesOf: readonly Worker[] | null = null;

/** Everybody to choose from; once it is known, with what they can gain. */
export function showChoices(
  { market }: BenchState,
  chosen: number,
  gains: ReadonlyMap<number, Gain> | null = null,
): void {
  const picked = control<HTMLSelectElement>("worker");
  if (gains || market.workers !== choicesOf) {
    const texts = market.workers.map((worker) => choiceText(worker, gains?.get(worker.id)?.gain ?? 0));
    while (picked.options.length > texts.length) picked.options[texts.length]!.remove();
    while (picked.options.length < texts.length) picked.append(element("option"));
    for (const [k, { id }] of market.workers.entries()) {
      const option = picked.options[k]!;
      if (option.text !== texts[k]) option.text = texts[k]!;
      option.value = String(id);
    }
  }
  choicesOf = market.workers;
  picked.value = String(chosen);
}

function choiceText({ id, reputation, cost, arrival }: Worker, gain: number): string {
  const type = `reputation ${amountText(reputation)}, cost ${amountText(cost)}, arrival ${arrival}`;
  return `${id}: ${type}${gain > 0 ? ` – can gain ${amountText(gain)}` : ""}`;
}
