/** The real thing: trains models with TensorFlow.js on real pictures, by federated averaging. */

import { setImmediate } from "node:timers/promises";
import { plainError } from "../errors.js";
import type { Stream } from "../random.js";
import { type Dataset, type Samples, scaleOf } from "./data/samples.js";
import { type Split, split } from "./data/split.js";
import { average, averageWithout, cosine, type LocalModel, updateOf } from "./federated.js";
import { type Batch, drop, hold } from "./tfjs/held.js";
import { loadTensorFlow } from "./tfjs/library.js";
import type { ModelName } from "./tfjs/models.js";
import {
  createNet,
  initialWeights,
  JUDGED_AT_ONCE,
  judge,
  type Learning,
  meanLoss,
  type Net,
  train,
} from "./tfjs/net.js";
import type { RoundResult, Trainer, Training, Worth } from "./trainer.js";

export interface TfjsOptions extends Partial<Learning> {
  readonly dataset: Dataset;
  readonly model: ModelName;
  /** Pictures in the publisher's validation and test sets, 5000 each if left out. */
  readonly validation?: number;
  readonly test?: number;
}

/** As in the paper. */
const PAPER: Learning = { epochs: 1, rate: 0.05, batch: 128 };

/** A trainer for one data set and model. */
export function tfjs({ dataset, model, validation = 5000, test = 5000, ...learning }: TfjsOptions): Trainer {
  const scale = scaleOf(dataset.training);
  return {
    name: "tfjs",
    about: "Trains real models on real pictures with TensorFlow.js.",
    async start({ workers, data, training, signal }) {
      const tensorFlow = await loadTensorFlow();
      const hands = split(dataset, workers, { validation, test, stream: data });
      return startTraining(createNet(tensorFlow, model, scale), hands, {
        learning: { ...PAPER, ...learning },
        stream: training,
        signal,
      });
    },
  };
}

/** All that stays the same during a task. */
interface Setting {
  readonly net: Net;
  readonly workers: ReadonlyMap<number, Samples>;
  readonly validation: readonly Batch[];
  readonly test: readonly Batch[];
  readonly learning: Learning;
  readonly signal: AbortSignal | undefined;
}

function startTraining(
  net: Net,
  { workers, validation, test }: Split,
  { learning, stream, signal }: { learning: Learning; stream: Stream; signal: AbortSignal | undefined },
): Training {
  const judged = (samples: Samples) => hold(net.core, samples, net.look, JUDGED_AT_ONCE);
  const held = { validation: judged(validation), test: judged(test) };
  const setting: Setting = { net, workers, learning, signal, ...held };
  let weights = initialWeights(net, stream.fork("weights"));
  let rounds = 0;
  return {
    async round(selected) {
      const locals = await trainLocally(setting, {
        weights,
        selected,
        stream: stream.fork("round").fork(++rounds),
      });
      const before = weights;
      if (locals.length > 0) weights = average(locals);
      return resultOf(setting, locals, { before, after: weights });
    },
    end() {
      drop(held.validation);
      drop(held.test);
      net.model.dispose();
    },
  };
}

interface WorkerModel extends LocalModel {
  readonly id: number;
}

/** Every selected worker starts from the global model and has a stream of its own: the order of workers does not matter. */
async function trainLocally(
  { net, workers, learning, signal }: Setting,
  { weights, selected, stream }: { weights: Float32Array; selected: readonly number[]; stream: Stream },
): Promise<WorkerModel[]> {
  const ids = [...new Set(selected)].sort((a, b) => a - b);
  return oneByOne(ids, signal, (id) => {
    const samples = workers.get(id);
    if (samples === undefined) throw plainError("trainer tfjs", `worker ${id} has no data in this task`);
    const trained = train(net, weights, { samples, learning, stream: stream.fork(id) });
    return { id, samples: samples.labels.length, weights: trained };
  });
}

async function resultOf(
  { net, validation, test, signal }: Setting,
  locals: readonly WorkerModel[],
  { before, after }: { before: Float32Array; after: Float32Array },
): Promise<RoundResult> {
  const loss = meanLoss(net, after, validation);
  const update = updateOf(after, before);
  const worths = await oneByOne(locals, signal, (local): Worth => {
    const without = meanLoss(net, averageWithout(local, locals, before), validation);
    return { id: local.id, gain: without - loss, cosine: cosine(updateOf(local.weights, before), update) };
  });
  return { ...judge(net, after, test), worths };
}

/** Lets signals in between one and the next. */
async function oneByOne<In, Out>(
  inputs: readonly In[],
  signal: AbortSignal | undefined,
  make: (input: In) => Out,
): Promise<Out[]> {
  const made: Out[] = [];
  for (const input of inputs) {
    made.push(make(input));
    await setImmediate();
    signal?.throwIfAborted();
  }
  return made;
}
