/** A small part of what test/long holds proofs for any number of workers to. */

import { expect, it } from "vitest";
import { tryPrograms } from "../random-programs/any-suite.js";

it("no random program that is accepted for any number of workers breaks in a small market", async () => {
  const accepted = await tryPrograms({ programs: 80, seed: 11, shapes: ["2x2"], markets: 20 });
  expect(accepted).toBeGreaterThan(5);
}, 120_000);
