/** The data of the page, as it was embedded. */

import type { PageChart, Payload } from "../charts.js";
import { type Exhibit, type Table, unpackTable } from "../result.js";
import { find } from "./dom.js";

export interface Content {
  readonly name: string;
  readonly tables: ReadonlyMap<string, Table>;
  readonly charts: ReadonlyMap<string, PageChart>;
  readonly exhibits: ReadonlyMap<string, Exhibit>;
  readonly earlier: ReadonlyMap<string, Table>;
}

const payload: Payload = JSON.parse(find("#payload").textContent ?? "");

const byName = <Kind extends { readonly name: string }>(items: readonly Kind[]): Map<string, Kind> =>
  new Map(items.map((item) => [item.name, item]));

export const contents: ReadonlyMap<string, Content> = byName(
  payload.sections.map(({ name, tables, charts, exhibits, earlier }) => ({
    name,
    tables: byName(tables.map(unpackTable)),
    charts: byName(charts),
    exhibits: byName(exhibits),
    earlier: byName(earlier.map(unpackTable)),
  })),
);

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
