/** The real thing: trains models with TensorFlow.js on real pictures, by federated averaging. */

import { plainError } from "../errors.js";
import type { Stream } from "../random.js";
import { type Dataset, type Samples, scaleOf } from "./data/samples.js";
import { type Split, split } from "./data/split.js";
import { average, averageWithout, cosine, type LocalModel, updateOf } from "./federated.js";
import { drop, type Held, hold } from "./tfjs/held.js";
import { loadTensorFlow } from "./tfjs/library.js";
import type { ModelName } from "./tfjs/models.js";
import { createNet, initialWeights, judge, type Learning, type Net, train } from "./tfjs/net.js";
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
    async start({ workers, data, training }) {
      const tensorFlow = await loadTensorFlow();
      const hands = split(dataset, workers, { validation, test, stream: data });
      return startTraining(createNet(tensorFlow, model, scale), hands, {
        learning: { ...PAPER, ...learning },
        stream: training,
      });
    },
  };
}

/** All that stays the same during a task. */
interface Setting {
  readonly net: Net;
  readonly workers: ReadonlyMap<number, Samples>;
  readonly validation: Held;
  readonly test: Held;
  readonly learning: Learning;
}

function startTraining(
  net: Net,
  { workers, validation, test }: Split,
  { learning, stream }: { learning: Learning; stream: Stream },
): Training {
  const held = { validation: hold(net.core, validation, net.look), test: hold(net.core, test, net.look) };
  const setting: Setting = { net, workers, learning, ...held };
  let weights = initialWeights(net, stream.fork("weights"));
  let rounds = 0;
  return {
    async round(selected) {
      const locals = trainLocally(setting, {
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
function trainLocally(
  { net, workers, learning }: Setting,
  { weights, selected, stream }: { weights: Float32Array; selected: readonly number[]; stream: Stream },
): WorkerModel[] {
  const ids = [...new Set(selected)].sort((a, b) => a - b);
  return ids.map((id) => {
    const samples = workers.get(id);
    if (samples === undefined) throw plainError("trainer tfjs", `worker ${id} has no data in this task`);
    const trained = train(net, weights, { samples, learning, stream: stream.fork(id) });
    return { id, samples: samples.labels.length, weights: trained };
  });
}

function resultOf(
  { net, validation, test }: Setting,
  locals: readonly WorkerModel[],
  { before, after }: { before: Float32Array; after: Float32Array },
): RoundResult {
  const loss = judge(net, after, validation).loss;
  const update = updateOf(after, before);
  const worths = locals.map((local): Worth => {
    const without = judge(net, averageWithout(local, locals, before), validation).loss;
    return { id: local.id, gain: without - loss, cosine: cosine(updateOf(local.weights, before), update) };
  });
  return { ...judge(net, after, test), worths };
}
