/** The report as one HTML file that needs nothing else. */

import type { Payload } from "./charts.js";
import { differenceMarkup } from "./diff.js";
import { liveBenchMarkup } from "./live-bench.js";
import {
  embeddedJson,
  embeddedScript,
  embeddedStyle,
  exhibitLink,
  html,
  linkTo,
  type Markup,
  placeId,
  prose,
} from "./markup.js";
import {
  type AnalysisResult,
  type Chart,
  type Exhibit,
  type Finding,
  type Provenance,
  type ReportData,
  type Section,
  type Table,
  tablesOf,
} from "./result.js";
import { ALL, choicesIn, facets } from "./tables.js";

interface ReportParts {
  readonly data: ReportData;
  readonly provenance: Provenance;
  /** The run it is compared with. */
  readonly earlier: ReportData | null;
  readonly payload: Payload;
  /** The page's own code and styles. */
  readonly assets: { readonly script: string; readonly style: string };
}

/** Nothing may be loaded from anywhere; Vega compiles its expressions, which takes eval. */
const policy =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:";

export function reportHtml({ data, provenance, earlier, payload, assets }: ReportParts): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="candor ${data.candor}">
<title>Does it pay to lie?</title>
<style>${embeddedStyle(assets.style)}</style>
</head>
<body>
<a class="skip" href="${linkTo("_top")}">Skip to the report</a>
${toolbarMarkup(data)}
<main id="${placeId("_top")}">
${firstScreen(data)}
${earlier === null ? null : differenceMarkup(earlier, data)}
${data.analyses.map(sectionMarkup)}
${liveBenchMarkup(data)}
${provenanceMarkup(data, provenance)}
</main>
<div id="tooltip" role="status" aria-live="polite" hidden></div>
<noscript><p class="noscript">Charts, tables and the live bench need JavaScript; it is all in this file.</p></noscript>
<script type="application/json" id="payload">${embeddedJson(payload)}</script>
<script>${embeddedScript(assets.script)}</script>
</body>
</html>
`;
  return page.text;
}

/** The bar that stays at the top: what is chosen for all charts, and the theme. */
function toolbarMarkup(data: ReportData): Markup {
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

const HEAVIEST = 3;

/** The first screen: the question, the verdicts, the map, and the findings that matter most. */
function firstScreen(data: ReportData): Markup {
  return html`<header class="opening">
<p class="kicker">candor ${data.candor} · mechanism ${data.mechanism} · ${data.profile} profile · seed ${data.seed}</p>
<h1>Does it pay to lie?</h1>
<p class="standfirst">Workers tell a publisher their price and their arrival. Both can be lies. This report searches for the
lies that pay: for whom, under which budgets, and why.</p>
${failures(data)}
${verdictsAndMap(data)}
${contentsList(data)}
</header>`;
}

/** Verdicts beside the map, findings below; where one is missing the findings take its place. */
function verdictsAndMap(data: ReportData): Markup {
  const map = sectionNamed(data, "truthfulness-map")?.result?.charts[0];
  const verdicts = sectionNamed(data, "properties")?.result?.tables[0];
  const blocks = [
    ...(verdicts
      ? [html`<div><h2 class="small">The verdicts</h2>${tableBox("properties", verdicts)}</div>`]
      : []),
    ...(map ? [html`<div class="lead-map">${figureMarkup("truthfulness-map", map, "lead-")}</div>`] : []),
  ];
  const findings = heaviestFindings(data);
  if (blocks.length === 2) return html`<div class="lead">${blocks}</div><div class="below">${findings}</div>`;
  return html`<div class="lead"><div>${findings}</div>${blocks}</div>`;
}

const sectionNamed = ({ analyses }: ReportData, name: string): Section | undefined =>
  analyses.find((section) => section.name === name);

function heaviestFindings({ analyses }: ReportData): Markup | null {
  const all = analyses.flatMap(({ name, result }) =>
    (result?.findings ?? []).map((finding) => ({ name, ...finding })),
  );
  const heaviest = heaviestFirst(all).slice(0, HEAVIEST);
  if (heaviest.length === 0) return null;
  const items = heaviest.map(
    ({ name, text }) =>
      html`<li>${prose(text)} <a href="${linkTo(name)}" aria-label="More in ${name}">↓</a></li>`,
  );
  return html`<h2 class="small">What matters most</h2><ol class="heaviest">${items}</ol>`;
}

function failures({ analyses }: ReportData): Markup | null {
  const unfinished = analyses.filter(({ state }) => state !== "done");
  if (unfinished.length === 0) return null;
  const words = unfinished.map(
    ({ name, state }) => `${name} ${state === "failed" ? "failed" : "was interrupted"}`,
  );
  return html`<p class="failed" role="alert">Not everything is here: ${words.join(", ")}.</p>`;
}

function contentsList({ analyses }: ReportData): Markup {
  const items = analyses.map(
    ({ name, question }) => html`<li><a href="${linkTo(name)}">${question}</a></li>`,
  );
  return html`<nav aria-label="Contents"><h2 class="small">Questions</h2><ol class="contents">${items}
<li><a href="${linkTo("_bench")}">Try a lie yourself: the live bench</a></li>
<li><a href="${linkTo("_provenance")}">How this report was made</a></li></ol></nav>`;
}

/** How the report came about, and the command that makes it again. */
function provenanceMarkup(data: ReportData, provenance: Provenance): Markup {
  const { command, seconds, threads, finishedAt } = provenance;
  const facts: readonly (readonly [string, string])[] = [
    ["Program", `candor ${data.candor}`],
    ["Mechanism", data.mechanism],
    ["Seed", data.seed],
    ["Profile", data.profile],
    ["Time taken", `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`],
    ["Threads", String(threads)],
    ["Finished", finishedAt],
  ];
  const left = data.analyses.flatMap(({ name, result }) =>
    (result?.leftOut ?? []).map((text) => html`<li><b>${name}</b>: ${text}</li>`),
  );
  return html`<section id="${placeId("_provenance")}" class="analysis" aria-labelledby="provenance-title">
<h2 id="provenance-title">How this report was made</h2>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p>The same command gives the same data, byte for byte:</p>
<pre class="command">${command}</pre>
${left.length === 0 ? null : html`<details><summary>What was left out <span class="size">${left.length}</span></summary><ul>${left}</ul></details>`}
</section>`;
}

/** The section of an analysis: findings, charts, exhibits, tables, what was left out. */
function sectionMarkup({ name, question, state, error, result }: Section): Markup {
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

const heaviestFirst = <F extends Finding>(findings: readonly F[]): F[] =>
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

const leftOutMarkup = (leftOut: readonly string[]): Markup =>
  html`<div class="left-out"><b>Left out.</b> <ul>${leftOut.map((text) => html`<li>${text}</li>`)}</ul></div>`;

/** A chart's place in the page; `prefix` keeps ids apart where a chart is shown twice. */
function figureMarkup(analysis: string, chart: Chart, prefix = ""): Markup {
  const id = `${prefix}${analysis}--${chart.name}`;
  return html`<figure class="chart" aria-labelledby="${id}-title">
<h3 id="${id}-title">${chart.title}</h3>
<div class="drawing" data-analysis="${analysis}" data-chart="${chart.name}" role="img" aria-label="${chart.summary}"></div>
<figcaption><p class="summary">${prose(chart.summary)}</p>
<p class="reading"><b>How to read it.</b> ${prose(chart.howToRead)}</p>
<p class="downloads"><button type="button" data-svg="${chart.name}" data-of="${analysis}">SVG</button></p></figcaption>
</figure>`;
}

/** A table that is always open; the page itself puts its rows in, from the one copy of the data. */
const tableBox = (analysis: string, { name, title }: Table): Markup =>
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
