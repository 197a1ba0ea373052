/** What a start at each clock means for everybody: the pool of the first step and the thresholds that follow. */

import type { Group, Rules } from "../market/market.js";
import type { Columns } from "../mechanisms/columns.js";
import { OnlineEngine, sampleBudget } from "../mechanisms/online-engine.js";
import { FirstStep } from "./first-step.js";

/** Filled anew for every market. */
export class Start {
  readonly step = new FirstStep();
  /** ρ* of group g's sample by round at [g]. */
  readonly thresholds: [Float64Array, Float64Array] = [new Float64Array(0), new Float64Array(0)];
  /** Payment per unit of reputation, budget aside, of one admitted in round t by group g's thresholds. */
  readonly worth: [Float64Array, Float64Array] = [new Float64Array(0), new Float64Array(0)];

  constructor(readonly clock: number) {}

  load(rules: Rules, engine: OnlineEngine, rows: number): void {
    this.reserve(rules.rounds);
    this.step.load(engine.pool, rules, this.clock, rows);
    for (const group of [0, 1] as const) {
      this.loadThresholds(group, rules, engine);
      fillWorth(this.worth[group], this.thresholds[group], rules.rounds);
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
    for (let round = 2; round <= rules.rounds; round++)
      thresholds[round] = known
        ? known[round]!
        : sample.share(round + this.clock - 1, 1, sampleBudget(rules, round) / 2);
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

/** Σ over the rounds from t on of the highest threshold since t; NaN where round t has none. */
function fillWorth(worth: Float64Array, thresholds: Float64Array, rounds: number): void {
  const higher: number[] = [];
  for (let round = rounds; round >= 2; round--) {
    const threshold = thresholds[round]!;
    worth[round] = Number.NaN;
    if (Number.isNaN(threshold)) continue;
    while (higher.length > 0 && thresholds[higher.at(-1)!]! <= threshold) higher.pop();
    const next = higher.at(-1) ?? rounds + 1;
    worth[round] = threshold * (next - round) + (next <= rounds ? worth[next]! : 0);
    higher.push(round);
  }
}
