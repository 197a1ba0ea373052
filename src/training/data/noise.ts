/** Wrong labels: what a worker of little accuracy trains on. */

import type { Stream } from "../../lib/random.js";
import { CLASSES, type Samples, shuffled } from "./samples.js";

/** The samples with a share of 1 − accuracy of their labels, to the nearest whole number, changed to another class. */
export function mislabel(samples: Samples, accuracy: number, stream: Stream): Samples {
  const labels = samples.labels.slice();
  const wrong = Math.round((1 - accuracy) * labels.length);
  for (const place of shuffled(labels.length, stream.fork("places")).subarray(0, wrong))
    labels[place] = (labels[place]! + 1 + stream.below(CLASSES - 1)) % CLASSES;
  return { pixels: samples.pixels, labels };
}
