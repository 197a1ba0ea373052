/**
 * The one place where a variant is taken apart, and where it is decided who answers: a method of the mechanism's own, its
 * program, or a search.
 */

import type { AnyMechanism } from "../auction/mechanism.js";
import { type Game, ownMethodsOf, type Solver } from "../auction/solver.js";
import { type Market, paperRules, withOption } from "../market/market.js";
import { gainsByPieces, pieceResponses, utilityPieces, whereLinear, whyNotLinear } from "./pieces.js";
import { responsesOverSeeds, searchResponses } from "./search.js";

/** What is asked about: the mechanism that a variant varies, the market under its rules, and who answers. */
export function resolveGame(mechanism: AnyMechanism, market: Market): Game {
  const { name, variantOf } = mechanism;
  if (variantOf === undefined) return { name, mechanism, market, solver: solverOf(mechanism) };
  const rules = withOption(market.rules, variantOf.rules);
  return { ...resolveGame(variantOf.mechanism, { ...market, rules }), name };
}

function solverOf(mechanism: AnyMechanism): Solver {
  const own = ownMethodsOf(mechanism);
  if (own !== null)
    return {
      ...byProgram,
      kind: "own method",
      own,
      responses: ({ market }, { workers }) => own.responses(market, workers),
    };
  // Of a mechanism that draws, what a bid brings is an expectation.
  if (mechanism.stochastic) return { ...byProgram, kind: "search", responses: responsesOverSeeds };
  return mechanism.program === undefined ? { ...byProgram, kind: "search" } : byProgram;
}

/** Finds nothing where there is no program, and leaves it to a search. */
const byProgram: Solver = {
  kind: "program",
  own: null,
  responses: (game, options) =>
    whereLinear(game.mechanism, () =>
      pieceResponses(game.market, game.mechanism, options.workers, options),
    ) ??
    searchResponses(game.market, {
      mechanism: game.mechanism,
      workers: options.workers,
      effort: options.effort,
    }),
  pieces: ({ market, mechanism }, worker, arrival) =>
    whereLinear(mechanism, () => utilityPieces(market, worker, mechanism, arrival)),
  gains: ({ market, mechanism }, worker) =>
    whereLinear(mechanism, () => gainsByPieces(market, worker, mechanism)),
};

/** Why best responses to a mechanism are searched for; null where they are over all prices. */
export function whySearched(mechanism: AnyMechanism): string | null {
  const { solver, mechanism: base } = resolveGame(mechanism, probe);
  if (solver.kind === "own method") return null;
  // Where payments are made from the program's, those of the probe need not exist.
  const { repriced: _, ...decides } = base;
  const known = whereLinear(base, () => utilityPieces(probe, probe.workers[0]!, decides));
  return known === null ? (whyNotLinear(base) ?? "has no program") : null;
}

/** Small, with both groups, two rounds of judgement and a late arrival. */
const probe: Market = {
  rules: { ...paperRules, budget: 12, rounds: 3 },
  workers: [1, 2, 3, 4, 5, 6].map((k) => ({
    id: k - 1,
    reputation: k / 6,
    cost: 0.2 + k / 10,
    arrival: 1 + (k % 3),
  })),
};

/** Whether best responses to a mechanism are over all prices: it has a program, and all its steps are linear in a price. */
export const isExact = (mechanism: AnyMechanism): boolean => whySearched(mechanism) === null;

/** Whether they are so fast that a study can ask everybody in thousands of markets. */
export const isFast = (mechanism: AnyMechanism): boolean =>
  resolveGame(mechanism, probe).solver.kind === "own method";
