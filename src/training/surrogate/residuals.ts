/** How far the surrogate is from what was recorded. */

import type { Replayed } from "./replay.js";

export interface Errors {
  /** Root of the mean square. */
  readonly rmse: number;
  /** Surrogate minus recorded, on average. */
  readonly bias: number;
  /** The largest, without its sign. */
  readonly worst: number;
  readonly n: number;
}

export function errorsOf(pairs: readonly (readonly [surrogate: number, recorded: number])[]): Errors {
  const errors = pairs.map(([surrogate, recorded]) => surrogate - recorded);
  const mean = (of: (error: number) => number) =>
    errors.reduce((sum, error) => sum + of(error), 0) / errors.length;
  return {
    rmse: Math.sqrt(mean((error) => error ** 2)),
    bias: mean((error) => error),
    worst: errors.reduce((most, error) => Math.max(most, Math.abs(error)), 0),
    n: errors.length,
  };
}

export interface Residuals {
  readonly tasks: number;
  readonly loss: Errors;
  readonly accuracy: Errors;
  readonly gain: Errors;
  readonly cosine: Errors;
  /** The share of quality tests with the same end, passed or failed. */
  readonly tests: { readonly same: number; readonly n: number };
  /** The share of pairs of workers of one round, of different accuracy, whose gains are in the same order. */
  readonly order: { readonly same: number; readonly n: number };
}

/** Gains, cosines, tests and order count where two or more worked together. */
export function residualsOf(tasks: readonly (readonly Replayed[])[]): Residuals {
  const rounds = tasks.flat();
  const crowds = rounds.filter(({ workers }) => workers.length > 1);
  const one = (of: "loss" | "accuracy") =>
    errorsOf(rounds.map(({ surrogate, recorded }) => [surrogate[of], recorded[of]]));
  const each = (of: "gains" | "cosines") =>
    errorsOf(crowds.flatMap(({ surrogate, recorded }) => pairs(surrogate[of], recorded[of])));
  return {
    tasks: tasks.length,
    loss: one("loss"),
    accuracy: one("accuracy"),
    gain: each("gains"),
    cosine: each("cosines"),
    tests: agreement(crowds.flatMap(testsOf)),
    order: agreement(crowds.flatMap(ordersOf)),
  };
}

const pairs = (a: readonly number[], b: readonly number[]): [number, number][] => a.map((x, k) => [x, b[k]!]);

const agreement = (same: readonly boolean[]) => ({
  same: same.filter((one) => one).length / same.length,
  n: same.length,
});

/** Whether each quality test ends the same. */
export const testsOf = ({ surrogate, recorded }: Replayed): boolean[] =>
  pairs(surrogate.gains, recorded.gains).map(([a, b]) => a >= 0 === b >= 0);

function ordersOf({ workers, surrogate, recorded }: Replayed): boolean[] {
  const places = [...workers.keys()];
  return places.flatMap((i) =>
    places
      .filter((j) => workers[j]!.accuracy < workers[i]!.accuracy)
      .map((j) => surrogate.gains[i]! > surrogate.gains[j]! === recorded.gains[i]! > recorded.gains[j]!),
  );
}
