/** What is known of the textbook's claims is found here: those that are true are proved, those that are false break. */

import { describe, expect, it } from "vitest";
import type { AnyMechanism } from "../../../src/auction/mechanism.js";
import { paperRules } from "../../../src/market/market.js";
import { mechanismNamed } from "../../../src/mechanisms/index.js";
import { published } from "../../../src/mechanisms/published/index.js";
import { type ProvedClaim, prove } from "../../../src/proofs/prove.js";
import { validateShape } from "../../../src/proofs/shape.js";
import { explain, gainText } from "../../../src/verdicts/explain.js";

const shape = { rounds: 2, reputations: [1, 2, 1] };

const proved = (mechanism: AnyMechanism, property: "P1" | "P2" | "P5"): ProvedClaim[] =>
  prove(validateShape(shape, mechanism), [property]).filter(({ cells }) => cells > 0);

const verdicts = (mechanism: AnyMechanism, property: "P1" | "P2" | "P5") => [
  ...new Set(proved(mechanism, property).map(({ verdict }) => verdict)),
];

describe.each(Object.values<AnyMechanism>(published))("$name", (mechanism) => {
  it("names what its claims say, and where", () => {
    for (const { where, quote } of mechanism.claims!) {
      expect(where).toMatch(/^[A-Z].*\.$/);
      if (quote !== undefined) expect(quote.trim().length).toBeGreaterThan(9);
    }
    expect(mechanism.adapted).toMatch(/^[A-Z].*\.$/);
    expect(mechanism.uses).toBeDefined();
  });

  it("never pays a truthful worker less than it costs, for all costs and budgets", () => {
    expect(verdicts(mechanism, "P1")).toEqual(["proved"]);
  });

  it("keeps the budget for all costs and budgets, just if it looks at it", () => {
    expect(verdicts(mechanism, "P2")).toEqual([mechanism.uses!.budget ? "proved" : "breaks"]);
  });
});

it.each([
  "vickrey",
  "uniform-price",
  "vcg",
  "vcg:units=4",
  "posted-price",
  "clock-auction",
  "singer",
  "chen-gravin-lu:factor=1",
  "fmore-second-score",
])("no price gains under %s, for all costs and budgets", (name) => {
  expect(verdicts(mechanismNamed(name), "P5")).toEqual(["proved"]);
});

it.each([
  // Paid its own price: it may ask for any more up to the next one.
  ["first-price", "unbounded"],
  ["fmore-first-score", "unbounded"],
  // All three hired at the dearest one's price: it may ask up to a third of the budget.
  ["flim", "1/3"],
])("a price gains under %s, by as much as %s of the budget", (name, worst) => {
  const claims = proved(mechanismNamed(name), "P5");
  expect(claims.map(({ verdict }) => verdict)).toEqual(["breaks"]);
  expect(claims[0]!.worst).toBe(worst);
});

it.each([
  ["first-price", [1, 2], 0],
  ["fmore-first-score", [1, 2, 3], 0],
  ["flim", [1, 2], 1],
])("%s is broken for the textbook's reason: its own price sets a winner's pay", (name, costs, id) => {
  const workers = costs.map((cost, place) => ({ id: place, reputation: 1, cost, arrival: 1 }));
  const market = { rules: { ...paperRules, budget: 12, rounds: 2 }, workers };
  const explained = explain(
    market,
    { worker: id, price: costs[id]! + 0.5, arrival: 1 },
    { mechanism: mechanismNamed(name) },
  );
  expect(explained.ownPrice).toBeCloseTo(2, 9);
  expect(gainText(explained)).toContain(
    "Its own price sets its pay: each unit more that it asks pays it 2 more",
  );
});

it("where it does not, nothing of the kind is said", () => {
  const workers = [1, 2].map((cost, id) => ({ id, reputation: 1, cost, arrival: 1 }));
  const market = { rules: { ...paperRules, budget: 12, rounds: 2 }, workers };
  const lie = { worker: 0, price: 1.5, arrival: 1 };
  expect(explain(market, lie, { mechanism: mechanismNamed("vickrey") }).ownPrice).toBeNull();
});
