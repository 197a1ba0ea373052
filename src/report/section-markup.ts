/** One section for one analysis. */

import { figureMarkup } from "./chart-markup.js";
import type { Section } from "./data.js";
import { heaviestFirst } from "./first-screen.js";
import { html, type Markup, placeId, prose } from "./markup.js";
import type { AnalysisResult, Exhibit, Finding } from "./result.js";
import { foldedTable } from "./table-markup.js";

export function sectionMarkup({ name, question, state, error, result }: Section): Markup {
  return html`<section id="${placeId(name)}" class="analysis" aria-labelledby="${placeId(name)}-question">
<p class="kicker">${name}</p>
<h2 id="${placeId(name)}-question">${question}</h2>
${state === "failed" ? html`<p class="failed" role="alert"><b>This analysis failed:</b> ${error}</p>` : null}
${state === "interrupted" ? html`<p class="failed" role="alert">This analysis was interrupted before it was done.</p>` : null}
${result === null ? null : resultMarkup(name, result)}
</section>`;
}

function resultMarkup(
  name: string,
  { findings, charts, tables, exhibits = [], leftOut }: AnalysisResult,
): Markup {
  return html`${findingsMarkup(findings)}
${charts.map((chart) => figureMarkup(name, chart))}
${exhibits.length === 0 ? null : exhibitsMarkup(name, exhibits)}
${tables.map((table) => foldedTable(name, table))}
${leftOut.length === 0 ? null : leftOutMarkup(leftOut)}`;
}

/** More findings than this are folded away. */
const OPEN = 5;

function findingsMarkup(findings: readonly Finding[]): Markup | null {
  const sentences = heaviestFirst(findings).map(({ text }) => html`<li>${prose(text)}</li>`);
  if (sentences.length === 0) return null;
  const [open, folded] =
    sentences.length <= OPEN + 1 ? [sentences, []] : [sentences.slice(0, OPEN), sentences.slice(OPEN)];
  const more = html`<details><summary>${folded.length} more findings</summary><ul class="findings">${folded}</ul></details>`;
  return html`<ul class="findings">${open}</ul>${folded.length === 0 ? null : more}`;
}

function exhibitsMarkup(name: string, exhibits: readonly Exhibit[]): Markup {
  const items = exhibits.map(
    (exhibit) => html`<li><a href="${exhibitLink(name, exhibit)}">${exhibit.title}</a></li>`,
  );
  return html`<details class="exhibits"${items.length <= 4 ? html` open` : null}>
<summary>Replay it on the live bench <span class="size">${items.length}</span></summary><ul>${items}</ul></details>`;
}

/** The address within the page that opens an exhibit on the bench. */
export const exhibitLink = (analysis: string, { name }: Pick<Exhibit, "name">): string =>
  `#${new URLSearchParams({ at: "_bench", exhibit: `${analysis}/${name}` })}`;

const leftOutMarkup = (leftOut: readonly string[]): Markup =>
  html`<div class="left-out"><b>Left out.</b> <ul>${leftOut.map((text) => html`<li>${text}</li>`)}</ul></div>`;
