/** Mechanisms written as a text: run on numbers, on exact fractions, or on a line at one worker's price. */

import type { Bidder } from "../market/market.js";
import { Auction } from "./auction.js";
import { Lines } from "./lines.js";
import type { InformedBidder, InformedMechanism, Mechanism } from "./mechanism.js";

/** The decisions of an auction, step by step. */
export type Text = (auction: Auction) => void;

const numbers = new Lines();

/** Marks a `decide` with its text; the same mark in every copy of this module, for users' files may load their own. */
const TEXT = Symbol.for("candor.text");

/** The text that a `decide` was made from, if any. */
export const textOf = (decide: object): Text | undefined => (decide as { [TEXT]?: Text })[TEXT];

/** A mechanism from its text. */
export function written(mechanism: Omit<Mechanism, "decide" | "text"> & { readonly text: Text }): Mechanism {
  const decide: Mechanism["decide"] = (rules, bids, trace) => {
    const auction = new Auction(rules, bids, { math: numbers, trace });
    mechanism.text(auction);
    return auction.outcome();
  };
  return { ...mechanism, decide: Object.assign(decide, { [TEXT]: mechanism.text }) };
}

/** A yardstick from its text: the workers in it ask their true costs, whatever they bid. */
export function informed(
  mechanism: Omit<InformedMechanism, "decide" | "text" | "sees"> & { readonly text: Text },
): InformedMechanism {
  const { decide } = written(mechanism);
  return { ...mechanism, sees: "costs", decide: (rules, bids, trace) => decide(rules, atCost(bids), trace) };
}

export const atCost = (bids: readonly InformedBidder[]): Bidder[] =>
  bids.map(({ cost, ...bidder }) => ({ ...bidder, price: cost }));
