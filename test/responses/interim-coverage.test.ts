/** The large version is in test/long. */

import { expect, it } from "vitest";
import { coverage, shareCovered } from "../interim-coverage.js";

it("intervals of mean gains contain them for at least 94 % of types, and none is of width 0", () => {
  const found = [...coverage({ shapes: 12, types: 5, draws: 30, fresh: 1500, most: 6, seed: "small" })];
  expect(shareCovered(found)).toBeGreaterThanOrEqual(0.94);
  for (const { low, gain, high } of found) {
    expect(low).toBeLessThan(gain);
    expect(gain).toBeLessThan(high);
  }
  // Student's interval misses what is rare: the types are such that a test can tell.
  expect(shareCovered(found, ({ student }) => student)).toBeLessThan(0.9);
});
