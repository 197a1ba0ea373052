/**
 * The best joint lie of a few workers who share what they gain, the others telling the truth: exact, over all their prices
 * and all arrivals from the true ones on. In a cell of their prices the sum of their utilities is linear, so its supremum is
 * at a corner of the cell, which may or may not belong to it. What is bounded below the best so far is left out.
 */

import { simplest } from "../auction/best-price.js";
import { hasTwin } from "../auction/exact.js";
import { type LinearAmount, UNIT } from "../auction/linear-forms.js";
import { type AnyMechanism, runAuction } from "../auction/mechanism.js";
import { allotmentOf, workerUtility } from "../auction/outcome.js";
import { type CellArithmetic, memberPlace, type PriceCell, priceCells } from "../auction/price-pieces.js";
import { utilityNoise } from "../auction/response.js";
import type { OwnMethods, PriceRange } from "../auction/solver.js";
import { type Cone, divided, isPositiveSomewhere } from "../lib/cone.js";
import { exactly, type Fraction, fraction, toNumber } from "../lib/fraction.js";
import { combined, dot, type Integer, negated, type Vector } from "../lib/integer-vector.js";
import { NEAR_SUPREMUM } from "../lib/search-tolerances.js";
import {
  type Bid,
  bidders,
  type Market,
  possibleArrivals,
  type Rules,
  truthfulBid,
  type Worker,
  workerOf,
} from "../market/market.js";
import { resolveGame } from "./game.js";
import { alikeIn, contradiction, describeMarket, isKnifeEdge } from "./guard.js";
import { whereLinear } from "./pieces.js";
import { Deviation, priceCandidates } from "./search.js";

/** Bids, and what they bring. */
interface JointBids {
  /** The sum over the members; Infinity where it grows without bound. */
  readonly utility: number;
  readonly attained: boolean;
  /** Where nothing attains it, these come within 1e-9 of it. */
  readonly bids: readonly Bid[];
}

/** The best that a coalition can say. */
export interface JointLie extends JointBids {
  /** How many auctions were run. */
  readonly evaluations: number;
  readonly method: "exact" | "computed" | "search";
  /** Numbers tie or nearly do where fractions do not ([M13]). */
  readonly knifeEdge?: boolean;
}

interface JointQuestion {
  readonly mechanism: AnyMechanism;
  /** Their ids: one to three. */
  readonly members: readonly number[];
  readonly arithmetic?: CellArithmetic | undefined;
  /** What they can have without looking any further; the truth if left out. */
  readonly floor?: JointBids;
  /** Joint lies that a search begins with: one member's best lie alone, say. */
  readonly known?: readonly (readonly Bid[])[];
}

/** Exact where the mechanism has a program and pays what it says, and there are not too many cells; else a search. */
export function bestJointLie(market: Market, question: JointQuestion): JointLie {
  const { mechanism, market: ruled, solver } = resolveGame(question.mechanism, market);
  const members = question.members.map((id) => workerOf(market, id));
  const floor = question.floor ?? truthOf(market, mechanism, members);
  const { arithmetic = "numbers" } = question;
  const asked = { market: ruled, mechanism, members, arithmetic, floor, own: solver.own };
  const covered = hasTwin(mechanism) ? whereLinear(mechanism, () => guardedLie(asked)) : null;
  const { known = [] } = question;
  const lie = covered ?? searchedLie({ ...asked, market, mechanism: question.mechanism }, known);
  return { ...lie, bids: withoutNeedless(lie.bids, asked) };
}

/** The truth of a member wherever its lie adds nothing to the sum. */
function withoutNeedless(lies: readonly Bid[], { market, mechanism, members }: Asked): readonly Bid[] {
  let [bids, utility] = [lies, sumOf(market, mechanism, members, lies)];
  for (const [k, member] of members.entries()) {
    const honest = bids.map((bid, place) => (place === k ? truthfulBid(member) : bid));
    const sum = sumOf(market, mechanism, members, honest);
    if (sum >= utility) [bids, utility] = [honest, sum];
  }
  return bids;
}

function truthOf(market: Market, mechanism: AnyMechanism, members: readonly Worker[]): JointBids {
  const bids = members.map(truthfulBid);
  return { bids, utility: sumOf(market, mechanism, members, bids), attained: true };
}

/** What some workers get together. */
export function sumOf(
  market: Market,
  mechanism: AnyMechanism,
  members: readonly Worker[],
  bids: readonly Bid[],
): number {
  const outcome = runAuction(mechanism, market, bids);
  return members.reduce((sum, member) => sum + workerUtility(member, allotmentOf(outcome, member.id)), 0);
}

/** What a member says by some bids; the truth where it is in none. */
const bidOf = (member: Worker, bids: readonly Bid[]): Bid =>
  bids.find(({ worker }) => worker === member.id) ?? truthfulBid(member);

interface Asked {
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  readonly members: readonly Worker[];
  readonly arithmetic: CellArithmetic;
  readonly floor: JointBids;
  readonly own: OwnMethods | null;
}

/** Held to a plain run at the lie that is named; at a knife edge the fractions' answer is taken. */
function guardedLie(asked: Asked): JointLie | null {
  const lie = cellwiseLie(asked);
  // What was known before was held to plain runs where it was found.
  if (lie === null || lie.bids === asked.floor.bids) return lie;
  const { market, mechanism, members } = asked;
  const plain = sumOf(market, mechanism, members, lie.bids);
  const alike = members.reduce((sum, { cost }) => sum + alikeIn(market, cost), 0);
  const supremum = Math.abs(lie.utility) === Number.POSITIVE_INFINITY ? plain : lie.utility;
  // Where nothing attains the supremum, the bids come only close to it.
  const isAlike = plain <= supremum + alike && plain >= supremum - (lie.attained ? alike : FAR * alike);
  if (isAlike) return lie;
  const guarded = { market, mechanism, source: describeMarket(market) };
  if (!isKnifeEdge(guarded, lie.bids)) {
    const who = `workers ${members.map(({ id }) => id).join(" and ")}`;
    throw contradiction(
      guarded,
      `${who} were computed to get ${lie.utility} together, and get ${plain} in a plain run`,
    );
  }
  const inFractions =
    asked.arithmetic === "fractions" ? lie : cellwiseLie({ ...asked, arithmetic: "fractions" });
  return { ...(inFractions ?? lie), knifeEdge: true };
}

/** How much further than rounding a lie may stay from a supremum that nothing attains. */
const FAR = 100;

/** More cells of one coalition than these are not gone through. */
const MOST_CELLS = 300_000;

/** Null where there are too many cells. */
function cellwiseLie(asked: Asked): JointLie | null {
  const { market, mechanism, members, arithmetic, floor } = asked;
  const { rules, workers } = market;
  // In fractions runs are whole, and no arrival is left out.
  const whole = arithmetic === "fractions";
  const unknown = members.map(({ id }) => id);
  const search = new CellSearch(members, floor, coalitionNoise(market, members), rules.budget);
  for (const { arrivals, bound, most } of combinationsOf(asked)) {
    if (search.isBeyond(most)) continue;
    const late = members.map((member, k) => ({ ...truthfulBid(member), arrival: arrivals[k]! }));
    const bids = bidders(workers, late);
    const skips = (region: Cone) =>
      bound !== null && search.isBeyond(bound(unknown.map((_, k) => rangeOf(region, memberPlace(k)))));
    let [seen, arrivalMatters] = [0, false];
    for (const cell of priceCells(mechanism, { rules, bids, unknown, arithmetic, skips, whole })) {
      seen++;
      search.consider(cell, arrivals);
      if (search.cells > MOST_CELLS) return null;
      arrivalMatters ||= cell.auction.arrivalMatters;
    }
    if (!whole && seen > 0 && !arrivalMatters) break;
  }
  return search.result(whole ? "exact" : "computed");
}

/** Below this a difference of sums of utilities is rounding. */
export const coalitionNoise = (market: Market, members: readonly Worker[]): number =>
  members.reduce((sum, member) => sum + utilityNoise(market, member), 0);

const anyPrice: PriceRange = { low: 0, high: Number.POSITIVE_INFINITY };

/** The combinations of arrivals, the true ones first, then those that may bring most. */
function combinationsOf({ market, own, members, arithmetic }: Asked) {
  const [truth, ...others] = arrivalsOf(members, market.rules).map((arrivals) => {
    const bound = arithmetic === "numbers" && own !== null ? own.jointBound(market, members, arrivals) : null;
    const most = bound?.(members.map(() => anyPrice)) ?? Number.POSITIVE_INFINITY;
    return { arrivals, bound, most };
  });
  return [truth!, ...others.sort((a, b) => (a.most === b.most ? 0 : b.most - a.most))];
}

/** Every combination of arrivals from the true ones on; the truth comes first. */
const arrivalsOf = (members: readonly Worker[], rules: Rules): number[][] =>
  members.reduce<number[][]>(
    (combinations, member) =>
      combinations.flatMap((first) => possibleArrivals(member, rules).map((arrival) => [...first, arrival])),
    [[]],
  );

/** A level that an amount is held against: over / under. */
interface Level {
  readonly over: Integer;
  readonly under: Integer;
}

/** A cell in which the best is reached, or come close to. */
interface Found {
  readonly cone: Cone;
  readonly amount: LinearAmount;
  readonly arrivals: readonly number[];
  /** Null: without bound. */
  readonly level: Level | null;
  /** The part of the cell where it is reached; null if none is. */
  readonly face: Cone | null;
}

/** The best of all cells that were considered; of even ones the first that attains it. */
class CellSearch {
  cells = 0;
  private found: Found | null = null;
  private utility: number;
  private attained: boolean;

  constructor(
    private readonly members: readonly Worker[],
    private readonly floor: JointBids,
    private readonly noise: number,
    private readonly budget: number,
  ) {
    this.utility = floor.utility;
    this.attained = floor.attained;
  }

  /** Whether what is bounded by this would change nothing. */
  isBeyond(bound: number): boolean {
    return bound <= this.utility + (this.attained ? this.noise : -this.noise);
  }

  consider(cell: PriceCell, arrivals: readonly number[]): void {
    this.cells++;
    const { cone } = cell;
    if (this.utility === Number.POSITIVE_INFINITY) return;
    const amount = this.sumIn(cell);
    const level = this.found?.level ?? levelOf(this.floor.utility);
    if (isPositiveSomewhere(cone, beyond(amount, level))) {
      const level = highestOf(cone, amount);
      this.take({ cone, amount, arrivals, level, face: level && faceOf(cone, amount, level) });
    } else if (!this.attained) {
      const face = faceOf(cone, amount, level);
      if (face) this.take({ cone, amount, arrivals, level, face });
    }
  }

  private take(found: Found): void {
    const { level, face } = found;
    this.found = found;
    this.utility = level ? ratio(level.over, level.under) : Number.POSITIVE_INFINITY;
    this.attained = face !== null;
  }

  result(method: JointLie["method"]): JointLie {
    const how = { evaluations: this.cells, method };
    if (this.found === null) return { ...this.floor, ...how };
    const { arrivals, face, level, cone, amount } = this.found;
    // Where there is no bound, prices that gain more than the budget are enough to show it.
    const much = level ?? levelOf(this.floor.utility + (this.budget || 1));
    const where = level ? (face ?? closeTo(cone, amount, level)) : faceOf(cone, amount, much)!;
    const prices = saidPrices(where, this.members);
    const bids = this.members.map(({ id }, k) => ({ worker: id, price: prices[k]!, arrival: arrivals[k]! }));
    return { utility: this.utility, attained: this.attained, bids, ...how };
  }

  /** The sum of their utilities ([M12]). */
  private sumIn({ auction, form }: PriceCell): LinearAmount {
    const { math, zero } = auction;
    const sum = this.members.reduce((sum, { id, cost }) => {
      const { payment, rounds } = auction.candidate(id) ?? { payment: zero, rounds: 0 };
      return math.plus(sum, math.minus(payment, math.times(math.known(rounds), math.known(cost))));
    }, zero);
    return form(sum);
  }
}

const ratio = (over: Integer, under: Integer): number =>
  typeof over === "number" && typeof under === "number"
    ? over / under
    : toNumber(fraction(BigInt(over), BigInt(under)));

const product = (a: Integer, b: Integer): Integer =>
  typeof a === "number" && typeof b === "number" && !(Math.abs(a * b) > Number.MAX_SAFE_INTEGER)
    ? a * b
    : BigInt(a) * BigInt(b);

/** amount − level, up to a positive factor. */
function beyond({ top, below }: LinearAmount, { over, under }: Level): Vector {
  const unit = Array.from({ length: top.length }, (_, place) => (place === UNIT ? 1 : 0));
  return combined(top, under, unit, -product(over, below)).vector;
}

/** The part of a cell in which an amount is at least at a level; null if it is so nowhere. */
const faceOf = (cone: Cone, amount: LinearAmount, level: Level): Cone | null =>
  divided(cone, negated(beyond(amount, level))).atMost;

/** The least upper bound of an amount in a cell; null where there is none. */
function highestOf({ generators }: Cone, amount: LinearAmount): Level | null {
  let highest: Level | null = null;
  for (const { at } of generators) {
    const value = dot(amount.top, at);
    if (at[UNIT]) {
      if (!highest || dot(beyond(amount, highest), at) > 0)
        highest = { over: value, under: product(amount.below, at[UNIT]!) };
    } else if (value > 0) return null;
  }
  return highest;
}

/** Where an amount comes close to a level that it does not attain: as close as the arithmetic can tell. */
function closeTo(cone: Cone, amount: LinearAmount, level: Level): Cone {
  const top = ratio(level.over, level.under);
  for (let close = NEAR_SUPREMUM * Math.abs(top || 1); ; close *= 10) {
    // A sum of utilities may be so small beside the payments that rounding swallows the distance.
    const face = faceOf(cone, amount, levelOf(top - close));
    if (face) return face;
  }
}

function levelOf(value: number): Level {
  const { s, n, d } = exactly(value);
  return { over: s * n, under: d };
}

/** Prices inside a region that a person can say: the truth where it is in it, and else few digits. */
function saidPrices(region: Cone, members: readonly Worker[]): number[] {
  let rest = region;
  return members.map(({ cost }, member) => {
    const place = memberPlace(member);
    const truthful = pinned(rest, place, exactly(cost));
    const { low, high } = rangeOf(rest, place);
    const isTrue = truthful !== null;
    const price = isTrue ? cost : low === high ? low : simplest(low, high);
    rest = truthful ?? pinned(rest, place, exactly(price)) ?? rest;
    return price;
  });
}

/** From where to where a price goes in the closure of a region. */
function rangeOf({ generators }: Cone, place: number): PriceRange {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const { at } of generators) {
    if (at[UNIT]) {
      const here = ratio(at[place]!, at[UNIT]!);
      low = Math.min(low, here);
      high = Math.max(high, here);
    } else if (at[place]) high = Number.POSITIVE_INFINITY;
  }
  return { low, high };
}

/** The part of a region in which an unknown has a value; null if it has it nowhere. */
function pinned(region: Cone, place: number, value: Fraction): Cone | null {
  const length = region.rows[0]!.form.length;
  const form = Array.from({ length }, (_, k) =>
    k === place ? value.d : k === UNIT ? -(value.s * value.n) : 0n,
  );
  const atMost = divided(region, form).atMost;
  return atMost && divided(atMost, negated(form)).atMost;
}

/** About how many auctions a search runs. */
const EFFORT = 4000;

/** What is known already, and a grid of prices at which decisions are likely to change; then one member after the other, at every arrival. */
function searchedLie(
  { market, mechanism, members, floor }: Asked,
  known: readonly (readonly Bid[])[],
): JointLie {
  const perMember = Math.floor((EFFORT / 2) ** (1 / members.length));
  const said = members.map((member) =>
    priceCandidates(new Deviation(mechanism, market, member), member.arrival, perMember).map((price) => ({
      ...truthfulBid(member),
      price,
    })),
  );
  let evaluations = 0;
  let best: JointBids = floor;
  const offer = (bids: readonly Bid[]) => {
    evaluations++;
    const utility = sumOf(market, mechanism, members, bids);
    if (utility > best.utility) best = { bids, utility, attained: true };
  };
  const grid = said.reduce<Bid[][]>(
    (all, bids) => all.flatMap((before) => bids.map((bid) => [...before, bid])),
    [[]],
  );
  for (const bids of [...known, ...grid]) offer(bids);
  for (let turns = 0; turns < 4 && evaluations < EFFORT; turns++)
    for (const [k, member] of members.entries())
      for (const arrival of possibleArrivals(member, market.rules))
        for (const bid of said[k]!)
          offer([
            ...members.map((one) => bidOf(one, best.bids)).filter((_, place) => place !== k),
            { ...bid, arrival },
          ]);
  return { ...best, bids: members.map((one) => bidOf(one, best.bids)), evaluations, method: "search" };
}
