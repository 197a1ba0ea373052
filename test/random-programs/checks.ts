/** What must hold of any program: each check throws, with the numbers, where it does not. */

import { expect } from "vitest";
import { exactOutcome } from "../../src/auction/exact.js";
import { type Mechanism, runAuction } from "../../src/auction/mechanism.js";
import { type Regime, regimesIn } from "../../src/auction/outcome.js";
import { exactly, type Fraction, fraction, parseFraction, toNumber } from "../../src/lib/fraction.js";
import { bidders, type Market, possibleArrivals } from "../../src/market/market.js";
import { validatedMechanism } from "../../src/mechanisms/validate.js";
import { certificateLines } from "../../src/proofs/certificate.js";
import type { CellLine, HeadLine, PieceLine } from "../../src/proofs/certificate-format.js";
import { allClaims, claimKey } from "../../src/proofs/program.js";
import { type ProvedClaim, piecesOf, provedClaims } from "../../src/proofs/prove.js";
import { type PlainShape, plainShape, type Shape } from "../../src/proofs/shape.js";
import { Verification } from "../../src/proofs/verify.js";
import type { WrittenAmount } from "../../src/proofs/witness.js";
import { cellsOf, mergedSummary, type ProofSummary, pieceSummary } from "../../src/proofs/worst.js";
import { bestResponses } from "../../src/responses/index.js";
import { mechanismContract } from "../../src/verdicts/contracts.js";
import { hunt } from "../../src/verdicts/counterexamples/search.js";
import {
  type Best,
  byHand,
  type PlainLie,
  type PlainMarket,
  plainMarket,
  runWith,
  utilityIn,
} from "./brute-force.js";
import type { PlainRun } from "./plain-auction.js";
import { mechanismFrom, type ProgramData } from "./program.js";

/** A mechanism as the commands take it from a user's file. */
export const mechanismOf = (data: ProgramData): Mechanism =>
  validatedMechanism(mechanismFrom(data)) as Mechanism;

/** Answers are given in numbers: what differs by less, relatively to the amounts at stake, is the same. */
const ALIKE = 1e-7;

function expectNear(got: number, wanted: number, scale: number, what: string): void {
  const near = got === wanted || Math.abs(got - wanted) <= ALIKE * scale;
  if (!near) throw new Error(`${what}: ${got}, and ${wanted} by hand`);
}

const gainOf = ({ utility }: Best, truthful: Fraction): number =>
  utility === null ? Number.POSITIVE_INFINITY : toNumber(utility.sub(truthful));

/** (a) Exact answers are those of a brute force in fractions, and the bids that they name bring what they say. Gives back the gains. */
export function checkResponses(data: ProgramData, market: Market): number[] {
  const mechanism = mechanismOf(data);
  const { method, workers } = bestResponses(market, { mechanism, inFractions: true });
  expect(method).toBe("exact");
  const plain = plainMarket(market);
  for (const { id, truthful, gain, priceGain, timeGain, best, bestPrice, bestTime } of workers) {
    const hand = byHand(data, plain, id);
    const worker = plain.workers.find((one) => one.id === id)!;
    const { budget, rounds } = market.rules;
    const largest = Math.abs(toNumber(hand.joint.utility ?? hand.truthful));
    const scale = Math.max(budget, toNumber(worker.cost) * rounds, largest);
    expectNear(truthful, toNumber(hand.truthful), scale, `truth of worker ${id}`);
    expectNear(gain, gainOf(hand.joint, hand.truthful), scale, `gain of worker ${id}`);
    expectNear(priceGain, gainOf(hand.price, hand.truthful), scale, `gain by price of worker ${id}`);
    expectNear(timeGain, toNumber(hand.time.sub(hand.truthful)), scale, `gain by time of worker ${id}`);
    for (const lie of [best, bestPrice, bestTime]) {
      if (lie === null) continue;
      // A tie at 10/7 is no number: the turning price that the number stands for is looked up.
      const said = exactly(lie.price);
      const ties = hand.tried.map(({ price }) => price).filter((price) => isSameNumber(price, lie.price));
      const brought = [said, ...ties].map((price) =>
        toNumber(utilityIn(runWith(data, plain, { id, price, arrival: lie.arrival }), worker).at),
      );
      const near = brought.reduce((a, b) => (Math.abs(b - lie.utility) < Math.abs(a - lie.utility) ? b : a));
      const own = Math.max(scale, Math.abs(lie.utility));
      expectNear(lie.utility, near, own, `worker ${id} bids ${lie.price} at ${lie.arrival}`);
    }
    if (gain === Number.POSITIVE_INFINITY && !(best.utility > truthful))
      throw new Error(`worker ${id} gains without bound, and nothing by bidding ${best.price}`);
  }
  return workers.map(({ gain }) => gain);
}

const isSameNumber = (price: Fraction, number: number): boolean =>
  Math.abs(toNumber(price) - number) <= 1e-12 * number;

/** What is left of a run, to be compared. */
const plainOutcome = ({ workers, startDelay, budgetEvents, thresholds }: PlainRun) => ({
  startDelay,
  workers: workers.map(({ id, selectedAt, rounds, payment }) => [
    id,
    selectedAt,
    rounds,
    payment.at.toFraction(),
  ]),
  thresholds: thresholds.map(({ round, group0, group1 }) => [
    round,
    group0?.at.toFraction() ?? null,
    group1?.at.toFraction() ?? null,
  ]),
  budgetEvents,
});

/** (c) Fractions do what the blocks written a second time do, and numbers the same but at knife edges; contracts are kept. */
export function checkRuns(data: ProgramData, market: Market): void {
  const mechanism = mechanismOf(data);
  const exact = exactOutcome(mechanism, market.rules, bidders(market.workers));
  const reputed = new Set(market.workers.filter(({ reputation }) => reputation > 0).map(({ id }) => id));
  expect({
    startDelay: exact.startDelay,
    workers: exact.workers
      .filter(({ id }) => reputed.has(id))
      .map(({ id, selectedAt, rounds, payment }) => [id, selectedAt, rounds, payment.toFraction()]),
    thresholds: exact.thresholds.map(({ round, group0, group1 }) => [
      round,
      group0?.toFraction() ?? null,
      group1?.toFraction() ?? null,
    ]),
    budgetEvents: exact.budgetEvents,
  }).toEqual(plainOutcome(runWith(data, plainMarket(market), null)));
  const numbers = runAuction(mechanism, market);
  if (exact.narrowestGap < 1e-9) return;
  expect([numbers.startDelay, numbers.budgetEvents]).toEqual([exact.startDelay, exact.budgetEvents]);
  for (const [k, { id, selectedAt, rounds, payment }] of exact.workers.entries()) {
    const got = numbers.workers[k]!;
    expect([got.id, got.selectedAt, got.rounds]).toEqual([id, selectedAt, rounds]);
    const scale = Math.max(market.rules.budget, Math.abs(got.payment));
    expectNear(got.payment, toNumber(payment), scale, `payment of worker ${id}`);
  }
}

export function checkContract(data: ProgramData, seed: number): void {
  const limits = { runs: 4, seed, maxWorkers: 4, maxRounds: 3 };
  for (const { run } of mechanismContract(mechanismOf(data), limits)) run();
}

/** A shape, and markets of it. */
export interface ShapeCase {
  readonly shape: Omit<Shape, "mechanism">;
  readonly markets: readonly Market[];
}

/** How many cells a proof may have: with more it takes minutes. */
const MOST_CELLS = 400;

function isWithin(shape: PlainShape): boolean {
  let cells = 0;
  for (const piece of piecesOf(shape))
    for (const _ of cellsOf(shape, piece)) if (++cells > MOST_CELLS) return false;
  return true;
}

/** (b) What is proved of a shape is broken in none of its markets, by brute force or by a hunt; what breaks has a witness that replays; the certificate verifies. Gives back the claims; null where the proof is too large to be made here. */
export async function checkProofs(
  data: ProgramData,
  { shape, markets }: ShapeCase,
  hunted: number,
): Promise<readonly ProvedClaim[] | null> {
  const mechanism = mechanismOf(data);
  const plain = plainShape({ ...shape, mechanism });
  if (!isWithin(plain)) return null;
  const summary = piecesOf(plain).reduce<ProofSummary>(
    (sum, piece) => mergedSummary(sum, pieceSummary(plain, piece)),
    {},
  );
  const claims = provedClaims(plain, summary, allClaims);
  for (const claim of claims) if (claim.verdict === "breaks") replay(data, claim);
  const [head, ...lines] = JSON.parse(
    JSON.stringify([
      ...certificateLines({
        ...{ shape: plain, program: { builtIn: "random" }, version: "1", pairs: false },
        ...{ summary, claims },
      }),
    ]),
  ) as [HeadLine, ...(PieceLine | CellLine)[]];
  const verification = new Verification(plain, head);
  for (const line of lines)
    if ("piece" in line) verification.piece(line);
    else verification.cell(line);
  expect(verification.finish()).toEqual(head.claims);
  const byKey = new Map(claims.map((claim) => [claimKey(claim), claim]));
  for (const market of markets) demandNothingBeyond(data, plainMarket(market), byKey);
  const proved = claims.filter(({ verdict }) => verdict === "proved");
  for (let k = 0; k < Math.min(2, proved.length); k++) {
    const { property, regime, start } = proved[(hunted + k) % proved.length]!;
    const target = { mechanism, property, regime, start: start ?? "any" } as const;
    const { found } = await hunt({ target, seed: hunted, markets: 0, maxRatio: 1, known: markets });
    expect(found, `proved: ${property} ${regime} ${start}`).toBeNull();
  }
  return claims;
}

const fractionOf = (amount: WrittenAmount): Fraction =>
  typeof amount === "number" ? exactly(amount) : parseFraction(amount);

/** The witness of a claim shows, in plain runs, what it says. */
function replay(data: ProgramData, { property, regime, start, witness }: ProvedClaim): void {
  const { worker, bid, gain } = witness!;
  const { rules, workers } = witness!.market;
  const market: PlainMarket = {
    rules: {
      ...{ ...rules, budget: fractionOf(rules.budget) },
      firstRoundRatio: toNumber(fractionOf(rules.firstRoundRatio)),
    },
    workers: workers.map(({ id, arrival, cost, reputation }) => ({
      ...{ id, arrival },
      ...{ cost: fractionOf(cost), reputation: fractionOf(reputation) },
    })),
  };
  const lie = bid && { id: bid.worker, price: fractionOf(bid.price), arrival: bid.arrival };
  const shown = shownBy(data, market, property, worker, lie);
  const said = `${property} ${regime} ${start}: the witness shows`;
  expect(shown.amount.toFraction(), said).toBe(gain);
  expect([shown.regimes.includes(regime), shown.start], said).toEqual([true, start]);
  expect(shown.amount.gt(0), said).toBe(true);
}

function shownBy(
  data: ProgramData,
  market: PlainMarket,
  property: string,
  id: number | null,
  lie: PlainLie | null,
) {
  const truth = runWith(data, market, null);
  const regimeOf = regimesIn(truth);
  if (id === null) {
    const paid = truth.workers.reduce((sum, { payment }) => sum.add(payment.at), fraction(0));
    const regimes = market.workers.map((worker) => regimeOf(worker.id));
    return { amount: paid.sub(market.rules.budget), regimes, start: null };
  }
  const worker = market.workers.find((one) => one.id === id)!;
  const honest = utilityIn(truth, worker).at;
  const regimes = [regimeOf(id)];
  if (lie === null) return { amount: fraction(0).sub(honest), regimes, start: null };
  if (property === "P6") expect(lie.price.equals(worker.cost)).toBe(true);
  if (property === "P5") expect(lie.arrival).toBe(worker.arrival);
  const lying = runWith(data, market, lie);
  const start = lying.startDelay === truth.startDelay ? "kept" : "moved";
  return { amount: utilityIn(lying, worker).at.sub(honest), regimes, start };
}

/** No bid of anybody in this market brings more than the worst case that is proved for its claim. */
function demandNothingBeyond(
  data: ProgramData,
  market: PlainMarket,
  claims: ReadonlyMap<string, ProvedClaim>,
): void {
  const truth = runWith(data, market, null);
  const regimeOf = regimesIn(truth);
  const demand = (
    property: ProvedClaim["property"],
    regime: Regime,
    start: ProvedClaim["start"],
    amount: Fraction,
    how: string,
  ) => {
    const key = claimKey({ property, regime, start });
    const { worst, attained } = claims.get(key)!;
    if (worst === "unbounded") return;
    const most = parseFraction(worst).mul(market.rules.budget);
    const within = attained ? amount.lte(most) : amount.lt(most);
    if (!within) throw new Error(`${key} is at most ${worst} of the budget, and ${how}: ${amount}`);
  };
  const { amount, regimes } = shownBy(data, market, "P2", null, null);
  for (const regime of regimes) demand("P2", regime, null, amount, "more is paid");
  for (const worker of market.workers) {
    const { id, cost, arrival } = worker;
    const regime = regimeOf(id);
    const hand = byHand(data, market, id);
    demand("P1", regime, null, fraction(0).sub(hand.truthful), `worker ${id} loses`);
    const claim = (startDelay: number | null) => (startDelay === hand.startDelay ? "kept" : "moved");
    for (const { price, arrival: bid, utility, startDelay } of hand.tried) {
      const gain = utility.at.sub(hand.truthful);
      const how = `worker ${id} bids ${price} at ${bid}`;
      demand("joint", regime, claim(startDelay), gain, how);
      if (bid === arrival) demand("P5", regime, claim(startDelay), gain, how);
    }
    for (const bid of possibleArrivals(worker, market.rules).slice(1)) {
      const run = runWith(data, market, { id, price: cost, arrival: bid });
      const gain = utilityIn(run, worker).at.sub(hand.truthful);
      demand("P6", regime, claim(run.startDelay), gain, `worker ${id} comes at ${bid}`);
    }
  }
}
