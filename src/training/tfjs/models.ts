/** The models of the paper's experiments: their layers, their weights as one flat array, training and evaluation. */

import type { Tensor, Variable } from "@tensorflow/tfjs-core";
import type { Sequential } from "@tensorflow/tfjs-layers";
import type { Stream } from "../../lib/random.js";
import { CLASSES, PIXELS, type Samples, SIDE } from "../datasets.js";
import type { Score } from "../trainer.js";
import { pick, randomOrder, type Scale } from "./samples.js";
import type { TensorFlow } from "./tensorflow.js";

interface Model {
  /** The shape of one picture. */
  readonly input: readonly number[];
  build(layers: TensorFlow["layers"]): Sequential;
}

/** A perceptron, 784-50-10, for MNIST. */
const mlp: Model = {
  input: [PIXELS],
  build: ({ sequential, layers: { dense } }) =>
    sequential({
      layers: [dense({ units: 50, activation: "relu", inputShape: [PIXELS] }), dense({ units: CLASSES })],
    }),
};

/** LeNet-5 for Fashion-MNIST: two convolutions of 5 × 5, each halved by maximum pooling, then 120-84-10, with rectified units. */
const lenet: Model = {
  input: [SIDE, SIDE, 1],
  build: ({ sequential, layers: { conv2d, maxPooling2d, flatten, dense } }) =>
    sequential({
      layers: [
        conv2d({
          filters: 6,
          kernelSize: 5,
          padding: "same",
          activation: "relu",
          inputShape: [SIDE, SIDE, 1],
        }),
        maxPooling2d({ poolSize: 2, strides: 2 }),
        conv2d({ filters: 16, kernelSize: 5, activation: "relu" }),
        maxPooling2d({ poolSize: 2, strides: 2 }),
        flatten(),
        dense({ units: 120, activation: "relu" }),
        dense({ units: 84, activation: "relu" }),
        dense({ units: CLASSES }),
      ],
    }),
};

const models = { mlp, lenet };

export type ModelName = keyof typeof models;

/** A model and the variables that hold its weights. */
interface Net {
  readonly core: TensorFlow["core"];
  readonly model: Sequential;
  readonly variables: readonly Variable[];
  /** The form in which it takes pictures. */
  readonly shape: readonly number[];
  readonly scale: Scale;
}

interface Batch {
  readonly pictures: Tensor;
  /** One row per picture: 1 at its class, 0 elsewhere. */
  readonly classes: Tensor;
  readonly count: number;
}

/** Samples as tensors, cut into batches. Cut here, because the wasm kernel of slice copies all to cut out a part. */
export function toBatches(net: Net, { pixels, labels }: Samples, size = labels.length): Batch[] {
  const { mean, deviation } = net.scale;
  const shades = Float32Array.from({ length: 256 }, (_, k) => (k - mean) / deviation);
  const batches: Batch[] = [];
  for (let from = 0; from < labels.length; from += size) {
    const to = Math.min(from + size, labels.length);
    const part = { pixels: pixels.subarray(from * PIXELS, to * PIXELS), labels: labels.subarray(from, to) };
    batches.push(toBatch(net, part, shades));
  }
  return batches;
}

function toBatch({ core, shape }: Net, { pixels, labels }: Samples, shades: Float32Array): Batch {
  const scaled = new Float32Array(pixels.length);
  for (let k = 0; k < pixels.length; k++) scaled[k] = shades[pixels[k]!]!;
  // The wasm kernel of oneHot writes whole numbers whatever type it is asked for, so the rows are made here.
  const rows = new Float32Array(labels.length * CLASSES);
  for (const [k, label] of labels.entries()) rows[k * CLASSES + label] = 1;
  return {
    pictures: core.tensor(scaled, [labels.length, ...shape]),
    classes: core.tensor(rows, [labels.length, CLASSES]),
    count: labels.length,
  };
}

export function disposeBatches(batches: readonly Batch[]): void {
  for (const { pictures, classes } of batches) {
    pictures.dispose();
    classes.dispose();
  }
}

export interface Learning {
  readonly epochs: number;
  readonly rate: number;
  readonly batch: number;
}

/** Evaluating all pictures at once would need memory for all that happens between the layers. */
export const EVALUATED_AT_ONCE = 1000;

export function createNet({ core, layers }: TensorFlow, name: ModelName, scale: Scale): Net {
  const model = models[name].build(layers);
  // A layer's weight reads as the variable itself.
  const variables = model.trainableWeights.map((weight) => weight.read() as Variable);
  return { core, model, variables, shape: models[name].input, scale };
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
  Array.from({ length: epochs }, (_, epoch) => randomOrder(n, stream.fork(epoch)));

/** The weights after stochastic gradient descent on the samples, once in each of the orders. */
export function train(
  net: Net,
  from: Float32Array,
  { samples, learning, orders }: { samples: Samples; learning: Learning; orders: readonly Uint32Array[] },
): Float32Array {
  setWeights(net, from);
  for (const order of orders) {
    const batches = toBatches(net, pick(samples, order), learning.batch);
    for (const batch of batches) net.core.tidy(() => descend(net, batch, learning.rate));
    disposeBatches(batches);
  }
  return joined(net.variables.map((variable) => variable.dataSync<"float32">()));
}

function descend(net: Net, batch: Batch, rate: number): void {
  const { core, variables } = net;
  const { grads } = core.variableGrads(() => lossOf(net, batch), [...variables]);
  for (const variable of variables)
    variable.assign(core.sub(variable, core.mul(grads[variable.name]!, rate)));
}

const lossOf = ({ core, model }: Net, { pictures, classes }: Batch) =>
  core.losses.softmaxCrossEntropy<Tensor, ReturnType<typeof core.scalar>>(
    classes,
    model.apply(pictures, { training: true }) as Tensor,
  );

export function scoreOf(net: Net, weights: Float32Array, batches: readonly Batch[]): Score {
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
  visit?: (scores: Tensor, batch: Batch) => void,
): number {
  const { core, model } = net;
  setWeights(net, weights);
  let [loss, total] = [0, 0];
  for (const batch of batches)
    core.tidy(() => {
      const scores = model.apply(batch.pictures) as Tensor;
      loss += core.losses.softmaxCrossEntropy(batch.classes, scores).dataSync()[0]! * batch.count;
      total += batch.count;
      visit?.(scores, batch);
    });
  return loss / total;
}

function setWeights({ core, variables }: Net, weights: Float32Array): void {
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
