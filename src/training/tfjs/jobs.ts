/** The jobs of a task: to train a local model and to evaluate models. Each needs nothing but its input, so that any thread can do it. */

import { setImmediate } from "node:timers/promises";
import type { Tinypool } from "tinypool";
import type { Score } from "../trainer.js";
import {
  createNet,
  disposeBatches,
  EVALUATED_AT_ONCE,
  type Learning,
  type ModelName,
  meanLoss,
  scoreOf,
  toBatches,
  train,
} from "./models.js";
import { type Scale, type SharedSamples, type Span, samplesIn } from "./samples.js";
import { loadTensorFlow } from "./tensorflow.js";

/** All that stays the same during a task. */
export interface TaskSetup {
  /** Tells one task from another. */
  readonly key: string;
  readonly model: ModelName;
  readonly scale: Scale;
  readonly learning: Learning;
  readonly shared: SharedSamples;
}

interface Jobs {
  /** A worker's weights after local training, with its samples in these orders, one per epoch. */
  train(job: { id: number; weights: Float32Array; orders: readonly Uint32Array[] }): Float32Array;
  /** On the validation set. */
  loss(weights: Float32Array): number;
  /** On the test set. */
  score(weights: Float32Array): Score;
  /** The loss on the validation set without one of the local models, and the cosine of its update with that of all. */
  compare(job: { locals: readonly LocalModel[]; left: number; before: Float32Array; after: Float32Array }): {
    without: number;
    cosine: number;
  };
}

/** A task whose model and pictures are in memory until it is closed. */
async function openTask({ model, scale, learning, shared }: TaskSetup) {
  const net = createNet(await loadTensorFlow(), model, scale);
  const batchesOf = (span: Span) => toBatches(net, samplesIn(shared, span), EVALUATED_AT_ONCE);
  const [validation, test] = [batchesOf(shared.validation), batchesOf(shared.test)];
  const jobs: Jobs = {
    train: ({ id, weights, orders }) =>
      train(net, weights, { samples: samplesIn(shared, shared.workers.get(id)!), learning, orders }),
    loss: (weights) => meanLoss(net, weights, validation),
    score: (weights) => scoreOf(net, weights, test),
    compare({ locals, left, before, after }) {
      const local = locals[left]!;
      const without = meanLoss(net, averageWithout(local, locals, before), validation);
      return { without, cosine: cosine(updateOf(local.weights, before), updateOf(after, before)) };
    },
  };
  return {
    jobs,
    close() {
      disposeBatches(validation);
      disposeBatches(test);
      net.model.dispose();
    },
  };
}

/** Does a task's jobs, in this thread or in several. The results are the same. */
export interface JobRunner {
  /** Does a job, after those that came before it. */
  call<Name extends keyof Jobs>(
    name: Name,
    input: Parameters<Jobs[Name]>[0],
  ): Promise<ReturnType<Jobs[Name]>>;
  end(): void;
}

/** One job after another, with time between two for signals. */
export async function inThisThread(setup: TaskSetup, signal?: AbortSignal): Promise<JobRunner> {
  const { jobs, close } = await openTask(setup);
  let last: Promise<unknown> = Promise.resolve();
  return {
    call(name, input) {
      const job = jobs[name] as (given: typeof input) => ReturnType<Jobs[typeof name]>;
      const done = last.then(async () => {
        await setImmediate();
        signal?.throwIfAborted();
        return job(input);
      });
      last = done;
      return done;
    },
    end: close,
  };
}

/**
 * Threads keep their tensors until the next task; once aborted, those at work are ended. Every job has a signal of its own:
 * as many listeners on the one that all share, a round's worth at a time, would pass for a leak.
 */
export function inThreads(setup: TaskSetup, threads: Tinypool, signal?: AbortSignal): JobRunner {
  const waiting = new Set<AbortController>();
  const abort = () => {
    for (const job of waiting) job.abort(signal?.reason);
  };
  signal?.addEventListener("abort", abort);
  return {
    async call(name, input) {
      signal?.throwIfAborted();
      const job = new AbortController();
      waiting.add(job);
      try {
        return await threads.run({ setup, name, input }, { signal: job.signal });
      } finally {
        waiting.delete(job);
      }
    },
    end: () => signal?.removeEventListener("abort", abort),
  };
}

/** As many threads as asked for; they stay until the program ends and do not keep it from that. */
export async function startThreads(threads: number): Promise<Tinypool> {
  const { Tinypool } = await import("tinypool");
  return new Tinypool({
    filename: import.meta.url,
    minThreads: threads,
    maxThreads: threads,
    isolateWorkers: false,
  });
}

let current: { readonly key: string; readonly task: Awaited<ReturnType<typeof openTask>> } | undefined;

/** What a thread does with a message: it keeps the task open until one of another task comes. */
export default async function perform(message: { setup: TaskSetup; name: keyof Jobs; input: unknown }) {
  const { setup, name, input } = message;
  if (current?.key !== setup.key) {
    current?.task.close();
    current = { key: setup.key, task: await openTask(setup) };
  }
  const job = current.task.jobs[name] as (input: unknown) => unknown;
  return job(input);
}

/** A worker's model after local training. */
export interface LocalModel {
  readonly weights: Float32Array;
  /** How many samples it was trained on: its weight in the average. */
  readonly samples: number;
}

/** Federated averaging (FedAvg): the average of local models, weighted by samples; adds in double precision, so that equal models average to themselves. */
export function average(locals: readonly LocalModel[]): Float32Array {
  const total = locals.reduce((sum, { samples }) => sum + samples, 0);
  const sums = new Float64Array(locals[0]!.weights.length);
  for (const { weights, samples } of locals)
    for (let k = 0; k < sums.length; k++) sums[k]! += weights[k]! * samples;
  return Float32Array.from(sums, (sum) => sum / total);
}

/** The average without one of the local models; the model from before where it is the only one. */
export function averageWithout(
  left: LocalModel,
  locals: readonly LocalModel[],
  before: Float32Array,
): Float32Array {
  const others = locals.filter((local) => local !== left);
  return others.length === 0 ? before : average(others);
}

/** What a model has changed by. */
export const updateOf = (after: Float32Array, before: Float32Array): Float32Array =>
  after.map((weight, k) => weight - before[k]!);

/** The cosine of the angle between two vectors, from −1 to 1; 0 where there is no angle, as with a model that diverged. */
export function cosine(a: Float32Array, b: Float32Array): number {
  const value = dot(a, b) / (lengthOf(a) * lengthOf(b));
  return Number.isFinite(value) ? Math.max(-1, Math.min(1, value)) : 0;
}

export const lengthOf = (a: Float32Array): number => Math.sqrt(dot(a, a));

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}
