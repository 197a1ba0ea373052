import { describe, expect, it } from "vitest";
import { type ManyTasksSettings, manyTasks } from "../../analyses/many-tasks.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { contextFor, expectWellFormed, resultWith, rowsOf } from "./context.js";

const settings: ManyTasksSettings = { seeds: 6, tasks: 8, newcomers: [0, 0.5], joins: 3, share: 0.3 };
const result = await resultWith(manyTasks, contextFor("lies"), settings);
const lies = rowsOf(result, "lies");
const newcomers = rowsOf(result, "newcomers");

describe("many-tasks", () => {
  it("is well formed: two charts, at most four findings, each of which stands alone", () => {
    expectWellFormed(result);
    expect(result.charts).toHaveLength(2);
    expect(result.findings.length).toBeLessThanOrEqual(4);
  });

  it("shows the truth as it is: no gain over itself, no change of the model, no new names", () => {
    const truths = lies.filter(({ agent }) => agent === "truthful");
    expect(truths).toHaveLength(2);
    for (const { gain, low, high, loss, newNames } of truths)
      expect([gain, low, high, loss, newNames]).toEqual([0, 0, 0, 0, 0]);
  });

  it("finds the same worker sooner where it does not train, and pays it less under one name than under new ones", () => {
    const one = (agent: string) => lies.find((row) => row.agent === agent && row.company === "one")!;
    const number = (agent: string, column: string) => one(agent)[column] as number;
    expect(number("shirker", "reputation")).toBeLessThan(number("truthful", "reputation"));
    expect(number("shirker", "gain")).toBeLessThan(number("whitewasher:effort=0", "gain"));
    expect(number("shirker", "newNames")).toBe(0);
    expect(number("whitewasher:effort=0", "newNames")).toBeGreaterThan(1);
    for (const { agent, payment, truth, gain } of lies)
      if (/shirker|effort=0/.test(agent as string))
        expect(payment as number).toBeCloseTo((truth as number) + (gain as number), 4);
  });

  it("[M1] finds new names worth nothing where newcomers start at 0, and honest newcomers shut out there", () => {
    const none = newcomers.filter(({ newcomer }) => newcomer === 0);
    expect(none).toHaveLength(4);
    for (const { whose, gain, selected } of none) {
      if (/under new names/.test(whose as string)) expect(gain).toBe(0);
      else expect(gain as number).toBeLessThan(0);
      if (whose === "honest, but new") expect(selected).toBe(0);
    }
    const pays = newcomers.filter(({ newcomer, whose }) => newcomer === 0.5 && /under/.test(whose as string));
    for (const { gain } of pays) expect(gain as number).toBeGreaterThan(0);
  });

  it("is the same for the same seed, and has nothing to say of new names where reputation does not matter", async () => {
    const { tables } = await resultWith(manyTasks, contextFor("lies"), settings);
    expect(tables).toEqual(result.tables);
    const blind = await resultWith(manyTasks, contextFor("blind", mechanisms["bid-greedy"]), {
      ...settings,
      seeds: 2,
    });
    for (const row of rowsOf(blind, "newcomers"))
      if (/under new names/.test(row.whose as string) && row.newcomer !== 0) expect(row.gain).toBe(0);
  });
});
