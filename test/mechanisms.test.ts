import { describe, expect, it } from "vitest";
import { mechanismContract } from "../src/contracts.js";
import type { AnyMechanism } from "../src/mechanism.js";
import { mechanisms } from "../src/mechanisms/index.js";

const registry: [string, AnyMechanism][] = Object.entries(mechanisms);

describe.each(registry)("%s", (name, mechanism) => {
  it("is registered under its own name, with a sentence about it", () => {
    expect(mechanism.name).toBe(name);
    expect(mechanism.about).toMatch(/^[A-Z].*\.$/);
  });

  it.each(mechanismContract(mechanism).map((check) => [check.title, check] as const))("%s", (_, check) =>
    check.run(),
  );
});
