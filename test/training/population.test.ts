import { expect, it } from "vitest";
import { stream } from "../../src/lib/random.js";
import { groupOf } from "../../src/market/market.js";
import { paperPopulation, paperTaskRules, paperTypes } from "../../src/training/population.js";

const counts = (accuracies: readonly number[]) =>
  [1, 0.7, 0.4, 0.1].map((wanted) => accuracies.filter((accuracy) => accuracy === wanted).length);

const accuraciesOf = (workers: ReturnType<typeof paperPopulation>) => workers.map(({ accuracy }) => accuracy);

it("thirty workers are the paper's: 15, 5, 5 and 5 of accuracy 1.0, 0.7, 0.4 and 0.1, with 1000 samples each", () => {
  const workers = paperPopulation();
  expect(counts(accuraciesOf(workers))).toEqual([15, 5, 5, 5]);
  expect(workers.map(({ id, samples }) => [id, samples])).toEqual(workers.map((_, id) => [id, 1000]));
});

it("any six workers more keep the shares, and both groups have all accuracies", () => {
  for (const six of [6, 12, 18, 60])
    expect(counts(accuraciesOf(paperPopulation(six)))).toEqual([six / 2, six / 6, six / 6, six / 6]);
  for (const group of [0, 1]) {
    const mine = paperPopulation(24).filter(({ id }) => groupOf(id) === group);
    expect(counts(accuraciesOf(mine))).toEqual([6, 2, 2, 2]);
  }
  expect(paperPopulation(30).slice(0, 7)).toEqual(paperPopulation(7));
});

it("costs lie in [acc/3 + 1/15, acc/3 + 4/15], arrivals on the clock with the first the likeliest", () => {
  const [good] = paperPopulation(1);
  const types = Array.from({ length: 2000 }, (_, k) =>
    paperTypes(good!, paperTaskRules, stream("t").fork(k)),
  );
  const costs = types.map(({ cost }) => cost);
  expect(Math.min(...costs)).toBeGreaterThanOrEqual(1 / 3 + 1 / 15);
  expect(Math.max(...costs)).toBeLessThanOrEqual(1 / 3 + 4 / 15);
  expect(Math.max(...costs) - Math.min(...costs)).toBeGreaterThan(0.19);
  const share = (arrival: number) => types.filter((type) => type.arrival === arrival).length / types.length;
  const harmonic = Array.from({ length: 10 }, (_, k) => 1 / (k + 1)).reduce((a, b) => a + b);
  expect(share(1)).toBeCloseTo(1 / harmonic, 1);
  expect(share(2)).toBeCloseTo(1 / 2 / harmonic, 1);
});

it("a worker's type does not depend on who else is there", () => {
  const types = (count: number) =>
    paperPopulation(count).map((worker) => paperTypes(worker, paperTaskRules, stream("t")));
  expect(types(30).slice(0, 5)).toEqual(types(5));
});
