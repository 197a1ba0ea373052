/**
 * Claims for any number of workers and of rounds: what the proof gives, and for what it does not give a small market that
 * breaks it, where one is found.
 */

import { NotLinear } from "../auction/amounts.js";
import { type AnyMechanism, runAuction } from "../auction/mechanism.js";
import { type Regime, regimes } from "../auction/outcome.js";
import { InputError } from "../lib/errors.js";
import { listed } from "../lib/format.js";
import { exactly, type Fraction, fraction } from "../lib/fraction.js";
import { type Bid, paperRules, type Rules } from "../market/market.js";
import { contracts } from "../proofs/any/contracts.js";
import type { FixedRules } from "../proofs/any/crowd.js";
import type { Obligation } from "../proofs/any/formulas.js";
import { type AnyClaim, type AnyStart, anyProperties, anyStarts, proveForAny } from "../proofs/any/settle.js";
import { replayable } from "../proofs/find-witness.js";
import { type ProvedClaim, prove } from "../proofs/prove.js";
import { isProvable, type PlainShape, plainShape } from "../proofs/shape.js";

export interface AnyShape {
  readonly mechanism: AnyMechanism;
  readonly rounds: number | "any";
  readonly firstRoundRatio: Fraction;
  readonly minWorkers: number;
  readonly reading: Rules["reading"];
  readonly firstStep: Rules["firstStep"];
  readonly delay: Rules["delay"];
  /** What keeps the text of its program from being proved; null where it is a built-in one, or nothing does. */
  readonly flaw: string | null;
  /** Whether its text was looked at. */
  readonly textKnown: boolean;
}

export interface AnyVerdict {
  readonly property: AnyClaim["property"];
  readonly regime: Regime;
  readonly start: AnyStart | null;
  readonly verdict: "proved" | "proved, given" | "breaks" | "not proved";
  /** The written arguments that a proof rests on. */
  readonly given: readonly string[];
  /** What is missing. */
  readonly why: string | null;
  /** A small market that breaks it. */
  readonly broken: SmallBreak | null;
}

export interface AnyRecord {
  readonly shape: AnyShape;
  readonly rules: FixedRules;
  readonly verdicts: readonly AnyVerdict[];
  readonly obligations: readonly Obligation[];
}

export const TEXT_GIVEN =
  "the text of the program keeps nothing of its own: it does not count, remember or tell arithmetics apart";

interface Settling {
  /** Null where no small market is looked for that breaks what is not proved. */
  readonly search?: "small markets" | null;
  /** Whether it is asked about all ratios, not about the shape's. */
  readonly anyRatio?: boolean;
}

export function settleForAny(
  shape: AnyShape,
  { search = "small markets", anyRatio = false }: Settling = {},
): AnyRecord {
  const plain = plainShape({ ...shape, rounds: 1, reputations: [fraction(1)] });
  const { firstRoundRatio, minWorkers, reading, firstStep, delay } = plain;
  const rules: FixedRules = {
    firstRoundRatio: anyRatio ? null : firstRoundRatio,
    minWorkers,
    reading,
    firstStep,
    delay,
  };
  const proof = shape.flaw === null ? proveForAny(plain.mechanism.program!, rules) : refusedProof(shape.flaw);
  const isOpen = proof.claims.some(({ why }) => why !== null);
  const broken = isOpen && search !== null ? smallBreaks(shape) : [];
  const verdicts = proof.claims.map((claim): AnyVerdict => {
    const { property, regime, start, why } = claim;
    const about = { property, regime, start };
    if (why === null) {
      const given: string[] = claim.contracts
        .filter((name) => contracts[name].written)
        .map((name) => contracts[name].statement);
      if (!shape.textKnown) given.push(TEXT_GIVEN);
      return { ...about, verdict: given.length === 0 ? "proved" : "proved, given", given, why, broken: null };
    }
    const shown = broken.find(
      (one) => one.claim.property === property && one.claim.regime === regime && one.start === start,
    );
    if (shown === undefined) return { ...about, verdict: "not proved", given: [], why, broken: null };
    return { ...about, verdict: "breaks", given: [], why, broken: shown };
  });
  return { shape, rules, verdicts, obligations: proof.obligations };
}

/** Where nothing can be asked of a program. */
const refusedProof = (why: string) => {
  const claims: AnyClaim[] = [];
  for (const property of anyProperties)
    for (const regime of regimes)
      for (const start of property === "P1" || property === "P2" ? [null] : anyStarts)
        claims.push({ property, regime, start, why, contracts: [] });
  return { claims, obligations: [] };
};

/** Shapes in the order in which they are tried; what is asked of them takes from milliseconds to seconds. */
const SMALL = ["1x1", "2x1", "1x2", "2x2", "3x1", "2x3", "3x2"];

/** Claims that break in small markets, all reputations being 1. */
function smallBreaks({ mechanism, rounds, ...rules }: AnyShape): SmallBreak[] {
  if (!isProvable(mechanism)) return [];
  const found: SmallBreak[] = [];
  for (const size of SMALL) {
    const [workers = 1, small = 1] = size.split("x").map(Number);
    if (rounds !== "any" && small !== rounds) continue;
    const reputations = Array.from({ length: workers }, () => fraction(1));
    const shape = plainShape({ ...rules, mechanism, rounds: small, reputations });
    for (const claim of brokenOf(shape)) found.push({ shape, claim, start: startOf(shape, claim) });
  }
  return found;
}

interface SmallBreak {
  readonly shape: PlainShape;
  readonly claim: ProvedClaim;
  /** Undefined where the witness cannot be replayed. */
  readonly start: AnyStart | null | undefined;
}

function brokenOf(shape: PlainShape): ProvedClaim[] {
  try {
    return prove(shape).filter(({ verdict }) => verdict === "breaks");
  } catch (error) {
    // What is not linear, or no auction at all, has no proofs of small shapes either.
    if (error instanceof NotLinear || error instanceof InputError) return [];
    throw error;
  }
}

/** What the lie of a witness does to the start. */
function startOf(shape: PlainShape, claim: ProvedClaim): AnyStart | null | undefined {
  if (claim.start === null) return null;
  if (claim.start === "kept") return "kept";
  const shown = replayable(shape, claim, claim.witness!);
  if (shown === null) return undefined;
  const delayOf = (bids: readonly Bid[]) => runAuction(shape.mechanism, shown.market, bids).startDelay;
  const [truth, lie] = [delayOf([]), delayOf([shown.bid!])];
  if (lie === null) return "kept";
  return truth === null || lie < truth ? "advanced" : "delayed";
}

/** Claims that share a verdict and what it rests on. */
export interface MergedVerdicts {
  readonly properties: readonly string[];
  readonly regimes: readonly Regime[];
  /** Empty for P1 and P2. */
  readonly starts: readonly AnyStart[];
  readonly verdict: AnyVerdict["verdict"];
  readonly note: string;
}

/** Verdicts that differ in one thing only, put together: first those of several starts, then of regimes, then of properties. */
export function mergedVerdicts(
  verdicts: readonly AnyVerdict[],
  noteOf: (verdict: AnyVerdict) => string,
): readonly MergedVerdicts[] {
  const rows = verdicts.map(
    (one): MergedVerdicts => ({
      properties: [one.property],
      regimes: [one.regime],
      starts: one.start === null ? [] : [one.start],
      verdict: one.verdict,
      note: noteOf(one),
    }),
  );
  return (["starts", "regimes", "properties"] as const).reduce<readonly MergedVerdicts[]>(mergedBy, rows);
}

function mergedBy(
  rows: readonly MergedVerdicts[],
  field: "starts" | "regimes" | "properties",
): MergedVerdicts[] {
  const found = new Map<string, MergedVerdicts>();
  for (const row of rows) {
    const key = JSON.stringify({ ...row, [field]: null });
    const before = found.get(key);
    found.set(key, before === undefined ? row : { ...before, [field]: [...before[field], ...row[field]] });
  }
  return [...found.values()];
}

/** What is known of a text: where it is not looked at, a proof is one given that it keeps nothing of its own. */
export type TextFacts = Pick<AnyShape, "flaw" | "textKnown">;

const remembered = new WeakMap<AnyMechanism, Map<string, readonly AnyVerdict[]>>();

/** What is proved of a mechanism for any number of workers and rounds, under the rules of a market. */
export function theoremsFor(
  mechanism: AnyMechanism,
  rules: Omit<Rules, "budget" | "rounds" | "firstRoundRatio"> & { readonly firstRoundRatio: number | "any" },
  text: TextFacts,
): readonly AnyVerdict[] {
  if (!isProvable(mechanism)) return [];
  const { firstRoundRatio, minWorkers, reading, firstStep, delay } = rules;
  const fixed = { minWorkers, reading, firstStep, delay };
  const key = JSON.stringify([firstRoundRatio, fixed, text]);
  const known = remembered.get(mechanism) ?? new Map<string, readonly AnyVerdict[]>();
  remembered.set(mechanism, known);
  let found = known.get(key);
  if (found === undefined) {
    const anyRatio = firstRoundRatio === "any";
    const ratio = exactly(anyRatio ? paperRules.firstRoundRatio : firstRoundRatio);
    const shape = { mechanism, rounds: "any", ...fixed, firstRoundRatio: ratio, ...text } as const;
    found = settleForAny(shape, { search: null, anyRatio }).verdicts.filter(isProved);
    known.set(key, found);
  }
  return found;
}

export const isProved = ({ verdict }: AnyVerdict): boolean =>
  verdict === "proved" || verdict === "proved, given";

/** Whether what a search is after is proved never to be found. */
export const isSettled = (
  theorems: readonly AnyVerdict[],
  { property, regime, start }: { property: string; regime: Regime; start: "any" | "kept" | "moved" },
): boolean => {
  const proved = theorems.filter((one) => one.property === property && one.regime === regime);
  if (property === "P1" || property === "P2") return proved.length > 0;
  const asked = anyStarts.filter((one) => start === "any" || (start === "kept") === (one === "kept"));
  return asked.every((one) => proved.some((theorem) => theorem.start === one));
};

/** The theorems in one sentence; null where there are none. */
export function theoremText(theorems: readonly AnyVerdict[]): string | null {
  if (theorems.length === 0) return null;
  const parts = mergedVerdicts(theorems, () => "").map(({ properties, regimes: of, starts, verdict }) => {
    const where = of.length === regimes.length ? [] : [`regime ${listed(of)}`];
    const how = starts.length === 0 || starts.length === anyStarts.length ? [] : [`start ${listed(starts)}`];
    const given = verdict === "proved" ? "" : ", given a written argument";
    const clauses = [...where, ...how].join(", ");
    return `${listed(properties)}${clauses === "" ? "" : ` (${clauses})`}${given}`;
  });
  return `Proved for any number of workers and rounds under these rules: ${parts.join("; ")}.`;
}
