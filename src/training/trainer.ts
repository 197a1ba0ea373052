/** The interface of a trainer: from the workers of a task, round by round, to a model and to what each update was worth. */

import type { Stream } from "../lib/random.js";

/** What a worker brings along. */
export interface WorkerData {
  readonly id: number;
  /** How many pictures it trains on. */
  readonly samples: number;
  /** The share of them that is labelled right. */
  readonly accuracy: number;
}

export interface Task {
  readonly workers: readonly WorkerData[];
  /** Decides which pictures everybody gets and which labels are wrong: pass the same one on, and workers keep their data. */
  readonly data: Stream;
  /** Decides everything else: the first model, the order of pictures, noise. */
  readonly training: Stream;
  /** Once aborted, a round that takes long ends early: it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What one worker's update did for the model of a round. */
export interface Worth {
  readonly id: number;
  /** By how much the loss on the publisher's validation set would be higher without this update. */
  readonly gain: number;
  /** The cosine of the angle between this update and that of all. */
  readonly cosine: number;
}

/** The global model after a round. */
export interface RoundResult {
  /** Mean cross-entropy on the publisher's test set. */
  readonly loss: number;
  /** The share of the publisher's test set that is told right. */
  readonly accuracy: number;
  /** One per selected worker, by increasing id. */
  readonly worths: readonly Worth[];
}

export interface Training {
  /** Trains one round with these workers; with none, the model stays as it is. */
  round(selected: readonly number[]): Promise<RoundResult>;
  /** Gives back what the task held. */
  end(): void;
}

/** A plain value with one verb. */
export interface Trainer {
  readonly name: string;
  /** One sentence for a list. */
  readonly about: string;
  start(task: Task): Promise<Training>;
}
