/** The section of an analysis: findings, numbered figures, exhibits, tables, methods. */

import { counted, listed } from "../lib/format.js";
import { exhibitLink, html, type Markup, mentioned, placeId, unbroken, verdictMarkup } from "./markup.js";
import {
  type AnalysisResult,
  type Cell,
  type Chart,
  type Column,
  cellText,
  type Exhibit,
  type Finding,
  openingOf,
  type Row,
  type Section,
  shownColumns,
  summaryOf,
  type Table,
  witnessColumn,
} from "./result.js";

interface SectionOptions {
  /** Of all figures but the one that the first screen has shown. */
  readonly numbers: ReadonlyMap<Chart, number>;
  /** Whether only its first finding is shown until a reader opens it. */
  readonly folded: boolean;
}

export function sectionMarkup(section: Section, options: SectionOptions): Markup {
  const { name, question, state, error, result } = section;
  return html`<section id="${placeId(name)}" class="analysis" tabindex="-1" aria-labelledby="${placeId(name)}-question">
<h3 id="${placeId(name)}-question" class="question">${question}</h3>
${state === "failed" ? html`<p class="failed" role="alert"><b>${name} failed:</b> ${error}</p>` : null}
${state === "interrupted" ? html`<p class="failed" role="alert">${name} was interrupted before it was done.</p>` : null}
${result === null ? null : resultMarkup(name, result, options)}
</section>`;
}

/** More findings than this are folded away. */
const OPEN = 4;

function resultMarkup(name: string, result: AnalysisResult, { numbers, folded }: SectionOptions): Markup {
  const findings = heaviestFirst(result.findings);
  const figures = result.charts.flatMap((chart) => {
    const number = numbers.get(chart);
    return number === undefined ? [] : [figureMarkup(name, chart, { number })];
  });
  const open = folded ? 1 : OPEN;
  const openFindings = findingsMarkup(findings.slice(0, open));
  const evidence = evidenceMarkup(name, result, folded ? [] : findings.slice(open));
  if (!folded) return html`${bodyMarkup(openFindings, figures)}${evidence}`;
  return html`${openFindings}<details class="rest"><summary>${restWords(figures.length, findings.length - open)}</summary>
${bodyMarkup(findingsMarkup(findings.slice(open)), figures)}${evidence}</details>`;
}

const restWords = (figures: number, findings: number): string =>
  listed([...countedAll({ figure: figures, "more finding": findings }), "the evidence"]);

/** Findings and figures; the findings stand beside an odd figure, which would else leave half of the width empty. */
const bodyMarkup = (before: Markup | null, figures: readonly Markup[]): Markup =>
  html`<div class="body${figures.length % 2 === 1 ? " odd" : ""}${figures.length === 1 ? " single" : ""}">${before}${figures}</div>`;

export const heaviestFirst = <F extends Finding>(findings: readonly F[]): F[] =>
  [...findings].sort((a, b) => b.weight - a.weight);

function findingsMarkup(findings: readonly Finding[]): Markup | null {
  if (findings.length === 0) return null;
  return html`<ul class="findings">${findings.map(({ text }) => html`<li>${mentioned(text)}</li>`)}</ul>`;
}

/** What the findings rest on, in one folded block: the line that opens it says what is in it. */
function evidenceMarkup(name: string, result: AnalysisResult, more: readonly Finding[]): Markup | null {
  const { tables, charts, exhibits = [], methods } = result;
  const drawn = new Set(charts.map(({ table }) => table));
  const holds = [
    ...countedAll({ "more finding": more.length, market: exhibits.length, table: tables.length }),
    ...(methods.length === 0 ? [] : ["methods"]),
  ];
  if (holds.length === 0) return null;
  return html`<details class="evidence"><summary>Evidence <span class="size">${name}: ${listed(holds)}</span></summary>
${findingsMarkup(more)}
${exhibits.length === 0 ? null : exhibitsMarkup(name, exhibits)}
${tables.map((table) => foldedTable(name, table, { drawn: drawn.has(table.name) }))}
${methods.length === 0 ? null : methodsMarkup(methods)}
</details>`;
}

/** How many there are of each, of which there are any. */
const countedAll = (counts: Readonly<Record<string, number>>): string[] =>
  Object.entries(counts).flatMap(([noun, n]) => (n === 0 ? [] : [counted(n, noun)]));

function exhibitsMarkup(name: string, exhibits: readonly Exhibit[]): Markup {
  const items = exhibits.map(
    (exhibit) => html`<li><a href="${exhibitLink(name, exhibit.name)}">${exhibit.title}</a></li>`,
  );
  return html`<details class="exhibits"><summary>Markets to replay on the live bench <span class="size">${items.length}</span></summary><ul>${items}</ul></details>`;
}

const methodsMarkup = (methods: readonly string[]): Markup =>
  html`<div class="methods"><h4>Methods</h4><ul>${methods.map((text) => html`<li>${mentioned(text)}</li>`)}</ul></div>`;

/** A figure: its choices, its drawing (on the first screen, until the page draws it, and where no script runs) and its caption. */
export function figureMarkup(
  analysis: string,
  chart: Chart,
  { number, drawing }: { readonly number: number; readonly drawing?: Markup },
): Markup {
  const id = `${analysis}--${chart.name}`;
  const summary = summaryOf(chart, openingOf(chart));
  const title = html`<span id="${id}-title">${chart.title}</span>`;
  if (chart.flaw !== undefined)
    return html`<figure class="chart" aria-labelledby="${id}-title">
<div class="titled">${drawing ? html`<h2 class="small">${title}</h2>` : html`<h4>${title}</h4>`}</div>
<p class="failed" role="alert">This figure cannot be shown: ${chart.flaw}</p>
<figcaption><b>Figure ${number}.</b> ${mentioned(summary)}</figcaption>
</figure>`;
  return html`<figure class="chart" aria-labelledby="${id}-title">
<div class="titled">${drawing ? html`<h2 class="small">${title}</h2>` : html`<h4>${title}</h4>`}${choicesMarkup(chart, id)}</div>
<div class="drawing" data-analysis="${analysis}" data-chart="${chart.name}" role="img" aria-label="${summary}">${drawing ?? null}</div>
<figcaption><b>Figure ${number}.</b> <span class="shown" data-summary>${mentioned(summary)}</span> ${mentioned(chart.howToRead)}
<button type="button" class="svg" data-svg="${chart.name}" data-of="${analysis}" aria-label="${chart.title}: SVG">SVG</button></figcaption>
</figure>`;
}

function choicesMarkup({ choices = [] }: Chart, id: string): Markup | null {
  if (choices.length === 0) return null;
  const pickers = choices.map(
    ({
      field,
      label,
      values,
      words = {},
    }) => html`<label>${label} <select data-field="${field}" id="${id}-${field}">
${values.map((value) => html`<option value="${value}">${words[value] ?? value}</option>`)}</select></label>`,
  );
  return html`<p class="choices">${pickers}</p>`;
}

/** A table whose rows are in the page's text, so that it needs no script: for small ones. */
export function writtenTable(analysis: string, table: Table, exhibits: readonly Exhibit[]): Markup {
  const columns = shownColumns(table);
  const linkOf = (cell: Cell) =>
    exhibits.some(({ name }) => name === cell) ? exhibitLink(analysis, String(cell)) : null;
  const heads = columns.map(({ label, kind }) => html`<th scope="col" class="${kind}">${label}</th>`);
  const [first, ...others] = columns;
  const rows = table.rows.map((row) => {
    const cells = others.map((column) => writtenCell(row, column, linkOf));
    return html`<tr>${[html`<th scope="row">${verdictMarkup(unbroken(cellText(row[first!.name], first!.kind)))}</th>`, ...cells]}</tr>`;
  });
  return html`<table class="written"><caption>${table.title}</caption><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table>`;
}

function writtenCell(row: Row, { name, kind }: Column, linkOf: (exhibit: Cell) => string | null): Markup {
  const text = verdictMarkup(unbroken(cellText(row[name], kind)));
  const link = linkOf(row[witnessColumn(name)] ?? null);
  return html`<td class="${kind}">${link === null ? text : html`<a href="${link}">${text}</a>`}</td>`;
}

/** Tables of at most so many rows, with cells of at most so many characters, are printed unless a figure draws them. */
const PRINTED = { rows: 12, characters: 60 };

function isPrinted({ rows, firstScreen }: Table): boolean {
  const lengths = rows.flatMap((row) => Object.values(row).map((cell) => String(cell).length));
  return !firstScreen && rows.length <= PRINTED.rows && Math.max(0, ...lengths) <= PRINTED.characters;
}

/** A table to be opened, with its downloads; the page puts its rows in, from the one copy of the data. */
function foldedTable(analysis: string, table: Table, { drawn }: { drawn: boolean }): Markup {
  const { name, title, rows } = table;
  return html`<details class="table${!drawn && isPrinted(table) ? " printed" : ""}">
<summary>${title} <span class="size">${counted(rows.length, "row")}</span></summary>
<div class="scroll" tabindex="0" role="group" aria-label="${title}" data-analysis="${analysis}" data-table="${name}"></div>
<p class="downloads"><button type="button" data-csv="${name}" data-of="${analysis}" aria-label="${title}: CSV">CSV</button>
<button type="button" data-json="${name}" data-of="${analysis}" aria-label="${title}: JSON">JSON</button></p>
</details>`;
}
