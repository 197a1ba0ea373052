/**
 * What a start at one clock holds for one worker. Its own bid never moves the thresholds that judge it nor the other
 * group's money, so there are three ways only:
 *  - below the critical density it wins the first step, always with the same winners and the same ρ*; by the prose ([M5])
 *    those depend on which rivals it undercuts;
 *  - from the ceiling on, the density that step has without it, it changes nothing before it is admitted: one utility
 *    for each round of admission;
 *  - between the two it is the first loser and may set the first-step price.
 */

import { type StartAt, startAt } from "../../auction/start.js";
import { atMost, EQUAL, exceeds } from "../../lib/tolerance.js";
import { bidders, byId, type Group, type Market, type Rules } from "../../market/market.js";
import {
  type Columns,
  columnsOf,
  EngineSample,
  firstBudget,
  OnlineEngine,
  ownWeight,
  sampleBudget,
} from "./engine.js";
import type { GroupPlay } from "./rounds.js";

/** The worker whose lies are explored. */
export interface Self {
  readonly row: number;
  readonly side: Group;
  readonly reputation: number;
  readonly cost: number;
}

/** Made once for a clock, and used for one worker after another. */
export class StartForWorker {
  /** The first step without the worker: how many are taken, and ρ*. */
  others = 0;
  ceiling = 0;
  /** Below this density it wins. */
  critical = 0;
  /** ρ* where it wins, or a bound of it by the prose. */
  private promise = 0;
  /** Whether enough are taken for the start without the worker, and where it wins, if it may. As a loser it never adds to the others. */
  startsAlone = false;
  startsWith = false;

  /** The group's half of the budget, which no admission or raise exceeds ([M9], [M10], [M13]). */
  private half = 0;
  private self!: Self;
  private fits = new Uint8Array(0);
  private utilities = new Float64Array(0);
  /** Utility of winning, and with how many others it is: they fix ρ* and everything after. */
  private wonUtility = Number.NaN;
  private wonWith = -1;
  private probed = false;
  /** What `admission` was asked last and answered, T + 1 for none: a higher density is never admitted earlier. */
  private readonly last = { x: 0, entry: 0, round: 0 };

  constructor(
    readonly common: Start,
    private readonly starts: Starts,
    private readonly group: GroupPlay,
  ) {}

  get delay(): number {
    return this.common.clock - 1;
  }

  /** The first round that winners work. */
  get round(): number {
    return this.common.start.round;
  }

  /** The first round in which somebody who comes at a clock tick may be admitted. */
  entryAt(clock: number): number {
    return Math.max(this.common.start.round + 1, clock - this.common.start.offset);
  }

  /** ρ* of the other group by round. */
  get thresholds(): Float64Array {
    return this.common.thresholds[1 - this.self.side]!;
  }

  private get rules(): Rules {
    return this.starts.rules;
  }

  /** Turns to a worker of the market that is loaded; nothing happens if it is the same as before. */
  consider(self: Self): void {
    if (this.self === self) return;
    this.self = self;
    this.wonUtility = Number.NaN;
    this.wonWith = -1;
    this.probed = false;
    const { step } = this.common;
    if (this.rules.firstStep === "prose") {
      this.critical = step.highestTaken(self.row, self.reputation);
      this.promise = step.highestPaid(self.row, self.reputation);
      this.startsWith = true;
    } else {
      step.at(self.row, self.reputation, 0);
      this.critical = step.starDensity;
      this.promise = step.starDensity;
      this.startsWith = step.taken + 1 >= this.rules.minWorkers;
    }
    step.without(self.row);
    this.others = step.taken;
    this.ceiling = step.starDensity;
    this.half = (this.rules.budget / 2) * EQUAL;
    this.startsAlone = this.others >= this.rules.minWorkers;
  }

  /** Whether outbidding or staying away could leave too few for this start. */
  movable(): boolean {
    const { minWorkers } = this.rules;
    const { step } = this.common;
    // By the prose the others who win depend on the price, so each start is looked at.
    if (!this.startsWith || this.rules.firstStep === "prose") return true;
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
    return this.startsAlone ? Math.max(won, this.boundLate(this.round + 1, 0)) : won;
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
    const promised = reputation * this.common.worth[1 - side]![round]!;
    return Math.min(promised, this.half) - cost * (this.rules.rounds - round + 1);
  }

  /** The most winning the first step can bring: what it pays is raised only while it and all else of the group is below the half. */
  boundWon(): number {
    const { thresholds, promise } = this;
    const { reputation, cost, side } = this.self;
    const { rounds } = this.rules;
    const { round: first, buys } = this.common.start;
    let round = first + 1;
    while (round <= rounds && !(thresholds[round]! > promise)) round++;
    const later = round <= rounds ? this.common.worth[1 - side]![round]! : 0;
    const promised = reputation * (promise * (round - first) + later);
    return Math.min(promised, Math.max(this.half, reputation * promise * buys)) - cost * buys;
  }

  /** Utility of winning the first step at density x, which was just looked at; NaN where it cannot exceed the floor. */
  won(x: number, floor: number): number {
    const { step, start } = this.common;
    const { taken: others } = step;
    if (others === this.wonWith) return this.wonUtility;
    if (this.boundWon() <= floor) return Number.NaN;
    // Where all winning densities come to the same, the lowest is the farthest from any tie.
    step.at(this.self.row, this.self.reputation, this.rules.firstStep === "prose" ? x : 0);
    this.play(0, this.round + 1);
    this.wonUtility = this.group.payment - this.self.cost * start.buys;
    this.wonWith = others;
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
    for (let round = this.rules.rounds; round > this.round; round--)
      if (this.fits[round] === 1 && this.boundAdmitted(round) > floor) return round;
    return 0;
  }

  private probe(): void {
    this.probed = true;
    this.last.entry = 0;
    this.forget(this.rules.rounds);
    this.prepare();
    this.common.step.without(this.self.row);
    this.group.probe(this.common.step, this.fits);
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
    this.common.step.without(this.self.row);
    this.play(0, round);
    const remaining = this.rules.rounds - round + 1;
    this.utilities[round] = this.group.payment - this.self.cost * remaining;
    return this.utilities[round]!;
  }

  /** Plays the worker at density x as the first loser; the results are the group's. */
  loseFirst(x: number): void {
    this.common.step.at(this.self.row, this.self.reputation, x);
    this.play(x, this.round + 1);
  }

  private play(x: number, entry: number): void {
    this.prepare();
    this.group.play(this.common.step, x, entry);
  }

  private prepare(): void {
    const { rules, thresholds, starts, self } = this;
    const side = starts.engine.sides[self.side];
    this.group.prepare({ rules, side, self: starts.place[self.row]!, start: this.common.start, thresholds });
  }
}

/** What a start at a clock means for everybody: the pool of the first step and the thresholds that follow. */
class Start {
  readonly step = new FirstStep();
  start!: StartAt;
  /** ρ* of group g's sample by round at [g]. */
  readonly thresholds: [Float64Array, Float64Array] = [new Float64Array(0), new Float64Array(0)];
  /** Payment per unit of reputation, budget aside, of one admitted in round t by group g's thresholds. */
  readonly worth: [Float64Array, Float64Array] = [new Float64Array(0), new Float64Array(0)];

  constructor(readonly clock: number) {}

  load(rules: Rules, engine: OnlineEngine, rows: number): void {
    this.reserve(rules.rounds);
    this.start = startAt(rules, this.clock);
    this.step.load(engine.pool, rules, this.clock, rows);
    for (const group of [0, 1] as const) {
      this.loadThresholds(group, rules, engine);
      fillWorth(this.worth[group], this.thresholds[group], rules.rounds, this.start.round + 1);
    }
  }

  private reserve(rounds: number): void {
    for (const columns of [this.thresholds, this.worth])
      for (const group of [0, 1] as const)
        if (columns[group].length <= rounds) columns[group] = new Float64Array(rounds + 1);
  }

  private loadThresholds(group: Group, rules: Rules, engine: OnlineEngine): void {
    const thresholds = this.thresholds[group];
    const known = engine.started && engine.delay === this.clock - 1 ? engine.thresholds[group] : null;
    const { sample } = engine.sides[group];
    for (let round = this.start.round + 1; round <= rules.rounds; round++)
      thresholds[round] = known
        ? known[round]!
        : sample.share(round + this.start.offset, 1, sampleBudget(rules, round) / 2);
  }
}

/** A market as bid, run once; starts that lies could lead to are worked out when asked for. */
export class Starts {
  readonly engine = new OnlineEngine();
  rules!: Rules;
  columns!: Columns;
  /** Where each row stands among the judged of its group. */
  place = new Int32Array(0);
  /** By clock, from whatever market; those of this market are known. */
  private readonly starts: Start[] = [];
  private readonly known = new Set<Start>();

  load(rules: Rules, columns: Columns): void {
    this.rules = rules;
    this.columns = columns;
    this.engine.run(rules, columns);
    this.known.clear();
    if (this.place.length < columns.size) this.place = new Int32Array(columns.size);
    for (const { size, row } of this.engine.sides) for (let k = 0; k < size; k++) this.place[row[k]!] = k;
  }

  at(clock: number): Start {
    this.starts[clock] ??= new Start(clock);
    const start = this.starts[clock];
    if (this.known.has(start)) return start;
    start.load(this.rules, this.engine, this.columns.size);
    this.known.add(start);
    return start;
  }
}

/** A market as bid truthfully, and the row of each worker in it. */
export function startsOf({ rules, workers }: Market): { starts: Starts; rowOf: (id: number) => number } {
  const sorted = byId(workers);
  const rows = new Map(sorted.map(({ id }, row) => [id, row]));
  const starts = new Starts();
  starts.load(rules, columnsOf(bidders(sorted)));
  return { starts, rowOf: (id) => rows.get(id)! };
}

/** Σ over the rounds from t on of the highest threshold since t, for all t from `first` on; NaN where round t has none. */
function fillWorth(worth: Float64Array, thresholds: Float64Array, rounds: number, first: number): void {
  const higher: number[] = [];
  for (let round = rounds; round >= first; round--) {
    const threshold = thresholds[round]!;
    worth[round] = Number.NaN;
    if (Number.isNaN(threshold)) continue;
    while (higher.length > 0 && thresholds[higher.at(-1)!]! <= threshold) higher.pop();
    const next = higher.at(-1) ?? rounds + 1;
    worth[round] = threshold * (next - round) + (next <= rounds ? worth[next]! : 0);
    higher.push(round);
  }
}

const ABSENT = 0x7fffffff;

/** The first step at one clock, as it looks to one worker that may say any density ([M3], [M5]). */
export class FirstStep extends EngineSample {
  /** Place of each row in density order; ABSENT if it has not arrived. */
  rank = new Int32Array(0);

  /** ρ* is `starDensity` at the density asked for, and moves with it by `slope` (0 or 1). */
  starDensity = Number.NaN;
  slope = 0;

  /** β, s, and how often a worker's own reputation counts ([M5]). */
  private budget = 0;
  private buys = 0;
  private own: 1 | 2 = 1;

  /** The workers of the pool that have arrived by the clock tick, in a market of `rows` workers. */
  load(pool: EngineSample, rules: Rules, clock: number, rows: number): void {
    this.buys = startAt(rules, clock).buys;
    this.budget = firstBudget(rules, this.buys);
    this.own = ownWeight(rules);
    this.reserve(rows);
    if (this.rank.length < rows) this.rank = new Int32Array(rows);
    this.rank.fill(ABSENT, 0, rows);
    this.size = 0;
    for (let k = 0; k < pool.size; k++) {
      if (pool.arrival[k]! > clock) continue;
      this.rank[pool.row[k]!] = this.size;
      this.push(pool.row[k]!, pool.density[k]!, pool.reputation[k]!, 0);
    }
  }

  /** The share without the worker. */
  without(self: number): void {
    this.at(self, 0, Number.NaN);
  }

  /** The share with the worker saying density x. */
  at(self: number, reputation: number, x: number): void {
    this.self = self;
    this.selfReputation = reputation;
    this.selfDensity = x;
    const density = this.share(0, this.buys, this.budget, this.own);
    this.slope = this.isNext && this.sum > 0 && x < this.budget / (this.buys * this.sum) ? 1 : 0;
    this.starDensity = Number.isNaN(density) ? Number.POSITIVE_INFINITY : density;
  }

  /** How many rows of the density order come before the first one not taken. */
  cut(self: number): number {
    return this.taken <= this.rank[self]! ? this.taken : this.taken + 1;
  }

  /** The highest density at which the worker is taken, if those who ask less are: sup{x : s · x · (own · Re + Σ) ≤ β}. */
  highestTaken(self: number, selfReputation: number): number {
    const { size, row, density, reputation, buys, budget, own } = this;
    let [sum, from] = [0, 0];
    for (let k = 0; k < size; k++) {
      if (row[k] === self) continue;
      const here = budget / (buys * (own * selfReputation + sum));
      if (here <= density[k]!) return Math.max(from, here);
      from = density[k]!;
      if (exceeds(buys * from * (own * reputation[k]! + sum), budget)) return from;
      sum += reputation[k]!;
    }
    return Math.max(from, budget / (buys * (own * selfReputation + sum)));
  }

  /** What ρ* never exceeds where the worker is taken: sup{x : s · x · (Re + Σ Re of all who ask less) ≤ β}. */
  highestPaid(self: number, selfReputation: number): number {
    const { size, row, density, reputation, buys, budget } = this;
    let [sum, from] = [selfReputation, 0];
    for (let k = 0; k < size; k++) {
      if (row[k] === self) continue;
      if (budget / (buys * sum) <= density[k]!) break;
      from = density[k]!;
      sum += reputation[k]!;
    }
    return Math.max(from, budget / (buys * sum));
  }
}
