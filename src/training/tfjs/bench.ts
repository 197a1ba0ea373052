/** Where models are trained and judged: jobs that need nothing but their input, so that any thread can do them. */

import type { Scale } from "../data/samples.js";
import { averageWithout, cosine, type LocalModel, updateOf } from "../federated.js";
import { drop, hold } from "./held.js";
import { loadTensorFlow } from "./library.js";
import type { ModelName } from "./models.js";
import { createNet, JUDGED_AT_ONCE, judge, type Learning, meanLoss, type Score, train } from "./net.js";
import { type Packed, unpack } from "./packed.js";

/** All that stays the same during a task. */
export interface Setup {
  /** Tells one task from another. */
  readonly key: string;
  readonly model: ModelName;
  readonly scale: Scale;
  readonly learning: Learning;
  readonly packed: Packed;
}

export interface Jobs {
  /** A worker's weights after local training, with its samples in these orders, one per epoch. */
  train(job: { id: number; weights: Float32Array; orders: readonly Uint32Array[] }): Float32Array;
  /** On the validation set. */
  loss(weights: Float32Array): number;
  /** On the test set. */
  judge(weights: Float32Array): Score;
  /** The loss on the validation set without one of the local models, and the cosine of its update with that of all. */
  compare(job: Comparison): { readonly without: number; readonly cosine: number };
}

export interface Comparison {
  readonly locals: readonly LocalModel[];
  readonly left: number;
  readonly before: Float32Array;
  readonly after: Float32Array;
}

export interface Bench {
  readonly jobs: Jobs;
  /** Gives back all tensors. */
  close(): void;
}

export async function openBench({ model, scale, learning, packed }: Setup): Promise<Bench> {
  const net = createNet(await loadTensorFlow(), model, scale);
  const part = (span: Packed["test"]) => unpack(packed.samples, span);
  const [validation, test] = [packed.validation, packed.test].map((span) =>
    hold(net.core, part(span), net.look, JUDGED_AT_ONCE),
  ) as [ReturnType<typeof hold>, ReturnType<typeof hold>];
  return {
    jobs: {
      train: ({ id, weights, orders }) =>
        train(net, weights, { samples: part(packed.workers.get(id)!), learning, orders }),
      loss: (weights) => meanLoss(net, weights, validation),
      judge: (weights) => judge(net, weights, test),
      compare({ locals, left, before, after }) {
        const local = locals[left]!;
        const without = meanLoss(net, averageWithout(local, locals, before), validation);
        return { without, cosine: cosine(updateOf(local.weights, before), updateOf(after, before)) };
      },
    },
    close() {
      drop(validation);
      drop(test);
      net.model.dispose();
    },
  };
}
