/** What a proof adds to a counterexample: whether a smaller one is possible, and how bad one of its size can be. */

import { exactly, parseFraction } from "../../lib/fraction.js";
import type { Market } from "../../market/market.js";
import { unvaried } from "../../mechanisms/mechanism.js";
import type { ProvedProperty } from "../proofs/program.js";
import { provedProperties } from "../proofs/program.js";
import { type ProvedClaim, prove } from "../proofs/prove.js";
import { isProvable, type Shape } from "../proofs/shape.js";
import type { Target } from "./violations.js";

export interface ProvedSize {
  /** Whether no market with fewer of these workers or with fewer rounds breaks it, the rules and reputations as they are. */
  readonly smallest: boolean;
  /** The least upper bound over all costs, budgets and arrivals of this size, as a share of the budget. */
  readonly worst: string;
  readonly attained: boolean;
}

/** Larger ones take longer than a search for counterexamples. */
const MOST_WORKERS = 3;
const MOST_ROUNDS = 3;

/** Null where the size is out of reach, or the mechanism or the property is none that proofs are about. */
export function provedSize(
  market: Market,
  { mechanism, property, regime, start }: Target,
): ProvedSize | null {
  const { rules, workers } = unvaried(mechanism, market).market;
  const asked = provedProperties.find((name) => name === property);
  const within = workers.length <= MOST_WORKERS && rules.rounds <= MOST_ROUNDS;
  if (asked === undefined || !within || !isProvable(mechanism)) return null;
  const concerned = (claim: ProvedClaim) =>
    claim.regime === regime && (start === "any" || claim.start === null || claim.start === start);
  const claimsOn = (shape: Shape) => prove(shape, [asked as ProvedProperty]).filter(concerned);
  const own = claimsOn(shapeOf(market, mechanism));
  const [worst] = own.filter(({ verdict }) => verdict === "breaks").sort(byWorst);
  if (worst === undefined) return null;
  const smaller = smallerShapes(market, mechanism);
  return {
    smallest: smaller.every((shape) => claimsOn(shape).every(({ verdict }) => verdict === "proved")),
    worst: worst.worst,
    attained: own.some((claim) => claim.worst === worst.worst && claim.attained),
  };
}

function byWorst(a: ProvedClaim, b: ProvedClaim): number {
  if (a.worst === b.worst) return 0;
  if (a.worst === "unbounded" || b.worst === "unbounded") return a.worst === "unbounded" ? -1 : 1;
  return parse(b).compare(parse(a));
}

const parse = ({ worst }: ProvedClaim) => parseFraction(worst);

function shapeOf({ rules, workers }: Market, mechanism: Target["mechanism"]): Shape {
  const sorted = [...workers].sort((a, b) => a.id - b.id);
  return {
    mechanism,
    rounds: rules.rounds,
    reputations: sorted.map(({ reputation }) => exactly(reputation)),
    ids: sorted.map(({ id }) => id),
    firstRoundRatio: exactly(rules.firstRoundRatio),
    minWorkers: rules.minWorkers,
    reading: rules.reading,
  };
}

/** Some of the workers, or all of them with fewer rounds. */
function smallerShapes(market: Market, mechanism: Target["mechanism"]): Shape[] {
  const { rules, workers } = market;
  const some = Array.from({ length: 2 ** workers.length - 1 }, (_, bits) =>
    workers.filter((_, k) => ((bits + 1) >> k) % 2 === 1),
  );
  const rounds = Array.from({ length: rules.rounds }, (_, k) => k + 1);
  return some
    .flatMap((chosen) => rounds.map((count) => ({ rules: { ...rules, rounds: count }, workers: chosen })))
    .filter((one) => one.workers.length < workers.length || one.rules.rounds < rules.rounds)
    .map((one) => shapeOf(one, mechanism));
}
