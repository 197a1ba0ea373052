/** The choice at the top of the page, and who follows it. */

import { type Choice, type Facet, facetNames } from "../facets.js";
import { find, findAll } from "./dom.js";
import { go, onFields } from "./hash.js";

type Follower = (choice: Choice) => void;

const followers: Follower[] = [];
let current: Choice = {};

export const choice = (): Choice => current;

/** Called whenever the choice changes. */
export function onChoice(follower: Follower): void {
  followers.push(follower);
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
    if (JSON.stringify(next) === JSON.stringify(current)) return;
    current = next;
    for (const follower of followers) follower(current);
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
