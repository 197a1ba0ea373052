import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/lib/errors.js";
import {
  accumulate,
  afterTask,
  contributions,
  internalReputations,
  quality,
  reputationSettings,
} from "../../src/training/reputation.js";

const share = fc.double({ min: 0, max: 1, noNaN: true });
const worth = fc.record({
  id: fc.nat({ max: 8 }),
  gain: fc.double({ min: -1, max: 1, noNaN: true }),
  cosine: fc.double({ min: -1, max: 1, noNaN: true }),
});
const rounds = fc.array(fc.uniqueArray(worth, { selector: ({ id }) => id }), { maxLength: 10 });
const reputations = fc
  .array(share, { minLength: 9, maxLength: 9 })
  .map((values) => new Map(values.map((value, id) => [id, value])));
const settings = fc
  .record({
    passWeight: fc.double({ min: 0.001, max: 10, noNaN: true }),
    failWeight: fc.double({ min: 0.001, max: 10, noNaN: true }),
    tolerance: fc.constantFrom(0, 0.1),
    steepness: fc.double({ min: 0, max: 20, noNaN: true }),
    start: share,
    weights: fc.tuple(share, share),
  })
  .map(({ weights, ...rest }) =>
    reputationSettings({ ...rest, up: Math.min(...weights), down: Math.max(...weights) }),
  );

describe("the formula, by hand", () => {
  it("quality: 10 of 10 passed, none passed, and 6 of 10, where 0.4·6 = 0.6·4", () => {
    expect(quality(10, 0)).toBeCloseTo(Math.exp(-Math.exp(-5.5)), 15);
    expect(quality(0, 10)).toBeLessThan(1e-100);
    expect(quality(6, 4)).toBeCloseTo(Math.exp(-1), 12);
  });

  it("contribution is relative to the best of the round, and a contrary update has none", () => {
    const round = [0.8, 0.4, -0.5].map((cosine, id) => ({ id, gain: 1, cosine }));
    expect([...contributions(round).values()]).toEqual([1, 0.5, 0]);
    expect([...contributions([{ id: 3, gain: 1, cosine: -0.2 }]).values()]).toEqual([0]);
  });

  it("with contribution=history a contribution is relative to the worker's own best so far, and at least 0.001", () => {
    const round = (first: number, second: number) => [
      { id: 0, gain: 1, cosine: first },
      { id: 1, gain: 1, cosine: second },
    ];
    const settings = reputationSettings({ contribution: "history" });
    const internal = internalReputations([round(0.2, -1), round(0.8, 0.5), round(0.4, 0.5)], settings);
    // Alone with its past, a weak worker counts as much as a strong one.
    expect(internal.get(0)).toBeCloseTo(quality(3, 0) * ((1 + 1 + 0.5) / 3), 12);
    expect(internal.get(1)).toBeCloseTo(quality(3, 0), 12);
    expect(internalReputations([round(0.5, 0.5), round(-1, 0.5)], settings).get(0)).toBeCloseTo(
      quality(2, 0) * ((1 + 0.001 / 0.5) / 2),
      12,
    );
  });

  it("internal reputation is quality times mean contribution over the rounds worked", () => {
    const first = [
      { id: 0, gain: 0.1, cosine: 0.8 },
      { id: 1, gain: -0.1, cosine: 0.4 },
    ];
    const second = [{ id: 0, gain: 0, cosine: 0.3 }];
    const internal = internalReputations([first, second]);
    expect(internal.get(0)).toBeCloseTo(quality(2, 0), 12);
    expect(internal.get(1)).toBeCloseTo(quality(0, 1) / 2, 12);
  });

  it("an update passes unless the aggregate without it does better, by more than the tolerance", () => {
    const pass = (gain: number, tolerance: number) =>
      internalReputations([[{ id: 0, gain, cosine: 1 }]], reputationSettings({ tolerance })).get(0)! > 0.9;
    expect([0, -0.001].map((gain) => pass(gain, 0))).toEqual([true, false]);
    expect([-0.001, -0.02].map((gain) => pass(gain, 0.01))).toEqual([true, false]);
  });

  it("a newcomer starts at 0.5 and moves a fifth of the way up, or half of the way down", () => {
    expect(accumulate(0.5, 1)).toBeCloseTo(0.6, 12);
    expect(accumulate(0.5, 0)).toBeCloseTo(0.25, 12);
    const perfect = afterTask(new Map(), [[{ id: 4, gain: 1, cosine: 1 }]]).get(4)!;
    expect(perfect).toBeCloseTo(0.5 + 0.2 * (quality(1, 0) - 0.5), 12);
  });
});

describe("whatever is delivered and whatever the settings", () => {
  it("internal and accumulated reputation stay in [0, 1]", () => {
    fc.assert(
      fc.property(reputations, rounds, settings, (before, worths, options) => {
        const all = [
          ...internalReputations(worths, options).values(),
          ...afterTask(before, worths, options).values(),
        ];
        expect(all.filter((value) => !(value >= 0 && value <= 1))).toEqual([]);
      }),
    );
  });

  it("who was not selected keeps its reputation, and nobody is lost", () => {
    fc.assert(
      fc.property(reputations, rounds, settings, (before, worths, options) => {
        const selected = new Set(worths.flat().map(({ id }) => id));
        const after = afterTask(before, worths, options);
        expect([...after.keys()]).toEqual([...before.keys()]);
        for (const [id, value] of before) if (!selected.has(id)) expect(after.get(id)).toBe(value);
      }),
    );
  });

  it("reputation is easier to lose than to win: the same distance moves it further down than up", () => {
    fc.assert(
      fc.property(share, share, settings, (middle, distance, options) => {
        const reach = distance * Math.min(middle, 1 - middle);
        const won = accumulate(middle, middle + reach, options) - middle;
        const lost = middle - accumulate(middle, middle - reach, options);
        expect(won).toBeGreaterThanOrEqual(0);
        expect(lost).toBeGreaterThanOrEqual(won - 1e-12);
      }),
    );
    expect(0.5 - accumulate(0.5, 0.3)).toBeGreaterThan(accumulate(0.5, 0.7) - 0.5);
  });

  it("one more test passed instead of failed never lowers it, for the worker or for its future", () => {
    fc.assert(
      fc.property(share, rounds, settings, fc.nat(), (before, worths, options, choice) => {
        const failed = worths.flat().filter(({ gain }) => gain < -options.tolerance);
        fc.pre(failed.length > 0);
        const chosen = failed[choice % failed.length]!;
        const better = worths.map((round) =>
          round.map((one) => (one === chosen ? { ...one, gain: 0 } : one)),
        );
        const reputation = (all: typeof worths) =>
          afterTask(new Map([[chosen.id, before]]), all, options).get(chosen.id)!;
        expect(reputation(better)).toBeGreaterThanOrEqual(reputation(worths) - 1e-12);
      }),
    );
    expect(quality(7, 3)).toBeGreaterThan(quality(6, 4));
  });
});

it.each([
  [{ up: 0.6 }, "reputation: up: must be a number from 0 to 0.5, got 0.6"],
  [{ down: 1.5 }, "reputation: down: must be a number from 0 to 1, got 1.5"],
  [{ failWeight: 0 }, "reputation: failWeight: must be a number from 0.001 to 1000, got 0"],
  [{ start: Number.NaN }, "reputation: start: must be a number from 0 to 1, got NaN"],
])("settings that make no sense get one line: %j", (changes, line) => {
  expect(() => reputationSettings(changes)).toThrow(InputError);
  expect(() => reputationSettings(changes)).toThrow(line);
});
