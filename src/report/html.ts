/** The report as one HTML file that needs nothing else. */

import { benchMarkup } from "./bench-markup.js";
import type { Provenance, ReportData } from "./data.js";
import { differenceMarkup } from "./diff-markup.js";
import { firstScreen } from "./first-screen.js";
import { embeddedJson, embeddedScript, embeddedStyle, html, linkTo, placeId } from "./markup.js";
import type { Payload } from "./payload.js";
import { provenanceMarkup } from "./provenance-markup.js";
import { sectionMarkup } from "./section-markup.js";
import { toolbarMarkup } from "./toolbar-markup.js";

export interface ReportParts {
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
${benchMarkup(data)}
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
