/**
 * Rounds 2..T of one group ([M8]–[M11]) as they go for one worker in it, the others' bids fixed. Where the worker sets
 * the first-step price, the group's money moves linearly with its density: value and slope are carried along, and the
 * nearest densities at which a decision would flip bound the stretch on which the result holds.
 */

import type { StartAt } from "../../auction/start.js";
import { atMost, exceeds, same } from "../../lib/tolerance.js";
import type { Rules } from "../../market/market.js";
import type { EngineSide } from "./engine.js";
import type { FirstStep } from "./starts.js";

const UNSELECTED = 0;
/** Selected, and still promised the first step's density. */
const FIRST_PROMISE = 1;
const REPRICED = 2;

export class GroupPlay {
  /** What is played: set once for a worker and a start. */
  private rules!: Rules;
  private side!: EngineSide;
  private self = 0;
  private start!: StartAt;
  private thresholds!: Float64Array;

  /** Results for the worker: payment at x, its slope in x, the round of selection (0: never). */
  payment = 0;
  slope = 0;
  selectedAt = 0;
  /** The result holds on (low, high) around x; if x itself lies on a flip, only at x. */
  low = 0;
  high = 0;
  onFlip = false;
  plays = 0;

  private bar = new Float64Array(0);
  private state = new Uint8Array(0);
  private x = 0;
  private spent = 0;
  private spentSlope = 0;
  private starSlope = 0;
  /** In a probe the worker is never admitted; fits[t] says whether it would have fitted in round t. */
  private fits: Uint8Array | null = null;

  /** `self` is the worker's place among the judged of `side`; `thresholds` are the other group's by round. */
  prepare(play: {
    rules: Rules;
    side: EngineSide;
    self: number;
    start: StartAt;
    thresholds: Float64Array;
  }): void {
    this.rules = play.rules;
    this.side = play.side;
    this.self = play.self;
    this.start = play.start;
    this.thresholds = play.thresholds;
    if (this.bar.length >= play.side.size) return;
    this.bar = new Float64Array(play.side.size);
    this.state = new Uint8Array(play.side.size);
  }

  /** Plays with the worker at density x, present from round `entry` on, after the step's last share. */
  play(step: FirstStep, x: number, entry: number): void {
    this.fits = null;
    this.run(step, x, entry);
  }

  /** Plays without the worker and notes in which rounds it would fit. */
  probe(step: FirstStep, fits: Uint8Array): void {
    this.fits = fits;
    fits.fill(0);
    this.run(step, 0, this.start.round + 1);
  }

  private run(step: FirstStep, x: number, entry: number): void {
    this.plays++;
    this.x = x;
    this.low = Number.NEGATIVE_INFINITY;
    this.high = Number.POSITIVE_INFINITY;
    this.onFlip = false;
    this.payFirstStep(step);
    const { rounds, reading } = this.rules;
    const half = this.rules.budget / 2;
    for (let round = this.start.round + 1; round <= rounds; round++) {
      const threshold = this.thresholds[round]!;
      if (!Number.isNaN(threshold)) this.judge(round, threshold, entry);
      if (reading === "prose" && this.spentSlope === 0 && !exceeds(half, this.spent)) return;
    }
  }

  private payFirstStep(step: FirstStep): void {
    const { side, self, bar, state } = this;
    const { row, reputation, density } = side;
    const cut = step.cut(row[self]!);
    let sum = 0;
    for (let k = 0; k < side.size; k++) {
      const taken = k === self ? step.won : step.rank[row[k]!]! < cut;
      state[k] = taken ? FIRST_PROMISE : UNSELECTED;
      bar[k] = taken ? step.starDensity : k === self ? this.x : density[k]!;
      if (taken) sum += reputation[k]!;
    }
    const { round, buys } = this.start;
    this.starSlope = step.slope;
    this.spent = sum > 0 ? buys * sum * step.starDensity : 0;
    this.spentSlope = buys * sum * step.slope;
    this.selectedAt = step.won ? round : 0;
    this.payment = step.won ? buys * reputation[self]! * step.starDensity : 0;
    this.slope = 0;
  }

  private judge(round: number, threshold: number, entry: number): void {
    const { side, self, bar, state } = this;
    const { size, reputation, arrival } = side;
    const remaining = this.rules.rounds - round + 1;
    const clock = round + this.start.offset;
    for (let k = 0; k < size; k++) {
      if (exceeds(bar[k]!, threshold)) continue;
      if (k === self ? round < entry : arrival[k]! > clock) continue;
      if (state[k] === UNSELECTED) this.admit(k, round, threshold, remaining * reputation[k]! * threshold);
      else if (exceeds(threshold, bar[k]!)) this.reprice(k, threshold, remaining * reputation[k]!);
    }
  }

  private admit(k: number, round: number, threshold: number, need: number): void {
    const half = this.rules.budget / 2;
    const fits = atMost(this.spent + need, half);
    this.bound(half - this.spent - need, -this.spentSlope);
    if (k === this.self && this.fits) this.fits[round] = fits ? 1 : 0;
    if (!fits || (k === this.self && this.fits)) return;
    this.state[k] = REPRICED;
    this.bar[k] = threshold;
    this.spent += need;
    if (k !== this.self) return;
    this.selectedAt = round;
    this.payment = need;
  }

  private reprice(k: number, threshold: number, weight: number): void {
    const half = this.rules.budget / 2;
    if (this.rules.reading === "prose") {
      this.bound(half - this.spent, -this.spentSlope);
      if (!exceeds(half, this.spent)) return;
    }
    const need = (threshold - this.bar[k]!) * weight;
    const needSlope = this.state[k] === FIRST_PROMISE ? -this.starSlope * weight : 0;
    this.bound(half - this.spent - need, -this.spentSlope - needSlope);
    const capped = exceeds(this.spent + need, half);
    const raise = capped ? half - this.spent : need;
    const raiseSlope = capped ? -this.spentSlope : needSlope;
    this.state[k] = REPRICED;
    this.bar[k] = threshold;
    this.spent = capped ? half : this.spent + need;
    this.spentSlope = capped ? 0 : this.spentSlope + needSlope;
    if (k !== this.self) return;
    this.payment += raise;
    this.slope += raiseSlope;
  }

  /** A decision hangs on the sign of a margin that moves with x: the result holds up to its root. */
  private bound(margin: number, slope: number): void {
    if (slope === 0) return;
    const root = this.x - margin / slope;
    if (same(root, this.x)) this.onFlip = true;
    else if (root < this.x) this.low = Math.max(this.low, root);
    else this.high = Math.min(this.high, root);
  }
}
