import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/lib/errors.js";
import { stream } from "../../src/lib/random.js";
import {
  cosinesOf,
  gainsOf,
  lossOf,
  normals,
  parameters,
  surrogate,
  untrained,
} from "../../src/training/surrogate.js";
import type { RoundResult, WorkerData } from "../../src/training/trainer.js";

const names = ["mnist", "fashion"] as const;
type Name = (typeof names)[number];

const workersOf = (accuracies: readonly number[], samples = 1000): WorkerData[] =>
  accuracies.map((accuracy, id) => ({ id, samples, accuracy }));

async function play(
  dataset: Name,
  accuracies: readonly number[],
  rounds: readonly (readonly number[])[],
  seed: string | number = 1,
): Promise<RoundResult[]> {
  const task = { workers: workersOf(accuracies), data: stream(seed).fork("data"), training: stream(seed) };
  const training = await surrogate({ dataset }).start(task);
  const results: RoundResult[] = [];
  for (const selected of rounds) results.push(await training.round(selected));
  training.end();
  return results;
}

const times = <T>(n: number, value: T): T[] => Array.from({ length: n }, () => value);

const accuracies = fc.array(fc.constantFrom(1, 0.7, 0.4, 0.1), { minLength: 1, maxLength: 12 });
const dataset = fc.constantFrom(...names);
/** Ids in any order, some twice, some rounds with nobody. */
const rounds = (workers: number) =>
  fc.array(fc.array(fc.nat({ max: workers - 1 }), { maxLength: workers }), { minLength: 1, maxLength: 6 });
const task = accuracies.chain((all) =>
  fc.record({ all: fc.constant(all), selected: rounds(all.length), dataset, seed: fc.nat() }),
);

describe("the surrogate keeps what every trainer promises", () => {
  it("the same numbers for the same seed in whatever order workers are named, others for another", async () => {
    await fc.assert(
      fc.asyncProperty(task, async ({ all, selected, dataset, seed }) => {
        const first = await play(dataset, all, selected, seed);
        const turned = selected.map((ids) => [...ids, ...ids].reverse());
        expect(await play(dataset, all, turned, seed)).toEqual(first);
      }),
    );
    const rounds = [[0, 1, 2], [2]];
    expect(await play("mnist", [1, 0.7, 1], rounds, 2)).not.toEqual(
      await play("mnist", [1, 0.7, 1], rounds, 1),
    );
  });

  it("a round with nobody leaves the model as it is, also before anybody has trained it", async () => {
    const [before, first, idle] = await play("mnist", [1, 1], [[], [0, 1], []]);
    expect(before).toEqual({ ...parameters.mnist.first, worths: [] });
    expect(idle).toEqual({ loss: first!.loss, accuracy: first!.accuracy, worths: [] });
    expect(first!.loss).toBeLessThan(before!.loss);
  });

  it("worths by increasing id, each once, and every figure within its bounds", async () => {
    await fc.assert(
      fc.asyncProperty(task, async ({ all, selected, dataset, seed }) => {
        for (const [k, result] of (await play(dataset, all, selected, seed)).entries()) {
          const ids = [...new Set(selected[k])].sort((a, b) => a - b);
          expect(result.worths.map(({ id }) => id)).toEqual(ids);
          expect(result.loss).toBeGreaterThan(0);
          expect(Number.isFinite(result.loss)).toBe(true);
          expect(result.accuracy >= 0 && result.accuracy <= 1).toBe(true);
          for (const { gain, cosine } of result.worths)
            expect(Number.isFinite(gain) && cosine >= -1 && cosine <= 1).toBe(true);
        }
      }),
    );
  });

  it("the only worker is valued against the model from before, and along with itself", async () => {
    const [{ worths }] = (await play("mnist", [1], [[0]])) as [RoundResult];
    expect(worths[0]!.gain).toBeGreaterThan(0.5);
    expect(worths[0]!.cosine).toBe(1);
  });

  it("one line when a worker has no data in the task", async () => {
    await expect(play("mnist", [1], [[7]])).rejects.toThrow(InputError);
    await expect(play("mnist", [1], [[7]])).rejects.toThrow(
      "trainer surrogate: worker 7 has no data in this task",
    );
  });

  it("a worker's noise is its own: who else is there, or was before, does not move it", async () => {
    const noise = async (selected: readonly number[][]) => {
      const quiet = workersOf([1, 1, 1]);
      const [last] = (await play("mnist", [1, 1, 1], selected)).slice(-1);
      const ids = selected.at(-1)!;
      const expected = gainsOf(
        untrained,
        quiet.filter(({ id }) => ids.includes(id)),
        parameters.mnist,
      );
      return (last!.worths[0]!.gain - expected[0]!) * ids.length;
    };
    expect(await noise([[0, 1]])).toBeCloseTo(await noise([[0, 1, 2]]), 12);
    expect(await noise([[], [0, 1]])).not.toBeCloseTo(await noise([[0, 1]]), 6);
  });
});

describe.each(names)("the learning curve of %s", (name) => {
  const fitted = parameters[name];

  it("falls with every round of good workers, and accuracy rises", async () => {
    const results = await play(name, times(15, 1), times(10, [...Array(15).keys()]));
    const [first, last] = [results[0]!, results.at(-1)!];
    expect(last.loss).toBeLessThan(0.7 * first.loss);
    expect(last.accuracy).toBeGreaterThan(first.accuracy);
  });

  it("ends lower the better the mix", async () => {
    const mixes = [times(8, 1), times(8, 0.7), times(8, 0.4), times(8, 0.1)];
    const ends = await Promise.all(
      mixes.map(async (mix) => (await play(name, mix, times(10, [...mix.keys()]))).at(-1)!.loss),
    );
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    expect(ends[3]).toBeGreaterThan(2.1);
  });

  it("a better worker is worth more, and points more along with the others", () => {
    fc.assert(
      fc.property(accuracies, (all) => {
        fc.pre(all.length > 1);
        const workers = workersOf(all);
        const gains = gainsOf(untrained, workers, fitted);
        for (const i of workers.keys())
          for (const j of workers.keys()) if (all[i]! > all[j]!) expect(gains[i]!).toBeGreaterThan(gains[j]!);
      }),
    );
    const cosines = cosinesOf(untrained, workersOf([1, 1, 1, 0.7, 0.4, 0.1]), fitted);
    expect(cosines.slice(2)).toEqual(cosines.slice(2).toSorted((a, b) => b - a));
  });

  it("before training, the loss is that of the first models recorded", () => {
    expect(lossOf(untrained, fitted)).toBe(fitted.first.loss);
    expect(fitted.first.loss).toBeGreaterThan(2.2);
  });
});

it("noise is normal, and the same whichever draw is asked for first", () => {
  const [one, other] = [normals(stream("noise")), normals(stream("noise"))];
  const forward = Array.from({ length: 4000 }, (_, k) => one(k));
  expect(other(17)).toBe(forward[17]);
  expect(other(3)).toBe(forward[3]);
  const mean = forward.reduce((sum, x) => sum + x, 0) / forward.length;
  const variance = forward.reduce((sum, x) => sum + (x - mean) ** 2, 0) / forward.length;
  expect(Math.abs(mean)).toBeLessThan(0.06);
  expect(Math.abs(variance - 1)).toBeLessThan(0.1);
  expect(forward.filter((x) => Math.abs(x) > 1.96).length / forward.length).toBeCloseTo(0.05, 1);
});
