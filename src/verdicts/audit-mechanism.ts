/**
 * Every property of a mechanism by the strongest method that applies: proofs of small shapes, exact answers on drawn
 * markets, and the smallest market that breaks it; and what the publisher gets, beside other mechanisms.
 */

import { NotLinear } from "../auction/amounts.js";
import type { ClaimableProperty, MechanismClaim } from "../auction/mechanism.js";
import { type AnyMechanism, claimableProperties, runAuction } from "../auction/mechanism.js";
import { publisherAccount, type Regime, regimes } from "../auction/outcome.js";
import { isUsers } from "../auction/program.js";
import { listed } from "../lib/format.js";
import { parseFraction, toNumber } from "../lib/fraction.js";
import { stream } from "../lib/random.js";
import { ruleOfThree } from "../lib/statistics.js";
import { drawMarkets } from "../market/draw.js";
import { type Market, paperRules } from "../market/market.js";
import { anyStarts } from "../proofs/any/settle.js";
import { inNumbers } from "../proofs/find-witness.js";
import { claimsAbout, provedProperties } from "../proofs/program.js";
import { type ProvedClaim, piecesOf, provedClaims, speaksOf, tooManyArrivals } from "../proofs/prove.js";
import { isProvable, plainShape, validateShape } from "../proofs/shape.js";
import { mergedSummary, type ProofSummary, pieceSummary } from "../proofs/worst.js";
import { type TextFacts, theoremsFor } from "./any-number.js";
import { type Break, breakText, claimText, replayOf, tryClaim, worstShare } from "./claims.js";

/** How much is looked at. */
export interface AuditSize {
  /** Markets drawn for a property. */
  readonly markets: number;
  /** Workers and rounds of a drawn market at most. */
  readonly workers: number;
  readonly rounds: number;
  /** Reputations and rounds of each shape that is proved. */
  readonly shapes: readonly { readonly reputations: readonly number[]; readonly rounds: number }[];
  /** A shape with more cells than these is left unproved. */
  readonly mostCells: number;
  readonly seed: string | number;
}

export const auditSize: AuditSize = {
  markets: 100,
  workers: 8,
  rounds: 5,
  shapes: [
    { reputations: [1], rounds: 1 },
    { reputations: [1], rounds: 3 },
    { reputations: [1, 1], rounds: 1 },
    { reputations: [1, 1], rounds: 2 },
    { reputations: [1, 1], rounds: 3 },
    { reputations: [1, 1, 1], rounds: 1 },
    { reputations: [1, 2, 4], rounds: 1 },
    { reputations: [1, 1, 1], rounds: 2 },
  ],
  mostCells: 40_000,
  seed: 1,
};

/** Proved, and proved given a written argument, are of any number of workers and rounds. */
export type AuditVerdict = "proved" | "proved, given" | "proved for shapes" | "breaks" | "none found";

/** A break, in words and as a command. */
export interface AuditedBreak extends Break {
  readonly replay: string;
  readonly detail: string;
}

/** What is known of a property of a mechanism, for workers of one regime or of all. */
export interface AuditedProperty {
  readonly property: ClaimableProperty;
  /** Null: of all. */
  readonly regime: Regime | null;
  /** What its source says of it; null where it says nothing. */
  readonly claimed: MechanismClaim | null;
  readonly verdict: AuditVerdict;
  /** The written arguments that a proof for any number rests on. */
  readonly given: readonly string[];
  /** Shapes for which it is proved, as in "3x2": workers and rounds. */
  readonly shapes: readonly string[];
  /** Of their proofs. */
  readonly cells: number;
  /** Markets drawn, and those with a worker of the regime. */
  readonly markets: number;
  readonly concerned: number;
  /** Markets that break it. */
  readonly broken: number;
  /** Whether every drawn market was decided, not searched. */
  readonly decided: boolean;
  /** With 95 % confidence at most this share of such markets breaks it; null where one does, or none was decided. */
  readonly bound: number | null;
  /** The worst break found: a share of the budget, or of the largest cost where a mechanism has none; null where it has no bound. */
  readonly worst: number | null;
  readonly smallest: AuditedBreak | null;
}

/** What the publisher gets from truthful workers. */
export interface PublisherRow {
  readonly mechanism: string;
  /** Σ Re · r, per market. */
  readonly utility: number;
  /** Of the budget. */
  readonly spent: number;
  /** Null where nothing is paid. */
  readonly utilityPerUnitPaid: number | null;
}

export interface MechanismAudit {
  readonly mechanism: string;
  readonly properties: readonly AuditedProperty[];
  readonly publisher: readonly PublisherRow[];
  /** Why nothing can be proved about it; null where it can. */
  readonly unprovable: string | null;
  /** Whether money ever turned somebody down in the publisher's markets, or in some with less money; regimes follow from nothing else. */
  readonly recordsMoney: boolean;
}

/** Called between steps; false ends the audit. */
type GoesOn = (done: number, of: number) => boolean | Promise<boolean>;

interface Asked {
  readonly mechanism: AnyMechanism;
  /** As the command line knows it. */
  readonly named: string;
  readonly size?: AuditSize;
  /** Beside which the publisher's account is put. */
  readonly others?: readonly AnyMechanism[];
  readonly goesOn?: GoesOn;
  /** What is known of the text of its program; nothing is assumed of a user's if left out. */
  readonly program?: TextFacts;
}

/** Null if it was ended. */
export async function auditMechanism(asked: Asked): Promise<MechanismAudit | null> {
  const { mechanism, named, size = auditSize, others = [], goesOn = () => true } = asked;
  const { program = { flaw: null, textKnown: !isUsers(mechanism) } } = asked;
  const rows = rowsOf(mechanism);
  const total = size.shapes.length + rows.length + 1;
  let done = 0;
  const proofs: ShapeProof[] = [];
  let unprovable: string | null = null;
  for (const shape of size.shapes) {
    const found: ShapeProof | string | null = unprovable ?? proofOf(mechanism, shape, size.mostCells);
    if (typeof found === "string") unprovable = found;
    else if (found !== null) proofs.push(found);
    if (!(await goesOn(++done, total))) return null;
  }
  const properties: AuditedProperty[] = [];
  for (const row of rows) {
    const found = auditProperty(row, { mechanism, named, size, proofs, program });
    properties.push(found);
    if (found.verdict === "breaks" && wantsSufficient(row, mechanism, rows))
      properties.push(
        auditProperty(
          { ...row, regime: "sufficient", claimed: null },
          { mechanism, named, size, proofs, program },
        ),
      );
    if (!(await goesOn(++done, total))) return null;
  }
  return {
    mechanism: mechanism.name,
    properties,
    publisher: publisherRows([mechanism, ...others]),
    unprovable,
    recordsMoney: recordsMoney(mechanism),
  };
}

/** What a row is about. */
type Row = Pick<AuditedProperty, "property" | "regime" | "claimed">;

/** Every property of all workers, and of those of a regime where a claim is about them. */
function rowsOf({ claims = [], uses }: AnyMechanism): Row[] {
  return claimableProperties.flatMap((property): Row[] => {
    const own = claims
      .filter((claim) => claim.property === property)
      .flatMap((claim) => claim.regimes?.map((regime) => ({ ...claim, regime })) ?? [claim]);
    if (property === "P2" && uses?.budget === false && own.length === 0) return [];
    const ofAll = own.find(({ regime }) => regime === undefined) ?? null;
    return [
      { property, regime: null, claimed: ofAll },
      ...own.flatMap((claimed) =>
        claimed.regime === undefined ? [] : [{ property, regime: claimed.regime, claimed }],
      ),
    ];
  });
}

/** Whether a lie pays where money decides nothing is worth a row of its own. */
const wantsSufficient = ({ property, regime }: Row, { uses }: AnyMechanism, rows: readonly Row[]): boolean =>
  regime === null &&
  ["P5", "P6", "joint"].includes(property) &&
  uses?.budget !== false &&
  !rows.some((row) => row.property === property && row.regime === "sufficient");

interface ShapeProof {
  readonly shape: string;
  readonly claims: readonly ProvedClaim[];
}

/** What is proved of a shape; null where it has too many cells, a text where nothing can be proved of the mechanism. */
function proofOf(
  mechanism: AnyMechanism,
  { reputations, rounds }: AuditSize["shapes"][number],
  mostCells: number,
): ShapeProof | string | null {
  if (!isProvable(mechanism)) return "it has no program that pays as it says";
  const shape = plainShape(validateShape({ reputations, rounds }, mechanism));
  if (tooManyArrivals(shape) !== null) return null;
  let summary: ProofSummary = {};
  try {
    for (const piece of piecesOf(shape)) {
      summary = mergedSummary(summary, pieceSummary(shape, piece));
      if (Object.values(summary).some(({ cells }) => cells > mostCells)) return null;
    }
  } catch (error) {
    if (error instanceof NotLinear) return `its program ${error.message}`;
    throw error;
  }
  const equal = reputations.every((one) => one === reputations[0]);
  const size = `${reputations.length}x${rounds}`;
  const name = equal ? size : `${size} (reputations ${reputations.join(", ")})`;
  return { shape: name, claims: provedClaims(shape, summary, claimsAbout(provedProperties)) };
}

/** What is proved of a row for any number of workers and rounds, under the paper's rules; null where that is not all of it. */
function provedForAnyNumber(
  mechanism: AnyMechanism,
  { property, regime }: Row,
  text: TextFacts,
): { readonly verdict: "proved" | "proved, given"; readonly given: readonly string[] } | null {
  const theorems = theoremsFor(mechanism, paperRules, text);
  const wanted = regime === null ? regimes : [regime];
  const isProvedIn = (one: Regime) => {
    const ofRegime = theorems.filter((theorem) => theorem.property === property && theorem.regime === one);
    if (property === "P1" || property === "P2") return ofRegime.length > 0;
    // A start on time cannot be made earlier.
    const starts = anyStarts.filter((start) => start !== "advanced" || one.startsWith("late"));
    return starts.every((start) => ofRegime.some((theorem) => theorem.start === start));
  };
  if (!wanted.every(isProvedIn)) return null;
  const used = theorems.filter((one) => one.property === property && wanted.includes(one.regime));
  const given = [...new Set(used.flatMap((one) => one.given))];
  return { verdict: given.length === 0 ? "proved" : "proved, given", given };
}

interface Evidence {
  readonly mechanism: AnyMechanism;
  readonly named: string;
  readonly size: AuditSize;
  readonly proofs: readonly ShapeProof[];
  readonly program: TextFacts;
}

function auditProperty(row: Row, { mechanism, named, size, proofs, program }: Evidence): AuditedProperty {
  const { property, regime } = row;
  const { markets, workers, rounds, seed } = size;
  const claim = { property, ...(regime !== null && { regime }), markets, workers, rounds, seed };
  const trial = tryClaim(mechanism, claim);
  const settled = proofs.map(({ shape, claims }) => ({ shape, claims: claimsOn(row, claims) }));
  const proved = settled.filter(
    ({ claims }) =>
      claims.some(({ cells }) => cells > 0) && claims.every(({ verdict }) => verdict === "proved"),
  );
  const broken = settled.flatMap(({ claims }) => claims).find(({ verdict }) => verdict === "breaks");
  const smallest = trial.smallest ?? (broken ? breakOf(broken) : null);
  const worsts = [trial.worst, smallest === null ? 0 : worstShare(mechanism, smallest)];
  // A proof measures by the budget, which says nothing where the mechanism looks at none.
  const endless = broken?.worst === "unbounded" && mechanism.uses?.budget !== false;
  const worst = Math.max(...worsts, ...(endless ? [Number.POSITIVE_INFINITY] : []));
  const forAny = smallest === null ? provedForAnyNumber(mechanism, row, program) : null;
  const verdict = (): AuditVerdict => {
    if (smallest !== null) return "breaks";
    if (forAny !== null) return forAny.verdict;
    return proved.length > 0 ? "proved for shapes" : "none found";
  };
  return {
    ...row,
    verdict: verdict(),
    given: forAny?.given ?? [],
    shapes: proved.map(({ shape }) => shape),
    cells: proved.flatMap(({ claims }) => claims).reduce((sum, { cells }) => sum + cells, 0),
    markets: trial.drawn,
    concerned: trial.concerned,
    broken: trial.broken,
    decided: trial.decided,
    bound: smallest === null && trial.decided ? ruleOfThree(trial.concerned) : null,
    worst: worst < Number.POSITIVE_INFINITY ? worst : null,
    smallest: smallest && {
      ...smallest,
      replay: replayOf(smallest, named),
      detail: breakText(claim, smallest, { mechanism, named }),
    },
  };
}

/** P4 is not proved: no worst case says whether some bid wins. */
const claimsOn = ({ property, regime }: Row, claims: readonly ProvedClaim[]): ProvedClaim[] =>
  claims.filter((claim) => claim.property === property && speaksOf({ regime: regime ?? undefined }, claim));

/** The market in which a proof's claim breaks; null where decimals do not write it. */
export function breakOf({ witness }: ProvedClaim): Break | null {
  const replay = witness && inNumbers(witness);
  if (replay === null) return null;
  const { worker, gain } = witness!;
  const amount = toNumber(parseFraction(gain));
  return { market: replay.market, worker, lie: replay.bid, amount, certified: true };
}

const PUBLISHER = { workers: 100, budget: 125, rounds: 10, markets: 10 };

/** Drawn as in the paper's Figures 2 and 3. */
function publisherMarkets(budget: number): Market[] {
  const { workers, rounds, markets } = PUBLISHER;
  const rules = { ...paperRules, budget, rounds };
  return [...drawMarkets({ rules, workers }, markets, stream("audit"))];
}

/** The smaller the budget, the sooner money decides: the smallest of these buys less than ten rounds. */
const BUDGETS = [1, 10, PUBLISHER.budget];

const recordsMoney = (mechanism: AnyMechanism): boolean =>
  BUDGETS.some((budget) =>
    publisherMarkets(budget).some((market) => runAuction(mechanism, market).budgetEvents.length > 0),
  );

/** On the same markets. */
function publisherRows(mechanisms: readonly AnyMechanism[]): PublisherRow[] {
  const { budget, markets } = PUBLISHER;
  const drawn = publisherMarkets(budget);
  return mechanisms.map((mechanism) => {
    const accounts = drawn.map((market) => publisherAccount(market.workers, runAuction(mechanism, market)));
    const utility = accounts.reduce((sum, { publisherUtility }) => sum + publisherUtility, 0);
    const spent = accounts.reduce((sum, account) => sum + account.spent, 0);
    return {
      mechanism: mechanism.name,
      utility: utility / markets,
      spent: spent / markets / budget,
      utilityPerUnitPaid: spent > 0 ? utility / spent : null,
    };
  });
}

export const publisherText = `${PUBLISHER.markets} markets of ${PUBLISHER.workers} workers drawn as in the paper, budget ${PUBLISHER.budget}, ${PUBLISHER.rounds} rounds, everybody truthful`;

/** Whether a property breaks that the source says holds. */
export const isBrokenClaim = ({ verdict, claimed }: AuditedProperty): boolean =>
  verdict === "breaks" && claimed !== null && claimed.says !== "breaks";

/** What a row speaks of, as in "P5 in regime sufficient". */
export const rowText = ({ property, regime }: Pick<AuditedProperty, "property" | "regime">): string =>
  claimText({ property, ...(regime !== null && { regime }) });

/** How a verdict was reached, as a sentence without its end. */
export function howText({
  verdict,
  given,
  shapes,
  markets,
  concerned,
  broken,
  decided,
  bound,
}: AuditedProperty): string {
  if (verdict === "breaks")
    return broken > 0
      ? `in ${broken} of ${markets} drawn markets`
      : "by a proof, in a market that was not drawn";
  if (verdict === "proved" || verdict === "proved, given") {
    const rests =
      given.length === 0 ? "" : `, given: ${given.map((one) => one.replace(/\.$/, "")).join("; ")}`;
    return `for any number of workers and rounds, all costs, budgets and arrivals, under the paper's other rules${rests}`;
  }
  const proofs = shapes.length === 0 ? [] : [`for all costs, budgets and arrivals of ${listed(shapes)}`];
  const drawn =
    concerned === 0
      ? "no drawn market has such a worker"
      : decided
        ? `none in ${concerned} drawn markets${bound === null ? "" : `, at most ${(100 * bound).toFixed(1)} % (95 %)`}`
        : `none in ${concerned} drawn markets, by a search that can miss one`;
  return [...proofs, drawn].join("; ");
}
