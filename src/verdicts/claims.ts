/** Holds a mechanism to a claim on drawn markets: the worst break, shrunk, with its reason and the command that replays it. */

import * as z from "zod";
import { type CoalitionResponse, coalitionResponses } from "../best-response/coalition.js";
import { brief, capital, counted, percent, quoted } from "../lib/format.js";
import { stream } from "../lib/random.js";
import { conforming } from "../lib/schema.js";
import { ruleOfThree } from "../lib/statistics.js";
import { drawFrom, type MarketRange, marketsIn } from "../market/generators.js";
import type { Bid, Market, Reading } from "../market/market.js";
import { type AnyMechanism, hold } from "../mechanisms/mechanism.js";
import { type Regime, regimes, regimesIn } from "../mechanisms/outcome.js";
import { shrink } from "./counterexamples/shrink.js";
import {
  amountWord,
  FLOOR,
  type HuntedProperty,
  huntedProperties,
  isDecided,
  lieText,
  marketLines,
  type StartClause,
  startClauses,
  unrefuted,
  violations,
  violationText,
} from "./counterexamples/violations.js";
import { causesText, differenceText, explain, gainText, replayCommand } from "./explain.js";
import { claims } from "./properties.js";

/** Workers and rounds of a drawn market. */
const MOST_DRAWN = 100;

/** The message of each schema completes "must be …". */
const integer = (from: number, to: number) => {
  const error = `an integer from ${from} to ${to}`;
  return z.int({ error }).min(from, { error }).max(to, { error });
};

const share = { error: "a number from 0 to 1" };

const word = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, {
    error: words
      .map((one) => JSON.stringify(one))
      .join(", ")
      .replace(/, ([^,]*)$/, " or $1"),
  });

/** What a claim may say, field by field. */
export const claimFields = {
  property: word(huntedProperties),
  regime: word(regimes).optional(),
  start: word(startClauses).optional(),
  tolerance: z.number(share).min(0, share).max(1, share).optional(),
  markets: integer(1, 1_000_000).optional(),
  workers: integer(1, MOST_DRAWN).optional(),
  rounds: integer(1, MOST_DRAWN).optional(),
  seed: z.union([z.string(), z.number()], { error: "a text or a number" }).optional(),
  reading: word(["prose", "pseudocode"]).optional(),
  maxRatio: z.number(share).min(0.05, { error: "a number from 0.05 to 1" }).max(1, share).optional(),
};

const claimSchema = z.strictObject(claimFields, { error: "a claim: an object with a property" });

/** A claim from any value, or an error that names the field. */
export const validClaim = (value: unknown, source: string): Claim =>
  conforming(claimSchema, value, { source, fieldsAt: () => Object.keys(claimFields) }) as Claim;

/** What is claimed, of whom, and on which markets it is tried. */
export interface Claim {
  readonly property: HuntedProperty;
  /** For workers of one regime; of all if left out. */
  readonly regime?: Regime;
  /** For lies that move the start, or that keep it; for any if left out. */
  readonly start?: StartClause;
  /** A gain, a loss or an excess up to this share of the budget is let pass; rounding alone if left out. */
  readonly tolerance?: number;
  /** How many markets are drawn: 300 if left out, 60 where lies are searched for. */
  readonly markets?: number;
  /** How many workers and rounds they have at most: 12 and 10 if left out. */
  readonly workers?: number;
  readonly rounds?: number;
  /** Fixes which markets are drawn; 1 if left out. */
  readonly seed?: string | number;
  /** Both if left out. */
  readonly reading?: Reading;
  /** The largest first-round ratio; 0.5 if left out, above which payments of the paper's auction may exceed the budget. */
  readonly maxRatio?: number;
}

/** A market that breaks a claim, and how. */
export interface Break {
  readonly market: Market;
  /** Null where it takes everybody (P2). */
  readonly worker: number | null;
  readonly lie: Bid | null;
  /** Where two lie together: who, how, and what each could gain alone. */
  readonly joint?: CoalitionResponse;
  /** The gain, the loss (P1) or the excess (P2); 0 where there is no amount (P4). */
  readonly amount: number;
  /** Whether exact fractions confirm it. */
  readonly certified: boolean;
}

/** What came of trying a claim. */
interface TriedClaim {
  /** holds: decided in every market. inconclusive: nothing found, by a search that can miss, or with nobody to try it on. */
  readonly verdict: "holds" | "breaks" | "inconclusive";
  /** The worst break as a share of the budget; 0 where there is none. */
  readonly worst: number;
  /** The smallest market that the worst leads to. */
  readonly smallest: Break | null;
  /** Markets drawn, those with somebody of the regime among them, and those that break it. */
  readonly drawn: number;
  readonly concerned: number;
  readonly broken: number;
}

const MARKETS = 300;
/** Where best responses are searched for, which is slow. */
const SEARCHED_MARKETS = 60;
/** Markets tried in shrinking. */
const SHRINKING = 5000;
const SEARCHED_SHRINKING = 300;

/** Tries a claim on drawn markets. */
export function tryClaim(mechanism: AnyMechanism, claim: Claim): TriedClaim {
  const decided = isDecided({ ...claim, mechanism }) && !mechanism.stochastic;
  const { markets = decided ? MARKETS : SEARCHED_MARKETS } = claim;
  const evaluations = decided ? SHRINKING : SEARCHED_SHRINKING;
  return tryOn(mechanism, { ...claim, markets }, { worstIn, evaluations, decided: () => decided });
}

/** So many markets, and of such a size, where joint lies are looked for: every pair of a market is. */
const PAIRS = { markets: 30, workers: 4, rounds: 3 };
const PAIRS_SHRINKING = 300;

/** What is claimed where two workers may lie together and share what they gain. */
type PairsClaim = Omit<Claim, "property" | "start">;

/** Tries on drawn markets whether two workers can gain together. */
export function tryPairs(mechanism: AnyMechanism, claim: PairsClaim): TriedClaim {
  let exact = true;
  const worstPair: WorstIn = (_, market) => {
    const { pairs, exact: all } = coalitionResponses(market, { mechanism });
    exact &&= all;
    const regimeOf = regimesIn(hold(mechanism, market));
    const floor = Math.max(FLOOR, claim.tolerance ?? 0) * market.rules.budget;
    const [best] = pairs
      .filter(
        ({ gain, workers }) => gain > floor && workers.every((id) => regimesOf(claim).includes(regimeOf(id))),
      )
      .sort((a, b) => b.gain - a.gain);
    if (best === undefined) return null;
    return { market, worker: null, lie: null, joint: best, amount: best.gain, certified: best.exact };
  };
  const whole = { ...PAIRS, ...claim };
  return tryOn(mechanism, whole, { worstIn: worstPair, evaluations: PAIRS_SHRINKING, decided: () => exact });
}

type WorstIn = (
  mechanism: AnyMechanism,
  market: Market,
  claim: Claim,
  worker?: number | null,
) => Break | null;

interface Method {
  /** The largest break in a market; of one worker where one is named. */
  readonly worstIn: WorstIn;
  /** Whether every market that was looked at is decided. */
  readonly decided: () => boolean;
  readonly evaluations: number;
}

function tryOn(
  mechanism: AnyMechanism,
  asked: PairsClaim & Partial<Claim>,
  { worstIn, decided, evaluations }: Method,
): TriedClaim {
  const claim = asked as Claim;
  const { markets = MARKETS, seed = 1 } = claim;
  const found = { drawn: 0, concerned: 0, broken: 0 };
  let worst: Break | null = null;
  for (const market of drawFrom(marketsIn(rangeOf(claim)), markets, stream(seed))) {
    found.drawn++;
    if (isConcerned(mechanism, market, claim)) found.concerned++;
    const breaks = worstIn(mechanism, market, claim);
    if (breaks === null) continue;
    found.broken++;
    if (worst === null || budgetShare(breaks) > budgetShare(worst)) worst = breaks;
  }
  if (worst === null) {
    const verdict = decided() && found.concerned > 0 ? "holds" : "inconclusive";
    return { verdict, worst: 0, smallest: null, ...found };
  }
  const keeps = (market: Market, worker: number | null) => worstIn(mechanism, market, claim, worker) !== null;
  // Liars keep who they are while the market around them shrinks.
  const liar = worst.lie === null ? null : worst.worker;
  const shrunk = shrink(worst.market, keeps, { worker: liar, evaluations });
  const smallest = worstIn(mechanism, shrunk.market, claim, shrunk.worker) ?? worst;
  return { verdict: "breaks", worst: budgetShare(worst), smallest, ...found };
}

const rangeOf = ({ reading, maxRatio = 0.5, workers, rounds }: Claim): MarketRange => ({
  readings: reading === undefined ? ["prose", "pseudocode"] : [reading],
  maxRatio,
  ...(workers !== undefined && { mostWorkers: workers }),
  ...(rounds !== undefined && { mostRounds: rounds }),
});

const budgetShare = ({ amount, market }: Break): number => amount / market.rules.budget;

const regimesOf = ({ regime }: PairsClaim): readonly Regime[] => (regime === undefined ? regimes : [regime]);

function isConcerned(mechanism: AnyMechanism, market: Market, claim: Claim): boolean {
  const regimeOf = regimesIn(hold(mechanism, market));
  return market.workers.some(({ id }) => regimesOf(claim).includes(regimeOf(id)));
}

/** The largest break in a market that exact arithmetic does not refute; of one worker where one is named. */
function worstIn(
  mechanism: AnyMechanism,
  market: Market,
  claim: Claim,
  worker: number | null = null,
): Break | null {
  const { property, start = "any", tolerance = 0 } = claim;
  const all = regimesOf(claim)
    .flatMap((regime) => violations(market, { property, regime, start, tolerance, mechanism }, worker))
    .sort((a, b) => b.amount - a.amount);
  const found = unrefuted(mechanism, market, all);
  return found && { ...found.violation, market, certified: found.certified };
}

/** What is claimed and of whom, as in "P5 in regime sufficient". */
export function claimText({ property, regime, start = "any" }: Claim): string {
  const whom = regime === undefined ? "" : ` in regime ${regime}`;
  const lies = start === "any" ? "" : `, lies that ${start === "moved" ? "move" : "keep"} the start`;
  return `${property}${whom}${lies}`;
}

/** A property in full, as in "cost truthfulness: no price gains anything, at the true arrival". */
export const meaningText = ({ property }: Claim): string =>
  `${claims[property].name}: ${claims[property].meaning}`;

/** What came of it, as a sentence without its end. */
export function trialText({ property, tolerance = 0 }: Claim, trial: TriedClaim): string {
  const { verdict, drawn, concerned, broken, worst } = trial;
  const markets = counted(drawn, "market");
  if (verdict === "breaks") {
    const most =
      property === "P4" ? "" : `; the largest ${amountWord(property)} is ${percent(worst)} of the budget`;
    return `breaks in ${broken} of ${markets}${most}`;
  }
  if (concerned === 0) return `inconclusive: none of ${markets} has a worker of the regime`;
  if (verdict === "inconclusive")
    return `inconclusive: nothing found in ${markets}, by a search that can miss a break in each`;
  const seen = concerned === drawn ? "" : `, ${concerned} of them with such workers`;
  const more = tolerance === 0 ? "" : ` by more than ${percent(tolerance)} of the budget`;
  const bound = `at most ${percent(ruleOfThree(concerned))} of such markets break it${more}`;
  return `holds in all of ${markets}${seen}; with 95 % confidence ${bound}`;
}

/** The market, what happens in it, why, and how to see it again; `named` is the mechanism as the command line knows it. */
export function breakText(
  { property }: Claim,
  found: Break,
  {
    mechanism,
    named,
    hint,
  }: { readonly mechanism: AnyMechanism; readonly named: string; readonly hint?: string },
): string {
  const { market, lie, certified } = found;
  const sure = certified ? "Certified in exact fractions." : "Found in floating point, not certified.";
  return [
    "The smallest market found:",
    marketLines(market, lie === null ? [] : [lie]),
    `  ${capital(violationText({ property, ...found }, market))}. ${sure}`,
    ...(lie === null ? [] : ["", "Why it pays:", whyText(mechanism, market, lie).replace(/^(?=.)/gm, "  ")]),
    "",
    `replay: ${replayOf(found, named)}`,
    ...(hint === undefined ? [] : [`  (${hint})`]),
  ].join("\n");
}

/** The same for a joint lie. */
export function pairsText({ market, joint, amount }: Break, named: string): string {
  const { workers, best, alone } = joint!;
  const budget = market.rules.budget;
  const gained = `Workers ${workers.join(" and ")} gain ${brief(amount)} together, ${percent(amount / budget)} of the budget`;
  const how = best
    .map((bid) => `worker ${bid.worker} ${lieText(bid, market) || "tells the truth"}`)
    .join("; ");
  const flag = `--coalition ${workers.join(",")}${named === "online" ? "" : ` --mechanism ${quoted(named)}`}`;
  return [
    "The smallest market found:",
    marketLines(market, best),
    `  ${gained}: ${how}.`,
    "",
    `Why it pays: alone they could gain ${alone.map(brief).join(" and ")}, together ${brief(amount)}.`,
    "",
    `replay: echo ${quoted(JSON.stringify(market))} | candor best-response - ${flag}`,
  ].join("\n");
}

export const replayOf = ({ market, lie }: Break, named: string): string =>
  replayCommand({ source: "stdin:1", market, lie, mechanism: named });

function whyText(mechanism: AnyMechanism, market: Market, lie: Bid): string {
  const explanation = explain(market, lie, { mechanism });
  const { causes, gain } = explanation;
  return [
    gainText(explanation),
    ...(causes === null ? [] : [causesText(causes, gain)]),
    differenceText(explanation),
  ].join("\n");
}
