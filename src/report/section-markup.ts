/** The section of an analysis: findings, charts, exhibits, tables, methods. */

import type { Section } from "./data.js";
import { exhibitLink, html, type Markup, placeId, prose } from "./markup.js";
import type { AnalysisResult, Chart, Exhibit, Finding, Table } from "./result.js";

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
  { findings, charts, tables, exhibits = [], methods }: AnalysisResult,
): Markup {
  return html`${findingsMarkup(findings)}
${charts.map((chart) => figureMarkup(name, chart))}
${exhibits.length === 0 ? null : exhibitsMarkup(name, exhibits)}
${tables.map((table) => foldedTable(name, table))}
${methods.length === 0 ? null : methodsMarkup(methods)}`;
}

export const heaviestFirst = <F extends Finding>(findings: readonly F[]): F[] =>
  [...findings].sort((a, b) => b.weight - a.weight);

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
    (exhibit) => html`<li><a href="${exhibitLink(name, exhibit.name)}">${exhibit.title}</a></li>`,
  );
  return html`<details class="exhibits"${items.length <= 4 ? html` open` : null}>
<summary>Replay it on the live bench <span class="size">${items.length}</span></summary><ul>${items}</ul></details>`;
}

const methodsMarkup = (methods: readonly string[]): Markup =>
  html`<div class="methods"><b>Methods.</b> <ul>${methods.map((text) => html`<li>${text}</li>`)}</ul></div>`;

/** A chart's place in the page; `prefix` keeps ids apart where a chart is shown twice. */
export function figureMarkup(analysis: string, chart: Chart, prefix = ""): Markup {
  const id = `${prefix}${analysis}--${chart.name}`;
  const summary = typeof chart.summary === "string" ? chart.summary : (chart.summary[0]?.text ?? "");
  return html`<figure class="chart" aria-labelledby="${id}-title">
<h3 id="${id}-title">${chart.title}</h3>
<div class="drawing" data-analysis="${analysis}" data-chart="${chart.name}" role="img" aria-label="${summary}"></div>
<figcaption><p class="summary">${prose(summary)}</p>
<p class="reading"><b>How to read it.</b> ${prose(chart.howToRead)}</p>
<p class="downloads"><button type="button" data-svg="${chart.name}" data-of="${analysis}">SVG</button></p></figcaption>
</figure>`;
}

/** A table that is always open; the page itself puts its rows in, from the one copy of the data. */
export const tableBox = (analysis: string, { name, title }: Table): Markup =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${title}" data-analysis="${analysis}" data-table="${name}"></div>`;

/** A table to be opened, with its downloads. */
function foldedTable(analysis: string, table: Table): Markup {
  const { name, title, rows } = table;
  const size = `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
  return html`<details class="table">
<summary>${title} <span class="size">${size}</span></summary>
${tableBox(analysis, table)}
<p class="downloads"><button type="button" data-csv="${name}" data-of="${analysis}">CSV</button>
<button type="button" data-json="${name}" data-of="${analysis}">JSON</button></p>
</details>`;
}
