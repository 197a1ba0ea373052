/** `candor prove`: settles the claims for all costs, all budgets above 0 and all arrivals of a shape. */

import { basename } from "node:path";
import { NotLinear } from "../auction/amounts.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import { plainError, showValue } from "../lib/errors.js";
import { brief, capital, columnOf, counted, listed, percent, quoted, table, whole } from "../lib/format.js";
import { exactly, type Fraction, fraction, parseFraction, toNumber } from "../lib/fraction.js";
import { paperRules } from "../market/market.js";
import { ruleTable } from "../market/rules.js";
import { readingFacts } from "../market/words.js";
import { mechanismNamed } from "../mechanisms/index.js";
import type { HeadLine, ProgramSource } from "../proofs/certificate-format.js";
import { replayable } from "../proofs/find-witness.js";
import { allClaims, claimsAbout } from "../proofs/program.js";
import { type ProvedClaim, provedClaims, tooManyArrivals } from "../proofs/prove.js";
import {
  demandNoContradiction,
  isProvable,
  MOST_PROVABLE_ROUNDS,
  MOST_PROVABLE_WORKERS,
  type PlainShape,
  plainShape,
  problemOfIds,
  type Shape,
} from "../proofs/shape.js";
import type { WrittenAmount, WrittenBid, WrittenMarket } from "../proofs/witness.js";
import type { Cells } from "../study/job.js";
import { type ProofCell, proofCells, proofSummaries } from "../study/proofs.js";
import { parseAddress } from "../study/redis/connect.js";
import { replayCommand } from "../verdicts/explain.js";
import { isOutside, OUTSIDE, regimeText } from "../verdicts/outside.js";
import { checksumOfFile, splitFile } from "./extension.js";
import { program, version } from "./program.js";
import { named, resolveMechanism, THREAD } from "./resolve.js";
import { ruleOption, unsetRule } from "./rules.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const examples = `
Every market with these workers and so many rounds is looked at, whatever its costs, its budget and its arrivals, and every
lie about price and arrival. Ids are 0, 1, …; they say who is in which group (even or odd) and who wins a tie: --ids gives others. A claim is proved, or breaks: then the worst case is an exact fraction of the budget, with a
market that shows it. The exit code is 1 if a claim breaks; with --verify it is 0 if the certificate holds, whatever it
says, and 2 if it does not. With --workers any a claim is proved for every number of workers, or it is said what is missing,
or a small market breaks it; --rounds any does so for every number of rounds. A certificate on a mechanism of your own holds a digest of its file and of what that imports by
relative path; --verify never runs a file that a certificate names: give the file with --mechanism.

Examples:
  candor prove --workers 2 --rounds 3
  candor prove --workers 3 --rounds 2 --mechanism falling-price
  candor prove --rounds 2 --reputations 1/2,1,3 --arrivals 1,1,2 --json
  candor prove --workers 2 --rounds 2 --ids 0,2
  candor prove --shapes 2x2,2x3,3x2
  candor prove --workers 2 --rounds 2 --pairs
  candor prove --workers any --rounds any --mechanism posted-rounds
  candor prove --workers 3 --rounds 2 --certificate proof.jsonl.gz; candor prove --verify proof.jsonl.gz
  candor prove --workers any --rounds any --smt2 proof; sh proof/check.sh z3; sh proof/check.sh cvc5
  candor prove --verify proof-of-mine.jsonl.gz --mechanism ./mine.ts`;

const workers = option.integer("<n>", "how many workers, or any", { from: 1, to: MOST_PROVABLE_WORKERS });
const rounds = option.integer("<T>", "rounds T, or any (with --workers any)", {
  from: 1,
  to: MOST_PROVABLE_ROUNDS,
});

/** A number, or any. */
const orAny = ({ hint, about, read }: typeof workers) =>
  option.value(hint, about, (typed, flag): number | "any" => (typed === "any" ? "any" : read(typed, flag)));

/** "2x3". */
function readShape(typed: string, flag: string): readonly [workers: number, rounds: number] {
  const [, many, long] = /^(\d+)x(\d+)$/.exec(typed) ?? [];
  if (many !== undefined && long !== undefined) return [workers.read(many, flag), rounds.read(long, flag)];
  throw plainError(flag, `must be workers x rounds, such as 2x3, got ${JSON.stringify(typed)}`);
}

const reputation = option.fraction(
  "<list>",
  "reputations of workers 0, 1, …, as decimals or fractions (1 each)",
  { from: 0, to: 1e12 },
);

export const USUAL = "online";

const options = {
  workers: orAny(workers),
  rounds: orAny(rounds),
  shapes: option.list(
    option.value("<list>", "several numbers of workers and rounds, such as 2x2,2x3", readShape),
  ),
  reputations: option.list(reputation),
  ids: option.list(
    option.integer("<list>", "ids of the workers, in increasing order (0, 1, …)", {
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
    }),
  ),
  ratio: option.fraction("<r>", `${ruleTable.firstRoundRatio.about} (7/20)`, { from: 0, to: 1 }),
  minWorkers: ruleOption("minWorkers").default(paperRules.minWorkers),
  reading: ruleOption("reading").default(paperRules.reading),
  firstStep: unsetRule("firstStep"),
  delay: unsetRule("delay"),
  mechanism: option.text("<name>", `the auction; candor list shows what there is (${USUAL})`),
  arrivals: option.list(
    option.integer("<list>", "true arrivals of workers 0, 1, … (all there are)", { from: 1 }),
  ),
  pairs: option.flag("instead of the claims: what every two workers gain who lie together and share it"),
  certificate: option.text("<file>", "write the proof to a file, compressed if its name ends in .gz"),
  smt2: option.text(
    "<folder>",
    "write the proof as SMT-LIB 2 files, for solvers such as z3 and cvc5, in a new folder",
  ),
  verify: option.text(
    "<file>",
    "check such a certificate, with code that is independent of the search for the proof",
  ),
  threads: option.integer(
    "<count>",
    "how many work at once, else one per core where it takes long; results are the same on any number",
    { from: 1, to: 256 },
  ),
  resume: option.flag("go on with a proof that was stopped, from the journal in the folder of --out"),
  out: option.text("<folder>", "where the journal of a long proof is").default("reports/proofs"),
  redis: option.value("<url>", "have the work done by candor worker on other machines", parseAddress),
  json: option.flag("one JSON object per shape and line"),
};

export type Flags = option.FlagsOf<typeof options>;

export const define = option.command({ options, help: examples }, run);

async function run(flags: Flags, session: Session): Promise<void> {
  if (flags.verify !== undefined) return verify(flags.verify, flags, session);
  if (flags.smt2 !== undefined) (await import("./smt-files.js")).demandNewFolder(flags.smt2);
  if (flags.workers === "any") return (await import("./prove-any.js")).proveAny(flags, session);
  const { mechanism: spec = USUAL, pairs = false, certificate } = flags;
  // Before the file is loaded: what is proved must not be of an older one than what is named.
  const source = sourceOf(spec);
  const mechanism = await resolveMechanism(spec);
  const shapes = shapesOf(flags, mechanism);
  if (certificate !== undefined && shapes.length > 1)
    throw plainError("--certificate", "is for one shape at a time");
  if (flags.smt2 !== undefined && shapes.length > 1) throw plainError("--smt2", "is for one shape at a time");
  const claims = pairs ? claimsAbout(["pair"]) : allClaims;
  const cells = shapes.map((shape) => cellsFor(shape, mechanism, pairs));
  const asked = { cells, mechanism, named: named(spec), program: program(), entry: THREAD };
  const { calledAs } = session;
  const summaries = await proofSummaries({ ...asked, command: commandText(flags), calledAs }, flags, session);
  for (const [k, shape] of shapes.entries()) {
    const summary = summaries[k]!;
    const record = { shape, claims: provedClaims(shape, summary, claims) };
    if (record.claims.some(({ verdict }) => verdict === "breaks")) session.exitCode = 1;
    print(record, { json: flags.json, mechanism: spec, first: k === 0 }, session);
    if (flags.smt2 !== undefined) {
      const { smtFilesOfShape, writeSmtFiles } = await import("./smt-files.js");
      const about = `claims of ${mechanism.name}: ${headText(record, spec)}`;
      await writeSmtFiles(flags.smt2, smtFilesOfShape(shape, record.claims, pairs), about);
    }
    if (certificate !== undefined)
      await (await certificateFiles()).writeCertificate(
        certificate,
        { ...record, program: source, version: version(), pairs, summary },
        session,
      );
  }
}

/** Whose program a proof is about. */
function sourceOf(spec: string): ProgramSource {
  const { file, settings } = splitFile(spec);
  if (file === null) return { builtIn: spec };
  return { file: basename(file), ...(settings !== undefined && { settings }), sha256: checksumOfFile(file) };
}

/** Loaded only where there is a file to write or to check. */
const certificateFiles = () => import("./certificate-file.js");

/** The text is run for the first time here. */
function cellsFor(shape: PlainShape, { name }: AnyMechanism, pairs?: boolean): Cells<ProofCell> {
  try {
    return proofCells(shape, null, pairs);
  } catch (error) {
    if (error instanceof NotLinear)
      throw plainError("--mechanism", `${name} ${error.message}: nothing can be proved`);
    throw error;
  }
}

/** A certificate that holds is no broken property, whatever its claims are: the exit code is 0. */
async function verify(path: string, flags: Flags, session: Session): Promise<void> {
  const { verifyCertificate } = await certificateFiles();
  const verified = await verifyCertificate(path, (head) => headShape(head, path, flags.mechanism), session);
  if (verified === null) return;
  const { head, shape, cells } = verified;
  const mechanism = flags.mechanism ?? ("builtIn" in head.program ? head.program.builtIn : USUAL);
  const { program, candor, proof, kernel } = head;
  const facts = { program, cells, format: proof, kernel, writtenBy: candor, checkedBy: version() };
  print(
    { shape, claims: head.claims, verified: facts },
    { json: flags.json, mechanism, first: true },
    session,
  );
  if (!flags.json) session.spool.write(verifiedText(path, mechanism, facts));
}

interface Verified {
  readonly program: ProgramSource;
  readonly cells: number;
  readonly format: number;
  readonly kernel: number;
  /** Versions of the package. */
  readonly writtenBy: string;
  readonly checkedBy: string;
}

/** What was verified, and of which program. */
function verifiedText(path: string, mechanism: string, facts: Verified): string {
  const { program, cells, format, kernel, writtenBy, checkedBy } = facts;
  const whose =
    "builtIn" in program
      ? `${mechanism}, as it comes with candor ${checkedBy}`
      : `${mechanism} and what it imports by relative path, sha-256 ${program.sha256}\n` +
        "    (packages, and files whose names are computed, are not in the digest)";
  const other = writtenBy === checkedBy ? "" : `, checked by candor ${checkedBy}`;
  return [
    "",
    `Verified: ${path} proves this, in ${counted(cells, "cell")}.`,
    `  program: ${whose}`,
    `  certificate: format ${format}, kernel ${kernel}, written by candor ${writtenBy}${other}`,
    "",
  ].join("\n");
}

/** What the first line of a certificate says, held to the same rules as what a command line says. */
async function headShape(head: HeadLine, path: string, given: string | undefined): Promise<PlainShape> {
  const mechanism = await headMechanism(head.program, path, given);
  const whole = (value: unknown, name: string) => rounds.read(String(value), name);
  const [shape] = shapesOf(
    {
      rounds: whole(head.rounds, "rounds"),
      reputations: head.reputations.map((one) => reputation.read(one, "reputations")),
      ...(head.ids && { ids: head.ids }),
      ratio: options.ratio.read(head.firstRoundRatio, "firstRoundRatio"),
      minWorkers: options.minWorkers.read(String(head.minWorkers), "minWorkers"),
      reading: options.reading.read(head.reading, "reading"),
      firstStep: options.firstStep.read(head.firstStep, "firstStep"),
      delay: options.delay.read(head.delay, "delay"),
      ...(head.arrivals && { arrivals: head.arrivals.map((one) => whole(one, "rounds")) }),
    },
    mechanism,
  );
  return shape!;
}

/** A built-in mechanism by its name; a file only where it was given by hand, and only with the digest of the certificate. */
async function headMechanism(
  source: ProgramSource,
  path: string,
  given: string | undefined,
): Promise<AnyMechanism> {
  if ("builtIn" in source) {
    if (given !== undefined && given !== source.builtIn)
      throw plainError("--mechanism", `${path} is about ${showValue(source.builtIn)}, not about ${given}`);
    return mechanismNamed(String(source.builtIn), "program");
  }
  const whose = `a file that was called ${showValue(source.file)}`;
  const settings = source.settings === undefined ? "" : `:${source.settings}`;
  if (given === undefined)
    throw plainError(
      "--mechanism",
      `must be given: ${path} is about ${whose}, and no file that a certificate names is run; give your own as --mechanism ./FILE${settings}`,
    );
  const own = sourceOf(given);
  if ("builtIn" in own) throw plainError("--mechanism", `must be a file: ${path} is about ${whose}`);
  if (own.sha256 !== source.sha256)
    throw plainError(
      "--mechanism",
      `is not what ${path} is about: the sha-256 of ${given} with its imports is ${own.sha256}, not ${showValue(source.sha256)}`,
    );
  if (own.settings !== source.settings)
    throw plainError("--mechanism", `must be set as in ${path}: ./FILE${settings}, got ${given}`);
  return resolveMechanism(given);
}

interface Printing {
  /** As it was named. */
  readonly mechanism: string;
  readonly first: boolean;
  readonly json: boolean | undefined;
}

function print(record: ProofRecord, { json, mechanism, first }: Printing, session: Session): void {
  if (json) session.spool.write(`${JSON.stringify(recordJson(record))}\n`);
  else session.spool.write(`${first ? "" : "\n\n"}${proofText(record, mechanism)}`);
}

/** What was asked for, in the words of a command line. */
function commandText(flags: Flags): string {
  const { workers, rounds, minWorkers, reading, firstStep, delay } = flags;
  const [mechanism, out] = [quoted(flags.mechanism ?? USUAL), quoted(flags.out)];
  const certificate = flags.certificate && quoted(flags.certificate);
  const shapes = flags.shapes?.map((size) => size.join("x")).join(",");
  const reputations = flags.reputations?.map((one) => one.toFraction()).join(",");
  const ids = flags.ids?.join(",");
  const ratio = flags.ratio?.toFraction();
  const arrivals = flags.arrivals?.join(",");
  const rules = { reputations, ids, ratio, minWorkers, reading, firstStep, delay, mechanism, arrivals };
  const given = option.typed({ workers, rounds, shapes, ...rules, certificate, out });
  return ["prove", ...given, ...(flags.pairs ? ["--pairs"] : [])].join(" ");
}

/** What a shape is made of. */
type ShapeFlags = Omit<Flags, "mechanism" | "out">;

function shapesOf(flags: ShapeFlags, mechanism: AnyMechanism): PlainShape[] {
  if (!isProvable(mechanism))
    throw plainError(
      "--mechanism",
      `${mechanism.name} has no program that pays as it says: nothing can be proved`,
    );
  return sizesOf(flags).map(([workers, rounds]) => {
    const { ratio = exactly(paperRules.firstRoundRatio), minWorkers, reading, arrivals } = flags;
    const { firstStep = paperRules.firstStep, delay = paperRules.delay } = flags;
    const reputations = flags.reputations ?? Array.from({ length: workers }, () => fraction(1));
    if (reputations.length !== workers)
      throw plainError("--reputations", `must be ${workers}, one per worker, got ${reputations.length}`);
    const { ids } = flags;
    const problem = ids && problemOfIds(ids, workers);
    if (problem) throw plainError("--ids", `must be ${problem}, got ${ids.join(",")}`);
    const rules = { rounds, firstRoundRatio: ratio, minWorkers, reading, firstStep, delay };
    const shape: Shape = { mechanism, reputations, ...(ids && { ids }), ...rules };
    for (const [name, flag] of [
      ["firstStep", "--first-step"],
      ["delay", "--delay"],
    ] as const)
      if (flags[name] !== undefined)
        demandNoContradiction(mechanism, shape, [name], () => ({ source: flag, path: [] }));
    if (arrivals === undefined) return demandFew(plainShape(shape));
    if (arrivals.length !== workers)
      throw plainError("--arrivals", `must be ${workers}, one per worker, got ${arrivals.length}`);
    const late = arrivals.find((arrival) => arrival > rounds);
    if (late !== undefined)
      throw plainError("--arrivals", `must be at most ${rounds}, the last round, got ${late}`);
    return plainShape({ ...shape, arrivals });
  });
}

function sizesOf({
  shapes,
  workers,
  rounds,
  reputations,
  ids,
}: ShapeFlags): readonly (readonly [number, number])[] {
  if (workers === "any") throw plainError("--workers", "any is for no certificate");
  if (rounds === "any") throw plainError("--rounds", "any is for --workers any");
  if (shapes !== undefined) {
    if (workers === undefined && rounds === undefined) return shapes;
    throw plainError("--shapes", "gives workers and rounds: leave --workers and --rounds out");
  }
  return [
    [
      option.required(workers ?? reputations?.length ?? ids?.length, "--workers", "an integer ≥ 1"),
      option.required(rounds, "--rounds", "an integer ≥ 1"),
    ],
  ];
}

function demandFew(shape: PlainShape): PlainShape {
  const problem = tooManyArrivals(shape);
  if (problem === null) return shape;
  throw plainError("--rounds", `${problem}: fix their arrivals with --arrivals`);
}

interface ProofRecord {
  /** As it was asked for; a variant's rules are in place. */
  readonly shape: PlainShape;
  readonly claims: readonly ProvedClaim[];
  /** Where a certificate was checked. */
  readonly verified?: Verified;
}

function recordJson({ shape, claims, verified }: ProofRecord) {
  const { mechanism, rounds, reputations, ids, firstRoundRatio, minWorkers, reading, arrivals } = shape;
  const { firstStep, delay } = shape;
  return {
    mechanism: mechanism.name,
    workers: reputations.length,
    rounds,
    reputations: reputations.map((one) => one.toFraction()),
    ids,
    firstRoundRatio: firstRoundRatio.toFraction(),
    minWorkers,
    reading,
    firstStep,
    delay,
    ...(arrivals && { arrivals }),
    claims: claims.map((claim) => ({
      ...claimJson(claim),
      ...(isOutside(mechanism, claim.property, claim.regime) && { outsideClaim: true }),
    })),
    ...(verified && { verified }),
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

export function witnessJson({
  market,
  worker,
  bid,
  partner,
  gain,
  share,
}: NonNullable<ProvedClaim["witness"]>) {
  const lie = { ...(bid !== null && { bid }), ...(partner && { partner }) };
  return { market, ...(worker !== null && { worker }), ...lie, gain, share };
}

/** What is printed for people. */
function proofText(record: ProofRecord, named: string): string {
  const { claims } = record;
  const broken = claims.filter(({ witness }) => witness !== null);
  const parts = [headText(record, named), claimsTables(record), verdictText(record)];
  return `${[...parts, ...broken.map((claim) => witnessText(record.shape, claim, named))].join("\n\n")}\n`;
}

function headText({ shape }: ProofRecord, named: string): string {
  const { reputations, ids, rounds, firstRoundRatio, minWorkers, arrivals } = shape;
  const when = arrivals === undefined ? "all arrivals" : `arrivals ${listed(arrivals)}`;
  return [
    `For all costs, all budgets above 0 and ${when}, with ${ids.length === 1 ? "worker" : "workers"} ${listed(ids)} ` +
      `(${reputationText(reputations)}) and ${counted(rounds, "round")}`,
    `(mechanism ${named}, first-round ratio ${firstRoundRatio.toFraction()}, starts with at least ` +
      `${counted(minWorkers, "worker")}, ${readingFacts(shape).join(", ")}):`,
  ].join("\n");
}

function reputationText(reputations: readonly Fraction[]): string {
  const [first] = reputations;
  if (reputations.every((one) => one.equals(first!))) return `equal reputation ${first!.toFraction()}`;
  return `reputations ${listed(reputations.map((one) => one.toFraction()))}`;
}

/** What the source of the mechanism claims nothing about stands apart. */
function claimsTables({ shape, claims }: ProofRecord): string {
  const isApart = ({ property, regime, cells }: ProvedClaim) =>
    cells > 0 && isOutside(shape.mechanism, property, regime);
  const apart = claims.filter(isApart);
  if (apart.length === 0) return claimsTable(claims);
  const inside = claims.filter((claim) => !isApart(claim));
  return [claimsTable(inside), `${capital(OUTSIDE)}:`, claimsTable(apart)].join("\n\n");
}

/** Without those that no market of the shape, or no lie, is a case of. */
function claimsTable(all: readonly ProvedClaim[]): string {
  const claims = all.filter(({ cells }) => cells > 0);
  const column = columnOf(claims);
  return table([
    column("property", ({ property }) => property),
    column("regime", ({ regime }) => regime),
    column("start", ({ start }) => start ?? ""),
    column("verdict", ({ verdict }) => verdict),
    column("worst case", ({ worst, witness }) => (witness === null ? "" : worst)),
    column("reached", ({ attained, witness }) => (witness === null ? "" : attained ? "yes" : "as a limit")),
    column("cells", ({ cells }) => whole(cells)),
  ]);
}

function verdictText({ shape, claims }: ProofRecord): string {
  const broken = claims.filter(({ verdict }) => verdict === "breaks");
  const apart = broken.filter(({ property, regime }) => isOutside(shape.mechanism, property, regime)).length;
  const where =
    apart === 0 ? "" : ` ${apart === broken.length ? "All" : apart} of those that break are ${OUTSIDE}.`;
  const count = broken.length === 0 ? "All claims are proved." : countText(broken.length, claims.length);
  return [
    `${count}${where}`,
    "The worst case is the least upper bound of the gain (P1: of the loss; P2: of the overspending) as a",
    "fraction of the budget. A cell is a region of costs and prices in which all decisions are the same.",
  ].join("\n");
}

const countText = (broken: number, all: number): string =>
  `${counted(broken, "claim")} of ${all} ${broken === 1 ? "breaks" : "break"}, the others are proved.`;

function witnessText(shape: PlainShape, claim: ProvedClaim, named: string): string {
  const title = [
    claim.property,
    regimeText(shape.mechanism, claim.property, claim.regime),
    ...(claim.start === null ? [] : [`start ${claim.start}`]),
  ];
  return [`${title.join(", ")}: ${boundText(claim)}`, shownText(shape, claim, named)].join("\n");
}

/** What happens in a witness, and how to replay it. */
export const shownText = (shape: PlainShape, claim: ProvedClaim, named: string): string =>
  [`  ${sentence(claim)}`, ...replayText(shape, claim, named)].join("\n");

/** How to replay a witness; or the witness itself, where it needs fractions that no decimal writes. */
function replayText(shape: PlainShape, claim: ProvedClaim, named: string): string[] {
  const replay = replayable(shape, claim, claim.witness!);
  if (replay === null)
    return [
      `  market: ${JSON.stringify(claim.witness!.market)}`,
      "  It is certified in fractions; no decimals write it, so no other command reads it.",
    ];
  const { market, bid: lie, partner, scale } = replay;
  const note = scale === "1" ? "" : ` (reputations times ${scale}, which changes no payment)`;
  const given = { source: "stdin:1", market, lie, mechanism: named, ...(partner && { partner }) };
  return [`  replay${note}: ${replayCommand(given)}`];
}

const nouns: Partial<Record<ProvedClaim["property"], string>> = { P1: "loss", P2: "overspending" };

function boundText({ property, worst, attained }: ProvedClaim): string {
  const noun = nouns[property] ?? "gain";
  if (worst === "unbounded") return `no bound on the ${noun}`;
  const size = `${worst} of the budget (${percent(parseFraction(worst).valueOf())})`;
  return attained
    ? `the largest ${noun} is ${size}`
    : `the ${noun} comes arbitrarily close to ${size} but never reaches it`;
}

/** What happens in the witness. */
function sentence({ property, witness }: ProvedClaim): string {
  const { market, worker, bid, partner, gain, share } = witness!;
  const amount = `${amountText(numberOf(gain))} of a budget of ${amountText(market.rules.budget)} (${share})`;
  if (property === "P2") return `In this market the payments exceed the budget by ${amount}.`;
  if (bid === null) return `In this market worker ${worker} is paid less than its cost, by ${amount}.`;
  if (partner) {
    const lies = [bid, partner].map(
      (one) => `worker ${one.worker} ${lieWords(one, market) || "telling the truth"}`,
    );
    return `In this market workers ${worker} and ${partner.worker} gain ${amount} together: ${lies.join(", ")}.`;
  }
  return `In this market worker ${worker} gains ${amount} by ${lieWords(bid, market)}.`;
}

const numberOf = (text: string): number => toNumber(parseFraction(text));

/** A number in five digits, or a fraction as it is. */
const amountText = (amount: WrittenAmount): string => (typeof amount === "number" ? brief(amount) : amount);

function lieWords({ worker, price, arrival }: WrittenBid, { workers }: WrittenMarket): string {
  const truth = workers.find(({ id }) => id === worker)!;
  return [
    ...(price === truth.cost ? [] : [`bidding ${amountText(price)} instead of ${amountText(truth.cost)}`]),
    ...(arrival === truth.arrival ? [] : [`arriving at ${arrival} instead of ${truth.arrival}`]),
  ].join(" and ");
}
