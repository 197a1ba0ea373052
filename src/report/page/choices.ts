/**
 * What the reader chooses. Facets and what is on the live bench are in the page's address, so that whoever gets the link sees the
 * same; the theme is not.
 */

import { placeId } from "../markup.js";
import { type Choice, type Facet, facetNames } from "../tables.js";
import { type Theme, type ThemeName, themes } from "../theme.js";
import { find, findAll } from "./dom.js";
import { benchFields } from "./live-bench/address.js";

type Fields = Readonly<Record<string, string | null>>;

type FieldListener = (fields: URLSearchParams) => void;

const fieldListeners: FieldListener[] = [];

/** The fields of the address. */
export const fields = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

/** Sets some fields and leaves the others; null removes. The history does not grow with every drag of a slider. */
export function setFields(changes: Fields): void {
  const now = fields();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") now.delete(name);
    else now.set(name, value);
  }
  history.replaceState(null, "", `#${now}`);
}

/** Called at once, and whenever a link or the reader changes the address. */
export function onFields(listener: FieldListener): void {
  fieldListeners.push(listener);
  listener(fields());
}

/** Links within the page change some fields and keep the rest. */
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a[href^='#']");
    if (!link || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const wanted = new URLSearchParams(link.getAttribute("href")!.slice(1));
    go(Object.fromEntries(wanted));
  });
  window.addEventListener("hashchange", notify);
}

/** Changes fields and notifies all listeners. A market on the live bench is replaced as a whole. */
export function go(changes: Fields): void {
  const forgotten = "exhibit" in changes ? Object.fromEntries(benchFields.map((field) => [field, null])) : {};
  setFields({ ...forgotten, ...changes });
  notify();
}

function notify(): void {
  const now = fields();
  for (const listener of fieldListeners) listener(now);
  scrollToPlace(now);
}

/** Scrolls to the place that the address names, if any. */
export function scrollToPlace(now = fields()): void {
  const at = now.get("at");
  if (at !== null) document.getElementById(placeId(at))?.scrollIntoView();
}

type ChoiceListener = (choice: Choice) => void;

const choiceListeners: ChoiceListener[] = [];
let currentChoice: Choice = {};

/** What is chosen at the top of the page. */
export const choice = (): Choice => currentChoice;

/** Called whenever the choice changes. */
export function onChoice(listener: ChoiceListener): void {
  choiceListeners.push(listener);
}

export function watchChoice(): void {
  const pickers = findAll<HTMLSelectElement>("select[data-facet]");
  for (const picker of pickers)
    picker.addEventListener("change", () => go({ [picker.dataset.facet!]: picker.value, at: null }));
  const reset = find<HTMLButtonElement>("#reset");
  reset.addEventListener("click", () =>
    go({ ...Object.fromEntries(facetNames.map((facet) => [facet, null])), at: null }),
  );
  onFields((fields) => {
    const next = readChoice(fields, pickers);
    reset.hidden = Object.keys(next).length === 0;
    for (const picker of pickers) picker.value = next[picker.dataset.facet as Facet] ?? "";
    if (JSON.stringify(next) === JSON.stringify(currentChoice)) return;
    currentChoice = next;
    for (const listener of choiceListeners) listener(currentChoice);
  });
}

/** Only what can be chosen: a link from another report may name more. */
function readChoice(fields: URLSearchParams, pickers: readonly HTMLSelectElement[]): Choice {
  const known = pickers.flatMap((picker) => {
    const facet = picker.dataset.facet as Facet;
    const word = fields.get(facet);
    const offered = [...picker.options].some(({ value }) => value === word);
    return word !== null && word !== "" && offered ? [[facet, word] as const] : [];
  });
  return Object.fromEntries(known);
}

/** Light or dark: as the system says, until the reader says otherwise. */
const systemTheme = matchMedia("(prefers-color-scheme: dark)");
const themeListeners: (() => void)[] = [];
let wantedTheme: ThemeName | null = null;
let printing = false;

const themeName = (): ThemeName =>
  printing ? "light" : (wantedTheme ?? (systemTheme.matches ? "dark" : "light"));

/** The colours of charts now. */
export const theme = (): Theme => themes[themeName()];

export function onTheme(listener: () => void): void {
  themeListeners.push(listener);
}

export function watchTheme(): void {
  const button = find<HTMLButtonElement>("#theme");
  button.addEventListener("click", () => {
    wantedTheme = themeName() === "dark" ? "light" : "dark";
    applyTheme(button);
  });
  systemTheme.addEventListener("change", () => applyTheme(button));
  for (const [event, begins] of [
    ["beforeprint", true],
    ["afterprint", false],
  ] as const)
    window.addEventListener(event, () => {
      printing = begins;
      applyTheme(button);
    });
  applyTheme(button);
}

function applyTheme(button: HTMLButtonElement): void {
  document.documentElement.dataset.theme = themeName();
  button.textContent = themeName() === "dark" ? "Light" : "Dark";
  for (const listener of themeListeners) listener();
}
