/**
 * Replays a witness in exact fractions, truth and lie, each a whole run: what a search proposes is called certified only
 * where this confirms all that it says.
 */

import { type ExactOutcome, exactOutcome, Fractions, fractionOf } from "../auction/exact.js";
import { commonRegime, regimesIn } from "../auction/outcome.js";
import type { Programmed } from "../auction/program.js";
import { exactly, type Fraction } from "../lib/fraction.js";
import { type Bid, bidders, type Market, workerOf } from "../market/market.js";
import {
  isAboutLies,
  isSpokenOf,
  type MeasuredProperty,
  properties,
  type Run,
  type Witness,
} from "./properties.js";

/** A mechanism that has a program, and a market under its rules. */
export interface Replayable {
  readonly mechanism: Programmed;
  readonly market: Market;
}

/** A bid whose price may be a fraction that no decimal writes. */
export interface ExactBid extends Omit<Bid, "price"> {
  readonly price: number | Fraction;
}

/** A whole run in exact fractions. */
export interface Replay extends Run {
  readonly outcome: ExactOutcome;
}

/** All tell the truth but for some bids. */
export function replay({ mechanism, market }: Replayable, lies: readonly ExactBid[] = []): Replay {
  const { rules, workers } = market;
  const bids = bidders(workers).map((bidder) => {
    const { price, arrival } = lies.find(({ worker }) => worker === bidder.id) ?? bidder;
    return { ...bidder, price, arrival, cost: bidder.price };
  });
  const outcome = exactOutcome(mechanism, rules, bids);
  const math = new Fractions();
  const results = new Map(outcome.workers.map((one) => [one.id, one]));
  return {
    outcome,
    math,
    budget: math.known(rules.budget),
    ids: workers.map(({ id }) => id),
    of(id) {
      const { payment, rounds } = results.get(id)!;
      return { payment: math.fraction(payment), rounds, cost: math.known(workerOf(market, id).cost) };
    },
  };
}

export interface Certificate {
  /** Whether the property is broken, by a lie that it speaks of, in the regime and with the start that the witness says. */
  readonly certified: boolean;
  /** By how much it is broken. */
  readonly excess: Fraction;
}

type MeasuredWitness = Pick<Witness<MeasuredProperty>, "property" | "worker" | "regime" | "startMoved">;

/** Holds what a witness says to a replay; its bids may be given as fractions. */
export function certify(
  base: Replayable,
  { property, worker, regime, startMoved }: MeasuredWitness,
  lies: readonly ExactBid[],
): Certificate {
  const { market } = base;
  const truth = replay(base);
  const lying = lies.length > 0 ? replay(base, lies) : truth;
  const about = lies.length > 0 ? lies.map((lie) => lie.worker) : worker === null ? [] : [worker];
  const excess = fractionOf(properties[property].excess(truth, lying, about));
  const isLegal =
    isAboutLies(property) === lies.length > 0 &&
    lies.length === (property === "pair" ? 2 : lies.length > 0 ? 1 : 0) &&
    lies.every((lie) => {
      const { cost, arrival } = workerOf(market, lie.worker);
      const isTrue = { price: exactly(lie.price).equals(exactly(cost)), arrival: lie.arrival === arrival };
      return lie.arrival >= arrival && lie.arrival <= market.rules.rounds && isSpokenOf(property, isTrue);
    });
  const regimeOf = regimesIn(truth.outcome);
  const regimes = about.length > 0 ? [commonRegime(regimeOf, about)] : truth.ids.map(regimeOf);
  const moved = lying.outcome.startDelay !== truth.outcome.startDelay;
  const isAsSaid = regimes.includes(regime) && (startMoved === undefined || startMoved === moved);
  return { certified: excess.gt(0) && isLegal && isAsSaid, excess };
}
