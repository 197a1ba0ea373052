import { describe, expect, it } from "vitest";
import {
  InputError,
  mechanisms,
  nextTask,
  paperPopulation,
  paperTaskRules,
  stream,
} from "../../src/index.js";
import { firstState } from "../../src/training/tasks.js";
import type { RoundResult, Trainer } from "../../src/training/trainer.js";

const sound = (selected: readonly number[]): RoundResult => ({
  loss: 1,
  accuracy: 0.5,
  worths: selected.map((id) => ({ id, gain: 0.01, cosine: 1 })),
});

const returning = (change: (result: RoundResult) => unknown): Trainer => ({
  name: "mine",
  about: "Mine.",
  start: async () => ({ round: async (selected) => change(sound(selected)) as RoundResult, end() {} }),
});

const firstWorth = (change: object) =>
  returning(({ worths: [first, ...rest], ...result }) => ({
    ...result,
    worths: [{ ...first, ...change }, ...rest],
  }));

const task = (trainer: Trainer) =>
  nextTask(
    {
      workers: paperPopulation(12, 100),
      rules: { ...paperTaskRules, rounds: 2 },
      mechanism: mechanisms.online,
      trainer,
      stream: stream(1),
    },
    firstState,
  );

const broken: readonly (readonly [string, Trainer, string])[] = [
  [
    "an accuracy of 50",
    returning((result) => ({ ...result, accuracy: 50 })),
    "round 1: accuracy: must be a number from 0 to 1, got 50",
  ],
  [
    "a negative loss",
    returning((result) => ({ ...result, loss: -1 })),
    "round 1: loss: must be a number ≥ 0, got -1",
  ],
  [
    "a loss that is no number",
    returning((result) => ({ ...result, loss: Number.NaN })),
    "round 1: loss: must be a number ≥ 0, got NaN",
  ],
  [
    "no result",
    returning(() => undefined),
    "round 1: must be an object with loss, accuracy and worths, got undefined",
  ],
  [
    "a cosine of 2",
    firstWorth({ cosine: 2 }),
    "round 1: worths[0].cosine: must be a number from −1 to 1, got 2",
  ],
  [
    "a gain without end",
    firstWorth({ gain: Infinity }),
    "round 1: worths[0].gain: must be a finite number, got Infinity",
  ],
  [
    "the worth of a stranger",
    firstWorth({ id: 99 }),
    "round 1: worths: must be one for each of the workers [",
  ],
  [
    "no training",
    { ...returning(sound as never), start: async () => undefined as never },
    "start: must be a training: an object with round and end, got undefined",
  ],
  [
    "what it does to its workers",
    {
      ...returning((result) => result),
      start: async ({ workers }) => Object.assign(workers[0]!, { accuracy: 1 }) as never,
    },
    "start failed: TypeError: Cannot assign to read only property 'accuracy'",
  ],
];

describe("a trainer is refused in one line for", () => {
  it.each(broken)("%s", async (_, trainer, message) => {
    const error = await task(trainer).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect((error as Error).message).toContain(`trainer mine: ${message}`);
  });
});

it("a sound trainer trains", async () => {
  const { record } = await task(returning((result) => result));
  expect(record.accuracy).toBe(0.5);
});
