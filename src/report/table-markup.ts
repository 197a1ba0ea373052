/** A table's place in the page; the rows are put in by the page itself, from the one copy of the data. */

import { html, type Markup } from "./markup.js";
import type { Table } from "./result.js";

/** A table that is always open. */
export const tableBox = (analysis: string, { name, title }: Table): Markup =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${title}" data-analysis="${analysis}" data-table="${name}"></div>`;

/** A table to be opened, with its downloads. */
export function foldedTable(analysis: string, table: Table): Markup {
  const { name, title, rows } = table;
  const size = `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
  return html`<details class="table">
<summary>${title} <span class="size">${size}</span></summary>
${tableBox(analysis, table)}
<p class="downloads"><button type="button" data-csv="${name}" data-of="${analysis}">CSV</button>
<button type="button" data-json="${name}" data-of="${analysis}">JSON</button></p>
</details>`;
}
