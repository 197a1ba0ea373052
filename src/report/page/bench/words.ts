/** What happened on the bench, in words. */

import { negligible } from "../../../lib/tolerance.js";
import { explain } from "../../../verdicts/explain.js";
import { causesText, differenceText, gainText } from "../../../verdicts/reason-text.js";
import { amountText } from "../../cells.js";
import type { Landscape } from "./landscape.js";
import type { Bench } from "./state.js";

export function verdictText({ market, worker, bid }: Bench, utility: number, landscape: Landscape): string {
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

export function whyText({ market, mechanism, worker, bid }: Bench): string {
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
export function landscapeText({ worker }: Bench, { exact, best, truthful, priceLimit }: Landscape): string {
  const how = exact ? "exactly, at every price" : "at sampled prices";
  return (
    `Utility of worker ${worker.id} against its price from 0 to ${amountText(priceLimit)}, ${how}, a line for each arrival ` +
    `it can claim. The truth brings ${amountText(truthful)} (dashed); the best possible is ${amountText(best.utility)}` +
    `${best.attained ? "" : ", which no price attains but prices come as near as one likes"}.`
  );
}
