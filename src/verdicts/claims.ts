/** Holds a mechanism to a claim on drawn markets: the worst break, shrunk, with its reason and the command that replays it. */

import * as z from "zod";
import { type AnyMechanism, runAuction } from "../auction/mechanism.js";
import { commonRegime, type Regime, regimes, regimesIn } from "../auction/outcome.js";
import { brief, capital, counted, percent } from "../lib/format.js";
import { stream } from "../lib/random.js";
import { conforming } from "../lib/schema.js";
import { ruleOfThree } from "../lib/statistics.js";
import { drawFrom, type MarketRange, marketsIn } from "../market/generators.js";
import type { Bid, Market } from "../market/market.js";
import { integerBetween, ruleSchema } from "../market/parse.js";
import { type Judgement, properties } from "../properties/properties.js";
import { type CoalitionResponse, coalitionResponses } from "../responses/coalition.js";
import { certified } from "./certify.js";
import { shrink } from "./counterexamples/shrink.js";
import {
  amountWord,
  FLOOR,
  huntedProperties,
  isDecided,
  lieText,
  marketLines,
  startClauses,
  unrefuted,
  type Violation,
  violations,
  violationText,
} from "./counterexamples/violations.js";
import { causesText, differenceText, explain, gainText, replayCommand } from "./explain.js";

/** Workers and rounds of a drawn market. */
const MOST_DRAWN = 100;

const share = { error: "a number from 0 to 1" };

const word = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, {
    error: words
      .map((one) => JSON.stringify(one))
      .join(", ")
      .replace(/, ([^,]*)$/, " or $1"),
  });

/** What a claim may say, field by field. The message of each schema completes "must be …". */
export const claimFields = {
  property: word(huntedProperties),
  /** For workers of one regime; of all if left out. */
  regime: word(regimes).optional(),
  /** For lies that move the start, or that keep it; for any if left out. */
  start: word(startClauses).optional(),
  /** A gain, a loss or an excess up to this share of the budget is let pass; rounding alone if left out. */
  tolerance: z.number(share).min(0, share).max(1, share).optional(),
  /** How many markets are drawn: 300 if left out, 60 where lies are searched for. */
  markets: integerBetween(1, 1_000_000).optional(),
  /** How many workers and rounds they have at most: 12 and 10 if left out. */
  workers: integerBetween(1, MOST_DRAWN).optional(),
  rounds: integerBetween(1, MOST_DRAWN).optional(),
  /** Fixes which markets are drawn; 1 if left out. */
  seed: z.union([z.string(), z.number()], { error: "a text or a number" }).optional(),
  /** Both if left out. */
  reading: ruleSchema("reading").optional(),
  /** The largest first-round ratio; 0.5 if left out, above which payments of the paper's auction may exceed the budget. */
  maxRatio: z.number(share).min(0.05, { error: "a number from 0.05 to 1" }).max(1, share).optional(),
};

const claimSchema = z.strictObject(claimFields, { error: "a claim: an object with a property" });

/** What is claimed, of whom, and on which markets it is tried. */
export type Claim = Readonly<z.infer<typeof claimSchema>>;

/** A claim from any value, or an error that names the field. */
export const validClaim = (value: unknown, source: string): Claim =>
  conforming(claimSchema, value, { source, fieldsAt: () => Object.keys(claimFields) });

/** A market that breaks a claim, and how. */
export interface Break extends Pick<Violation, "worker" | "lie" | "amount" | "unbounded"> {
  readonly market: Market;
  /** Where two lie together: who, how, and what each could gain alone. */
  readonly joint?: CoalitionResponse;
  /** Whether exact fractions confirm it. */
  readonly certified: boolean;
}

/** What came of trying a claim. */
interface TriedClaim {
  readonly verdict: Extract<Judgement, "breaks" | "none found">;
  /** Whether a break would have been found in every market, and there was somebody to try it on: no search that can miss one. */
  readonly decided: boolean;
  /** The worst break as a share of the budget; 0 where there is none, Infinity where it has no bound. */
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
  const { markets = decided ? MARKETS : SEARCHED_MARKETS, property, start = "any", tolerance = 0 } = claim;
  const worstIn = (market: Market, worker: number | null): Break | null => {
    const all = regimesOf(claim)
      .flatMap((regime) => violations(market, { property, regime, start, tolerance, mechanism }, worker))
      .sort((a, b) => b.amount - a.amount);
    const found = unrefuted(mechanism, market, all);
    return found && { ...found.violation, market, certified: found.certified };
  };
  const evaluations = decided ? SHRINKING : SEARCHED_SHRINKING;
  return tryOn(mechanism, { ...claim, markets }, { worstIn, evaluations, decided: () => decided });
}

/** So many markets, and of such a size, where joint lies are looked for: every pair of a market is. */
const PAIRS = { markets: 30, workers: 4, rounds: 3 };
const PAIRS_SHRINKING = 300;

/** Tries on drawn markets whether two workers can gain who lie together and share what they gain. */
export function tryPairs(mechanism: AnyMechanism, claim: Claim): TriedClaim {
  let decided = true;
  const worstIn = (market: Market): Break | null => {
    const { pairs, method } = coalitionResponses(market, { mechanism });
    decided &&= method !== "search";
    const regimeOf = regimesIn(runAuction(mechanism, market));
    const concerned = (pair: readonly number[]) => regimesOf(claim).includes(commonRegime(regimeOf, pair));
    const floor = Math.max(FLOOR, claim.tolerance ?? 0) * market.rules.budget;
    const [best] = pairs
      .filter(({ gain, workers }) => gain > floor && concerned(workers))
      .sort((a, b) => b.gain - a.gain);
    if (best === undefined) return null;
    const amount = best.utility - best.truthful;
    const [lie, partner] = best.best as [Bid, Bid];
    const regime = commonRegime(regimesIn(runAuction(mechanism, market)), best.workers);
    const pair = { property: "pair", worker: lie.worker, regime, lie, partner, amount } as const;
    const sure = certified(market, pair, mechanism).certified;
    if (sure === false) return null;
    return {
      market,
      worker: null,
      lie: null,
      joint: best,
      amount,
      certified: sure === true,
      ...(best.gain === Number.POSITIVE_INFINITY && { unbounded: true }),
    };
  };
  const method = { worstIn, evaluations: PAIRS_SHRINKING, decided: () => decided };
  return tryOn(mechanism, { ...PAIRS, ...claim }, method);
}

interface Method {
  /** The largest break in a market that exact arithmetic does not refute; of one worker where one is named. */
  readonly worstIn: (market: Market, worker: number | null) => Break | null;
  /** Whether every market that was looked at is decided. */
  readonly decided: () => boolean;
  readonly evaluations: number;
}

function tryOn(mechanism: AnyMechanism, claim: Claim, { worstIn, decided, evaluations }: Method): TriedClaim {
  const { markets = MARKETS, seed = 1 } = claim;
  const found = { drawn: 0, concerned: 0, broken: 0 };
  let worst: Break | null = null;
  for (const market of drawFrom(marketsIn(rangeOf(claim)), markets, stream(seed))) {
    found.drawn++;
    const concerned = concernedIn(mechanism, market, claim);
    if (market.workers.some(({ id }) => concerned(id))) found.concerned++;
    const breaks = worstIn(market, null);
    if (breaks === null) continue;
    found.broken++;
    if (worst === null || worstShare(mechanism, breaks) > worstShare(mechanism, worst)) worst = breaks;
  }
  if (worst === null) {
    const all = decided() && found.concerned > 0;
    return { verdict: "none found", decided: all, worst: 0, smallest: null, ...found };
  }
  // Liars keep who they are while the market around them shrinks.
  const liar = worst.lie === null ? null : worst.worker;
  const keeps = (market: Market, worker: number | null) => worstIn(market, worker) !== null;
  const shrunk = shrink(worst.market, keeps, { worker: liar, evaluations });
  const smallest = worstIn(shrunk.market, shrunk.worker) ?? worst;
  return { verdict: "breaks", decided: true, worst: worstShare(mechanism, worst), smallest, ...found };
}

const rangeOf = ({ reading, maxRatio = 0.5, workers, rounds }: Claim): MarketRange => ({
  readings: reading === undefined ? ["prose", "pseudocode"] : [reading],
  maxRatio,
  ...(workers !== undefined && { mostWorkers: workers }),
  ...(rounds !== undefined && { mostRounds: rounds }),
});

/** What a break is measured by: the budget, or what the dearest worker costs in all where a mechanism looks at no budget and that is more than 0. */
export function measureOf({ uses }: AnyMechanism, { rules, workers }: Market): number {
  const dearest = rules.rounds * Math.max(...workers.map(({ cost }) => cost));
  return uses?.budget === false && dearest > 0 ? dearest : rules.budget;
}

/** A break as a share of what it is measured by; infinite where it has no bound. */
export const worstShare = (mechanism: AnyMechanism, { amount, unbounded, market }: Break): number =>
  unbounded ? Number.POSITIVE_INFINITY : amount / measureOf(mechanism, market);

/** The same in words. */
export const measureText = ({ uses }: AnyMechanism): string =>
  uses?.budget === false ? "of what the dearest worker costs" : "of the budget";

const regimesOf = ({ regime }: Claim): readonly Regime[] => (regime === undefined ? regimes : [regime]);

/** Whom in a market a claim speaks of. */
function concernedIn(mechanism: AnyMechanism, market: Market, claim: Claim): (id: number) => boolean {
  const regimeOf = regimesIn(runAuction(mechanism, market));
  return (id) => regimesOf(claim).includes(regimeOf(id));
}

/** What is claimed and of whom, as in "P5 in regime sufficient". */
export function claimText({ property, regime, start = "any" }: Claim): string {
  const whom = regime === undefined ? "" : ` in regime ${regime}`;
  const lies = start === "any" ? "" : `, lies that ${start === "moved" ? "move" : "keep"} the start`;
  return `${property}${whom}${lies}`;
}

/** A property in full, as in "cost truthfulness: no price gains anything, at the true arrival". */
export const meaningText = ({ property }: Claim): string =>
  `${properties[property].name}: ${properties[property].meaning}`;

/** What came of it, as a sentence without its end. */
export function trialText(
  { property, tolerance = 0 }: Claim,
  trial: TriedClaim,
  measure = "of the budget",
): string {
  const { verdict, decided, drawn, concerned, broken, worst } = trial;
  const markets = counted(drawn, "market");
  if (verdict === "breaks") {
    const size = worst < Number.POSITIVE_INFINITY ? `${percent(worst)} ${measure}` : "unbounded";
    const most = property === "P4" ? "" : `; the largest ${amountWord(property)} is ${size}`;
    return `breaks in ${broken} of ${markets}${most}`;
  }
  if (concerned === 0) return `none found: none of ${markets} has a worker of the regime`;
  if (!decided) return `none found in ${markets}, by a search that can miss a break in each`;
  const seen = concerned === drawn ? "" : `, ${concerned} of them with such workers`;
  const more = tolerance === 0 ? "" : ` by more than ${percent(tolerance)} of the budget`;
  const bound = `at most ${percent(ruleOfThree(concerned))} of such markets break it${more}`;
  return `none found in ${markets}${seen}; with 95 % confidence ${bound}`;
}

/** How a mechanism is named to the command line, with a hint where that is not all there is to say. */
interface Naming {
  readonly mechanism: AnyMechanism;
  readonly named: string;
  readonly hint?: string | undefined;
}

/** The market, what happens in it, why, and how to see it again. */
export function breakText(claim: Claim, found: Break, { mechanism, named, hint }: Naming): string {
  const { market, lie, joint } = found;
  const told = joint ? jointTexts(found, joint) : singleTexts(claim, found, mechanism);
  return [
    "The smallest market found:",
    marketLines(market, joint?.best ?? (lie ? [lie] : []), mechanism),
    ...told,
    "",
    `replay: ${replayOf(found, named)}`,
    ...(hint === undefined ? [] : [`  (${hint})`]),
  ].join("\n");
}

function singleTexts({ property }: Claim, found: Break, mechanism: AnyMechanism): string[] {
  const { market, lie, certified } = found;
  const sure = certified ? "Certified in exact fractions." : "Found in floating point, not certified.";
  const what = `  ${capital(violationText({ property, ...found }, market))}. ${sure}`;
  if (lie === null) return [what];
  const explanation = explain(market, lie, { mechanism });
  const { causes, gain } = explanation;
  const why = [gainText(explanation), causes && causesText(causes, gain), differenceText(explanation)];
  const lines = why.filter((text) => text !== null).join("\n");
  return [what, "", "Why it pays:", lines.replace(/^(?=.)/gm, "  ")];
}

function jointTexts(
  { market, amount, unbounded }: Break,
  { workers, best, alone }: CoalitionResponse,
): string[] {
  const how = best
    .map((bid) => `worker ${bid.worker} ${lieText(bid, market) || "tells the truth"}`)
    .join("; ");
  const part = `${percent(amount / market.rules.budget)} of the budget`;
  const gains = alone.map(brief).join(" and ");
  return [
    `  Workers ${workers.join(" and ")} gain ${brief(amount)} together, ${part}: ${how}${unbounded ? ", and without bound by higher prices" : ""}.`,
    "",
    `Why it pays: alone they could gain ${gains}, together ${brief(amount)}.`,
  ];
}

export function replayOf({ market, lie, joint }: Break, mechanism: string): string {
  const [first = lie, partner] = joint?.best ?? [];
  return replayCommand({ source: "stdin:1", market, lie: first, partner, mechanism });
}
