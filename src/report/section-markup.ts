/** The section of an analysis: findings, numbered figures, exhibits, tables, methods. */

import { exhibitLink, html, type Markup, mentioned, placeId, unbroken } from "./markup.js";
import type { AnalysisResult, Chart, Column, Exhibit, Finding, Row, Section, Table } from "./result.js";
import { cellText, openingOf, shownColumns, summaryOf, witnessColumn } from "./tables.js";

/** Numbers the figures of a report in the order in which they are asked for; null for the one that the first screen has shown. */
export type FigureNumber = (chart: Chart) => number | null;

export function sectionMarkup(section: Section, numberOf: FigureNumber): Markup {
  const { name, question, state, error, result } = section;
  return html`<section id="${placeId(name)}" class="analysis" tabindex="-1" aria-labelledby="${placeId(name)}-question">
<p class="kicker">${name}</p>
<h3 id="${placeId(name)}-question" class="question">${question}</h3>
${state === "failed" ? html`<p class="failed" role="alert"><b>This analysis failed:</b> ${error}</p>` : null}
${state === "interrupted" ? html`<p class="failed" role="alert">This analysis was interrupted before it was done.</p>` : null}
${result === null ? null : resultMarkup(name, result, numberOf)}
</section>`;
}

function resultMarkup(
  name: string,
  { findings, charts, tables, exhibits = [], methods }: AnalysisResult,
  numberOf: FigureNumber,
): Markup {
  const figures = charts.flatMap((chart) => {
    const number = numberOf(chart);
    return number === null ? [] : [figureMarkup(name, chart, { number })];
  });
  const said = findingsMarkup(findings);
  const single = figures.length === 1;
  return html`${single ? null : said}
<div class="figures${single ? " single" : ""}">${single ? said : null}${figures}<div class="evidence">
${exhibits.length === 0 ? null : exhibitsMarkup(name, exhibits)}
${tables.map((table) => foldedTable(name, table))}
${methods.length === 0 ? null : methodsMarkup(methods)}
</div></div>`;
}

export const heaviestFirst = <F extends Finding>(findings: readonly F[]): F[] =>
  [...findings].sort((a, b) => b.weight - a.weight);

/** More findings than this are folded away. */
const OPEN = 5;

function findingsMarkup(findings: readonly Finding[]): Markup | null {
  const sentences = heaviestFirst(findings).map(({ text }) => html`<li>${mentioned(text)}</li>`);
  if (sentences.length === 0) return null;
  const [open, folded] =
    sentences.length <= OPEN + 1 ? [sentences, []] : [sentences.slice(0, OPEN), sentences.slice(OPEN)];
  const more = html`<details><summary>${folded.length} more findings</summary><ul class="findings">${folded}</ul></details>`;
  return html`<div class="found"><ul class="findings">${open}</ul>${folded.length === 0 ? null : more}</div>`;
}

function exhibitsMarkup(name: string, exhibits: readonly Exhibit[]): Markup {
  const items = exhibits.map(
    (exhibit) => html`<li><a href="${exhibitLink(name, exhibit.name)}">${exhibit.title}</a></li>`,
  );
  return html`<details class="exhibits"><summary>Markets to replay on the live bench <span class="size">${items.length}</span></summary><ul>${items}</ul></details>`;
}

const methodsMarkup = (methods: readonly string[]): Markup =>
  html`<details class="methods"><summary>Methods</summary><ul>${methods.map((text) => html`<li>${mentioned(text)}</li>`)}</ul></details>`;

interface FigureOptions {
  readonly number: number;
  /** On the first screen: what stands in its place until the page draws it, and where no script runs. */
  readonly drawing?: Markup;
}

/** A figure: its choices, its drawing and its caption. */
export function figureMarkup(analysis: string, chart: Chart, { number, drawing }: FigureOptions): Markup {
  const id = `${analysis}--${chart.name}`;
  const summary = summaryOf(chart, openingOf(chart));
  const title = html`<span id="${id}-title">${chart.title}</span>`;
  return html`<figure class="chart" aria-labelledby="${id}-title">
${drawing ? html`<h2 class="small">${title}</h2>` : html`<h4>${title}</h4>`}
${choicesMarkup(chart, id)}
<div class="drawing" data-analysis="${analysis}" data-chart="${chart.name}" data-title="${chart.title}" role="img" aria-label="${summary}">${drawing ?? null}</div>
<figcaption><p class="summary"><b class="figure-number">Figure ${number}.</b> <span data-summary>${mentioned(summary)}</span></p>
<p class="reading">${mentioned(chart.howToRead)}
<button type="button" class="svg" data-svg="${chart.name}" data-of="${analysis}" aria-label="${chart.title}: SVG">SVG</button></p></figcaption>
</figure>`;
}

function choicesMarkup({ choices = [] }: Chart, id: string): Markup | null {
  if (choices.length === 0) return null;
  const pickers = choices.map(
    ({ field, label, values }) => html`<label>${label} <select data-field="${field}" id="${id}-${field}">
${values.map((value) => html`<option>${value}</option>`)}</select></label>`,
  );
  return html`<p class="choices">${pickers}</p>`;
}

/** A table whose rows are in the page's text, so that it needs no script: for small ones. */
export function writtenTable(analysis: string, table: Table, exhibits: readonly Exhibit[]): Markup {
  const columns = shownColumns(table);
  const known = new Set(exhibits.map(({ name }) => name));
  const heads = columns.map(({ label, kind }) => html`<th scope="col" class="${kind}">${label}</th>`);
  const rows = table.rows.map((row) => {
    const cells = columns.map((column, k) => writtenCell(row, column, { analysis, known, first: k === 0 }));
    return html`<tr>${cells}</tr>`;
  });
  return html`<table class="written"><caption>${table.title}</caption><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table>`;
}

function writtenCell(
  row: Row,
  { name, kind }: Column,
  { analysis, known, first }: { analysis: string; known: ReadonlySet<string>; first: boolean },
): Markup {
  const text = verdictMarkup(unbroken(cellText(row[name], kind)));
  if (first) return html`<th scope="row">${text}</th>`;
  const witness = row[witnessColumn(name)];
  if (typeof witness !== "string" || !known.has(witness)) return html`<td class="${kind}">${text}</td>`;
  return html`<td class="${kind}"><a href="${exhibitLink(analysis, witness)}">${text}</a></td>`;
}

/** Verdicts are words with a colour, never a colour alone. */
function verdictMarkup(text: string): Markup {
  const [word, name] = /^(holds|breaks|undecided|proved)\b/i.exec(text) ?? [];
  if (word === undefined || name === undefined) return html`${text}`;
  return html`<b class="verdict-${name.toLowerCase()}">${word}</b>${text.slice(word.length)}`;
}

/** Tables of at most so many rows are printed; longer ones are for the screen and the downloads. */
const PRINTED = 12;

/** A table to be opened, with its downloads; the page puts its rows in, from the one copy of the data. */
function foldedTable(analysis: string, { name, title, rows }: Table): Markup {
  const size = `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
  return html`<details class="table${rows.length <= PRINTED ? " short" : ""}">
<summary>${title} <span class="size">${size}</span></summary>
<div class="scroll" tabindex="0" role="region" aria-label="${title}" data-analysis="${analysis}" data-table="${name}"></div>
<p class="downloads"><button type="button" data-csv="${name}" data-of="${analysis}" aria-label="${title}: CSV">CSV</button>
<button type="button" data-json="${name}" data-of="${analysis}" aria-label="${title}: JSON">JSON</button></p>
</details>`;
}
