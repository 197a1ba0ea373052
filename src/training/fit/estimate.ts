/**
 * Fits the surrogate to recorded tasks.
 *
 * 1. The curve, to losses and gains: a mean square each, gains times the number of workers (they shrink with it), up to 12.
 * 2. The accuracy curve, given the progress of the first; then the cosines.
 * 3. How far what was recorded scatters around all that.
 *
 * Parameters are positive, so their logarithms are fitted.
 */

import type { RecordedTask, Recording } from "../recording.js";
import type { ModelParameters } from "../surrogate/model.js";
import type { Parameters } from "../surrogate/parameters.js";
import { type Replayed, replay } from "../surrogate/replay.js";
import { type Residuals, residualsOf } from "../surrogate/residuals.js";
import { minimiseAgain } from "./nelder-mead.js";
import { spreadOf } from "./spread.js";

type Part = "curve" | "accuracy" | "cosine";

/** Where the search starts: roughly the perceptron's. */
const START = {
  curve: { blur: 1.1, speed: 1, purity: 1, bend: 1, floor: 0.1, memory: 0.3, noise: 0.1 },
  accuracy: { speed: 1, bend: 1, floor: 0.1, half: 0.5 },
  cosine: { common: 0.5, fading: 0.3, surer: 1, own: 0.02, wrong: 0.02 },
} as const satisfies Omit<ModelParameters, "first">;

/** Gains of larger crowds do not count for more than this many times themselves. */
const CROWD = 12;

const objectives: Record<Part, (rounds: readonly Replayed[]) => number> = {
  curve: (rounds) =>
    meanSquare(rounds.map(({ surrogate, recorded }) => surrogate.loss - recorded.loss)) +
    meanSquare(
      crowds(rounds).flatMap(({ surrogate, recorded, workers }) =>
        surrogate.gains.map((gain, k) => (gain - recorded.gains[k]!) * Math.min(CROWD, workers.length)),
      ),
    ),
  accuracy: (rounds) =>
    meanSquare(rounds.map(({ surrogate, recorded }) => surrogate.accuracy - recorded.accuracy)),
  cosine: (rounds) =>
    meanSquare(
      crowds(rounds).flatMap(({ surrogate, recorded }) =>
        surrogate.cosines.map((cosine, k) => cosine - recorded.cosines[k]!),
      ),
    ),
};

const crowds = (rounds: readonly Replayed[]): Replayed[] =>
  rounds.filter(({ workers }) => workers.length > 1);

const meanSquare = (errors: readonly number[]): number =>
  errors.reduce((sum, error) => sum + error * error, 0) / errors.length;

/** What the fit of a part makes as small as it can. */
export function objective(part: Part, recording: Recording, parameters: ModelParameters): number {
  const rounds = fitted(recording).flatMap((task) => replay(task, recording.settings, parameters));
  return objectives[part](rounds);
}

const fitted = ({ tasks }: Recording): RecordedTask[] => tasks.filter(({ heldOut }) => !heldOut);

/** The parameters for one data set, from those of its recorded tasks that are not held out. */
export function estimate(recording: Recording, start: Omit<ModelParameters, "first"> = START): Parameters {
  const tasks = fitted(recording);
  const mean = (of: "loss" | "accuracy") =>
    tasks.reduce((sum, { before }) => sum + before[of] / tasks.length, 0);
  let model: ModelParameters = { ...start, first: { loss: mean("loss"), accuracy: mean("accuracy") } };
  for (const part of ["curve", "accuracy", "cosine"] as const) model = refined(part, recording, model);
  return { ...model, spread: spreadOf(tasks.map((task) => replay(task, recording.settings, model))) };
}

/** The parameters with one part fitted. */
export function refined(part: Part, recording: Recording, model: ModelParameters): ModelParameters {
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
  { tasks, settings }: Recording,
  parameters: Parameters,
): Readonly<Record<string, Residuals>> {
  const sets: Record<string, RecordedTask[]> = {
    fitted: tasks.filter(({ heldOut }) => !heldOut),
    heldOut: tasks.filter(({ heldOut, design }) => heldOut && design === "random"),
    even: tasks.filter(({ design }) => design === "even"),
    paper: tasks.filter(({ design }) => design === "paper"),
  };
  const some = Object.entries(sets).filter(([, chosen]) => chosen.length > 0);
  const all = some.map(([name, chosen]) => [
    name,
    residualsOf(chosen.map((task) => replay(task, settings, parameters))),
  ]);
  return Object.fromEntries(all);
}
