/**
 * What no mechanism that starts on time, buys rounds only from a worker's arrival on, and in which nobody gains by
 * misstating its price can exceed, in markets drawn as in the paper (Myerson 1981): in expectation such a mechanism pays for
 * each round worked at least the virtual cost 2c − l, where costs are uniform from l on and l is known from the reputation.
 * So with a mean spending M it gets at most what hiring everybody whose virtual cost per reputation is below one level gets,
 * from its arrival on, the level being such that this costs M. That holds for any rule of selection and payment, groups or
 * not, if everybody who asks the cost loses nothing; arrivals may be known. Offline mechanisms buy all rounds of a late
 * worker, and after a postponed start more rounds lie ahead of it than on the clock: they may exceed it.
 */

import { paperDistributions } from "../../src/market/draw.js";
import { roundsOnOffer } from "../shared/survey.js";

/** The largest mean utility of the publisher at a mean spending. */
export function truthfulLimit(
  { workers, rounds }: Record<"workers" | "rounds", number>,
  spent: number,
): number {
  const work = workers * roundsOnOffer(rounds);
  let [low, high] = [0, 1e6];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (work * hiredAt(middle).spent < spent) low = middle;
    else high = middle;
  }
  return work * hiredAt(high).utility;
}

/** Reputations, and the least and the largest cost that each can go with. */
const types = Array.from({ length: 500 }, (_, step) => {
  const re = (step + 0.5) / 500;
  const costAt = (u: number) => paperDistributions(1).cost({ T: 1, B: 0, n: 1, id: 0, re, u });
  return { re, least: costAt(0), most: costAt(1) };
});

/** Per round on offer, if everybody is offered the cost at which the virtual cost is the level times its reputation. */
function hiredAt(level: number): { utility: number; spent: number } {
  let [utility, spent] = [0, 0];
  for (const { re, least, most } of types) {
    const price = Math.min(most, Math.max(least, (level * re + least) / 2));
    const accepted = (price - least) / (most - least) / types.length;
    utility += re * accepted;
    spent += price * accepted;
  }
  return { utility, spent };
}
