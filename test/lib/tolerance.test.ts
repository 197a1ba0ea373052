import { describe, expect, it } from "vitest";
import {
  atMost,
  difference,
  EQUAL,
  exceeds,
  knifeEdge,
  near,
  negligible,
  rounding,
  same,
} from "../../src/lib/tolerance.js";

/** A number, and how it compares with 3: by how much it is larger, relatively. */
const beside = (more: number): number => 3 * (1 + more);

describe("[M13] comparisons in floating point", () => {
  it("sides closer than 1e-12 count as equal", () => {
    for (const near of [0, 0.5e-12, -0.5e-12]) {
      expect(atMost(beside(near), 3)).toBe(true);
      expect(exceeds(beside(near), 3)).toBe(false);
      expect(same(beside(near), 3)).toBe(true);
    }
  });

  it("sides further apart do not", () => {
    expect([atMost(beside(2e-12), 3), exceeds(beside(2e-12), 3), same(beside(2e-12), 3)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([atMost(beside(-2e-12), 3), exceeds(beside(-2e-12), 3), same(beside(-2e-12), 3)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("what reads as equal in decimals is: 0.1 + 0.2 and 0.3", () => {
    expect([atMost(0.1 + 0.2, 0.3), exceeds(0.1 + 0.2, 0.3), same(0.1 + 0.2, 0.3)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("amounts below 0, which a program may compute, compare as their opposites do the other way round", () => {
    const sides = [beside(0), beside(0.5e-12), beside(2e-12), beside(0.5e-9), beside(2e-9), 0, 5];
    for (const a of sides)
      for (const b of sides) {
        expect(atMost(-a, -b)).toBe(atMost(b, a));
        expect(exceeds(-a, -b)).toBe(exceeds(b, a));
        expect(same(-a, -b)).toBe(same(a, b));
        expect(knifeEdge(-a, -b)).toBe(knifeEdge(a, b));
      }
  });

  it("sides that are apart by just as much as counts as equal are equal, on either side of 0", () => {
    expect([atMost(4 * EQUAL, 4), atMost(-4, -4 * EQUAL)]).toEqual([true, true]);
    expect([exceeds(4 * EQUAL, 4), exceeds(-4, -4 * EQUAL)]).toEqual([false, false]);
  });

  it("an amount below 0 is less than one above, and neither ties with the other", () => {
    expect([atMost(-3, 3), exceeds(-3, 3), same(-3, 3), knifeEdge(-3, 3)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect([atMost(3, -3), exceeds(3, -3), same(3, -3), knifeEdge(3, -3)]).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect([atMost(-1e-300, 0), atMost(0, -1e-300), exceeds(0, -1e-300)]).toEqual([true, false, true]);
  });

  it("nothing equals 0 but 0", () => {
    expect([same(0, 0), atMost(0, 0), exceeds(0, 0), knifeEdge(0, 0)]).toEqual([true, true, false, true]);
    expect([same(0, 1e-300), same(1e-300, 0), exceeds(1e-300, 0), knifeEdge(0, 1e-300)]).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  it("a decision that hangs by less than 1e-9 is a knife edge, whichever side is larger", () => {
    for (const near of [0, 0.5e-9, -0.5e-9]) expect(knifeEdge(beside(near), 3)).toBe(true);
    for (const far of [2e-9, -2e-9, 1, -0.5]) expect(knifeEdge(beside(far), 3)).toBe(false);
  });
});

describe("differences in floating point", () => {
  it("are small beside the larger of the two amounts, whatever their signs", () => {
    for (const scale of [1, -1, 1e6, 1e-6]) {
      expect(near(scale, scale * (1 + 0.5e-9))).toBe(true);
      expect(near(scale * (1 + 2e-9), scale)).toBe(false);
      expect(near(scale, -scale)).toBe(false);
    }
    expect([near(0, 0), near(0, 1e-300), near(1, 2)]).toEqual([true, false, false]);
    // 1e9 apart from 0 is as much as the larger of the two: only beside something larger it is nothing.
    expect(near(0, 1e9)).toBe(false);
  });

  it("are rounding below 1e-12 of the amounts that they come from, and negligible below 1e-9", () => {
    for (const scale of [1, 8, 0.25]) {
      expect(rounding(scale) / scale).toBeCloseTo(1e-12, 20);
      expect(negligible(scale) / scale).toBeCloseTo(1e-9, 20);
    }
  });

  it("are 0 where they are negligible beside the scale, and as they are elsewhere", () => {
    expect(difference(5 + 1e-9, 5, 10)).toBe(0);
    expect(difference(5, 5 + 1e-9, 10)).toBe(0);
    expect(difference(negligible(8), 0, 8)).toBe(0);
    expect(difference(7, 5, 10)).toBe(2);
    expect(difference(5, 7, 10)).toBe(-2);
    expect(difference(5, -5, 10)).toBe(10);
    expect(difference(-5, -5, 10)).toBe(0);
  });
});
