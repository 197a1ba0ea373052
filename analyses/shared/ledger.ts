/** The ledger: every checkable claim of the paper with what became of it, and where that hangs on how the rules are read. */

import { runAuction } from "../../src/auction/mechanism.js";
import { many, percent } from "../../src/lib/format.js";
import { stream } from "../../src/lib/random.js";
import { ruleOfThree } from "../../src/lib/statistics.js";
import { drawMarket } from "../../src/market/draw.js";
import { drawFrom, marketsIn } from "../../src/market/generators.js";
import type { Bid, Market } from "../../src/market/market.js";
import { paperRules } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { compareWorst } from "../../src/proofs/worst.js";
import { type AnyNumber, settledForAny } from "../../src/verdicts/ledger/any-number.js";
import {
  type ExperimentName,
  type PaperClaim,
  type PaperSlip,
  paperClaims,
  paperSlips,
  plainQuote,
  type TheoremName,
} from "../../src/verdicts/ledger/claims.js";
import {
  type ReadingChoice,
  readingChoices,
  readingText,
  usualReading,
} from "../../src/verdicts/ledger/readings.js";
import { lookAtSteps, type StepName, type StepRecord } from "../../src/verdicts/ledger/steps.js";
import {
  aboveHalf,
  type SmallShape,
  settleShape,
  shapeText,
  smallShapes,
  type TheoremRecord,
  type TheoremWitness,
} from "../../src/verdicts/ledger/theorems.js";
import type { LedgerMethod, LedgerVerdict } from "../../src/verdicts/ledger/verdicts.js";
import { type ExperimentRecord, experimentRecords } from "./experiments.js";

export interface LedgerWitness {
  readonly market: Market;
  readonly worker: number | null;
  readonly lie: Bid | null;
  /** The gain, the loss or the overspending; null where the sentence is about something else. */
  readonly amount: number | null;
  /** The ids of the paper's sentences that are not true in this market. */
  readonly contradicts: readonly string[];
}

/** What became of a claim under one reading. */
export interface LedgerVerdictRecord {
  readonly verdict: LedgerVerdict;
  readonly how: LedgerMethod;
  readonly evidence: string;
  readonly witness: LedgerWitness | null;
}

/** The verdict where the rules are read otherwise. */
export interface LedgerChange extends LedgerVerdictRecord {
  readonly under: string;
  readonly reading: ReadingChoice;
  /** Whether the first-round ratio is above one half there. */
  readonly aboveHalf: boolean;
}

export interface LedgerEntry extends LedgerVerdictRecord {
  readonly id: string;
  readonly where: string;
  /** As in the paper's LaTeX, and as text. */
  readonly quote: string;
  readonly words: string;
  readonly asks: string;
  /** The paper's condition, outside of which it claims nothing; null where it makes none. */
  readonly within: string | null;
  /** Under which other readings the verdict is another. */
  readonly changes: readonly LedgerChange[];
  readonly command: string;
}

export interface LedgerSlip extends PaperSlip {
  readonly words: string;
  readonly againstWords: string | null;
  /** In how many drawn markets the two ways come to different outcomes; null where no switch chooses between them. */
  readonly differs: string | null;
}

export interface Ledger {
  readonly seed: string;
  readonly entries: readonly LedgerEntry[];
  readonly slips: readonly LedgerSlip[];
}

/** How many small markets are drawn for the steps of proofs, the same under every reading. */
const MARKETS = 400;

const THEOREMS = ["P1", "P2", "P5", "P6"] as const;

/** All that is looked at under one reading. */
interface Looked {
  readonly reading: ReadingChoice;
  readonly steps: ReadonlyMap<StepName, StepRecord>;
  readonly theorems: ReadonlyMap<TheoremName, readonly TheoremRecord[]>;
  readonly forAny: ReadonlyMap<TheoremName, AnyNumber>;
}

const shapesOf = (theorem: TheoremName, shapes: readonly SmallShape[], reading: ReadingChoice) =>
  shapes.map((shape) => settleShape(shape, reading, [theorem]).get(theorem)!);

function lookUnder(reading: ReadingChoice, seed: string): Looked {
  const range = { readings: [reading.reading], maxRatio: 0.5, mostWorkers: 5, mostRounds: 4 };
  const drawn = drawFrom(marketsIn(range), MARKETS, stream(seed).fork("ledger").fork("steps"));
  const read = function* () {
    for (const market of drawn) yield { ...market, rules: { ...market.rules, ...reading } };
  };
  const found = smallShapes.map((shape) => settleShape(shape, reading, THEOREMS));
  return {
    reading,
    steps: lookAtSteps(read()),
    theorems: new Map(THEOREMS.map((theorem) => [theorem, found.map((records) => records.get(theorem)!)])),
    forAny: new Map(THEOREMS.map((theorem) => [theorem, settledForAny(theorem, reading)])),
  };
}

/** The ids of the sentences that steps stand for. */
const idsOf = (names: readonly StepName[]): string[] =>
  paperClaims.flatMap(({ id, question }) =>
    question.by === "runs" && names.includes(question.step) ? [id] : [],
  );

const ledgerWitness = ({ contradicts, ...witness }: TheoremWitness): LedgerWitness => ({
  ...witness,
  contradicts: idsOf(contradicts),
});

/** A theorem: proved for any number, or proved or broken in small shapes. */
function theoremVerdict(records: readonly TheoremRecord[], forAny: AnyNumber | null): LedgerVerdictRecord {
  const broken = records.filter((one) => one.broken).sort((a, b) => compareWorst(b.worst, a.worst));
  const kept = records.filter((one) => !one.broken).map(({ shape }) => shapeText(shape));
  const proved = kept.length === 0 ? "" : `; proved for ${kept.join(" and for ")}`;
  if (broken.length > 0) {
    const worst = broken.map(
      ({ shape, worst }) => `by up to ${worst} of the budget with ${shapeText(shape)}`,
    );
    const witness = broken.find((one) => one.witness !== null)?.witness ?? null;
    return {
      verdict: "breaks",
      how: "proved for small shapes",
      evidence: `${worst.join(", and ")}${proved} (equal reputations, all costs, budgets and arrivals)`,
      witness: witness && ledgerWitness(witness),
    };
  }
  const shapes = `${kept.join("; ")} (equal reputations, all costs, budgets and arrivals)`;
  if (forAny !== null && forAny.verdict !== "not proved")
    return {
      verdict: forAny.verdict,
      how: "proved for any number of workers",
      evidence: [
        "any numbers of workers and of rounds, first-round ratio 7/20",
        ...(forAny.given.length > 0 ? [`given, by a written argument: ${forAny.given.join("; ")}`] : []),
        `in small shapes without that: ${shapes}`,
      ].join("; "),
      witness: null,
    };
  const why = forAny === null ? "" : `; for any number: not proved, ${forAny.why}`;
  return { verdict: "proved", how: "proved for small shapes", evidence: `${shapes}${why}`, witness: null };
}

/** A sentence about runs, in the drawn markets and in those that break a theorem. */
function stepVerdict(step: StepName, looked: Looked): LedgerVerdictRecord {
  const record = looked.steps.get(step)!;
  const known = [...looked.theorems.values()].flat().flatMap(({ witness }) => witness ?? []);
  const contradicting = known.find(({ contradicts }) => contradicts.includes(step));
  const among = `${many(record.cases, "case")} in ${many(record.markets, "market")} of ${MARKETS} drawn`;
  if (record.broken === 0 && contradicting === undefined)
    return {
      verdict: "none found",
      how: "sampled",
      evidence:
        record.markets === 0
          ? `no case among ${MARKETS} drawn markets`
          : `${among}: true of each (at most ${percent(ruleOfThree(record.markets))} of such markets have one where it is not, 95 %)`,
      witness: null,
    };
  const evidence = [
    ...(record.broken > 0
      ? [`not true in ${record.broken} of ${record.markets} drawn markets with such a case`]
      : []),
    ...(contradicting ? ["not true in a market that breaks a theorem"] : []),
  ].join("; ");
  const own = record.witness;
  const witness =
    contradicting !== undefined
      ? ledgerWitness(contradicting)
      : { ...own!, amount: null, contradicts: idsOf([step]) };
  return { verdict: "breaks", how: "sampled", evidence, witness };
}

const verdictUnder = (claim: PaperClaim, looked: Looked): LedgerVerdictRecord | null => {
  const { question } = claim;
  if (question.by === "experiment") return null;
  if (question.by === "runs") return stepVerdict(question.step, looked);
  return theoremVerdict(looked.theorems.get(question.theorem)!, looked.forAny.get(question.theorem)!);
};

/** What becomes of Theorems 1 and 2, and of the sentences of their proofs, with more than half of the budget for the first step. */
function aboveHalfVerdict({ question }: PaperClaim, reading: ReadingChoice): LedgerVerdictRecord | null {
  if (question.by === "proof" && (question.theorem === "P1" || question.theorem === "P2"))
    return theoremVerdict(shapesOf(question.theorem, [aboveHalf], reading), null);
  if (question.by !== "runs" || (question.step !== "final reward" && question.step !== "half budgets"))
    return null;
  const records = (["P1", "P2"] as const).flatMap((theorem) => shapesOf(theorem, [aboveHalf], reading));
  const shown = records.find(({ witness }) => witness?.contradicts.includes(question.step));
  if (shown === undefined) return null;
  const evidence = `not true in a market that breaks a theorem (${shapeText(aboveHalf)})`;
  return {
    verdict: "breaks",
    how: "proved for small shapes",
    evidence,
    witness: ledgerWitness(shown.witness!),
  };
}

const SUFFICIENT = "a sufficient budget: the task starts on time, and money never turned the worker down";

function withinOf({ id, question }: PaperClaim): string | null {
  if (id === "T4") return "a sufficient remaining budget: money did not turn the bid down";
  const sufficient = /^T[56]/.test(id) && question.by !== "experiment";
  return sufficient ? SUFFICIENT : null;
}

const commandOf: Readonly<Record<TheoremName, string>> = {
  P1: "candor prove --workers 2 --rounds 3",
  P2: "candor prove --workers 2 --rounds 3",
  P5: "candor prove --workers 2 --rounds 3 --ratio 1/10",
  P6: "candor prove --workers 2 --rounds 3",
};

function entryOf(
  claim: PaperClaim,
  all: readonly Looked[],
  experiments: ReadonlyMap<ExperimentName, ExperimentRecord>,
): LedgerEntry {
  const { id, where, quote, asks, question } = claim;
  const about = { id, where, quote, words: plainQuote(quote), asks, within: withinOf(claim) };
  if (question.by === "experiment") {
    const found = experiments.get(question.experiment)!;
    return { ...about, ...found, witness: null, changes: [] };
  }
  const usual = verdictUnder(claim, all[0]!)!;
  const others = all.slice(1).flatMap((looked) => {
    const found = verdictUnder(claim, looked)!;
    return isSame(found, usual)
      ? []
      : [{ under: readingText(looked.reading), reading: looked.reading, aboveHalf: false, ...found }];
  });
  const high = all.flatMap(({ reading }) => {
    if (reading.firstStep !== usualReading.firstStep || reading.delay !== usualReading.delay) return [];
    const found = aboveHalfVerdict(claim, reading);
    if (found === null || isSame(found, usual)) return [];
    const text = readingText(reading);
    const under = `a first-round ratio above 1/2${text === "as usual" ? "" : `, ${text}`}`;
    return [{ under, reading, aboveHalf: true, ...found }];
  });
  const command =
    question.by === "proof"
      ? commandOf[question.theorem]
      : usual.witness
        ? "see the witness"
        : "candor ledger";
  return { ...about, ...usual, changes: [...others, ...high], command };
}

/** A theorem that is proved for any number, and one that is proved for small shapes, differ in how and not in whether. */
const isSame = (one: LedgerVerdictRecord, other: LedgerVerdictRecord): boolean =>
  one.verdict === other.verdict || (one.verdict.startsWith("proved") && other.verdict.startsWith("proved"));

const SLIP_MARKETS = 400;

/** In how many markets of the paper's distributions the two ways of a switch come to different outcomes. */
function differenceText({ rule }: PaperSlip, seed: string): string | null {
  if (rule === undefined) return null;
  const other = { firstStep: "prose", reading: "pseudocode", delay: "shorten" }[rule];
  const draws = stream(seed).fork("ledger").fork("slips");
  let differ = 0;
  for (let k = 0; k < SLIP_MARKETS; k++) {
    const rules = { ...paperRules, budget: 12, rounds: 10 };
    const market = drawMarket({ rules, workers: 10 }, draws.fork(k));
    const [one, two] = [rules, { ...rules, [rule]: other }].map((read) =>
      JSON.stringify(runAuction(online, { ...market, rules: read }).workers),
    );
    if (one !== two) differ++;
  }
  return `${rule} ${paperRules[rule]} or ${other}: other outcomes in ${differ} of ${SLIP_MARKETS} markets of 10 workers and budget 12, drawn as in the paper`;
}

/** Reads the ledger; `goesOn` is asked between its parts, and null is what an interrupted one gives. */
export async function paperLedger(
  seed: string,
  goesOn: (part: string) => Promise<boolean> | boolean = () => true,
): Promise<Ledger | null> {
  const all: Looked[] = [];
  for (const reading of readingChoices) {
    if (!(await goesOn(readingText(reading)))) return null;
    all.push(lookUnder(reading, seed));
  }
  const experiments = new Map<ExperimentName, ExperimentRecord>();
  for (const [name, record] of experimentRecords(stream(seed).fork("ledger"))) {
    if (!(await goesOn(name))) return null;
    experiments.set(name, record);
  }
  const slips = paperSlips.map((slip) => ({
    ...slip,
    words: plainQuote(slip.quote),
    againstWords: slip.against === null ? null : plainQuote(slip.against),
    differs: differenceText(slip, seed),
  }));
  return { seed, entries: paperClaims.map((claim) => entryOf(claim, all, experiments)), slips };
}
