/** Labelled pictures: what they are made of, and how some are picked. */

import type { Stream } from "../../lib/random.js";

export const SIDE = 28;
export const PIXELS = SIDE * SIDE;
export const CLASSES = 10;

export interface Samples {
  /** PIXELS bytes per picture. */
  readonly pixels: Uint8Array;
  /** One class per picture. */
  readonly labels: Uint8Array;
}

/** All there is of a data set: what workers train on, and what the publisher keeps to judge them. */
export interface Dataset {
  readonly training: Samples;
  readonly publisher: Samples;
}

/** How bright pixels are. */
export interface Scale {
  readonly mean: number;
  readonly deviation: number;
}

/** Mean and standard deviation over all pixels; a deviation of 1 where all are the same. */
export function scaleOf({ pixels }: Samples): Scale {
  const counts = new Float64Array(256);
  for (const pixel of pixels) counts[pixel]!++;
  const total = Math.max(1, pixels.length);
  const mean = counts.reduce((sum, count, value) => sum + count * value, 0) / total;
  const variance = counts.reduce((sum, count, value) => sum + count * (value - mean) ** 2, 0) / total;
  return { mean, deviation: Math.sqrt(variance) || 1 };
}

/** The samples at these places, in this order. */
export function pick({ pixels, labels }: Samples, places: ArrayLike<number>): Samples {
  const picked = { pixels: new Uint8Array(places.length * PIXELS), labels: new Uint8Array(places.length) };
  for (let k = 0; k < places.length; k++) {
    const place = places[k]!;
    picked.pixels.set(pixels.subarray(place * PIXELS, (place + 1) * PIXELS), k * PIXELS);
    picked.labels[k] = labels[place]!;
  }
  return picked;
}

/** 0..n-1 in random order, by Fisher and Yates. */
export function shuffled(n: number, stream: Stream): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_, k) => k);
  for (let k = n - 1; k > 0; k--) {
    const other = stream.below(k + 1);
    [order[k], order[other]] = [order[other]!, order[k]!];
  }
  return order;
}
