/** What a start at each clock means for everybody: the pool of the first step and the thresholds that follow. */

import type { Group, Rules } from "../market.js";
import type { Columns } from "../mechanisms/columns.js";
import { OnlineEngine, sampleBudget } from "../mechanisms/online-engine.js";
import { FirstStep } from "./first-step.js";

export interface Start {
  readonly clock: number;
  readonly step: FirstStep;
  /** ρ* of group g's sample by round at [g]. */
  readonly thresholds: readonly [Float64Array, Float64Array];
  /** Payment per unit of reputation, budget aside, of one admitted in round t by group g's thresholds. */
  readonly worth: readonly [Float64Array, Float64Array];
}

/** A market as bid, run once; starts that lies could lead to are worked out when asked for. */
export class Starts {
  readonly engine = new OnlineEngine();
  rules!: Rules;
  columns!: Columns;
  /** Where each row stands among the judged of its group. */
  place = new Int32Array(0);
  private readonly known = new Map<number, Start>();

  load(rules: Rules, columns: Columns): void {
    this.rules = rules;
    this.columns = columns;
    this.engine.run(rules, columns);
    this.known.clear();
    if (this.place.length < columns.size) this.place = new Int32Array(columns.size);
    for (const { size, row } of this.engine.sides) for (let k = 0; k < size; k++) this.place[row[k]!] = k;
  }

  at(clock: number): Start {
    const known = this.known.get(clock);
    if (known) return known;
    const { engine, rules, columns } = this;
    const even = this.thresholds(0, clock - 1);
    const odd = this.thresholds(1, clock - 1);
    const start: Start = {
      clock,
      step: new FirstStep(engine.pool, rules, clock, columns.size),
      thresholds: [even, odd],
      worth: [worthOf(even, rules.rounds), worthOf(odd, rules.rounds)],
    };
    this.known.set(clock, start);
    return start;
  }

  private thresholds(group: Group, delay: number): Float64Array {
    const { rules, engine } = this;
    if (engine.started && engine.delay === delay) return engine.thresholds[group].slice(0, rules.rounds + 1);
    const thresholds = new Float64Array(rules.rounds + 1);
    for (let round = 2; round <= rules.rounds; round++)
      thresholds[round] = engine.sides[group].sample.share(round + delay, 1, sampleBudget(rules, round) / 2);
    return thresholds;
  }
}

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
