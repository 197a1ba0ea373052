/** The live bench, on which a reader tries lies: its controls and its chart. The page's own code fills them. */

import { mechanisms } from "../mechanisms/index.js";
import { html, type Markup, placeId } from "./markup.js";
import type { ReportData } from "./result.js";

export function liveBenchMarkup(data: ReportData): Markup {
  return html`<section id="${placeId("_bench")}" class="bench" aria-labelledby="bench-title">
<p class="kicker">live bench</p>
<h2 id="bench-title">Try a lie yourself</h2>
<p>This is the auction itself, not a recording. Pick a market, pick a worker, and drag what it says.</p>
<form class="bench-market" autocomplete="off">
<label class="wide">Market <select name="exhibit"><option value="drawn">drawn as in the paper, with numbers of your own</option>${data.analyses.map(exhibitGroup)}</select></label>
${drawFields.map(drawField)}
<label>Reading <select name="under" data-draw="prose"><option>prose</option><option>pseudocode</option></select></label>
<label>Mechanism <select name="auction">${mechanismNames(data).map((name) => html`<option>${name}</option>`)}</select></label>
</form>
<div class="bench-bid">
<label>Worker <select name="worker"></select></label>
<label class="slide">Price <output name="price-text"></output>
<input type="range" name="price" min="0" max="1" step="any"></label>
<label class="exactly">exactly <input type="number" name="price-exact" min="0" step="any"></label>
<label class="slide">Arrival <output name="arrival-text"></output>
<input type="range" name="arrival" min="1" max="1" step="1"></label>
<span class="buttons"><button type="button" name="truth">The truth</button>
<button type="button" name="best">The best lie</button></span>
</div>
<p class="verdict" role="status" aria-live="polite"></p>
<p class="failed bench-error" role="alert" hidden></p>
<div class="bench-landscape"><h3>What every price would bring</h3>
<div class="drawing" role="img" aria-label=""></div><p class="summary"></p></div>
<details class="bench-why" open><summary>Why</summary><pre tabindex="0"></pre></details>
<details class="bench-outcome" open><summary>What everybody gets</summary><div class="scroll" tabindex="0" role="region" aria-label="What everybody gets"></div></details>
<details class="bench-trace"><summary>Every decision, with the numbers behind it</summary><pre tabindex="0"></pre></details>
<p class="downloads"><button type="button" name="market">Market as JSON</button> <button type="button" name="bids">Bids as JSON</button></p>
</section>`;
}

interface DrawField {
  readonly name: string;
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly step: string;
  readonly min: number;
}

const drawFields: readonly DrawField[] = [
  { name: "workers", label: "Workers", value: 12, min: 1, max: 300, step: "1" },
  { name: "budget", label: "Budget", value: 12, min: 0, max: 1e6, step: "any" },
  { name: "rounds", label: "Rounds", value: 6, min: 1, max: 50, step: "1" },
  { name: "ratio", label: "First-round ratio", value: 0.35, min: 0, max: 1, step: "any" },
  { name: "minimum", label: "Minimum workers", value: 1, min: 0, max: 300, step: "1" },
  { name: "seed", label: "Seed", value: 1, min: 0, max: 1e9, step: "1" },
];

const drawField = ({ name, label, value, min, max, step }: DrawField): Markup =>
  html`<label>${label} <input type="number" name="${name}" value="${value}" min="${min}" max="${max}" step="${step}" required data-draw="${value}"></label>`;

/** The registered ones, and those that exhibits need. */
const mechanismNames = ({ analyses }: ReportData): string[] => [
  ...new Set([
    ...Object.keys(mechanisms),
    ...analyses.flatMap(({ result }) => (result?.exhibits ?? []).map(({ mechanism }) => mechanism)),
  ]),
];

function exhibitGroup({ name, result }: ReportData["analyses"][number]): Markup {
  const exhibits = result?.exhibits ?? [];
  if (exhibits.length === 0) return html``;
  const options = exhibits.map(
    (exhibit) => html`<option value="${`${name}/${exhibit.name}`}">${exhibit.title}</option>`,
  );
  return html`<optgroup label="${name}">${options}</optgroup>`;
}

/** Rows: what = piece (price, price2, utility, utility2, arrival) or point; truth, best lie, bid (price, utility). */
export const landscapeTable = "landscape";

const only = (...whats: string[]) => ({ filter: { field: "what", oneOf: whats } });

const x = { field: "price", type: "quantitative", title: "price said" } as const;
const y = { field: "utility", type: "quantitative", title: "utility" } as const;

const colour = {
  field: "arrival",
  type: "ordinal",
  title: "arrival said",
} as const;

/** The arrival of the bid stands out. */
const opacity = { condition: { test: "datum.current", value: 1 }, value: 0.35 } as const;

const shape = {
  field: "what",
  type: "nominal",
  title: null,
  scale: { domain: ["truth", "best lie", "bid"], range: ["circle", "diamond", "cross"] },
} as const;

const tooltip = [
  { field: "what", type: "nominal", title: "what" },
  { field: "price", type: "quantitative", title: "price", format: ".5~g" },
  { field: "utility", type: "quantitative", title: "utility", format: ".5~g" },
  { field: "arrival", type: "ordinal", title: "arrival" },
] as const;

/** Utility against price, a line per arrival, with the truth, the best lie and the bid marked. */
export const landscapeSpec = {
  height: 320,
  layer: [
    {
      transform: [only("piece")],
      mark: { type: "rule", strokeWidth: 2.5, strokeCap: "butt" },
      encoding: { x, x2: { field: "price2" }, y, y2: { field: "utility2" }, color: colour, opacity, tooltip },
    },
    {
      transform: [only("point")],
      mark: { type: "point", size: 18, filled: true },
      encoding: { x, y, color: colour, opacity, tooltip },
    },
    {
      transform: [only("truth")],
      mark: { type: "rule", strokeDash: [3, 4], color: "theme:soft" },
      encoding: { y, tooltip },
    },
    {
      transform: [only("truth", "best lie", "bid")],
      mark: {
        type: "point",
        filled: true,
        size: 170,
        color: "theme:ink",
        stroke: "theme:paper",
        strokeWidth: 1.5,
      },
      encoding: { x, y, shape, tooltip },
    },
  ],
};
