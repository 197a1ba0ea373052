/** A model whose weights go in and come out as one flat array: trained on samples, or judged on some. */

import type { Tensor, Variable } from "@tensorflow/tfjs-core";
import type { Sequential } from "@tensorflow/tfjs-layers";
import type { Stream } from "../../lib/random.js";
import { pick, type Samples, type Scale, shuffled } from "../data/samples.js";
import { type Batch, drop, hold, type Look } from "./held.js";
import type { TensorFlow } from "./library.js";
import { type ModelName, models } from "./models.js";

export interface Net {
  readonly core: TensorFlow["core"];
  readonly model: Sequential;
  readonly variables: readonly Variable[];
  readonly look: Look;
}

export interface Learning {
  readonly epochs: number;
  readonly rate: number;
  readonly batch: number;
}

/** How good a model is on some samples. */
export interface Score {
  /** Mean cross-entropy. */
  readonly loss: number;
  /** Share told right. */
  readonly accuracy: number;
}

/** Judging all pictures at once would need memory for all that happens between the layers. */
export const JUDGED_AT_ONCE = 1000;

export function createNet({ core, layers }: TensorFlow, name: ModelName, scale: Scale): Net {
  const model = models[name].build(layers);
  // A layer's weight reads as the variable itself.
  const variables = model.trainableWeights.map((weight) => weight.read() as Variable);
  return { core, model, variables, look: { shape: models[name].input, scale } };
}

/** First weights after Glorot and Bengio: uniform by the number of inputs and outputs; biases are 0. */
export function initialWeights({ variables }: Net, stream: Stream): Float32Array {
  const parts = variables.map(({ shape, size }, k) => {
    const draws = stream.fork(k);
    const bound = shape.length < 2 ? 0 : Math.sqrt(6 / fans(shape));
    return Float32Array.from({ length: size }, () => (2 * draws.next() - 1) * bound);
  });
  return joined(parts);
}

/** Inputs and outputs of a unit together. */
function fans(shape: readonly number[]): number {
  const field = shape.slice(0, -2).reduce((product, size) => product * size, 1);
  return field * (shape.at(-2)! + shape.at(-1)!);
}

/** Orders of n samples, one per epoch. */
export const drawOrders = (n: number, { epochs }: Learning, stream: Stream): Uint32Array[] =>
  Array.from({ length: epochs }, (_, epoch) => shuffled(n, stream.fork(epoch)));

/** The weights after stochastic gradient descent on the samples, once in each of the orders. */
export function train(
  net: Net,
  from: Float32Array,
  { samples, learning, orders }: { samples: Samples; learning: Learning; orders: readonly Uint32Array[] },
): Float32Array {
  load(net, from);
  for (const order of orders) {
    const batches = hold(net.core, pick(samples, order), net.look, learning.batch);
    for (const batch of batches) net.core.tidy(() => descend(net, batch, learning.rate));
    drop(batches);
  }
  return joined(net.variables.map((variable) => variable.dataSync<"float32">()));
}

function descend(net: Net, batch: Batch, rate: number): void {
  const { core, variables } = net;
  const gradients = gradientsOf(net, batch);
  for (const [k, variable] of variables.entries())
    variable.assign(core.sub(variable, core.mul(gradients[k]!, rate)));
}

function gradientsOf(net: Net, batch: Batch): Tensor[] {
  const { core, variables } = net;
  const { grads } = core.variableGrads(() => lossOf(net, batch), [...variables]);
  return variables.map(({ name }) => grads[name]!);
}

const lossOf = ({ core, model }: Net, { pictures, classes }: Batch) =>
  core.losses.softmaxCrossEntropy<Tensor, ReturnType<typeof core.scalar>>(
    classes,
    model.apply(pictures, { training: true }) as Tensor,
  );

/** The gradient of the mean loss on some samples. */
export function gradient(net: Net, weights: Float32Array, batch: Batch): Float32Array {
  load(net, weights);
  const arrays: Float32Array[] = [];
  net.core.tidy(() => {
    for (const tensor of gradientsOf(net, batch)) arrays.push(tensor.dataSync<"float32">());
  });
  return joined(arrays);
}

export function judge(net: Net, weights: Float32Array, batches: readonly Batch[]): Score {
  let right = 0;
  const { core } = net;
  const loss = meanLoss(net, weights, batches, (scores, { classes }) => {
    const hits = core.equal(core.argMax(scores, 1), core.argMax(classes, 1));
    right += core.sum(core.cast(hits, "float32")).dataSync()[0]!;
  });
  return { loss, accuracy: right / batches.reduce((sum, { count }) => sum + count, 0) };
}

/** The loss alone, for those who need no more. */
export function meanLoss(
  net: Net,
  weights: Float32Array,
  batches: readonly Batch[],
  look?: (scores: Tensor, batch: Batch) => void,
): number {
  const { core, model } = net;
  load(net, weights);
  let [loss, total] = [0, 0];
  for (const batch of batches)
    core.tidy(() => {
      const scores = model.apply(batch.pictures) as Tensor;
      loss += core.losses.softmaxCrossEntropy(batch.classes, scores).dataSync()[0]! * batch.count;
      total += batch.count;
      look?.(scores, batch);
    });
  return loss / total;
}

function load({ core, variables }: Net, weights: Float32Array): void {
  let offset = 0;
  for (const variable of variables) {
    const values = weights.slice(offset, offset + variable.size);
    core.tidy(() => variable.assign(core.tensor(values, variable.shape)));
    offset += variable.size;
  }
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
