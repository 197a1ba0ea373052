import { statSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minimise, minimiseAgain } from "../../src/lib/nelder-mead.js";
import { stream } from "../../src/lib/random.js";
import stated from "../../src/training/recorded/surrogate-residuals.json" with { type: "json" };
import { compositions, recordedCurves, selectedIn } from "../../src/training/recordings.js";
import { parameters } from "../../src/training/surrogate.js";
import {
  estimate,
  objective,
  refined,
  replay,
  residualsBySet,
  residualsOf,
  spreadOf,
} from "../../src/training/surrogate-fit.js";

const names = ["mnist", "fashion"] as const;
const parts = ["curve", "accuracy", "cosine"] as const;

describe("minimising without a slope", () => {
  const options = { step: 0.5, most: 5000, tolerance: 1e-14 };

  it("finds the bottom of any bowl, and never ends above its start", () => {
    const coordinate = fc.double({ min: -5, max: 5, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(coordinate, coordinate), { minLength: 2, maxLength: 5 }), (pairs) => {
        const bottom = pairs.map(([x]) => x);
        const bowl = (at: readonly number[]) =>
          at.reduce((sum, x, k) => sum + (k + 1) * (x - bottom[k]!) ** 2, 0);
        const start = pairs.map(([, x]) => x);
        expect(minimise(bowl, start, { ...options, most: 20 }).value).toBeLessThanOrEqual(bowl(start));
        expect(minimiseAgain(bowl, start, options).value).toBeLessThan(1e-6);
      }),
    );
  });

  it("follows Rosenbrock's valley, and steps around where there is no value", () => {
    const valley = ([x, y]: readonly number[]) => (1 - x!) ** 2 + 100 * (y! - x! * x!) ** 2;
    const end = minimiseAgain(valley, [-1.2, 1], options);
    expect(end.at[0]).toBeCloseTo(1, 3);
    const walled = ([x, y]: readonly number[]) => (x! < 0 ? Number.NaN : (x! - 1) ** 2 + y! ** 2);
    expect(minimiseAgain(walled, [0.1, 2], options).at[0]).toBeCloseTo(1, 3);
  });
});

describe.each(names)("what was recorded of %s", (name) => {
  const { tasks, settings, provenance } = recordedCurves[name];

  it("says how it was made, has tasks kept from the fit, and is small", () => {
    expect(provenance.command).toBe(`npm run record:curves -- ${name}`);
    expect(provenance.date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(provenance.seconds).toBeGreaterThan(0);
    expect(settings).toMatchObject({ rounds: 10, samples: 1000, epochs: 1, rate: 0.05, batch: 128 });
    expect(tasks.some(({ heldOut }) => heldOut)).toBe(true);
    const path = new URL(`../../src/training/recorded/curves-${name}.json`, import.meta.url);
    expect(statSync(path).size).toBeLessThan(300_000);
  });

  it("has a gain and a cosine for everybody who worked", () => {
    for (const task of tasks) {
      expect(task.rounds.length).toBe(settings.rounds);
      for (const [k, { gains, cosines, loss, accuracy }] of task.rounds.entries()) {
        const workers = selectedIn(task, k + 1).length;
        expect([gains.length, cosines.length]).toEqual([workers, workers]);
        expect(loss > 0 && accuracy > 0 && accuracy < 1).toBe(true);
      }
    }
  });
});

it("compositions to record are the same for the same stream, start with somebody, and some join later", () => {
  const plan = { tasks: 12, most: 6, large: 10, rounds: 10, even: [1, 1, 1, 1], paper: [] };
  const drawn = compositions(plan, stream("plan"));
  expect(compositions(plan, stream("plan"))).toEqual(drawn);
  expect(drawn.length).toBe(12 + 5);
  expect(drawn.every((one) => selectedIn(one, 1).length > 0)).toBe(true);
  expect(drawn.some(({ joins }) => Math.max(...joins) > 1)).toBe(true);
  expect(new Set(drawn.map(({ seed }) => seed)).size).toBe(drawn.length);
  expect(drawn.every(({ accuracies }) => accuracies.length <= 10)).toBe(true);
});

describe.each(names)("the committed parameters of %s", (name) => {
  const [recording, fitted] = [recordedCurves[name], parameters[name]];

  it.each(parts)("fit the recordings as well as the optimiser can: %s", (part) => {
    const found = objective(part, recording, fitted);
    const better = objective(part, recording, refined(part, recording, fitted));
    expect(found - better).toBeLessThan(1e-4 * found);
    const other = { ...fitted, [part]: scaled(fitted[part]) };
    expect(objective(part, recording, other)).toBeGreaterThan(1.01 * found);
  });

  it("have the first model and the noise that the recordings have", () => {
    const tasks = recording.tasks.filter(({ heldOut }) => !heldOut);
    const losses = tasks.map(({ before }) => before.loss);
    expect(fitted.first.loss).toBeCloseTo(losses.reduce((sum, loss) => sum + loss, 0) / losses.length, 9);
    const spread = spreadOf(tasks.map((task) => replay(task, recording.settings, fitted)));
    for (const [key, value] of Object.entries(fitted.spread))
      expect(spread[key as keyof typeof spread]).toBeCloseTo(value, 9);
  });

  it("are as far off as stated, and tell who passes a quality test and who is worth more", () => {
    const residuals = residualsBySet(recording, fitted);
    expect(Object.keys(residuals)).toEqual(Object.keys(stated[name]));
    for (const [set, found] of Object.entries(residuals)) {
      const said = (stated[name] as typeof residuals)[set]!;
      for (const figure of ["loss", "accuracy", "gain", "cosine"] as const)
        for (const key of ["rmse", "bias", "worst", "n"] as const)
          expect(found[figure][key]).toBeCloseTo(said[figure][key], 9);
      expect([found.tests, found.order]).toEqual([said.tests, said.order]);
      expect(found.loss.rmse).toBeLessThan(0.12);
      expect(found.order.same).toBeGreaterThan(0.85);
    }
    expect(residuals.fitted!.tests.same).toBeGreaterThan(0.85);
  });
});

const scaled = <T extends object>(values: T): T =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, 1.3 * value])) as T;

it("a fit finds the curve that made the data", () => {
  const { settings, provenance, tasks } = recordedCurves.mnist;
  const truth = parameters.mnist;
  const made = tasks.slice(0, 12).map((task) => ({
    ...task,
    rounds: replay(task, settings, truth).map(({ surrogate }) => surrogate),
  }));
  const recording = { settings, provenance, tasks: made };
  const found = { ...truth, ...estimate(recording) };
  const kept = made.filter(({ heldOut }) => heldOut).map((task) => replay(task, settings, found));
  const { loss, tests } = residualsOf(kept);
  expect(loss.rmse).toBeLessThan(0.01);
  expect(tests.same).toBeGreaterThan(0.97);
});
