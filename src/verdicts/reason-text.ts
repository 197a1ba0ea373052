/** Why a lie pays, in words: what it gains, where that comes from, and the first decision that differs. */

import { brief, counted, table } from "../lib/format.js";
import { difference as differenceOf } from "../lib/tolerance.js";
import type { RulingEvent, StartEvent } from "../mechanisms/trace.js";
import type { Causes } from "./causes.js";
import { type Decision, type Difference, type Explanation, lieKinds, sameFate } from "./explain.js";

export function gainText({ gain, kind, truth, lie }: Explanation): string {
  if (truth.bid.price === lie.bid.price && truth.bid.arrival === lie.bid.arrival)
    return "This bid is the truth.";
  if (kind !== null) return `The lie gains ${brief(gain)}. Kind: ${lieKinds[kind]}.`;
  return gain < 0 && !sameFate(truth, lie) ? `The lie costs ${brief(-gain)}.` : "The lie gains nothing.";
}

export function causesText({ rounds, price, budget, start }: Causes, gain: number): string {
  const lines: [number, string][] = [
    [rounds, "rounds that only one of the two bids would work, at their price less the cost"],
    [price, "a different price for the rounds that both would work"],
    [start, "another start of the task"],
    [budget, "the budget: what it keeps from the truth, less what it keeps from the lie"],
    [gain, "in all"],
  ];
  const largest = Math.max(...lines.map(([amount]) => Math.abs(amount)));
  const [, ...amounts] = table([{ head: "", cells: lines.map(([amount]) => signed(amount, largest)) }]).split(
    "\n",
  );
  const width = Math.max(...amounts.map(({ length }) => length));
  return [
    "Where the difference comes from (the first three as if the budget had no end):",
    ...amounts.map((row, k) => `  ${row.padEnd(width)}  ${lines[k]![1]}`),
  ].join("\n");
}

/** Rounding noise is no cause. */
function signed(amount: number, largest: number): string {
  const text = brief(differenceOf(amount, 0, largest));
  return amount > 0 && text !== "0" ? `+${text}` : text;
}

/** What the traces of the two runs show; where they show nothing, that is said. */
export function differenceText({ worker, difference, decisions, truth, lie }: Explanation): string {
  if (difference)
    return [
      `The first decision that differs, ${whenText(difference)}:`,
      `  truth: ${decisionIn(difference, "truth")}`,
      `  lie:   ${decisionIn(difference, "lie")}`,
    ].join("\n");
  const fate = sameFate(truth, lie) ? "is the same" : "differs";
  const outcome = `the outcome for worker ${worker.id} ${fate}`;
  if (decisions === 0) return `The mechanism traces no decisions, so there are none to compare; ${outcome}.`;
  const compared =
    decisions === 1 ? "The one traced decision" : `Each of the ${counted(decisions, "traced decision")}`;
  const joined = sameFate(truth, lie) ? "and" : "but";
  return `${compared} that can reach worker ${worker.id} is the same in both runs, ${joined} ${outcome}.`;
}

export const whenText = ({ clock, round }: Difference): string =>
  clock === null ? `in round ${round}` : `at clock ${clock}`;

/** The decision as one of the two runs takes it, if it does. */
export function decisionIn(difference: Difference, run: "truth" | "lie"): string {
  const decision = difference[run];
  if (decision) return decisionText(decision);
  const other = (difference.truth ?? difference.lie)!;
  return other.kind === "start"
    ? `no try to start at clock ${other.clock}`
    : `no decision about worker ${other.worker} in round ${other.round}`;
}

const decisionText = (decision: Decision): string =>
  decision.kind === "start" ? startText(decision) : rulingText(decision);

function startText({ share, enough, minWorkers, clock }: StartEvent): string {
  const { taken, next, density, budget } = share;
  const who =
    taken.length === 0 ? "nobody" : `${taken.length === 1 ? "worker" : "workers"} ${taken.join(", ")}`;
  const verb = taken.length > 1 ? "are" : "is";
  const stop = next ? `; worker ${next.worker} does not fit, ${compared(next.cost, ">", budget)}` : "";
  if (!enough)
    return `the first step would take ${who}${stop}; ${minWorkers} needed, so nobody is selected at clock ${clock}`;
  const at = taken.length === 0 || density === null ? "" : ` at ρ* = ${brief(density)}`;
  return `${who} ${verb} selected${at}${stop}`;
}

function rulingText(event: RulingEvent): string {
  return `round ${event.round}: worker ${event.worker} ${rulingWords[event.ruling](event)}; payment ${brief(event.payment)}`;
}

const rulingWords: Record<RulingEvent["ruling"], (event: RulingEvent) => string> = {
  dear: ({ density, threshold }) =>
    threshold === null ? "left out because of its price" : `too dear, ${compared(density, ">", threshold)}`,
  admitted: ({ need, left }) => `admitted, ${compared(need, "≤", left)} left`,
  refused: ({ need, left }) => `refused, ${compared(need, ">", left)} left`,
  raised: ({ need, left }) => `raised, ${compared(need, "≤", left)} left`,
  capped: ({ need, left }) => cappedText(need, left),
  kept: ({ threshold, promised }) =>
    threshold === null || promised === null
      ? "keeps its payment"
      : `keeps its payment, ${compared(threshold, "≤", promised)} promised`,
  denied: () => "denied a raise, for nothing is left",
};

/** Where more than all is spent already, the pseudocode lowers a payment ([M11]). */
function cappedText(need: number, left: number): string {
  if (left > 0) return `raised by the ${brief(left)} left instead of ${brief(need)}`;
  return left < 0 ? `lowered by the ${brief(-left)} overspent` : "not raised, nothing is left";
}

/** A comparison that reads true: in all digits where a few look equal, as a tie where only rounding tells ([M13]). */
function compared(a: number, sign: "≤" | ">", b: number): string {
  if (sign === ">" ? a <= b : a > b) return `${brief(a)} ≈ ${brief(b)}`;
  return brief(a) === brief(b) && a !== b ? `${a} ${sign} ${b}` : `${brief(a)} ${sign} ${brief(b)}`;
}
