/** The pictures of a task: split between workers and publisher, mislabelled, and shared between threads. */

import { plainError } from "../../lib/errors.js";
import { normalPair, type Stream, shuffled, weightedIndex } from "../../lib/random.js";
import { CLASSES, type Dataset, PIXELS, type Samples } from "../datasets.js";
import type { WorkerData } from "../trainer.js";

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

/** 0..n-1 in random order. */
export const randomOrder = (n: number, stream: Stream): Uint32Array =>
  Uint32Array.from(shuffled([...Array(n).keys()], stream));

export interface SplitOptions {
  /** Pictures in the publisher's validation set, 5000 if left out. */
  readonly validation?: number;
  /** Pictures in the publisher's test set, 5000 if left out. */
  readonly test?: number;
  /** Of a Dirichlet distribution over labels; all workers' pictures are alike if left out. */
  readonly concentration?: number | undefined;
  readonly stream: Stream;
}

/** Splits a data set, between workers by id and the publisher: no picture goes to two workers, and none of the publisher's to any. */
export function split(dataset: Dataset, shares: readonly WorkerData[], options: SplitOptions) {
  const { validation = 5000, test = 5000, stream } = options;
  const kept = randomOrder(
    countOf(dataset.publisher, validation + test, "validation and test"),
    stream.fork("publisher"),
  );
  return {
    workers: workerSamples(dataset.training, shares, options),
    validation: pick(dataset.publisher, kept.subarray(0, validation)),
    test: pick(dataset.publisher, kept.subarray(validation, validation + test)),
  };
}

function workerSamples(
  training: Samples,
  shares: readonly WorkerData[],
  { stream, concentration }: SplitOptions,
): Map<number, Samples> {
  const total = shares.reduce((sum, { samples }) => sum + samples, 0);
  const order = randomOrder(countOf(training, total, "workers"), stream.fork("deal"));
  const deal =
    concentration === undefined ? dealInTurn(order) : dealByLabel(training, order, { stream, concentration });
  const samplesById = shares.map((share) => {
    const own = pick(training, deal(share));
    return [share.id, mislabel(own, share.accuracy, stream.fork("labels").fork(share.id))] as const;
  });
  return new Map(samplesById);
}

/** The places of a worker's pictures. */
type Deal = (share: WorkerData) => ArrayLike<number>;

function dealInTurn(order: Uint32Array): Deal {
  let given = 0;
  return ({ samples }) => {
    given += samples;
    return order.subarray(given - samples, given);
  };
}

/** Each worker's mix of labels is drawn from a Dirichlet distribution; a label that has run out is drawn no more. */
function dealByLabel(
  { labels }: Samples,
  order: Uint32Array,
  { stream, concentration }: { readonly stream: Stream; readonly concentration: number },
): Deal {
  const left = Array.from({ length: CLASSES }, (): number[] => []);
  for (const place of order) left[labels[place]!]!.push(place);
  return ({ id, samples }) => {
    const own = stream.fork("mix").fork(id);
    const mix = dirichlet(CLASSES, concentration, own.fork("shares"));
    return Array.from({ length: samples }, () => {
      const wanted = mix.map((share, label) => (left[label]!.length > 0 ? share : 0));
      const weights = wanted.some((share) => share > 0) ? wanted : left.map(({ length }) => length);
      return left[weightedIndex(weights, own)]!.pop()!;
    });
  };
}

/** Shares that add up to 1: gamma variables over their sum, by their logarithms, for small ones underflow. */
export function dirichlet(count: number, concentration: number, stream: Stream): number[] {
  const logs = Array.from({ length: count }, () => logGamma(concentration, stream));
  const most = Math.max(...logs);
  const sizes = logs.map((log) => Math.exp(log - most));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return sizes.map((size) => size / total);
}

/** The logarithm of a gamma variable, by Marsaglia and Tsang (2000). */
function logGamma(shape: number, stream: Stream): number {
  if (shape < 1) return logGamma(shape + 1, stream) + Math.log(1 - stream.next()) / shape;
  const d = shape - 1 / 3;
  for (;;) {
    const [normal] = normalPair(stream);
    const v = (1 + normal / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - stream.next()) < normal ** 2 / 2 + d * (1 - v + Math.log(v)))
      return Math.log(d * v);
  }
}

/** The number of pictures there are, if they are enough. */
function countOf({ labels }: Samples, wanted: number, who: string): number {
  if (wanted <= labels.length) return labels.length;
  throw plainError("data", `${who} need ${wanted} pictures, the data set has ${labels.length} for them`);
}

/** The samples with a share of 1 − accuracy of their labels, to the nearest whole number, changed to another class. */
export function mislabel(samples: Samples, accuracy: number, stream: Stream): Samples {
  const labels = samples.labels.slice();
  const wrong = Math.round((1 - accuracy) * labels.length);
  for (const place of randomOrder(labels.length, stream.fork("places")).subarray(0, wrong))
    labels[place] = (labels[place]! + 1 + stream.below(CLASSES - 1)) % CLASSES;
  return { pixels: samples.pixels, labels };
}

/** The first sample, and the first that is no longer meant. */
export type Span = readonly [from: number, to: number];

/** All samples of a task in one piece of memory that threads share, so that they need no copies. */
export interface SharedSamples {
  readonly samples: Samples;
  readonly workers: ReadonlyMap<number, Span>;
  readonly validation: Span;
  readonly test: Span;
}

export function shareSamples({ workers, validation, test }: ReturnType<typeof split>): SharedSamples {
  const parts = [validation, test, ...workers.values()];
  const total = parts.reduce((sum, { labels }) => sum + labels.length, 0);
  const samples = { pixels: sharedBytes(total * PIXELS), labels: sharedBytes(total) };
  const spans: Span[] = [];
  for (const { pixels, labels } of parts) {
    const from = spans.at(-1)?.[1] ?? 0;
    samples.pixels.set(pixels, from * PIXELS);
    samples.labels.set(labels, from);
    spans.push([from, from + labels.length]);
  }
  const [ofValidation, ofTest, ...ofWorkers] = spans as [Span, Span, ...Span[]];
  const byId = new Map([...workers.keys()].map((id, k) => [id, ofWorkers[k]!]));
  return { samples, workers: byId, validation: ofValidation, test: ofTest };
}

const sharedBytes = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length));

/** The samples of a span, in place. */
export const samplesIn = ({ samples: { pixels, labels } }: SharedSamples, [from, to]: Span): Samples => ({
  pixels: pixels.subarray(from * PIXELS, to * PIXELS),
  labels: labels.subarray(from, to),
});
