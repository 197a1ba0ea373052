/** HTML text in which whatever is put in stays text, unless it is markup itself. */

import { withoutControls } from "../lib/format.js";
import { mechanisms } from "../mechanisms/index.js";

export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | string | number | null | readonly Markup[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeText = (text: string): string =>
  withoutControls(text).replace(/[&<>"']/g, (sign) => entities[sign]!);

/** A template: names and numbers are escaped, null is nothing, lists are joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, string, k) => text + partText(parts[k - 1]!) + string));
}

function partText(part: Part): string {
  if (part === null) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(({ text }) => text).join("\n");
  return escapeText(String(part));
}

/** The id of a place that links lead to. Names of our own begin with _, which no analysis's does. */
export const placeId = (name: string): string => `at-${name}`;

/** The address of a place within the page. */
export const linkTo = (name: string): string => `#at=${name}`;

/** The address within the page that opens an exhibit of an analysis on the live bench. */
export const exhibitLink = (analysis: string, exhibit: string): string =>
  `#${new URLSearchParams({ at: "_bench", exhibit: `${analysis}/${exhibit}` })}`;

/** A number and its per cent sign stay on one line. */
export const unbroken = (text: string): string => text.replace(/(\d) %/g, "$1\u00a0%");

/** Verdicts are words with a colour, never a colour alone. */
export function verdictMarkup(text: string): Markup {
  const [word, name] = /^(holds|breaks|none found|not proved|undecided|proved)\b/i.exec(text) ?? [];
  if (word === undefined || name === undefined) return html`${text}`;
  return html`<b class="verdict-${name.toLowerCase().replace(" ", "-")}">${word}</b>${text.slice(word.length)}`;
}

/** The id of a mechanism's card. */
export const cardId = (mechanism: string): string => `card-${mechanism}`;

/** Names of mechanisms that no sentence uses as a word of its own; `online` must be set in backquotes. */
const mechanismNames = Object.keys(mechanisms);
const NAMES = new RegExp(
  `\`([\\w-]+)\`|(?<![\\w-])(${mechanismNames.filter((name) => name !== "online").join("|")})(?![\\w-])`,
  "g",
);

/** A sentence from an analysis, in which the name of a mechanism opens its card. */
export function mentioned(text: string): Markup {
  const parts: Markup[] = [];
  let from = 0;
  for (const found of text.matchAll(NAMES)) {
    const name = found[1] ?? found[2]!;
    parts.push(html`${unbroken(text.slice(from, found.index))}`);
    parts.push(
      mechanismNames.includes(name)
        ? html`<button type="button" class="term" popovertarget="${cardId(name)}">${name}</button>`
        : html`${name}`,
    );
    from = found.index + found[0].length;
  }
  parts.push(html`${unbroken(text.slice(from))}`);
  return new Markup(parts.map(({ text }) => text).join(""));
}

/** A value for a script element: nothing in it can end the element, open a comment or break a line. */
export function embeddedJson(value: unknown): Markup {
  const text = JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
  return new Markup(text);
}

/** Our own code for a script element. */
export const embeddedScript = (code: string): Markup =>
  new Markup(code.replace(/<\/(script)/gi, "<\\/$1").replaceAll("<!--", "<\\!--"));

/** Our own styles for a style element. */
export const embeddedStyle = (css: string): Markup => new Markup(css.replace(/<\//g, "<\\/"));
