import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countedOf,
  differenceOf,
  estimateOf,
  linesOf,
  meansOf,
  recalled,
  seriesJob,
  settingOf,
  truthfulUnder,
} from "../../analyses/shared/training.js";
import { stream } from "../../src/lib/random.js";
import { paperPopulation } from "../../src/training/population.js";
import { surrogate } from "../../src/training/surrogate.js";
import { contextFor } from "./context.js";

const context = contextFor("series");
const trainer = surrogate({ dataset: "mnist" });
const runOf = (auction: string, tasks: number, changes = {}) =>
  linesOf({ ...settingOf(truthfulUnder(auction), context, stream(3)), trainer, ...changes }, tasks);

describe("a series of tasks", () => {
  it("is the same whether costs and arrivals are drawn anew or recalled from another auction's run", async () => {
    const types = recalled();
    await runOf("vanilla", 4, { types: types() });
    expect(await runOf("online", 4, { types: types() })).toEqual(await runOf("online", 4));
  });

  it("meets the same costs and noise under every population of a seed: start-forcers who change nothing change nothing", async () => {
    const truth = truthfulUnder("online");
    const populations = [truth, { ...truth, agent: "start-forcer" }, { ...truth, agent: "truthful" }];
    const means = await seriesJob.look(
      { kind: "series", dataset: "mnist", tasks: 6, populations },
      0,
      context,
    );
    expect(means[0]![1]).toEqual(means[0]![0]);
    expect(means[0]![2]).toEqual(means[0]![0]);
  });

  it("of which half the workers play an agent has as many of them in each group and accuracy", () => {
    const half = settingOf(
      { ...truthfulUnder("online"), agent: "overbid", part: "half" },
      context,
      stream(1),
    );
    const population = paperPopulation(24);
    for (const group of [0, 1])
      for (const accuracy of [1, 0.7, 0.4, 0.1]) {
        const own = population.filter((worker) => worker.id % 2 === group && worker.accuracy === accuracy);
        const players = own.filter((worker) => half.agents!(worker) !== undefined);
        expect(2 * players.length - own.length).toBe(0);
      }
    expect(population.filter((worker) => half.agents!(worker) !== undefined)).toHaveLength(12);
  });
});

describe("means of a series", () => {
  it("count from the sixth task on, as the paper does, or all where there are no more than five", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 80 }), (n) => {
        const lines = Array.from({ length: n }, (_, k) => ({ task: k + 1 }));
        expect(countedOf(lines)).toHaveLength(n > 5 ? n - 5 : n);
      }),
    );
  });

  it("leave out tasks in which nobody was selected", async () => {
    const [first] = await runOf("online", 1);
    const idle = {
      ...first!,
      task: 7,
      selected: 0,
      goodShare: null,
      goodRoundShare: null,
      losses: [],
      accuracies: [],
    };
    const means = meansOf([{ ...first!, task: 6 }, idle]);
    expect(means.loss).toBe(first!.losses.at(-1));
    expect(meansOf([idle])).toMatchObject({ loss: null, goodShare: null });
    expect(estimateOf({ values: [null, 1, 3] }).mean).toBe(2);
  });
});

it("differences are of the same tasks, whichever each run has", () => {
  const one = { values: [1, 2, null], at: [6, 7, 8] };
  expect(differenceOf(one, { values: [5, 1, 1], at: [1, 6, 8] })).toMatchObject({ mean: 0, n: 1 });
  expect(differenceOf(one, { values: [5], at: [1] }).n).toBe(0);
});
