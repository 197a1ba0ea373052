/** The report as one HTML file that needs nothing else: the answer, the live bench, and the evidence part by part. */

import type { AnyMechanism } from "../auction/mechanism.js";
import { type Regime, regimes } from "../auction/outcome.js";
import { mechanisms } from "../mechanisms/index.js";
import type { Payload } from "./charts.js";
import { differenceMarkup } from "./diff.js";
import { liveBenchMarkup } from "./live-bench.js";
import {
  cardId,
  embeddedJson,
  embeddedScript,
  embeddedStyle,
  html,
  linkTo,
  Markup,
  mentioned,
  placeId,
} from "./markup.js";
import {
  type Chart,
  type MechanismNote,
  type PartName,
  type Provenance,
  parts,
  type ReportData,
  type Section,
} from "./result.js";
import { figureMarkup, heaviestFirst, sectionMarkup, writtenTable } from "./section-markup.js";

interface ReportParts {
  readonly data: ReportData;
  readonly provenance: Provenance;
  /** The run it is compared with. */
  readonly earlier: ReportData | null;
  readonly payload: Payload;
  /** The picture of the first screen as SVG, for where no script runs; null where there is none. */
  readonly picture: string | null;
  /** The page's own code and styles, the code of the live bench's background thread, and licences. */
  readonly assets: {
    readonly script: string;
    readonly style: string;
    readonly benchWorker: string;
    /** Of the page's own code and of all that is bundled into it. */
    readonly licences: string;
  };
}

/** Nothing may be loaded from anywhere and no text becomes code; the live bench has a thread made in the page. */
const policy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:";

export function reportHtml({ data, provenance, earlier, payload, picture, assets }: ReportParts): string {
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
<a class="skip" href="#${placeId("_top")}">Skip to the report</a>
${toolbarMarkup(data)}
<main id="${placeId("_top")}" tabindex="-1">
${firstScreen(data, picture)}
${liveBenchMarkup(data)}
${earlier === null ? null : differenceMarkup(earlier, data)}
${partsMarkup(data)}
${provenanceMarkup(data, provenance)}
${licencesMarkup(assets.licences)}
${cardsMarkup(data)}
</main>
<div id="tooltip" role="status" aria-live="polite" hidden></div>
<script type="application/json" id="payload">${embeddedJson(payload)}</script>
<script type="text/plain" id="bench-worker">${embeddedScript(assets.benchWorker)}</script>
<script>${embeddedScript(assets.script)}</script>
</body>
</html>
`;
  return page.text;
}

/** The bar that stays at the top: the parts of the report, and the theme. */
function toolbarMarkup(data: ReportData): Markup {
  const links = [
    html`<a href="${linkTo("_top")}">Answer</a>`,
    html`<a href="${linkTo("_bench")}">Live bench</a>`,
    ...partsIn(data).map(({ part }) => html`<a href="${linkTo(`_${part}`)}">${parts[part]}</a>`),
  ];
  return html`<nav class="toolbar" aria-label="Parts of the report">
<div class="links">${links}</div>
<button type="button" id="theme" aria-label="Switch between light and dark">Dark</button>
</nav>`;
}

/** The parts that have sections, in their order. */
const partsIn = ({ analyses }: ReportData) =>
  (Object.keys(parts) as PartName[])
    .map((part) => ({ part, sections: analyses.filter((section) => (section.part ?? "own") === part) }))
    .filter(({ sections }) => sections.length > 0);

/** The first screen: what is studied, what the regimes mean, one picture, one table, three findings. */
function firstScreen(data: ReportData, picture: string | null): Markup {
  return html`<header class="opening">
<h1>Does it pay to lie?</h1>
${setUp(data)}
${failures(data)}
${answerMarkup(data, picture)}
<noscript><p class="noscript">Without JavaScript the other figures, the tables and the live bench are missing; everything they need is in this file.</p></noscript>
</header>`;
}

function setUp({ mechanism }: ReportData): Markup {
  const about = mechanisms[mechanism as keyof typeof mechanisms]?.about;
  const studied =
    mechanism === "online"
      ? html`the online auction of Zhang, Wu and Pan (<cite>Online Auction-Based Incentive Mechanism Design for Horizontal Federated Learning with Budget Constraint</cite>), which its authors prove truthful &ldquo;with a sufficient budget&rdquo;`
      : html`the mechanism <b>${mechanism}</b>${about === undefined ? null : html` (${about.replace(/\.$/, "")})`}`;
  // What is searched for is not computed, and of a user's own mechanism the page does not know.
  const looks =
    about === undefined ? "looks for lies that pay under" : "computes the best lie of every worker against";
  return html`<p class="standfirst">A publisher of a federated-learning task buys training rounds from workers who arrive over
time, in a reverse auction with a budget; each worker states a price per round and an arrival, and either can be a lie.
This report ${looks} ${studied}.</p>
<dl class="regimes">${regimes.map((regime) => html`<div><dt>${regime}</dt><dd>${regimeWords[regime]}</dd></div>`)}
<div><dt>prose</dt><dd>the rules as the paper's text has them; its pseudocode, which differs in places, is the other reading</dd></div></dl>`;
}

const regimeWords: Readonly<Record<Regime, string>> = {
  sufficient:
    "the task starts on time and the worker is never refused, nor a raise of its pay cut, for lack of money",
  tight: "it starts on time, but the worker is refused, or a raise of its pay cut, for lack of money",
  "late start": "too few workers win at first and the start is delayed; money never turns the worker down",
  "late and tight": "the start is delayed and money turns the worker down, or the task never starts",
};

/** The picture beside the table, the findings below; where one is missing the findings take its place. */
function answerMarkup(data: ReportData, picture: string | null): Markup {
  const table = tableOfFirstScreen(data);
  const chart = chartOfFirstScreen(data);
  const drawing = new Markup((picture ?? "").replace(/ (role|aria-[a-z]+)="[^"]*"/g, ""));
  const blocks = [
    ...(chart ? [figureMarkup(chart.analysis, chart.chart, { number: 1, drawing })] : []),
    ...(table ? [html`<div class="verdicts">${table}${clickNote(table)}${provedMarkup(data)}</div>`] : []),
  ];
  const findings = heaviestFindings(data);
  if (blocks.length === 2) return html`<div class="lead">${blocks}</div>${findings}`;
  return html`<div class="lead">${blocks}<div>${findings}</div></div>`;
}

/** The chart that an analysis has marked for the first screen, if any. */
export function chartOfFirstScreen({ analyses }: ReportData) {
  for (const { name, result } of analyses) {
    const chart = result?.charts.find(({ firstScreen }) => firstScreen);
    if (chart) return { analysis: name, chart, tables: result!.tables };
  }
  return null;
}

function tableOfFirstScreen({ analyses }: ReportData): Markup | null {
  for (const { name, result } of analyses) {
    const table = result?.tables.find(({ firstScreen }) => firstScreen);
    if (table) return writtenTable(name, table, result!.exhibits ?? []);
  }
  return null;
}

const clickNote = (table: Markup): Markup | null =>
  table.text.includes("<a ")
    ? html`<p class="proved">A linked cell opens its market on the live bench, where other lies can be tried.</p>`
    : null;

/** What is proved, not sampled, of the claims in the table. */
const provedMarkup = ({ analyses }: ReportData): Markup[] =>
  analyses.flatMap(({ name, question, result }) =>
    result?.firstScreenNote === undefined
      ? []
      : [html`<p class="proved">${mentioned(result.firstScreenNote)} ${evidenceLink(name, question)}</p>`],
  );

const evidenceLink = (name: string, question: string): Markup =>
  html`<a class="evidence-link" href="${linkTo(name)}" aria-label="Evidence: ${question}">evidence</a>`;

const HEAVIEST = 3;

function heaviestFindings({ analyses }: ReportData): Markup | null {
  const all = analyses.flatMap(({ name, question, result }) =>
    (result?.findings ?? []).map((finding) => ({ name, question, ...finding })),
  );
  const heaviest = heaviestFirst(all).slice(0, HEAVIEST);
  if (heaviest.length === 0) return null;
  const items = heaviest.map(
    ({ name, question, text }) => html`<li>${mentioned(text)} ${evidenceLink(name, question)}</li>`,
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

function partsMarkup(data: ReportData): Markup[] {
  const all = partsIn(data);
  const numbers = figureNumbers(
    all.flatMap(({ sections }) => sections),
    chartOfFirstScreen(data)?.chart,
  );
  return all.map(({ part, sections }) => {
    const questions = sections.map(
      ({ name, question }) => html`<li><a href="${linkTo(name)}">${question}</a></li>`,
    );
    return html`<div class="part ${part}" id="${placeId(`_${part}`)}" tabindex="-1">
<div class="headed"><h2>${parts[part]}</h2>${sections.length === 1 ? null : html`<ul class="contents">${questions}</ul>`}</div>
${sections.map((section) => sectionMarkup(section, { numbers, folded: part === "appendix" }))}
</div>`;
  });
}

/** One, two, three, in the order of the page; the one on the first screen has its number already. */
function figureNumbers(sections: readonly Section[], first: Chart | undefined): ReadonlyMap<Chart, number> {
  const others = sections.flatMap(({ result }) => result?.charts ?? []).filter((chart) => chart !== first);
  return new Map(others.map((chart, k) => [chart, k + (first ? 2 : 1)]));
}

/** The file goes from hand to hand without the package: the licences of the code in it go with it. */
const licencesMarkup = (licences: string): Markup => html`<details class="licences" id="licences">
<summary>Licences of the software in this file</summary><pre tabindex="0">${licences}</pre></details>`;

/** A card for each mechanism: what a name in a sentence opens. */
function cardsMarkup(data: ReportData): Markup[] {
  const notes = data.analyses.flatMap(({ result }) => result?.mechanismNotes ?? []);
  return Object.values<AnyMechanism>(mechanisms).map((mechanism) => cardMarkup(mechanism, notes));
}

function cardMarkup({ name, about, ...mechanism }: AnyMechanism, notes: readonly MechanismNote[]): Markup {
  const { rule = [], promise, source } = mechanism;
  const established = notes.filter((note) => note.mechanism === name);
  return html`<div popover id="${cardId(name)}" class="card" role="dialog" aria-label="${name}">
<h3>${name}</h3><p>${about}</p>
${rule.length === 0 ? null : html`<ol>${rule.map((line) => html`<li>${line}</li>`)}</ol>`}
${promise === undefined ? null : html`<p><b>Promise.</b> ${promise}</p>`}
${established.length === 0 ? null : html`<p><b>Established.</b> ${established.map(({ text }) => text).join(" ")}</p>`}
${source === undefined ? null : html`<p class="size">${source}</p>`}
</div>`;
}

/** How the report came about, and the command that makes it again. */
function provenanceMarkup(data: ReportData, provenance: Provenance): Markup {
  const { command, seconds, threads, finishedAt } = provenance;
  const facts = {
    Program: `candor ${data.candor}`,
    Mechanism: data.mechanism,
    Seed: data.seed,
    Profile: data.profile,
    "Time taken": `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`,
    Threads: threads,
    Finished: finishedAt,
  };
  return html`<section id="${placeId("_provenance")}" class="analysis" tabindex="-1" aria-labelledby="provenance-title">
<h2 id="provenance-title">How this report was made</h2>
<dl class="facts">${Object.entries(facts).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p>The same command gives the same data, byte for byte:</p>
<pre class="command" tabindex="0">${command}</pre>
<p class="print-only">This printed edition leaves out the live bench, the appendix, the methods, the markets to replay and the long
tables. The HTML file has them.</p>
</section>`;
}
