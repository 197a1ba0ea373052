/** The steps of the paper's proofs as properties of runs: of the truthful run, or of it and one with a single lie. */

import { exactOutcome, exactUtility } from "../../auction/exact.js";
import { runAuction } from "../../auction/mechanism.js";
import { allotmentOf, type Outcome, type Regime, regimeOf, workerUtility } from "../../auction/outcome.js";
import type { TraceEvent } from "../../auction/trace-events.js";
import { exactly, totalOf } from "../../lib/fraction.js";
import { atMost, near, rounding } from "../../lib/tolerance.js";
import { type Bid, bidders, groupOf, type Market, type Worker } from "../../market/market.js";
import { online } from "../../mechanisms/online/online.js";
import { pieces } from "../../responses/index.js";

/** A worker's truth and one lie of it, and what each comes to. */
interface LieCase {
  readonly worker: Worker;
  readonly lie: Bid;
  readonly truth: Outcome<unknown>;
  readonly lying: Outcome<unknown>;
  /** Whether the lie brings more than the truth (1), the same (0) or less (−1). */
  readonly gain: number;
  /** Whether it is paid more, the same or less. */
  readonly paid: number;
  /** Whether the threshold that judges the worker is the same in both runs, in every round after the first step that both have. */
  readonly sameThresholds: boolean;
}

/** Of a sentence: whether it speaks of the case, and whether it is true there; null where it does not speak of it. */
type AboutLie = (one: LieCase) => boolean | null;

const selectedIn = (outcome: Outcome<unknown>, { id }: Worker): number | null =>
  allotmentOf(outcome, id).selectedAt;

/** The rounds in which truth and lie are selected, null where one is not. */
const bothSelected = ({ worker, truth, lying }: LieCase) => {
  const [t, later] = [selectedIn(truth, worker), selectedIn(lying, worker)];
  return t === null || later === null ? null : { t, lie: later };
};

const isOfPrice = ({ worker, lie }: LieCase): boolean =>
  lie.arrival === worker.arrival && lie.price !== worker.cost;

const isOfTime = ({ worker, lie }: LieCase): boolean =>
  lie.arrival > worker.arrival && lie.price === worker.cost;

const asksLess = ({ worker, lie }: LieCase): boolean => lie.price < worker.cost;

const steps = {
  "threshold unaffected": (one) => (isOfPrice(one) ? one.sameThresholds : null),
  "same round, same utility": (one) => {
    const both = bothSelected(one);
    return isOfPrice(one) && both !== null && both.t === both.lie ? one.gain === 0 : null;
  },
  "lower and earlier brings less": (one) => {
    const both = bothSelected(one);
    return isOfPrice(one) && asksLess(one) && both !== null && both.lie < both.t ? one.gain < 0 : null;
  },
  "not selected brings no more": (one) =>
    isOfPrice(one) && selectedIn(one.lying, one.worker) === null ? one.gain <= 0 : null,
  "higher and later brings no more": (one) => {
    const both = bothSelected(one);
    return isOfPrice(one) && !asksLess(one) && both !== null && both.lie > both.t ? one.gain <= 0 : null;
  },
  "unselected worker loses by less": (one) => {
    const speaks =
      isOfPrice(one) &&
      asksLess(one) &&
      selectedIn(one.truth, one.worker) === null &&
      selectedIn(one.lying, one.worker) !== null;
    return speaks ? one.gain < 0 : null;
  },
  "asking less is never later": (one) => {
    if (!isOfPrice(one)) return null;
    const [t, lie] = [selectedIn(one.truth, one.worker), selectedIn(one.lying, one.worker)].map(
      (round) => round ?? Number.POSITIVE_INFINITY,
    ) as [number, number];
    return asksLess(one) ? lie <= t : lie >= t;
  },
  "later is never earlier": (one) => {
    const both = bothSelected(one);
    return isOfTime(one) && both !== null ? both.t <= both.lie : null;
  },
  "same round, later pays no more": (one) => {
    const both = bothSelected(one);
    return isOfTime(one) && both !== null && both.t === both.lie ? one.paid <= 0 : null;
  },
  "later brings no more": (one) => (isOfTime(one) ? one.gain <= 0 : null),
} as const satisfies Record<string, AboutLie>;

/** A truthful run, with its trace. */
interface TruthCase {
  readonly market: Market;
  readonly outcome: Outcome;
  readonly trace: readonly TraceEvent[];
}

/** Of each worker that a sentence speaks of, whether it is true; of a whole run one answer. */
type AboutTruth = (one: TruthCase, worker: Worker) => boolean | null;

const startIn = ({ trace }: TruthCase) => {
  const last = trace.findLast((event) => event.kind === "start");
  return last?.enough ? last : null;
};

const rulingsOf = ({ trace }: TruthCase, { id }: Worker) =>
  trace.flatMap((event) => (event.kind === "ruling" && event.worker === id ? [event] : []));

/** What a worker was promised when it was selected, and for how many rounds; null if it never was. */
function temporaryReward(one: TruthCase, worker: Worker) {
  const { selectedAt, rounds } = allotmentOf(one.outcome, worker.id);
  if (selectedAt === null) return null;
  const first = startIn(one)?.payments.find((paid) => paid.worker === worker.id);
  if (first !== undefined) return { amount: first.payment, rounds, atStart: true };
  const admitted = rulingsOf(one, worker).find(({ ruling }) => ruling === "admitted");
  return admitted === undefined ? null : { amount: admitted.payment, rounds, atStart: false };
}

const covers = (reward: ReturnType<typeof temporaryReward>, atStart: boolean, { cost }: Worker) =>
  reward === null || reward.atStart !== atStart ? null : atMost(cost * reward.rounds, reward.amount);

/** Every round from the selection on is paid by the largest threshold met by then, the first step's among them. */
function paysLargestThreshold(one: TruthCase, worker: Worker): boolean | null {
  const { outcome, market } = one;
  const { selectedAt, rounds, payment } = allotmentOf(outcome, worker.id);
  const reward = temporaryReward(one, worker);
  if (selectedAt === null || reward === null) return null;
  let largest = reward.amount / (rounds * worker.reputation);
  let sum = 0;
  for (let round = selectedAt; round <= market.rules.rounds; round++) {
    const ruling = rulingsOf(one, worker).find((event) => event.round === round);
    const met = ruling?.threshold ?? null;
    if (met !== null && ruling!.ruling !== "dear") largest = Math.max(largest, met);
    sum += largest * worker.reputation;
  }
  return near(sum, payment);
}

/** Of the group of a worker: what it is paid in all. */
const paidTo = ({ outcome }: TruthCase, group: number): number =>
  outcome.workers.reduce((sum, { id, payment }) => sum + (groupOf(id) === group ? payment : 0), 0);

/** Of a bid of 0 at the true arrival: whether it is selected; null where money turned it down, or the task never starts. */
function isSelected(outcome: Outcome<unknown>, { id }: Worker): boolean | null {
  if (outcome.startDelay === null || outcome.budgetEvents.some((event) => event.worker === id)) return null;
  return allotmentOf(outcome, id).selectedAt !== null;
}

const zeroBid = ({ id, arrival }: Worker): Bid => ({ worker: id, price: 0, arrival });

const truths = {
  "first reward": (one, worker) => covers(temporaryReward(one, worker), true, worker),
  "later reward": (one, worker) => covers(temporaryReward(one, worker), false, worker),
  "final reward": (one, worker) => {
    const reward = temporaryReward(one, worker);
    return reward === null ? null : atMost(reward.amount, allotmentOf(one.outcome, worker.id).payment);
  },
  "first budget": (one) => {
    const start = startIn(one);
    if (start === null) return null;
    const paid = start.payments.reduce((sum, { payment }) => sum + payment, 0);
    return atMost(paid, one.market.rules.firstRoundRatio * one.market.rules.budget);
  },
  "half budgets": (one, { id }) =>
    one.outcome.started ? atMost(paidTo(one, groupOf(id)), one.market.rules.budget / 2) : null,
  "largest threshold paid": paysLargestThreshold,
  "low bid wins": ({ market }, worker) => isSelected(runAuction(online, market, [zeroBid(worker)]), worker),
} as const satisfies Record<string, AboutTruth>;

export type StepName = keyof typeof steps | keyof typeof truths;

/** The paper says these of a sufficient budget only. */
const needsSufficient = (step: StepName): boolean =>
  step in steps || step === "largest threshold paid" || step === "low bid wins";

const lieSteps = Object.entries(steps) as [keyof typeof steps, AboutLie][];
const truthSteps = Object.entries(truths) as [keyof typeof truths, AboutTruth][];

export const stepNames: readonly StepName[] = [...lieSteps, ...truthSteps].map(([name]) => name);

/** A market in which a sentence is not true, and the lie that shows it where it takes one. */
export interface StepWitness {
  readonly market: Market;
  readonly worker: number;
  readonly lie: Bid | null;
}

/** What was seen of a sentence. */
export interface StepRecord {
  /** Markets and cases that it speaks of. */
  markets: number;
  cases: number;
  /** Of these markets, those in which it is not true of some case. */
  broken: number;
  witness: StepWitness | null;
}

/** Fewer workers, then fewer digits. */
const isSmaller = (a: StepWitness, b: StepWitness): boolean =>
  a.market.workers.length - b.market.workers.length < 0 ||
  (a.market.workers.length === b.market.workers.length &&
    JSON.stringify(a.market).length < JSON.stringify(b.market).length);

const noRecord = (): StepRecord => ({ markets: 0, cases: 0, broken: 0, witness: null });

/** Looks at every sentence in some markets. Who lies tries one price inside of every piece of its price line, at every arrival. */
export function lookAtSteps(markets: Iterable<Market>): Map<StepName, StepRecord> {
  const records = new Map(stepNames.map((name) => [name, noRecord()]));
  for (const market of markets) {
    const seen = new Map<StepName, boolean>();
    const note = (name: StepName, answer: boolean | null, witness: () => StepWitness | null) => {
      if (answer === null) return;
      const record = records.get(name)!;
      record.cases++;
      const shown = answer ? null : witness();
      if (shown !== null && (record.witness === null || isSmaller(shown, record.witness)))
        record.witness = shown;
      seen.set(name, (seen.get(name) ?? false) || shown !== null);
    };
    for (const worker of market.workers) {
      if (worker.reputation === 0) continue;
      for (const [name, answer] of truthAnswers(market, worker))
        note(name, answer, () =>
          isTruthFalseInFractions(market, worker, name) ? truthWitness(market, worker, name) : null,
        );
      for (const lie of liesOf(market, worker))
        for (const [name, answer] of lieAnswers(market, worker, lie))
          note(name, answer, () =>
            isFalseInFractions(market, worker, lie, name) ? { market, worker: worker.id, lie } : null,
          );
    }
    for (const [name, broken] of seen) {
      const record = records.get(name)!;
      record.markets++;
      if (broken) record.broken++;
    }
  }
  return records;
}

const truthWitness = (market: Market, worker: Worker, name: StepName): StepWitness => ({
  market,
  worker: worker.id,
  lie: name === "low bid wins" ? zeroBid(worker) : null,
});

/** The sentences that one witness contradicts. */
export function contradictedBy({ market, worker: id, lie }: StepWitness): StepName[] {
  const worker = market.workers.find((one) => one.id === id)!;
  const answers =
    lie === null
      ? truthAnswers(market, worker).filter(
          ([name, answer]) => answer !== false || isTruthFalseInFractions(market, worker, name),
        )
      : lieAnswers(market, worker, lie).filter(
          ([name, answer]) => answer !== false || isFalseInFractions(market, worker, lie, name),
        );
  return answers.flatMap(([name, answer]) => (answer === false ? [name] : []));
}

const isSufficient = (regime: Regime): boolean => regime === "sufficient";

function truthAnswers(market: Market, worker: Worker): [StepName, boolean | null][] {
  const trace: TraceEvent[] = [];
  const outcome = runAuction(online, market, [], (event) => trace.push(event));
  const one = { market, outcome, trace };
  const sufficient = isSufficient(regimeOf(outcome, worker.id));
  return truthSteps.map(([name, about]) => [
    name,
    needsSufficient(name) && !sufficient ? null : about(one, worker),
  ]);
}

function lieAnswers(market: Market, worker: Worker, lie: Bid): [StepName, boolean | null][] {
  const truth = runAuction(online, market);
  if (!isSufficient(regimeOf(truth, worker.id))) return [];
  const lying = runAuction(online, market, [lie]);
  const noise = 1000 * rounding(Math.max(market.rules.budget, worker.cost * market.rules.rounds));
  const signOf = (apart: number) => (Math.abs(apart) <= noise ? 0 : Math.sign(apart));
  const [before, after] = [allotmentOf(truth, worker.id), allotmentOf(lying, worker.id)];
  const gain = signOf(workerUtility(worker, after) - workerUtility(worker, before));
  const paid = signOf(after.payment - before.payment);
  const sameThresholds = haveSameThresholds(worker, truth, lying, near);
  return answersTo({ worker, lie, truth, lying, gain, paid, sameThresholds });
}

const answersTo = (one: LieCase): [StepName, boolean | null][] =>
  lieSteps.map(([name, about]) => [name, about(one)]);

/** Whether a sentence is not true of a lie in exact fractions either. */
function isFalseInFractions({ rules, workers }: Market, worker: Worker, lie: Bid, name: StepName): boolean {
  const truth = exactOutcome(online, rules, bidders(workers));
  if (!isSufficient(regimeOf(truth, worker.id))) return false;
  const lying = exactOutcome(online, rules, bidders(workers, [lie]));
  const [before, after] = [allotmentOf(truth, worker.id), allotmentOf(lying, worker.id)];
  const gain = exactUtility(worker.cost, after).compare(exactUtility(worker.cost, before));
  const paid = after.payment.compare(before.payment);
  const sameThresholds = haveSameThresholds(worker, truth, lying, (a, b) => a.equals(b));
  const one = { worker, lie, truth, lying, gain, paid, sameThresholds };
  return answersTo(one).some(([asked, answer]) => asked === name && answer === false);
}

/** The same of a sentence about the truthful run. Those that are not looked at in fractions count as true. */
function isTruthFalseInFractions({ rules, workers }: Market, worker: Worker, name: StepName): boolean {
  const truth = exactOutcome(online, rules, bidders(workers));
  if (needsSufficient(name) && !isSufficient(regimeOf(truth, worker.id))) return false;
  if (name === "low bid wins")
    return isSelected(exactOutcome(online, rules, bidders(workers, [zeroBid(worker)])), worker) === false;
  if (name === "final reward")
    return exactUtility(worker.cost, allotmentOf(truth, worker.id)).compare(exactly(0)) < 0;
  if (name !== "half budgets") return false;
  const group = truth.workers.filter(({ id }) => groupOf(id) === groupOf(worker.id));
  return (
    totalOf(group.map(({ payment }) => payment))
      .mul(2)
      .compare(exactly(rules.budget)) > 0
  );
}

/** The threshold of the other group, round by round: equal, or absent from both. */
function haveSameThresholds<Value>(
  { id }: Worker,
  truth: Outcome<Value>,
  lying: Outcome<Value>,
  areEqual: (a: Value, b: Value) => boolean,
): boolean {
  const judge = groupOf(id) === 0 ? "group1" : "group0";
  return truth.thresholds.every((mine) => {
    const other = lying.thresholds.find(({ round }) => round === mine.round);
    if (other === undefined) return true;
    const [a, b] = [mine[judge], other[judge]];
    return a === null || b === null ? a === b : areEqual(a, b);
  });
}

/** One price inside of every piece of the worker's price line, at every arrival, and its cost at every later arrival. */
function liesOf(market: Market, worker: Worker): Bid[] {
  const inside = (pieces(market, worker.id, online) ?? []).map(({ arrival, from, to }) => ({
    worker: worker.id,
    price: to === Number.POSITIVE_INFINITY ? 2 * from + 1 : (from + to) / 2,
    arrival,
  }));
  const later = Array.from({ length: market.rules.rounds - worker.arrival }, (_, k) => ({
    worker: worker.id,
    price: worker.cost,
    arrival: worker.arrival + 1 + k,
  }));
  return [
    ...inside.filter(({ price, arrival }) => arrival === worker.arrival && price !== worker.cost),
    ...later,
  ];
}
