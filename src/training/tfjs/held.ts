/** Samples as tensors, cut into batches. */

import type { Tensor } from "@tensorflow/tfjs-core";
import { CLASSES, PIXELS, type Samples, type Scale } from "../data/samples.js";
import type { TensorFlow } from "./library.js";

type Core = TensorFlow["core"];

export interface Batch {
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

/** Holds samples until they are dropped. Cut here, because the wasm kernel of slice copies all to cut out a part. */
export function hold(core: Core, { pixels, labels }: Samples, look: Look, size = labels.length): Batch[] {
  const shades = Float32Array.from({ length: 256 }, (_, k) => (k - look.scale.mean) / look.scale.deviation);
  const batches: Batch[] = [];
  for (let from = 0; from < labels.length; from += size) {
    const to = Math.min(from + size, labels.length);
    const part = { pixels: pixels.subarray(from * PIXELS, to * PIXELS), labels: labels.subarray(from, to) };
    batches.push(holdBatch(core, part, { shape: look.shape, shades }));
  }
  return batches;
}

function holdBatch(
  core: Core,
  { pixels, labels }: Samples,
  { shape, shades }: { shape: readonly number[]; shades: Float32Array },
): Batch {
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

export function drop(batches: readonly Batch[]): void {
  for (const { pictures, classes } of batches) {
    pictures.dispose();
    classes.dispose();
  }
}
