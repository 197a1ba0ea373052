/** Two runs compared: which cells of which tables changed, and the section that lists them. */

import { html, type Markup, placeId } from "./markup.js";
import {
  type Cell,
  type Column,
  cellText,
  type ReportData,
  type Row,
  type Table,
  tablesOf,
} from "./result.js";

/** What changed in the tables that both runs have, and those that only one of them has, as analysis/table. */
export function compareRuns(before: ReportData, after: ReportData) {
  const [old, now] = [byPath(before), byPath(after)];
  const shared = [...now].filter(([path]) => old.has(path));
  return {
    tables: shared.map(([path, { analysis, table }]) => ({
      analysis,
      table: table.name,
      ...compareTables(old.get(path)!.table, table),
    })),
    added: [...now.keys()].filter((path) => !old.has(path)),
    gone: [...old.keys()].filter((path) => !now.has(path)),
  };
}

type TableChanges = ReturnType<typeof compareRuns>["tables"][number];
type Change = TableChanges["changes"][number];

const byPath = (data: ReportData) =>
  new Map(tablesOf(data).map((found) => [`${found.analysis}/${found.table.name}`, found]));

/** Keys are the columns that tell rows apart, null where nothing does and rows are compared by their place; the largest changes come first. */
function compareTables(before: Table, after: Table) {
  const keys = keysOf(before, after);
  const nameOf = (row: Row, place: number) =>
    keys === null ? `row ${place + 1}` : JSON.stringify(keys.map(({ name }) => row[name] ?? null));
  const old = new Map(before.rows.map((row, place) => [nameOf(row, place), row]));
  const named = after.rows.map((row, place) => [nameOf(row, place), row] as const);
  const pairs = named.flatMap(([name, row]) => (old.has(name) ? [{ name, row, was: old.get(name)! }] : []));
  const values = after.columns.filter((column) => !keys?.includes(column));
  const changes = pairs.flatMap(({ name, row, was }) =>
    values
      .map((column) => ({ column, before: was[column.name] ?? null, after: row[column.name] ?? null }))
      .filter((change) => change.before !== change.after)
      .map((change) => ({ row: keys === null ? name : keyText(row, keys), ...change })),
  );
  return {
    keys: keys?.map(({ name }) => name) ?? null,
    compared: pairs.length,
    added: after.rows.length - pairs.length,
    gone: before.rows.length - pairs.length,
    changes: changes.sort((a, b) => extent(b) - extent(a)),
  };
}

const keyText = (row: Row, keys: readonly Column[]): string =>
  keys.map(({ name, label, kind }) => `${label} ${cellText(row[name], kind)}`).join(", ");

/** Tables name their rows first: the fewest leading columns that tell the rows of both runs apart. */
function keysOf(before: Table, after: Table): readonly Column[] | null {
  for (let count = 1; count < after.columns.length; count++) {
    const keys = after.columns.slice(0, count);
    if ([before, after].every(({ rows }) => tellApart(rows, keys))) return keys;
  }
  return null;
}

const tellApart = (rows: readonly Row[], keys: readonly Column[]): boolean =>
  new Set(rows.map((row) => JSON.stringify(keys.map(({ name }) => row[name] ?? null)))).size === rows.length;

/** Relative for numbers; anything else that changed comes first. */
function extent({ before, after }: Record<"before" | "after", Cell>): number {
  if (typeof before !== "number" || typeof after !== "number") return Number.POSITIVE_INFINITY;
  return Math.abs(after - before) / Math.max(Math.abs(before), Math.abs(after));
}

/** More changes than this are counted, not listed. */
const LISTED = 25;

/** The section that says what changed since an earlier run. */
export function differenceMarkup(earlier: ReportData, data: ReportData): Markup {
  const { tables, added, gone } = compareRuns(earlier, data);
  const changed = tables.filter((table) => table.changes.length + table.added + table.gone > 0);
  const same = tables.length - changed.length;
  return html`<section id="${placeId("_changes")}" class="analysis" aria-labelledby="changes-title">
<h2 id="changes-title">What changed since the earlier run</h2>
<p>Earlier: ${runText(earlier)}. Now: ${runText(data)}. ${changed.length} of ${tables.length} tables that both have
changed${same > 0 ? `, ${same} did not` : ""}. Charts whose data changed can be switched to the earlier run.</p>
${listed("Only in this run", added)}${listed("Only in the earlier run", gone)}
${changed.map(tableChangesMarkup)}
</section>`;
}

const runText = ({ candor, seed, profile, mechanism }: ReportData): string =>
  `candor ${candor}, mechanism ${mechanism}, ${profile} profile, seed ${seed}`;

const listed = (title: string, paths: readonly string[]): Markup | null =>
  paths.length === 0 ? null : html`<p>${title}: ${paths.join(", ")}.</p>`;

function tableChangesMarkup({ analysis, table, compared, added, gone, changes, keys }: TableChanges): Markup {
  const counts = [
    `${changes.length} changed cells in ${compared} rows that both have`,
    ...(added > 0 ? [`${added} new rows`] : []),
    ...(gone > 0 ? [`${gone} rows gone`] : []),
    ...(keys === null ? ["rows compared by their place"] : []),
  ];
  return html`<details class="table"><summary>${analysis}: ${table} <span class="size">${counts.join("; ")}</span></summary>
<div class="scroll" tabindex="0" role="region" aria-label="Changes in ${analysis}, ${table}"><table>
<thead><tr><th>row</th><th>column</th><th class="number">before</th><th class="number">now</th><th class="number">change</th></tr></thead>
<tbody>${changes.slice(0, LISTED).map(changeMarkup)}</tbody></table></div>
${changes.length > LISTED ? html`<p class="size">The ${LISTED} largest of ${changes.length}.</p>` : null}</details>`;
}

function changeMarkup({ row, column, before, after }: Change): Markup {
  const { kind, label } = column;
  const change = typeof before === "number" && typeof after === "number" ? after - before : null;
  const sign = change !== null && change > 0 ? "+" : "";
  return html`<tr><td>${row}</td><td>${label}</td><td class="number">${cellText(before, kind)}</td>
<td class="number">${cellText(after, kind)}</td><td class="number">${sign}${cellText(change, kind)}</td></tr>`;
}
