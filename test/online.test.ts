import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Bid, Market } from "../src/market.js";
import { hold, type Outcome } from "../src/mechanism.js";
import { online } from "../src/mechanisms/online.js";

interface Vector {
  market: Market;
  bids: Bid[];
  expect: Outcome;
}

const vectors: Vector[] = readFileSync(new URL("golden/run.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

it.each(vectors.map((vector, line) => [line + 1, vector] as const))("[M1]–[M13] vector %i", (_, vector) => {
  const outcome = hold(online, vector.market, vector.bids);
  expect(outcome.startDelay).toBe(vector.expect.startDelay);
  expect(outcome.workers.map((w) => [w.id, w.selectedAt])).toEqual(
    vector.expect.workers.map((w) => [w.id, w.selectedAt]),
  );
  for (const [k, { payment }] of vector.expect.workers.entries())
    expect(Math.abs(outcome.workers[k]!.payment - payment)).toBeLessThanOrEqual(1e-9);
  expect(outcome.budgetEvents).toEqual(vector.expect.budgetEvents);
});
