/** The statements on any number of workers, on 10,000 random markets in fractions. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { holdStatements, type Spoken, statementMarkets } from "../responses/statements.js";

it("[M5]–[M11] no lie gains that keeps the start, nor where the paper is read so, one that delays it", () => {
  const spoken: Spoken = { kept: 0, delayed: 0, apart: 0, gaining: 0 };
  for (const { market, worker } of fc.sample(statementMarkets, { seed: 2, numRuns: 10_000 }))
    holdStatements(market, worker, spoken);
  for (const count of Object.values(spoken)) expect(count).toBeGreaterThan(500);
});
