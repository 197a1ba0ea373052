/** Proofs over all costs: cells that cover everything, worst cases that nothing exceeds, claims that are settled. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import { exactOutcome } from "../../src/auction/exact.js";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { regimesIn } from "../../src/auction/outcome.js";
import { contains } from "../../src/lib/cone.js";
import { exactly, type Fraction, fraction, parseFraction } from "../../src/lib/fraction.js";
import { dot } from "../../src/lib/integer-vector.js";
import { stream } from "../../src/lib/random.js";
import { paperRules } from "../../src/market/market.js";
import { mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import { inNumbers, replayable } from "../../src/proofs/find-witness.js";
import { type ProvedClaim, piecesOf, prove } from "../../src/proofs/prove.js";
import { isProvable, plainShape, type Shape, validateShape } from "../../src/proofs/shape.js";
import { breaksBy } from "../../src/proofs/witness.js";
import { cellsOf } from "../../src/proofs/worst.js";
import { bestResponses } from "../../src/responses/index.js";
import { isLong } from "../long.js";

interface Asked extends Partial<Omit<Shape, "mechanism" | "reputations">> {
  readonly workers?: number;
  readonly reputations?: readonly string[];
}

function shapeOf(mechanism: string, { workers = 2, reputations, ...more }: Asked = {}): Shape {
  const { firstRoundRatio, ...rules } = paperRules;
  return {
    rounds: 2,
    ...rules,
    firstRoundRatio: exactly(firstRoundRatio),
    ...more,
    mechanism: mechanismNamed(mechanism),
    reputations: reputations?.map(parseFraction) ?? Array.from({ length: workers }, () => fraction(1)),
  };
}

const broken = (claims: readonly ProvedClaim[]): string[] =>
  claims
    .filter(({ verdict }) => verdict === "breaks")
    .map(({ property, regime, start }) => [property, regime, start ?? ""].join(" ").trim());

const provable = Object.values<AnyMechanism>(mechanisms).filter(isProvable);

/** Twentieths: so coarse that ties are everywhere. */
const coarse = fc.integer({ min: 0, max: 20 }).map((twentieths) => fraction(twentieths, 40));

describe.each(provable.map(({ name }) => name))("the cells of %s", (name) => {
  const shape = plainShape(shapeOf(name, { reputations: ["1", "1/2"] }));
  const pieces = piecesOf(shape).map((piece) => ({ piece, cells: [...cellsOf(shape, piece)] }));

  it("hold every vector of costs and price once, and gain there what the run gains", () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(coarse, { minLength: 3, maxLength: 3 }), (pick, amounts) => {
        const { piece, cells } = pieces[pick % pieces.length]!;
        const { arrivals, lie } = piece;
        const [c0, c1, price] = amounts as [Fraction, Fraction, Fraction];
        const values = [1, 1, c0.mul(40), c1.mul(40), ...(lie?.price ? [price.mul(40)] : [])];
        const point = values.map((value, k) => (k < 2 ? 40 : Number(value)));
        const holding = cells.filter(({ cone }) => contains(cone, point));
        expect(holding).toHaveLength(1);
        const workers = [c0, c1].map((cost, id) => ({
          id,
          reputation: 1 / (id + 1),
          cost,
          arrival: arrivals?.[id] ?? 1,
        }));
        const run = (lies: boolean) =>
          exactOutcome(
            shape.mechanism,
            { budget: 1, ...paperRules, rounds: 2 },
            workers.map(({ cost, ...worker }) => {
              const told = lies && worker.id === lie!.worker;
              const sincere = { ...worker, price: cost };
              if (!told) return sincere;
              const seen = lie!.price && !("sees" in shape.mechanism) ? price : cost;
              return { ...worker, price: seen, arrival: lie!.arrival ?? 1 };
            }),
          );
        const truth = run(false);
        const utility = ({ workers: got }: typeof truth, worker: number) =>
          got[worker]!.payment.sub(workers[worker]!.cost.mul(got[worker]!.rounds));
        for (const { amount, worker, regime, start, property } of holding[0]!.findings) {
          const value = fraction(BigInt(dot(amount.top, point)), BigInt(amount.below) * 40n);
          if (worker !== null) expect(regimesIn(truth)(worker)).toBe(regime);
          if (property === "P2") {
            const spent = truth.workers.reduce((sum, { payment }) => sum.add(payment), fraction(0));
            expect(value.equals(spent.sub(1))).toBe(true);
          } else if (property === "P1") expect(value.equals(utility(truth, worker!).neg())).toBe(true);
          else {
            const told = run(true);
            expect(start).toBe(told.startDelay === truth.startDelay ? "kept" : "moved");
            expect(value.equals(utility(told, worker!).sub(utility(truth, worker!)))).toBe(true);
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("worst cases", () => {
  it.each([
    ["online", 10_000, { workers: 2, rounds: 3 }],
    ["online:reading=pseudocode", 2_000, { workers: 3, rounds: 2, firstRoundRatio: fraction(9, 10) }],
    ["multi-stage", 2_000, { workers: 3, rounds: 2 }],
  ] as const)("%s: no best response in %d random markets exceeds them", (name, markets, asked) => {
    const shape = shapeOf(name, asked);
    const claims = new Map(
      prove(shape)
        .filter(({ property }) => property === "joint")
        .map(({ regime, start, worst }) => [`${regime}/${start}`, parseFraction(worst).valueOf()]),
    );
    const random = stream("worst cases");
    const { mechanism } = shape;
    const plain = plainShape(shape);
    for (let k = 0; k < markets; k++) {
      const workers = Array.from({ length: asked.workers }, (_, id) => ({
        id,
        reputation: 1,
        cost: Math.round(240 * random.next() ** 2) / 240,
        arrival: 1 + Math.floor(random.next() * asked.rounds),
      }));
      const { rounds, minWorkers, reading } = plain;
      const rules = {
        ...paperRules,
        budget: 1,
        rounds,
        minWorkers,
        reading,
        firstRoundRatio: plain.firstRoundRatio.valueOf(),
      };
      for (const { gain, regime, pivotal } of bestResponses({ rules, workers }, { mechanism }).workers)
        if (gain > 0)
          expect(gain).toBeLessThanOrEqual(claims.get(`${regime}/${pivotal ? "moved" : "kept"}`)! + 1e-9);
    }
  });

  it("of pay-your-bid rules: a worker of cost 0 asks for the whole budget and gets it", () => {
    for (const name of ["vanilla", "bid-greedy"])
      for (const workers of [1, 2, 3]) {
        const lies = prove(shapeOf(name, { workers, rounds: 3 })).filter(
          ({ property, verdict }) => property === "P5" && verdict === "breaks",
        );
        expect(lies.length).toBeGreaterThan(0);
        for (const { worst, attained, witness } of lies) {
          expect([worst, attained]).toEqual(["1", true]);
          expect(witness!.share).toBe("1");
        }
      }
  });

  it("are approached where they are not reached: the witness is inside, and within 1 % of it", () => {
    const limits = prove(shapeOf("online")).filter(({ attained }) => !attained);
    expect(limits.length).toBeGreaterThan(0);
    for (const { worst, witness } of limits) {
      expect(parseFraction(witness!.share).lt(parseFraction(worst))).toBe(true);
      expect(parseFraction(witness!.share).gte(parseFraction(worst).mul(99).div(100))).toBe(true);
    }
  });

  it("replay in floating point", () => {
    const breaks = prove(shapeOf("online", { rounds: 3 })).filter(({ verdict }) => verdict === "breaks");
    expect(broken(breaks)).toEqual([
      "P5 late and tight moved",
      "P6 sufficient moved",
      "joint sufficient moved",
      "joint late and tight moved",
    ]);
    for (const { witness, regime } of breaks) {
      const { gain } = witness!;
      const { market, bid } = inNumbers(witness!)!;
      const utility = (bids: readonly NonNullable<typeof bid>[]) => {
        const { payment, rounds } = runAuction(mechanisms.online, market, bids).workers[bid!.worker]!;
        return payment - rounds * market.workers[bid!.worker]!.cost;
      };
      expect(utility([bid!]) - utility([])).toBeCloseTo(parseFraction(gain).valueOf(), 9);
      expect(regimesIn(runAuction(mechanisms.online, market))(bid!.worker)).toBe(regime);
    }
  });
});

describe("proofs", () => {
  it.each(["posted-rounds", "posted-rounds:share=0.8", "falling-price", "round-auctions", "pruning"])(
    "%s: no lie gains anything in any regime, in shapes of up to 3 workers and 3 rounds",
    (name) => {
      for (const [workers, rounds] of [[1, 3], [2, 2], [2, 3], [3, 1], [3, 2], ...(isLong ? [[3, 3]] : [])])
        expect(broken(prove(shapeOf(name, { workers: workers!, rounds: rounds! })))).toEqual([]);
    },
  );

  it.each(["rrafl", "proportional-share", "fixed-threshold"])("%s: no price gains anything", (name) => {
    for (const reputations of [["1"], ["1", "1"], ["1", "2/3", "1/2"]])
      expect(broken(prove(shapeOf(name, { reputations }), ["P5", "joint"]))).toEqual([]);
    const four = shapeOf(name, { workers: 4, rounds: 1 });
    expect(broken(prove(four, ["P5", "joint"]))).toEqual([]);
  });

  it("offline rules are settled for any number of rounds at once: nobody looks at arrivals", () => {
    const pieces = piecesOf(plainShape(shapeOf("rrafl", { workers: 3, rounds: 500 })));
    expect(pieces.every(({ arrivals }) => arrivals === null)).toBe(true);
    expect(piecesOf(plainShape(shapeOf("online", { workers: 3, rounds: 2 }))).length).toBeGreaterThan(50);
  });

  it("the first step overspends where its ratio exceeds 1/2, and never below ([M9])", () => {
    const excess = (ratio: string) =>
      prove(shapeOf("online", { firstRoundRatio: parseFraction(ratio) }), ["P2"]).filter(
        ({ verdict }) => verdict === "breaks",
      );
    expect(excess("1/2")).toEqual([]);
    expect(excess("9/10").length).toBeGreaterThan(0);
  });

  it("fixed arrivals are a part of all arrivals", () => {
    const all = prove(shapeOf("online", { rounds: 3 }));
    const some = prove(shapeOf("online", { rounds: 3, arrivals: [1, 3] }));
    for (const [k, { worst, cells }] of some.entries()) {
      expect(parseFraction(worst).lte(parseFraction(all[k]!.worst))).toBe(true);
      expect(cells).toBeLessThanOrEqual(all[k]!.cells);
    }
    expect(broken(some)).toContain("P6 sufficient moved");
  });

  it("workers of reputation 0 are never selected, and change nothing but how long a start is waited for ([M1], [M6])", () => {
    const claims = prove(shapeOf("online", { reputations: ["1", "0"] }), ["P1", "P2", "P5"]);
    expect(broken(claims)).toEqual(broken(prove(shapeOf("online", { workers: 1 }), ["P1", "P2", "P5"])));
  });

  it("reputations and a ratio of sixteen digits are settled too, in whole numbers that fit no double, with witnesses", () => {
    const reputations = ["0.1234567890123457", "0.9876543210987653"];
    const firstRoundRatio = parseFraction("0.9234567890123457");
    const claims = prove(
      shapeOf("online", { rounds: 3, reputations, firstRoundRatio, reading: "pseudocode" }),
    );
    const worst = claims.find(
      (claim) => claim.property === "joint" && claim.regime === "late and tight" && claim.start === "moved",
    );
    expect(worst).toMatchObject({ verdict: "breaks", worst: "4234567890123457/10000000000000000" });
    for (const { verdict, witness } of claims) expect(witness !== null).toBe(verdict === "breaks");
    const prose = prove(shapeOf("online", { rounds: 3, reputations }));
    for (const { verdict, witness } of prose) expect(witness !== null).toBe(verdict === "breaks");
  });

  it("ids decide on groups: two workers of one group never judge each other ([M8])", () => {
    const apart = prove(shapeOf("online", { rounds: 3 }), ["P6"]);
    const together = prove({ ...shapeOf("online", { rounds: 3 }), ids: [0, 2] }, ["P6"]);
    expect(broken(apart)).toEqual(["P6 sufficient moved"]);
    expect(together.map(({ worst }) => worst)).not.toEqual(apart.map(({ worst }) => worst));
  });
});

describe("whole runs", () => {
  it("two-stage: delaying arrival gains where money never turns the worker down, whatever it does to another", () => {
    const arrivals = [1, 1, 2];
    for (const reputations of [
      ["1", "1", "1"],
      ["1", "2", "3"],
    ]) {
      const claims = prove(shapeOf("two-stage", { rounds: 3, reputations, arrivals }), ["P6"]);
      expect(broken(claims)).toEqual(["P6 sufficient kept"]);
    }
  });
});

describe("witnesses whose amounts no decimal writes", () => {
  const shape = shapeOf("online", {
    reputations: ["1", "4/3", "1"],
    firstRoundRatio: fraction(3, 4),
    arrivals: [1, 2, 2],
  });

  it("are given in fractions, and replay with reputations times what makes them whole", () => {
    const claims = prove(shape).filter(({ verdict }) => verdict === "breaks");
    expect(claims.length).toBeGreaterThan(3);
    for (const claim of claims) {
      const { witness } = claim;
      expect(witness!.market.workers.map(({ reputation }) => reputation)).toEqual([1, "4/3", 1]);
      if (claim.attained) expect(witness!.share).toBe(claim.worst);
      expect(inNumbers(witness!)).toBeNull();
      const replay = replayable(plainShape(shape), claim, witness!)!;
      expect(replay.scale).toBe("3");
      expect(replay.market.workers.map(({ reputation }) => reputation)).toEqual([3, 4, 3]);
      if (replay.bid === null) continue;
      const { bid, market } = replay;
      const gained = bestResponses(market).workers.find(({ id }) => id === bid.worker)!.gain;
      expect(gained).toBeGreaterThanOrEqual(parseFraction(witness!.gain).valueOf() - 1e-9);
    }
  });

  it("do not replay where no scale makes decimals of them, and stay certified", () => {
    const third = { ...shape, firstRoundRatio: fraction(2, 3) };
    const claims = prove(third).filter(({ verdict }) => verdict === "breaks");
    expect(claims.length).toBeGreaterThan(0);
    for (const claim of claims) {
      expect(claim.witness!.market.rules.firstRoundRatio).toBe("2/3");
      expect(replayable(plainShape(third), claim, claim.witness!)).toBeNull();
      expect(breaksBy(plainShape(third), claim, claim.witness!)!.toFraction()).toBe(claim.witness!.share);
    }
  });
});

it("a claim that breaks only beyond what markets may hold is refused in one line", () => {
  const dear = defineMechanism({
    name: "dear",
    about: "Pays those who ask more than any market can hold.",
    program: (auction) => {
      for (const worker of auction.workers)
        if (auction.math.atMost(auction.math.known(1e14), worker.price))
          auction.hire(worker, { round: 1, buys: 1, threshold: null }, 3e14);
    },
  });
  expect(() => prove(validateShape({ reputations: [1], rounds: 1 }, dear))).toThrow(
    "mechanism dear: P1 breaks only at amounts that no market may hold",
  );
});

it("a shape that says no ratio has the paper's, a fraction like any other", () => {
  const { firstRoundRatio } = validateShape({ rounds: 2, reputations: ["1", "1"] }, mechanisms.online);
  expect(firstRoundRatio.toFraction()).toBe("7/20");
});
