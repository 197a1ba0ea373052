/** Samples as tensors, whole or in batches. */

import type { Tensor } from "@tensorflow/tfjs-core";
import { CLASSES, type Samples, type Scale } from "../data/samples.js";
import type { TensorFlow } from "./library.js";

type Core = TensorFlow["core"];

export interface Held {
  readonly pictures: Tensor;
  /** One row per picture: 1 at its class, 0 elsewhere. */
  readonly classes: Tensor;
  readonly count: number;
}

/** What a picture looks like to a model. */
export interface Look {
  readonly shape: readonly number[];
  readonly scale: Scale;
}

/** Holds samples until they are dropped. */
export function hold(core: Core, { pixels, labels }: Samples, { shape, scale }: Look): Held {
  const scaled = new Float32Array(pixels.length);
  for (let k = 0; k < pixels.length; k++) scaled[k] = (pixels[k]! - scale.mean) / scale.deviation;
  // The wasm kernel of oneHot writes whole numbers whatever type it is asked for, so the rows are made here.
  const rows = new Float32Array(labels.length * CLASSES);
  for (const [k, label] of labels.entries()) rows[k * CLASSES + label] = 1;
  return {
    pictures: core.tensor(scaled, [labels.length, ...shape]),
    classes: core.tensor(rows, [labels.length, CLASSES]),
    count: labels.length,
  };
}

export function drop({ pictures, classes }: Held): void {
  pictures.dispose();
  classes.dispose();
}

/** Hands out the samples batch by batch, in order, each only while it is used. */
export function inBatches(core: Core, held: Held, batch: number, use: (part: Held) => void): void {
  for (let from = 0; from < held.count; from += batch) {
    const count = Math.min(batch, held.count - from);
    const part = (tensor: Tensor) => core.slice(tensor, from, count);
    core.tidy(() => use({ pictures: part(held.pictures), classes: part(held.classes), count }));
  }
}
