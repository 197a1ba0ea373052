/**
 * Fits the surrogate to recorded tasks.
 *
 * 1. The curve, to losses and gains: a mean square each, gains times the number of workers (they shrink with it), up to 12.
 * 2. The accuracy curve, given the progress of the first; then the cosines.
 * 3. How far what was recorded scatters around all that.
 *
 * Parameters are positive, so their logarithms are fitted.
 */

import { minimiseAgain } from "../lib/nelder-mead.js";
import { type CurveSettings, type RecordedCurves, type RecordedTask, selectedIn } from "./recordings.js";
import * as curves from "./surrogate.js";

type ModelParameters = curves.ModelParameters;
type Parameters = curves.Parameters;

type Part = "curve" | "accuracy" | "cosine";

/** Where the search starts: roughly the perceptron's. */
const START = {
  curve: { blur: 1.1, speed: 1, purity: 1, bend: 1, floor: 0.1, memory: 0.3, noise: 0.1 },
  accuracy: { speed: 1, bend: 1, floor: 0.1, half: 0.5 },
  cosine: { common: 0.5, fading: 0.3, surer: 1, own: 0.02, wrong: 0.02 },
} as const satisfies Omit<ModelParameters, "first">;

/** Gains of rounds with more workers do not count for more than this many times themselves. */
const MOST_COUNTED = 12;

const objectives: Record<Part, (rounds: readonly Replayed[]) => number> = {
  curve: (rounds) =>
    meanSquare(rounds.map(({ surrogate, recorded }) => surrogate.loss - recorded.loss)) +
    meanSquare(
      withSeveral(rounds).flatMap((round) =>
        errorsIn(round, "gains").map((error) => error * Math.min(MOST_COUNTED, round.workers.length)),
      ),
    ),
  accuracy: (rounds) =>
    meanSquare(rounds.map(({ surrogate, recorded }) => surrogate.accuracy - recorded.accuracy)),
  cosine: (rounds) => meanSquare(withSeveral(rounds).flatMap((round) => errorsIn(round, "cosines"))),
};

/** Surrogate minus recorded, worker by worker. */
const errorsIn = ({ surrogate, recorded }: Replayed, of: "gains" | "cosines"): number[] =>
  surrogate[of].map((value, k) => value - recorded[of][k]!);

/** The rounds in which two or more worked together. */
const withSeveral = (rounds: readonly Replayed[]): Replayed[] =>
  rounds.filter(({ workers }) => workers.length > 1);

const meanSquare = (errors: readonly number[]): number => mean(errors.map((error) => error ** 2));

/** What the fit of a part makes as small as it can. */
export function objective(part: Part, recording: RecordedCurves, parameters: ModelParameters): number {
  const rounds = fitted(recording).flatMap((task) => replay(task, recording.settings, parameters));
  return objectives[part](rounds);
}

const fitted = ({ tasks }: RecordedCurves): RecordedTask[] => tasks.filter(({ heldOut }) => !heldOut);

/** The parameters for one data set, from those of its recorded tasks that are not held out. */
export function estimate(
  recording: RecordedCurves,
  start: Omit<ModelParameters, "first"> = START,
): Parameters {
  const tasks = fitted(recording);
  const first = (of: "loss" | "accuracy") =>
    tasks.reduce((sum, { before }) => sum + before[of] / tasks.length, 0);
  let model: ModelParameters = { ...start, first: { loss: first("loss"), accuracy: first("accuracy") } };
  for (const part of ["curve", "accuracy", "cosine"] as const) model = refined(part, recording, model);
  return { ...model, spread: spreadOf(tasks.map((task) => replay(task, recording.settings, model))) };
}

/** The parameters with one part fitted. */
export function refined(part: Part, recording: RecordedCurves, model: ModelParameters): ModelParameters {
  const names = Object.keys(model[part]);
  const from = (logs: readonly number[]): ModelParameters => ({
    ...model,
    [part]: Object.fromEntries(names.map((name, k) => [name, Math.exp(logs[k]!)])),
  });
  const start = names.map((name) => Math.log((model[part] as unknown as Record<string, number>)[name]!));
  const options = { step: 0.25, most: 4000, tolerance: 1e-9 };
  return from(minimiseAgain((logs) => objective(part, recording, from(logs)), start, options).at);
}

/** Of the tasks it was fitted to, of drawn ones kept away from it, and of the fixed mixes; sets without tasks are left out. */
export function residualsBySet(
  { tasks, settings }: RecordedCurves,
  parameters: Parameters,
): Readonly<Record<string, ReturnType<typeof residualsOf>>> {
  const sets: Record<string, RecordedTask[]> = {
    fitted: tasks.filter(({ heldOut }) => !heldOut),
    heldOut: tasks.filter(({ heldOut, design }) => heldOut && design === "random"),
    even: tasks.filter(({ design }) => design === "even"),
    paper: tasks.filter(({ design }) => design === "paper"),
  };
  const residuals = (chosen: readonly RecordedTask[]) =>
    residualsOf(chosen.map((task) => replay(task, settings, parameters)));
  const some = Object.entries(sets).filter(([, chosen]) => chosen.length > 0);
  return Object.fromEntries(some.map(([name, chosen]) => [name, residuals(chosen)]));
}

/** How far recorded figures scatter around the fitted curves. */
export function spreadOf(tasks: readonly (readonly Replayed[])[]): Parameters["spread"] {
  const logs = tasks.map((rounds) =>
    rounds.map(({ surrogate, recorded }) => Math.log(recorded.loss / surrogate.loss)),
  );
  const offsets = logs.map(mean);
  const joint = withSeveral(tasks.flat());
  const scaled = joint.flatMap((round) =>
    apart(round, "gains").map(({ accuracy, by }) => ({ accuracy, by: by * round.workers.length })),
  );
  const gain = root(scaled.filter(({ accuracy }) => accuracy === 1).map(({ by }) => by));
  const wrong = scaled.filter(({ accuracy }) => accuracy < 1);
  const share = mean(wrong.map(({ accuracy }) => 1 - accuracy));
  return {
    taskLoss: root(offsets),
    roundLoss: root(logs.flatMap((log, k) => log.map((value) => value - offsets[k]!))),
    accuracy: root(tasks.flat().map(({ surrogate, recorded }) => recorded.accuracy - surrogate.accuracy)),
    gain,
    wrongGain: Math.max(0, root(wrong.map(({ by }) => by)) - gain) / share,
    cosine: root(joint.flatMap((round) => apart(round, "cosines").map(({ by }) => by))),
  };
}

/** How far workers of the same accuracy are from each other in a round: what no curve can explain. */
function apart({ workers, recorded }: Replayed, of: "gains" | "cosines"): { accuracy: number; by: number }[] {
  return [...new Set(workers.map(({ accuracy }) => accuracy))].flatMap((accuracy) => {
    const values = recorded[of].filter((_, k) => workers[k]!.accuracy === accuracy);
    const middle = mean(values);
    const widened = Math.sqrt(values.length / (values.length - 1));
    return values.length < 2 ? [] : values.map((value) => ({ accuracy, by: (value - middle) * widened }));
  });
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const root = (values: readonly number[]): number => Math.sqrt(meanSquare(values));

export type Replayed = ReturnType<typeof replay>[number];

/** The surrogate without its noise along a recorded task: what was recorded of each round, and what it says, worker by worker. */
export function replay(
  task: RecordedTask,
  { samples }: Pick<CurveSettings, "samples">,
  parameters: ModelParameters,
) {
  let state = curves.untrained;
  return task.rounds.map((recorded, k) => {
    const workers = selectedIn(task, k + 1).map((id) => ({ id, samples, accuracy: task.accuracies[id]! }));
    const gains = curves.gainsOf(state, workers, parameters);
    const cosines = curves.cosinesOf(state, workers, parameters);
    state = curves.after(state, curves.mixOf(workers, parameters.curve), parameters.curve);
    const [loss, accuracy] = [curves.lossOf(state, parameters), curves.accuracyOf(state, parameters)];
    return { round: k + 1, workers, recorded, surrogate: { loss, accuracy, gains, cosines } };
  });
}

export type Errors = Readonly<ReturnType<typeof errorsOf>>;

/** The root of the mean square, the surrogate minus what was recorded on average, and the largest without its sign. */
export function errorsOf(pairs: readonly (readonly [surrogate: number, recorded: number])[]) {
  const errors = pairs.map(([surrogate, recorded]) => surrogate - recorded);
  return {
    rmse: root(errors),
    bias: mean(errors),
    worst: errors.reduce((most, error) => Math.max(most, Math.abs(error)), 0),
    n: errors.length,
  };
}

/**
 * Errors, the share of quality tests with the same end, passed or failed, and that of pairs of workers of one round, of different
 * accuracy, whose gains are in the same order. Gains, cosines, tests and order count where two or more worked together.
 */
export function residualsOf(tasks: readonly (readonly Replayed[])[]) {
  const rounds = tasks.flat();
  const joint = withSeveral(rounds);
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
