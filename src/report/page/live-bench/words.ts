/** What the live bench says in sentences. */

import type { RunRecord } from "../../../auction/run-record.js";
import { difference, negligible } from "../../../lib/tolerance.js";
import type { Bid, Market, Worker } from "../../../market/market.js";
import { amountText } from "../../result.js";
import { gainsSentence, moneySentence, startSentence } from "../../views.js";
import { type AnswerOf, type Gain, type Landscape, utilityOf } from "./answers.js";
import type { BenchState } from "./state.js";

/** The outcome for the worker on the sliders; what is known of its best lie, if it is. */
interface Shown {
  readonly state: BenchState;
  readonly worker: Worker;
  readonly bid: Bid;
  readonly outcome: AnswerOf<"outcome">;
  readonly landscape: Landscape | null;
}

/** What the bid brings, in a few words and then in full. */
export function verdictText(shown: Shown): { head: string; text: string } {
  const { state, worker, bid, outcome, landscape } = shown;
  const { budget } = state.market.rules;
  const utility = utilityOf(outcome.said, worker.id);
  const others = othersText(shown);
  if (bid.price === worker.cost && bid.arrival === worker.arrival) {
    const best = landscape ? ` ${bestText(landscape, budget)}` : "";
    return {
      head: `Worker ${worker.id} tells the truth.`,
      text: `That is worth ${amountText(utility)} to it.${best}${others}`,
    };
  }
  const gain = difference(utility, outcome.honest, budget);
  const effect =
    gain === 0
      ? "changes nothing for it"
      : `${gain > 0 ? "gains" : "costs"} it ${amountText(Math.abs(gain))}`;
  return {
    head: `The lie of worker ${worker.id} ${effect}.`,
    text: `${liesText(bid, worker)}. That is worth ${amountText(utility)} to it, the truth ${amountText(outcome.honest)}.${others}`,
  };
}

/** The bid and the truth, where they differ. */
function liesText({ price, arrival }: Bid, worker: Worker): string {
  const lies = [
    ...(price === worker.cost
      ? []
      : [`says ${amountText(price)}, not its cost of ${amountText(worker.cost)}`]),
    ...(arrival === worker.arrival ? [] : [`comes at ${arrival}, not at ${worker.arrival}`]),
  ];
  return `It ${lies.join(", and ")}`;
}

function bestText({ best, truthful, exact }: Landscape, budget: number): string {
  const gain = best.utility - truthful;
  if (gain <= negligible(budget))
    return exact ? "No lie gains anything." : "A search found no lie that gains.";
  const least = exact ? "" : "at least ";
  return `The best lie, ${amountText(best.price)} at ${best.arrival}, would gain ${least}${amountText(gain)}.`;
}

/** What all liars get together, where the one on the sliders is not the only one. */
function othersText({ state, worker, outcome }: Shown): string {
  const liars = state.bids.map((bid) => bid.worker).sort((a, b) => a - b);
  if (!liars.some((id) => id !== worker.id)) return "";
  const total = (run: RunRecord) => liars.reduce((sum, id) => sum + utilityOf(run, id), 0);
  const more = difference(total(outcome.said), total(outcome.truth), state.market.rules.budget);
  const effect =
    more === 0 ? "as much as" : `${amountText(Math.abs(more))} ${more > 0 ? "more" : "less"} than`;
  const who =
    liars.length === 1 ? `Worker ${liars[0]} lies: it gets` : `${listed(liars)} lie: together they get`;
  return ` ${who} ${effect} if everybody told the truth.`;
}

const NAMED = 6;

function listed(ids: readonly number[]): string {
  if (ids.length > NAMED) return `${ids.length} workers`;
  return `Workers ${ids.slice(0, -1).join(", ")} and ${ids.at(-1)}`;
}

export const truthText =
  "This worker tells the truth. Drag its price or its arrival, or take the best lie, to see what a lie changes.";

/** Of a market that was examined under a mechanism of the reader's own. */
export const ownText = (mechanism: string): string =>
  `${mechanism} is a mechanism of your own, and this page has only the built-in ones: the market and the bids are here, what becomes of them is not. ` +
  "Take both as JSON below and run them with candor run, explain or best-response and your --mechanism, or choose another mechanism here.";

/** How the landscape is to be read. */
export const landscapeNote = ({ bid }: Shown, { exact }: Landscape): string =>
  `Thick: at arrival ${bid.arrival}, which it says; thin: at any other it can claim; dashed: what the truth brings. ` +
  `${exact ? "Exact at every price" : "At sampled prices"}. Drag in the picture to change the price.`;

/** For those who cannot see the landscape. */
export function landscapeText({ worker }: Shown, { exact, best, truthful, priceLimit }: Landscape): string {
  const how = exact ? "exactly, at every price" : "at sampled prices";
  return (
    `Utility of worker ${worker.id} against its price from 0 to ${amountText(priceLimit)}, ${how}, a line for each arrival ` +
    `it can claim. The truth brings ${amountText(truthful)}; the best possible is ${amountText(best.utility)}` +
    `${best.attained ? "" : ", which no price attains but prices come as near as one likes"}.`
  );
}

/** Who can gain, once everybody was asked. */
export const gainsText = (
  workers: readonly Gain[],
  { exact, lie }: { exact: boolean; lie: boolean },
): string =>
  gainsSentence({ workers, searched: !exact, given: lie ? ", while the others bid as they do now" : "" });

/** What comes of the auction for the publisher. */
export const runText = (run: RunRecord, { rules }: Market): string =>
  `${startSentence(run)} ${moneySentence(run, rules.budget)}`;
