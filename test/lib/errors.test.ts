import { expect, it } from "vitest";
import { didYouMean, nearest } from "../../src/lib/errors.js";

const names = ["online", "fixed-threshold", "rrafl", "vanilla"];

it.each([
  ["onlien", "online"],
  ["Online", "online"],
  ["fixed_treshold", "fixed-threshold"],
  ["vanila", "vanilla"],
])("%s was meant to be %s", (typed, meant) => {
  expect(nearest(typed, names)).toBe(meant);
});

it.each(["", "x", "offline-first", "q".repeat(1e6)])(
  "what is far from every name is not guessed",
  (typed) => {
    expect(didYouMean(typed, names)).toBe("");
  },
);

it("a name of one letter is not offered for another letter", () => {
  expect(nearest("a", ["u", "re"])).toBe(undefined);
});
