/** All samples of a task in one shared piece of memory, so that threads see them without copies. */

import { PIXELS, type Samples } from "../data/samples.js";
import type { Split } from "../data/split.js";

/** The first sample, and the first no longer meant. */
export type Span = readonly [from: number, to: number];

export interface Packed {
  readonly samples: Samples;
  readonly workers: ReadonlyMap<number, Span>;
  readonly validation: Span;
  readonly test: Span;
}

export function pack({ workers, validation, test }: Split): Packed {
  const parts = [validation, test, ...workers.values()];
  const total = parts.reduce((sum, { labels }) => sum + labels.length, 0);
  const samples = { pixels: shared(total * PIXELS), labels: shared(total) };
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

const shared = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length));

/** The samples of a span, in place. */
export const unpack = ({ pixels, labels }: Samples, [from, to]: Span): Samples => ({
  pixels: pixels.subarray(from * PIXELS, to * PIXELS),
  labels: labels.subarray(from, to),
});
