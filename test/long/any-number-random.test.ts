/** Proofs for any number of workers, held to 2,000 random programs. */

import { expect, it } from "vitest";
import { tryPrograms } from "../random-programs/any-suite.js";

it.each([1, 2, 3, 4])(
  "no random program that is accepted breaks in a small market: part %i",
  async (seed) => {
    const accepted = await tryPrograms({ programs: 500, seed, shapes: ["2x2", "2x3", "3x2"], markets: 200 });
    expect(accepted).toBeGreaterThan(20);
  },
  7_200_000,
);
