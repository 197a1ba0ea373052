/** `candor prove`: settles the claims for all costs, all budgets and all arrivals of a shape. */

import type { Command } from "commander";
import { plainError } from "../lib/errors.js";
import { exactly, type Fraction, fraction } from "../lib/fraction.js";
import { paperRules, type Reading } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import { claimsOf, type ProvedClaim, piecesOf } from "../verdicts/proofs/prove.js";
import { isProvable, type PlainShape, plainShape, type Shape } from "../verdicts/proofs/shape.js";
import { mergedSummary, type Summary, summaryOf } from "../verdicts/proofs/worst.js";
import { resolveMechanism } from "./mechanism.js";
import { proofText } from "./prove-text.js";
import type { Session } from "./session.js";
import { fractionOption, integerOption, listOption, required, wordOption } from "./values.js";

interface Flags {
  readonly workers?: number;
  readonly rounds?: number;
  readonly shapes?: readonly (readonly [workers: number, rounds: number])[];
  readonly reputations?: readonly Fraction[];
  readonly ratio: Fraction;
  readonly minWorkers: number;
  readonly reading: Reading;
  readonly mechanism: string;
  readonly arrivals?: readonly number[];
  readonly json?: boolean;
}

const examples = `
Every market with so many workers and rounds is looked at, whatever its costs, its budget and its arrivals, and every lie
about price and arrival. A claim is proved, or breaks: then the worst case is an exact fraction of the budget, with a
market that shows it. The exit code is 1 if a claim breaks.

Examples:
  candor prove --workers 2 --rounds 3
  candor prove --workers 3 --rounds 2 --mechanism falling-price
  candor prove --rounds 2 --reputations 1/2,1,3 --arrivals 1,1,2 --json
  candor prove --shapes 2x2,2x3,3x2`;

export function define(command: Command, session: Session): void {
  command
    .option("--workers <n>", "how many workers", integerOption("--workers", { from: 1, to: 12 }))
    .option("--rounds <T>", "rounds T", integerOption("--rounds", { from: 1, to: 1000 }))
    .option("--shapes <list>", "several numbers of workers and rounds, such as 2x2,2x3", shapesOption)
    .option(
      "--reputations <list>",
      "reputations of workers 0, 1, …, as decimals or fractions (1 each)",
      listOption(fractionOption("--reputations", { from: 0, to: 1e12 })),
    )
    .option(
      "--ratio <r>",
      "share of the budget for the first step",
      fractionOption("--ratio", { from: 0, to: 1 }),
      exactly(paperRules.firstRoundRatio),
    )
    .option(
      "--min-workers <m>",
      "fewest workers to start with",
      integerOption("--min-workers", { from: 0 }),
      paperRules.minWorkers,
    )
    .option(
      "--reading <name>",
      "prose or pseudocode",
      wordOption("--reading", ["prose", "pseudocode"]),
      paperRules.reading,
    )
    .option("--mechanism <name>", "the auction; candor list shows what there is", "online")
    .option(
      "--arrivals <list>",
      "true arrivals of workers 0, 1, … (all there are)",
      listOption(integerOption("--arrivals", { from: 1 })),
    )
    .option("--json", "one JSON object per shape and line")
    .addHelpText("after", examples)
    .action((flags: Flags) => run(flags, session));
}

const shapesOption = listOption((text): [number, number] => {
  const [, workers, rounds] = /^(\d+)x(\d+)$/.exec(text) ?? [];
  if (workers === undefined || rounds === undefined)
    throw plainError("--shapes", `must be workers x rounds, such as 2x3, got ${JSON.stringify(text)}`);
  return [
    integerOption("--shapes", { from: 1, to: 12 })(workers),
    integerOption("--shapes", { from: 1, to: 1000 })(rounds),
  ];
});

async function run(flags: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(flags.mechanism);
  for (const [k, shape] of shapesOf(flags, mechanism).entries()) {
    const record = await proofOf(shape, session);
    if (record === null) return;
    if (record.claims.some(({ verdict }) => verdict === "breaks")) session.exitCode = 1;
    if (flags.json) session.spool.write(`${JSON.stringify(recordJson(record))}\n`);
    else session.spool.write(`${k === 0 ? "" : "\n\n"}${proofText(record, flags.mechanism)}`);
  }
}

function shapesOf(flags: Flags, mechanism: AnyMechanism): PlainShape[] {
  if (!isProvable(mechanism))
    throw plainError(
      "--mechanism",
      `${mechanism.name} is not written as a text that pays as it says: nothing can be proved`,
    );
  return sizesOf(flags).map(([workers, rounds]) => {
    const { ratio, minWorkers, reading, arrivals } = flags;
    const reputations = flags.reputations ?? Array.from({ length: workers }, () => fraction(1));
    if (reputations.length !== workers)
      throw plainError("--reputations", `must be ${workers}, one per worker, got ${reputations.length}`);
    const shape: Shape = { mechanism, rounds, reputations, firstRoundRatio: ratio, minWorkers, reading };
    if (arrivals === undefined) return demandFew(plainShape(shape));
    if (arrivals.length !== workers)
      throw plainError("--arrivals", `must be ${workers}, one per worker, got ${arrivals.length}`);
    const late = arrivals.find((arrival) => arrival > rounds);
    if (late !== undefined)
      throw plainError("--arrivals", `must be at most ${rounds}, the last round, got ${late}`);
    return plainShape({ ...shape, arrivals });
  });
}

function sizesOf({ shapes, workers, rounds, reputations }: Flags): readonly (readonly [number, number])[] {
  if (shapes !== undefined) {
    if (workers === undefined && rounds === undefined) return shapes;
    throw plainError("--shapes", "says workers and rounds itself: leave --workers and --rounds out");
  }
  return [
    [
      required(workers ?? reputations?.length, "--workers", "an integer ≥ 1"),
      required(rounds, "--rounds", "an integer ≥ 1"),
    ],
  ];
}

/** More arrivals than this are not even listed. */
const MOST_PATTERNS = 200_000;

function demandFew(shape: PlainShape): PlainShape {
  const { rounds, reputations } = shape;
  const patterns = rounds ** reputations.length;
  if (patterns <= MOST_PATTERNS) return shape;
  throw plainError(
    "--rounds",
    `${reputations.length} workers can arrive in ${patterns} ways in ${rounds} rounds, more than ${MOST_PATTERNS}: ` +
      "fix their arrivals with --arrivals",
  );
}

export interface ProofRecord {
  /** As it was asked for; a variant's rules are in place. */
  readonly shape: PlainShape;
  readonly claims: readonly ProvedClaim[];
}

/** Null where Ctrl-C was pressed: a part of the cells proves nothing. */
async function proofOf(shape: PlainShape, session: Session): Promise<ProofRecord | null> {
  const gauge = session.gauge();
  const pieces = piecesOf(shape);
  let summary: Summary = {};
  for (const [k, piece] of pieces.entries()) {
    summary = mergedSummary(summary, summaryOf(shape, piece));
    gauge.show({ done: (k + 1) / pieces.length, what: soFar(summary), items: k + 1, unit: "items" });
    if (!(await session.goesOn())) return null;
  }
  gauge.clear();
  return { shape, claims: claimsOf(shape, summary) };
}

function soFar(summary: Summary): string {
  const known = Object.values(summary);
  const cells = known.reduce((sum, one) => sum + one.cells, 0);
  return `${cells} cells, ${known.filter(({ at }) => at !== null).length} claims broken so far`;
}

function recordJson({ shape, claims }: ProofRecord) {
  const { mechanism, rounds, reputations, firstRoundRatio, minWorkers, reading, arrivals } = shape;
  return {
    mechanism: mechanism.name,
    workers: reputations.length,
    rounds,
    reputations: reputations.map((one) => one.toFraction()),
    firstRoundRatio: firstRoundRatio.toFraction(),
    minWorkers,
    reading,
    ...(arrivals && { arrivals }),
    claims: claims.map(claimJson),
  };
}

function claimJson({ property, regime, start, verdict, worst, attained, cells, witness }: ProvedClaim) {
  return {
    property,
    regime,
    ...(start !== null && { start }),
    verdict,
    worst,
    ...(witness !== null && { attained }),
    cells,
    ...(witness !== null && { witness: witnessJson(witness) }),
  };
}

function witnessJson({ market, worker, bid, gain, share }: NonNullable<ProvedClaim["witness"]>) {
  return { market, ...(worker !== null && { worker }), ...(bid !== null && { bid }), gain, share };
}
