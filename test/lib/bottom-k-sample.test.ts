import * as fc from "fast-check";
import { expect, it } from "vitest";
import { bottomK, type Keyed } from "../../src/lib/summaries.js";

const items = fc.array(fc.record({ key: fc.double({ min: 0, max: 1, noNaN: true }), item: fc.nat() }), {
  maxLength: 30,
});

it("samples of parts, merged in any grouping, are the sample of all", () => {
  fc.assert(
    fc.property(fc.array(items, { minLength: 1, maxLength: 6 }), fc.nat(12), (parts, most) => {
      const samples = parts.map((part) => bottomK(part, most));
      const merge = (a: readonly Keyed<number>[], b: readonly Keyed<number>[]) => bottomK([...a, ...b], most);
      const all = bottomK(parts.flat(), most);
      expect(samples.reduce(merge)).toEqual(all);
      expect(samples.reduceRight((right, left) => merge(left, right))).toEqual(all);
    }),
  );
});

it("is smaller only where there are fewer", () => {
  expect(bottomK([{ key: 0.5, item: "a" }], 3)).toEqual([{ key: 0.5, item: "a" }]);
  expect(bottomK([], 3)).toEqual([]);
});
