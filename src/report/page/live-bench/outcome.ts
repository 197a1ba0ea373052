/** What a bid leads to, as a table and in words. */

import { difference, negligible } from "../../../lib/tolerance.js";
import type { Market } from "../../../market/market.js";
import type { RunRecord } from "../../../mechanisms/outcome.js";
import { causesText, differenceText, explain, gainText } from "../../../verdicts/explain.js";
import { amountText } from "../../tables.js";
import { element } from "../dom.js";
import type { Landscape } from "./landscape.js";
import type { BenchState } from "./state.js";

const headings = [
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

interface Outcomes {
  readonly market: Market;
  readonly truth: RunRecord;
  readonly lie: RunRecord;
  /** Whose bid it is. */
  readonly worker: number;
}

/** What everybody gets, beside what they would get if the worker told the truth. */
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
    ...headings.map((text) => element("th", { scope: "col", class: "number" }, text)),
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

export function verdictText(
  { market, worker, bid }: BenchState,
  utility: number,
  landscape: Landscape,
): string {
  const { truthful } = landscape;
  const said = `Worker ${worker.id} says ${amountText(bid.price)} and comes at ${bid.arrival}`;
  const truth = `its cost is ${amountText(worker.cost)}, its arrival ${worker.arrival}`;
  if (bid.price === worker.cost && bid.arrival === worker.arrival)
    return `${said}: the truth. It is worth ${amountText(utility)} to it. ${bestText(landscape, market.rules.budget)}`;
  const gain = utility - truthful;
  const effect =
    Math.abs(gain) <= negligible(market.rules.budget)
      ? "the lie changes nothing for it"
      : `the lie ${gain > 0 ? "gains" : "costs"} ${amountText(Math.abs(gain))}`;
  return `${said}; ${truth}. That is worth ${amountText(utility)} to it, the truth ${amountText(truthful)}: ${effect}.`;
}

function bestText({ best, truthful, exact }: Landscape, budget: number): string {
  const gain = best.utility - truthful;
  if (gain <= negligible(budget))
    return exact ? "No lie gains anything." : "A search found no lie that gains.";
  const least = exact ? "" : "at least ";
  return `The best lie, ${amountText(best.price)} at ${best.arrival}, would gain ${least}${amountText(gain)}.`;
}

export function whyText({ market, mechanism, worker, bid }: BenchState): string {
  if (bid.price === worker.cost && bid.arrival === worker.arrival)
    return "This is the truth. Drag the price or the arrival, or take the best lie, to see what a lie changes.";
  const explained = explain(market, bid, { mechanism });
  const { causes, gain } = explained;
  const parts = [
    gainText(explained),
    ...(causes ? [causesText(causes, gain)] : []),
    differenceText(explained),
  ];
  return parts.join("\n\n");
}

/** For those who cannot see the landscape. */
export function landscapeText(
  { worker }: BenchState,
  { exact, best, truthful, priceLimit }: Landscape,
): string {
  const how = exact ? "exactly, at every price" : "at sampled prices";
  return (
    `Utility of worker ${worker.id} against its price from 0 to ${amountText(priceLimit)}, ${how}, a line for each arrival ` +
    `it can claim. The truth brings ${amountText(truthful)} (dashed); the best possible is ${amountText(best.utility)}` +
    `${best.attained ? "" : ", which no price attains but prices come as near as one likes"}.`
  );
}
