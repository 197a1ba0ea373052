import { expect, it } from "vitest";
import { plainFields } from "../../src/lib/plain-fields.js";

it("of a plain object are its own, as they are", () => {
  const decide = () => 1;
  const fields = plainFields({ name: "mine", decide });
  expect(fields).toEqual({ name: "mine", decide });
  expect(fields.decide).toBe(decide);
});

it("of an object of a class are also those it inherits; methods reach what is private to it", () => {
  class Base {
    pays() {
      return "base";
    }
    rounds() {
      return 2;
    }
  }
  class Mine extends Base {
    readonly #pay = 3;
    get name() {
      return "mine";
    }
    override pays() {
      return `${this.#pay}`;
    }
  }
  const { name, pays, rounds, ...others } = plainFields(new Mine());
  expect([name, pays(), rounds(), others]).toEqual(["mine", "3", 2, {}]);
});

it("are read once", () => {
  let read = 0;
  const fields = plainFields({
    get name() {
      return ++read;
    },
  });
  expect([fields.name, fields.name, read]).toEqual([1, 1, 1]);
});
