/** What a proof says about the size of a counterexample. */

import { describe, expect, it } from "vitest";
import { type Market, paperRules } from "../../../src/market/market.js";
import { mechanisms } from "../../../src/mechanisms/index.js";
import { certified } from "../../../src/verdicts/certify.js";
import { provedSize } from "../../../src/verdicts/counterexamples/proved-size.js";

const worker = (id: number, cost: number, arrival: number) => ({ id, reputation: 1, cost, arrival });
const market: Market = {
  rules: { ...paperRules, budget: 120, rounds: 3 },
  workers: [worker(0, 0, 1), worker(1, 23, 3)],
};
const target = { property: "P6", regime: "sufficient", start: "any", mechanism: mechanisms.online } as const;

describe("the size of a counterexample", () => {
  it("is the smallest where neither fewer workers nor fewer rounds do, and has a worst case", () => {
    expect(provedSize(market, target)).toEqual({
      smallest: true,
      smaller: null,
      worst: "3/40",
      attained: true,
    });
  });

  it("is not the smallest where a worker can be left out", () => {
    const more = { ...market, workers: [...market.workers, worker(3, 200, 3)] };
    const { smallest, smaller } = provedSize(more, target)!;
    expect(smallest).toBe(false);
    const { market: found, violation } = smaller!;
    expect(found.workers.map(({ id }) => id)).toEqual([0, 1]);
    expect(certified(found, { ...violation, property: "P6" }, mechanisms.online)).toMatchObject({
      certified: true,
      amount: violation.amount,
    });
  });

  it("is not known beyond reach, nor for what proofs are not about, nor where nothing breaks", () => {
    expect(provedSize({ ...market, rules: { ...market.rules, rounds: 4 } }, target)).toBeNull();
    expect(provedSize(market, { ...target, property: "P4" })).toBeNull();
    expect(provedSize(market, { ...target, start: "kept" })).toBeNull();
  });
});
