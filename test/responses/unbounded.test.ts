/** Gains without bound: every answer says so, with a finite lie that gains already. */

import { describe, expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { allotmentOf, workerUtility } from "../../src/auction/outcome.js";
import { jsonText } from "../../src/lib/json.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { validatedMechanism } from "../../src/mechanisms/validate.js";
import { coalitionResponses, falseNameResponses } from "../../src/responses/coalition.js";
import { bestResponses, pieces } from "../../src/responses/index.js";
import { interimResponses } from "../../src/responses/interim.js";
import { certifiedVerdict } from "../../src/verdicts/certify.js";
import { trialText, tryClaim } from "../../src/verdicts/claims.js";
import { violations } from "../../src/verdicts/counterexamples/violations.js";
import { judgeClaim } from "../../src/verdicts/gate.js";
import { audit } from "../../src/verdicts/myerson.js";
import { check } from "../../src/verdicts/properties.js";
import { dearest, vickrey } from "../unbounded.js";

const mechanism = validatedMechanism(vickrey);
const worker = { id: 0, reputation: 1, cost: 0.3, arrival: 1 };
const alone: Market = { rules: { ...paperRules, budget: 1, rounds: 1 }, workers: [worker] };
const two: Market = { ...alone, workers: [worker, { id: 1, reputation: 1, cost: 0.5, arrival: 1 }] };
const UNBOUNDED = Number.POSITIVE_INFINITY;

describe("a lone winner that is paid its own bid gains without bound", () => {
  it.each([true, false])("with a lie that gains more than the budget (in fractions: %s)", (inFractions) => {
    const [response] = bestResponses(alone, { mechanism, inFractions }).workers;
    expect(response).toMatchObject({ truthful: 0, gain: UNBOUNDED, priceGain: UNBOUNDED, timeGain: 0 });
    const { price, arrival, utility, attained } = response!.best;
    expect(attained).toBe(false);
    expect(utility).toBeGreaterThan(alone.rules.budget);
    const outcome = runAuction(mechanism, alone, [{ worker: 0, price, arrival }]);
    expect(workerUtility(worker, allotmentOf(outcome, 0))).toBeCloseTo(utility, 9);
    expect(response!.bestPrice).toEqual(response!.best);
  });

  it("in JSON", () => {
    expect(JSON.parse(jsonText(bestResponses(alone, { mechanism }))).workers[0]).toMatchObject({
      gain: "unbounded",
      priceGain: "unbounded",
      timeGain: 0,
      best: { attained: false },
    });
  });

  it("on its last piece, which has a slope", () => {
    expect(pieces(alone, 0, mechanism)!.at(-1)).toMatchObject({
      to: UNBOUNDED,
      utilityTo: UNBOUNDED,
      slope: 1,
    });
  });

  it("as a verdict, whose witness is certified", () => {
    const verdicts = check(alone, {
      mechanism,
      responses: bestResponses(alone, { mechanism, inFractions: true }),
    });
    for (const property of ["P5", "joint"] as const) {
      const verdict = verdicts.find((one) => one.property === property)!;
      expect(verdict.verdict).toBe("breaks");
      const [witness] = certifiedVerdict(alone, verdict, mechanism).witnesses;
      expect(witness).toMatchObject({ unbounded: true, certified: true });
      expect(Number.isFinite(witness!.amount)).toBe(true);
    }
    expect(verdicts.find(({ property }) => property === "P6")!.verdict).toBe("holds");
  });

  it("as a violation with a finite lie, and no payment makes its price truthful", () => {
    const target = { property: "joint", regime: "sufficient", start: "any", mechanism } as const;
    const [found] = violations(alone, target);
    expect(found).toMatchObject({ worker: 0, unbounded: true });
    expect(found!.amount).toBeGreaterThan(1);
    expect(audit(alone, 0, mechanism)).toMatchObject({ paidAsMyerson: false, roundsAtAnyPrice: 1 });
  });

  it("as a claim that breaks, and before the gate", () => {
    const claim = { property: "P5", markets: 40, workers: 2, rounds: 2 } as const;
    const trial = tryClaim(mechanism, claim);
    expect(trial).toMatchObject({ verdict: "breaks", worst: UNBOUNDED });
    expect(trial.smallest).toMatchObject({ unbounded: true, certified: true });
    expect(trialText(claim, trial)).toContain("the largest gain is unbounded");
    const named = { mechanism, written: "./v.ts", named: "./v.ts" };
    expect(judgeClaim(named, { ...claim, expect: "holds" })).toMatchObject({ status: "broken", worst: null });
  });
});

describe("joint lies without bound", () => {
  it.each([undefined, "fractions"] as const)("of a pair, of which neither gains alone (%s)", (arithmetic) => {
    const { pairs } = coalitionResponses(two, { mechanism, arithmetic });
    expect(pairs[0]).toMatchObject({ gain: UNBOUNDED, alone: [0, 0], attained: false });
    expect(pairs[0]!.utility).toBeGreaterThan(pairs[0]!.truthful + 1);
    for (const { price } of pairs[0]!.best) expect(Number.isFinite(price)).toBe(true);
  });

  it("take no new names where one's own is enough", () => {
    const { workers } = falseNameResponses(alone, { mechanism, names: 1 });
    expect(workers[0]).toMatchObject({ gain: UNBOUNDED, alone: UNBOUNDED, best: { names: [] } });
  });
});

it("an expected gain without bound has a finite lie that gains on the draws that judge", () => {
  const belief = { about: "one other worker", draw: () => two.workers };
  const found = interimResponses(alone, { mechanism: validatedMechanism(dearest), belief, draws: 20 });
  const [response] = found.workers;
  expect(response!.chosenGain).toBe(UNBOUNDED);
  expect(response!.gain).toBeGreaterThan(1);
  expect(Number.isFinite(response!.best.price)).toBe(true);
});
