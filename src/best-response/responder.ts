/**
 * Exact best responses to the online mechanism, by its structure: for each arrival, the densities at which anything
 * can change are known or found from flip to flip, and utility is linear between them; single densities at ties are
 * looked at on their own. Which start a bid leads to is decided clock by clock, so lies that move the start are lies
 * like any other.
 */

import { same } from "../compare.js";
import type { Group, Rules } from "../market.js";
import type { Columns } from "../mechanisms/columns.js";
import { GroupPlay } from "./group-play.js";
import { Outlook, type Self } from "./outlook.js";
import { Starts } from "./starts.js";
import type { Stretch, Visitor } from "./visitors.js";

interface Type {
  readonly cost: number;
  readonly arrival: number;
}

type Found = Pick<Stretch, "utility" | "slope" | "selectedAt" | "delay">;

/** A density, or the open stretch (low, high) with x inside. */
interface Span {
  readonly low: number;
  readonly high: number;
  readonly x: number;
}

/** A density inside a span may lie on a flip by chance; if others do too, the flip is rounding. */
const TRIES = 3;

export class Responder {
  readonly starts = new Starts();
  private readonly group = new GroupPlay();
  private readonly outlooks = new Map<number, Outlook>();
  private self!: Self;
  private visitor!: Visitor;
  private arrival = 0;

  /** How many times a group was played so far. */
  get plays(): number {
    return this.group.plays;
  }

  /** Runs the market as bid; every worker's lies are then measured against the others' bids in it. */
  load(rules: Rules, columns: Columns): void {
    this.starts.load(rules, columns);
  }

  /** Visits every stretch of the worker's utility over its density, for each arrival from the true one on. */
  explore(row: number, type: Type, visitor: Visitor): void {
    this.attend(row, type);
    this.visitor = visitor;
    const alone = this.startWithout(type.arrival);
    for (this.arrival = type.arrival; this.arrival <= this.rules.rounds; this.arrival++) {
      if (this.self.reputation === 0) this.exploreNobody();
      else if (alone < this.arrival) this.exploreLate(this.outlook(alone));
      else this.exploreFirst();
    }
  }

  /** An upper bound of what any bid can bring. Later arrivals lead to no other starts than the true one may. */
  bound(row: number, type: Type): number {
    this.attend(row, type);
    if (this.self.reputation === 0) return 0;
    const alone = this.startWithout(type.arrival);
    if (alone < type.arrival) return this.outlook(alone).boundLate(type.arrival - alone + 1, 0);
    return this.reachable(type.arrival).reduce((best, outlook) => Math.max(best, outlook.bound()), 0);
  }

  private get rules(): Rules {
    return this.starts.rules;
  }

  private attend(row: number, { cost }: Type): void {
    const { reputation, odd } = this.starts.columns;
    this.self = { row, cost, reputation: reputation[row]!, side: odd[row] as Group };
    this.outlooks.clear();
  }

  private outlook(clock: number): Outlook {
    const known = this.outlooks.get(clock);
    if (known) return known;
    const outlook = new Outlook(this.starts.at(clock), this.starts, this.self, this.group);
    this.outlooks.set(clock, outlook);
    return outlook;
  }

  /** The clock at which the task starts if the worker, truly there from `arrival` on, never comes; Infinity: it never does. */
  private startWithout(arrival: number): number {
    const { started, delay, lastArrival } = this.starts.engine;
    if (started && delay + 1 < arrival) return delay + 1;
    for (let clock = arrival; clock <= lastArrival; clock++)
      if (this.outlook(clock).startsAlone) return clock;
    return Number.POSITIVE_INFINITY;
  }

  /** Reputation 0 is never selected, whatever it says ([M1]). */
  private exploreNobody(): void {
    const { engine } = this.starts;
    const never = { utility: 0, slope: 0, selectedAt: 0, delay: engine.started ? engine.delay : -1 };
    eachSpan([0], (span) => this.tell(span, never));
  }

  /** The worker comes after the start: only the round of its admission matters. */
  private exploreLate(outlook: Outlook): void {
    const entry = this.arrival - outlook.delay;
    eachSpan([0, ...levels(outlook, entry)], (span) => this.tellAdmission(outlook, span, entry));
  }

  /** The worker may take part in the first step at each clock from its arrival on. */
  private exploreFirst(): void {
    const outlooks = this.reachable(this.arrival);
    const edges = [0];
    for (const outlook of outlooks)
      if (outlook.startsAlone) edges.push(...levels(outlook, 2), ...this.rivals(outlook));
      else edges.push(outlook.critical);
    eachSpan(edges, (span) => this.exploreSpan(outlooks, span));
  }

  /** The starts some price leads to, if the worker arrives then. */
  private reachable(arrival: number): Outlook[] {
    const outlooks: Outlook[] = [];
    const last = Math.max(arrival, this.starts.engine.lastArrival);
    for (let clock = arrival; clock <= last; clock++) {
      const outlook = this.outlook(clock);
      if (!outlook.startsWith && !outlook.startsAlone) continue;
      outlooks.push(outlook);
      if (!outlook.movable()) break;
    }
    return outlooks;
  }

  /** Densities at which the first step changes: the critical one, the ceiling, and the rivals between. */
  private rivals({ start: { step }, critical, ceiling }: Outlook): number[] {
    const densities = [critical, ceiling].filter(Number.isFinite);
    for (let k = 0; k < step.size; k++) {
      const density = step.density[k]!;
      if (step.row[k] !== this.self.row && density >= critical && density <= ceiling) densities.push(density);
    }
    return densities;
  }

  /** One span: the start it leads to, its role in the first step, and what comes of it. */
  private exploreSpan(outlooks: readonly Outlook[], span: Span): void {
    const { minWorkers } = this.rules;
    for (const outlook of outlooks) {
      const { step } = outlook.start;
      step.at(this.self.row, this.self.reputation, span.x);
      if (step.others + (step.won ? 1 : 0) < minWorkers) continue;
      if (step.won) this.tellWon(outlook, span);
      else if (step.slope === 0 && step.others === outlook.others) this.tellAdmission(outlook, span, 2);
      else this.tellFirstLoser(outlook, span);
      return;
    }
    this.tell(span, { utility: 0, slope: 0, selectedAt: 0, delay: -1 });
  }

  private tellWon(outlook: Outlook, span: Span): void {
    const utility = outlook.won(this.visitor.floor);
    if (!Number.isNaN(utility)) this.tell(span, { utility, slope: 0, selectedAt: 1, delay: outlook.delay });
  }

  private tellAdmission(outlook: Outlook, span: Span, entry: number): void {
    const selectedAt = outlook.admission(span.x, entry);
    const utility = selectedAt === 0 ? 0 : outlook.admitted(selectedAt, this.visitor.floor);
    if (!Number.isNaN(utility)) this.tell(span, { utility, slope: 0, selectedAt, delay: outlook.delay });
  }

  /** The first loser sets the first-step price, or keeps rivals out of it: from flip to flip. */
  private tellFirstLoser(outlook: Outlook, span: Span, tries = 0): void {
    const { low, high, x } = span;
    if (outlook.boundLate(2, low) <= this.visitor.floor) return;
    outlook.loseFirst(x);
    const { selectedAt, payment, slope, onFlip } = this.group;
    const rounds = selectedAt === 0 ? 0 : this.rules.rounds - selectedAt + 1;
    const found = { utility: payment - this.self.cost * rounds, slope, selectedAt, delay: outlook.delay };
    if (low === high) {
      this.tell(span, { ...found, slope: 0 });
    } else if (onFlip && tries < TRIES) {
      this.tellFirstLoser(outlook, { low, high, x: low + (x - low) * 0.381966 }, tries + 1);
    } else {
      const from = splits(low, this.group.low, x) ? this.group.low : low;
      const to = splits(x, this.group.high, high) ? this.group.high : high;
      this.tell({ low: from, high: to, x }, found);
      if (from !== low) this.tellBeyond(outlook, low, from, from);
      if (to !== high) this.tellBeyond(outlook, to, high, to);
    }
  }

  /** The rest of a span beyond a flip, and the flip itself. */
  private tellBeyond(outlook: Outlook, low: number, high: number, flip: number): void {
    this.tellFirstLoser(outlook, { low: flip, high: flip, x: flip });
    this.tellFirstLoser(outlook, { low, high, x: low + (high - low) / 2 });
  }

  private tell({ low, high, x }: Span, { utility, slope, selectedAt, delay }: Found): void {
    this.visitor.visit({ arrival: this.arrival, low, high, x, utility, slope, selectedAt, delay });
  }
}

/** Thresholds from a round on: where the price decides about an admission. */
function levels({ thresholds }: Outlook, entry: number): number[] {
  const found: number[] = [];
  for (let round = entry; round < thresholds.length; round++)
    if (!Number.isNaN(thresholds[round]!)) found.push(thresholds[round]!);
  return found;
}

/** Calls for each edge as a single density, and for each open span between edges; the last is open-ended. */
function eachSpan(edges: number[], call: (span: Span) => void): void {
  edges.sort((a, b) => a - b);
  for (let k = 0; k < edges.length; k++) {
    const low = edges[k]!;
    while (k + 1 < edges.length && same(low, edges[k + 1]!)) k++;
    const high = k + 1 < edges.length ? edges[k + 1]! : Number.POSITIVE_INFINITY;
    call({ low, high: low, x: low });
    call({ low, high, x: high === Number.POSITIVE_INFINITY ? 2 * low + 1 : low + (high - low) / 2 });
  }
}

/** Whether a flip lies inside (low, high) and not at an end. */
const splits = (low: number, flip: number, high: number): boolean =>
  flip > low && flip < high && !same(flip, low) && !same(flip, high);
