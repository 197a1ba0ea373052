/** The bar that stays at the top: what is chosen for all charts, and the theme. */

import { type ReportData, tablesOf } from "./data.js";
import { ALL, choicesIn, facets } from "./facets.js";
import { html, linkTo, type Markup } from "./markup.js";

export function toolbarMarkup(data: ReportData): Markup {
  const choices = choicesIn(tablesOf(data).map(({ table }) => table));
  const pickers = [...choices].map(
    ([facet, words]) => html`<label class="facet">${facets[facet]}
<select data-facet="${facet}"><option value="">${ALL}</option>
${words.map((word) => html`<option>${word}</option>`)}</select></label>`,
  );
  return html`<div class="toolbar" role="toolbar" aria-label="Choices for all charts">
${pickers.length === 0 ? null : pickers}
<button type="button" id="reset" hidden>Show all</button>
<span class="gap"></span>
<a href="${linkTo("_bench")}">Live bench</a>
<button type="button" id="theme" aria-label="Switch between light and dark">Dark</button>
</div>`;
}
