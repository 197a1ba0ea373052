import { describe, expect, it } from "vitest";
import { stream } from "../../src/lib/random.js";
import { type Distributions, drawMarket, drawMarkets, internalReputations } from "../../src/market/draw.js";
import { paperRules } from "../../src/market/market.js";
import { validateMarket } from "../../src/market/parse.js";

const rules = { budget: 125, rounds: 10, ...paperRules };
const draw = (workers: number, distributions: Partial<Distributions> = {}, seed = "test") =>
  drawMarket({ rules, workers, distributions }, stream(seed));

/** Largest distance between the sample's distribution and U[0, 1] (Kolmogorov–Smirnov). */
function distanceFromUniform(sample: readonly number[]): number {
  const sorted = [...sample].sort((a, b) => a - b);
  return Math.max(...sorted.map((x, k) => Math.max((k + 1) / sorted.length - x, x - k / sorted.length)));
}

describe("a market like those of Figures 2 and 3", () => {
  const n = 10_000;
  const { workers } = draw(n);
  // A uniform sample exceeds this distance with probability 1e-6; the seed is fixed.
  const bound = 2.7 / Math.sqrt(n);

  it("has reputations uniform in [0, 1]", () => {
    expect(distanceFromUniform(workers.map(({ reputation }) => reputation))).toBeLessThan(bound);
  });

  it("has costs uniform in [Re/3 + 1/15, Re/3 + 4/15], whatever the reputation", () => {
    const place = workers.map(({ reputation, cost }) => (cost - reputation / 3 - 1 / 15) * 5);
    expect(distanceFromUniform(place)).toBeLessThan(bound);
    const ofGood = place.filter((_, k) => workers[k]!.reputation > 0.5);
    expect(distanceFromUniform(ofGood)).toBeLessThan(2.7 / Math.sqrt(ofGood.length));
  });

  it("has arrivals t with probability proportional to 1/t", () => {
    const harmonic = Array.from({ length: 10 }, (_, k) => 1 / (k + 1)).reduce((sum, x) => sum + x);
    for (let t = 1; t <= 10; t++) {
      const p = 1 / t / harmonic;
      const count = workers.filter(({ arrival }) => arrival === t).length;
      expect(Math.abs(count - n * p)).toBeLessThan(5 * Math.sqrt(n * p * (1 - p)));
    }
  });

  it("is a market that can be read back", () => {
    const market = draw(50);
    expect(validateMarket(JSON.parse(JSON.stringify(market)), "m")).toEqual(market);
    expect(market.workers.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, id) => id));
  });

  it("may last one round only", () => {
    const { workers } = drawMarket({ rules: { ...rules, rounds: 1 }, workers: 20 }, stream(1));
    expect(new Set(workers.map(({ arrival }) => arrival))).toEqual(new Set([1]));
  });
});

describe("a seed", () => {
  it("fixes the market", () => {
    expect(draw(20)).toEqual(draw(20));
    expect(draw(20, {}, "other")).not.toEqual(draw(20));
  });

  it("gives market k whatever the count is, and each market its own", () => {
    const many = [...drawMarkets({ rules, workers: 5 }, 10, stream(7))];
    expect([...drawMarkets({ rules, workers: 5 }, 3, stream(7))]).toEqual(many.slice(0, 3));
    expect(new Set(many.map((market) => JSON.stringify(market))).size).toBe(10);
  });

  it("gives the first workers of a larger market to a smaller one", () => {
    expect(draw(30).workers.slice(0, 10)).toEqual(draw(10).workers);
  });
});

describe("a distribution of one's own", () => {
  const column = (field: "reputation" | "cost" | "arrival", distributions: Partial<Distributions>) =>
    draw(40, distributions).workers.map((worker) => worker[field]);

  it("never shifts the draws of another", () => {
    const late = { arrival: () => 3 };
    expect(column("cost", late)).toEqual(column("cost", {}));
    expect(column("reputation", late)).toEqual(column("reputation", {}));
    const dear = { cost: ({ u }: { u: number }) => 5 + u };
    expect(column("arrival", dear)).toEqual(column("arrival", {}));
    const good = { reputation: ({ u }: { u: number }) => 1 - u };
    expect(column("arrival", good)).toEqual(column("arrival", {}));
  });

  it("sees the market, the worker and its reputation", () => {
    const cost: Distributions["cost"] = ({ re, T, B, n, id }) => re + 10 * T + 1000 * B + 1e6 * n + 1e9 * id;
    const { workers } = draw(3, { reputation: () => 0.5, cost });
    expect(workers[2]!.cost).toBe(0.5 + 100 + 125_000 + 3e6 + 2e9);
  });

  it.each([
    [{ arrival: () => 2.5 }, "arrival drawn for worker 0: must be an integer from 1 to 10, got 2.5"],
    [{ arrival: () => 0 }, "arrival drawn for worker 0: must be an integer from 1 to 10, got 0"],
    [
      { arrival: ({ id }: { id: number }) => 9 + id },
      "arrival drawn for worker 2: must be an integer from 1 to 10, got 11",
    ],
    [{ cost: () => 1e-13 }, "cost drawn for worker 0: must be 0 or a number from 1e-12 to 1e12, got 1e-13"],
    [{ cost: () => -0.1 }, "cost drawn for worker 0: must be a number ≥ 0, got -0.1"],
    [{ cost: () => Number.NaN }, "cost drawn for worker 0: must be a number ≥ 0, got NaN"],
    [{ reputation: () => -1 }, "reputation drawn for worker 0: must be a number ≥ 0, got -1"],
  ])("must give what a worker can be", (distributions, message) => {
    expect(() => draw(3, distributions)).toThrow(message);
  });
});

describe("groups", () => {
  const hashed = (workers: number, seed: string | number = "test") =>
    drawMarket({ rules, workers, groups: "hash" }, stream(seed));

  it("alternate unless they are asked for as a hash gives them; nothing else of a market changes then", () => {
    const { workers } = hashed(50);
    expect(workers.map((worker, k) => ({ ...worker, id: k }))).toEqual(draw(50).workers);
    expect(workers.map(({ id }) => Math.floor(id / 2))).toEqual(Array.from({ length: 50 }, (_, k) => k));
    expect(hashed(20).workers).toEqual(workers.slice(0, 20));
    expect(hashed(50)).toEqual(hashed(50));
  });

  it("have binomial sizes: of five workers all are in one group in a sixteenth of the markets", () => {
    const sizes = Array.from(
      { length: 4000 },
      (_, k) => hashed(5, k).workers.filter(({ id }) => id % 2 === 0).length,
    );
    const counts = [1, 5, 10, 10, 5, 1].map((ways, size) => [
      4000 * (ways / 32),
      sizes.filter((one) => one === size).length,
    ]);
    for (const [expected, count] of counts)
      expect(Math.abs(count! - expected!)).toBeLessThan(5 * Math.sqrt(expected!));
  });
});

it("internal reputations are uniform within 0.1 of the reputation and in [0, 1], and change no draw", () => {
  const market = draw(10_000);
  const internal = internalReputations(market, stream("test"));
  expect(draw(10_000)).toEqual(market);
  const places = internal.map(({ id, reputation }, k) => {
    const own = market.workers[k]!;
    expect(id).toBe(own.id);
    const [low, high] = [Math.max(0, own.reputation - 0.1), Math.min(1, own.reputation + 0.1)];
    return (reputation - low) / (high - low);
  });
  expect(distanceFromUniform(places)).toBeLessThan(2.7 / Math.sqrt(10_000));
});
