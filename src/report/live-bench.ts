/** The live bench, on which a reader tries lies: its controls and its chart. The page's own code fills them. */

import type { AnyMechanism } from "../auction/mechanism.js";
import { delays, firstSteps, readings } from "../market/market.js";
import { mechanismNamed, mechanisms } from "../mechanisms/index.js";
import { html, type Markup, placeId } from "./markup.js";
import type { ReportData } from "./result.js";

export function liveBenchMarkup(data: ReportData): Markup {
  return html`<section id="${placeId("_bench")}" class="bench" aria-labelledby="bench-title">
<p class="kicker">live bench</p>
<h2 id="bench-title">Try a lie yourself</h2>
<p class="lines">This is the auction itself, not a recording. Begin with one worker: drag the price it says away from its cost, or press
“The best lie”, and see what that brings it. Then change whatever you like, or bring a market of your own.</p>
<form autocomplete="off">
${marketMarkup(data)}
<p class="failed bench-error" role="alert" hidden></p>
<p class="bench-slow" hidden>This browser refuses the page a background thread: the bench computes in the page itself, which may stop for a
moment in large markets.</p>
<div class="bench-main">
${oneWorkerMarkup()}
${everybodyMarkup()}
</div>
</form>
<details class="bench-why" open><summary>Why</summary><div></div></details>
<details class="bench-workers"><summary>Everybody: what they are, say and get</summary>
<p class="summary">Click what a worker is or says to change it. Any number of workers may lie at once.</p>
<p class="bad" id="bench-bad-worker" role="alert" hidden></p>
<div class="scroll" tabindex="0" role="region" aria-label="All workers: what they are, say and get"></div>
<p class="buttons"><button type="button" name="add">Add a worker</button>
<button type="button" name="honest">Let everybody tell the truth</button></p></details>
${besideMarkup(data)}
<details class="bench-trace"><summary>Every decision, with the numbers behind it</summary><pre tabindex="0"></pre></details>
<p class="downloads buttons"><button type="button" name="link">Copy a link to this</button>
<button type="button" name="market">Market as JSON</button> <button type="button" name="bids">Bids as JSON</button>
<output name="done"></output></p>
</section>`;
}

function marketMarkup(data: ReportData): Markup {
  const names = mechanismGroups(otherMechanisms(data)).map(
    ([label, group]) => html`<optgroup label="${label}">${group.map(mechanismOption)}</optgroup>`,
  );
  return html`<div class="bench-market">
<label class="wide">Market <select name="exhibit"><option value="drawn">drawn as in the paper</option>
<option value="own">your own</option>${data.analyses.map(exhibitGroup)}</select></label>
${field("workers", "Workers", "numeric")}
${field("seed", "Seed", "text")}
<label>Mechanism <select name="auction">${names}</select></label>
<details class="bench-text"><summary>Bring your own market</summary>
<label>JSON as the command line reads it, or CSV with the header id,reputation,cost,arrival
<textarea name="text" rows="5" spellcheck="false"></textarea></label>
<p class="buttons"><button type="button" name="use">Take this text</button>
<label class="file">or a file <input type="file" name="file" accept=".json,.jsonl,.csv"></label>
<span>A file can also be dropped anywhere on the bench.</span></p></details></div>`;
}

const mechanismOption = (name: string): Markup =>
  isOwn(name)
    ? html`<option value="${name}" data-own>${name} (yours: not in this page)</option>`
    : html`<option>${name}</option>`;

const field = (name: string, label: string, mode: string): Markup =>
  html`<label>${label} <input type="text" inputmode="${mode}" name="${name}"></label>`;

/** A slider and, for those who want a number, a field. */
const slider = (name: string, label: string): Markup => html`<div class="slide">
<label for="bench-${name}">${label}</label>
<input type="text" inputmode="decimal" name="${name}" id="bench-${name}">
<input type="range" name="${name}-slider" min="0" max="1" step="any" aria-label="${label}, slider"></div>`;

const choice = (name: string, label: string, values: readonly string[]): Markup =>
  html`<label>${label} <select name="${name}">${values.map((value) => html`<option>${value}</option>`)}</select></label>`;

/** What one worker says, what that brings it, and what any other price would. */
const oneWorkerMarkup =
  (): Markup => html`<div class="bench-bid" role="group" aria-label="What a worker says">
<label>Worker <select name="worker"></select></label>
<div class="pair">${slider("price", "Price it says")}${slider("arrival", "Arrival it says")}</div>
<p class="buttons"><button type="button" name="best">The best lie</button>
<button type="button" name="truth">The truth</button></p>
<p class="verdict"></p>
<p class="unseen" role="status"></p>
<div class="bench-landscape"><h3>What every price would bring it</h3>
<div class="drawing" role="img" aria-label="What every price would bring it"></div><p class="summary"></p></div>
</div>`;

/** The rules, who can gain under them, and what comes of the auction. */
const everybodyMarkup = (): Markup => html`<div class="bench-rules" role="group" aria-label="The market">
${slider("budget", "Budget")}
${slider("ratio", "Share for the first step")}
<details><summary>Rounds, minimum, readings</summary><div class="pair">
${field("rounds", "Rounds", "numeric")}
${field("minWorkers", "Minimum workers", "numeric")}
${choice("reading", "Reading", readings)}
${choice("firstStep", "First step", firstSteps)}
${choice("delay", "A delayed start", delays)}</div></details>
<div class="bench-map"><h3>Who can gain</h3><div class="strip" role="img" aria-label="Who can gain"></div><p class="summary"></p></div>
<div class="bench-run"><h3>What comes of it</h3><p class="summary"></p></div>
</div>`;

function besideMarkup(data: ReportData): Markup {
  const box = (name: string) =>
    html`<label><input type="checkbox" name="beside" value="${name}"> ${name}</label>`;
  const boxes = mechanismGroups(otherMechanisms(data).filter((name) => !isOwn(name))).map(
    ([label, group]) =>
      html`<p role="group" aria-label="${label}"><strong>${label}</strong>${group.map(box)}</p>`,
  );
  return html`<details class="bench-beside"><summary>Mechanisms side by side</summary>
<fieldset><legend>The same market and the same bids under</legend>${boxes}</fieldset>
<div class="scroll" tabindex="0" role="region" aria-label="Mechanisms side by side"></div></details>`;
}

/** The registered mechanisms by where the report compares them, and others; each group with its heading. */
function mechanismGroups(others: readonly string[]): [label: string, names: readonly string[]][] {
  const comparedIn = (comparison: AnyMechanism["comparison"]) =>
    Object.values<AnyMechanism>(mechanisms)
      .filter((mechanism) => mechanism.comparison === comparison)
      .map(({ name }) => name);
  const groups: [label: string, names: readonly string[]][] = [
    ["In every comparison", comparedIn(undefined)],
    ["Frontier", comparedIn("frontier")],
    ["Published", comparedIn("published")],
    ["Others in this report", others],
  ];
  return groups.filter(([, names]) => names.length > 0);
}

/** Those that exhibits need and that are not registered: variants, and a mechanism of the user's own. */
const otherMechanisms = ({ analyses }: ReportData): string[] =>
  [
    ...new Set(analyses.flatMap(({ result }) => (result?.exhibits ?? []).map(({ mechanism }) => mechanism))),
  ].filter((name) => !Object.hasOwn(mechanisms, name));

/** Whether no part of the program knows a mechanism by its name. */
function isOwn(name: string): boolean {
  try {
    mechanismNamed(name);
    return false;
  } catch {
    return true;
  }
}

function exhibitGroup({ name, result }: ReportData["analyses"][number]): Markup {
  const exhibits = result?.exhibits ?? [];
  if (exhibits.length === 0) return html``;
  const options = exhibits.map(
    (exhibit) => html`<option value="${`${name}/${exhibit.name}`}">${exhibit.title}</option>`,
  );
  return html`<optgroup label="${name}">${options}</optgroup>`;
}
