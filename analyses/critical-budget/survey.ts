/** The work behind critical budgets: a drawn market scanned over budgets. */

import type { Stream } from "../../src/lib/random.js";
import { atRelativeBudget, surveyed } from "../../src/market/draw.js";
import { hold } from "../../src/mechanisms/mechanism.js";
import { listing } from "../../src/study/job.js";
import { explain } from "../../src/verdicts/explain.js";
import { askingCost, drawingCost } from "../shared/gains/cost.js";
import { changeBetween, digest, scan } from "../shared/gains/crossings.js";
import { extreme, type Scanned } from "./moments.js";

/** Markets of one size. */
export interface CriticalCell {
  readonly workers: number;
  readonly rounds: number;
  /** The relative budgets scanned, increasing. */
  readonly ratios: readonly number[];
  /** Relative distance of the two budgets that a crossing is narrowed down to. */
  readonly width: number;
  /** Workers asked in each market; null: everybody. */
  readonly asked: number | null;
}

const CHANCES = 20;

export const criticalJob = listing<CriticalCell, Scanned>((cell, k, { stream, mechanism }) => {
  const { workers, ratios, width, asked } = cell;
  const drawn = surveyed(cell, k, stream);
  const chances = anywhere(ratios, stream.fork(workers).fork(k).fork("chance"));
  const truth = (at: number) => digest(hold(mechanism, atRelativeBudget(drawn, at)));
  const byChance = chances.map((ratio) => changeBetween(truth(ratio), truth(ratio * (1 + width))));
  const found = scan(drawn, { ratios, width, mechanism, asked });
  const first = extreme(found, "lies begin to pay")?.above;
  const beginsBy = first?.most
    ? explain(atRelativeBudget(drawn, first.ratio), first.most.bid, { mechanism }).kind
    : null;
  return { workers, k, byChance, beginsBy, ...found };
}, cost);

/** Budgets anywhere in the range, evenly in logarithms. */
function anywhere(ratios: readonly number[], stream: Stream): number[] {
  const [from, to] = [ratios[0]!, ratios.at(-1)!];
  return Array.from({ length: CHANCES }, () => from * (to / from) ** stream.next());
}

/** Budgets near a crossing cost twice as much as others, and there are two or three crossings a market. */
function cost({ workers, ratios, width, asked }: CriticalCell): number {
  const steps = Math.log2(Math.log(ratios.at(-1)! / ratios[0]!) / ratios.length / width);
  return drawingCost(workers) + (ratios.length + 5 * Math.max(0, steps)) * askingCost(workers, asked);
}
