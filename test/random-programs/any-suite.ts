/** Of random programs none that is accepted for any number of workers breaks in a small market. */

import * as fc from "fast-check";
import { expect } from "vitest";
import { InputError } from "../../src/lib/errors.js";
import { exactly } from "../../src/lib/fraction.js";
import { paperRules } from "../../src/market/market.js";
import { proveForAny } from "../../src/proofs/any/settle.js";
import { type ProvedClaim, prove } from "../../src/proofs/prove.js";
import { hunt } from "../../src/verdicts/counterexamples/search.js";
import { roundsMechanism, roundsPrograms } from "./rounds.js";

const { firstRoundRatio, ...rules } = paperRules;
const ratio = exactly(firstRoundRatio);
const fixed = { ...rules, firstRoundRatio: ratio } as const;

interface Tried {
  readonly programs: number;
  readonly seed: number;
  readonly shapes: readonly string[];
  /** Random markets of each that is accepted. */
  readonly markets: number;
}

/** How many were accepted, in part at least. */
export async function tryPrograms({ programs, seed, shapes, markets }: Tried): Promise<number> {
  let accepted = 0;
  for (const data of fc.sample(roundsPrograms, { seed, numRuns: programs })) {
    const mechanism = roundsMechanism(data);
    const claims = proveForAny(mechanism.program!, fixed).claims.filter(({ why }) => why === null);
    if (claims.length === 0) continue;
    accepted++;
    const told = JSON.stringify(data);
    const speaks = ({ property, regime, start, verdict }: ProvedClaim) =>
      verdict === "breaks" &&
      start !== "moved" &&
      claims.some((one) => one.property === property && one.regime === regime && one.start === start);
    for (const size of shapes) {
      const [workers = 1, rounds = 1] = size.split("x").map(Number);
      const reputations = Array.from({ length: workers }, (_, k) => exactly(k === 1 ? 0.5 : 1));
      const shape = { mechanism, rounds, ...rules, firstRoundRatio: ratio, reputations };
      expect([told, size, proved(shape).filter(speaks)]).toEqual([told, size, []]);
    }
    for (const regime of ["sufficient", "tight"] as const) {
      if (!claims.some((one) => one.property === "joint" && one.regime === regime && one.start === "kept"))
        continue;
      const target = { property: "joint", regime, start: "any", mechanism } as const;
      const found = await huntIn({ target, seed: String(seed), markets, readings: ["prose"] });
      expect([told, found]).toEqual([told, null]);
    }
  }
  return accepted;
}

/** Nothing of a program that buys rounds which are not there. */
function proved(shape: Parameters<typeof prove>[0]): ProvedClaim[] {
  try {
    return prove(shape);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

/** What is found; nothing in markets where a program buys rounds which are not there. */
async function huntIn(options: Parameters<typeof hunt>[0]) {
  try {
    return (await hunt(options)).found;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
