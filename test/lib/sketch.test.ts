import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  mergeSketches,
  quantileFrom,
  RELATIVE_ERROR,
  type Sketch,
  sketchOf,
} from "../../src/lib/summaries.js";

const values = fc.array(fc.double({ min: 1e-17, max: 1e17, noNaN: true }), { maxLength: 60 });
const share = fc.double({ min: 0, max: 1, noNaN: true });

/** Merging changes the left one. */
const merged = (left: Sketch, right: Sketch): Sketch => mergeSketches(structuredClone(left), right);

describe("a sketch", () => {
  it("gives quantiles within the error it states", () => {
    fc.assert(
      fc.property(
        values.filter(({ length }) => length > 0),
        share,
        (given, part) => {
          const sorted = [...given].sort((a, b) => a - b);
          const exact = sorted[Math.floor(part * (sorted.length - 1))]!;
          const error = Math.abs(quantileFrom(sketchOf(given), part) - exact);
          expect(error).toBeLessThanOrEqual(RELATIVE_ERROR * exact * (1 + 1e-9));
        },
      ),
    );
  });

  it("of two lists is that of both together, in whatever order they come, to the byte", () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const [x, y, z] = [a, b, c].map(sketchOf) as [Sketch, Sketch, Sketch];
        const whole = JSON.stringify(sketchOf([...a, ...b, ...c]));
        expect(JSON.stringify(merged(merged(x, y), z))).toBe(whole);
        expect(JSON.stringify(merged(x, merged(y, z)))).toBe(whole);
        expect(JSON.stringify(merged(z, merged(y, x)))).toBe(whole);
      }),
    );
  });

  it("is no larger for many values than for the width of their range", () => {
    const many = Array.from({ length: 20_000 }, (_, k) => 1 + (k % 5000) / 100);
    expect(Object.keys(sketchOf(many)).length).toBeLessThanOrEqual(Math.ceil(Math.log(51) / 0.02) + 1);
  });

  it("has no quantile of nothing, and clamps what is beyond its range", () => {
    expect(quantileFrom({}, 0.5)).toBeNaN();
    expect(quantileFrom(sketchOf([1e-300]), 0.5)).toBeLessThan(1e-16);
    expect(quantileFrom(sketchOf([1e300]), 0.5)).toBeGreaterThan(1e16);
  });
});
