/** Intervals of mean gains, counted over 500 types of many shapes against 20,000 fresh draws each. */

import { expect, it } from "vitest";
import { coverage, shareCovered } from "../interim-coverage.js";

it("intervals of mean gains contain them for at least 94 % of more than 500 types", {
  timeout: 3_600_000,
}, () => {
  const found = [
    ...coverage({ shapes: 110, types: 10, draws: 200, fresh: 20_000, most: 30, seed: "coverage" }),
  ];
  expect(found.length).toBeGreaterThan(500);
  const missed = found.filter(({ low, high, known }) => known < low || known > high);
  expect(shareCovered(found), JSON.stringify(missed)).toBeGreaterThanOrEqual(0.94);
});
