/**
 * The rational twin of the online mechanism: Algorithms 1–3 of the paper line by line, in exact fractions, as
 * mechanism.md reads them. Slow on purpose; it is the readable truth the engine is held to.
 */

import { exactly, type Fraction, fraction, toNumber, totalOf, zero } from "../lib/fraction.js";
import { type Bidder, groupOf, type Rules } from "../market/market.js";
import type { BudgetEvent } from "./mechanism.js";

export interface ExactAllotment {
  readonly id: number;
  readonly selectedAt: number | null;
  readonly rounds: number;
  readonly payment: Fraction;
}

export interface ExactThreshold {
  readonly round: number;
  readonly group0: Fraction | null;
  readonly group1: Fraction | null;
}

export interface ExactOutcome {
  readonly startDelay: number | null;
  readonly workers: readonly ExactAllotment[];
  readonly thresholds: readonly ExactThreshold[];
  readonly budgetEvents: readonly BudgetEvent[];
  /** The smallest relative gap, exact ties aside, between two sides of a comparison: the nearest knife edge. */
  readonly narrowestGap: number;
}

/** A bid whose price may be a fraction that no decimal writes. */
export interface ExactBidder extends Omit<Bidder, "price"> {
  readonly price: number | Fraction;
}

/** A worker in the twin: the paper's b_i, Re_i, ρ_i, p_i, ρ*_i. */
interface Person {
  readonly id: number;
  readonly arrival: number;
  readonly Re: Fraction;
  readonly rho: Fraction;
  selectedAt: number | null;
  p: Fraction;
  rhoStar: Fraction | null;
}

interface Task {
  readonly rules: Rules;
  readonly T: Fraction;
  readonly B: Fraction;
  readonly B1: Fraction;
  readonly scales: Scales;
  readonly budgetEvents: BudgetEvent[];
}

const one = fraction(1);
const two = fraction(2);
const plus = (a: Fraction, b: Fraction): Fraction => a.add(b);
const minus = (a: Fraction, b: Fraction): Fraction => a.sub(b);
const over = (a: Fraction, b: Fraction): Fraction => a.div(b);
const times = (...factors: Fraction[]): Fraction => factors.reduce((a, b) => a.mul(b));

/** Compares exactly and remembers how close a call it was. */
class Scales {
  narrowestGap = Number.POSITIVE_INFINITY;

  compare(a: Fraction, b: Fraction): number {
    const order = a.compare(b);
    if (order !== 0) {
      const largest = Math.max(Math.abs(toNumber(a)), Math.abs(toNumber(b)));
      this.narrowestGap = Math.min(this.narrowestGap, Math.abs(toNumber(minus(a, b))) / largest);
    }
    return order;
  }

  atMost = (a: Fraction, b: Fraction): boolean => this.compare(a, b) <= 0;
  exceeds = (a: Fraction, b: Fraction): boolean => this.compare(a, b) > 0;
}

/** Algorithm 3: online selection and payment. */
export function exactOnline(rules: Rules, bids: readonly ExactBidder[]): ExactOutcome {
  const task = announce(rules);
  const everybody = bids.filter((bid) => bid.reputation > 0).map(arrive);
  const lastArrival = Math.max(1, ...bids.map((bid) => bid.arrival));
  const startDelay = firstStep(task, everybody, lastArrival);
  const thresholds: ExactThreshold[] = [];
  if (startDelay !== null)
    for (let t = 2; t <= rules.rounds; t++) thresholds.push(timeStep(task, everybody, t, startDelay));
  return {
    startDelay,
    workers: allotments(rules, bids, everybody),
    thresholds,
    budgetEvents: task.budgetEvents,
    narrowestGap: task.scales.narrowestGap,
  };
}

function announce(rules: Rules): Task {
  const B = exactly(rules.budget);
  const B1 = times(B, exactly(rules.firstRoundRatio));
  return { rules, T: exactly(rules.rounds), B, B1, scales: new Scales(), budgetEvents: [] };
}

function arrive({ id, reputation, price, arrival }: ExactBidder): Person {
  const Re = exactly(reputation);
  return { id, arrival, Re, rho: over(exactly(price), Re), selectedAt: null, p: zero, rhoStar: null };
}

/** Lines 9–17 of Algorithm 3, repeated a clock tick later while too few are taken ([M5], [M6]); the delay, or null. */
function firstStep(task: Task, everybody: readonly Person[], lastArrival: number): number | null {
  for (let clock = 1; clock <= lastArrival; clock++) {
    const U = everybody.filter((person) => person.arrival <= clock);
    const { S, rhoStar } = proportionalShare(task, U, task.B1, task.T);
    if (S.length < task.rules.minWorkers) continue;
    for (const person of S) {
      person.selectedAt = 1;
      person.p = times(task.T, person.Re, rhoStar!);
      person.rhoStar = rhoStar;
    }
    return clock - 1;
  }
  return null;
}

/** Lines 20–27 of Algorithm 3: one time step t > 1 ([M7], [M8]). */
function timeStep(task: Task, everybody: readonly Person[], t: number, delay: number): ExactThreshold {
  const { B, B1, T } = task;
  const arrived = everybody.filter((person) => person.arrival <= t + delay);
  const [U1, U2] = ([0, 1] as const).map((group) => arrived.filter(({ id }) => groupOf(id) === group));
  const later = over(times(minus(B, B1), fraction(t - 1)), minus(T, one));
  const sampleBudget = over(plus(B1, later), T);
  const group0 = proportionalShare(task, U1!, over(sampleBudget, two), one).rhoStar;
  const group1 = proportionalShare(task, U2!, over(sampleBudget, two), one).rhoStar;
  selectWorkersFromGroup(task, U1!, group1, t);
  selectWorkersFromGroup(task, U2!, group0, t);
  return { round: t, group0, group1 };
}

/** Algorithm 1: GetPaymentDensityThreshold ([M3]); s rounds are bought. */
function proportionalShare(
  { scales }: Task,
  U: readonly Person[],
  budget: Fraction,
  s: Fraction,
): { S: Person[]; rhoStar: Fraction | null } {
  const sorted = [...U].sort((a, b) => scales.compare(a.rho, b.rho) || a.id - b.id);
  const S: Person[] = [];
  for (const person of sorted) {
    const sum = plus(person.Re, totalOf(S.map(({ Re }) => Re)));
    if (scales.exceeds(times(s, person.rho, sum), budget)) break;
    S.push(person);
  }
  const next = sorted[S.length]?.rho ?? null;
  if (S.length === 0) return { S, rhoStar: next };
  const byBudget = over(budget, times(s, totalOf(S.map(({ Re }) => Re))));
  return { S, rhoStar: next !== null && scales.atMost(next, byBudget) ? next : byBudget };
}

/** Algorithm 2: SelectWorkersFromGroup, judged by the other group's threshold ([M8]–[M11]). */
function selectWorkersFromGroup(task: Task, U: readonly Person[], rhoStar: Fraction | null, t: number): void {
  const { rules, scales, B } = task;
  if (rhoStar === null) return;
  const direction = rules.reading === "prose" ? -1 : 1;
  const sorted = [...U].sort((a, b) => direction * scales.compare(a.Re, b.Re) || a.id - b.id);
  const remaining = fraction(rules.rounds - t + 1);
  for (const i of sorted) {
    if (scales.exceeds(i.rho, rhoStar)) continue;
    const left = minus(over(B, two), totalOf(U.map(({ p }) => p)));
    if (i.selectedAt === null) admit(task, i, { t, left, rhoStar, need: times(remaining, i.Re, rhoStar) });
    else if (scales.exceeds(rhoStar, i.rhoStar!))
      reprice(task, i, { t, left, rhoStar, need: times(minus(rhoStar, i.rhoStar!), i.Re, remaining) });
  }
}

interface Ruling {
  readonly t: number;
  readonly left: Fraction;
  readonly rhoStar: Fraction;
  readonly need: Fraction;
}

/** Whether the money suffices is compared as Σ p + need against B/2: the gap is one of the group's whole budget. */
function fits({ scales, B }: Task, { left, need }: Ruling): boolean {
  const half = over(B, two);
  return scales.atMost(plus(minus(half, left), need), half);
}

/** Lines 6–7 of Algorithm 2 ([M9]). */
function admit(task: Task, i: Person, ruling: Ruling): void {
  if (!fits(task, ruling)) {
    task.budgetEvents.push({ round: ruling.t, worker: i.id, kind: "refused" });
    return;
  }
  i.selectedAt = ruling.t;
  i.p = ruling.need;
  i.rhoStar = ruling.rhoStar;
}

/** Lines 8–16 of Algorithm 2 ([M10]); the prose asks for money left, the pseudocode does not ([M11]). */
function reprice(task: Task, i: Person, ruling: Ruling): void {
  const { rules, scales, B } = task;
  const half = over(B, two);
  if (rules.reading === "prose" && !scales.exceeds(half, minus(half, ruling.left))) {
    task.budgetEvents.push({ round: ruling.t, worker: i.id, kind: "denied" });
    return;
  }
  const whole = fits(task, ruling);
  i.p = plus(i.p, whole ? ruling.need : ruling.left);
  i.rhoStar = ruling.rhoStar;
  if (!whole) task.budgetEvents.push({ round: ruling.t, worker: i.id, kind: "capped" });
}

function allotments(
  rules: Rules,
  bids: readonly ExactBidder[],
  everybody: readonly Person[],
): readonly ExactAllotment[] {
  const people = new Map(everybody.map((person) => [person.id, person]));
  return [...bids]
    .sort((a, b) => a.id - b.id)
    .map(({ id }) => {
      const selectedAt = people.get(id)?.selectedAt ?? null;
      const rounds = selectedAt === null ? 0 : rules.rounds - selectedAt + 1;
      return { id, selectedAt, rounds, payment: people.get(id)?.p ?? zero };
    });
}

/** p_i − c_i · r_i, exactly ([M12]). */
export const exactUtility = (cost: number, { payment, rounds }: ExactAllotment): Fraction =>
  minus(payment, times(exactly(cost), fraction(rounds)));
