/** What a traced run tells, decision by decision, with the numbers that decided it. */

import type { Group } from "../market/market.js";
import type { Ruling } from "./auction.js";

export type { Ruling } from "./auction.js";

/** The proportional share of [M3] over a pool: who is taken, who stops it, and the density that sets. */
export interface Share {
  /** β. */
  readonly budget: number;
  /** s: 1 for a threshold, the rounds that are left at the first step. */
  readonly roundsBought: number;
  /** Whether the condition counts a worker's own reputation twice ([M5]); absent where it does not. */
  readonly ownTwice?: boolean;
  /** The pool in increasing density. */
  readonly pool: readonly number[];
  readonly taken: readonly number[];
  /** Σ of the taken reputations. */
  readonly reputation: number;
  /** β / (s · Σ Re), null if nobody is taken. */
  readonly byBudget: number | null;
  /** The first worker not taken and its density, null if everybody is taken. */
  readonly next: { readonly worker: number; readonly density: number; readonly cost: number } | null;
  /** The smaller of the two; null if neither exists ([M4]). */
  readonly density: number | null;
  readonly knifeEdge: boolean;
}

/** One try at the first step ([M5], [M6]). */
export interface StartEvent {
  readonly kind: "start";
  readonly clock: number;
  readonly share: Share;
  readonly minWorkers: number;
  readonly enough: boolean;
  /** Payments s · Re · ρ*, empty unless enough. */
  readonly payments: readonly { readonly worker: number; readonly payment: number }[];
}

/** A round begins: the two thresholds ([M7]) and what each group has left. */
export interface RoundEvent {
  readonly kind: "round";
  readonly round: number;
  readonly clock: number;
  readonly sampleBudget: number;
  readonly shares: readonly [Share, Share];
  readonly left: readonly [number, number];
}

/** A threshold is learned from everybody who has arrived by the end of a round, where no groups judge each other. */
export interface SampleEvent {
  readonly kind: "sample";
  readonly round: number;
  readonly share: Share;
}

/** One worker judged in one round ([M8]–[M11]). */
export interface RulingEvent {
  readonly kind: "ruling";
  readonly ruling: Ruling;
  readonly round: number;
  readonly worker: number;
  /** The group that is judged; null where a mechanism has no groups. */
  readonly group: Group | null;
  readonly density: number;
  /** ρ*; null where a mechanism decides by something else. */
  readonly threshold: number | null;
  /** ρ*_i before the ruling; null if unselected. */
  readonly promised: number | null;
  /** What the full admission or raise would cost. */
  readonly need: number;
  /** What the group (or the whole budget) has left before the ruling; 0 of a hiring, which draws on no purse. */
  readonly left: number;
  /** p_i after the ruling. */
  readonly payment: number;
  readonly knifeEdge: boolean;
}

export type TraceEvent = StartEvent | RoundEvent | SampleEvent | RulingEvent;

/** Collects a run's decisions as they are taken. */
export type TraceSink = (event: TraceEvent) => void;
