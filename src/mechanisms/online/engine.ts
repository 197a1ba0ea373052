/**
 * The paper's auction (Algorithms 1–3) on typed arrays: sorted once per run, nothing allocated between runs of a
 * size. It writes no trace. The readable truth is the program in online.ts; a property test holds the two together.
 */

import type { BudgetEvent } from "../../auction/mechanism.js";
import { startAt } from "../../auction/start.js";
import { Argsort } from "../../lib/argsort.js";
import { exceeds, same } from "../../lib/tolerance.js";
import { type Bidder, byId, type Group, type Rules } from "../../market/market.js";

/** Kinds of budget events; `eventKind` stores their places here. */
export const eventKinds = ["refused", "capped", "denied"] as const satisfies readonly BudgetEvent["kind"][];
const REFUSED = 0;
const CAPPED = 1;
const DENIED = 2;

/** One group: its members as a sample, and in the order they are judged ([M11]). */
export class EngineSide {
  readonly sample = new EngineSample();
  size = 0;
  row = new Int32Array(0);
  density = new Float64Array(0);
  reputation = new Float64Array(0);
  arrival = new Int32Array(0);
  /** What a threshold must reach to decide anything: ρ_i while unselected; ρ*_i, to be exceeded, once selected. */
  bar = new Float64Array(0);
  payment = new Float64Array(0);
  selectedAt = new Int32Array(0);
  /** Σ payments of the group so far. */
  spent = 0;

  reserve(n: number): void {
    if (this.row.length >= n) return;
    this.sample.reserve(n);
    this.row = new Int32Array(n);
    this.density = new Float64Array(n);
    this.reputation = new Float64Array(n);
    this.arrival = new Int32Array(n);
    this.bar = new Float64Array(n);
    this.payment = new Float64Array(n);
    this.selectedAt = new Int32Array(n);
  }
}

export class OnlineEngine {
  /** Results of the last run. */
  started = false;
  delay = 0;
  /** The round that those who win the first step begin to work; round t is clock t + offset ([M6]). */
  firstRound = 1;
  private offset = 0;
  payment = new Float64Array(0);
  /** The round of selection by row, 0 for the unselected. */
  selectedAt = new Int32Array(0);
  /** ρ* of group g's sample in round t at [g][t]; NaN where there is none ([M4]). */
  readonly thresholds: [Float64Array, Float64Array] = [new Float64Array(0), new Float64Array(0)];
  eventCount = 0;
  eventRound = new Int32Array(16);
  eventRow = new Int32Array(16);
  eventKind = new Uint8Array(16);

  /** State shared with searches that replay parts of a run. */
  readonly sides: readonly [EngineSide, EngineSide] = [new EngineSide(), new EngineSide()];
  /** Both groups together: the pool of the first step. */
  readonly pool = new EngineSample();
  lastArrival = 0;
  /** ρ* of the first step. */
  firstDensity = Number.NaN;

  private rules!: Rules;
  private columns!: Columns;
  private readonly argsort = new Argsort();
  private key = new Float64Array(0);
  private order = new Int32Array(0);
  /** Rows with Re > 0, and where each of them stands in its side. */
  private activeRow = new Int32Array(0);
  private position = new Int32Array(0);

  run(rules: Rules, columns: Columns): void {
    this.load(rules, columns);
    this.started = this.start();
    if (this.started)
      for (let round = this.firstRound + 1; round <= rules.rounds; round++) this.playRound(round);
    this.collect();
  }

  /** Sorts everything once: the pool by density, each group by density and by reputation ([M1], [M2], [M11]). */
  load(rules: Rules, columns: Columns): void {
    this.rules = rules;
    this.columns = columns;
    this.reserve(columns.size, rules.rounds);
    this.eventCount = 0;
    this.sortByDensity();
    this.sortByReputation();
  }

  private reserve(n: number, rounds: number): void {
    for (const g of [0, 1] as const)
      if (this.thresholds[g].length <= rounds) this.thresholds[g] = new Float64Array(rounds + 1);
    if (this.payment.length >= n) return;
    this.payment = new Float64Array(n);
    this.selectedAt = new Int32Array(n);
    this.pool.reserve(n);
    this.key = new Float64Array(n);
    this.order = new Int32Array(n);
    this.activeRow = new Int32Array(n);
    this.position = new Int32Array(n);
    for (const side of this.sides) side.reserve(n);
  }

  private sortByDensity(): void {
    const { size, reputation, price, arrival, odd } = this.columns;
    const { key, activeRow, order, pool, sides } = this;
    let n = 0;
    let last = 0;
    for (let row = 0; row < size; row++) {
      if (arrival[row]! > last) last = arrival[row]!;
      if (!(reputation[row]! > 0)) continue;
      key[n] = price[row]! / reputation[row]!;
      activeRow[n++] = row;
    }
    this.lastArrival = last;
    this.argsort.sort(key, n, order);
    pool.size = 0;
    sides[0].sample.size = 0;
    sides[1].sample.size = 0;
    for (let k = 0; k < n; k++) {
      const row = activeRow[order[k]!]!;
      const density = key[order[k]!]!;
      pool.push(row, density, reputation[row]!, arrival[row]!);
      sides[odd[row]!]!.sample.push(row, density, reputation[row]!, arrival[row]!);
    }
  }

  /** Prose: higher reputation first; pseudocode: lower first, as Algorithm 2 sorts ([M11]). */
  private sortByReputation(): void {
    const { reputation, price, arrival, odd } = this.columns;
    const { key, activeRow, order, position, sides } = this;
    const n = this.pool.size;
    const prose = this.rules.reading === "prose";
    for (let k = 0; k < n; k++) key[k] = prose ? 1 / reputation[activeRow[k]!]! : reputation[activeRow[k]!]!;
    this.argsort.sort(key, n, order);
    sides[0].size = 0;
    sides[1].size = 0;
    for (let k = 0; k < n; k++) {
      const row = activeRow[order[k]!]!;
      const side = sides[odd[row]!]!;
      const at = side.size++;
      position[row] = at;
      side.row[at] = row;
      side.density[at] = price[row]! / reputation[row]!;
      side.bar[at] = side.density[at]!;
      side.reputation[at] = reputation[row]!;
      side.arrival[at] = arrival[row]!;
      side.payment[at] = 0;
      side.selectedAt[at] = 0;
    }
    sides[0].spent = 0;
    sides[1].spent = 0;
  }

  /** The first step, repeated a clock tick later until enough are taken ([M5], [M6]). */
  private start(): boolean {
    const { rules, pool } = this;
    const own = ownWeight(rules);
    for (let clock = 1; clock === 1 || clock <= this.lastArrival; clock++) {
      const { round, buys, offset } = startAt(rules, clock);
      this.firstDensity = pool.share(clock, buys, firstBudget(rules, buys), own);
      if (pool.taken < rules.minWorkers) continue;
      this.delay = clock - 1;
      this.firstRound = round;
      this.offset = offset;
      this.payFirstStep(clock, buys);
      return true;
    }
    return false;
  }

  private payFirstStep(clock: number, buys: number): void {
    const { row, reputation, arrival } = this.pool;
    let toPay = this.pool.taken;
    for (let k = 0; toPay > 0; k++) {
      if (arrival[k]! > clock) continue;
      toPay--;
      const side = this.sides[this.columns.odd[row[k]!]!]!;
      const at = this.position[row[k]!]!;
      const amount = buys * reputation[k]! * this.firstDensity;
      side.payment[at] = amount;
      side.bar[at] = this.firstDensity;
      side.selectedAt[at] = this.firstRound;
      side.spent += amount;
    }
  }

  /** Whether money ever turned the worker of a row down ([M9], [M10]). */
  turnedDown(row: number): boolean {
    return this.eventCount > 0 && this.eventRow.subarray(0, this.eventCount).includes(row);
  }

  /** Both thresholds ([M7]), then each group judged by the other's ([M8]). */
  private playRound(round: number): void {
    const beta = sampleBudget(this.rules, round) / 2;
    const clock = round + this.offset;
    const byEven = this.sides[0].sample.share(clock, 1, beta);
    const byOdd = this.sides[1].sample.share(clock, 1, beta);
    this.thresholds[0][round] = byEven;
    this.thresholds[1][round] = byOdd;
    this.judge(0, round, byOdd);
    this.judge(1, round, byEven);
  }

  /** One group judged by the other's threshold, one worker after another ([M8]–[M11]). */
  private judge(group: Group, round: number, threshold: number): void {
    if (Number.isNaN(threshold)) return;
    const side = this.sides[group];
    const { size, reputation, arrival, bar, payment, selectedAt } = side;
    const half = this.rules.budget / 2;
    const prose = this.rules.reading === "prose";
    const remaining = this.rules.rounds - round + 1;
    const clock = round + this.offset;
    for (let k = 0; k < size; k++) {
      // The bar is never below the density: a threshold below it decides nothing.
      const before = bar[k]!;
      if (exceeds(before, threshold) || arrival[k]! > clock) continue;
      const spent = side.spent;
      if (selectedAt[k]! === 0) {
        const need = remaining * reputation[k]! * threshold;
        if (exceeds(spent + need, half)) {
          this.record(round, side.row[k]!, REFUSED);
          continue;
        }
        payment[k] = need;
        bar[k] = threshold;
        selectedAt[k] = round;
        side.spent = spent + need;
        continue;
      }
      if (!exceeds(threshold, before)) continue;
      if (prose && !exceeds(half, spent)) {
        this.record(round, side.row[k]!, DENIED);
        continue;
      }
      const need = (threshold - before) * reputation[k]! * remaining;
      const capped = exceeds(spent + need, half);
      if (capped) this.record(round, side.row[k]!, CAPPED);
      payment[k]! += capped ? half - spent : need;
      side.spent = capped ? half : spent + need;
      bar[k] = threshold;
    }
  }

  private record(round: number, row: number, kind: number): void {
    const at = this.eventCount++;
    if (at >= this.eventRound.length) this.growEvents();
    this.eventRound[at] = round;
    this.eventRow[at] = row;
    this.eventKind[at] = kind;
  }

  private growEvents(): void {
    const capacity = 2 * this.eventRound.length;
    const round = this.eventRound;
    const row = this.eventRow;
    const kind = this.eventKind;
    this.eventRound = new Int32Array(capacity);
    this.eventRow = new Int32Array(capacity);
    this.eventKind = new Uint8Array(capacity);
    this.eventRound.set(round);
    this.eventRow.set(row);
    this.eventKind.set(kind);
  }

  private collect(): void {
    this.payment.fill(0, 0, this.columns.size);
    this.selectedAt.fill(0, 0, this.columns.size);
    for (const { size, row, payment, selectedAt } of this.sides) {
      for (let k = 0; k < size; k++) {
        this.payment[row[k]!] = payment[k]!;
        this.selectedAt[row[k]!] = selectedAt[k]!;
      }
    }
  }
}

/** B1 of [M5], of which a start that shortens the task spends only its part ([M6]); all of it if nothing is said of rounds. */
export function firstBudget(rules: Rules, buys: number = rules.rounds): number {
  const whole = rules.firstRoundRatio * rules.budget;
  return rules.delay === "shorten" && buys < rules.rounds ? (whole * buys) / rules.rounds : whole;
}

/** How often the condition of the first step counts a worker's own reputation ([M5]). */
export const ownWeight = ({ firstStep }: Rules): 1 | 2 => (firstStep === "prose" ? 2 : 1);

/** B' of [M7]. */
export function sampleBudget(rules: Rules, round: number): number {
  const first = firstBudget(rules);
  return (first + ((rules.budget - first) * (round - 1)) / (rules.rounds - 1)) / rules.rounds;
}

/** Bids as typed columns in the order of ids: what the engine reads. */
export interface Columns {
  readonly size: number;
  readonly id: Float64Array;
  readonly reputation: Float64Array;
  readonly price: Float64Array;
  readonly arrival: Int32Array;
  /** The group, id mod 2. */
  readonly odd: Uint8Array;
}

export const columnsOf = (bids: readonly Bidder[]): Columns => new ColumnBuffer().fill(bids);

/** Columns that are filled again and again: nothing is allocated between markets of a size. */
export class ColumnBuffer implements Columns {
  size = 0;
  id = new Float64Array(0);
  reputation = new Float64Array(0);
  price = new Float64Array(0);
  arrival = new Int32Array(0);
  odd = new Uint8Array(0);

  /** Rows follow ids, whatever the order of the input ([M2]). */
  fill(bids: readonly Bidder[]): this {
    const rows = byId(bids);
    this.reserve(rows.length);
    this.size = rows.length;
    for (let row = 0; row < rows.length; row++) {
      const { id, reputation, price, arrival } = rows[row]!;
      this.id[row] = id;
      this.reputation[row] = reputation;
      this.price[row] = price;
      this.arrival[row] = arrival;
      this.odd[row] = id % 2;
    }
    return this;
  }

  private reserve(n: number): void {
    if (this.id.length >= n) return;
    this.id = new Float64Array(n);
    this.reputation = new Float64Array(n);
    this.price = new Float64Array(n);
    this.arrival = new Int32Array(n);
    this.odd = new Uint8Array(n);
  }
}

/**
 * Workers in density order, and the proportional share of [M3] over those of them who have arrived. Of one of them the density
 * may be asked about: it then stands where it would with that density, or nowhere.
 */
export class EngineSample {
  size = 0;
  row = new Int32Array(0);
  density = new Float64Array(0);
  reputation = new Float64Array(0);
  arrival = new Int32Array(0);

  /** The row of the one asked about (-1: nobody), its reputation and density (NaN: it is left out). */
  protected self = -1;
  protected selfReputation = 0;
  protected selfDensity = Number.NaN;

  /** Of the last share: how many others were taken, whether the one asked about was, and whether it is the first who was not. */
  taken = 0;
  won = false;
  isNext = false;
  /** Σ Re of all that were taken. */
  sum = 0;

  reserve(n: number): void {
    if (this.row.length >= n) return;
    this.row = new Int32Array(n);
    this.density = new Float64Array(n);
    this.reputation = new Float64Array(n);
    this.arrival = new Int32Array(n);
  }

  push(row: number, density: number, reputation: number, arrival: number): void {
    const at = this.size++;
    this.row[at] = row;
    this.density[at] = density;
    this.reputation[at] = reputation;
    this.arrival[at] = arrival;
  }

  /**
   * Takes workers while s · ρ_i · (Re_i + Σ Re) ≤ β, with Re_i twice at a first step by the prose ([M5]); returns the
   * density that sets, NaN if none ([M3], [M4]).
   */
  share(clock: number, roundsBought: number, beta: number, own: 1 | 2 = 1): number {
    const { size, row, density, reputation, arrival, self, selfReputation, selfDensity } = this;
    let sum = 0;
    let taken = 0;
    let next = Number.NaN;
    let isWaiting = !Number.isNaN(selfDensity);
    this.won = false;
    this.isNext = false;
    for (let k = 0; k <= size; k++) {
      if (isWaiting && (k === size || this.precedes(selfDensity, self, k))) {
        isWaiting = false;
        if (exceeds(roundsBought * selfDensity * (own * selfReputation + sum), beta)) {
          next = selfDensity;
          this.isNext = true;
          break;
        }
        this.won = true;
        sum += selfReputation;
      }
      if (k === size || arrival[k]! > clock || row[k] === self) continue;
      if (exceeds(roundsBought * density[k]! * (own * reputation[k]! + sum), beta)) {
        next = density[k]!;
        break;
      }
      sum += reputation[k]!;
      taken++;
    }
    this.taken = taken;
    this.sum = sum;
    if (sum === 0) return next;
    const byBudget = beta / (roundsBought * sum);
    return Number.isNaN(next) ? byBudget : Math.min(next, byBudget);
  }

  /** Whether a worker of this row and density stands before place k: smaller, or equal with the smaller id ([M2]). */
  private precedes(density: number, row: number, k: number): boolean {
    const other = this.density[k]!;
    return same(density, other) ? row < this.row[k]! : density < other;
  }
}
