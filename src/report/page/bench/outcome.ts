/** What everybody gets, beside what they would get if the worker told the truth. */

import { difference } from "../../../lib/tolerance.js";
import type { Market } from "../../../market/market.js";
import type { RunRecord } from "../../../mechanisms/run-record.js";
import { amountText } from "../../cells.js";
import { element } from "../dom.js";

const heads = [
  "worker",
  "reputation",
  "cost",
  "price said",
  "arrival",
  "selected in round",
  "rounds",
  "payment",
  "utility",
  "against the truth",
];

export interface Outcomes {
  readonly market: Market;
  readonly truth: RunRecord;
  readonly lie: RunRecord;
  /** Whose bid it is. */
  readonly worker: number;
}

export function outcomeTable({ market, truth, lie, worker }: Outcomes): HTMLElement {
  const types = new Map(market.workers.map((type) => [type.id, type]));
  const honest = new Map(truth.workers.map((record) => [record.id, record]));
  const rows = lie.workers.map((record) => {
    const { id, price, arrival, selectedAt, rounds, payment, utility } = record;
    const { reputation, cost } = types.get(id)!;
    const change = difference(utility, honest.get(id)!.utility, market.rules.budget);
    const cells = [id, reputation, cost, price, arrival, selectedAt, rounds, payment, utility].map(
      numberCell,
    );
    return element("tr", id === worker ? { class: "chosen" } : {}, ...cells, changeCell(change));
  });
  const head = element(
    "tr",
    {},
    ...heads.map((text) => element("th", { scope: "col", class: "number" }, text)),
  );
  return element("table", {}, caption(lie), element("thead", {}, head), element("tbody", {}, ...rows));
}

function caption({ started, startDelay, spent, publisherUtility }: RunRecord): HTMLElement {
  const start = !started
    ? "The task never starts."
    : startDelay === 0
      ? "The task starts on time."
      : `The task starts ${startDelay} late.`;
  const money = `The publisher spends ${amountText(spent)} and gets ${amountText(publisherUtility)}.`;
  return element("caption", {}, `${start} ${money}`);
}

const numberCell = (value: number | null): HTMLElement =>
  element(
    "td",
    { class: "number", "data-value": String(value) },
    value === null ? "never" : amountText(value),
  );

function changeCell(change: number): HTMLElement {
  const none = change === 0;
  const text = none ? "" : `${change > 0 ? "+" : ""}${amountText(change)}`;
  return element("td", { class: none ? "number" : `number ${change > 0 ? "more" : "less"}` }, text);
}
