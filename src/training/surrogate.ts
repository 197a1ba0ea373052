/** Training without a model: a learning curve fitted to real runs, in microseconds a round. */

import { plainError } from "../lib/errors.js";
import type { Stream } from "../lib/random.js";
import type { DatasetName } from "./datasets.js";
import {
  accuracyOf,
  after,
  cosinesOf,
  gainsOf,
  lossOf,
  mixOf,
  type Parameters,
  parameters,
  untrained,
} from "./surrogate/model.js";
import type { RoundResult, Task, Trainer, Training, WorkerData, Worth } from "./trainer.js";

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
  let last = { loss: fitted.first.loss, accuracy: fitted.first.accuracy };
  return {
    async round(selected) {
      rounds++;
      const chosen = chosenOf(known, selected);
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

/** By increasing id, each once. */
function chosenOf(known: ReadonlyMap<number, WorkerData>, selected: readonly number[]): WorkerData[] {
  const ids = [...new Set(selected)].sort((a, b) => a - b);
  return ids.map((id) => {
    const worker = known.get(id);
    if (worker === undefined) throw plainError("trainer surrogate", `worker ${id} has no data in this task`);
    return worker;
  });
}

type Score = Omit<RoundResult, "worths">;

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
      return workers.map(({ id, accuracy }, k): Worth => {
        const draw = drawsOf(id);
        const width = (spread.gain + spread.wrongGain * (1 - accuracy)) / workers.length;
        const angle = workers.length === 1 ? 1 : cosines[k]! + spread.cosine * draw(2 * round + 1);
        return { id, gain: gains[k]! + width * draw(2 * round), cosine: Math.max(-1, Math.min(1, angle)) };
      });
    },
  };
}

/** Normally distributed draws by number: the same whichever are asked for, and in whatever order. */
type Normal = (index: number) => number;

/** Mean 0 and deviation 1, two at a time after Box and Muller. */
export function normals(stream: Stream): Normal {
  const drawn: number[] = [];
  return (index) => {
    while (drawn.length <= index) {
      const length = Math.sqrt(-2 * Math.log(1 - stream.next()));
      const angle = 2 * Math.PI * stream.next();
      drawn.push(length * Math.cos(angle), length * Math.sin(angle));
    }
    return drawn[index]!;
  };
}
