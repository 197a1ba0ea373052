/** Fields of the live bench: a wrong value is said beside the field, and what was there before stays in force. */

import { writtenNumber } from "../../../lib/format.js";
import { element, find } from "../dom.js";

export type Field = HTMLInputElement | HTMLSelectElement;

export const section = find(".bench");

/** A control of the bench. */
export const control = <Kind extends HTMLElement = HTMLInputElement>(name: string): Kind =>
  find<Kind>(`[name="${name}"]`, section);

/** What a field says: a number where it is one. */
export const written = (field: Field): number | string => writtenNumber(field.value);

/** Says what is wrong with a field, in a line of its own or in one that is there for all fields of a table; null: nothing is. */
export function complain(
  field: Field | HTMLTextAreaElement,
  message: string | null,
  line = lineOf(field),
): void {
  line.textContent = message ?? "";
  line.hidden = message === null;
  if (message === null) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
    return;
  }
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", line.id);
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
export function show(field: Field, value: string): void {
  if (document.activeElement === field) return;
  if (field.value !== value) field.value = value;
  if (field.hasAttribute("aria-invalid")) complain(field, null);
}

/** Calls back with every value that a reader writes; `settled` once the field is left or Enter is pressed. */
export function onWritten(
  field: HTMLElement,
  act: (target: HTMLInputElement, settled: boolean) => void,
): void {
  field.addEventListener("input", ({ target }) => act(target as HTMLInputElement, false));
  field.addEventListener("change", ({ target }) => act(target as HTMLInputElement, true));
}
