/** The six claims of the paper, and the joint one nobody proved, as three-valued verdicts on one market. */

import { greatest } from "d3-array";
import { askAgain } from "../auction/ask-again.js";
import { fractionOf, hasTwin } from "../auction/exact.js";
import { type Allotment, type AnyMechanism, type Outcome, runAuction } from "../auction/mechanism.js";
import { allotmentOf, type Regime, regimes, regimesIn } from "../auction/outcome.js";
import type { Game } from "../auction/solver.js";
import type { TraceSink } from "../auction/trace-events.js";
import { type Fraction, toNumber } from "../lib/fraction.js";
import { atMost, exceeds, rounding } from "../lib/tolerance.js";
import { type Market, possibleArrivals, type Rules, type Worker } from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import { type Replay, replay } from "../properties/certify.js";
import {
  type Judgement,
  type MeasuredProperty,
  type PropertyName,
  properties,
  propertyNames,
  type Witness,
} from "../properties/properties.js";
import { resolveGame } from "../responses/game.js";
import { hasBuiltInProgram } from "../responses/guard.js";
import { type BestLie, bestResponses, pieces, type Response, type Responses } from "../responses/index.js";
import { Deviation } from "../responses/search.js";
import { excessInNumbers, runInNumbers } from "./numbers.js";

/** What breaks a property that is asked of single workers. */
export type MarketWitness = Witness<PropertyName>;

export interface Verdict {
  readonly property: PropertyName;
  readonly verdict: Judgement;
  /** Null where no worker is in that regime. */
  readonly byRegime: Readonly<Record<Regime, Judgement | null>>;
  /** The worst of each regime that breaks. */
  readonly witnesses: readonly MarketWitness[];
  /** How it was searched. */
  readonly method: string;
}

/** What verdicts on a market are read from. */
interface Evidence {
  readonly mechanism: AnyMechanism;
  readonly market: Market;
  readonly game: Game;
  readonly outcome: Outcome;
  /** The outcome in fractions: of a user's program always, of one that tests hold to fractions where verdicts are to be exact. */
  readonly exact: Replay | null;
  readonly regimeOf: (worker: number) => Regime;
  /** Worked out when first asked for: only some properties need them. */
  readonly responses: () => Responses;
}

/** What was found on one property: every worker for whom it breaks, not only the worst. */
interface Examination {
  readonly property: PropertyName;
  readonly witnesses: readonly MarketWitness[];
  /** The verdict where there is no witness. */
  readonly verdictWithoutWitness: Judgement;
  readonly method: string;
}

type Finding = Omit<Examination, "property">;

export interface CheckOptions {
  readonly mechanism?: AnyMechanism;
  readonly properties?: readonly PropertyName[];
  /** Where they are known already. */
  readonly responses?: Responses;
  /** What rests on one run is judged in fractions also for mechanisms that are built in. */
  readonly inFractions?: boolean;
}

/** The verdicts on one market. */
export function check(market: Market, options: CheckOptions = {}): Verdict[] {
  const evidence = evidenceOf(market, options);
  const verdicts = examinations(evidence, options).map((examination) => verdictOf(examination, evidence));
  const lies = verdicts.flatMap(({ witnesses }) => witnesses.flatMap(({ lie }) => lie ?? []));
  askAgain(evidence.mechanism, market, ...lies.map((lie) => [lie]));
  return verdicts;
}

/** All that breaks in one market. */
export const examine = (market: Market, options: CheckOptions = {}): Examination[] =>
  examinations(evidenceOf(market, options), options);

const examinations = (evidence: Evidence, { properties = propertyNames }: CheckOptions): Examination[] =>
  properties.map((property) => ({ property, ...cautious(examiners[property](evidence), evidence) }));

/** What one draw of a mechanism, or any number of them, does not break may still break under another. */
const cautious = (finding: Finding, { mechanism }: Evidence): Finding =>
  mechanism.stochastic && finding.verdictWithoutWitness === "holds"
    ? { ...finding, verdictWithoutWitness: "none found", method: `${finding.method}, one seed of many` }
    : finding;

/** One run of so many workers times rounds is soon made in fractions. */
const ONE_RUN_EXACT_UP_TO = 10_000;

function evidenceOf(
  market: Market,
  { mechanism = online, responses, inFractions = false }: CheckOptions,
): Evidence {
  let known = responses;
  const outcome = runAuction(mechanism, market);
  const game = resolveGame(mechanism, market);
  const isSmall = market.workers.length * game.market.rules.rounds <= ONE_RUN_EXACT_UP_TO;
  const isExact = isSmall && hasTwin(game.mechanism) && (inFractions || !hasBuiltInProgram(game.mechanism));
  return {
    mechanism,
    market,
    game,
    outcome,
    exact: isExact ? replay(game) : null,
    regimeOf: regimesIn(outcome),
    responses: () => {
      known ??= bestResponses(market, { mechanism });
      return known;
    },
  };
}

function verdictOf(examination: Examination, { market, regimeOf }: Evidence): Verdict {
  const { property, witnesses, verdictWithoutWitness: otherwise, method } = examination;
  const inRegime = (regime: Regime): Judgement | null => {
    if (witnesses.some((witness) => witness.regime === regime)) return "breaks";
    return market.workers.some(({ id }) => regimeOf(id) === regime) ? otherwise : null;
  };
  return {
    property,
    verdict: witnesses.length > 0 ? "breaks" : otherwise,
    byRegime: {
      sufficient: inRegime("sufficient"),
      tight: inRegime("tight"),
      "late start": inRegime("late start"),
      "late and tight": inRegime("late and tight"),
    },
    witnesses: regimes.flatMap((regime) => {
      const broken = witnesses.filter((witness) => witness.regime === regime);
      return (
        greatest(broken, ({ amount, unbounded }) => (unbounded ? Number.POSITIVE_INFINITY : amount)) ?? []
      );
    }),
    method,
  };
}

const examiners: Record<PropertyName, (evidence: Evidence) => Finding> = {
  P1: individualRationality,
  P2: budgetFeasibility,
  P3: () => ({ witnesses: [], verdictWithoutWitness: "not proved", method: "see the benchmark" }),
  P4: consumerSovereignty,
  P5: (evidence) => truthfulness("P5", evidence, ({ bestPrice, priceGain }) => [bestPrice, priceGain]),
  P6: (evidence) => truthfulness("P6", evidence, ({ bestTime, timeGain }) => [bestTime, timeGain]),
  joint: (evidence) => truthfulness("joint", evidence, ({ best, gain }) => [gain > 0 ? best : null, gain]),
};

function individualRationality(evidence: Evidence): Finding {
  const { market, outcome, regimeOf, exact } = evidence;
  const truth = runInNumbers(market, outcome);
  const noise = rounding(market.rules.budget);
  const witnesses = market.workers.flatMap(({ id, cost }): MarketWitness[] => {
    const { rounds, payment } = allotmentOf(outcome, id);
    // A cost of 0 exceeds no payment: that a negative one is no rounding error takes the budget's scale.
    const isLoss = exceeds(cost * rounds, Math.max(0, payment)) || payment < -noise;
    const loss = exact && exactExcess("P1", exact, [id]);
    if (loss ? loss.lte(0) : !isLoss) return [];
    const amount = loss ? toNumber(loss) : excessInNumbers("P1", truth, truth, [id]);
    return [{ property: "P1", worker: id, regime: regimeOf(id), lie: null, amount }];
  });
  return { witnesses, ...ofOneRun(evidence) };
}

/** By how much the truthful run breaks a property. */
const exactExcess = (property: MeasuredProperty, truth: Replay, about: readonly number[]): Fraction =>
  fractionOf(properties[property].excess(truth, truth, about));

/** What one run says where it breaks nothing: in floating point, of a user's program that has fractions, only that. */
function ofOneRun({ game, exact }: Evidence): Omit<Finding, "witnesses"> {
  if (exact !== null) return { verdictWithoutWitness: "holds", method: "one run, exact" };
  return hasBuiltInProgram(game.mechanism) || !hasTwin(game.mechanism)
    ? { verdictWithoutWitness: "holds", method: "one run" }
    : { verdictWithoutWitness: "none found", method: "one run in floating point" };
}

function budgetFeasibility(evidence: Evidence): Finding {
  const { market, outcome, regimeOf, exact } = evidence;
  const { budget } = market.rules;
  const truth = runInNumbers(market, outcome);
  const beyond = exact && exactExcess("P2", exact, []);
  const amount = beyond ? toNumber(beyond) : excessInNumbers("P2", truth, truth, []);
  const keeps = beyond ? beyond.lte(0) : atMost(budget + amount, budget);
  const present = new Set(market.workers.map(({ id }) => regimeOf(id)));
  const witnesses = [...present].map(
    (regime): MarketWitness => ({ property: "P2", worker: null, regime, lie: null, amount }),
  );
  return { witnesses: keeps ? [] : witnesses, ...ofOneRun(evidence) };
}

/** A bid that gets a worker selected proves it; that there is none takes an exact method. */
function consumerSovereignty(evidence: Evidence): Finding {
  const { mechanism, market, outcome, regimeOf, game } = evidence;
  const isPaid = paidUnder(game.market.rules);
  const paid = new Set(outcome.workers.filter(isPaid).map(({ id }) => id));
  const traced = (trace: TraceSink) => runAuction(game.mechanism, game.market, [], trace);
  const known = game.solver.own?.canWin(game.market, traced) ?? (() => null);
  const wins = (worker: Worker) =>
    known(worker) ?? someBidWins(new Deviation(mechanism, market, worker), isPaid);
  const excluded = market.workers.filter((worker) => !paid.has(worker.id) && !wins(worker));
  const exact = excluded.length === 0 || pieces(market, excluded[0]!.id, mechanism) !== null;
  if (!exact)
    return {
      witnesses: [],
      verdictWithoutWitness: "none found",
      method: "bids of 0 and near it, at every arrival",
    };
  const witnesses = excluded.map(({ id }): MarketWitness => {
    return { property: "P4", worker: id, regime: regimeOf(id), lie: null, amount: 0 };
  });
  const isCertain = hasBuiltInProgram(game.mechanism) || !hasTwin(game.mechanism);
  if (isCertain || market.workers.every((worker) => isPaidInFractions(evidence, worker)))
    return { witnesses, verdictWithoutWitness: "holds", method: "exact" };
  return { witnesses, verdictWithoutWitness: "none found", method: "computed in floating point" };
}

/** Whether the truth, or a bid of 0 at some arrival, gets a worker paid in a run in fractions. */
function isPaidInFractions({ game, exact }: Evidence, worker: Worker): boolean {
  if (exact === null) return false;
  const paysIn = ({ outcome }: Replay) => {
    const { selectedAt, payment } = allotmentOf(outcome, worker.id);
    return selectedAt !== null && payment.gt(0);
  };
  if (paysIn(exact)) return true;
  return possibleArrivals(worker, game.market.rules).some((arrival) =>
    paysIn(replay(game, [{ worker: worker.id, price: 0, arrival }])),
  );
}

function truthfulness(
  property: PropertyName,
  evidence: Evidence,
  lieOf: (response: Response) => readonly [lie: BestLie | null, gain: number],
): Finding {
  const { workers: responses, method: how, exact, evaluations, seeds } = evidence.responses();
  const witnesses = responses.flatMap((response): MarketWitness[] => {
    const [found, gain] = lieOf(response);
    if (found === null) return [];
    const { id: worker, regime, truthful } = response;
    const lie = { worker, price: found.price, arrival: found.arrival };
    const unbounded = gain === Number.POSITIVE_INFINITY && { unbounded: true };
    return [{ property, worker, regime, lie, amount: found.utility - truthful, ...unbounded }];
  });
  const searched = seeds === undefined ? "a lower bound" : `estimated over ${seeds} seeds`;
  const edge = responses.some(({ knifeEdge }) => knifeEdge) ? ", at a knife edge" : "";
  const method = {
    exact: `exact${edge}`,
    computed: `computed in floating point${edge}`,
    search: `search, ${evaluations} evaluations: ${searched}`,
  }[how];
  return { witnesses, verdictWithoutWitness: exact ? "holds" : "none found", method };
}

type Paid = (allotment: Pick<Allotment, "selectedAt" | "payment">) => boolean;

/** Only the pseudocode lowers payments ([M11]): what then remains of one may be a rounding error. */
function paidUnder({ reading, budget }: Rules): Paid {
  const noise = reading === "pseudocode" ? rounding(budget) : 0;
  return ({ selectedAt, payment }) => selectedAt !== null && payment > noise;
}

/** Bids of 0 first; then, where they are known, all there are, as if it worked for nothing: its utility is then its pay. */
function someBidWins(deviation: Deviation, isPaid: Paid): boolean {
  const { mechanism, market, worker } = deviation;
  const wins = (price: number, arrival: number): boolean =>
    deviation.outcome(price, arrival).workers.some((other) => other.id === worker.id && isPaid(other));
  if (wins(0, worker.arrival)) return true;
  const workers = market.workers.map((other) => (other.id === worker.id ? { ...other, cost: 0 } : other));
  const known = pieces({ ...market, workers }, worker.id, mechanism);
  if (known)
    return known.some(({ selectedAt, utilityFrom, utilityTo }) =>
      isPaid({ selectedAt, payment: Math.max(utilityFrom, utilityTo) }),
    );
  return deviation.arrivals.some((arrival) =>
    [0, 1e-6 * worker.cost, worker.cost].some((price) => wins(price, arrival)),
  );
}
