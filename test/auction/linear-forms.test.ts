/** Amounts over several unknowns: at any point they are what fractions give, however long their numbers get. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Amount, NotLinear } from "../../src/auction/amounts.js";
import { LinearForms, linear } from "../../src/auction/linear-forms.js";
import { exactly, type Fraction, fraction, zero } from "../../src/lib/fraction.js";
import { dot, type Vector } from "../../src/lib/integer-vector.js";

/** Unit, budget and one more; the unit is 1, so that numbers are what they say. */
const point = [1, 3, 5];

const atPoint = (form: Vector): boolean => !(dot(form, point) > 0);
const math = new LinearForms(point.length, { decide: atPoint, peek: atPoint });

const valueAt = (a: Amount): Fraction => {
  const { top, below } = linear(a);
  return fraction(BigInt(dot(top, point)), BigInt(below));
};

/** Steps of a calculation: what is done to the amount so far, with which number or unknown. */
const step = fc.record({
  verb: fc.constantFrom("plus", "minus", "times", "over", "add unknown"),
  by: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.double({ min: 0.001, max: 1000, noNaN: true })),
  place: fc.nat({ max: 2 }),
});

describe("linear forms", () => {
  it("come out as fractions do, also where no number holds them", () => {
    let long = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        let [form, wanted] = [math.known(0), zero];
        for (const { verb, by, place } of steps) {
          const known = exactly(by);
          if (verb === "add unknown") {
            form = math.plus(math.times(math.known(by), math.unknown(place)), form);
            wanted = known.mul(point[place]!).add(wanted);
          } else {
            form = math[verb](form, math.known(by));
            wanted = {
              plus: wanted.add(known),
              minus: wanted.sub(known),
              times: wanted.mul(known),
              over: wanted.div(known),
            }[verb];
          }
          if (typeof linear(form).below === "bigint") long++;
          expect(valueAt(form).equals(wanted)).toBe(true);
          expect(math.atMost(form, math.known(by))).toBe(wanted.lte(known));
        }
      }),
    );
    expect(long).toBeGreaterThan(20);
  });

  it("know what is a number, and sort even keys by id ([M2])", () => {
    const unknown = math.unknown(2);
    expect(math.isKnown(unknown)).toBe(false);
    expect(math.isKnown(math.minus(unknown, unknown))).toBe(true);
    const items = [2, 1, 0].map((id) => ({ id, key: id === 1 ? math.known(4) : math.known(5) }));
    const even = [{ id: 3, key: unknown }, ...items];
    expect(math.sorted(even, ({ key }) => key).map(({ id }) => id)).toEqual([1, 0, 2, 3]);
  });

  it("refuse products and quotients of unknowns", () => {
    const unknown = math.unknown(2);
    expect(() => math.times(unknown, unknown)).toThrow(NotLinear);
    expect(() => math.over(math.known(1), unknown)).toThrow(NotLinear);
    expect(() => math.over(unknown, math.known(0))).toThrow("division by zero");
    expect(valueAt(math.over(unknown, math.known(-2))).equals(-2.5)).toBe(true);
  });
});
