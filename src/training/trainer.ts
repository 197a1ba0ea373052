/** The interface of a trainer: from the workers of a task, round by round, to a model and to what each update was worth. */

import { z } from "zod";
import type { Effort } from "../agents/agent.js";
import { InputError, oneLine, plainError, withPlace } from "../lib/errors.js";
import type { Stream } from "../lib/random.js";
import { conforming, frozenCopy, numberFrom } from "../lib/schema.js";

/** What a worker brings along. */
export interface WorkerData {
  readonly id: number;
  /** How many pictures it trains on. */
  readonly samples: number;
  /** The share of them that is labelled right. */
  readonly accuracy: number;
  /** How it trains in this task, if not on all its pictures. The publisher, who does not know, gives its update the weight of all. */
  readonly effort?: Effort;
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
  /** The share of the publisher's test set that is classified correctly. */
  readonly accuracy: number;
  /** One per selected worker, by increasing id. */
  readonly worths: readonly Worth[];
}

/** How good a model is on some pictures. */
export type Score = Omit<RoundResult, "worths">;

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

/** Of those selected, by increasing id and each once, what a trainer has for them. */
export function selectedFrom<Data>(
  known: ReadonlyMap<number, Data>,
  selected: readonly number[],
  trainer: string,
): { id: number; data: Data }[] {
  const ids = [...new Set(selected)].sort((a, b) => a - b);
  return ids.map((id) => {
    const data = known.get(id);
    if (data === undefined) throw plainError(`trainer ${trainer}`, `worker ${id} has no data in this task`);
    return { id, data };
  });
}

const isFunction = (value: unknown): boolean => typeof value === "function";

const trainingSchema = z.object(
  {
    round: z.custom(isFunction, { error: "a function" }),
    end: z.custom(isFunction, { error: "a function" }).optional(),
  },
  { error: "a training: an object with round and end" },
);

/** Rounding may take a cosine a hair beyond 1. */
const COSINE = 1 + 1e-6;

const worthSchema = z.object(
  {
    id: z.number({ error: "the id of a worker" }),
    gain: z.number({ error: "a finite number" }),
    cosine: numberFrom(-COSINE, COSINE, "a number from −1 to 1"),
  },
  { error: "an object with id, gain and cosine" },
);

const resultSchema = z.object(
  {
    loss: z.number({ error: "a number ≥ 0" }).min(0, { error: "a number ≥ 0" }),
    accuracy: numberFrom(0, 1, "a number from 0 to 1"),
    worths: z.array(worthSchema, { error: "a list with one worth for each selected worker" }),
  },
  { error: "an object with loss, accuracy and worths" },
);

/** The trainer with its failures, and whatever it returns that is no result, put into one line, which the source starts. */
export function validatedTrainer(trainer: Trainer, source = `trainer ${trainer.name}`): Trainer {
  const attempt = attemptIn(source);
  return {
    ...trainer,
    async start(task) {
      const given = { ...task, workers: frozenCopy(task.workers) };
      const training = await attempt(() => trainer.start(given), "start", task);
      conforming(trainingSchema, training, { source: `${source}: start` });
      let rounds = 0;
      return {
        round: async (selected) => {
          const where = `round ${++rounds}`;
          const result = await attempt(() => training.round(Object.freeze([...selected])), where, task);
          return validateRound(result, selected, `${source}: ${where}`);
        },
        end: () => training.end?.(),
      };
    },
  };
}

const attemptIn =
  (source: string) =>
  async <T>(act: () => Promise<T>, what: string, { signal }: Task): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      if (signal?.aborted || error instanceof InputError) throw error;
      throw plainError(source, withPlace(`${what} failed: ${oneLine(error)}`, error));
    }
  };

function validateRound(value: unknown, selected: readonly number[], source: string): RoundResult {
  const { worths, ...result } = conforming(resultSchema, value, { source });
  const sorted = [...worths].sort((a, b) => a.id - b.id);
  const wanted = [...selected].sort((a, b) => a - b);
  const ids = sorted.map(({ id }) => id);
  if (JSON.stringify(ids) !== JSON.stringify(wanted)) {
    const expected = `one for each of the workers ${JSON.stringify(wanted)}`;
    throw new InputError({ source, path: ["worths"], expected, kind: "invalid", got: ids });
  }
  return { ...result, worths: sorted };
}
