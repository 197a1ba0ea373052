/** A trace tells every number behind a decision: here all of them are worked out again from the bids. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Outcome, runAuction } from "../../src/auction/mechanism.js";
import type { RoundEvent, RulingEvent, Share, StartEvent, TraceEvent } from "../../src/auction/trace.js";
import { marketArbitrary } from "../../src/market/generators.js";
import type { Market, Worker } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";

const within = (a: number, b: number, share: number) => a <= b * (1 + share) && b <= a * (1 + share);
/** [M13]. */
const equal = (a: number, b: number) => within(a, b, 1e-12);
const hangs = (a: number, b: number) => within(a, b, 1e-9);

const densityOf = ({ cost, reputation }: Worker) => cost / reputation;

/** [M1] [M2] Those with a reputation who have arrived, in increasing density. */
const arrivedBy = (workers: readonly Worker[], clock: number): Worker[] =>
  workers
    .filter(({ reputation, arrival }) => reputation > 0 && arrival <= clock)
    .sort((a, b) => (equal(densityOf(a), densityOf(b)) ? a.id - b.id : densityOf(a) - densityOf(b)));

const close = (value: number) => expect.closeTo(value, 9);

/** [M3] and [M4], worker by worker. */
function expectedShare(pool: readonly Worker[], roundsBought: number, budget: number) {
  let sum = 0;
  let knifeEdge = false;
  const costOf = (worker: Worker) => roundsBought * densityOf(worker) * (worker.reputation + sum);
  let count = 0;
  for (const worker of pool) {
    knifeEdge ||= hangs(costOf(worker), budget);
    if (costOf(worker) > budget * (1 + 1e-12)) break;
    sum += worker.reputation;
    count++;
  }
  const [last, first] = [pool[count - 1], pool[count]];
  if (last && first) knifeEdge ||= hangs(densityOf(last), densityOf(first));
  const byBudget = count > 0 ? budget / (roundsBought * sum) : null;
  const terms = [byBudget, first ? densityOf(first) : null].filter((term) => term !== null);
  return {
    budget: close(budget),
    roundsBought,
    pool: pool.map(({ id }) => id),
    taken: pool.slice(0, count).map(({ id }) => id),
    reputation: close(sum),
    byBudget: byBudget === null ? null : close(byBudget),
    next: first ? { worker: first.id, density: close(densityOf(first)), cost: close(costOf(first)) } : null,
    density: terms.length === 0 ? null : close(Math.min(...terms)),
    knifeEdge,
  };
}

/** What is known while a trace is read. */
class Reader {
  delay = 0;
  round: RoundEvent | null = null;
  readonly payment = new Map<number, number>();
  /** ρ*_i of those selected. */
  readonly promised = new Map<number, number>();

  constructor(readonly market: Market) {}

  spentBy(group: number): number {
    return [...this.payment].reduce((sum, [id, amount]) => sum + (id % 2 === group ? amount : 0), 0);
  }

  /** [M5] [M6] */
  start(event: StartEvent): void {
    const { budget, rounds, firstRoundRatio, minWorkers } = this.market.rules;
    const pool = arrivedBy(this.market.workers, event.clock);
    const share = expectedShare(pool, rounds, firstRoundRatio * budget);
    expect(event.share).toEqual(share);
    expect([event.minWorkers, event.enough]).toEqual([minWorkers, share.taken.length >= minWorkers]);
    const winners = event.enough ? [...event.share.taken].sort((a, b) => a - b) : [];
    const paid = winners.map((worker) => {
      const { reputation } = pool.find(({ id }) => id === worker)!;
      return { worker, payment: close(rounds * reputation * event.share.density!) };
    });
    expect(event.payments).toEqual(paid);
    this.delay = event.clock - 1;
    for (const { worker, payment } of event.payments) {
      this.payment.set(worker, payment);
      this.promised.set(worker, event.share.density!);
    }
  }

  /** [M7] */
  begin(event: RoundEvent): void {
    const { budget, rounds, firstRoundRatio } = this.market.rules;
    const first = firstRoundRatio * budget;
    const sample = (first + ((budget - first) * (event.round - 1)) / (rounds - 1)) / rounds;
    expect(event.clock).toBe(event.round + this.delay);
    expect(event.sampleBudget).toBeCloseTo(sample, 9);
    for (const group of [0, 1]) {
      const pool = arrivedBy(this.market.workers, event.clock).filter(({ id }) => id % 2 === group);
      expect(event.shares[group]).toEqual(expectedShare(pool, 1, sample / 2));
      expect(event.left[group]).toBeCloseTo(budget / 2 - this.spentBy(group), 9);
    }
    this.round = event;
  }

  /** [M8]–[M11] */
  rule(event: RulingEvent): void {
    const { budget, rounds } = this.market.rules;
    const worker = this.market.workers.find(({ id }) => id === event.worker)!;
    const threshold = (this.round!.shares[1 - (worker.id % 2)] as Share).density!;
    const before = this.promised.get(worker.id) ?? null;
    const weight = worker.reputation * (rounds - event.round + 1);
    const spent = this.spentBy(worker.id % 2);
    expect(event).toMatchObject({ round: this.round!.round, group: worker.id % 2, promised: before });
    expect([event.density, event.threshold]).toEqual([close(densityOf(worker)), threshold]);
    expect(event.left).toBeCloseTo(budget / 2 - spent, 9);
    const need = expectedNeed(event, threshold, before) * weight;
    const full = weight * (threshold - (before ?? 0));
    expect(rulings(this.market, event, { spent, full })).toContain(event.ruling);
    expect(event.need).toBeCloseTo(need, 9);
    expect(event.knifeEdge).toBe(expectedEdge(event, spent, budget / 2));
    this.book(event, { need, left: budget / 2 - spent, threshold });
  }

  private book(
    event: RulingEvent,
    { need, left, threshold }: Record<"need" | "left" | "threshold", number>,
  ): void {
    const { ruling, worker, payment } = event;
    const had = this.payment.get(worker) ?? 0;
    const more = { admitted: need, raised: need, capped: left }[ruling as string] ?? 0;
    expect(payment).toBeCloseTo(had + more, 9);
    if (["admitted", "raised", "capped"].includes(ruling)) {
      this.payment.set(worker, payment);
      this.promised.set(worker, threshold);
    }
  }

  /** What was told is what came out. */
  close(outcome: Outcome): void {
    for (const { id, payment } of outcome.workers) expect(payment).toBeCloseTo(this.payment.get(id) ?? 0, 9);
  }
}

const exceeds = (a: number, b: number) => a > b * (1 + 1e-12);

/** [M8]–[M11] What may be ruled on a worker; where nothing is left for a raise, anything that raises nobody. */
function rulings(
  { rules }: Market,
  { density, threshold, promised }: RulingEvent,
  { spent, full }: { spent: number; full: number },
): string[] {
  const half = rules.budget / 2;
  if (promised === null && exceeds(density, threshold!)) return ["dear"];
  if (promised === null) return [exceeds(spent + full, half) ? "refused" : "admitted"];
  if (!exceeds(threshold!, promised)) return ["kept"];
  if (rules.reading === "prose" && !exceeds(half, spent)) return ["spent", "denied"];
  return [exceeds(spent + full, half) ? "capped" : "raised"];
}

/** Per unit of reputation and round: the threshold for an admission, the difference for a raise, nothing else. */
function expectedNeed({ ruling }: RulingEvent, threshold: number, before: number | null): number {
  if (ruling === "dear" || ruling === "kept") return 0;
  return threshold - (before ?? 0);
}

/** Whether one of the comparisons that led to the ruling hangs by a thread. */
function expectedEdge(
  { ruling, density, threshold, promised, need }: RulingEvent,
  spent: number,
  half: number,
): boolean {
  const byPrice = hangs(promised ?? density, threshold!);
  if (ruling === "dear" || ruling === "kept") return byPrice;
  return byPrice || hangs(spent + need, half) || (promised !== null && hangs(spent, half));
}

function read(market: Market): TraceEvent[] {
  const events: TraceEvent[] = [];
  const outcome = runAuction(online, market, [], (event) => events.push(event));
  const reader = new Reader(market);
  for (const event of events) {
    if (event.kind === "start") reader.start(event);
    else if (event.kind === "round") reader.begin(event);
    else if (event.kind === "ruling") reader.rule(event);
  }
  if (outcome.started) reader.close(outcome);
  return events;
}

describe("[M3]–[M13] every number of a trace follows from the bids", () => {
  it.each([
    ["in small markets full of ties", marketArbitrary({ minWorkers: 1, maxWorkers: 8, maxRounds: 5 })],
    ["where the first step may overspend", marketArbitrary({ minWorkers: 1, maxWorkers: 8, maxRatio: 1 })],
  ])("%s", (_, markets) => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(markets, (market) => {
        for (const event of read(market)) seen.add(event.kind === "ruling" ? event.ruling : event.kind);
      }),
      { numRuns: 500 },
    );
    expect([...seen]).toEqual(expect.arrayContaining(["start", "round", "dear", "admitted", "refused"]));
    expect([...seen]).toEqual(expect.arrayContaining(["raised", "capped", "kept"]));
  });
});
