/** The state of the page is in its address: whoever gets the link sees the same. */

import { placeId } from "../markup.js";

export type Fields = Readonly<Record<string, string | null>>;

type Listener = (fields: URLSearchParams) => void;

const listeners: Listener[] = [];

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
export function onFields(listener: Listener): void {
  listeners.push(listener);
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
  window.addEventListener("hashchange", tell);
}

/** Changes fields and tells everybody. A market on the bench is replaced as a whole. */
export function go(changes: Fields): void {
  const forgotten = "exhibit" in changes ? { worker: null, price: null, arrival: null, auction: null } : {};
  setFields({ ...forgotten, ...changes });
  tell();
}

function tell(): void {
  const now = fields();
  for (const listener of listeners) listener(now);
  scrollToPlace(now);
}

/** Scrolls to the place that the address names, if any. */
export function scrollToPlace(now = fields()): void {
  const at = now.get("at");
  if (at !== null) document.getElementById(placeId(at))?.scrollIntoView();
}
