/** Which way updates point. */

import type { WorkerData } from "../trainer.js";
import { BLIND, type ModelParameters, mixOf, type State, unlearned, worthOf } from "./model.js";

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
  const pull = pullOf(mix.worth / mix.samples);
  const rest = workers.reduce((sum, one) => sum + (one.samples / mix.samples) ** 2 * ownOf(one.accuracy), 0);
  const length = Math.sqrt(pull ** 2 + shared + rest);
  return workers.map(({ samples, accuracy }) => {
    const [pulls, alone] = [pullOf(worthOf(accuracy, parameters.curve)), ownOf(accuracy)];
    const product = pulls * pull + shared + (samples / mix.samples) * alone;
    return product / (length * Math.sqrt(pulls ** 2 + shared + alone));
  });
}
