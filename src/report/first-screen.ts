/** The first screen: the question, the verdicts, the map, and the findings that matter most. */

import { figureMarkup } from "./chart-markup.js";
import type { ReportData, Section } from "./data.js";
import { html, linkTo, type Markup, prose } from "./markup.js";
import type { Finding } from "./result.js";
import { tableBox } from "./table-markup.js";

const HEAVIEST = 3;

export function firstScreen(data: ReportData): Markup {
  return html`<header class="opening">
<p class="kicker">candor ${data.candor} · mechanism ${data.mechanism} · ${data.profile} profile · seed ${data.seed}</p>
<h1>Does it pay to lie?</h1>
<p class="standfirst">Workers tell a publisher their price and their arrival. Both can be lies. This report searches for the
lies that pay: for whom, under which budgets, and why.</p>
${failures(data)}
${lead(data)}
${contents(data)}
</header>`;
}

/** Verdicts beside the map, findings below; where one is missing the findings take its place. */
function lead(data: ReportData): Markup {
  const map = named(data, "truthfulness-map")?.result?.charts[0];
  const verdicts = named(data, "properties")?.result?.tables[0];
  const blocks = [
    ...(verdicts
      ? [html`<div><h2 class="small">The verdicts</h2>${tableBox("properties", verdicts)}</div>`]
      : []),
    ...(map ? [html`<div class="lead-map">${figureMarkup("truthfulness-map", map, "lead-")}</div>`] : []),
  ];
  const findings = findingsMarkup(data);
  if (blocks.length === 2) return html`<div class="lead">${blocks}</div><div class="below">${findings}</div>`;
  return html`<div class="lead"><div>${findings}</div>${blocks}</div>`;
}

const named = ({ analyses }: ReportData, name: string): Section | undefined =>
  analyses.find((section) => section.name === name);

function findingsMarkup({ analyses }: ReportData): Markup | null {
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

export const heaviestFirst = <F extends Finding>(findings: readonly F[]): F[] =>
  [...findings].sort((a, b) => b.weight - a.weight);

function failures({ analyses }: ReportData): Markup | null {
  const lost = analyses.filter(({ state }) => state !== "done");
  if (lost.length === 0) return null;
  const words = lost.map(({ name, state }) => `${name} ${state === "failed" ? "failed" : "was interrupted"}`);
  return html`<p class="failed" role="alert">Not everything is here: ${words.join(", ")}.</p>`;
}

function contents({ analyses }: ReportData): Markup {
  const items = analyses.map(
    ({ name, question }) => html`<li><a href="${linkTo(name)}">${question}</a></li>`,
  );
  return html`<nav aria-label="Contents"><h2 class="small">Questions</h2><ol class="contents">${items}
<li><a href="${linkTo("_bench")}">Try a lie yourself: the live bench</a></li>
<li><a href="${linkTo("_provenance")}">How this report was made</a></li></ol></nav>`;
}
