import { expect, it } from "vitest";
import { latecomer } from "../../agents/latecomer.js";
import { overbid } from "../../agents/overbid.js";
import { priceAndDelay } from "../../agents/price-and-delay.js";
import { underbid } from "../../agents/underbid.js";

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
