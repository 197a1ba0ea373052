/** A market that shows that a claim breaks: what makes it a legal one, and how much it breaks the claim by, in fractions. */

import { Fractions, fractionOf } from "../auction/exact.js";
import { commonRegime, regimesIn } from "../auction/outcome.js";
import { showValue } from "../lib/errors.js";
import { exactly, type Fraction, fraction, parseFraction, toNumber } from "../lib/fraction.js";
import { isAboutLies, isSpokenOf, properties } from "../properties/properties.js";
import { type ProofClaim, startEffect, wholeRuns } from "./program.js";
import { type ProofShape, rulesOf } from "./proof-shape.js";

/** An amount as it is written: a number, or a text such as "4/3" where no decimal writes it. */
export type WrittenAmount = number | string;

export interface WrittenMarket {
  readonly rules: Omit<ReturnType<typeof rulesOf>, "firstRoundRatio"> & {
    readonly budget: WrittenAmount;
    readonly firstRoundRatio: WrittenAmount;
  };
  readonly workers: readonly {
    readonly id: number;
    readonly reputation: WrittenAmount;
    readonly cost: WrittenAmount;
    readonly arrival: number;
  }[];
}

export interface WrittenBid {
  readonly worker: number;
  readonly price: WrittenAmount;
  readonly arrival: number;
}

export interface ExactWitness {
  readonly market: WrittenMarket;
  /** Who gains or loses, by its id; null for P2. */
  readonly worker: number | null;
  /** Null for P1 and P2. */
  readonly bid: WrittenBid | null;
  /** Of a pair: what the other one bids. */
  readonly partner?: WrittenBid;
  /** The gain, the loss (P1) or the overspending (P2) in this market, as a fraction. */
  readonly gain: string;
  /** The same as a share of the budget. */
  readonly share: string;
}

/** What a witness claims to show, without how much. */
export type WitnessCase = Pick<ExactWitness, "market" | "worker" | "bid" | "partner">;

/** Thrown where something is no legal market, or no bid that the claim speaks of. */
export class IllegalWitness extends Error {}

function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new IllegalWitness(otherwise);
}

/** How much of the budget the case breaks the claim by; null where it does not break it. Throws where it is not legal. */
export function breaksBy(shape: ProofShape, claim: ProofClaim, witness: WitnessCase): Fraction | null {
  const { budget, costs, arrivals } = legalMarket(shape, witness.market);
  const bids = legalBids(shape, claim, witness, { costs, arrivals });
  const math = new Fractions();
  const run = wholeRuns(shape, math, {
    budget: math.fraction(budget),
    cost: (worker) => math.fraction(costs[worker]!),
    timed: true,
  });
  const truth = run((worker) => ({ price: math.fraction(costs[worker]!), arrival: arrivals[worker]! }));
  const lying =
    bids.size === 0
      ? truth
      : run((worker) => {
          const { price, arrival } = bids.get(worker) ?? {
            price: costs[worker]!,
            arrival: arrivals[worker]!,
          };
          return { price: math.fraction(price), arrival };
        });
  const about =
    bids.size > 0
      ? [...bids.keys()].map((place) => shape.ids[place]!)
      : [witness.worker].filter((id) => id !== null);
  const regimeOf = regimesIn(truth.outcome);
  const regimes = about.length > 0 ? [commonRegime(regimeOf, about)] : shape.ids.map(regimeOf);
  if (!regimes.includes(claim.regime)) return null;
  if (claim.start !== null && startEffect(truth, lying) !== claim.start) return null;
  const excess = fractionOf(properties[claim.property].excess(truth, lying, about));
  return excess.gt(0) ? excess.div(budget) : null;
}

/** The amounts and arrivals of the workers, in the order of the shape. */
interface LegalMarket {
  readonly budget: Fraction;
  readonly costs: readonly Fraction[];
  readonly arrivals: readonly number[];
}

/** A market of the shape whose amounts, ids and arrivals are all within their ranges. */
function legalMarket(shape: ProofShape, market: WrittenMarket): LegalMarket {
  const { firstRoundRatio: _, ...wanted } = rulesOf(shape);
  const { rules, workers } = market;
  demandFields(market, ["rules", "workers"], "the market of a witness");
  demandFields(rules, ["budget", "firstRoundRatio", ...Object.keys(wanted)], "the rules of a witness");
  const given: Readonly<Record<string, unknown>> = rules;
  for (const [name, value] of Object.entries(wanted))
    demand(given[name] === value, `the witness is of another shape: ${name}`);
  demand(
    writtenFraction(rules.firstRoundRatio).equals(shape.firstRoundRatio),
    "the witness is of another shape: firstRoundRatio",
  );
  const budget = amountOf(rules.budget);
  demand(budget.gt(0), "the budget of the witness is not above 0");
  demand(
    Array.isArray(workers) && workers.length === shape.ids.length,
    "the witness is of another shape: workers",
  );
  for (const [k, worker] of workers.entries()) {
    demandFields(worker, ["id", "reputation", "cost", "arrival"], "a worker of the witness");
    demand(worker.id === shape.ids[k], "the witness is of another shape: ids");
    demand(
      writtenFraction(worker.reputation).equals(shape.reputations[k]!),
      "the witness is of another shape: reputations",
    );
    demand(isArrival(worker.arrival, 1, shape), "an arrival of the witness is not in the rounds");
    demand(
      shape.arrivals === undefined || worker.arrival === shape.arrivals[k],
      "the witness is of another shape: arrivals",
    );
  }
  const costs = workers.map(({ cost }) => amountOf(cost));
  return { budget, costs, arrivals: workers.map(({ arrival }) => arrival) };
}

interface LegalBid {
  readonly price: Fraction;
  readonly arrival: number;
}

/** By the place of who bids: exactly the lies that the claim speaks of, and nobody's but those of whom it says that they gain. */
function legalBids(
  shape: ProofShape,
  { property }: ProofClaim,
  { worker, bid, partner }: WitnessCase,
  { costs, arrivals }: Pick<LegalMarket, "costs" | "arrivals">,
): ReadonlyMap<number, LegalBid> {
  demand((property === "P2") === (worker === null), "the witness is about the wrong worker");
  demand(worker === null || shape.ids.includes(worker), "the witness is about a worker that is not there");
  demand(isAboutLies(property) === (bid !== null), "the witness has a bid too many or too few");
  demand((property === "pair") === (partner !== undefined), "the witness has a partner too many or too few");
  const legal = new Map<number, LegalBid>();
  for (const one of [bid, partner ?? null]) {
    if (one === null) continue;
    demandFields(one, ["worker", "price", "arrival"], "a bid of the witness");
    const place = shape.ids.indexOf(one.worker);
    demand(place >= 0 && !legal.has(place), "the witness has a bid of a worker that is not there, or two");
    const price = amountOf(one.price);
    demand(
      isArrival(one.arrival, arrivals[place]!, shape),
      "a bid of the witness is before the arrival, or after the last round",
    );
    const isTrue = { price: price.equals(costs[place]!), arrival: one.arrival === arrivals[place] };
    demand(isSpokenOf(property, isTrue), "a bid of the witness misstates more than the claim is about");
    legal.set(place, { price, arrival: one.arrival });
  }
  demand(bid === null || bid.worker === worker, "the witness gains by the lie of another");
  return legal;
}

const isArrival = (arrival: number, from: number, { rounds }: ProofShape): boolean =>
  Number.isInteger(arrival) && arrival >= from && arrival <= rounds;

function demandFields(value: object, fields: readonly string[], what: string): void {
  demand(typeof value === "object" && value !== null, `${what} is missing`);
  demand(Object.keys(value).sort().join() === [...fields].sort().join(), `${what} has other fields`);
}

/** As large and as small as an amount other than 0 may be. */
const [LEAST, MOST] = [fraction(1, 10n ** 12n), fraction(10n ** 12n)];

/** An amount that a market may hold: 0, or within the range. */
function amountOf(written: WrittenAmount): Fraction {
  const amount = writtenFraction(written);
  demand(
    amount.equals(0) || (amount.gte(LEAST) && amount.lte(MOST)),
    `an amount of the witness is not 0 or from 1e-12 to 1e12: ${showValue(written)}`,
  );
  return amount;
}

/** As it reads; throws where it is no number ≥ 0. */
export function writtenFraction(written: WrittenAmount): Fraction {
  const legal =
    typeof written === "number"
      ? Number.isFinite(written) && written >= 0
      : typeof written === "string" && /^\d+(\/0*[1-9]\d*)?$/.test(written);
  demand(legal, `an amount of the witness is no number ≥ 0: ${showValue(written)}`);
  return typeof written === "number" ? exactly(written) : parseFraction(written);
}

/** As a number where a decimal writes it, else as a text. */
export function writtenAmount(amount: Fraction): WrittenAmount {
  const number = toNumber(amount);
  return Number.isFinite(number) && exactly(number).equals(amount) ? number : amount.toFraction();
}
