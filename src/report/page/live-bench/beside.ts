/** Mechanisms side by side: what each makes of the same market and the same bids, and who can gain under it. */

import { difference } from "../../../lib/tolerance.js";
import { amountText } from "../../tables.js";
import { element, find, findAll } from "../dom.js";
import type { ComparedAnswer } from "./answers.js";
import type { BenchState } from "./state.js";

const place = find(".bench-beside .scroll");
const boxes = findAll<HTMLInputElement>('.bench-beside [name="beside"]');

/** What is known of a mechanism so far. */
export interface Beside {
  readonly compared: ComparedAnswer | null;
  /** How many can gain and the most that one can; null until all were asked. */
  readonly gains: { readonly can: number; readonly most: number; readonly exact: boolean } | null;
  /** Why something is not known. */
  readonly failed: string | null;
}

export function startBeside(choose: (names: readonly string[]) => void): void {
  for (const box of boxes)
    box.addEventListener("change", () =>
      choose(boxes.filter(({ checked }) => checked).map(({ value }) => value)),
    );
}

/** The mechanism on the bench is always among them. */
export function showChoice({ mechanism, compared }: BenchState): void {
  for (const box of boxes) {
    box.disabled = box.value === mechanism;
    box.checked = box.disabled || compared.includes(box.value);
  }
}

const headings = [
  "mechanism",
  "selected",
  "spent",
  "publisher gets",
  "per unit paid",
  "this lie gains",
  "can gain",
  "most to gain",
];

export function showBeside(state: BenchState, found: ReadonlyMap<string, Beside>): void {
  const { market, mechanism, compared } = state;
  const names = [mechanism, ...compared.filter((name) => name !== mechanism)];
  const head = headings.map((text, k) =>
    element("th", { scope: "col", class: k === 0 ? "" : "number" }, text),
  );
  const rows = names.map((name) => besideRow(name, found.get(name), state));
  place.replaceChildren(
    element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)),
  );
  place.dataset.of = String(market.workers.length);
}

function besideRow(name: string, found: Beside | undefined, { market }: BenchState): HTMLElement {
  const { compared = null, gains = null, failed = null } = found ?? {};
  const amount = (value: number | null) => (value === null ? "–" : amountText(value));
  const gain = compared && difference(compared.lieGains, 0, market.rules.budget);
  const cells = [
    compared && `${compared.selected} of ${market.workers.length}`,
    compared && amount(compared.spent),
    compared && amount(compared.publisherUtility),
    compared && amount(compared.utilityPerUnitPaid),
    gain === null ? null : `${gain > 0 ? "+" : ""}${amount(gain)}`,
    gains && `${gains.can} of ${market.workers.length}`,
    gains && (gains.most > 0 ? `${gains.exact ? "" : "at least "}${amount(gains.most)}` : "nothing"),
  ];
  const row = element("tr", {}, element("th", { scope: "row" }, name));
  row.append(...cells.map((text) => element("td", { class: "number" }, text ?? (failed ? "–" : "…"))));
  if (failed) row.title = failed;
  return row;
}
