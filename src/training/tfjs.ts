/** Real training: models on real pictures with TensorFlow.js, by federated averaging. */

import type { Tinypool } from "tinypool";
import { type Effort, shareOf } from "../agents/agent.js";
import { normalPair, type Stream } from "../lib/random.js";
import type { Dataset } from "./datasets.js";
import {
  average,
  inThisThread,
  inThreads,
  type JobRunner,
  type LocalModel,
  lengthOf,
  startThreads,
  type TaskSetup,
  updateOf,
} from "./tfjs/jobs.js";
import { createNet, drawOrders, initialWeights, type Learning, type ModelName } from "./tfjs/models.js";
import { type SplitOptions, scaleOf, shareSamples, split } from "./tfjs/samples.js";
import { loadTensorFlow } from "./tfjs/tensorflow.js";
import { type RoundResult, selectedFrom, type Trainer, type Training, type Worth } from "./trainer.js";

interface TfjsOptions extends Partial<Learning>, Omit<SplitOptions, "stream"> {
  readonly dataset: Dataset;
  readonly model: ModelName;
  /** Threads that train; with one, if left out, this one. The results are the same. */
  readonly threads?: number;
}

/** As in the paper. */
const PAPER: Learning = { epochs: 1, rate: 0.05, batch: 128 };

/** A trainer for one data set and model. */
export function tfjs(options: TfjsOptions): Trainer {
  const { dataset, model, validation = 5000, test = 5000, threads = 1, concentration, ...learning } = options;
  const scale = scaleOf(dataset.training);
  let pool: Promise<Tinypool> | undefined;
  let tasks = 0;
  return {
    name: "tfjs",
    about: "Trains real models on real pictures with TensorFlow.js.",
    async start({ workers, data, training, signal }) {
      const shared = shareSamples(split(dataset, workers, { validation, test, stream: data, concentration }));
      const key = String(++tasks);
      const setup: TaskSetup = { key, model, scale, learning: { ...PAPER, ...learning }, shared };
      const weights = await firstWeights(setup, training.fork("weights"));
      const efforts = new Map(workers.map(({ id, effort = 1 }) => [id, effort]));
      const first = { weights, stream: training, efforts };
      if (threads === 1) return trainingOf(await inThisThread(setup, signal), setup, first);
      pool ??= startThreads(threads);
      return trainingOf(inThreads(setup, await pool, signal), setup, first);
    },
  };
}

async function firstWeights({ model, scale }: TaskSetup, stream: Stream): Promise<Float32Array> {
  const net = createNet(await loadTensorFlow(), model, scale);
  const weights = initialWeights(net, stream);
  net.model.dispose();
  return weights;
}

interface FirstModel {
  readonly weights: Float32Array;
  readonly stream: Stream;
  readonly efforts: ReadonlyMap<number, Effort>;
}

function trainingOf(
  runner: JobRunner,
  setup: TaskSetup,
  { weights: first, stream, efforts }: FirstModel,
): Training {
  let weights = first;
  let change = 0;
  let rounds = 0;
  return {
    async round(selected) {
      const before = weights;
      const round = { weights, change, selected, efforts, stream: stream.fork("round").fork(++rounds) };
      const locals = await trainLocally(runner, setup, round);
      if (locals.length > 0) weights = average(locals);
      change = lengthOf(updateOf(weights, before));
      return resultOf(runner, locals, { before, after: weights });
    },
    end: () => runner.end(),
  };
}

interface WorkerModel extends LocalModel {
  readonly id: number;
}

interface Round extends FirstModel {
  readonly selected: readonly number[];
  /** How long the model's last change was; 0 before the first. */
  readonly change: number;
}

/** Every selected worker starts from the global model and has a stream of its own: the order of workers does not matter. */
function trainLocally(
  runner: JobRunner,
  { shared, learning }: TaskSetup,
  round: Round,
): Promise<WorkerModel[]> {
  const { weights, stream, efforts } = round;
  const chosen = selectedFrom(shared.workers, round.selected, "tfjs");
  const work = chosen.map(async ({ id, data: [from, to] }) => {
    const [effort, own] = [efforts.get(id)!, stream.fork(id)];
    const trained = Math.round(shareOf(effort) * (to - from));
    const sent =
      trained > 0
        ? await runner.call("train", { id, weights, orders: drawOrders(trained, learning, own) })
        : effort === "noise"
          ? withNoise(weights, round.change, own)
          : weights;
    return { id, samples: to - from, weights: sharedCopy(sent) };
  });
  return Promise.all(work);
}

/** The model, changed in a random direction by about as much as all together changed it last: what a worker that did not train may guess. */
function withNoise(weights: Float32Array, change: number, stream: Stream): Float32Array {
  const deviation = change / Math.sqrt(weights.length);
  return weights.map((weight) => weight + deviation * normalPair(stream)[0]);
}

/** Every thread will compare all of them. */
function sharedCopy(weights: Float32Array): Float32Array {
  const copy = new Float32Array(new SharedArrayBuffer(weights.byteLength));
  copy.set(weights);
  return copy;
}

async function resultOf(
  runner: JobRunner,
  locals: readonly WorkerModel[],
  { before, after }: { before: Float32Array; after: Float32Array },
): Promise<RoundResult> {
  const [loss, score, compared] = await Promise.all([
    runner.call("loss", after),
    runner.call("score", after),
    Promise.all(locals.map((_, left) => runner.call("compare", { locals, left, before, after }))),
  ]);
  const worths = compared.map(({ without, cosine }, k): Worth => {
    return { id: locals[k]!.id, gain: without - loss, cosine };
  });
  return { ...score, worths };
}
