/** Whether a market smaller than a counterexample can break the claim too, and how bad one of its size can be. */

import { exactly, parseFraction, toNumber } from "../../lib/fraction.js";
import { byId, type Market } from "../../market/market.js";
import { inNumbers } from "../../proofs/find-witness.js";
import { provedProperties } from "../../proofs/program.js";
import { type ProvedClaim, prove, speaksOf } from "../../proofs/prove.js";
import { isProvable, type Shape } from "../../proofs/shape.js";
import { compareWorst } from "../../proofs/worst.js";
import { resolveGame } from "../../responses/game.js";
import type { Target, Violation } from "./violations.js";

/** What a proof adds to a counterexample: whether a smaller one is possible, and how bad one of its size can be. */
export interface ProvedSize {
  /** Whether no market with fewer of these workers or with fewer rounds breaks it, the rules and reputations as they are. */
  readonly smallest: boolean;
  /** The smallest of them that does, as large as it gets there; null also where no decimals write it. */
  readonly smaller: { readonly market: Market; readonly violation: Violation } | null;
  /** The least upper bound over all costs, budgets and arrivals of this size, as a share of the budget. */
  readonly worst: string;
  readonly attained: boolean;
}

/** With more workers or rounds a proof takes longer than a search for counterexamples. */
const LARGEST_SIZE = 3;

/** Null where the size is out of reach, or the mechanism or the property is none that proofs are about. */
export function provedSize(
  market: Market,
  { mechanism, property, regime, start }: Target,
): ProvedSize | null {
  const { rules, workers } = resolveGame(mechanism, market).market;
  const asked = provedProperties.find((name) => name === property);
  const within = workers.length <= LARGEST_SIZE && rules.rounds <= LARGEST_SIZE;
  if (asked === undefined || !within || !isProvable(mechanism)) return null;
  const claimsOn = (shape: Shape) =>
    prove(shape, [asked]).filter((claim) => speaksOf({ regime, start }, claim));
  const own = claimsOn(shapeOfMarket(market, mechanism));
  const [worst] = own
    .filter(({ verdict }) => verdict === "breaks")
    .sort((a, b) => compareWorst(b.worst, a.worst));
  if (worst === undefined) return null;
  const breaks = smallerShapes(market, mechanism)
    .flatMap(claimsOn)
    .find(({ verdict }) => verdict === "breaks");
  return {
    smallest: breaks === undefined,
    smaller: breaks === undefined ? null : violationIn(breaks),
    worst: worst.worst,
    attained: own.some((claim) => claim.worst === worst.worst && claim.attained),
  };
}

/** A broken claim's witness as a counterexample. */
function violationIn({ property, regime, start, witness }: ProvedClaim): ProvedSize["smaller"] {
  const { worker, gain } = witness!;
  const replay = inNumbers(witness!);
  if (replay === null || property === "pair") return null;
  const amount = toNumber(parseFraction(gain));
  const startMoved = start === "moved";
  return {
    market: replay.market,
    violation: { property, regime, worker, lie: replay.bid, amount, startMoved },
  };
}

function shapeOfMarket({ rules, workers }: Market, mechanism: Target["mechanism"]): Shape {
  const { rounds, firstRoundRatio, minWorkers, reading, firstStep, delay } = rules;
  const sorted = byId(workers);
  const reputations = sorted.map(({ reputation }) => exactly(reputation));
  const ids = sorted.map(({ id }) => id);
  const exactRatio = exactly(firstRoundRatio);
  const switches = { minWorkers, reading, firstStep, delay };
  return { mechanism, rounds, reputations, ids, firstRoundRatio: exactRatio, ...switches };
}

/** Some of the workers, or all of them with fewer rounds; the smallest first. */
function smallerShapes(market: Market, mechanism: Target["mechanism"]): Shape[] {
  const { rules, workers } = market;
  const some = Array.from({ length: 2 ** workers.length - 1 }, (_, bits) =>
    workers.filter((_, k) => ((bits + 1) >> k) % 2 === 1),
  );
  const rounds = Array.from({ length: rules.rounds }, (_, k) => k + 1);
  return some
    .flatMap((chosen) => rounds.map((count) => ({ rules: { ...rules, rounds: count }, workers: chosen })))
    .filter((one) => one.workers.length < workers.length || one.rules.rounds < rules.rounds)
    .sort((a, b) => a.workers.length - b.workers.length || a.rules.rounds - b.rules.rounds)
    .map((one) => shapeOfMarket(one, mechanism));
}
