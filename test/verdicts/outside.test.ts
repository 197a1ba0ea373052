import { expect, it } from "vitest";
import { online } from "../../src/mechanisms/online/online.js";
import { rrafl } from "../../src/mechanisms/rrafl.js";
import { isOutside } from "../../src/verdicts/outside.js";

it("the paper claims truthfulness of a sufficient budget only, and sovereignty while the budget suffices", () => {
  for (const property of ["P5", "P6", "joint", "pair"] as const) {
    expect(isOutside(online, property, "sufficient")).toBe(false);
    for (const regime of ["tight", "late start", "late and tight"] as const)
      expect(isOutside(online, property, regime)).toBe(true);
  }
  expect(isOutside(online, "P4", "late start")).toBe(false);
  expect(isOutside(online, "P4", "tight")).toBe(true);
  for (const property of ["P1", "P2"] as const)
    expect(isOutside(online, property, "late and tight")).toBe(false);
});

it("where a source claims a property of every run, or claims nothing, nothing is outside", () => {
  expect(isOutside(rrafl, "P5", "tight")).toBe(false);
  expect(isOutside({ ...online, claims: [] }, "P5", "tight")).toBe(false);
});
