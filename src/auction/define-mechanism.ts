/** Mechanisms from their programs: on plain numbers by `decide`, and in any other arithmetic by their program. */

import { plainFields } from "../lib/plain-fields.js";
import type { Bidder } from "../market/market.js";
import { Lines } from "./lines.js";
import type { InformedBidder, InformedMechanism, Mechanism } from "./mechanism.js";
import { markBuiltIn, type Program, runProgram } from "./program.js";
import { tracing } from "./tracing.js";

const numbers = new Lines();

/** Marks a `decide` with its program; the same mark in every copy of this module, since users' files may load their own. */
const PROGRAM = Symbol.for("candor.program");

/** The program that a `decide` was made from, if any. */
export const programOf = (decide: object): Program | undefined =>
  (decide as { [PROGRAM]?: Program })[PROGRAM];

/** A mechanism from its program, which also runs in exact fractions and on a line at one worker's price. */
export function defineMechanism(
  mechanism: Omit<Mechanism, "decide" | "program"> & { readonly program: Program },
): Mechanism {
  const fields = plainFields(mechanism);
  const decide: Mechanism["decide"] = (rules, bids, trace) =>
    runProgram(fields, rules, bids, { math: numbers, observe: trace && tracing(trace) }).outcome();
  return { ...fields, decide: Object.assign(decide, { [PROGRAM]: fields.program }) };
}

/** One of the house: its program is held to what users' are by tests. */
export function defineBuiltIn(mechanism: Parameters<typeof defineMechanism>[0]): Mechanism {
  markBuiltIn(mechanism.program);
  return defineMechanism(mechanism);
}

/** A yardstick from its program: the workers in it ask their true costs, whatever they bid. */
export function defineYardstick(
  mechanism: Omit<InformedMechanism, "decide" | "program" | "sees"> & { readonly program: Program },
): InformedMechanism {
  const { decide } = defineBuiltIn(mechanism);
  return { ...mechanism, sees: "costs", decide: (rules, bids, trace) => decide(rules, atCost(bids), trace) };
}

const atCost = (bids: readonly InformedBidder[]): Bidder[] =>
  bids.map(({ cost, ...bidder }) => ({ ...bidder, price: cost }));
