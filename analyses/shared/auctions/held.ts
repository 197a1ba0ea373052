/** All auctions held along one axis: what tables, charts and sentences of a figure are made from. */

import type { Ledgers, Setting } from "./accounts.js";
import { benchmarks } from "./claims.js";
import type { Axis } from "./words.js";

/** Where things are on a figure. */
export interface Scale {
  readonly axis: Axis;
  /** The places on the axis, increasing. */
  readonly values: readonly number[];
}

/** Everything known once all auctions were held. */
export interface Held extends Scale {
  readonly ours: string;
  /** By name, the mechanism in question first. */
  readonly auctions: readonly string[];
  /** How many at each place. */
  readonly markets: number;
  readonly settingAt: (value: number) => Setting;
  /** By place. */
  readonly ledgers: ReadonlyMap<number, Ledgers>;
}

const figured: readonly string[] = [benchmarks.best, ...benchmarks.close, ...benchmarks.above];

/** Whether an auction is the one in question, of the paper's figure, or another. */
export const setOf = (auction: string, ours: string): "ours" | "paper" | "other" =>
  auction === ours ? "ours" : figured.includes(auction) ? "paper" : "other";

/** The repairs of the paper's mechanism. */
export const repairNames: readonly string[] = ["posted-rounds", "falling-price"];

/** Those of them that are there. */
export const repairsIn = ({ auctions, ours }: Pick<Held, "auctions" | "ours">): string[] =>
  repairNames.filter((name) => name !== ours && auctions.includes(name));
