import { describe, expect, it } from "vitest";
import { InputError } from "../../src/lib/errors.js";
import { defaultsOf } from "../../src/lib/options.js";
import { stream } from "../../src/lib/random.js";
import { loadTensorFlow } from "../../src/training/tfjs/tensorflow.js";
import type { RoundResult, Trainer } from "../../src/training/trainer.js";
import { type TrainerEntry, trainerNamed, trainers } from "../../src/training/trainers.js";

/** Small enough to be quick. */
const quick = { validation: 200, test: 200 };

const created = new Map<string, Promise<Trainer>>();

function create(name: string, { options = {}, create }: TrainerEntry): Promise<Trainer> {
  const known = Object.entries(quick).filter(([option]) => option in options);
  const made =
    created.get(name) ??
    create({ dataset: "mnist" }, { ...defaultsOf(options), ...Object.fromEntries(known) });
  created.set(name, made);
  return made;
}

const workers = [1, 0.7, 0.1].map((accuracy, k) => ({ id: 2 * k + 1, samples: 200, accuracy }));

interface Play {
  readonly rounds: readonly (readonly number[])[];
  readonly seed?: number;
}

async function play(trainer: Trainer, { rounds, seed = 1 }: Play): Promise<RoundResult[]> {
  const training = await trainer.start({ workers, data: stream("data"), training: stream(seed) });
  const results: RoundResult[] = [];
  for (const selected of rounds) results.push(await training.round(selected));
  training.end();
  return results;
}

describe.each(Object.entries<TrainerEntry>(trainers))("trainer %s keeps the contract:", (name, entry) => {
  it("its name and a sentence are there before it is loaded, and stay the same after", async () => {
    expect(entry.about).toMatch(/^[A-Z].*\.$/s);
    expect((await create(name, entry)).name).toBe(name);
  });

  it("the same task gives the same results, in whatever order workers are named; another seed gives others", async () => {
    const trainer = await create(name, entry);
    const first = await play(trainer, {
      rounds: [
        [1, 3, 5],
        [5, 1],
      ],
    });
    expect(
      await play(trainer, {
        rounds: [
          [5, 1, 3],
          [1, 5],
        ],
      }),
    ).toEqual(first);
    expect(
      await play(trainer, {
        rounds: [
          [1, 3, 5],
          [5, 1],
        ],
        seed: 2,
      }),
    ).not.toEqual(first);
  });

  it("worths are one per selected worker, by increasing id, and all that it says are numbers", async () => {
    const results = await play(await create(name, entry), { rounds: [[5, 3, 1], [3], []] });
    expect(results.map(({ worths }) => worths.map(({ id }) => id))).toEqual([[1, 3, 5], [3], []]);
    for (const { loss, accuracy, worths } of results) {
      expect(loss).toBeGreaterThan(0);
      expect(accuracy >= 0 && accuracy <= 1).toBe(true);
      for (const { gain, cosine } of worths) {
        expect(Number.isFinite(gain)).toBe(true);
        expect(cosine >= -1 && cosine <= 1).toBe(true);
      }
    }
  });

  it("a round with nobody leaves the model as it is, the first round as any other", async () => {
    const [untrained, again, trained, idle] = await play(await create(name, entry), {
      rounds: [[], [], [1, 3], []],
    });
    expect(again).toEqual(untrained);
    expect(trained!.loss).toBeLessThan(untrained!.loss);
    expect(idle).toEqual({ ...trained, worths: [] });
  });

  it("two tasks at once do not disturb each other", async () => {
    const trainer = await create(name, entry);
    const one = () => play(trainer, { rounds: [[1, 3, 5], [1]] });
    const [first, other] = await Promise.all([one(), play(trainer, { rounds: [[3], [5]], seed: 2 })]);
    expect(first).toEqual(await one());
    expect(other).toEqual(await play(trainer, { rounds: [[3], [5]], seed: 2 }));
  });
});

it("tfjs gives back all tensors of a task, also of one that was broken off", async () => {
  const trainer = await create("tfjs", trainers.tfjs as TrainerEntry);
  const { core } = await loadTensorFlow();
  const count = () => ({ tensors: core.memory().numTensors, buffers: core.backend().numDataIds() });
  const before = count();
  const controller = new AbortController();
  const { signal } = controller;
  const training = await trainer.start({ workers, data: stream("data"), training: stream(1), signal });
  const broken = training.round([1, 3, 5]);
  controller.abort(new Error("enough"));
  await expect(broken).rejects.toThrow("enough");
  training.end();
  expect(count()).toEqual(before);
});

it.each([
  ["tfsj", 'trainer: no "tfsj"; did you mean "tfjs"? there are '],
  ["", 'trainer: no ""; there are '],
  [
    "tfjs:rat=0.1",
    'trainer tfjs: no option "rat"; did you mean "rate"? it has validation, test, epochs, rate, batch',
  ],
  ["tfjs:epochs=0", 'trainer tfjs: epochs: must be an integer from 1 to 1000, got "0"'],
])("a name that means nothing gets one line: %s", async (text, line) => {
  const error = await trainerNamed(text, { dataset: "mnist" }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InputError);
  expect((error as InputError).message.startsWith(line)).toBe(true);
});
