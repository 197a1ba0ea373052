/** The report as one HTML file that needs nothing else. */

import { type Provenance, type ReportData, type Section, tablesOf } from "./data.js";
import { differenceMarkup } from "./diff.js";
import { liveBenchMarkup } from "./live-bench.js";
import {
  embeddedJson,
  embeddedScript,
  embeddedStyle,
  html,
  linkTo,
  type Markup,
  placeId,
  prose,
} from "./markup.js";
import type { Payload } from "./payload.js";
import { figureMarkup, heaviestFirst, sectionMarkup, tableBox } from "./section-markup.js";
import { ALL, choicesIn, facets } from "./tables.js";

interface ReportParts {
  readonly data: ReportData;
  readonly provenance: Provenance;
  /** The run it is compared with. */
  readonly earlier: ReportData | null;
  readonly payload: Payload;
  /** The page's own code and styles, and the code of the live bench's background thread. */
  readonly assets: { readonly script: string; readonly style: string; readonly benchWorker: string };
}

/** Nothing may be loaded from anywhere; Vega compiles its expressions, which takes eval; the live bench has a thread made in the page. */
const policy =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:";

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
<script type="text/plain" id="bench-worker">${embeddedScript(assets.benchWorker)}</script>
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
