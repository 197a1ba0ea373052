/** How the report came about, and the command that makes it again. */

import type { Provenance, ReportData } from "./data.js";
import { html, type Markup, placeId } from "./markup.js";

export function provenanceMarkup(data: ReportData, provenance: Provenance): Markup {
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
