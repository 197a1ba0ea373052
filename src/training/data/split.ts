/** Deals a data set out: no picture goes to two workers, and none of the publisher's to any. */

import { plainError } from "../../lib/errors.js";
import type { Stream } from "../../lib/random.js";
import type { WorkerData } from "../trainer.js";
import { mislabel } from "./noise.js";
import { type Dataset, pick, type Samples, shuffled } from "./samples.js";

export interface Split {
  /** By worker id. */
  readonly workers: ReadonlyMap<number, Samples>;
  readonly validation: Samples;
  readonly test: Samples;
}

export interface SplitOptions {
  /** Pictures in the publisher's validation set, 5000 if left out. */
  readonly validation?: number;
  /** Pictures in the publisher's test set, 5000 if left out. */
  readonly test?: number;
  readonly stream: Stream;
}

export function split(dataset: Dataset, shares: readonly WorkerData[], options: SplitOptions): Split {
  const { validation = 5000, test = 5000, stream } = options;
  const kept = shuffled(demand(dataset.publisher, validation + test, "publisher"), stream.fork("publisher"));
  return {
    workers: deal(dataset.training, shares, stream),
    validation: pick(dataset.publisher, kept.subarray(0, validation)),
    test: pick(dataset.publisher, kept.subarray(validation, validation + test)),
  };
}

function deal(training: Samples, shares: readonly WorkerData[], stream: Stream): Map<number, Samples> {
  const total = shares.reduce((sum, { samples }) => sum + samples, 0);
  const order = shuffled(demand(training, total, "workers"), stream.fork("deal"));
  let dealt = 0;
  const hands = shares.map(({ id, samples, accuracy }) => {
    const hand = pick(training, order.subarray(dealt, dealt + samples));
    dealt += samples;
    return [id, mislabel(hand, accuracy, stream.fork("labels").fork(id))] as const;
  });
  return new Map(hands);
}

/** The number of pictures there are, if they are enough. */
function demand({ labels }: Samples, wanted: number, who: string): number {
  if (wanted <= labels.length) return labels.length;
  throw plainError("data", `${who} need ${wanted} pictures, the data set has ${labels.length} for them`);
}
