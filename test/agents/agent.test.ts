import { describe, expect, it } from "vitest";
import { respondBy } from "../../agents/best-responder.js";
import { latecomer } from "../../agents/latecomer.js";
import { noisy } from "../../agents/noisy.js";
import { overbid } from "../../agents/overbid.js";
import { priceAndDelay } from "../../agents/price-and-delay.js";
import { truthful } from "../../agents/truthful.js";
import { underbid } from "../../agents/underbid.js";
import { type View, withDelay, withNoise } from "../../src/agents/agent.js";
import { stream } from "../../src/lib/random.js";
import { paperRules } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";

it("an agent at its defaults has its plain name, otherwise the settings are in the name", () => {
  expect(overbid().name).toBe("overbid");
  expect(overbid({ factor: 1.2 }).name).toBe("overbid");
  expect(overbid({ factor: 1.5 }).name).toBe("overbid:factor=1.5");
  expect(priceAndDelay({ factor: 2, ticks: 3 }).name).toBe("price-and-delay:factor=2,ticks=3");
});

it("a setting out of bounds is an error that names the agent, the option and the value", () => {
  expect(() => overbid({ factor: 0.5 })).toThrow("agent overbid: factor: must be a number ≥ 1, got 0.5");
  expect(() => underbid({ factor: 2 })).toThrow(
    "agent underbid: factor: must be a number from 0 to 1, got 2",
  );
  expect(() => latecomer({ ticks: 1.5 })).toThrow("agent latecomer: ticks: must be an integer ≥ 0, got 1.5");
  expect(() => overbid({ factor: Number.NaN })).toThrow("must be a number ≥ 1, got NaN");
});

it("the options are data: names, defaults and bounds", () => {
  expect(priceAndDelay.options.ticks).toEqual({ default: 1, from: 0, whole: true });
});

const view: View = {
  self: { id: 0, reputation: 1, cost: 0.5, arrival: 2 },
  rules: { ...paperRules, budget: 10, rounds: 9 },
  history: [],
};

describe("withNoise", () => {
  const prices = Array.from({ length: 4000 }, (_, k) => withNoise(overbid(), 0.3).bid(view, stream(k)).price);
  const logs = prices.map((price) => Math.log(price / 0.6));
  const mean = logs.reduce((sum, x) => sum + x) / logs.length;

  it("spreads the agent's price log-normally around what it was, and leaves the arrival", () => {
    expect(Math.abs(mean)).toBeLessThan(0.02);
    const deviation = Math.sqrt(logs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / logs.length);
    expect(Math.abs(deviation - 0.3)).toBeLessThan(0.02);
    expect(withNoise(overbid(), 0.3).bid(view, stream(1)).arrival).toBe(2);
  });

  it("of 0 changes no bid, not even of an agent that draws", () => {
    const plain = noisy();
    expect(withNoise(plain, 0).bid(view, stream(7))).toEqual(plain.bid(view, stream(7)));
  });

  it("twice draws twice", () => {
    const [once, twice] = [withNoise(truthful, 0.3), withNoise(withNoise(truthful, 0.3), 0.3)];
    const [first, second] = [once, twice].map((agent) => Math.log(agent.bid(view, stream(7)).price / 0.5));
    expect(second).not.toBeCloseTo(2 * first!, 6);
  });

  it("says so in name and traits", () => {
    const agent = withNoise(withDelay(truthful, 2), 0.3);
    expect(agent.name).toBe("truthful+delay(2)+noise(0.3)");
    expect(agent.about).toBe(
      "Bids its cost and comes when it can, 2 clock ticks later, with prices blurred by 0.3.",
    );
    expect(agent.traits).toEqual({ stochastic: true, lies: ["time", "price"], sees: "own", learns: false });
  });
});

describe("withDelay", () => {
  it("comes so many clock ticks later than the agent would, at the agent's price", () => {
    expect(withDelay(overbid({ factor: 2 }), 3).bid(view, stream(1))).toEqual({ price: 1, arrival: 5 });
  });

  it("adds the time to the lies and nothing else", () => {
    expect(withDelay(overbid(), 3).traits).toEqual({ ...overbid().traits, lies: ["price", "time"] });
    expect(withDelay(withDelay(overbid(), 3), 1).traits.lies).toEqual(["price", "time"]);
  });

  it("wraps an informed agent into one that is still shown the bids", () => {
    const others = [{ id: 1, reputation: 1, price: 0.7, arrival: 1 }];
    const copycat = respondBy(({ workers }) => ({ price: workers[1]!.cost, arrival: 2 }));
    const late = withDelay(copycat, 1);
    expect(late.traits.sees).toBe("bids");
    expect(late.bid({ ...view, others, mechanism: online }, stream(1))).toEqual({ price: 0.7, arrival: 3 });
  });
});
