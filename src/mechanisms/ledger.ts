/** The books of one auction: who works how many rounds for how much, and every ruling that led there. */

import { atMost, exceeds, knifeEdge } from "../lib/tolerance.js";
import type { Bidder, Group, Rules } from "../market/market.js";
import { type Columns, columnsOf } from "./columns.js";
import type { BudgetEvent, Outcome, Threshold, TraceSink } from "./mechanism.js";
import { densityOf } from "./ranking.js";
import type { Sample } from "./sample.js";
import type { Ruling } from "./trace.js";

/** Money that several workers draw on. */
export interface Purse {
  limit: number;
  spent: number;
}

/** The terms on which workers are looked at. */
export interface Terms {
  readonly round: number;
  /** How many rounds are bought from whoever is admitted. */
  readonly buys: number;
  readonly purse: Purse;
  /** ρ*, paid per unit of reputation and round. Null: whoever fits is paid what it asks. */
  readonly threshold: number | null;
  /** Where groups are judged apart. */
  readonly group?: Group;
}

/** A ruling and the numbers behind it. */
interface Account {
  readonly ruling: Ruling;
  readonly need: number;
  /** Of the purse, before the ruling. */
  readonly spent: number;
  /** ρ*_i before the ruling. */
  readonly before: number | null;
}

export class Ledger {
  readonly columns: Columns;
  /** The first round worked, 0 for the unselected. */
  readonly selectedAt: Int32Array;
  private readonly payment: Float64Array;
  private readonly rounds: Int32Array;
  /** ρ*_i: the highest threshold a selected worker has met. */
  private readonly promised: Float64Array;
  private readonly budgetEvents: BudgetEvent[] = [];

  constructor(
    readonly rules: Rules,
    bids: readonly Bidder[],
    readonly trace?: TraceSink,
  ) {
    this.columns = columnsOf(bids);
    this.selectedAt = new Int32Array(bids.length);
    this.payment = new Float64Array(bids.length);
    this.rounds = new Int32Array(bids.length);
    this.promised = new Float64Array(bids.length);
  }

  /** The threshold [M3] sets with s = 1 from the part of a sample that has arrived by a round; null if none ([M4]). */
  learn(sample: Sample, round: number, beta: number): number | null {
    const density = sample.share(round, 1, beta);
    this.trace?.({ kind: "sample", round, share: sample.describe(round, 1, beta, this.columns.id) });
    return Number.isNaN(density) ? null : density;
  }

  /** Admits whoever asks no more than ρ* and still fits ([M9]). */
  offer(row: number, terms: Terms): void {
    const { buys, purse, threshold } = terms;
    const { reputation, price } = this.columns;
    const need = threshold === null ? buys * price[row]! : buys * reputation[row]! * threshold;
    if (threshold !== null && exceeds(densityOf(this.columns, row), threshold)) this.pass(row, terms);
    else if (atMost(purse.spent + need, purse.limit)) this.admit(row, terms, need);
    else this.refuse(row, terms, need);
  }

  /** Leaves a worker out because of its price. */
  pass(row: number, terms: Terms): void {
    this.tell(row, terms, { ruling: "dear", need: 0, spent: terms.purse.spent, before: null });
  }

  admit(row: number, terms: Terms, amount: number): void {
    const { spent } = terms.purse;
    this.hire(row, terms, amount);
    terms.purse.spent += amount;
    this.tell(row, terms, { ruling: "admitted", need: amount, spent, before: null });
  }

  private refuse(row: number, terms: Terms, need: number): void {
    this.record(row, terms.round, "refused");
    this.tell(row, terms, { ruling: "refused", need, spent: terms.purse.spent, before: null });
  }

  /** Raises a selected worker to a higher threshold while the purse lasts ([M10], prose). */
  raise(row: number, terms: Terms & { readonly threshold: number }): void {
    const { purse, threshold, buys, round } = terms;
    const { limit, spent } = purse;
    const before = this.promised[row]!;
    const need = Math.max(0, threshold - before) * this.columns.reputation[row]! * buys;
    const ruling = raising(exceeds(threshold, before), exceeds(limit, spent), exceeds(spent + need, limit));
    if (ruling === "raised" || ruling === "capped") {
      const amount = ruling === "capped" ? limit - spent : need;
      this.payment[row]! += amount;
      purse.spent += amount;
      this.promised[row] = threshold;
    }
    if (ruling === "capped" || ruling === "denied") this.record(row, round, ruling);
    this.tell(row, terms, { ruling, need, spent, before });
  }

  /** Books rounds and pay, whatever the purse. */
  hire(row: number, { round, buys, threshold }: Omit<Terms, "purse">, amount: number): void {
    this.selectedAt[row] ||= round;
    this.rounds[row]! += buys;
    this.payment[row]! += amount;
    this.promised[row] = threshold ?? 0;
  }

  /** Everybody by id; such an auction starts on time, with whoever is there. */
  outcome(thresholds: readonly Threshold[] = []): Outcome {
    return {
      started: true,
      startDelay: 0,
      workers: Array.from(this.columns.id, (id, row) => ({
        id,
        selectedAt: this.selectedAt[row]! || null,
        rounds: this.rounds[row]!,
        payment: this.payment[row]!,
      })),
      thresholds,
      budgetEvents: this.budgetEvents,
    };
  }

  private record(row: number, round: number, kind: BudgetEvent["kind"]): void {
    this.budgetEvents.push({ round, worker: this.columns.id[row]!, kind });
  }

  private tell(row: number, { round, threshold, purse, group }: Terms, account: Account): void {
    if (!this.trace) return;
    const { ruling, need, spent, before } = account;
    const density = densityOf(this.columns, row);
    const byPrice = threshold !== null && knifeEdge(before ?? density, threshold);
    const byMoney = need > 0 && knifeEdge(spent + need, purse.limit);
    const byLast = need > 0 && before !== null && knifeEdge(spent, purse.limit);
    this.trace({
      kind: "ruling",
      ruling,
      round,
      worker: this.columns.id[row]!,
      group: group ?? null,
      density,
      threshold,
      promised: before,
      need,
      left: purse.limit - spent,
      payment: this.payment[row]!,
      knifeEdge: byPrice || byMoney || byLast,
    });
  }
}

function raising(higher: boolean, anyLeft: boolean, cut: boolean): Ruling {
  if (!higher) return "kept";
  if (!anyLeft) return "denied";
  return cut ? "capped" : "raised";
}
