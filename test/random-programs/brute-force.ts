/** All that a worker can get, by plain runs: at every price where a comparison turns, and between any two of them. */

import { exactly, type Fraction, zero } from "../../src/lib/fraction.js";
import { type Market, possibleArrivals, type Worker } from "../../src/market/market.js";
import { type Line, type PlainBidder, type PlainRules, type PlainRun, plainRun } from "./plain-auction.js";
import { type ProgramData, runData } from "./program.js";

/** A market in fractions. */
export interface PlainMarket {
  readonly rules: PlainRules;
  readonly workers: readonly (Omit<Worker, "cost" | "reputation"> &
    Record<"cost" | "reputation", Fraction>)[];
}

export const plainMarket = ({ rules, workers }: Market): PlainMarket => ({
  rules: { ...rules, budget: exactly(rules.budget) },
  workers: workers.map(({ id, arrival, cost, reputation }) => ({
    ...{ id, arrival },
    ...{ cost: exactly(cost), reputation: exactly(reputation) },
  })),
});

export type PlainLie = Pick<PlainBidder, "id" | "price" | "arrival">;

export function runWith(
  data: ProgramData,
  { rules, workers }: PlainMarket,
  lie: PlainLie | null,
  watched: number | null = null,
): PlainRun {
  const bids = workers.map(({ cost, ...worker }): PlainBidder => {
    const bid = { ...worker, price: cost };
    return lie?.id === bid.id ? { ...bid, ...lie } : bid;
  });
  return plainRun((auction) => runData(data, auction), rules, bids, watched);
}

/** p_i − c_i · r_i ([M12]). */
export function utilityIn({ workers }: PlainRun, { id, cost }: PlainMarket["workers"][number]): Line {
  const worker = workers.find((one) => one.id === id);
  if (worker === undefined) return { at: zero, slope: zero };
  const { at, slope } = worker.payment;
  return { at: at.sub(cost.mul(worker.rounds)), slope };
}

/** A price that was run, and what it brought. */
export interface Tried {
  readonly price: Fraction;
  readonly arrival: number;
  readonly utility: Line;
  readonly startDelay: number | null;
}

export interface Best {
  /** The supremum of the utility; null: it has none. */
  readonly utility: Fraction | null;
  readonly attained: boolean;
}

/** At one arrival: every price at which a comparison turns, one between each two, and one beyond all. */
export function triedAt(data: ProgramData, market: PlainMarket, id: number, arrival: number) {
  const worker = market.workers.find((one) => one.id === id)!;
  const tried = new Map<string, Tried>();
  const turns = new Map<string, Fraction>([["0", zero]]);
  const tryAt = (price: Fraction): Tried => {
    const known = tried.get(price.toFraction());
    if (known !== undefined) return known;
    const run = runWith(data, market, { id, price, arrival }, id);
    for (const turn of run.turns) if (turn.gt(0)) turns.set(turn.toFraction(), turn);
    const one = { price, arrival, utility: utilityIn(run, worker), startDelay: run.startDelay };
    tried.set(price.toFraction(), one);
    return one;
  };
  for (;;) {
    const known = turns.size;
    const corners = [...turns.values()].sort((a, b) => a.compare(b));
    const at = corners.map(tryAt);
    const after = corners.map((corner, k) => tryAt(corners[k + 1]?.add(corner).div(2) ?? corner.add(1)));
    if (turns.size === known) return { corners: at, after };
  }
}

export interface ByHand {
  readonly truthful: Fraction;
  readonly startDelay: number | null;
  /** Over all prices: at the true arrival, and at all. */
  readonly price: Best;
  readonly joint: Best;
  /** Over all arrivals, at the true price. */
  readonly time: Fraction;
  readonly tried: readonly Tried[];
}

export function byHand(data: ProgramData, market: PlainMarket, id: number): ByHand {
  const worker = market.workers.find((one) => one.id === id)!;
  const { arrival, cost } = worker;
  const truth = runWith(data, market, null);
  let joint: Best | null = null;
  let price: Best | null = null;
  let time: Fraction | null = null;
  const tried: Tried[] = [];
  for (const bid of possibleArrivals(worker, market.rules)) {
    const found = triedAt(data, market, id, bid);
    const best = bestOf(found);
    price ??= best;
    joint = joint === null ? best : betterOf(joint, best);
    const late = utilityIn(runWith(data, market, { id, price: cost, arrival: bid }), worker).at;
    if (time === null || late.gt(time)) time = late;
    tried.push(...found.corners, ...found.after);
  }
  const truthful = utilityIn(truth, worker).at;
  if (price === null || joint === null || time === null) throw new Error(`no arrival from ${arrival} on`);
  return { truthful, startDelay: truth.startDelay, price, joint, time, tried };
}

function bestOf({ corners, after }: ReturnType<typeof triedAt>): Best {
  let best: Best = { utility: corners[0]!.utility.at, attained: true };
  for (const { utility } of corners) best = betterOf(best, { utility: utility.at, attained: true });
  for (const [k, { price, utility }] of after.entries()) {
    const { at, slope } = utility;
    const to = corners[k + 1]?.price;
    if (to === undefined && slope.gt(0)) return { utility: null, attained: false };
    const end = slope.gt(0) ? to! : corners[k]!.price;
    best = betterOf(best, { utility: at.add(slope.mul(end.sub(price))), attained: slope.equals(0) });
  }
  return best;
}

function betterOf(a: Best, b: Best): Best {
  if (a.utility === null || b.utility === null) return a.utility === null ? a : b;
  const order = a.utility.compare(b.utility);
  if (order === 0) return { utility: a.utility, attained: a.attained || b.attained };
  return order > 0 ? a : b;
}
