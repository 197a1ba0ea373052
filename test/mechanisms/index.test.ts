import { describe, expect, it } from "vitest";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { InputError } from "../../src/lib/errors.js";
import { approximateOptimal } from "../../src/mechanisms/approximate-optimal.js";
import { mechanismNamed, mechanisms, variantOf } from "../../src/mechanisms/index.js";
import { online } from "../../src/mechanisms/online/online.js";
import { published } from "../../src/mechanisms/published/index.js";
import { mechanismContract } from "../../src/verdicts/contracts.js";
import { allotments, marketOf } from "./hand-solved.js";

const registry: [string, AnyMechanism][] = Object.entries(mechanisms);

describe.each(registry)("%s", (name, mechanism) => {
  it("is registered under its name and its file's, with a sentence about it", async () => {
    expect(mechanism.name).toBe(name);
    const exported = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const file = Object.hasOwn(published, name)
      ? import(`../../src/mechanisms/published/${name}.ts`)
      : name === "online"
        ? import("../../src/mechanisms/online/online.js")
        : import(`../../src/mechanisms/${name}.ts`);
    expect(await file).toHaveProperty(exported, mechanism);
    expect(mechanism.about).toMatch(/^[A-Z].*\.$/);
  });

  it("has a card: its rule in two or three sentences, what it promises, and where it comes from", () => {
    const { rule = [], promise = "", source = "" } = mechanism;
    expect([2, 3]).toContain(rule.length);
    for (const sentence of [...rule, promise, source]) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });

  it.each(mechanismContract(mechanism).map((check) => [check.title, check] as const))("%s", (_, check) =>
    check.run(),
  );
});

describe("a variant", () => {
  // In round 2 the even group has 1.3 left and ρ* = 1: prose raises worker 0 first (0.65), after which nobody else fits;
  // pseudocode admits worker 4 first (0.8) and cuts worker 0's raise.
  const market = marketOf(4, 2, [
    [1, 0.1, 1],
    [1, 0.1, 1],
    [0.9, 0.1, 2],
    [0.1, 0.3, 1],
    [0.8, 0.1, 2],
  ]);

  it.each(Object.keys(mechanisms))("finds %s by its name", (name) => {
    expect(mechanismNamed(name)).toBe(Reflect.get(mechanisms, name));
  });

  it("names a variant by the text that describes it", () => {
    const text = "online:firstRoundRatio=0.6, minWorkers=2";
    expect(mechanismNamed(text).name).toBe(text);
  });

  it.each([
    ["reading=pseudocode", { reading: "pseudocode" }],
    ["firstRoundRatio=0.6,minWorkers=2", { firstRoundRatio: 0.6, minWorkers: 2 }],
  ] as const)("decides under the rules of the variant online:%s", (settings, rules) => {
    const varied = mechanismNamed(`online:${settings}`);
    const direct = runAuction(online, { ...market, rules: { ...market.rules, ...rules } });
    expect(runAuction(varied, market)).toEqual(direct);
    expect(runAuction(varied, market)).not.toEqual(runAuction(online, market));
    expect(varied.variantOf).toEqual({ mechanism: online, rules });
  });

  it("promises of its budget what the mechanism promises under the variant's rules", () => {
    expect(mechanismNamed("online:firstRoundRatio=0.6").keepsBudget!(market.rules)).toBe(false);
    expect(mechanismNamed("online:firstRoundRatio=0.4").keepsBudget!(market.rules)).toBe(true);
  });

  it("sets a mechanism's own options", () => {
    const varied = mechanismNamed("fixed-threshold:density=0.2,minWorkers=3");
    // Worker 0: 2 rounds · 1 · 0.2.
    expect(allotments(varied, market)[0]).toEqual([1, 2, 0.4]);
  });

  it("lets rules be set for mechanisms without options of their own, the informed one too", () => {
    const varied = variantOf(approximateOptimal, "minWorkers=3");
    expect(runAuction(varied, market)).toEqual(runAuction(approximateOptimal, market));
  });

  it.each([
    ["onlin", 'mechanism: no "onlin"; did you mean "online"? there are online, '],
    ["constructor", 'mechanism: no "constructor"; there are online, '],
    ["", 'mechanism: no ""; there are online, '],
    ["online:", 'mechanism online: options are written name=value, got ""'],
    ["online:reading", 'mechanism online: options are written name=value, got "reading"'],
    [
      "online:readng=prose",
      'mechanism online: no option "readng"; did you mean "reading"? it has reading, firstStep, delay, firstRoundRatio, minWorkers',
    ],
    [
      "online:budget=3",
      'mechanism online: no option "budget"; it has reading, firstStep, delay, firstRoundRatio, minWorkers',
    ],
    ["online:__proto__=3", 'mechanism online: no option "__proto__"; it has'],
    ["online:reading=poetry", 'mechanism online: reading: must be "prose" or "pseudocode", got "poetry"'],
    [
      "online:firstRoundRatio=1.1",
      'mechanism online: firstRoundRatio: must be a number from 0 to 1, got "1.1"',
    ],
    ["online:firstRoundRatio=", 'mechanism online: firstRoundRatio: must be a number from 0 to 1, got ""'],
    ["online:minWorkers=1.5", 'mechanism online: minWorkers: must be an integer ≥ 0, got "1.5"'],
    ["fixed-threshold:density=-1", 'mechanism fixed-threshold: density: must be a number ≥ 0, got "-1"'],
    [
      "fixed-threshold:density=1e999",
      'mechanism fixed-threshold: density: must be a number ≥ 0, got "1e999"',
    ],
    ["fixed-threshold:density=0x1", 'mechanism fixed-threshold: density: must be a number ≥ 0, got "0x1"'],
    ["vanilla:seed=1,seed=2", 'mechanism vanilla: option "seed" is given twice'],
  ])("says what is wrong with %j", (text, message) => {
    expect(() => mechanismNamed(text)).toThrow(InputError);
    expect(() => mechanismNamed(text)).toThrow(message);
  });
});
