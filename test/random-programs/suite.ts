/** The properties of random programs, for as many of them as somebody has time for. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { programs, shortPrograms } from "./arbitrary.js";
import { markets, shapeCases } from "./cases.js";
import { checkContract, checkProofs, checkResponses, checkRuns } from "./checks.js";

/** Of fewer, none may be of some kind. */
const ENOUGH = 500;

export interface Counts {
  readonly runs: number;
  readonly contracts: number;
  readonly responses: number;
  readonly proofs: number;
}

export function randomPrograms(counts: Counts): void {
  it("[M13] fractions do what the rules say, and numbers the same but at knife edges", () => {
    fc.assert(
      fc.property(programs, markets, (data, market) => checkRuns(data, market)),
      { numRuns: counts.runs },
    );
  });

  it("every program keeps the contract of mechanisms", () => {
    fc.assert(
      fc.property(programs, fc.nat(), (data, seed) => checkContract(data, seed)),
      { numRuns: counts.contracts },
    );
  });

  it("exact answers are those of a brute force, and the bids they name bring what they say", () => {
    const gains: number[] = [];
    fc.assert(
      fc.property(programs, markets, (data, market) => {
        gains.push(...checkResponses(data, market));
      }),
      { numRuns: counts.responses },
    );
    if (counts.responses < ENOUGH) return;
    const share = (holds: (gain: number) => boolean) => gains.filter(holds).length / gains.length;
    // The answers are of every kind.
    expect(share((gain) => gain === 0)).toBeGreaterThan(0.05);
    expect(share((gain) => gain > 0 && gain < Number.POSITIVE_INFINITY)).toBeGreaterThan(0.05);
    expect(share((gain) => gain === Number.POSITIVE_INFINITY)).toBeGreaterThan(0.01);
  });

  it("what is proved is broken by nothing, what breaks has a witness that replays, and certificates verify", async () => {
    let made = 0;
    const verdicts = { proved: 0, breaks: 0 };
    await fc.assert(
      fc.asyncProperty(shortPrograms, shapeCases, fc.nat({ max: 99 }), async (data, asked, hunted) => {
        const claims = await checkProofs(data, asked, hunted);
        if (claims === null) return;
        made++;
        for (const { verdict, cells } of claims) if (cells > 0) verdicts[verdict]++;
      }),
      { numRuns: counts.proofs },
    );
    if (counts.proofs < ENOUGH) return;
    expect(made).toBeGreaterThan(counts.proofs / 2);
    expect(Math.min(verdicts.proved, verdicts.breaks)).toBeGreaterThan(counts.proofs / 2);
  });
}
