/**
 * Programs as data, over the building blocks of an auction, and the one function that runs such data. All amounts are linear in
 * every price by construction: products have a known factor, divisors are known.
 */

import type { Amount } from "../../src/auction/amounts.js";
import type { Auction, Candidate, Purse, ShareTerms } from "../../src/auction/auction.js";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import type { Mechanism } from "../../src/auction/mechanism.js";
import { judgeAcross, sidesOf } from "../../src/auction/rounds.js";

/** Whose prices a threshold is learned from, and how. */
export interface Learned {
  readonly kind: "learned";
  readonly from: "all" | "others" | "own group" | "other group";
  /** Who must have come by then: anybody, those who are there now, or those who were a round before. */
  readonly by: "ever" | "now" | "before";
  readonly buys: 1 | 2;
  /** β, as a share of the budget. */
  readonly share: number;
  /** The threshold where there is nobody to learn from. */
  readonly otherwise: number;
}

export type Quantity =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "budget"; readonly share: number }
  | { readonly kind: "own"; readonly what: "price" | "density" }
  /** Of who stands next in line, or before; the own one where nobody does. */
  | { readonly kind: "neighbour"; readonly what: "price" | "density"; readonly step: 1 | -1 }
  | { readonly kind: "left" }
  | Learned
  | { readonly kind: "plus" | "minus" | "smaller" | "larger"; readonly a: Quantity; readonly b: Quantity }
  | { readonly kind: "scaled"; readonly by: number; readonly a: Quantity }
  | { readonly kind: "times Re" | "over Re"; readonly a: Quantity };

export type Condition =
  | { readonly kind: "at most"; readonly a: Quantity; readonly b: Quantity }
  | { readonly kind: "not"; readonly a: Condition }
  | { readonly kind: "both" | "either"; readonly a: Condition; readonly b: Condition }
  | { readonly kind: "has come" }
  | { readonly kind: "came by"; readonly clock: number }
  | { readonly kind: "group"; readonly group: 0 | 1 }
  | { readonly kind: "reputed"; readonly least: number }
  | { readonly kind: "always" };

export type Action =
  | { readonly kind: "offer"; readonly threshold: Quantity | null }
  /** Hires at a payment: from the purse if it fits, or whatever is in it. */
  | { readonly kind: "hire"; readonly payment: Quantity; readonly fits: boolean; readonly records: boolean };

export type Order = "density" | "price" | "reputation" | "increasing reputation" | "id" | Quantity;

/** What is done with those who are selected already, when they are looked at again. */
export type Again =
  | { readonly kind: "raise"; readonly threshold: Quantity; readonly reading: "prose" | "pseudocode" }
  | { readonly kind: "bonus"; readonly amount: Quantity };

export type Step =
  | {
      readonly kind: "line";
      readonly order: Order;
      readonly when: Condition;
      readonly action: Action;
      readonly again: Again | null;
      /** Whether the first who does not meet the condition ends the line. */
      readonly stops: boolean;
      /** How many are looked at. */
      readonly most: number | null;
      /** Once, for all rounds; in every round, for those that remain; or in every round, for this one alone. */
      readonly times: "once" | "rounds" | "each round";
    }
  | {
      readonly kind: "first step";
      readonly group: 0 | 1 | null;
      readonly share: number;
      readonly enough: number;
      /** Whether the start is delayed where they are too few; else there is none. */
      readonly waits: boolean;
      readonly paysFromPurse: boolean;
    }
  | { readonly kind: "across"; readonly share: number; readonly raises: boolean };

export interface ProgramData {
  /** Whose money it is: everybody's, each group's own, each step's own, or anew in every round. */
  readonly purses: "one" | "per group" | "per step" | "per round";
  /** Limits, as shares of the budget. */
  readonly limits: readonly [number, number];
  readonly steps: readonly Step[];
}

/** Where in a run a quantity is asked for. */
interface Place {
  readonly worker: Candidate;
  readonly line: readonly Candidate[];
  readonly round: number;
  readonly clock: number;
  readonly purse: Purse;
}

/** A mechanism that does what the data say. */
export function mechanismFrom(data: ProgramData): Mechanism {
  const named = { name: "random", about: "A random program.", offline: !isCausal(data) };
  const keepsBudget = keepsWithin(data) ? {} : { keepsBudget: () => false };
  return defineMechanism({ ...named, ...keepsBudget, program: (auction) => runData(data, auction) });
}

/** The one interpreter: of any auction that has the building blocks. */
export function runData(data: ProgramData, auction: Auction): void {
  new Run(data, auction).all();
}

class Run {
  private purses: readonly [Purse, Purse];

  constructor(
    private readonly data: ProgramData,
    private readonly auction: Auction,
  ) {
    this.purses = this.newPurses();
  }

  all(): void {
    const { rounds } = this.auction.rules;
    for (const [k, step] of this.data.steps.entries()) {
      if (this.auction.startDelay === null) return;
      if (step.kind === "first step") this.firstStep(step, k);
      else if (step.kind === "across") this.across(step);
      else if (step.times === "once") this.line(step, { round: 1, buys: rounds, step: k });
      else
        for (let round = 1; round <= rounds; round++) {
          if (this.data.purses === "per round") this.purses = this.newPurses();
          this.line(step, { round, buys: step.times === "rounds" ? rounds - round + 1 : 1, step: k });
        }
    }
  }

  private newPurses(): readonly [Purse, Purse] {
    const [first, second] = this.data.limits.map((share) => this.auction.purse(this.ofBudget(share)));
    return [first!, second!];
  }

  private ofBudget(share: number): Amount {
    const { math, rules } = this.auction;
    return math.times(rules.budget, math.known(share));
  }

  private purseOf(worker: Candidate, step: number): Purse {
    const { purses } = this.data;
    if (purses === "per group") return this.purses[worker.group];
    return purses === "per step" ? this.purses[step % 2]! : this.purses[0];
  }

  private firstStep(step: Extract<Step, { kind: "first step" }>, place: number): void {
    const { auction } = this;
    const { rounds } = auction.rules;
    const pool = auction.workers.filter(({ group }) => step.group === null || group === step.group);
    const sample = auction.sample(pool);
    const purseOf = (worker: Candidate) => this.purseOf(worker, place);
    for (let clock = 1; clock <= (step.waits ? rounds : 1); clock++) {
      const terms = { by: clock, buys: rounds, budget: this.ofBudget(step.share) };
      auction.startDelay = clock - 1;
      const more = step.paysFromPurse ? { purseOf } : {};
      if (auction.buyAtOnce(sample, terms, { clock, enough: step.enough, ...more })) return;
    }
    auction.startDelay = null;
  }

  private across({ share, raises }: Extract<Step, { kind: "across" }>): void {
    const { auction } = this;
    const { rounds } = auction.rules;
    const sides = sidesOf(auction, auction.byReputation());
    for (let round = 1; round <= rounds; round++) {
      const clock = round + auction.startDelay!;
      const deal = { round, clock, budget: this.ofBudget(share), purses: this.purses };
      judgeAcross(auction, sides, deal, (worker, threshold, purse) => {
        const terms = { round, buys: rounds - round + 1, purse, threshold, group: worker.group };
        if (worker.selectedAt === null) auction.offer(worker, terms);
        else if (raises) auction.raise(worker, terms);
      });
    }
  }

  private line(
    step: Extract<Step, { kind: "line" }>,
    { round, buys, step: place }: { round: number; buys: number; step: number },
  ): void {
    const { auction } = this;
    const line = this.inOrder(step.order);
    const clock = round + auction.startDelay!;
    for (const worker of line.slice(0, step.most ?? line.length)) {
      const at = { worker, line, round, clock, purse: this.purseOf(worker, place) };
      if (!this.holds(step.when, at)) {
        if (step.stops) return;
        continue;
      }
      if (worker.selectedAt === null) this.act(step.action, at, buys);
      // One that is bought for single rounds may be bought for this one, too.
      else if (step.times === "each round" && worker.rounds <= round - worker.selectedAt)
        this.act(step.action, at, 1);
      else if (step.again !== null) this.actAgain(step.again, at, buys);
    }
  }

  private inOrder(order: Order): readonly Candidate[] {
    const { auction } = this;
    if (order === "density") return auction.byDensity();
    if (order === "price") return auction.byPrice();
    if (order === "reputation") return auction.byReputation();
    if (order === "increasing reputation") return auction.byReputation("increasing");
    if (order === "id") return auction.workers;
    const { workers } = auction;
    return auction.math.sorted(workers, (worker) =>
      this.amount(order, { worker, line: workers, round: 1, clock: 1, purse: this.purses[0] }),
    );
  }

  private act(action: Action, at: Place, buys: number): void {
    const { auction } = this;
    const { worker, round, purse } = at;
    if (action.kind === "offer") {
      const threshold = action.threshold && this.amount(action.threshold, at);
      auction.offer(worker, { round, buys, purse, threshold });
      return;
    }
    const payment = this.amount(action.payment, at);
    const terms = { round, buys, purse, threshold: null };
    if (!action.fits) auction.hire(worker, terms, payment);
    else if (auction.math.atMost(auction.math.plus(purse.spent, payment), purse.limit))
      auction.admit(worker, terms, payment);
    else if (action.records) auction.record(worker, round, "refused");
  }

  private actAgain(again: Again, at: Place, buys: number): void {
    const { worker, round, purse } = at;
    if (again.kind === "raise") {
      const threshold = this.amount(again.threshold, at);
      this.auction.raise(worker, { round, buys, purse, threshold }, again.reading);
    } else worker.payment = this.auction.math.plus(worker.payment, this.amount(again.amount, at));
  }

  private holds(condition: Condition, at: Place): boolean {
    const { worker } = at;
    switch (condition.kind) {
      case "at most":
        return this.auction.math.atMost(this.amount(condition.a, at), this.amount(condition.b, at));
      case "not":
        return !this.holds(condition.a, at);
      case "both":
        return this.holds(condition.a, at) && this.holds(condition.b, at);
      case "either":
        return this.holds(condition.a, at) || this.holds(condition.b, at);
      case "has come":
        return worker.arrival <= at.clock;
      case "came by":
        return worker.arrival <= condition.clock;
      case "group":
        return worker.group === condition.group;
      case "reputed":
        return this.auction.math.atMost(condition.least, worker.reputation);
      case "always":
        return true;
    }
  }

  private amount(quantity: Quantity, at: Place): Amount {
    const { math } = this.auction;
    const { worker } = at;
    switch (quantity.kind) {
      case "number":
        return math.known(quantity.value);
      case "budget":
        return this.ofBudget(quantity.share);
      case "own":
        return worker[quantity.what];
      case "neighbour":
        return (at.line[at.line.indexOf(worker) + quantity.step] ?? worker)[quantity.what];
      case "left":
        return math.minus(at.purse.limit, at.purse.spent);
      case "learned":
        return this.learned(quantity, at);
      case "plus":
      case "minus":
        return math[quantity.kind](this.amount(quantity.a, at), this.amount(quantity.b, at));
      case "smaller":
      case "larger": {
        const [a, b] = [this.amount(quantity.a, at), this.amount(quantity.b, at)];
        return math.atMost(a, b) === (quantity.kind === "smaller") ? a : b;
      }
      case "scaled":
        return math.times(this.amount(quantity.a, at), math.known(quantity.by));
      case "times Re":
        return math.times(worker.reputation, this.amount(quantity.a, at));
      case "over Re":
        return math.over(this.amount(quantity.a, at), worker.reputation);
    }
  }

  private learned({ from, by, buys, share, otherwise }: Learned, { worker, clock }: Place): Amount {
    const { auction } = this;
    const pool = auction.workers.filter((one) => {
      if (from === "others") return one !== worker;
      return from === "all" || (one.group === worker.group) === (from === "own group");
    });
    const terms: ShareTerms = { buys, budget: this.ofBudget(share) };
    const last = by === "now" ? clock : clock - 1;
    const threshold = auction.sample(pool).threshold(by === "ever" ? terms : { ...terms, by: last });
    return threshold ?? auction.math.known(otherwise);
  }
}

/** Whether all that is decided by a clock tick rests on those who have come by then. */
const isCausal = ({ steps }: ProgramData): boolean =>
  // A second step goes through all rounds once more, after what the first did in later ones.
  steps.filter(({ kind }) => kind !== "first step").length <= 1 &&
  steps.every((step) => {
    if (step.kind !== "line") return true;
    const { order, when, action, again, stops, most, times } = step;
    const asked = [
      typeof order === "string" ? null : order,
      action.kind === "offer" ? action.threshold : action.payment,
      again && (again.kind === "raise" ? again.threshold : again.amount),
    ].filter((quantity) => quantity !== null);
    return times !== "once" && !stops && most === null && waits(when) && asked.every(isOfThePast);
  });

/** Whether nobody passes who has not come. */
const waits = (when: Condition): boolean =>
  when.kind === "has come" || (when.kind === "both" && waits(when.a) && isConditionOfThePast(when.b));

function isConditionOfThePast(condition: Condition): boolean {
  if (condition.kind === "at most") return isOfThePast(condition.a) && isOfThePast(condition.b);
  if (condition.kind === "both" || condition.kind === "either")
    return isConditionOfThePast(condition.a) && isConditionOfThePast(condition.b);
  return condition.kind === "not" ? isConditionOfThePast(condition.a) : true;
}

/** Whether it does not depend on anybody who may come later. */
function isOfThePast(quantity: Quantity): boolean {
  if (quantity.kind === "neighbour") return false;
  if (quantity.kind === "learned") return quantity.by !== "ever";
  const parts = [...("a" in quantity ? [quantity.a] : []), ...("b" in quantity ? [quantity.b] : [])];
  return parts.every(isOfThePast);
}

/** Whether the blocks alone keep it within its budget: every payment is offered, from purses that hold no more than it. */
const keepsWithin = ({ purses, limits, steps }: ProgramData): boolean =>
  purses !== "per round" &&
  limits[0] + limits[1] <= 1 &&
  steps.every((step) => {
    if (step.kind === "line") return step.action.kind === "offer" && step.again === null;
    return step.kind === "across";
  });
