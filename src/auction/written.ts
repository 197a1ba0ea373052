/** Mechanisms from their programs: on plain numbers by `decide`, and in any other arithmetic by their text. */

import type { Bidder } from "../market/market.js";
import { Lines } from "./lines.js";
import type { InformedBidder, InformedMechanism, Mechanism } from "./mechanism.js";
import { markBuiltIn, type Program, runProgram } from "./program.js";

const numbers = new Lines();

/** Marks a `decide` with its text; the same mark in every copy of this module, for users' files may load their own. */
const TEXT = Symbol.for("candor.text");

/** The text that a `decide` was made from, if any. */
export const textOf = (decide: object): Program | undefined => (decide as { [TEXT]?: Program })[TEXT];

/** A mechanism from its text, which also runs in exact fractions and on a line at one worker's price. */
export function written(
  mechanism: Omit<Mechanism, "decide" | "text"> & { readonly text: Program },
): Mechanism {
  const decide: Mechanism["decide"] = (rules, bids, trace) =>
    runProgram(mechanism, rules, bids, { math: numbers, trace }).outcome();
  return { ...mechanism, decide: Object.assign(decide, { [TEXT]: mechanism.text }) };
}

/** One of the house: its program is held to what users' are by tests. */
export function builtIn(mechanism: Parameters<typeof written>[0]): Mechanism {
  markBuiltIn(mechanism.text);
  return written(mechanism);
}

/** A yardstick from its text: the workers in it ask their true costs, whatever they bid. */
export function informed(
  mechanism: Omit<InformedMechanism, "decide" | "text" | "sees"> & { readonly text: Program },
): InformedMechanism {
  const { decide } = builtIn(mechanism);
  return { ...mechanism, sees: "costs", decide: (rules, bids, trace) => decide(rules, atCost(bids), trace) };
}

const atCost = (bids: readonly InformedBidder[]): Bidder[] =>
  bids.map(({ cost, ...bidder }) => ({ ...bidder, price: cost }));
