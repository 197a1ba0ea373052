/**
 * Exact best responses to the online mechanism, by its structure: for each arrival, the densities at which anything
 * can change are known or found from flip to flip, and utility is linear between them; single densities at ties are
 * looked at on their own. Which start a bid leads to is decided clock by clock, so lies that move the start are lies
 * like any other.
 */

import { rounding, same } from "../lib/tolerance.js";
import {
  bidders,
  byId,
  type Group,
  groupOf,
  type Market,
  type Rules,
  type Worker,
} from "../market/market.js";
import { ColumnBook, type Columns } from "../mechanisms/online-engine.js";
import type { Regime } from "../mechanisms/outcome.js";
import { GroupPlay } from "./online-rounds.js";
import { Outlook, type Self, Starts } from "./online-starts.js";
import { assemble, type Findings, type Response, type Responses } from "./response.js";
import { BestOf, Edges, priceOf, type Span, type Stretch, type Visitor } from "./stretches.js";

interface Type {
  readonly cost: number;
  readonly arrival: number;
}

/** A density inside a span may lie on a flip by chance; if others do too, the flip is rounding. */
const TRIES = 3;

class Responder {
  readonly starts = new Starts();
  private readonly group = new GroupPlay();
  /** By clock. */
  private readonly outlooks: Outlook[] = [];
  private readonly edges = new Edges();
  /** Those that the last call of `reach` found. */
  private readonly reached: Outlook[] = [];
  private self!: Self;
  private visitor!: Visitor;
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

  /** Visits every stretch of the worker's utility over its density, for each arrival from the true one on. */
  explore(row: number, type: Type, visitor: Visitor): void {
    this.attend(row, type);
    this.visitor = visitor;
    const alone = this.startWithout(type.arrival);
    const last = this.lastArrivalToVisit(type.arrival, alone);
    for (let arrival = type.arrival; arrival <= last; arrival++) {
      this.stretch.arrival = arrival;
      if (this.self.reputation === 0) this.exploreNobody();
      else if (alone < arrival) this.exploreLate(this.outlook(alone));
      else this.exploreFirst();
    }
  }

  /** Arrivals after the start of those who come too late for every admission that is worth more than the floor are left out. */
  private lastArrivalToVisit(arrival: number, alone: number): number {
    const { rounds } = this.rules;
    if (this.self.reputation === 0 || alone > rounds || this.visitor.floor < 0) return rounds;
    const outlook = this.outlook(alone);
    return Math.min(
      rounds,
      Math.max(arrival, alone, outlook.lastWorthwhile(this.visitor.floor) + outlook.delay),
    );
  }

  /** An upper bound of what any bid can bring. Later arrivals lead to no other starts than the true one may. */
  bound(row: number, type: Type): number {
    this.attend(row, type);
    if (this.self.reputation === 0) return 0;
    const alone = this.startWithout(type.arrival);
    if (alone < type.arrival) return this.outlook(alone).boundLate(type.arrival - alone + 1, 0);
    this.reach(type.arrival);
    let best = 0;
    for (const outlook of this.reached) best = Math.max(best, outlook.bound());
    return best;
  }

  private get rules(): Rules {
    return this.starts.rules;
  }

  private attend(row: number, { cost }: Type): void {
    const { reputation, odd } = this.starts.columns;
    this.self = { row, cost, reputation: reputation[row]!, side: odd[row] as Group };
  }

  private outlook(clock: number): Outlook {
    const start = this.starts.at(clock);
    this.outlooks[clock] ??= new Outlook(start, this.starts, this.group);
    const outlook = this.outlooks[clock];
    outlook.face(this.self);
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
    const { started, delay } = this.starts.engine;
    this.edges.begin();
    this.eachSpan(() => this.tell(0, 0, started ? delay : -1));
  }

  /** The worker comes after the start: only the round of its admission matters. */
  private exploreLate(outlook: Outlook): void {
    const entry = this.stretch.arrival - outlook.delay;
    this.edges.begin();
    this.addLevels(outlook, entry);
    this.eachSpan(() => this.tellAdmission(outlook, entry));
  }

  /** The worker may take part in the first step at each clock from its arrival on. */
  private exploreFirst(): void {
    this.reach(this.stretch.arrival);
    this.edges.begin();
    for (const outlook of this.reached) {
      if (Number.isFinite(outlook.critical)) this.edges.add(outlook.critical);
      if (!outlook.startsAlone) continue;
      this.addLevels(outlook, 2);
      this.addRivals(outlook);
    }
    this.eachSpan(() => this.exploreSpan());
  }

  /** The starts some price leads to, if the worker arrives then. */
  private reach(arrival: number): void {
    this.reached.length = 0;
    const last = Math.max(arrival, this.starts.engine.lastArrival);
    for (let clock = arrival; clock <= last; clock++) {
      const outlook = this.outlook(clock);
      if (!outlook.startsWith && !outlook.startsAlone) continue;
      this.reached.push(outlook);
      if (!outlook.movable()) break;
    }
  }

  /** Thresholds from a round on: where the price decides about an admission. */
  private addLevels({ thresholds }: Outlook, entry: number): void {
    for (let round = entry; round <= this.rules.rounds; round++)
      if (!Number.isNaN(thresholds[round]!)) this.edges.add(thresholds[round]!);
  }

  /** Densities above the critical one at which the first step changes: the rivals between it and the ceiling, and that. */
  private addRivals({ start: { step }, critical, ceiling }: Outlook): void {
    if (Number.isFinite(ceiling)) this.edges.add(ceiling);
    for (let k = 0; k < step.size; k++) {
      const density = step.density[k]!;
      if (step.row[k] !== this.self.row && density >= critical && density <= ceiling) this.edges.add(density);
    }
  }

  private eachSpan(explore: () => void): void {
    this.edges.settle();
    for (let k = 0; k < this.edges.spans; k++) {
      this.edges.take(k, this.stretch);
      explore();
    }
  }

  /** One span: the start it leads to, its role in the first step, and what comes of it. */
  private exploreSpan(): void {
    const { low, high, x } = this.stretch;
    for (const outlook of this.reached) {
      const { step } = outlook.start;
      step.at(this.self.row, this.self.reputation, x);
      if (step.others + (step.won ? 1 : 0) < this.rules.minWorkers) continue;
      if (step.won) this.tellWon(outlook);
      else if (step.slope === 0 && step.others === outlook.others) this.tellAdmission(outlook, 2);
      else this.tellFirstLoser(outlook, { low, high, x });
      return;
    }
    this.tell(0, 0, -1);
  }

  private tellWon(outlook: Outlook): void {
    const utility = outlook.won(this.visitor.floor);
    if (!Number.isNaN(utility)) this.tell(utility, 1, outlook.delay);
  }

  private tellAdmission(outlook: Outlook, entry: number): void {
    const selectedAt = outlook.admission(this.stretch.x, entry);
    const utility = selectedAt === 0 ? 0 : outlook.admitted(selectedAt, this.visitor.floor);
    if (!Number.isNaN(utility)) this.tell(utility, selectedAt, outlook.delay);
  }

  /** The first loser sets the first-step price, or keeps rivals out of it: from flip to flip. */
  private tellFirstLoser(outlook: Outlook, span: Readonly<Span>, tries = 0): void {
    const { low, high, x } = span;
    if (outlook.boundLate(2, low) <= this.visitor.floor) return;
    outlook.loseFirst(x);
    const { selectedAt, payment, slope, onFlip } = this.group;
    const rounds = selectedAt === 0 ? 0 : this.rules.rounds - selectedAt + 1;
    const found = { utility: payment - this.self.cost * rounds, selectedAt, delay: outlook.delay };
    if (low === high) {
      this.tellSloped({ ...found, low, high, x, slope: 0 });
    } else if (onFlip && tries < TRIES) {
      this.tellFirstLoser(outlook, { low, high, x: low + (x - low) * 0.381966 }, tries + 1);
    } else {
      const from = splits(low, this.group.low, x) ? this.group.low : low;
      const to = splits(x, this.group.high, high) ? this.group.high : high;
      this.tellSloped({ ...found, low: from, high: to, x, slope });
      if (from !== low) this.tellBeyond(outlook, low, from, from);
      if (to !== high) this.tellBeyond(outlook, to, high, to);
    }
  }

  /** The rest of a span beyond a flip, and the flip itself. */
  private tellBeyond(outlook: Outlook, low: number, high: number, flip: number): void {
    this.tellFirstLoser(outlook, { low: flip, high: flip, x: flip });
    this.tellFirstLoser(outlook, { low, high, x: low + (high - low) / 2 });
  }

  private tellSloped(found: Omit<Stretch, "arrival">): void {
    this.visitor.visit({ ...found, arrival: this.stretch.arrival });
  }

  /** All of the span that is explored brings the same. */
  private tell(utility: number, selectedAt: number, delay: number): void {
    const { stretch } = this;
    stretch.utility = utility;
    stretch.slope = 0;
    stretch.selectedAt = selectedAt;
    stretch.delay = delay;
    this.visitor.visit(stretch);
  }
}

/** Whether a flip lies inside (low, high) and not at an end. */
const splits = (low: number, flip: number, high: number): boolean =>
  flip > low && flip < high && !same(flip, low) && !same(flip, high);

const responder = new Responder();
const book = new ColumnBook();

/** Every worker's exact best lie (or that of the chosen ones), the others telling the truth. */
export function exactResponses(market: Market, chosen?: readonly number[]): Responses {
  const workers = load(market);
  const before = responder.plays;
  const wanted = chosen ? new Set(chosen) : null;
  const responses: Response[] = [];
  for (let row = 0; row < workers.length; row++)
    if (!wanted || wanted.has(workers[row]!.id)) responses.push(respond(market, workers[row]!, row));
  const evaluations = 1 + responder.plays - before;
  return { mechanism: "online", method: "exact", exact: true, evaluations, workers: responses };
}

function load(market: Market): readonly Worker[] {
  const workers = byId(market.workers);
  responder.load(market.rules, book.fill(bidders(workers)));
  return workers;
}

/** Below this a difference of utilities is rounding. */
const noiseOf = ({ rules }: Market, { cost }: Worker): number =>
  rounding(Math.max(rules.budget, cost * rules.rounds));

function respond(market: Market, worker: Worker, row: number): Response {
  const { engine } = responder.starts;
  const selectedAt = engine.selectedAt[row]!;
  const rounds = selectedAt === 0 ? 0 : market.rules.rounds - selectedAt + 1;
  const truthful = engine.payment[row]! - worker.cost * rounds;
  const noise = noiseOf(market, worker);
  const startDelay = engine.started ? engine.delay : null;
  const best =
    responder.bound(row, worker) > truthful + noise ? explored(worker, row, truthful, noise) : null;
  return assemble({ worker, truthful, startDelay, regime: regimeOf(worker.id), noise, best });
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

function regimeOf(id: number): Regime {
  const { engine } = responder.starts;
  if (!engine.started || engine.delay > 0) return "late start";
  return engine.tight(groupOf(id)) ? "tight" : "sufficient";
}
