/** What holds of every program of the registry, in this process: one clear line, or a correct answer. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NotLinear } from "../../src/auction/amounts.js";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { resolveMechanism } from "../../src/cli/resolve.js";
import { checkUserCode } from "../../src/cli/user-code.js";
import { InputError } from "../../src/lib/errors.js";
import { prove } from "../../src/proofs/prove.js";
import { validateShape } from "../../src/proofs/shape.js";
import { bestResponses } from "../../src/responses/index.js";
import { temporaryFolder } from "../cli/candor.js";
import { market, pair } from "./markets.js";
import { bruteForce } from "./oracle.js";
import type { Misuse } from "./programs.js";

const load = (source: string): Promise<AnyMechanism> => {
  const file = join(temporaryFolder(), "mine.ts");
  writeFileSync(file, source);
  return resolveMechanism(file);
};

/** The line that a program gets in the end, wherever it comes. */
async function lineOf(source: string, ask: (mechanism: AnyMechanism) => unknown): Promise<string> {
  try {
    ask(await load(source));
    await checkUserCode();
    return "";
  } catch (error) {
    await checkUserCode().catch(() => {});
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).message;
  }
}

const asked: Readonly<Record<string, (mechanism: AnyMechanism) => unknown>> = {
  "a run": (mechanism) => runAuction(mechanism, market),
  "best responses": (mechanism) => bestResponses(market, { mechanism, inFractions: true }),
};

const proof = (mechanism: AnyMechanism) =>
  prove(validateShape({ reputations: [1, 1], rounds: 2 }, mechanism), ["joint"]);

/** "proved" where every claim on prices and arrivals is. */
async function provedOrNot(mechanism: AnyMechanism): Promise<string> {
  try {
    const claims = proof(mechanism);
    return claims.every(({ verdict }) => verdict === "proved") ? "proved" : "not";
  } catch (error) {
    if (error instanceof NotLinear) return "refused";
    expect(error).toBeInstanceOf(InputError);
    return "refused";
  }
}

/** The tests of some programs; those that meddle with their process are left to processes of their own. */
export function misuseContract(programs: readonly Misuse[]): void {
  const inProcess = programs.filter(({ apart }) => apart !== true);

  const refused = inProcess.filter((one): one is Misuse & { refused: RegExp } => one.refused !== null);

  describe.each(refused)("$name", ({ source, refused: line }) => {
    it.each(Object.entries(asked))("gets one clear line in %s", async (_, ask) => {
      expect(await lineOf(source, ask)).toMatch(line);
    });

    it.runIf(source.includes("program("))("is not proved", async () => {
      expect(await lineOf(source, proof)).toMatch(line);
    });
  });

  const answered = inProcess.filter((one) => one.refused === null && !one.source.includes("stochastic"));

  describe.each(answered)("$name", ({ source }) => {
    it("has the answers of brute force", async () => {
      const mechanism = await load(source);
      const { exact, workers } = bestResponses(market, { mechanism, inFractions: true });
      for (const { worker, truthful, gain, of } of bruteForce(source, market)) {
        const said = workers.find(({ id }) => id === worker)!;
        expect(said.truthful).toBeCloseTo(truthful, 9);
        if (said.best !== null) expect(of(said.best)).toBeCloseTo(said.best.utility, 6);
        if (exact) expect(said.gain).toBeGreaterThanOrEqual(gain - 1e-9);
      }
    });

    it("is proved truthful only where no lie gains", async () => {
      const mechanism = await load(source);
      if (mechanism.program === undefined) return;
      const found = await provedOrNot(mechanism);
      if (found !== "proved") return;
      for (const { gain } of bruteForce(source, pair)) expect(gain).toBeLessThanOrEqual(1e-9);
    });
  });
}
