/**
 * The program that a proof is about: the truthful run of a mechanism's program and the run in which one worker lies, over the
 * unknown costs of everybody, the unknown price of the liar and the unknown budget.
 */

import type { Amount, Peeking } from "../auction/amounts.js";
import { BUDGET, type LinearAmount, type LinearForms, linear } from "../auction/linear-forms.js";
import { commonRegime, type Regime, regimes, regimesIn } from "../auction/outcome.js";
import { type ProgramRun, runProgram } from "../auction/program.js";
import type { Fraction } from "../lib/fraction.js";
import { combined, fitting, type Vector } from "../lib/integer-vector.js";
import { possibleArrivals } from "../market/market.js";
import { isAboutLies, type MeasuredProperty, properties, type Run } from "../properties/properties.js";
import { type ProofShape, rulesOf } from "./proof-shape.js";

export const provedProperties = ["P1", "P2", "P5", "P6", "joint"] as const satisfies MeasuredProperty[];
/** Also what two workers gain together, which is settled only where it is asked for. */
export const settledProperties: readonly MeasuredProperty[] = [...provedProperties, "pair"];
export type { MeasuredProperty as ProvedProperty } from "../properties/properties.js";

export const startEffects = ["kept", "moved"] as const;
/** Whether a lie leaves the start of the task where it is. */
type StartEffect = (typeof startEffects)[number];

/** What is claimed: of lies also whether they keep the start. */
export interface ProofClaim {
  readonly property: MeasuredProperty;
  readonly regime: Regime;
  readonly start: StartEffect | null;
}

export const claimsAbout = (properties: readonly MeasuredProperty[]): ProofClaim[] =>
  properties.flatMap((property) =>
    regimes.flatMap((regime): ProofClaim[] =>
      isAboutLies(property)
        ? startEffects.map((start) => ({ property, regime, start }))
        : [{ property, regime, start: null }],
    ),
  );

export const allClaims: readonly ProofClaim[] = claimsAbout(provedProperties);

export const claimKey = ({ property, regime, start }: ProofClaim): string =>
  `${property}/${regime}${start === null ? "" : `/${start}`}`;

/** A part of the space of all markets and lies of a shape: in it only costs, the liar's price and the budget are unknown. */
export interface ProofPiece {
  /** Everybody's true arrival; null where the mechanism never looks at one. */
  readonly arrivals: readonly number[] | null;
  /** Null: the truthful run alone. */
  readonly lie: {
    /** Its place among the workers, by increasing id. */
    readonly worker: number;
    /** The arrival that it bids; null where the mechanism never looks. */
    readonly arrival: number | null;
    /** Whether it bids any price; else its cost. */
    readonly price: boolean;
    /** Who lies with it, and also bids any price. */
    readonly partner?: { readonly worker: number; readonly arrival: number | null };
  } | null;
}

/** The truthful run and all lies of one worker; arrivals are told apart only where the mechanism looks at them. */
export const singlePieces = (shape: ProofShape, timed: boolean): ProofPiece[] =>
  patternsOf(shape, timed).flatMap((arrivals) => [
    { arrivals, lie: null },
    ...shape.ids.flatMap((_, worker) =>
      arrivalsTold(worker, arrivals, shape).flatMap((arrival) =>
        // The true price at the true arrival is no lie.
        (arrival === arrivals?.[worker] ? [true] : [true, false]).map((price) => ({
          arrivals,
          lie: { worker, arrival, price },
        })),
      ),
    ),
  ]);

/** The same for every two workers who lie together. */
export const pairPieces = (shape: ProofShape, timed: boolean): ProofPiece[] =>
  patternsOf(shape, timed).flatMap((arrivals) =>
    shape.ids.flatMap((_, worker) =>
      shape.ids.slice(worker + 1).flatMap((_, k) => {
        const other = worker + 1 + k;
        return arrivalsTold(worker, arrivals, shape).flatMap((arrival) =>
          arrivalsTold(other, arrivals, shape).map((later) => {
            const partner = { worker: other, arrival: later };
            return { arrivals, lie: { worker, arrival, price: true, partner } };
          }),
        );
      }),
    ),
  );

/** The true arrival and later ones; null where there is nothing to tell. */
function arrivalsTold(
  worker: number,
  arrivals: ProofPiece["arrivals"],
  shape: ProofShape,
): (number | null)[] {
  return arrivals === null ? [null] : possibleArrivals({ arrival: arrivals[worker]! }, shape);
}

/** Everybody's arrivals: those given, or all there are; none where the mechanism looks at none. */
function patternsOf({ arrivals, reputations, rounds }: ProofShape, timed: boolean): ProofPiece["arrivals"][] {
  if (!timed) return [null];
  if (arrivals !== undefined) return [arrivals];
  const clocks = possibleArrivals({ arrival: 1 }, { rounds });
  return reputations.reduce<number[][]>(
    (patterns) => patterns.flatMap((pattern) => clocks.map((clock) => [...pattern, clock])),
    [[]],
  );
}

/** What happens wherever the decisions are the same: an amount of money per claim. */
export interface ClaimAmount extends ProofClaim {
  /** The place of who gains (or loses, P1; of two the first); null for P2. */
  readonly worker: number | null;
  /** The gain, the loss (P1) or the overspending (P2). */
  readonly amount: LinearAmount;
}

/** A vector of zeros but for a 1. */
export const unit = (length: number, place: number): number[] =>
  Array.from({ length }, (_, k) => (k === place ? 1 : 0));

/** amount − share · budget, up to a positive factor: above 0 where the amount is a larger share of the budget. */
export function beyondShare({ top, below }: LinearAmount, share: Fraction): Vector {
  const part = -(share.s * share.n * BigInt(below));
  return combined(top, fitting(share.d), unit(top.length, BUDGET), fitting(part)).vector;
}

/** Places of the unknowns behind the unit and the budget. */
export const costPlace = (worker: number): number => BUDGET + 1 + worker;
export const pricePlace = ({ reputations }: ProofShape): number => BUDGET + 1 + reputations.length;

/** How many unknowns a piece has. */
const unknownsOf = (shape: ProofShape, { lie }: ProofPiece): number =>
  pricePlace(shape) + (lie?.price ? 1 : 0) + (lie?.partner ? 1 : 0);

/** Unit and budget are above 0, costs and prices at least 0. */
export const positiveOf = (shape: ProofShape, piece: ProofPiece): boolean[] =>
  Array.from({ length: unknownsOf(shape, piece) }, (_, place) => place <= BUDGET);

/** Thrown where a mechanism looks at arrivals after all. */
export class ArrivalRead extends Error {}

/** What is known in all of the region that is looked at: the truthful run, where it has been made in a larger one. */
export interface Carrier {
  carried: WholeRun | null;
}

/** Runs the program as a piece says, as often as it is called, and reads off what comes of it. Every run is whole. */
export function programOf(
  shape: ProofShape,
  piece: ProofPiece,
  math: LinearForms,
  carrier: Carrier,
): () => ClaimAmount[] {
  const cost = (worker: number) => math.unknown(costPlace(worker));
  const liars = liarsOf(piece);
  // Places of prices follow the order of the liars.
  const price = (liar: number) => math.unknown(pricePlace(shape) + liar);
  const truth: BidsOf = (worker) => ({ price: cost(worker), arrival: arrivalIn(piece, worker) });
  const lie: BidsOf = (worker) => {
    const liar = liars.findIndex((one) => one.worker === worker);
    if (liar < 0) return truth(worker);
    return { price: piece.lie!.price ? price(liar) : cost(worker), arrival: liars[liar]!.arrival ?? 1 };
  };
  const run = wholeRuns(shape, math, { budget: math.unknown(BUDGET), cost, timed: piece.arrivals !== null });
  if (liars.length === 0) return () => truthFindings(run(truth));
  const ids = liars.map(({ worker }) => shape.ids[worker]!);
  const worker = liars[0]!.worker;
  return () => {
    const honest = carrier.carried ?? run(truth);
    carrier.carried = honest;
    const lying = run(lie);
    const regime = commonRegime(regimesIn(honest.outcome), ids);
    const start = startEffect(honest, lying);
    // Of the same two runs all of them are the same amount.
    const [first, ...others] = propertiesOf(piece);
    const amount = linear(properties[first!].excess(honest, lying, ids));
    return [first!, ...others].map((property) => ({ property, regime, start, worker, amount }));
  };
}

/** What a lie does to the start. */
export const startEffect = (truth: WholeRun, lie: WholeRun): StartEffect =>
  truth.outcome.startDelay === lie.outcome.startDelay ? "kept" : "moved";

/** Who lies in a piece, and the arrivals that they bid. */
const liarsOf = ({ lie }: ProofPiece): { readonly worker: number; readonly arrival: number | null }[] =>
  lie === null ? [] : lie.partner ? [lie, lie.partner] : [lie];

const arrivalIn = ({ arrivals }: ProofPiece, worker: number): number => arrivals?.[worker] ?? 1;

/** What the worker at a place bids. */
type BidsOf = (worker: number) => { readonly price: Amount; readonly arrival: number };

/** An arithmetic in which fractions are known. */
export interface Exact extends Peeking {
  fraction(value: Fraction): Amount;
}

/** A run that leaves out nothing, as properties see it. */
export interface WholeRun extends Run {
  readonly outcome: ProgramRun;
}

interface WholeRunOptions {
  readonly budget: Amount;
  /** Of the worker at a place. */
  readonly cost: (worker: number) => Amount;
  /** Whether arrivals may be looked at. */
  readonly timed: boolean;
}

/** Whole runs of the shape's program, by what is bid. */
export function wholeRuns(
  shape: ProofShape,
  math: Exact,
  { budget, cost, timed }: WholeRunOptions,
): (bidsOf: BidsOf) => WholeRun {
  const rules = { budget: 1, ...rulesOf(shape) };
  const firstRoundRatio = math.fraction(shape.firstRoundRatio);
  const reputations = shape.reputations.map((one) => math.fraction(one));
  const placeOf = new Map(shape.ids.map((id, worker) => [id, worker]));
  const onArrival = () => {
    throw new ArrivalRead();
  };
  return (bidsOf) => {
    const bids = shape.ids.map((_, worker) => bidsOf(worker));
    const bidders = shape.ids.map((id, worker) => {
      // Of the numbers only whether a reputation is above 0 counts: the amounts themselves are handed over below.
      const reputation = shape.reputations[worker]!.n > 0n ? 1 : 0;
      return { id, reputation, price: 0, arrival: bids[worker]!.arrival };
    });
    const outcome = runProgram(shape.mechanism, rules, bidders, {
      math,
      amounts: { budget, firstRoundRatio },
      ...(!timed && { onArrival }),
      priceOf: ({ id }) => bids[placeOf.get(id)!]!.price,
      costOf: ({ id }) => cost(placeOf.get(id)!),
      reputationOf: ({ id }) => reputations[placeOf.get(id)!],
    });
    return {
      outcome,
      math,
      budget,
      ids: shape.ids,
      of(id) {
        // Who has no reputation is never selected ([M1]).
        const { payment, rounds } = outcome.candidate(id) ?? { payment: math.known(0), rounds: 0 };
        return { payment, rounds, cost: cost(placeOf.get(id)!) };
      },
    };
  };
}

/** What a piece speaks of. */
export function propertiesOf({ arrivals, lie }: ProofPiece): MeasuredProperty[] {
  if (lie === null) return ["P1", "P2"];
  if (lie.partner) return ["pair"];
  if (!lie.price) return ["P6"];
  return lie.arrival === (arrivals?.[lie.worker] ?? null) ? ["P5", "joint"] : ["joint"];
}

function truthFindings(truth: WholeRun): ClaimAmount[] {
  const { ids } = truth;
  const regimeOf = regimesIn(truth.outcome);
  const losses = ids.map((id, worker): ClaimAmount => {
    const amount = linear(properties.P1.excess(truth, truth, [id]));
    return { property: "P1", regime: regimeOf(id), start: null, worker, amount };
  });
  const amount = linear(properties.P2.excess(truth, truth, []));
  const present = [...new Set(ids.map(regimeOf))];
  return [
    ...losses,
    ...present.map((regime) => ({ property: "P2" as const, regime, start: null, worker: null, amount })),
  ];
}
