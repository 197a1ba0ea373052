import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type Lot, lowest, mergeLots } from "../../src/lib/bottom-k-sample.js";

const lots = fc.array(fc.record({ lot: fc.double({ min: 0, max: 1, noNaN: true }), item: fc.nat() }), {
  maxLength: 30,
});

it("samples of parts, merged in any grouping, are the sample of all", () => {
  fc.assert(
    fc.property(fc.array(lots, { minLength: 1, maxLength: 6 }), fc.nat(12), (parts, most) => {
      const samples = parts.map((part) => lowest(part, most));
      const merge = (a: readonly Lot<number>[], b: readonly Lot<number>[]) => mergeLots(a, b, most);
      const all = lowest(parts.flat(), most);
      expect(samples.reduce(merge)).toEqual(all);
      expect(samples.reduceRight((right, left) => merge(left, right))).toEqual(all);
    }),
  );
});

it("is smaller only where there are fewer", () => {
  expect(lowest([{ lot: 0.5, item: "a" }], 3)).toEqual([{ lot: 0.5, item: "a" }]);
  expect(mergeLots<string>([], [], 3)).toEqual([]);
});
