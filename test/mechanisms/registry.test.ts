import { describe, expect, it } from "vitest";
import { mechanisms } from "../../src/mechanisms/index.js";
import type { AnyMechanism } from "../../src/mechanisms/mechanism.js";
import { mechanismContract } from "../../src/verdicts/contracts.js";

const registry: [string, AnyMechanism][] = Object.entries(mechanisms);

describe.each(registry)("%s", (name, mechanism) => {
  it("is registered under its name and its file's, with a sentence about it", async () => {
    expect(mechanism.name).toBe(name);
    const exported = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(await import(`../../src/mechanisms/${name}.ts`)).toHaveProperty(exported, mechanism);
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
