/**
 * The best joint lie of a few workers who share what they gain, the others telling the truth: exact, over all their prices
 * and all arrivals from the true ones on. In a cell of their prices the sum of their utilities is linear, so its supremum is
 * at a corner of the cell, which may or may not belong to it.
 */

import { type Cone, divided, exceeds } from "../lib/cone.js";
import { plainError } from "../lib/errors.js";
import { exactly, type Fraction, fraction, toNumber } from "../lib/fraction.js";
import { combined, dot, type Integer, negated, type Vector } from "../lib/integer-vector.js";
import { type Bid, bidders, byId, type Market, type Worker, workerOf } from "../market/market.js";
import { hasTwin } from "../mechanisms/exact.js";
import { type LinearAmount, UNIT } from "../mechanisms/linear-forms.js";
import { type AnyMechanism, hold, unvaried } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import { allotmentOf, workerUtility } from "../mechanisms/outcome.js";
import { type CellArithmetic, type PriceCell, priceCells, pricePlace } from "../mechanisms/price-cells.js";
import { bestResponses, whereLinear } from "./index.js";
import { utilityNoise } from "./response.js";
import { Deviation, priceCandidates } from "./search.js";
import { simplest } from "./stretches.js";

/** The best joint lie of a coalition, and what it gains over the truth of all. */
export interface CoalitionResponse {
  readonly workers: readonly number[];
  /** The sum of the members' utilities if everybody tells the truth. */
  readonly truthful: number;
  /** What the best joint lie adds to it. */
  readonly gain: number;
  /** What each could gain alone. */
  readonly alone: readonly number[];
  readonly best: readonly Bid[];
  readonly attained: boolean;
  /** False: the gain is a lower bound. */
  readonly exact: boolean;
}

export interface CoalitionResponses {
  readonly mechanism: string;
  readonly method: "cells" | "search";
  /** Whether all gains are. */
  readonly exact: boolean;
  readonly evaluations: number;
  readonly pairs: readonly CoalitionResponse[];
}

interface CoalitionOptions {
  readonly mechanism?: AnyMechanism;
  /** Two or three workers each; all pairs if left out. */
  readonly coalitions?: readonly (readonly number[])[];
  readonly arithmetic?: CellArithmetic;
}

/** What coalitions can gain, each against the truth of all others. */
export function coalitionResponses(
  market: Market,
  { mechanism = online, coalitions = pairsOf(market), arithmetic }: CoalitionOptions = {},
): CoalitionResponses {
  demandCertain(mechanism);
  const concerned = [...new Set(coalitions.flat())];
  const single = bestResponses(market, { mechanism, workers: concerned });
  const aloneOf = new Map(single.workers.map(({ id, gain }) => [id, gain]));
  let { evaluations } = single;
  const pairs = coalitions.map((members) => {
    const lie = bestJointLie(market, { mechanism, members, ...(arithmetic && { arithmetic }) });
    evaluations += lie.evaluations;
    const alone = members.map((id) => aloneOf.get(id)!);
    return { workers: members, ...overTruth(market, mechanism, lie), alone };
  });
  const exact = pairs.every((pair) => pair.exact);
  return { mechanism: mechanism.name, method: exact ? "cells" : "search", exact, evaluations, pairs };
}

/** Every two workers, by id. */
function pairsOf({ workers }: Market): number[][] {
  const ids = byId(workers).map(({ id }) => id);
  return ids.flatMap((first, k) => ids.slice(k + 1).map((second) => [first, second]));
}

function demandCertain({ name, stochastic }: AnyMechanism): void {
  if (stochastic)
    throw plainError(name, "draws, and joint lies are worked out only for mechanisms that do not");
}

/** What a joint lie gains; the truth, where that is nothing. */
function overTruth(market: Market, mechanism: AnyMechanism, { utility, attained, bids, exact }: JointLie) {
  const members = bids.map(({ worker }) => workerOf(market, worker));
  const truthful = sumOf(market, mechanism, members, []);
  const noise = members.reduce((sum, member) => sum + utilityNoise(market, member), 0);
  if (!(utility - truthful > noise))
    return { truthful, gain: 0, best: members.map(truthOf), attained: true, exact };
  return { truthful, gain: utility - truthful, best: bids, attained, exact };
}

const truthOf = ({ id, cost, arrival }: Worker): Bid => ({ worker: id, price: cost, arrival });

/** What some workers get together. */
function sumOf(
  market: Market,
  mechanism: AnyMechanism,
  members: readonly Worker[],
  bids: readonly Bid[],
): number {
  const outcome = hold(mechanism, market, bids);
  return members.reduce((sum, member) => sum + workerUtility(member, allotmentOf(outcome, member.id)), 0);
}

/** What a coalition can achieve. */
export interface JointLie {
  /** The sum over the members; Infinity where it grows without bound. */
  readonly utility: number;
  readonly attained: boolean;
  /** Where nothing attains it, these come within 1e-9 of it. */
  readonly bids: readonly Bid[];
  /** How many auctions were run. */
  readonly evaluations: number;
  /** False: found by a search, and so a lower bound. */
  readonly exact: boolean;
}

interface CoalitionQuestion {
  readonly mechanism: AnyMechanism;
  /** Their ids: one to three. */
  readonly members: readonly number[];
  readonly arithmetic?: CellArithmetic;
}

/** Exact where the mechanism is written as a text and pays what it says, and there are not too many cells; else a search. */
export function bestJointLie(market: Market, { members, arithmetic, ...asked }: CoalitionQuestion): JointLie {
  const { mechanism, market: ruled } = unvaried(asked.mechanism, market);
  const exact = hasTwin(mechanism)
    ? whereLinear(mechanism, () =>
        cellwiseLie(ruled, { mechanism, members, ...(arithmetic && { arithmetic }) }),
      )
    : null;
  return exact ?? searchedLie(market, { mechanism: asked.mechanism, members });
}

/** More cells of one coalition than these are not gone through. */
const MOST_CELLS = 300_000;

/** Null where there are too many cells. */
function cellwiseLie(
  market: Market,
  { mechanism, members: unknown, arithmetic = "numbers" }: CoalitionQuestion,
): JointLie | null {
  const { rules, workers } = market;
  const members = unknown.map((id) => workerOf(market, id));
  const search = new CellSearch(members);
  for (const arrivals of arrivalsOf(members, rules.rounds)) {
    const late = members.map(({ id, cost }, k) => ({ worker: id, price: cost, arrival: arrivals[k]! }));
    let arrivalMatters = false;
    for (const cell of priceCells(mechanism, { rules, bids: bidders(workers, late), unknown, arithmetic })) {
      search.consider(cell, arrivals);
      if (search.cells > MOST_CELLS) return null;
      arrivalMatters ||= cell.auction.arrivalMatters;
    }
    if (!arrivalMatters) break;
  }
  return search.result();
}

/** Every combination of arrivals from the true ones on; the truth comes first. */
const arrivalsOf = (members: readonly Worker[], rounds: number): number[][] =>
  members.reduce<number[][]>(
    (combinations, { arrival }) =>
      combinations.flatMap((first) =>
        Array.from({ length: rounds - arrival + 1 }, (_, k) => [...first, arrival + k]),
      ),
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

  constructor(private readonly members: readonly Worker[]) {}

  consider(cell: PriceCell, arrivals: readonly number[]): void {
    this.cells++;
    const { cone } = cell;
    const { found } = this;
    if (found?.level === null) return;
    const amount = this.sumIn(cell);
    if (found && !exceeds(cone, beyond(amount, found.level))) {
      const face = found.face ? null : faceOf(cone, amount, found.level);
      if (face) this.found = { cone, amount, arrivals, level: found.level, face };
      return;
    }
    const level = highestOf(cone, amount);
    this.found = { cone, amount, arrivals, level, face: level && faceOf(cone, amount, level) };
  }

  result(): JointLie {
    const { cells, members } = this;
    const { arrivals, face, level, cone, amount } = this.found!;
    const region = face ?? faceOf(cone, amount, almost(level))!;
    const prices = saidPrices(region, members);
    const bids = members.map(({ id }, k) => ({ worker: id, price: prices[k]!, arrival: arrivals[k]! }));
    const utility = level ? ratio(level.over, level.under) : Number.POSITIVE_INFINITY;
    return { utility, attained: face !== null, bids, evaluations: cells, exact: true };
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
/** How near to a supremum that is not attained, relatively. */
const CLOSE = 0.5e-9;
/** Where there is no bound, prices are said that bring more than this. */
const MUCH = 1e9;

/** A level below one that is not attained. */
function almost(level: Level | null): Level {
  const top = level ? ratio(level.over, level.under) : MUCH;
  const { s, n, d } = exactly(top - CLOSE * Math.abs(top || 1));
  return { over: s * n, under: d };
}

/** Prices inside a region that a person can say: the truth where it is in it, and else few digits. */
function saidPrices(region: Cone, members: readonly Worker[]): number[] {
  let rest = region;
  return members.map(({ cost }, member) => {
    const place = pricePlace(member);
    const truthful = pinned(rest, place, exactly(cost));
    const [low, high] = rangeOf(rest, place);
    const isTrue = truthful !== null;
    const price = isTrue ? cost : low === high ? low : simplest(low, high);
    rest = truthful ?? pinned(rest, place, exactly(price)) ?? rest;
    return price;
  });
}

/** From where to where an unknown goes in the closure of a region; Infinity where it has no end. */
function rangeOf({ generators }: Cone, place: number): [low: number, high: number] {
  const ends = generators.map(({ at }) => {
    if (at[UNIT]) return ratio(at[place]!, at[UNIT]!);
    return at[place] ? Number.POSITIVE_INFINITY : null;
  });
  const known = ends.filter((end) => end !== null);
  return [Math.min(...known), Math.max(...known)];
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

/** A grid of prices at which decisions are likely to change; then one member after the other, at every arrival. */
function searchedLie(market: Market, { mechanism, members: ids }: CoalitionQuestion): JointLie {
  const members = ids.map((id) => workerOf(market, id));
  const perMember = Math.floor((EFFORT / 2) ** (1 / members.length));
  const prices = members.map((member) =>
    priceCandidates(new Deviation(mechanism, market, member), member.arrival, perMember),
  );
  let evaluations = 0;
  const found = (bids: readonly Bid[]) => {
    evaluations++;
    return { bids, utility: sumOf(market, mechanism, members, bids) };
  };
  type Joint = ReturnType<typeof found>;
  const better = (a: Joint, b: Joint) => (b.utility > a.utility ? b : a);
  const said = (k: number) => prices[k]!.map((price) => ({ ...truthOf(members[k]!), price }));
  const grid = members.reduce<Bid[][]>(
    (all, _, k) => all.flatMap((bids) => said(k).map((bid) => [...bids, bid])),
    [[]],
  );
  let best = grid.map(found).reduce(better, found(members.map(truthOf)));
  for (let turns = 0; turns < 4 && evaluations < EFFORT; turns++)
    for (const [k, member] of members.entries())
      for (let arrival = member.arrival; arrival <= market.rules.rounds; arrival++)
        for (const bid of said(k))
          best = better(
            best,
            found(best.bids.map((old, place) => (place === k ? { ...bid, arrival } : old))),
          );
  return { ...best, attained: true, evaluations, exact: false };
}
