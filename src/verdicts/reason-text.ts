/** Why a lie pays, in words: what it gains, where that comes from, and the first decision that differs. */

import { brief, table } from "../lib/format.js";
import { difference } from "../lib/tolerance.js";
import type { Causes } from "./causes.js";
import { type Decision, type Difference, type Explanation, lieKinds } from "./explain.js";

export function gainText({ gain, kind, truth, lie }: Explanation): string {
  if (truth.bid.price === lie.bid.price && truth.bid.arrival === lie.bid.arrival)
    return "This is the truth: no lie gains more.";
  if (kind === null) return gain < 0 ? `The lie costs ${brief(-gain)}.` : "The lie gains nothing.";
  return `The lie gains ${brief(gain)}. Kind: ${lieKinds[kind]}.`;
}

export function causesText({ rounds, price, budget, start }: Causes, gain: number): string {
  const lines: [number, string][] = [
    [rounds, "rounds won or given up, at their price less the cost"],
    [price, "a better or worse price for the rounds worked either way"],
    [budget, "money: what the budget kept from the truth, less what it kept from the lie"],
    [start, "the start moved"],
    [gain, "in all"],
  ];
  const largest = Math.max(...lines.map(([amount]) => Math.abs(amount)));
  const amounts = table([
    { head: "Where it comes from", cells: lines.map(([amount]) => signed(amount, largest)) },
  ]).split("\n");
  const width = Math.max(...amounts.map(({ length }) => length));
  const told = amounts.slice(1).map((row, k) => `${row.padEnd(width)}  ${lines[k]![1]}`);
  return [amounts[0]!, ...told].join("\n");
}

/** Rounding noise is no cause. */
function signed(amount: number, largest: number): string {
  const text = brief(difference(amount, 0, largest));
  return amount > 0 && text !== "0" ? `+${text}` : text;
}

export function differenceText(difference: Difference | null): string {
  if (!difference) return "Every decision about the start and about its group is the same in both runs.";
  const { truth, lie, clock } = difference;
  return [
    `The first decision that differs, at clock ${clock}:`,
    `  truth: ${truth ? decisionText(truth) : "not taken at all"}`,
    `  lie:   ${lie ? decisionText(lie) : "not taken at all"}`,
  ].join("\n");
}

export function decisionText(decision: Decision): string {
  if (decision.kind === "start") {
    const { share, enough, minWorkers } = decision;
    const taken = share.taken.length === 0 ? "nobody" : share.taken.join(", ");
    const next = share.next
      ? `; ${share.next.worker} is not (${brief(share.next.cost)} > ${brief(share.budget)})`
      : "";
    const outcome = enough ? `ρ* = ${brief(share.density ?? 0)}` : `${minWorkers} needed, the start moves`;
    return `the first step takes ${taken}${next}; ${outcome}`;
  }
  const { ruling, worker, round, density, threshold, need, left, payment } = decision;
  const numbers: Record<typeof ruling, string> = {
    dear: `too dear, ${brief(density)} > ${shown(threshold)}`,
    admitted: `admitted, ${brief(need)} ≤ ${brief(left)} left`,
    refused: `refused, ${brief(need)} > ${brief(left)} left`,
    raised: `raised by ${brief(need)} ≤ ${brief(left)} left`,
    capped: `raised by the ${brief(left)} left instead of ${brief(need)}`,
    kept: `kept, ρ* = ${shown(threshold)} is no more than it has`,
    denied: "denied a raise, nothing is left",
  };
  return `round ${round}: worker ${worker} ${numbers[ruling]}; paid ${brief(payment)}`;
}

const shown = (density: number | null): string => (density === null ? "–" : brief(density));
