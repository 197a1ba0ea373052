/** The surrogate without its noise along recorded tasks, and how far it is from what was recorded. */

import { type CurveSettings, type RecordedRound, type RecordedTask, selectedIn } from "../recorded-curves.js";
import type { WorkerData } from "../trainer.js";
import {
  accuracyOf,
  after,
  cosinesOf,
  gainsOf,
  lossOf,
  type ModelParameters,
  mixOf,
  untrained,
} from "./model.js";

/** What was recorded of a round, and what the surrogate says, worker by worker. */
export interface Replayed {
  readonly round: number;
  readonly workers: readonly WorkerData[];
  readonly recorded: RecordedRound;
  readonly surrogate: RecordedRound;
}

export function replay(
  task: RecordedTask,
  { samples }: Pick<CurveSettings, "samples">,
  parameters: ModelParameters,
): Replayed[] {
  let state = untrained;
  return task.rounds.map((recorded, k) => {
    const workers = selectedIn(task, k + 1).map((id) => ({ id, samples, accuracy: task.accuracies[id]! }));
    const gains = gainsOf(state, workers, parameters);
    const cosines = cosinesOf(state, workers, parameters);
    state = after(state, mixOf(workers, parameters.curve), parameters.curve);
    const [loss, accuracy] = [lossOf(state, parameters), accuracyOf(state, parameters)];
    return { round: k + 1, workers, recorded, surrogate: { loss, accuracy, gains, cosines } };
  });
}

interface Errors {
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
  const joint = rounds.filter(({ workers }) => workers.length > 1);
  const one = (of: "loss" | "accuracy") =>
    errorsOf(rounds.map(({ surrogate, recorded }) => [surrogate[of], recorded[of]]));
  const each = (of: "gains" | "cosines") =>
    errorsOf(joint.flatMap(({ surrogate, recorded }) => pairs(surrogate[of], recorded[of])));
  return {
    tasks: tasks.length,
    loss: one("loss"),
    accuracy: one("accuracy"),
    gain: each("gains"),
    cosine: each("cosines"),
    tests: agreement(joint.flatMap(testsOf)),
    order: agreement(joint.flatMap(ordersOf)),
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
