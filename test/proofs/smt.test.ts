/** Proofs as SMT-LIB 2 files: solvers that are not ours agree with them, and find what is altered. */

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isPositiveSomewhere } from "../../src/lib/cone.js";
import { exactly, fraction } from "../../src/lib/fraction.js";
import type { Integer } from "../../src/lib/integer-vector.js";
import { stream } from "../../src/lib/random.js";
import { paperRules } from "../../src/market/market.js";
import { mechanismNamed } from "../../src/mechanisms/index.js";
import { type Formula, toSmt } from "../../src/proofs/any/formulas.js";
import { lemmaSteps, lemmaText } from "../../src/proofs/any/lemmas.js";
import { proveForAny } from "../../src/proofs/any/settle.js";
import { beyondShare } from "../../src/proofs/program.js";
import { type ProvedClaim, piecesOf, prove } from "../../src/proofs/prove.js";
import { plainShape } from "../../src/proofs/shape.js";
import { boundsText, coverText, smtOfShape } from "../../src/proofs/smt.js";
import { cellsOf } from "../../src/proofs/worst.js";
import { candor, temporaryFolder } from "../cli/candor.js";

const solvers = ["z3", "cvc5"];

/** What a solver says of each text. */
function answers(solver: string, texts: readonly string[]): string[] {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  return texts.map((text, k) => {
    const file = join(folder, `${k}.smt2`);
    writeFileSync(file, text);
    const { stdout, error } = spawnSync(solver, [file], { encoding: "utf8" });
    if (error) throw new Error(`no ${solver}: run node test/solvers.mjs, or sudo apt-get install ${solver}`);
    return stdout.trim();
  });
}

const allUnsat = (texts: readonly string[]) => texts.map(() => "unsat");

describe.each(solvers)("%s", (solver) => {
  it("agrees with every step over the rounds", () => {
    for (const name of ["online", "posted-rounds", "falling-price", "fixed-threshold", "round-auctions"]) {
      const delay = name === "online" ? ("shorten" as const) : paperRules.delay;
      const rules = { ...paperRules, delay, firstRoundRatio: exactly(paperRules.firstRoundRatio) };
      const texts = proveForAny(mechanismNamed(name).program!, rules).obligations.map(toSmt);
      expect(texts.length).toBeGreaterThan(0);
      expect([name, answers(solver, texts)]).toEqual([name, allUnsat(texts)]);
    }
  });

  it("agrees with every step over a sample, and with none of their opposites", () => {
    const texts = lemmaSteps.map(lemmaText);
    expect(answers(solver, texts)).toEqual(allUnsat(texts));
    // Without what is given, or with the conclusion turned around, a step is satisfiable.
    const opposites = lemmaSteps.map((step) =>
      lemmaText({ ...step, conclusion: `(not ${step.conclusion})` }),
    );
    expect(answers(solver, opposites)).toEqual(opposites.map(() => "sat"));
  });

  it("agrees with the proofs of a shape", () => {
    for (const name of ["online", "posted-rounds", "rrafl"]) {
      const shape = shapeOf(name);
      const texts = [...smtOfShape(shape, prove(shape), false)].map(({ text }) => text);
      expect([name, answers(solver, texts)]).toEqual([name, allUnsat(texts)]);
    }
  }, 120_000);
});

const shapeOf = (name: string) =>
  plainShape({
    mechanism: mechanismNamed(name),
    rounds: 2,
    ...paperRules,
    firstRoundRatio: exactly(paperRules.firstRoundRatio),
    reputations: [fraction(1), fraction(1, 2)],
  });

it("a coefficient that is altered at random is found wherever it matters, 100 of 100 times", () => {
  const shape = shapeOf("online");
  const claims = prove(shape);
  const pieces = piecesOf(shape).map((piece) => ({ piece, cells: [...cellsOf(shape, piece)] }));
  const random = stream("altered coefficients");
  const [texts, matters]: [string[], boolean[]] = [[], []];
  while (matters.filter((one) => one).length < 100) {
    const { piece, cells } = pieces[Math.floor(random.next() * pieces.length)]!;
    const at = Math.floor(random.next() * cells.length);
    const cell = cells[at]!;
    const k = Math.floor(random.next() * cell.findings.length);
    const finding = cell.findings[k]!;
    const place = Math.floor(random.next() * finding.amount.top.length);
    const by = 1 + Math.floor(random.next() * 9);
    const top = Array.from<Integer, bigint>(
      finding.amount.top,
      (one, j) => BigInt(one) + BigInt(j === place ? by : 0),
    );
    const altered = { ...finding, amount: { ...finding.amount, top } };
    const findings = cell.findings.map((one, j) => (j === k ? altered : one));
    const more = cells.map((one, j) => (j === at ? { ...one, findings } : one));
    const bound = boundOf(claims, altered);
    if (bound === null) continue;
    texts.push(boundsText(shape, piece, { cells: more, claims }));
    matters.push(isPositiveSomewhere(cell.cone, beyondShare(altered.amount, bound)));
  }
  expect(answers("z3", texts)).toEqual(matters.map((one) => (one ? "sat" : "unsat")));
}, 120_000);

function boundOf(claims: readonly ProvedClaim[], one: Pick<ProvedClaim, "property" | "regime" | "start">) {
  const claim = claims.find(
    ({ property, regime, start }) =>
      property === one.property && regime === one.regime && start === one.start,
  );
  return claim === undefined || claim.worst === "unbounded" ? null : fraction(...ratioOf(claim.worst));
}

function ratioOf(text: string): [bigint, bigint] {
  const [above = "0", below = "1"] = text.split("/");
  return [BigInt(above), BigInt(below)];
}

it("a cell that is left out is found", () => {
  const shape = shapeOf("online");
  const texts = piecesOf(shape).flatMap((piece) => {
    const cells = [...cellsOf(shape, piece)];
    return cells.length < 2 ? [] : [coverText(shape, piece, cells.slice(1))];
  });
  expect(answers("z3", texts)).toEqual(texts.map(() => "sat"));
}, 120_000);

it("a hypothesis that is left out of an induction is found", () => {
  const rules = { ...paperRules, firstRoundRatio: exactly(paperRules.firstRoundRatio) };
  const { obligations } = proveForAny(mechanismNamed("falling-price").program!, rules);
  const round = obligations.find(({ name }) => name === "round")!;
  const texts = round.hypotheses.map((_, k) =>
    toSmt({
      ...round,
      hypotheses: round.hypotheses.filter((_, j) => j !== k) as readonly (readonly [string, Formula])[],
    }),
  );
  expect(answers("z3", texts)).toEqual(texts.map(() => "sat"));
});

it("a folder of files comes with a manifest and a script, and is a new one", async () => {
  const folder = join(temporaryFolder(), "proof");
  const asked = [
    "prove",
    "--workers",
    "any",
    "--rounds",
    "any",
    "--mechanism",
    "falling-price",
    "--smt2",
    folder,
  ];
  expect((await candor(asked)).code).toBe(0);
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as {
    files: { file: string; expect: string }[];
  };
  expect(manifest.files.map(({ file }) => file)).toContain("round.smt2");
  const { status, stdout } = spawnSync("sh", [join(folder, "check.sh"), "z3"], { encoding: "utf8" });
  expect([status, stdout.trim()]).toEqual([
    0,
    `z3: ${manifest.files.length} of ${manifest.files.length} files are unsat`,
  ]);
  writeFileSync(join(folder, "round.smt2"), "(check-sat)\n");
  expect(spawnSync("sh", [join(folder, "check.sh")], { encoding: "utf8" }).status).toBe(1);
  const again = await candor(asked);
  expect(again.code).toBe(2);
  expect(again.stderr).toMatch(/is not empty: --smt2 needs a new folder/);
});
