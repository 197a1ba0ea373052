import { describe, expect, it } from "vitest";
import type { View } from "../../src/agents/agent.js";
import { formulaAgent } from "../../src/agents/formula.js";
import { stream } from "../../src/lib/random.js";
import { paperRules } from "../../src/market/market.js";

const view: View = {
  self: { id: 4, reputation: 0.8, cost: 0.5, arrival: 2 },
  rules: { budget: 30, rounds: 6, ...paperRules, firstRoundRatio: 0.4, minWorkers: 3 },
  history: [],
};
const bid = (text: string, seed = 1) => formulaAgent(text).bid(view, stream(seed));

describe("a formula agent", () => {
  it("bids what its formulas say, and the truth where they say nothing", () => {
    expect(bid("price = 1.2*cost; arrival = arrival + 1")).toEqual({ price: 0.6, arrival: 3 });
    expect(bid("price = cost / 2")).toEqual({ price: 0.25, arrival: 2 });
    expect(bid("arrival = T")).toEqual({ price: 0.5, arrival: 6 });
  });

  it("reads the worker's type and the rules", () => {
    expect(bid("price = re + reputation").price).toBe(1.6);
    expect(bid("price = ratio * B / (T * min)").price).toBeCloseTo((0.4 * 30) / 18, 12);
    expect(bid("price = min(cost, ratio * B / T)").price).toBe(0.5);
    expect(bid("price = arrival == 1 ? 0 : 9").price).toBe(9);
  });

  it("draws one u per bid, from the stream", () => {
    const { price, arrival } = bid("price = u; arrival = 10 * u", 3);
    expect(arrival).toBe(10 * price);
    expect(bid("price = u", 3).price).toBe(price);
    expect(bid("price = u", 4).price).not.toBe(price);
  });

  it("has the traits its formulas give it", () => {
    expect(formulaAgent("price = cost").traits.lies).toEqual(["price"]);
    expect(formulaAgent("arrival = T; price = 0").traits.lies).toEqual(["time", "price"]);
    expect(formulaAgent("price = u").traits.stochastic).toBe(true);
    expect(formulaAgent("price = T * cost").traits.stochastic).toBe(false);
  });

  it("is refused at once where it cannot be read, and at the bid where it gives no number", () => {
    expect(() => formulaAgent("price = csot", "--agent")).toThrow(
      /^--agent: price: the name "csot" is not allowed.*cost/,
    );
    expect(() => formulaAgent("prise = cost", "--agent")).toThrow(/^--agent: .*price/);
    expect(() => bid("price = cost / (arrival - 2)")).toThrow(/must be a finite number/);
  });
});
