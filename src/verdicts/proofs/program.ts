/**
 * The program that a proof is about: the truthful run of a mechanism's text and the run in which one worker lies, over the
 * unknown costs of everybody, the unknown price of the liar and the unknown budget.
 */

import { type Fraction, toNumber } from "../../lib/fraction.js";
import { combined, fitting, type Vector } from "../../lib/integer-vector.js";
import { possibleArrivals } from "../../market/market.js";
import type { Amount } from "../../mechanisms/amounts.js";
import { BUDGET, type LinearAmount, type LinearForms, linear } from "../../mechanisms/linear-forms.js";
import { type Regime, regimes, regimesIn } from "../../mechanisms/outcome.js";
import { type ProgramRun, runProgram } from "../../mechanisms/program.js";
import { type PlainShape, rulesOf } from "./shape.js";

export const provedProperties = ["P1", "P2", "P5", "P6", "joint"] as const;
/** Also that no two workers gain together, which is settled only where it is asked for. */
export const settledProperties = [...provedProperties, "pair"] as const;
export type ProvedProperty = (typeof settledProperties)[number];

export const startEffects = ["kept", "moved"] as const;
/** Whether a lie leaves the start of the task where it is. */
type StartEffect = (typeof startEffects)[number];

/** What is claimed: of lies also whether they keep the start. */
export interface ProofClaim {
  readonly property: ProvedProperty;
  readonly regime: Regime;
  readonly start: StartEffect | null;
}

export const claimsAbout = (properties: readonly ProvedProperty[]): ProofClaim[] =>
  properties.flatMap((property) =>
    regimes.flatMap((regime): ProofClaim[] =>
      property === "P1" || property === "P2"
        ? [{ property, regime, start: null }]
        : startEffects.map((start) => ({ property, regime, start })),
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
export const singlePieces = (shape: PlainShape, timed: boolean): ProofPiece[] =>
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
export const pairPieces = (shape: PlainShape, timed: boolean): ProofPiece[] =>
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
  shape: PlainShape,
): (number | null)[] {
  return arrivals === null ? [null] : possibleArrivals({ arrival: arrivals[worker]! }, shape);
}

/** Everybody's arrivals: those given, or all there are; none where the mechanism looks at none. */
function patternsOf({ arrivals, reputations, rounds }: PlainShape, timed: boolean): ProofPiece["arrivals"][] {
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
export const pricePlace = ({ reputations }: PlainShape): number => BUDGET + 1 + reputations.length;

/** How many unknowns a piece has. */
const unknownsOf = (shape: PlainShape, { lie }: ProofPiece): number =>
  pricePlace(shape) + (lie?.price ? 1 : 0) + (lie?.partner ? 1 : 0);

/** Unit and budget are above 0, costs and prices at least 0. */
export const positiveOf = (shape: PlainShape, piece: ProofPiece): boolean[] =>
  Array.from({ length: unknownsOf(shape, piece) }, (_, place) => place <= BUDGET);

/** Thrown where a mechanism looks at arrivals after all. */
export class ArrivalRead extends Error {}

/**
 * Runs the text as a piece says, as often as it is called, and reads off what comes of it. Where an explorer carries the
 * truthful run, which has then been made whole in a region around this one, only the lying run is made.
 */
export function programOf(
  shape: PlainShape,
  piece: ProofPiece,
  math: LinearForms,
  carrier?: { carried: unknown },
): () => ClaimAmount[] {
  const run = runner(shape, piece, math);
  const { lie } = piece;
  if (lie === null) return () => truthFindings(run(), shape, math);
  const { worker, partner } = lie;
  const liars = partner ? [worker, partner.worker] : [worker];
  const ids = liars.map((place) => shape.ids[place]!);
  const utility = utilities(shape, math);
  return () => {
    const truth = (carrier?.carried as ProgramRun | null | undefined) ?? run();
    if (carrier) carrier.carried = truth;
    const told = run(lie);
    const regime = commonRegime(regimesIn(truth), ids);
    const start: StartEffect = truth.startDelay === told.startDelay ? "kept" : "moved";
    const gains = liars.map((place) => math.minus(utility(told, place), utility(truth, place)));
    const amount = linear(gains.reduce((sum, gain) => math.plus(sum, gain)));
    return propertiesOf(piece).map((property) => ({ property, regime, start, worker, amount }));
  };
}

/** Of two workers: sufficient only where it is so for both. */
export const commonRegime = (regimeOf: (id: number) => Regime, ids: readonly number[]): Regime =>
  ids.map(regimeOf).find((regime) => regime !== "sufficient") ?? "sufficient";

/** What a piece speaks of. */
export function propertiesOf({ arrivals, lie }: ProofPiece): ProvedProperty[] {
  if (lie === null) return ["P1", "P2"];
  if (lie.partner) return ["pair"];
  if (!lie.price) return ["P6"];
  return lie.arrival === (arrivals?.[lie.worker] ?? null) ? ["P5", "joint"] : ["joint"];
}

/** p_i − c_i · r_i ([M12]). */
const utilities =
  ({ ids }: PlainShape, math: LinearForms) =>
  (run: ProgramRun, worker: number): Amount => {
    const { payment, rounds } = run.candidate(ids[worker]!) ?? nobody;
    const cost = math.times(math.known(rounds), math.unknown(costPlace(worker)));
    return math.minus(payment ?? math.known(0), cost);
  };

/** Who has no reputation is never selected ([M1]). */
const nobody = { payment: null, rounds: 0 };

function truthFindings(truth: ProgramRun, shape: PlainShape, math: LinearForms): ClaimAmount[] {
  const regimeOf = regimesIn(truth);
  const utility = utilities(shape, math);
  const zero = math.known(0);
  const losses = shape.ids.map((id, worker): ClaimAmount => {
    const amount = linear(math.minus(zero, utility(truth, worker)));
    return { property: "P1", regime: regimeOf(id), start: null, worker, amount };
  });
  const amount = linear(math.minus(truth.spent, math.unknown(BUDGET)));
  const present = [...new Set(shape.ids.map(regimeOf))];
  return [
    ...losses,
    ...present.map((regime) => ({ property: "P2" as const, regime, start: null, worker: null, amount })),
  ];
}

function runner(shape: PlainShape, { arrivals }: ProofPiece, math: LinearForms) {
  const rules = { budget: 1, ...rulesOf(shape) };
  const amounts = { budget: math.unknown(BUDGET), firstRoundRatio: math.fraction(shape.firstRoundRatio) };
  const reputations = shape.reputations.map((one) => math.fraction(one));
  const informed = "sees" in shape.mechanism;
  const onArrival = () => {
    throw new ArrivalRead();
  };
  return (lie: ProofPiece["lie"] = null): ProgramRun => {
    const told = [lie, lie?.partner].filter((one) => one != null);
    const placeOf = (worker: number) => told.findIndex((one) => one.worker === worker);
    const bids = shape.reputations.map((reputation, worker) => {
      const arrival = (told[placeOf(worker)] ?? { arrival: arrivals?.[worker] }).arrival ?? 1;
      return { id: shape.ids[worker]!, reputation: toNumber(reputation), price: 0, arrival };
    });
    const priced = lie?.price && !informed;
    const priceOf = (worker: number) =>
      priced && placeOf(worker) >= 0 ? pricePlace(shape) + placeOf(worker) : costPlace(worker);
    return runProgram(shape.mechanism, rules, bids, {
      math,
      amounts,
      ...(arrivals === null && { onArrival }),
      priceOf: ({ id }) => math.unknown(priceOf(shape.ids.indexOf(id))),
      reputationOf: ({ id }) => reputations[shape.ids.indexOf(id)],
    });
  };
}
