/**
 * Exact best responses to the online mechanism, by its structure. A worker's own bid never moves the thresholds that
 * judge it nor the other group's money. So, for a given start:
 *  - below the critical density of the first step it wins there, always with the same winners and the same ρ*;
 *  - above the density that step has without it, it changes nothing, and only the round of its admission matters;
 *  - between the two it is the first loser and may set the first-step price: its group is replayed with value and
 *    slope (GroupPlay), from flip to flip.
 * Which start a bid leads to is decided by the same shares, clock by clock, so lies that move the start are lies like
 * any other. Utility is linear on each stretch; single densities at ties are looked at on their own.
 */

import { atMost, same } from "../compare.js";
import type { Group, Rules } from "../market.js";
import type { Columns } from "../mechanisms/columns.js";
import { OnlineEngine, sampleBudget } from "../mechanisms/online-engine.js";
import { FirstStep } from "./first-step.js";
import { GroupPlay } from "./group-play.js";
import type { Stretch, Visitor } from "./visitors.js";

/** What a start at one clock means for everybody. */
interface Start {
  readonly clock: number;
  readonly step: FirstStep;
  /** ρ* of group g's sample by round at [g]. */
  readonly thresholds: readonly [Float64Array, Float64Array];
  /** Payment per unit of reputation, budget aside, of one admitted in round t by group g's thresholds. */
  readonly worth: readonly [Float64Array, Float64Array];
}

/** What a start at one clock means for the worker at hand. */
interface Outlook {
  readonly start: Start;
  /** Whether an admission in round t fits the group's money; utility if admitted there (NaN: not yet played). */
  readonly fits: Uint8Array;
  readonly utility: Float64Array;
  /** The first step without the worker: how many are taken, and ρ*. */
  readonly others: number;
  readonly ceiling: number;
  /** The critical density and how many others are taken below it. */
  readonly critical: number;
  readonly companions: number;
  wonUtility: number;
  probed: boolean;
}

export class OnlineResponder {
  readonly engine = new OnlineEngine();
  private readonly group = new GroupPlay();
  private readonly starts = new Map<number, Start>();
  private readonly outlooks = new Map<number, Outlook>();
  private rules!: Rules;
  private columns!: Columns;
  private place = new Int32Array(0);

  /** The worker at hand. */
  private row = 0;
  private side: Group = 0;
  private reputation = 0;
  private cost = 0;
  private visitor!: Visitor;
  private readonly stretch: Stretch = {
    arrival: 0,
    low: 0,
    high: 0,
    x: 0,
    utility: 0,
    slope: 0,
    selectedAt: 0,
    delay: 0,
  };

  /** How many times a group was played. */
  get plays(): number {
    return this.group.plays;
  }

  /** Runs the market as bid; every worker's lies are then measured against the others' bids in it. */
  load(rules: Rules, columns: Columns): void {
    this.rules = rules;
    this.columns = columns;
    this.engine.run(rules, columns);
    this.starts.clear();
    if (this.place.length < columns.size) this.place = new Int32Array(columns.size);
    for (const side of this.engine.sides) for (let k = 0; k < side.size; k++) this.place[side.row[k]!] = k;
  }

  /** Visits every stretch of the worker's utility over price, for each arrival from `arrival` on. */
  explore(row: number, type: { cost: number; arrival: number }, visitor: Visitor): void {
    this.attend(row, type.cost, visitor);
    if (this.reputation === 0) return this.exploreNobody(type.arrival);
    const alone = this.startWithout();
    for (let arrival = type.arrival; arrival <= this.rules.rounds; arrival++) {
      this.stretch.arrival = arrival;
      if (alone < arrival) this.exploreLate(this.outlook(alone), arrival);
      else this.exploreFirst(arrival);
    }
  }

  /**
   * An upper bound of what any bid can bring, for a start that no lie of the worker moves; Infinity where one may.
   * Money only ever takes from what the thresholds promise, so it is the best entry with a budget without end.
   */
  bound(row: number, type: { cost: number; arrival: number }): number {
    const { engine } = this;
    this.attend(row, type.cost, this.visitor);
    if (this.reputation === 0) return 0;
    const clock = engine.delay + 1;
    const takesPart = type.arrival <= clock;
    if (!engine.started || (takesPart && clock > 1)) return Number.POSITIVE_INFINITY;
    const start = this.start(clock);
    let best = this.boundLate(start, takesPart ? 2 : type.arrival - engine.delay, 0);
    if (!takesPart) return best;
    start.step.at(row, this.reputation, 0);
    if (this.mayMoveStart(start.step)) return Number.POSITIVE_INFINITY;
    best = Math.max(best, this.boundWon(start, start.step.starDensity));
    return best;
  }

  private attend(row: number, cost: number, visitor: Visitor): void {
    this.row = row;
    this.cost = cost;
    this.visitor = visitor;
    this.reputation = this.columns.reputation[row]!;
    this.side = this.columns.odd[row] as Group;
    this.outlooks.clear();
  }

  /** After the share at density 0: whether outbidding or staying away could leave too few for the start. */
  private mayMoveStart(step: FirstStep): boolean {
    const { minWorkers } = this.rules;
    const critical = step.starDensity;
    if (step.others + 1 < minWorkers) return true;
    let cheaper = 0;
    for (let k = 0; k < step.size && cheaper < minWorkers; k++) {
      if (step.row[k] === this.row) continue;
      if (atMost(critical, step.density[k]!)) break;
      cheaper++;
    }
    return cheaper < minWorkers;
  }

  private boundLate(start: Start, entry: number, density: number): number {
    const other = 1 - this.side;
    const worth = start.worth[other]!;
    const thresholds = start.thresholds[other]!;
    let best = 0;
    for (let round = entry; round <= this.rules.rounds; round++) {
      if (!atMost(density, thresholds[round]!)) continue;
      const utility = this.reputation * worth[round]! - this.cost * (this.rules.rounds - round + 1);
      if (utility > best) best = utility;
    }
    return best;
  }

  private boundWon(start: Start, density: number): number {
    const thresholds = start.thresholds[1 - this.side]!;
    let round = 2;
    while (round <= this.rules.rounds && !(thresholds[round]! > density)) round++;
    const later = round <= this.rules.rounds ? start.worth[1 - this.side]![round]! : 0;
    return this.reputation * (density * (round - 1) + later) - this.cost * this.rules.rounds;
  }

  private start(clock: number): Start {
    const known = this.starts.get(clock);
    if (known) return known;
    const { engine, rules } = this;
    const own = engine.started && clock === engine.delay + 1;
    const thresholds = ([0, 1] as const).map((group) =>
      own ? engine.thresholds[group].slice(0, rules.rounds + 1) : this.thresholdsAt(group, clock - 1),
    );
    const start: Start = {
      clock,
      step: new FirstStep(engine.pool, rules, clock, this.columns.size),
      thresholds: [thresholds[0]!, thresholds[1]!],
      worth: [worthOf(thresholds[0]!, rules.rounds), worthOf(thresholds[1]!, rules.rounds)],
    };
    this.starts.set(clock, start);
    return start;
  }

  private thresholdsAt(group: Group, delay: number): Float64Array {
    const { rules, engine } = this;
    const thresholds = new Float64Array(rules.rounds + 1);
    for (let round = 2; round <= rules.rounds; round++)
      thresholds[round] = engine.sides[group].sample.share(round + delay, 1, sampleBudget(rules, round) / 2);
    return thresholds;
  }

  private outlook(clock: number): Outlook {
    const known = this.outlooks.get(clock);
    if (known) return known;
    const start = this.start(clock);
    const { step } = start;
    step.at(this.row, this.reputation, 0);
    const [critical, companions] = [step.starDensity, step.others];
    step.without(this.row);
    const outlook: Outlook = {
      start,
      fits: new Uint8Array(this.rules.rounds + 1),
      utility: new Float64Array(this.rules.rounds + 1).fill(Number.NaN),
      others: step.others,
      ceiling: step.starDensity,
      critical,
      companions,
      wonUtility: Number.NaN,
      probed: false,
    };
    this.outlooks.set(clock, outlook);
    return outlook;
  }

  /** The clock at which the task starts if the worker never comes; Infinity if it never does. */
  private startWithout(): number {
    const last = Math.max(1, this.engine.lastArrival);
    for (let clock = 1; clock <= last; clock++)
      if (this.outlook(clock).others >= this.rules.minWorkers) return clock;
    return Number.POSITIVE_INFINITY;
  }

  /** Reputation 0 is never selected, whatever it says ([M1]). */
  private exploreNobody(from: number): void {
    for (let arrival = from; arrival <= this.rules.rounds; arrival++) {
      this.stretch.arrival = arrival;
      const delay = this.engine.started ? this.engine.delay : -1;
      this.tell({ low: 0, high: 0, x: 0, utility: 0, slope: 0, selectedAt: 0, delay });
      this.tell({ low: 0, high: Number.POSITIVE_INFINITY, x: 1, utility: 0, slope: 0, selectedAt: 0, delay });
    }
  }

  /** The worker comes after the start: only the round of its admission matters. */
  private exploreLate(outlook: Outlook, arrival: number): void {
    const entry = arrival - (outlook.start.clock - 1);
    const edges = [0, ...this.levels(outlook.start, entry)];
    this.eachStretch(edges, (low, high, x) => this.tellAdmission(outlook, { low, high, x, entry }));
  }

  /** The worker may take part in the first step at each clock from its arrival on. */
  private exploreFirst(arrival: number): void {
    const outlooks = this.reachable(arrival);
    const edges = [0];
    for (const outlook of outlooks) edges.push(...this.levels(outlook.start, 2), ...this.rivals(outlook));
    this.eachStretch(edges, (low, high, x) => this.exploreStretch(outlooks, low, high, x));
  }

  /** The starts some price of the worker leads to, if it arrives at this clock. */
  private reachable(arrival: number): Outlook[] {
    const { minWorkers } = this.rules;
    const outlooks: Outlook[] = [];
    const last = Math.max(arrival, this.engine.lastArrival);
    for (let clock = arrival; clock <= last; clock++) {
      const outlook = this.outlook(clock);
      const { step } = outlook.start;
      if (outlook.companions + 1 < minWorkers && outlook.others < minWorkers) continue;
      outlooks.push(outlook);
      step.at(this.row, this.reputation, 0);
      if (!this.mayMoveStart(step)) break;
    }
    return outlooks;
  }

  /** Others' thresholds from a round on: where the price decides about an admission. */
  private levels(start: Start, entry: number): number[] {
    const levels: number[] = [];
    const thresholds = start.thresholds[1 - this.side]!;
    for (let round = entry; round <= this.rules.rounds; round++)
      if (!Number.isNaN(thresholds[round]!)) levels.push(thresholds[round]!);
    return levels;
  }

  /** Densities at which the first step changes: the critical one, the ceiling, and the rivals between. */
  private rivals({ start, critical, ceiling }: Outlook): number[] {
    const densities: number[] = [];
    if (Number.isFinite(critical)) densities.push(critical);
    if (Number.isFinite(ceiling)) densities.push(ceiling);
    const { step } = start;
    for (let k = 0; k < step.size; k++) {
      const density = step.density[k]!;
      if (step.row[k] !== this.row && density >= critical && density <= ceiling) densities.push(density);
    }
    return densities;
  }

  /** Calls for each edge as a single density, and for each open stretch between edges. */
  private eachStretch(edges: number[], call: (low: number, high: number, x: number) => void): void {
    edges.sort((a, b) => a - b);
    for (let k = 0; k < edges.length; k++) {
      const low = edges[k]!;
      while (k + 1 < edges.length && same(low, edges[k + 1]!)) k++;
      const high = k + 1 < edges.length ? edges[k + 1]! : Number.POSITIVE_INFINITY;
      call(low, low, low);
      call(low, high, high === Number.POSITIVE_INFINITY ? 2 * low + 1 : low + (high - low) / 2);
    }
  }

  /** One stretch between edges: its start, its role in the first step, and what comes of it. */
  private exploreStretch(outlooks: readonly Outlook[], low: number, high: number, x: number): void {
    for (const outlook of outlooks) {
      const { step } = outlook.start;
      step.at(this.row, this.reputation, x);
      if (step.others + (step.won ? 1 : 0) < this.rules.minWorkers) continue;
      if (step.won) return this.tellWon(outlook, low, high, x);
      if (step.slope === 0 && step.others === outlook.others)
        return this.tellAdmission(outlook, { low, high, x, entry: 2 });
      return this.tellFirstLoser(outlook, low, high, x);
    }
    this.tell({ low, high, x, utility: 0, slope: 0, selectedAt: 0, delay: -1 });
  }

  private tellWon(outlook: Outlook, low: number, high: number, x: number): void {
    if (Number.isNaN(outlook.wonUtility)) {
      const { step } = outlook.start;
      if (this.boundWon(outlook.start, step.starDensity) <= this.visitor.floor) return;
      this.prepare(outlook);
      this.group.play(step, x, 2);
      outlook.wonUtility = this.group.payment - this.cost * this.rules.rounds;
    }
    this.tell({
      low,
      high,
      x,
      utility: outlook.wonUtility,
      slope: 0,
      selectedAt: 1,
      delay: outlook.start.clock - 1,
    });
  }

  /** The worker changes nothing before it is admitted: in the first round from `entry` that takes it and fits. */
  private tellAdmission(
    outlook: Outlook,
    { low, high, x, entry }: { low: number; high: number; x: number; entry: number },
  ): void {
    this.probe(outlook);
    const thresholds = outlook.start.thresholds[1 - this.side]!;
    const { rounds } = this.rules;
    const delay = outlook.start.clock - 1;
    let round = entry;
    while (round <= rounds && !(atMost(x, thresholds[round]!) && outlook.fits[round] === 1)) round++;
    if (round > rounds) return this.tell({ low, high, x, utility: 0, slope: 0, selectedAt: 0, delay });
    const utility = this.admitted(outlook, round);
    if (!Number.isNaN(utility)) this.tell({ low, high, x, utility, slope: 0, selectedAt: round, delay });
  }

  private probe(outlook: Outlook): void {
    if (outlook.probed) return;
    outlook.probed = true;
    this.prepare(outlook);
    outlook.start.step.without(this.row);
    this.group.probe(outlook.start.step, outlook.fits);
  }

  /** Utility if admitted in this round; NaN where it cannot exceed the visitor's floor. */
  private admitted(outlook: Outlook, round: number): number {
    if (!Number.isNaN(outlook.utility[round]!)) return outlook.utility[round]!;
    const remaining = this.rules.rounds - round + 1;
    const worth = this.reputation * outlook.start.worth[1 - this.side]![round]! - this.cost * remaining;
    if (worth <= this.visitor.floor) return Number.NaN;
    this.prepare(outlook);
    outlook.start.step.without(this.row);
    this.group.play(outlook.start.step, 0, round);
    outlook.utility[round] = this.group.payment - this.cost * remaining;
    return outlook.utility[round]!;
  }

  /** The worker is the first loser and sets the first-step price, or keeps rivals out of it. */
  private tellFirstLoser(outlook: Outlook, low: number, high: number, x: number): void {
    const { start } = outlook;
    if (this.boundLate(start, 2, low) <= this.visitor.floor) return;
    this.prepare(outlook);
    start.step.at(this.row, this.reputation, x);
    this.group.play(start.step, x, 2);
    const { selectedAt, low: validLow, high: validHigh } = this.group;
    const rounds = selectedAt === 0 ? 0 : this.rules.rounds - selectedAt + 1;
    const utility = this.group.payment - this.cost * rounds;
    const found = { x, utility, slope: this.group.slope, selectedAt, delay: start.clock - 1 };
    if (low === high) return this.tell({ ...found, low, high, slope: 0 });
    if (same(validLow, x) || same(validHigh, x))
      return this.tellFirstLoser(outlook, low, high, aside(low, x));
    const from = splits(low, validLow, x) ? validLow : low;
    const to = splits(x, validHigh, high) ? validHigh : high;
    this.tell({ ...found, low: from, high: to });
    if (from !== low) this.tellPart(outlook, low, from, from);
    if (to !== high) this.tellPart(outlook, to, high, to);
  }

  /** The rest of a stretch beyond a flip, and the flip itself. */
  private tellPart(outlook: Outlook, low: number, high: number, flip: number): void {
    this.tellFirstLoser(outlook, flip, flip, flip);
    this.tellFirstLoser(outlook, low, high, low + (high - low) / 2);
  }

  private prepare({ start }: Outlook): void {
    this.group.prepare({
      rules: this.rules,
      side: this.engine.sides[this.side],
      self: this.place[this.row]!,
      delay: start.clock - 1,
      thresholds: start.thresholds[1 - this.side]!,
    });
  }

  private tell(found: Omit<Stretch, "arrival">): void {
    Object.assign(this.stretch, found);
    this.visitor.visit(this.stretch);
  }
}

/** Another density of the stretch, where the first one happened to lie on a flip. */
const aside = (low: number, x: number): number => low + (x - low) * 0.381966;

/** Whether a flip lies inside (low, high) and not at an end. */
const splits = (low: number, flip: number, high: number): boolean =>
  flip > low && flip < high && !same(flip, low) && !same(flip, high);

/** Σ over the rounds from t on of the highest threshold since t; NaN where round t has none. */
function worthOf(thresholds: Float64Array, rounds: number): Float64Array {
  const worth = new Float64Array(rounds + 2).fill(Number.NaN);
  const higher: number[] = [];
  for (let round = rounds; round >= 2; round--) {
    const threshold = thresholds[round]!;
    if (Number.isNaN(threshold)) continue;
    while (higher.length > 0 && thresholds[higher.at(-1)!]! <= threshold) higher.pop();
    const next = higher.at(-1) ?? rounds + 1;
    worth[round] = threshold * (next - round) + (next <= rounds ? worth[next]! : 0);
    higher.push(round);
  }
  return worth;
}
