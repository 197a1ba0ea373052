/** A chart's place in the page: title, drawing, words for those who cannot see it, and how to read it. */

import { html, type Markup, prose } from "./markup.js";
import type { Chart } from "./result.js";

/** `prefix` keeps ids apart where a chart is shown twice. */
export function figureMarkup(analysis: string, chart: Chart, prefix = ""): Markup {
  const id = `${prefix}${analysis}--${chart.name}`;
  return html`<figure class="chart" aria-labelledby="${id}-title">
<h3 id="${id}-title">${chart.title}</h3>
<div class="drawing" data-analysis="${analysis}" data-chart="${chart.name}" role="img" aria-label="${chart.summary}"></div>
<figcaption><p class="summary">${prose(chart.summary)}</p>
<p class="reading"><b>How to read it.</b> ${prose(chart.howToRead)}</p>
<p class="downloads"><button type="button" data-svg="${chart.name}" data-of="${analysis}">SVG</button></p></figcaption>
</figure>`;
}
