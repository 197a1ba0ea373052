import { expect, it } from "vitest";
import { writtenNumber } from "../../src/lib/decimal.js";

it.each([
  ["5", 5],
  [" -0.25 ", -0.25],
  [".5", 0.5],
  ["5.", 5],
  ["1e-3", 0.001],
])("reads %j", (text, number) => {
  expect(writtenNumber(text)).toBe(number);
});

it.each(["", "0x10", "Infinity", "1_000", "1,5", "NaN", "1 2"])("takes no number from %j", (text) => {
  expect(writtenNumber(text)).toBe(text);
});
