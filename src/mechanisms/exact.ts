/**
 * The rational twin of the online mechanism: Algorithms 1–3 of the paper line by line, in exact fractions, as
 * mechanism.md reads them. Slow on purpose; it is the readable truth the engine is held to. It loads all of mathjs:
 * import it only where it is used.
 */

import { add, compare, divide, type Fraction, fraction, multiply, number, subtract } from "mathjs";
import { type Bidder, type Group, groupOf, type Rules } from "../market/market.js";
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

const zero = fraction(0);
const one = fraction(1);
const two = fraction(2);
const plus = (a: Fraction, b: Fraction): Fraction => add(a, b);
const minus = (a: Fraction, b: Fraction): Fraction => subtract(a, b);
const over = (a: Fraction, b: Fraction): Fraction => divide(a, b) as Fraction;
const times = (...factors: Fraction[]): Fraction => factors.reduce((a, b) => multiply(a, b) as Fraction);
export const totalOf = (amounts: readonly Fraction[]): Fraction => amounts.reduce(plus, zero);

/** The decimal that a number is written as, exactly: 0.1 is one tenth ([M13]). */
export function exactly(value: number): Fraction {
  const [digits, exponent = "0"] = String(value).split("e");
  const power = fraction(10n ** BigInt(Math.abs(Number(exponent))), 1n);
  return Number(exponent) < 0 ? over(fraction(digits!), power) : times(fraction(digits!), power);
}

/** Compares exactly and remembers how close a call it was. */
class Scales {
  narrowestGap = Number.POSITIVE_INFINITY;

  compare(a: Fraction, b: Fraction): number {
    const order = number(compare(a, b) as Fraction);
    if (order !== 0) {
      const largest = Math.max(Math.abs(number(a)), Math.abs(number(b)));
      this.narrowestGap = Math.min(this.narrowestGap, Math.abs(number(minus(a, b))) / largest);
    }
    return order;
  }

  atMost = (a: Fraction, b: Fraction): boolean => this.compare(a, b) <= 0;
  exceeds = (a: Fraction, b: Fraction): boolean => this.compare(a, b) > 0;
}

/** Algorithm 3: online selection and payment. */
export function exactOnline(rules: Rules, bids: readonly Bidder[]): ExactOutcome {
  const task = announce(rules);
  const everybody = bids.filter((bid) => bid.reputation > 0).map(arrive);
  const queues = sorted(task, everybody);
  const lastArrival = bids.reduce((last, { arrival }) => Math.max(last, arrival), 1);
  const startDelay = firstStep(task, queues.byDensity, lastArrival);
  const thresholds: ExactThreshold[] = [];
  if (startDelay !== null)
    for (let t = 2; t <= rules.rounds; t++) thresholds.push(timeStep(task, queues, t, startDelay));
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

function arrive({ id, reputation, price, arrival }: Bidder): Person {
  const Re = exactly(reputation);
  return { id, arrival, Re, rho: over(exactly(price), Re), selectedAt: null, p: zero, rhoStar: null };
}

/** Everybody in the two orders of the paper's algorithms; ties go to the smaller id ([M2]). */
interface Queues {
  /** Increasing density. */
  readonly byDensity: readonly Person[];
  /** As workers are judged: in the prose the higher reputation first, in the pseudocode the lower ([M11]). */
  readonly byReputation: readonly Person[];
}

function sorted({ rules, scales }: Task, everybody: readonly Person[]): Queues {
  const direction = rules.reading === "prose" ? -1 : 1;
  return {
    byDensity: [...everybody].sort((a, b) => scales.compare(a.rho, b.rho) || a.id - b.id),
    byReputation: [...everybody].sort((a, b) => direction * scales.compare(a.Re, b.Re) || a.id - b.id),
  };
}

/** Lines 9–17 of Algorithm 3, repeated a clock tick later while too few are taken ([M5], [M6]); the delay, or null. */
function firstStep(task: Task, byDensity: readonly Person[], lastArrival: number): number | null {
  for (let clock = 1; clock <= lastArrival; clock++) {
    const U = byDensity.filter((person) => person.arrival <= clock);
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
function timeStep(task: Task, queues: Queues, t: number, delay: number): ExactThreshold {
  const { B, B1, T } = task;
  const arrived = (queue: readonly Person[], group: Group) =>
    queue.filter(({ id, arrival }) => arrival <= t + delay && groupOf(id) === group);
  const later = over(times(minus(B, B1), fraction(t - 1)), minus(T, one));
  const sampleBudget = over(plus(B1, later), T);
  const shareOf = (group: Group) =>
    proportionalShare(task, arrived(queues.byDensity, group), over(sampleBudget, two), one).rhoStar;
  const [group0, group1] = [shareOf(0), shareOf(1)];
  selectWorkersFromGroup(task, arrived(queues.byReputation, 0), group1, t);
  selectWorkersFromGroup(task, arrived(queues.byReputation, 1), group0, t);
  return { round: t, group0, group1 };
}

/** Algorithm 1: GetPaymentDensityThreshold ([M3]) of workers in increasing density; s rounds are bought. */
function proportionalShare(
  { scales }: Task,
  U: readonly Person[],
  budget: Fraction,
  s: Fraction,
): { S: Person[]; rhoStar: Fraction | null } {
  const S: Person[] = [];
  let sum = zero;
  for (const person of U) {
    if (scales.exceeds(times(s, person.rho, plus(person.Re, sum)), budget)) break;
    S.push(person);
    sum = plus(sum, person.Re);
  }
  const next = U[S.length]?.rho ?? null;
  if (S.length === 0) return { S, rhoStar: next };
  const byBudget = over(budget, times(s, sum));
  return { S, rhoStar: next !== null && scales.atMost(next, byBudget) ? next : byBudget };
}

/** Algorithm 2: SelectWorkersFromGroup, in the order of [M11], judged by the other group's threshold ([M8]–[M10]). */
function selectWorkersFromGroup(task: Task, U: readonly Person[], rhoStar: Fraction | null, t: number): void {
  const { rules, scales, B } = task;
  if (rhoStar === null) return;
  const remaining = fraction(rules.rounds - t + 1);
  let left = minus(over(B, two), totalOf(U.map(({ p }) => p)));
  for (const i of U) {
    if (scales.exceeds(i.rho, rhoStar)) continue;
    const before = i.p;
    if (i.selectedAt === null) admit(task, i, { t, left, rhoStar, need: times(remaining, i.Re, rhoStar) });
    else if (scales.exceeds(rhoStar, i.rhoStar!))
      reprice(task, i, { t, left, rhoStar, need: times(minus(rhoStar, i.rhoStar!), i.Re, remaining) });
    left = minus(left, minus(i.p, before));
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
  bids: readonly Bidder[],
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

export const toNumber = (value: Fraction): number => number(value);
