/** Certificates: what is written verifies, and what is altered or left out does not. */

import { describe, expect, it } from "vitest";
import { exactly, fraction, parseFraction } from "../../src/lib/fraction.js";
import { stream } from "../../src/lib/random.js";
import { paperRules } from "../../src/market/market.js";
import { mechanismNamed } from "../../src/mechanisms/index.js";
import { certificateLines } from "../../src/proofs/certificate.js";
import type { CellLine, ClaimLine, HeadLine, PieceLine } from "../../src/proofs/certificate-format.js";
import { allClaims, claimsAbout, singlePieces } from "../../src/proofs/program.js";
import { piecesOf, provedClaims } from "../../src/proofs/prove.js";
import { type PlainShape, plainShape } from "../../src/proofs/shape.js";
import { Rejected, Verification } from "../../src/proofs/verify.js";
import { mergedSummary, type ProofSummary, pieceSummary } from "../../src/proofs/worst.js";

type Line = HeadLine | PieceLine | CellLine;
type Witness = NonNullable<ClaimLine["witness"]>;

function shapeOf(mechanism: string, reputations: readonly string[], rounds = 2): PlainShape {
  const { firstRoundRatio, ...rules } = paperRules;
  return plainShape({
    ...rules,
    rounds,
    mechanism: mechanismNamed(mechanism),
    firstRoundRatio: exactly(firstRoundRatio),
    reputations: reputations.map(parseFraction),
  });
}

function certificateOf(shape: PlainShape, builtIn: string, pairs = false): Line[] {
  const summary = piecesOf(shape, pairs).reduce<ProofSummary>(
    (sum, piece) => mergedSummary(sum, pieceSummary(shape, piece)),
    {},
  );
  const claims = provedClaims(shape, summary, pairs ? claimsAbout(["pair"]) : allClaims);
  const program = { builtIn };
  return JSON.parse(
    JSON.stringify([...certificateLines({ shape, program, version: "1", pairs, summary, claims })]),
  );
}

function verify(shape: PlainShape, [head, ...lines]: readonly Line[]) {
  const verification = new Verification(shape, head as HeadLine);
  for (const line of lines)
    if (Array.isArray(line)) verification.cell(line as unknown as CellLine);
    else verification.piece(line as PieceLine);
  return verification.finish();
}

const examples: [string, string[], number, pairs?: boolean][] = [
  ["online", ["1", "1"], 2],
  ["online", ["1", "1"], 2, true],
  ["online:reading=pseudocode,firstRoundRatio=0.9", ["1", "2"], 2],
  ["falling-price", ["123456789/1000000000", "987654321/1000000000"], 2],
  ["fixed-threshold", ["1", "1/3"], 2],
  ["bid-greedy", ["1", "1"], 1],
  ["rrafl", ["1", "1", "1/2"], 2],
];

describe.each(examples)("a certificate on %s with reputations %j", (name, reputations, rounds, pairs) => {
  const shape = shapeOf(name, reputations, rounds);
  const lines = certificateOf(shape, name, pairs);

  it("verifies, and proves what was found", () => {
    expect(verify(shape, lines)).toEqual((lines[0] as HeadLine).claims);
  });

  it("is rejected without any one of its lines, or with one of them twice", () => {
    const random = stream(name);
    for (let trial = 0; trial < 8; trial++) {
      const at = 1 + Math.floor(random.next() * (lines.length - 1));
      expect(() => verify(shape, lines.toSpliced(at, 1))).toThrow(Rejected);
      expect(() => verify(shape, lines.toSpliced(at, 0, lines[at]!))).toThrow(Rejected);
    }
  });

  it("is rejected where a claim is altered", () => {
    const head = lines[0] as HeadLine;
    for (const [k, claim] of head.claims.entries()) {
      if (claim.witness === null && k % 5 > 0) continue;
      const changes: object[] = [
        { cells: claim.cells + 1 },
        { worst: parseFraction(claim.worst).add(fraction(1, 100)).toFraction() },
        { attained: !claim.attained },
        { verdict: claim.verdict === "proved" ? "breaks" : "proved" },
        ...(claim.witness === null ? [] : [{ worst: parseFraction(claim.worst).div(2).toFraction() }]),
        ...(claim.witness === null ? [] : [{ witness: { ...claim.witness, gain: "7" } }]),
      ];
      for (const change of changes) {
        const claims = head.claims.with(k, { ...claim, ...change });
        expect(() => verify(shape, [{ ...head, claims }, ...lines.slice(1)])).toThrow(Rejected);
      }
    }
  });

  it("is rejected, or proves the same in other words, where any number of a cell is altered", () => {
    const random = stream(name).fork("numbers");
    let rejected = 0;
    for (let trial = 0; trial < 30; trial++) {
      const at = 1 + Math.floor(random.next() * (lines.length - 1));
      const altered = withNumber(
        lines[at]!,
        random.next(),
        (value) => value + (random.next() < 0.5 ? 1 : -1) * (1 + Math.floor(random.next() * 3)),
      );
      try {
        expect(verify(shape, lines.with(at, altered))).toEqual((lines[0] as HeadLine).claims);
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
        rejected++;
      }
    }
    expect(rejected).toBeGreaterThan(4);
  });
});

/** A line with one of its numbers changed. */
function withNumber(line: Line, where: number, change: (value: number) => number): Line {
  let count = 0;
  JSON.stringify(line, (_, value) => {
    if (typeof value === "number") count++;
    return value;
  });
  const chosen = Math.floor(where * count);
  let seen = 0;
  return JSON.parse(
    JSON.stringify(line, (_, value) =>
      typeof value === "number" && seen++ === chosen ? change(value) : value,
    ),
  );
}

it("a certificate is rejected for another mechanism, reading or reputations than those it was made for", () => {
  const shape = shapeOf("online", ["1", "1"]);
  const lines = certificateOf(shape, "online");
  expect(() => verify(shapeOf("falling-price", ["1", "1"]), lines)).toThrow(Rejected);
  expect(() => verify(shapeOf("online", ["1", "1/2"]), lines)).toThrow(Rejected);
  expect(() => verify(shapeOf("online", ["1", "1"], 3), lines)).toThrow(Rejected);
});

describe("forged certificates", () => {
  const shape = shapeOf("online", ["1", "1"], 2);
  const lines = certificateOf(shape, "online");
  const head = lines[0] as HeadLine;
  const broken = head.claims.findIndex(
    ({ property, verdict }) => property === "joint" && verdict === "breaks",
  );
  const limit = head.claims.findIndex(({ witness, attained }) => witness !== null && !attained);
  const overspent = certificateOf(shapeOf("online:firstRoundRatio=0.9", ["1", "1"]), "online");
  const excess = (overspent[0] as HeadLine).claims.findIndex(({ verdict }) => verdict === "breaks");

  const withClaim = (change: (claim: ClaimLine) => object, at = broken): Line[] => [
    { ...head, claims: head.claims.with(at, change(head.claims[at]!) as ClaimLine) },
    ...lines.slice(1),
  ];
  const withWitness = (change: (witness: Witness) => object): Line[] =>
    withClaim((claim) => ({ ...claim, witness: change(claim.witness!) }));
  const withMarket = (change: (market: Witness["market"]) => object): Line[] =>
    withWitness((witness) => ({ ...witness, market: change(witness.market) }));
  const withRules = (change: object): Line[] =>
    withMarket((market) => ({ ...market, rules: { ...market.rules, ...change } }));
  const withWorker = (at: number, change: object): Line[] =>
    withMarket((market) => ({
      ...market,
      workers: market.workers.with(at, { ...market.workers[at]!, ...change }),
    }));
  const withBid = (change: object): Line[] =>
    withWitness((witness) => ({ ...witness, bid: { ...witness.bid!, ...change } }));
  const withLine = (at: number, line: unknown): Line[] => lines.with(at, line as Line);
  const cellAt = lines.findIndex((line) => Array.isArray(line) && line[1].includes(0));
  const cell = lines[cellAt] as CellLine;
  const forced = lines.findIndex(
    (line) => Array.isArray(line) && line[1].some((one: unknown) => Array.isArray(one)),
  );
  const sums = lines[forced] as CellLine;
  const place = sums[1].findIndex((one) => Array.isArray(one));
  const sum = sums[1][place] as number[];
  const withSum = (reason: unknown) =>
    withLine(forced, [sums[0], sums[1].with(place, reason as number), sums[2]]);

  it("the true one verifies", () => {
    expect(verify(shape, lines)).toEqual(head.claims);
    expect([broken, excess, limit].every((at) => at >= 0)).toBe(true);
  });

  it.each<[string, Line[]]>([
    ["a bid of −5", withBid({ price: -5 })],
    ["a bid of −1/2", withBid({ price: "-1/2" })],
    ["a bid before the true arrival", withBid({ arrival: 0 })],
    ["a bid after the last round", withBid({ arrival: 3 })],
    ["a bid at half an arrival", withBid({ arrival: 1.5 })],
    ["a bid above the range of amounts", withBid({ price: 2e12 })],
    ["a bid that is no number", withBid({ price: null })],
    ["a bid written as a power", withBid({ price: "1e3" })],
    ["a bid of a worker that is not there", withBid({ worker: 7 })],
    ["a gain by the lie of another", withWitness((w) => ({ ...w, worker: 1 - w.worker! }))],
    ["a gain of a worker that is not there", withWitness((w) => ({ ...w, worker: 5 }))],
    ["a lie of nobody", withWitness((w) => ({ ...w, worker: null }))],
    ["no lie", withWitness((w) => ({ ...w, bid: null }))],
    ["a second liar", withWitness((w) => ({ ...w, partner: { worker: 1, price: 0, arrival: 1 } }))],
    ["a bid with more fields", withBid({ also: 1 })],
    ["a cost below 0", withWorker(0, { cost: -1 })],
    ["a cost that is not finite", withWorker(0, { cost: Number.POSITIVE_INFINITY })],
    ["a cost below the range of amounts", withWorker(0, { cost: 1e-13 })],
    ["an arrival in no round", withWorker(0, { arrival: 0 })],
    ["an arrival after the last round", withWorker(1, { arrival: 4 })],
    ["two workers of one id", withWorker(1, { id: 0 })],
    ["another id", withWorker(1, { id: 3 })],
    ["another reputation", withWorker(1, { reputation: 2 })],
    ["a worker too many", withMarket((m) => ({ ...m, workers: [...m.workers, m.workers[0]] }))],
    ["a worker too few", withMarket((m) => ({ ...m, workers: m.workers.slice(1) }))],
    ["a market without workers", withMarket(({ rules }) => ({ rules }))],
    ["a market with more fields", withMarket((m) => ({ ...m, note: "" }))],
    ["a budget of 0", withRules({ budget: 0 })],
    ["a budget below 0", withRules({ budget: -1 })],
    ["another ratio", withRules({ firstRoundRatio: 0.5 })],
    ["another reading", withRules({ reading: "pseudocode" })],
    ["more rounds", withRules({ rounds: 3 })],
    ["another minimum", withRules({ minWorkers: 0 })],
    ["rules with more fields", withRules({ seed: 1 })],
    ["a gain below 0", withWitness((w) => ({ ...w, gain: `-${w.gain}` }))],
    ["another share", withWitness((w) => ({ ...w, share: "1/7" }))],
    ["a share over 0", withWitness((w) => ({ ...w, share: "1/0" }))],
    [
      "a witness for what is proved",
      withClaim((claim) => ({ ...claim, witness: head.claims[broken]!.witness }), 0),
    ],
    ["a break without a witness", withClaim((claim) => ({ ...claim, witness: null }))],
    [
      "a break called proved",
      withClaim((c) => ({ ...c, verdict: "proved", worst: "0", attained: true, at: null, witness: null })),
    ],
    ["a worst case of 0", withClaim((claim) => ({ ...claim, worst: "0" }))],
    ["a worst case below the gain", withClaim((claim) => ({ ...claim, worst: "1/1000" }))],
    ["a worst case above what is reached", withClaim((claim) => ({ ...claim, worst: "1" }))],
    ["a worst case without bound", withClaim((claim) => ({ ...claim, worst: "unbounded", attained: false }))],
    ["a worst case below 0", withClaim((claim) => ({ ...claim, worst: "-1/5" }), 0)],
    ["a worst case that is no fraction", withClaim((claim) => ({ ...claim, worst: "much" }))],
    ["a limit called reached, or the other way round", withClaim((c) => ({ ...c, attained: !c.attained }))],
    ["a limit called reached in another word", withClaim((c) => ({ ...c, attained: "yes" }), limit)],
    ["a cell more", withClaim((claim) => ({ ...claim, cells: claim.cells + 1 }))],
    ["no cells", withClaim((claim) => ({ ...claim, cells: 0 }))],
    [
      "the regime as a part of the start",
      withClaim((c) => ({ ...c, regime: `${c.regime}/${c.start}`, start: null })),
    ],
    ["another regime", withClaim((claim) => ({ ...claim, regime: "generous" }))],
    ["a claim left out", [{ ...head, claims: head.claims.slice(1) }, ...lines.slice(1)]],
    ["a claim twice", [{ ...head, claims: head.claims.with(1, head.claims[0]!) }, ...lines.slice(1)]],
    ["claims on pairs", [{ ...head, pairs: true }, ...lines.slice(1)]],
    [
      "the worst case of another piece",
      withClaim((c) => ({ ...c, at: { ...c.at!, piece: (lines[1] as PieceLine).piece } })),
    ],
    [
      "the worst case of another worker",
      withClaim((c) => ({ ...c, at: { ...c.at!, worker: 1 - c.at!.worker! } })),
    ],
    [
      "the worst case at another point",
      withClaim((c) => ({ ...c, at: { ...c.at!, point: c.at!.point.map(() => 1) } })),
    ],
    [
      "a point outside of the shape",
      withClaim((c) => ({ ...c, at: { ...c.at!, inside: c.at!.inside.map(() => -1) } })),
    ],
    [
      "a point of more unknowns than there are",
      withClaim((c) => ({ ...c, at: { ...c.at!, inside: [...c.at!.inside, 1] } })),
    ],
    ["no pieces", [head]],
    [
      "the first piece alone",
      lines.slice(
        0,
        lines.findIndex((line, k) => k > 1 && !Array.isArray(line)),
      ),
    ],
    ["a piece of another shape", withLine(1, { piece: { arrivals: [1, 3], lie: null } })],
    [
      "a piece of three liars",
      withLine(1, { piece: { arrivals: [1, 1], lie: { worker: 2, arrival: 1, price: true } } }),
    ],
    ["pieces in which nobody looks at arrivals", withLine(1, { piece: { arrivals: null, lie: null } })],
    ["a cell before any piece", [head, cell, ...lines.slice(1)]],
    ["a cell at a point below 0", withLine(cellAt, [cell[0].map(() => -1), cell[1], cell[2]])],
    ["a cell at a point of fewer unknowns", withLine(cellAt, [cell[0].slice(1), cell[1], cell[2]])],
    ["a cell at a point of halves", withLine(cellAt, [cell[0].map(() => 0.5), cell[1], cell[2]])],
    ["a division hidden", withLine(cellAt, [cell[0], cell[1].map((one) => (one === 0 ? 1 : one)), cell[2]])],
    ["a reason too few", withLine(cellAt, [cell[0], cell[1].slice(1), cell[2]])],
    ["a reason too many", withLine(cellAt, [cell[0], [...cell[1], 1], cell[2]])],
    ["a bound too few", withLine(cellAt, [cell[0], cell[1], cell[2].slice(1)])],
    ["a sum of nothing", withSum([1])],
    ["a sum of scale 0", withSum([0, ...sum.slice(1)])],
    ["a sum of scale below 0", withSum(sum.map((one, k) => (k % 2 === 0 ? -one : one)))],
    ["a sum with a row that is not there", withSum([sum[0], 999, sum[2]])],
    ["a sum with a row below 0", withSum([sum[0], -1, sum[2]])],
    ["a sum with other factors", withSum(sum.map((one, k) => (k > 0 && k % 2 === 0 ? one + 1 : one)))],
    ["a row that is not there", withSum(999)],
    ["the last row for a reason", withSum(-1)],
  ])("%s: rejected", (_, forged) => {
    expect(() => verify(shape, forged)).toThrow();
  });

  it("a program that catches what stops a run is rejected all the same", () => {
    const { program: text } = shape.mechanism;
    const calm: typeof text = (auction) => {
      try {
        text!(auction);
      } catch {
        // As if nothing had been decided.
      }
    };
    const caught = { ...shape, mechanism: { ...shape.mechanism, text: calm } };
    const withoutSums = lines.map((line) =>
      Array.isArray(line) ? [line[0], line[1].map((one: unknown) => (one === 0 ? 0 : [1])), line[2]] : line,
    ) as Line[];
    expect(() => verify(caught, withoutSums)).toThrow(Rejected);
    const blind = singlePieces(caught, false).map((piece) => ({ piece }));
    expect(() => verify(caught, [head, blind[0]!, cell])).toThrow(Rejected);
  });
});
