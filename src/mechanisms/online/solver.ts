/**
 * Exact best responses to the online mechanism, by its structure: for each arrival, the densities at which anything
 * can change are known or found from flip to flip, and utility is linear between them; single densities at ties are
 * looked at on their own. Which start a bid leads to is decided clock by clock, so lies that move the start are lies
 * like any other.
 */

import { priceOf } from "../../auction/best-price.js";
import type { Regime } from "../../auction/outcome.js";
import {
  assemble,
  type Findings,
  type Response,
  type Responses,
  utilityNoise,
} from "../../auction/response.js";
import { same } from "../../lib/tolerance.js";
import { bidders, byId, type Group, type Market, type Rules, type Worker } from "../../market/market.js";
import { ColumnBuffer, type Columns } from "./engine.js";
import { GroupPlay } from "./rounds.js";
import { type Self, StartForWorker, Starts } from "./starts.js";
import { BestOf, Breakpoints, type DensitySpan, type Stretch, type Stretches } from "./stretches.js";

interface Type {
  readonly cost: number;
  readonly arrival: number;
}

/** A density inside a span may lie on a flip by chance; if others do too, the flip is rounding. */
const TRIES = 3;

export class Responder {
  readonly starts = new Starts();
  private readonly group = new GroupPlay();
  private readonly byClock: StartForWorker[] = [];
  private readonly breakpoints = new Breakpoints();
  /** Those that the last call of `reach` found. */
  private readonly reached: StartForWorker[] = [];
  private self!: Self;
  private found!: Stretches;
  /** The span that is explored, and what is found on it. */
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

  /** How many times a group was played so far. */
  get plays(): number {
    return this.group.plays;
  }

  /** Runs the market as bid; every worker's lies are then measured against the others' bids in it. */
  load(rules: Rules, columns: Columns): void {
    this.starts.load(rules, columns);
  }

  /** Finds every stretch of the worker's utility over its density, for each arrival from the true one on. */
  explore(row: number, type: Type, found: Stretches): void {
    this.attend(row, type);
    this.found = found;
    const alone = this.startWithout(type.arrival);
    const last = this.lastArrivalToExplore(type.arrival, alone);
    for (let arrival = type.arrival; arrival <= last; arrival++) {
      this.stretch.arrival = arrival;
      if (this.self.reputation === 0) this.exploreNobody();
      else if (alone < arrival) this.exploreLate(this.startAt(alone));
      else this.exploreFirst();
    }
  }

  /** Arrivals after the start of those who come too late for every admission that is worth more than the floor are left out. */
  private lastArrivalToExplore(arrival: number, alone: number): number {
    const { rounds } = this.rules;
    if (this.self.reputation === 0 || alone > rounds || this.found.floor < 0) return rounds;
    const start = this.startAt(alone);
    return Math.min(
      rounds,
      Math.max(arrival, alone, start.lastWorthwhile(this.found.floor) + start.common.start.offset),
    );
  }

  /**
   * An upper bound of what any bid can bring. Later arrivals lead to no other starts than the true one may, or to those after
   * the last arrival that they are waited for.
   */
  bound(row: number, type: Type): number {
    this.attend(row, type);
    if (this.self.reputation === 0) return 0;
    const alone = this.startWithout(type.arrival);
    if (alone < type.arrival) {
      const start = this.startAt(alone);
      return start.boundLate(start.entryAt(type.arrival), 0);
    }
    this.reach(type.arrival, this.lastStart);
    let best = 0;
    for (const start of this.reached) best = Math.max(best, start.bound());
    return best;
  }

  private get rules(): Rules {
    return this.starts.rules;
  }

  /** The last clock at which the task may start if the worker comes late; a start that is postponed gains nothing by waiting. */
  private get lastStart(): number {
    return this.rules.delay === "postpone" ? this.starts.engine.lastArrival : this.rules.rounds;
  }

  private attend(row: number, { cost }: Type): void {
    const { reputation, odd } = this.starts.columns;
    this.self = { row, cost, reputation: reputation[row]!, side: odd[row] as Group };
  }

  private startAt(clock: number): StartForWorker {
    const common = this.starts.at(clock);
    this.byClock[clock] ??= new StartForWorker(common, this.starts, this.group);
    const start = this.byClock[clock];
    start.consider(this.self);
    return start;
  }

  /** The clock at which the task starts if the worker, truly there from `arrival` on, is waited for; Infinity: it never does. */
  private startWithout(arrival: number): number {
    const { started, delay } = this.starts.engine;
    if (started && delay + 1 < arrival) return delay + 1;
    for (let clock = arrival; clock <= this.lastStart; clock++)
      if (this.startAt(clock).startsAlone) return clock;
    return Number.POSITIVE_INFINITY;
  }

  /** Reputation 0 is never selected, whatever it says ([M1]). */
  private exploreNobody(): void {
    const { started, delay } = this.starts.engine;
    this.breakpoints.begin();
    this.eachSpan(() => this.addLevel(0, 0, started ? delay : -1));
  }

  /** The worker comes after the start: only the round of its admission matters. */
  private exploreLate(start: StartForWorker): void {
    const entry = start.entryAt(this.stretch.arrival);
    this.breakpoints.begin();
    this.addThresholds(start, entry);
    this.eachSpan(() => this.addAdmission(start, entry));
  }

  /** The worker may take part in the first step at each clock from its arrival on. */
  private exploreFirst(): void {
    this.reach(this.stretch.arrival, this.starts.engine.lastArrival);
    this.breakpoints.begin();
    for (const start of this.reached) {
      if (Number.isFinite(start.critical)) this.breakpoints.add(start.critical);
      if (this.rules.firstStep === "prose") this.addUndercut(start);
      if (!start.startsAlone) continue;
      this.addThresholds(start, start.round + 1);
      this.addRivals(start);
    }
    this.eachSpan(() => this.exploreSpan());
  }

  /** The starts some price leads to, if the worker arrives then and nobody after the last clock. */
  private reach(arrival: number, last: number): void {
    this.reached.length = 0;
    for (let clock = arrival; clock <= Math.max(arrival, last); clock++) {
      const start = this.startAt(clock);
      if (!start.startsWith && !start.startsAlone) continue;
      this.reached.push(start);
      if (!start.movable()) break;
    }
  }

  /** Thresholds from a round on: where the price decides about an admission. */
  private addThresholds({ thresholds }: StartForWorker, entry: number): void {
    for (let round = entry; round <= this.rules.rounds; round++)
      if (!Number.isNaN(thresholds[round]!)) this.breakpoints.add(thresholds[round]!);
  }

  /** Densities below the critical one at which, by the prose, who wins with the worker changes. */
  private addUndercut({ common: { step }, critical }: StartForWorker): void {
    for (let k = 0; k < step.size; k++)
      if (step.row[k] !== this.self.row && step.density[k]! < critical)
        this.breakpoints.add(step.density[k]!);
  }

  /** Densities above the critical one at which the first step changes: the rivals between it and the ceiling, and that. */
  private addRivals({ common: { step }, critical, ceiling }: StartForWorker): void {
    if (Number.isFinite(ceiling)) this.breakpoints.add(ceiling);
    for (let k = 0; k < step.size; k++) {
      const density = step.density[k]!;
      if (step.row[k] !== this.self.row && density >= critical && density <= ceiling)
        this.breakpoints.add(density);
    }
  }

  private eachSpan(explore: () => void): void {
    this.breakpoints.settle();
    for (let k = 0; k < this.breakpoints.spans; k++) {
      this.breakpoints.take(k, this.stretch);
      explore();
    }
  }

  /** One span: the start it leads to, its role in the first step, and what comes of it. */
  private exploreSpan(): void {
    const { low, high, x } = this.stretch;
    for (const start of this.reached) {
      const { step } = start.common;
      step.at(this.self.row, this.self.reputation, x);
      if (step.taken + (step.won ? 1 : 0) < this.rules.minWorkers) continue;
      if (step.won) this.addWon(start);
      else if (step.slope === 0 && step.taken === start.others) this.addAdmission(start, start.round + 1);
      else this.exploreFirstLoser(start, { low, high, x });
      return;
    }
    this.addLevel(0, 0, -1);
  }

  private addWon(start: StartForWorker): void {
    const utility = start.won(this.stretch.x, this.found.floor);
    if (!Number.isNaN(utility)) this.addLevel(utility, start.round, start.delay);
  }

  private addAdmission(start: StartForWorker, entry: number): void {
    const selectedAt = start.admission(this.stretch.x, entry);
    const utility = selectedAt === 0 ? 0 : start.admitted(selectedAt, this.found.floor);
    if (!Number.isNaN(utility)) this.addLevel(utility, selectedAt, start.delay);
  }

  /** The first loser sets the first-step price, or keeps rivals out of it: from flip to flip. */
  private exploreFirstLoser(start: StartForWorker, span: Readonly<DensitySpan>, tries = 0): void {
    const { low, high, x } = span;
    if (start.boundLate(start.round + 1, low) <= this.found.floor) return;
    start.loseFirst(x);
    const { selectedAt, payment, slope, onFlip } = this.group;
    const rounds = selectedAt === 0 ? 0 : this.rules.rounds - selectedAt + 1;
    const found = { utility: payment - this.self.cost * rounds, selectedAt, delay: start.delay };
    if (low === high) {
      this.addSloped({ ...found, low, high, x, slope: 0 });
    } else if (onFlip && tries < TRIES) {
      this.exploreFirstLoser(start, { low, high, x: low + (x - low) * 0.381966 }, tries + 1);
    } else {
      const from = splits(low, this.group.low, x) ? this.group.low : low;
      const to = splits(x, this.group.high, high) ? this.group.high : high;
      this.addSloped({ ...found, low: from, high: to, x, slope });
      if (from !== low) this.exploreBeyond(start, low, from, from);
      if (to !== high) this.exploreBeyond(start, to, high, to);
    }
  }

  /** The rest of a span beyond a flip, and the flip itself. */
  private exploreBeyond(start: StartForWorker, low: number, high: number, flip: number): void {
    this.exploreFirstLoser(start, { low: flip, high: flip, x: flip });
    this.exploreFirstLoser(start, { low, high, x: low + (high - low) / 2 });
  }

  private addSloped(found: Omit<Stretch, "arrival">): void {
    this.found.add({ ...found, arrival: this.stretch.arrival });
  }

  /** All of the span that is explored brings the same. */
  private addLevel(utility: number, selectedAt: number, delay: number): void {
    const { stretch } = this;
    stretch.utility = utility;
    stretch.slope = 0;
    stretch.selectedAt = selectedAt;
    stretch.delay = delay;
    this.found.add(stretch);
  }
}

/** Whether a flip lies inside (low, high) and not at an end. */
const splits = (low: number, flip: number, high: number): boolean =>
  flip > low && flip < high && !same(flip, low) && !same(flip, high);

const responder = new Responder();
const columns = new ColumnBuffer();

/** Every worker's exact best lie (or that of the chosen ones), the others telling the truth. */
export function onlineResponses(market: Market, chosen?: readonly number[]): Responses {
  const workers = load(market);
  const before = responder.plays;
  const wanted = chosen ? new Set(chosen) : null;
  const responses: Response[] = [];
  for (let row = 0; row < workers.length; row++)
    if (!wanted || wanted.has(workers[row]!.id)) responses.push(respond(market, workers[row]!, row));
  const evaluations = 1 + responder.plays - before;
  return { mechanism: "online", method: "computed", exact: true, evaluations, workers: responses };
}

function load(market: Market): readonly Worker[] {
  const workers = byId(market.workers);
  responder.load(market.rules, columns.fill(bidders(workers)));
  return workers;
}

function respond(market: Market, worker: Worker, row: number): Response {
  const { engine } = responder.starts;
  const selectedAt = engine.selectedAt[row]!;
  const rounds = selectedAt === 0 ? 0 : market.rules.rounds - selectedAt + 1;
  const truthful = engine.payment[row]! - worker.cost * rounds;
  const noise = utilityNoise(market, worker);
  const startDelay = engine.started ? engine.delay : null;
  const best =
    responder.bound(row, worker) > truthful + noise ? explored(worker, row, truthful, noise) : null;
  return assemble({ worker, truthful, startDelay, regime: regimeInRun(row), noise, best });
}

function explored(worker: Worker, row: number, truthful: number, noise: number): Findings["best"] {
  const density = worker.cost / worker.reputation;
  const found = new BestOf(truthful + noise, { arrival: worker.arrival, density }, noise);
  responder.explore(row, worker, found);
  const startDelay = ({ delay }: { delay: number }) => (delay < 0 ? null : delay);
  const { joint, price, time } = found;
  const { utility, arrival } = time;
  return {
    joint: { lie: priceOf(joint, worker), startDelay: startDelay(joint) },
    price: { lie: priceOf(price, worker), startDelay: startDelay(price) },
    time: { lie: { price: worker.cost, arrival, utility, attained: true }, startDelay: startDelay(time) },
  };
}

function regimeInRun(row: number): Regime {
  const { engine } = responder.starts;
  if (!engine.started) return "late and tight";
  const turnedDown = engine.turnedDown(row);
  if (engine.delay > 0) return turnedDown ? "late and tight" : "late start";
  return turnedDown ? "tight" : "sufficient";
}
