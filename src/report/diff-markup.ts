/** What changed since an earlier run. */

import { cellText } from "./cells.js";
import type { ReportData } from "./data.js";
import { type Change, compareRuns, type TableChanges } from "./diff.js";
import { html, type Markup, placeId } from "./markup.js";

/** More changes than this are counted, not listed. */
const LISTED = 25;

export function differenceMarkup(earlier: ReportData, data: ReportData): Markup {
  const { tables, added, gone } = compareRuns(earlier, data);
  const changed = tables.filter((table) => table.changes.length + table.added + table.gone > 0);
  const same = tables.length - changed.length;
  return html`<section id="${placeId("_changes")}" class="analysis" aria-labelledby="changes-title">
<h2 id="changes-title">What changed since the earlier run</h2>
<p>Earlier: ${runText(earlier)}. Now: ${runText(data)}. ${changed.length} of ${tables.length} tables that both have
changed${same > 0 ? `, ${same} did not` : ""}. Charts whose data changed can be switched to the earlier run.</p>
${listed("Only in this run", added)}${listed("Only in the earlier run", gone)}
${changed.map(tableMarkup)}
</section>`;
}

const runText = ({ candor, seed, profile, mechanism }: ReportData): string =>
  `candor ${candor}, mechanism ${mechanism}, ${profile} profile, seed ${seed}`;

const listed = (title: string, paths: readonly string[]): Markup | null =>
  paths.length === 0 ? null : html`<p>${title}: ${paths.join(", ")}.</p>`;

function tableMarkup({ analysis, table, compared, added, gone, changes, keys }: TableChanges): Markup {
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
