/**
 * Training without a model: a learning curve fitted to real runs, in microseconds a round. It leads from who works in each
 * round to loss, accuracy and what each update is worth:
 *
 * 1. With accuracy a, labels are right with probability a. Wrong labels among right ones do a little more harm than their share:
 *    samples are worth 0.1 + 0.9 · ((a − 0.1) / 0.9)^blur; at 0.1 labels say nothing.
 * 2. What a round of federated averaging learns from is the mean of that over its workers, weighted by samples: more workers make
 *    a round no faster, only less noisy.
 * 3. Good samples make progress: S grows by speed · ((mean − 0.1) / 0.9)^purity a round.
 * 4. The share of all there is to learn that is not learned yet: g = floor + (1 − floor) / (1 + S^bend).
 * 5. What is learned comes out as sure as samples were good of late: loss = (1 − g) · −log(recent mean) + g · log 10.
 * 6. Wrong labels that few workers share are noise: noise · (1.1 − mean) / number of workers more.
 * 7. A worker's gain is the loss by the same steps without it, minus the loss with it.
 * 8. Who trains on a share f of its samples brings f of what its update would be, but the weight of all of them: the mean is over what
 *    was trained, and the round makes so much less progress. What its update has of its own shrinks with √f only, so its direction is
 *    less that of all. A model sent back has no direction; noise of the length of the last change has that of its own weight.
 */

import { shareOf } from "../agents/agent.js";
import { normalPair, type Stream } from "../lib/random.js";
import type { DatasetName } from "./datasets.js";
import fitted from "./recorded/surrogate-parameters.json" with { type: "json" };
import {
  type Score,
  selectedFrom,
  type Task,
  type Trainer,
  type Training,
  type WorkerData,
  type Worth,
} from "./trainer.js";

/** A trainer that does as the real one does on this data set, with the paper's model and learning settings. */
export function surrogate({ dataset }: { readonly dataset: DatasetName }): Trainer {
  return {
    name: "surrogate",
    about: "A learning curve fitted to real runs: needs no TensorFlow, and milliseconds a task.",
    start: async (task) => startTraining(task, parameters[dataset]),
  };
}

function startTraining({ workers, training }: Task, fitted: Parameters): Training {
  const noise = noiseOf(training, fitted);
  const known = new Map(workers.map((worker) => [worker.id, worker]));
  let [state, rounds] = [untrained, 0];
  let last: Score = fitted.first;
  return {
    async round(selected) {
      rounds++;
      const chosen = selectedFrom(known, selected, "surrogate").map(({ data }) => data);
      if (chosen.length === 0) return { ...last, worths: [] };
      const worths = noise.worths(chosen, rounds, {
        gains: gainsOf(state, chosen, fitted),
        cosines: cosinesOf(state, chosen, fitted),
      });
      state = after(state, mixOf(chosen, fitted.curve), fitted.curve);
      last = noise.score({ loss: lossOf(state, fitted), accuracy: accuracyOf(state, fitted) }, rounds);
      return { ...last, worths };
    },
    end() {},
  };
}

/** What no curve explains: every worker and the model have draws of their own for each round, whoever else is there. */
function noiseOf(training: Stream, { spread }: Parameters) {
  const model = normals(training.fork("model"));
  const own = new Map<number, Normal>();
  const drawsOf = (id: number): Normal => {
    if (!own.has(id)) own.set(id, normals(training.fork("worker").fork(id)));
    return own.get(id)!;
  };
  return {
    score({ loss, accuracy }: Score, round: number): Score {
      const drift = spread.taskLoss * model(0) + spread.roundLoss * model(2 * round);
      const share = accuracy + spread.accuracy * model(2 * round + 1);
      return { loss: loss * Math.exp(drift), accuracy: Math.max(0, Math.min(1, share)) };
    },
    worths(
      workers: readonly WorkerData[],
      round: number,
      { gains, cosines }: { gains: readonly number[]; cosines: readonly number[] },
    ): Worth[] {
      return workers.map(({ id, accuracy, effort }, k): Worth => {
        const draw = drawsOf(id);
        const width = (spread.gain + spread.wrongGain * (1 - accuracy)) / workers.length;
        const drift = shareOf(effort) === 0 || workers.length === 1 ? 0 : spread.cosine * draw(2 * round + 1);
        const angle = cosines[k]! + drift;
        return { id, gain: gains[k]! + width * draw(2 * round), cosine: Math.max(-1, Math.min(1, angle)) };
      });
    },
  };
}

/** Normally distributed draws by number: the same whichever are asked for, and in whatever order. */
type Normal = (index: number) => number;

/** Mean 0 and deviation 1. */
export function normals(stream: Stream): Normal {
  const drawn: number[] = [];
  return (index) => {
    while (drawn.length <= index) drawn.push(...normalPair(stream));
    return drawn[index]!;
  };
}

/**
 * The fitted numbers of a data set.
 *
 * - curve: as in the steps above; of the recent mean, `memory` is how much is still that of earlier rounds, one round later.
 * - accuracy: the share classified wrongly falls with progress too, further with more workers: 0.9 · (floor + (1 − floor) / (1 + x^bend));
 *   with `half` workers a task makes half the progress it would make with many.
 * - cosine: how long the parts of an update are. All have `common` in common in the first round, and `fading` of it a round later;
 *   `surer` is what makes the model surer, where what there is to learn is the unit; `own` is the squared length of what each has for
 *   itself with right labels, and `wrong` the more of it with wrong ones.
 * - first: the model before anybody has trained it.
 * - spread: standard deviations of the noise. Of the logarithm of a task's losses there is one for all rounds and one for each; that of
 *   a gain is times the number of workers, with right labels, and `wrongGain` the more of it with wrong ones.
 */
export interface Parameters {
  readonly curve: Numbers<"blur" | "speed" | "purity" | "bend" | "floor" | "memory" | "noise">;
  readonly accuracy: Numbers<"speed" | "bend" | "floor" | "half">;
  readonly cosine: Numbers<"common" | "fading" | "surer" | "own" | "wrong">;
  readonly first: Score;
  readonly spread: Numbers<"taskLoss" | "roundLoss" | "accuracy" | "gain" | "wrongGain" | "cosine">;
}

type Numbers<Name extends string> = Readonly<Record<Name, number>>;

export type ModelParameters = Omit<Parameters, "spread">;

type CurveParameters = Parameters["curve"];

/** Where a model is on its way. */
interface State {
  /** Rounds in which somebody worked. */
  readonly rounds: number;
  readonly progress: number;
  /** What samples of recent rounds were worth on average. */
  readonly recent: number;
  /** Of the last round: that average, and the number of equal workers that would be as noisy. */
  readonly last: { readonly mean: number; readonly workers: number };
}

export const untrained: State = { rounds: 0, progress: 0, recent: 0, last: { mean: 0, workers: 0 } };

/** Samples for which the parameters were fitted; more of them are more steps a round. */
const SAMPLES = 1000;
const CLASSES = 10;
/** The accuracy of labels drawn blindly. */
const BLIND = 1 / CLASSES;

/** What one sample is worth, from 0.1 to 1. */
const worthOf = (accuracy: number, { blur }: CurveParameters): number =>
  BLIND + (1 - BLIND) * Math.max(0, (accuracy - BLIND) / (1 - BLIND)) ** blur;

/** All that a round needs to know of its workers: sums of samples, of those trained on, of what they are worth, and of squares. */
interface Mix {
  readonly samples: number;
  readonly trained: number;
  readonly worth: number;
  /** Of samples times those trained on, and of those trained on squared. */
  readonly products: number;
  readonly squares: number;
}

const nobody: Mix = { samples: 0, trained: 0, worth: 0, products: 0, squares: 0 };

/** The sums with a worker more, or less where the sign is −1. */
function plus(mix: Mix, { samples, accuracy, effort }: WorkerData, curve: CurveParameters, sign = 1): Mix {
  const trained = samples * shareOf(effort);
  return {
    samples: mix.samples + sign * samples,
    trained: mix.trained + sign * trained,
    worth: mix.worth + sign * trained * worthOf(accuracy, curve),
    products: mix.products + sign * samples * trained,
    squares: mix.squares + sign * trained * trained,
  };
}

export const mixOf = (workers: readonly WorkerData[], curve: CurveParameters): Mix =>
  workers.reduce((mix, worker) => plus(mix, worker, curve), nobody);

/** The model after a round; where nobody trained it is what it was. */
export function after(state: State, mix: Mix, { speed, purity, memory }: CurveParameters): State {
  if (mix.trained === 0) return state;
  const mean = mix.worth / mix.trained;
  const steps = mix.products / mix.samples / SAMPLES;
  const known = Math.max(0, (mean - BLIND) / (1 - BLIND));
  const kept = state.rounds === 0 ? 0 : memory ** steps;
  return {
    rounds: state.rounds + 1,
    progress: state.progress + speed * steps * known ** purity,
    recent: kept * state.recent + (1 - kept) * mean,
    last: { mean, workers: mix.trained ** 2 / mix.squares },
  };
}

/** The share of what there is to learn that is not learned yet. */
const unlearned = (progress: number, { floor, bend }: { floor: number; bend: number }): number =>
  floor + (1 - floor) / (1 + progress ** bend);

export function lossOf({ rounds, progress, recent, last }: State, { first, curve }: ModelParameters): number {
  if (rounds === 0) return first.loss;
  const left = unlearned(progress, curve);
  const sure = Math.max(BLIND, recent);
  const noise = (curve.noise * (1 + BLIND - last.mean)) / last.workers;
  return -(1 - left) * Math.log(sure) + left * Math.log(CLASSES) + noise;
}

export function accuracyOf({ rounds, progress, last }: State, { first, accuracy }: ModelParameters): number {
  if (rounds === 0) return first.accuracy;
  const { speed, half } = accuracy;
  const reached = (speed * progress * last.workers) / (last.workers + half);
  return 1 - (1 - BLIND) * unlearned(reached, accuracy);
}

/** By how much the loss after the round would be higher without each of the workers. */
export function gainsOf(state: State, workers: readonly WorkerData[], parameters: ModelParameters): number[] {
  const mix = mixOf(workers, parameters.curve);
  const loss = (of: Mix) => lossOf(after(state, of, parameters.curve), parameters);
  const all = loss(mix);
  return workers.map((worker) => loss(plus(mix, worker, parameters.curve, -1)) - all);
}

/**
 * The cosine of each worker's update with the average. Updates have three parts at right angles: where labels pull, toward what is
 * not learned yet and toward being surer or less sure than the model is; one that is common to all at first; and one of each
 * worker's own, which is in the average with its share only and grows from round to round.
 */
export function cosinesOf(
  state: State,
  workers: readonly WorkerData[],
  parameters: ModelParameters,
): number[] {
  const { common, fading, surer, own, wrong } = parameters.cosine;
  const left = state.rounds === 0 ? 1 : unlearned(state.progress, parameters.curve);
  const shared = (common * fading ** state.rounds) ** 2;
  const pullOf = (worth: number) => left * (worth - BLIND) + surer * (1 - left) * (worth - state.recent);
  const ownOf = (accuracy: number) => (state.rounds + 1) * (own + wrong * (1 - accuracy));
  const mix = mixOf(workers, parameters.curve);
  const trained = mix.trained / mix.samples;
  const pull = trained === 0 ? 0 : pullOf(mix.worth / mix.trained);
  const rest = workers.reduce(
    (sum, { samples, accuracy, effort }) =>
      sum + (samples / mix.samples) ** 2 * shareOf(effort) * ownOf(accuracy),
    0,
  );
  const length = Math.sqrt(trained ** 2 * (pull ** 2 + shared) + rest);
  return workers.map(({ samples, accuracy, effort }) => {
    const [weight, share] = [samples / mix.samples, shareOf(effort)];
    if (share === 0) return effort === "noise" && state.rounds > 0 ? weight : 0;
    const [pulls, alone] = [pullOf(worthOf(accuracy, parameters.curve)), ownOf(accuracy)];
    const product = trained * (pulls * pull + shared) + weight * alone;
    return product / (length * Math.sqrt(pulls ** 2 + shared + alone / share));
  });
}

/** The surrogate's fitted numbers, by data set. */
export const parameters: Readonly<Record<DatasetName, Parameters>> = fitted;
