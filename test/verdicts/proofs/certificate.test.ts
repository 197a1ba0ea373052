/** Certificates: what is written verifies, and what is altered or left out does not. */

import { describe, expect, it } from "vitest";
import { exactly, fraction, parseFraction } from "../../../src/lib/fraction.js";
import { stream } from "../../../src/lib/random.js";
import { paperRules } from "../../../src/market/market.js";
import { mechanismNamed } from "../../../src/mechanisms/index.js";
import {
  type CellLine,
  certificateLines,
  type HeadLine,
  type PieceLine,
} from "../../../src/verdicts/proofs/certificate.js";
import { piecesOf, provedClaims } from "../../../src/verdicts/proofs/prove.js";
import { type PlainShape, plainShape } from "../../../src/verdicts/proofs/shape.js";
import { Rejected, Verification } from "../../../src/verdicts/proofs/verify.js";
import { mergedSummary, type ProofSummary, pieceSummary } from "../../../src/verdicts/proofs/worst.js";

type Line = HeadLine | PieceLine | CellLine;

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

function certificateOf(shape: PlainShape, named: string): Line[] {
  const summary = piecesOf(shape).reduce<ProofSummary>(
    (sum, piece) => mergedSummary(sum, pieceSummary(shape, piece)),
    {},
  );
  const lines = certificateLines({ shape, named, summary, claims: provedClaims(shape, summary) });
  return JSON.parse(JSON.stringify([...lines]));
}

function verify(shape: PlainShape, [head, ...lines]: readonly Line[]) {
  const verification = new Verification(shape, head as HeadLine);
  for (const line of lines)
    if (Array.isArray(line)) verification.cell(line as unknown as CellLine);
    else verification.piece(line as PieceLine);
  return verification.finish();
}

const examples: [string, string[], number][] = [
  ["online", ["1", "1"], 2],
  ["online:reading=pseudocode,firstRoundRatio=0.9", ["1", "2"], 2],
  ["falling-price", ["123456789/1000000000", "987654321/1000000000"], 2],
  ["fixed-threshold", ["1", "1/3"], 2],
  ["bid-greedy", ["1", "1"], 1],
  ["rrafl", ["1", "1", "1/2"], 2],
];

describe.each(examples)("a certificate on %s with reputations %j", (name, reputations, rounds) => {
  const shape = shapeOf(name, reputations, rounds);
  const lines = certificateOf(shape, name);

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
