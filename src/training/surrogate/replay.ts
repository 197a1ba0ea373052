/** The surrogate without its noise along a recorded task. */

import { type RecordedRound, type RecordedTask, type RecordingSettings, selectedIn } from "../recording.js";
import type { WorkerData } from "../trainer.js";
import { cosinesOf } from "./cosines.js";
import { accuracyOf, after, gainsOf, lossOf, type ModelParameters, mixOf, untrained } from "./model.js";

/** What was recorded of a round, and what the surrogate says, worker by worker. */
export interface Replayed {
  readonly round: number;
  readonly workers: readonly WorkerData[];
  readonly recorded: RecordedRound;
  readonly surrogate: RecordedRound;
}

export function replay(
  task: RecordedTask,
  { samples }: Pick<RecordingSettings, "samples">,
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
