/** The document: its elements, whose content goes in as text, and the data that is embedded in it. */

import type { Payload } from "../charts.js";
import { type Exhibit, unpackTable } from "../result.js";

type Child = Node | string;

/** A new element with attributes and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A table of rows of headings and rows of cells. */
export const tableElement = (head: readonly HTMLElement[], body: readonly HTMLElement[]): HTMLElement =>
  element("table", {}, element("thead", {}, ...head), element("tbody", {}, ...body));

/** The element a selector finds; the page was made with it in place. */
export function find<Kind extends Element = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): Kind {
  const found = within.querySelector<Kind>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

export const findAll = <Kind extends Element = HTMLElement>(selector: string): Kind[] => [
  ...document.querySelectorAll<Kind>(selector),
];

/** Hands the reader a file. */
export function offerFile(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const payload: Payload = JSON.parse(find("#payload").textContent ?? "");

const byName = <Kind extends { readonly name: string }>(items: readonly Kind[]): ReadonlyMap<string, Kind> =>
  new Map(items.map((item) => [item.name, item]));

export const contents = byName(
  payload.sections.map(({ name, tables, charts, exhibits, earlier }) => ({
    name,
    tables: byName(tables.map(unpackTable)),
    charts: byName(charts),
    exhibits: byName(exhibits),
    earlier: byName(earlier.map(unpackTable)),
  })),
);

export type Content = typeof contents extends ReadonlyMap<string, infer One> ? One : never;

/** The analysis an element belongs to. */
export const contentOf = (place: HTMLElement): Content =>
  contents.get(place.dataset.analysis ?? place.dataset.of ?? "")!;

/** The exhibit that one of a row's cells names, if any. */
export function exhibitIn(content: Content, row: Readonly<Record<string, unknown>>): Exhibit | undefined {
  for (const value of Object.values(row)) {
    const exhibit = typeof value === "string" ? content.exhibits.get(value) : undefined;
    if (exhibit) return exhibit;
  }
  return undefined;
}
