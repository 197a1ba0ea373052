import fc from "fast-check";
import { expect, it } from "vitest";
import { average, averageWithout, cosine, updateOf } from "../../src/training/tfjs/jobs.js";

const weights = fc.array(fc.float({ noNaN: true, min: -1e3, max: 1e3 }), { minLength: 1, maxLength: 20 });
const samples = fc.integer({ min: 1, max: 5000 });

it("the average of identical workers is each of them, to the last bit", () => {
  fc.assert(
    fc.property(weights, fc.array(samples, { minLength: 1, maxLength: 30 }), (values, counts) => {
      const one = Float32Array.from(values);
      expect(average(counts.map((count) => ({ weights: one, samples: count })))).toEqual(
        one.map((x) => x + 0),
      );
    }),
  );
});

it("a worker counts by its samples", () => {
  const [small, large] = [
    { weights: Float32Array.of(0, 4), samples: 1000 },
    { weights: Float32Array.of(1, 0), samples: 3000 },
  ];
  expect([...average([small, large])]).toEqual([0.75, 1]);
  expect([...averageWithout(small, [small, large], Float32Array.of(9, 9))]).toEqual([1, 0]);
});

it("without the only worker the model is what it was", () => {
  const only = { weights: Float32Array.of(5), samples: 10 };
  expect([...averageWithout(only, [only], Float32Array.of(2))]).toEqual([2]);
});

it("the cosine is 1 along, −1 against, 0 across, and 0 where there is no direction", () => {
  const update = updateOf(Float32Array.of(4, 1), Float32Array.of(1, 1));
  expect([...update]).toEqual([3, 0]);
  const cosines = [
    [2, 0],
    [-1, 0],
    [0, 7],
    [0, 0],
    [Number.NaN, 1],
  ].map((v) => cosine(update, Float32Array.from(v)));
  expect(cosines).toEqual([1, -1, 0, 0, 0]);
});
