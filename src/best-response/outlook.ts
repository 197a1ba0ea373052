/**
 * What a start at one clock holds for one worker. Its own bid never moves the thresholds that judge it nor the other
 * group's money, so there are three ways only:
 *  - below the critical density it wins the first step, always with the same winners and the same ρ*;
 *  - from the ceiling on, the density that step has without it, it changes nothing before it is admitted: one utility
 *    for each round of admission;
 *  - between the two it is the first loser and may set the first-step price.
 */

import { atMost, EQUAL } from "../lib/tolerance.js";
import type { Group, Rules } from "../market/market.js";
import type { GroupPlay } from "./group-play.js";
import type { Start, Starts } from "./starts.js";

/** The worker whose lies are explored. */
export interface Self {
  readonly row: number;
  readonly side: Group;
  readonly reputation: number;
  readonly cost: number;
}

/** Made once for a clock; it faces one worker after another. */
export class Outlook {
  /** The first step without the worker: how many are taken, and ρ*. */
  others = 0;
  ceiling = 0;
  /** With the worker at density 0: ρ*, below which it wins, and how many others win with it. */
  critical = 0;
  companions = 0;
  /** Whether enough are taken for the start without the worker, and with it at density 0. As a loser it never adds to the others. */
  startsAlone = false;
  startsWith = false;

  /** The group's half of the budget, which no admission or raise exceeds ([M9], [M10], [M13]). */
  private half = 0;
  private self!: Self;
  private fits = new Uint8Array(0);
  private utilities = new Float64Array(0);
  private wonUtility = Number.NaN;
  private probed = false;
  /** What `admission` was asked last and answered, T + 1 for none: a higher density is never admitted earlier. */
  private readonly last = { x: 0, entry: 0, round: 0 };

  constructor(
    readonly start: Start,
    private readonly starts: Starts,
    private readonly group: GroupPlay,
  ) {}

  get delay(): number {
    return this.start.clock - 1;
  }

  /** ρ* of the other group by round. */
  get thresholds(): Float64Array {
    return this.start.thresholds[1 - this.self.side]!;
  }

  private get rules(): Rules {
    return this.starts.rules;
  }

  /** Turns to a worker of the market that is loaded; nothing happens if it is the one faced already. */
  face(self: Self): void {
    if (this.self === self) return;
    this.self = self;
    this.wonUtility = Number.NaN;
    this.probed = false;
    const { step } = this.start;
    step.at(self.row, self.reputation, 0);
    this.critical = step.starDensity;
    this.companions = step.others;
    step.without(self.row);
    this.others = step.others;
    this.ceiling = step.starDensity;
    this.half = (this.rules.budget / 2) * EQUAL;
    this.startsAlone = this.others >= this.rules.minWorkers;
    this.startsWith = this.companions + 1 >= this.rules.minWorkers;
  }

  /** Whether outbidding or staying away could leave too few for this start. */
  movable(): boolean {
    const { minWorkers } = this.rules;
    const { step } = this.start;
    if (!this.startsWith) return true;
    let cheaper = 0;
    for (let k = 0; k < step.size && cheaper < minWorkers; k++) {
      if (step.row[k] === this.self.row) continue;
      if (atMost(this.critical, step.density[k]!)) break;
      cheaper++;
    }
    return cheaper < minWorkers;
  }

  /** The most that this start can bring, if it comes to it; of nothing 0. */
  bound(): number {
    const won = this.startsWith ? this.boundWon() : 0;
    return this.startsAlone ? Math.max(won, this.boundLate(2, 0)) : won;
  }

  /** Money only ever takes from what thresholds promise: the most an admission from `entry` on can bring. */
  boundLate(entry: number, density: number): number {
    let best = 0;
    for (let round = entry; round <= this.rules.rounds; round++)
      if (atMost(density, this.thresholds[round]!)) best = Math.max(best, this.boundAdmitted(round));
    return best;
  }

  private boundAdmitted(round: number): number {
    const { reputation, cost, side } = this.self;
    const promised = reputation * this.start.worth[1 - side]![round]!;
    return Math.min(promised, this.half) - cost * (this.rules.rounds - round + 1);
  }

  /** The most winning the first step can bring: what it pays is raised only while it and all else of the group is below the half. */
  boundWon(): number {
    const { thresholds, critical } = this;
    const { reputation, cost, side } = this.self;
    const { rounds } = this.rules;
    let round = 2;
    while (round <= rounds && !(thresholds[round]! > critical)) round++;
    const later = round <= rounds ? this.start.worth[1 - side]![round]! : 0;
    const promised = reputation * (critical * (round - 1) + later);
    return Math.min(promised, Math.max(this.half, reputation * critical * rounds)) - cost * rounds;
  }

  /** Utility of winning the first step; NaN where it cannot exceed the floor. */
  won(floor: number): number {
    if (!Number.isNaN(this.wonUtility) || this.boundWon() <= floor) return this.wonUtility;
    this.start.step.at(this.self.row, this.self.reputation, 0);
    this.play(0, 2);
    this.wonUtility = this.group.payment - this.self.cost * this.rules.rounds;
    return this.wonUtility;
  }

  /** The round from `entry` on in which the worker at density x is admitted, if it changes nothing before; 0: none. */
  admission(x: number, entry: number): number {
    if (!this.probed) this.probe();
    const { last, fits, thresholds } = this;
    const { rounds } = this.rules;
    let round = entry === last.entry && x >= last.x ? last.round : entry;
    while (round <= rounds && !(fits[round] === 1 && atMost(x, thresholds[round]!))) round++;
    last.x = x;
    last.entry = entry;
    last.round = round;
    return round <= rounds ? round : 0;
  }

  /** The last round in which an admission could bring more than the floor; 0: none. */
  lastWorthwhile(floor: number): number {
    if (!this.probed) this.probe();
    for (let round = this.rules.rounds; round >= 2; round--)
      if (this.fits[round] === 1 && this.boundAdmitted(round) > floor) return round;
    return 0;
  }

  private probe(): void {
    this.probed = true;
    this.last.entry = 0;
    this.forget(this.rules.rounds);
    this.prepare();
    this.start.step.without(this.self.row);
    this.group.probe(this.start.step, this.fits);
  }

  private forget(rounds: number): void {
    if (this.utilities.length <= rounds) {
      this.fits = new Uint8Array(rounds + 1);
      this.utilities = new Float64Array(rounds + 1);
    }
    this.utilities.fill(Number.NaN);
  }

  /** Utility if admitted in this round, where `admission` has been asked; NaN where it cannot exceed the floor. */
  admitted(round: number, floor: number): number {
    if (!Number.isNaN(this.utilities[round]!) || this.boundAdmitted(round) <= floor)
      return this.utilities[round]!;
    this.start.step.without(this.self.row);
    this.play(0, round);
    const remaining = this.rules.rounds - round + 1;
    this.utilities[round] = this.group.payment - this.self.cost * remaining;
    return this.utilities[round]!;
  }

  /** Plays the worker at density x as the first loser; the results are the group's. */
  loseFirst(x: number): void {
    this.start.step.at(this.self.row, this.self.reputation, x);
    this.play(x, 2);
  }

  private play(x: number, entry: number): void {
    this.prepare();
    this.group.play(this.start.step, x, entry);
  }

  private prepare(): void {
    const { rules, delay, thresholds, starts, self } = this;
    const side = starts.engine.sides[self.side];
    this.group.prepare({ rules, side, self: starts.place[self.row]!, delay, thresholds });
  }
}
