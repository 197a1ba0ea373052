/** Proofs for any number of workers and rounds: what is accepted, what is refused, and that each thing a proof rests on is needed. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Program } from "../../src/auction/program.js";
import { judgeAcross, playRounds, sidesOf } from "../../src/auction/rounds.js";
import { exactly } from "../../src/lib/fraction.js";
import { paperRules } from "../../src/market/market.js";
import { mechanismNamed } from "../../src/mechanisms/index.js";
import type { FixedRules } from "../../src/proofs/any/crowd.js";
import { holds, type Obligation } from "../../src/proofs/any/formulas.js";
import { type AnyClaim, type AnyProof, proveForAny } from "../../src/proofs/any/settle.js";
import { roundObligation, saleObligation, startObligation } from "../../src/proofs/any/templates.js";
import { flawOf } from "../../src/proofs/any/text.js";

const usual: FixedRules = { ...paperRules, firstRoundRatio: exactly(paperRules.firstRoundRatio) };

const proofOf = (name: string, rules: Partial<FixedRules> = {}): AnyProof =>
  proveForAny(mechanismNamed(name).program!, { ...usual, ...rules });

type Asked = Partial<Pick<AnyClaim, "property" | "regime" | "start">>;

const about = ({ claims }: AnyProof, asked: Asked): AnyClaim[] =>
  claims.filter((claim) =>
    Object.entries(asked).every(([field, value]) => Reflect.get(claim, field) === value),
  );

const isProved = (proof: AnyProof, asked: Asked): boolean =>
  about(proof, asked).every(({ why }) => why === null);

describe.each([
  "posted-rounds",
  "posted-rounds:share=0.5",
  "falling-price",
  "round-auctions",
  "fixed-threshold",
  "learned-price",
  "proportional-share",
  "posted-price",
])("%s", (name) => {
  it.each(["P1", "P2", "P5", "P6", "joint"] as const)("is proved for any number: %s", (property) => {
    expect(about(proofOf(name), { property }).filter(({ why }) => why !== null)).toEqual([]);
  });
});

describe("the paper's auction, for a worker whom money never turns down", () => {
  const lies = ["P5", "P6", "joint"] as const;
  const withMoney = ["sufficient", "late start"] as const;
  const all = (asked: Asked, proof: AnyProof, expected: boolean) =>
    about(proof, asked)
      .map(({ why }) => [asked, why === null])
      .filter(([, proved]) => proved !== expected);

  it.each(["postpone", "shorten", "concentrate"] as const)(
    "[M6] %s: no lie gains that keeps the start",
    (delay) => {
      for (const reading of ["prose", "pseudocode"] as const)
        for (const regime of withMoney)
          for (const property of lies)
            expect(
              all({ property, regime, start: "kept" }, proofOf("online", { delay, reading }), true),
            ).toEqual([]);
    },
  );

  it("[M6] shorten: nor one that delays the start; the other two readings are refused", () => {
    for (const regime of withMoney)
      for (const property of lies)
        for (const delay of ["postpone", "shorten", "concentrate"] as const) {
          const asked = { property, regime, start: "delayed" } as const;
          expect(all(asked, proofOf("online", { delay }), delay === "shorten")).toEqual([]);
        }
  });

  it.each(["postpone", "shorten", "concentrate"] as const)(
    "%s: an earlier start, and money that decides, are refused",
    (delay) => {
      const proof = proofOf("online", { delay });
      for (const property of lies) {
        expect(all({ property, start: "advanced" }, proof, false)).toEqual([]);
        expect(all({ property, regime: "tight" }, proof, false)).toEqual([]);
        expect(all({ property, regime: "late and tight" }, proof, false)).toEqual([]);
      }
    },
  );

  it("[M5] the prose's first step is refused: it pays no critical price", () => {
    const proof = proofOf("online", { firstStep: "prose" });
    for (const property of lies) expect(all({ property }, proof, false)).toEqual([]);
    expect(about(proof, { property: "P5", start: "kept" })[0]!.why).toMatch(
      /counts a worker's own reputation twice/,
    );
  });

  it("[M9] keeps the budget up to a ratio of one half, and pays costs but where the pseudocode takes back", () => {
    const of = (rules: Partial<FixedRules>, property: "P1" | "P2") =>
      isProved(proofOf("online", rules), { property });
    expect(of({ firstRoundRatio: exactly(0.5) }, "P2")).toBe(true);
    expect(of({ firstRoundRatio: exactly(0.51) }, "P2")).toBe(false);
    expect(of({ delay: "shorten", firstRoundRatio: exactly(0.5) }, "P2")).toBe(true);
    expect(of({ firstRoundRatio: exactly(0.9) }, "P1")).toBe(true);
    expect(of({ reading: "pseudocode" }, "P1")).toBe(false);
  });

  /** Lines of its program, each changed. */
  it.each([
    ["offer(worker, terms)", "offer(worker, { ...terms, threshold: worker.density })"],
    ["offer(worker, terms)", "offer(worker, { ...terms, buys: 1 })"],
    ["raise(worker, terms, reading)", "offer(worker, terms)"],
    ["raise(worker, terms, reading)", "raise(worker, { ...terms, buys: 1 }, reading)"],
    ["else auction.raise(worker, terms, reading);", ""],
    ["worker.selectedAt === null", "worker.selectedAt !== null"],
    ["{ by: clock, buys, budget", "{ by: clock, buys: 1, budget"],
    [
      "budget: firstBudget(auction, buys)",
      "budget: math.times(firstBudget(auction, buys), auction.candidate(0).price)",
    ],
    ["return auction.buyAtOnce", "return !auction.buyAtOnce"],
    ["return auction.buyAtOnce(everybody", "auction.buyAtOnce(everybody"],
    ["auction.sample()", "auction.sample(auction.byDensity())"],
    ["auction.byReputation()", "auction.byDensity()"],
    ["sampleBudget(auction, round)", "math.minus(purses[0].limit, purses[0].spent)"],
    ["const sides = sidesOf(auction, order)", "const sides = sidesOf(auction, order).reverse()"],
    ["round, clock, budget:", "round, clock: round, budget:"],
    ["laterRounds(auction, purses);", "{ laterRounds(auction, purses); laterRounds(auction, purses); }"],
    ["if (firstStep(auction, purses))", "firstStep(auction, purses);"],
  ])("%s → %s", (from, to) => {
    const path = fileURLToPath(new URL("../../src/mechanisms/online/program.ts", import.meta.url));
    const text = readFileSync(path, "utf8")
      .replaceAll(/^import .*$/gm, "")
      .replaceAll(
        / as const|: readonly \[Purse, Purse\]|: Auction\b|: Candidate\b|: (number|Amount|boolean|void)\b|^export /gm,
        "",
      );
    expect(text).toContain(from);
    const made = (body: string) =>
      new Function("judgeAcross", "sidesOf", "math", `${body}; return program;`) as (
        ...given: unknown[]
      ) => Program;
    const program =
      (body: string): Program =>
      (auction) =>
        made(body)(judgeAcross, sidesOf, auction.math)(auction);
    const joint = { property: "joint", regime: "sufficient", start: "kept" } as const;
    expect(isProved(proveForAny(program(text), usual), joint)).toBe(true);
    expect(isProved(proveForAny(program(text.replace(from, to)), usual), joint)).toBe(false);
  });
});

it("says which written arguments a proof rests on", () => {
  const of = (name: string) =>
    about(proofOf(name), { property: "joint", regime: "tight", start: "kept" })[0]!.contracts;
  expect(of("posted-rounds")).not.toContain("falls");
  expect(of("posted-rounds")).not.toContain("critical");
  expect(of("falling-price")).toContain("falls");
  expect(of("round-auctions")).toContain("critical");
});

describe("is refused, with what no contract covers", () => {
  it.each([
    ["multi-stage", /plain number/],
    ["two-stage", /plain number/],
    ["vanilla", /sorts by a key of its own/],
    ["bid-greedy", /order of their bids/],
    ["rrafl", /order of their bids/],
    ["pruning", /compares the price of another worker/],
  ])("%s", (name, why) => {
    for (const claim of proofOf(name).claims) expect(claim.why).toMatch(why);
  });
});

/** The body of a built-in mechanism's program, without types. */
function bodyOf(file: string): string {
  const path = fileURLToPath(new URL(`../../src/mechanisms/${file}.ts`, import.meta.url));
  const text = readFileSync(path, "utf8");
  const begin = text.indexOf("program(auction) {") + "program(auction) {".length;
  let depth = 1;
  let end = begin;
  while (depth > 0) {
    const sign = text[end++];
    if (sign === "{") depth++;
    if (sign === "}") depth--;
  }
  return text.slice(begin, end - 1).replaceAll(" as const", "");
}

const names = ["judgeAcross", "sidesOf", "playRounds", "share", "density", "roundBudget"];

function programFrom(body: string): Program {
  const budgetOf = (auction: Parameters<Program>[0], round: number) => {
    const { math, rules } = auction;
    const one = math.known(1);
    const first = rules.firstRoundRatio;
    const risen = math.times(math.minus(one, first), auction.progress(round));
    const sum = math.times(math.over(math.known(rules.rounds), math.known(2)), math.plus(one, first));
    return math.times(math.over(math.plus(first, risen), sum), rules.budget);
  };
  const make = new Function(...names, "auction", body) as (...given: unknown[]) => void;
  return (auction) => make(judgeAcross, sidesOf, playRounds, 0.5, 0.75, budgetOf, auction);
}

/** What a changed program loses: a property, or all of them. */
type Mutation = readonly [from: string, to: string, loses?: "P2"];

const mutations: Readonly<Record<string, readonly Mutation[]>> = {
  "posted-rounds": [
    ["auction.byReputation()", "auction.byDensity()"],
    ["auction.byReputation()", "auction.byPrice()"],
    ["auction.byReputation()", "[...auction.byReputation()].slice(0, 3)"],
    ["auction.byReputation()", "auction.byReputation().slice(0, 3)"],
    ["auction.byReputation()", "auction.byReputation().filter(({ id }) => id > 0)"],
    ["auction.byReputation()", "auction.byReputation().filter(({ arrival }) => arrival > 1)"],
    ["auction.byReputation()", "auction.byReputation().filter(({ price }) => math.atMost(price, half))"],
    ["auction.byReputation()", "math.sorted(auction.workers, ({ price }) => price)"],
    ["math.over(rules.budget, math.known(2))", "rules.budget", "P2"],
    ["math.known(rules.rounds)", "math.known(1)", "P2"],
    ["math.known(rules.rounds)", "math.known(auction.workers.length)"],
    ["math.known(rules.rounds)", "rules.rounds + 1"],
    ["math.times(math.known(share), half)", "auction.candidate(0).price"],
    [
      "const purses = [auction.purse(half), auction.purse(half)]",
      "const one = auction.purse(half); const purses = [one, one]",
    ],
    [
      "const purses = [auction.purse(half), auction.purse(half)]",
      "const purses = [{ limit: half, spent: auction.zero }, auction.purse(half)]",
    ],
    [
      "purse, threshold, group",
      "purse: auction.purse(math.over(half, math.known(100))), threshold, group",
      "P2",
    ],
    [
      "[auction.purse(half), auction.purse(half)]",
      "[auction.purse(math.times(half, math.known(3))), auction.purse(math.minus(math.known(0), half))]",
      "P2",
    ],
    [
      "[auction.purse(half), auction.purse(half)]",
      "[auction.purse(half), auction.purse(rules.budget)]",
      "P2",
    ],
    ["purse, threshold, group", "purse, threshold: worker.density, group"],
    ["purse, threshold, group", "purse, threshold: worker.price, group"],
    ["purse, threshold, group", "purse, threshold: null, group"],
    ["purse, threshold, group", "purse, threshold: math.minus(threshold, worker.density), group"],
    [
      "purse, threshold, group",
      "purse, threshold: sides[worker.group].sample.threshold({ by: clock, buys: 1, budget }), group",
    ],
    [
      "purse, threshold, group",
      "purse, threshold: auction.sample().threshold({ by: clock, buys: 1, budget }), group",
    ],
    ["purse, threshold, group", "purse, threshold: math.over(purse.spent, half), group"],
    ["auction.offer(worker,", "worker.id > 2 && auction.offer(worker,"],
    ["auction.offer(worker,", "worker.arrival > 2 && auction.offer(worker,"],
    ["auction.offer(worker,", "math.atMost(worker.density, threshold) && auction.offer(worker,"],
    ["auction.offer(worker,", "worker.selectedAt === null && auction.offer(worker,"],
    ["auction.offer(worker,", "auction.hire(worker,"],
    ["auction.offer(worker,", "auction.raise(worker,"],
    ["clock, budget, purses }", "clock: round + 1, budget, purses }"],
  ],
  "falling-price": [
    ["auction.byReputation()", "auction.byDensity()"],
    [
      "round, clock, budget, purses }",
      "round, clock, budget: math.times(budget, auction.progress(round)), purses }",
    ],
    [
      "round, clock, budget, purses }",
      "round, clock, budget: math.times(budget, math.known(round)), purses }",
    ],
    ["round, clock, budget, purses }", "round, clock, budget: math.minus(half, purses[0].spent), purses }"],
    ["round, clock, budget, purses }", "round, clock, budget: math.minus(half, purses[1].spent), purses }"],
    ["round, clock, budget, purses }", "round, clock, budget, purses: [purses[0], purses[0]] }"],
    ["if (worker.selectedAt === null)", ""],
    ["if (worker.selectedAt === null)", "if (worker.selectedAt !== null)"],
    ["round, buys, purse, threshold,", "round, buys: 1, purse, threshold,"],
    ["round, buys, purse, threshold,", "round, buys: rules.rounds, purse, threshold,"],
    [
      "round, buys, purse, threshold,",
      "round, buys, purse, threshold: math.times(threshold, math.known(round)),",
    ],
    [
      "round, buys, purse, threshold,",
      "round, buys, purse, threshold: sides[worker.group].sample.threshold({ by: clock, buys: 1, budget }),",
    ],
    ["const half = math.over(rules.budget, math.known(2))", "const half = rules.budget", "P2"],
    [
      "const purses = [auction.purse(half), auction.purse(half)]",
      "const purses = [auction.purse(half), auction.purse(rules.budget)]",
      "P2",
    ],
    ["auction.eachRound(", "for (let k = 0; k < 2; k++) auction.eachRound("],
    ["auction.eachRound(", "for (let k = 0; k < rules.rounds; k++) auction.eachRound("],
  ],
  "round-auctions": [
    ["const sample = auction.sample()", "const sample = auction.sample(auction.byDensity())"],
    [
      "math.times(math.known(share), roundBudget(auction, round))",
      "math.times(math.known(3), roundBudget(auction, round))",
      "P2",
    ],
    ["auction.buyShare(sample,", "auction.buyShare(auction.sample(auction.present(auction.workers, clock)),"],
    ["by: clock", "by: 1"],
    ["buys: 1,", "buys: 1, ownTwice: true,"],
    [
      "auction.buyShare(",
      "const one = auction.purse(budget); for (const worker of auction.workers) auction.offer(worker, { round, buys: 1, purse: one, threshold: worker.price }); auction.buyShare(",
    ],
    ["auction.buyShare(", "sample.share({ buys: 1, budget }); auction.buyShare("],
  ],
  "proportional-share": [
    ["budget }, { clock: 1 }", "budget }, { clock: 1, enough: 2 }"],
    ["budget }, { clock: 1 }", "budget }, { clock: 1, purseOf: () => auction.purse(budget) }"],
    [
      "buys: rounds, budget }",
      "buys: rounds, budget: auction.math.times(budget, auction.math.known(2)) }",
      "P2",
    ],
    ["buys: rounds, budget }", "buys: rounds, by: 1, budget }"],
    ["auction.sample()", "auction.sample(auction.workers.filter(({ id }) => id > 0))"],
    ["auction.buyAtOnce(", "for (const worker of auction.workers) break; auction.buyAtOnce("],
  ],
  "fixed-threshold": [
    ["auction.math.known(density)", "auction.candidate(1).price"],
    [
      "auction.purse(auction.rules.budget)",
      "auction.purse(auction.math.times(2, auction.rules.budget))",
      "P2",
    ],
    ["() => posting", "(round) => (round > 1 ? posting : { ...posting, threshold: null })"],
    ["() => posting", "(round) => ({ ...posting, threshold: auction.progress(round) })"],
    ["() => posting", "() => ({ ...posting, threshold: posting.purse.spent })"],
    [
      "() => posting",
      "() => ({ ...posting, threshold: auction.sample().threshold({ buys: 1, budget: auction.rules.budget }) })",
    ],
    ["auction.byReputation()", "auction.byPrice()"],
  ],
};

describe.each(Object.keys(mutations))("%s, one line of it changed", (file) => {
  const body = bodyOf(file);

  it("is proved as it is", () => {
    expect(proveForAny(programFrom(body), usual).claims.filter(({ why }) => why !== null)).toEqual([]);
  });

  it.each(mutations[file]!.map(([from, to, loses]) => ({ from, to, loses })))(
    "$from → $to",
    ({ from, to, loses }) => {
      expect(body).toContain(from);
      const proof = proveForAny(programFrom(body.replace(from, to)), usual);
      if (loses === "P2") {
        expect(isProved(proof, { property: "P2" })).toBe(false);
        return;
      }
      expect(isProved(proof, { property: "joint", regime: "tight", start: "kept" })).toBe(false);
    },
  );
});

it("money that lasts over the rounds may have been moved by the worker's own bid", () => {
  const body = bodyOf("posted-rounds")
    .replace(
      "auction.eachRound(",
      "const lasting = [auction.purse(half), auction.purse(half)]; auction.eachRound(",
    )
    .replace("clock, budget, purses }", "clock, budget, purses: lasting }");
  const [claim] = about(proveForAny(programFrom(body), usual), { property: "joint", regime: "tight" });
  expect(claim!.why).toMatch(/may depend on what the worker got before/);
});

describe("each hypothesis of an induction is needed:", () => {
  const sale = { kind: "offer", sameOffers: true, sameMoney: true } as const;
  const round = { sameOffers: true, sameMoney: true, falls: true, raises: true };
  const first = { sameCritical: true, criticalFalls: true };
  const obligations: readonly (readonly [Obligation, spare: readonly string[]])[] = [
    [saleObligation(sale), []],
    [saleObligation({ ...sale, kind: "share" }), []],
    [roundObligation(round, false), []],
    [roundObligation({ ...round, raises: false }, false), []],
    [roundObligation({ ...round, falls: false, sameMoney: false }, true), []],
    [startObligation(first, "kept"), []],
    [startObligation(first, "delayed"), []],
  ];
  const all = obligations.flatMap(([obligation]) =>
    obligation.hypotheses.map(([words], k) => ({ obligation, words, k })),
  );

  it("with all of them it holds", () => {
    for (const [obligation] of obligations)
      expect([obligation.name, holds(obligation)]).toEqual([obligation.name, true]);
  });

  it.each(all)("$obligation.name without: $words", ({ obligation, k }) => {
    expect(holds({ ...obligation, hypotheses: obligation.hypotheses.filter((_, at) => at !== k) })).toBe(
      false,
    );
  });
});

describe("the text of a program", () => {
  const root = fileURLToPath(new URL("../../src/mechanisms/", import.meta.url));

  it.each([
    "posted-rounds",
    "falling-price",
    "fixed-threshold",
    "proportional-share",
    "round-auctions",
    "online/program",
  ])("of %s keeps nothing of its own", (file) => {
    const text = readFileSync(`${root}${file}.ts`, "utf8").replaceAll(/^import .*$/gm, "");
    expect(flawOf(text)).toBeNull();
  });

  it.each([
    ["let", "let n = 0;"],
    ["a counter", "const n = { k: 0 }; for (const w of auction.workers) n.k++;"],
    ["an assignment", "const n = { limit: 0 }; n.limit = 1;"],
    ["a list that grows", "const seen = []; seen.push(1);"],
    ["what a length is", "const n = auction.workers.length;"],
    ["a copy of a list", "const all = [...auction.workers];"],
    ["typeof", 'const abstract = typeof round === "object";'],
    ["a round that is compared", "const last = round === 17;"],
    ["a group that is compared with a round", "const odd = worker.group === round;"],
    ["a class", "class A {}"],
    ["new", "const seen = new Set();"],
    ["a global", "const n = Math.random();"],
    ["a function from a text", 'const F = true ? Function : 0; F("return 1")();'],
    ["a constructor", 'const { constructor: A } = []; A.constructor("return 1")();'],
    ["a field by a text", 'const push = list["push"];'],
    ["a field by a name", "const push = list[name];"],
    ["a generator", "const g = { *each() { yield 1; } };"],
    ["a try", "try { f(); } catch { }"],
    ["a file of one's own", 'import { f } from "./mine.js";'],
    ["an import while it runs", 'const f = import("./mine.js");'],
    ["a tag", `const f = tag\`\${1}\`;`],
    ["a regular expression", "const f = /a/g;"],
    ["a default value", "const f = (n = 0) => n;"],
  ])("is refused with %s", (_, text) => {
    expect(flawOf(text)).not.toBeNull();
  });

  it("names the line", () => {
    expect(flawOf("const a = 1;\n\nlet b = 2;")).toEqual({ line: 3, what: "let" });
  });
});
