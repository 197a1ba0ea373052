/**
 * What the reader chooses. The choices of figures and what is on the live bench are in the page's address, so that a reader who gets the
 * link sees the same; the theme is not.
 */

import { placeId } from "../markup.js";
import { type Theme, type ThemeName, themes } from "../theme.js";
import { find } from "./dom.js";
import { noFields } from "./live-bench/link.js";

type Fields = Readonly<Record<string, string | null>>;

type FieldListener = (fields: URLSearchParams) => void;

const fieldListeners: FieldListener[] = [];

/** The fields of the address. */
export const fields = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

/** Sets some fields and leaves the others; null removes. The history grows with links, not with every drag of a slider. */
export function setFields(changes: Fields, entry: "same" | "new" = "same"): void {
  const now = fields();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") now.delete(name);
    else now.set(name, value);
  }
  const address = `#${now}`;
  if (entry === "new" && address !== location.hash) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
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
    const place = document.getElementById(link.getAttribute("href")!.slice(1));
    if (place) return show(place);
    const wanted = new URLSearchParams(link.getAttribute("href")!.slice(1));
    go(Object.fromEntries(wanted));
  });
  window.addEventListener("popstate", notify);
}

/** Changes fields and notifies all listeners. A market on the live bench is replaced as a whole. */
export function go(changes: Fields): void {
  setFields({ ...("exhibit" in changes && noFields), ...changes }, "new");
  notify();
}

function notify(): void {
  const now = fields();
  for (const listener of fieldListeners) listener(now);
  scrollToPlace(now);
}

/** Scrolls to the place that the address names, if any, and goes on from there with the keyboard. */
export function scrollToPlace(now = fields()): void {
  const at = now.get("at");
  const place = at === null ? null : document.getElementById(placeId(at));
  if (place) show(place);
}

function show(place: HTMLElement): void {
  for (const fold of place.querySelectorAll<HTMLDetailsElement>(":scope > details.rest")) fold.open = true;
  place.scrollIntoView();
  place.focus({ preventScroll: true });
}

/** Light or dark: as the system says, until the reader says otherwise. */
const systemTheme = matchMedia("(prefers-color-scheme: dark)");
const themeListeners: (() => void)[] = [];
let wantedTheme: ThemeName | null = null;
let printing = false;

const themeName = (): ThemeName =>
  printing ? "light" : (wantedTheme ?? (systemTheme.matches ? "dark" : "light"));

export const isPrinting = (): boolean => printing;

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
