/** The models of the paper's experiments, as layers. */

import type { Sequential } from "@tensorflow/tfjs-layers";
import { CLASSES, PIXELS, SIDE } from "../data/samples.js";
import type { TensorFlow } from "./library.js";

type Layers = TensorFlow["layers"];

interface Model {
  readonly about: string;
  /** The shape of one picture. */
  readonly input: readonly number[];
  build(layers: Layers): Sequential;
}

/** 784-50-10, for MNIST. */
const mlp: Model = {
  about: "A perceptron, 784-50-10.",
  input: [PIXELS],
  build: ({ sequential, layers: { dense } }) =>
    sequential({
      layers: [dense({ units: 50, activation: "relu", inputShape: [PIXELS] }), dense({ units: CLASSES })],
    }),
};

/** LeNet-5 with rectified units and maximum pooling, for Fashion-MNIST. */
const lenet: Model = {
  about: "LeNet-5: two convolutions of 5 × 5, each halved by maximum pooling, then 120-84-10.",
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

export const models = { mlp, lenet };

export type ModelName = keyof typeof models;
