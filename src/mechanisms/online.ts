/** The paper's mechanism: engine results as an outcome. */

import type { Bidder, Rules } from "../market/market.js";
import { ColumnBook, type Columns } from "./columns.js";
import type { BudgetEvent, Mechanism, Outcome, Threshold } from "./mechanism.js";
import { eventKinds, OnlineEngine } from "./online-engine.js";

const engine = new OnlineEngine();
const book = new ColumnBook();

export const online: Mechanism = {
  name: "online",
  about: "The paper's online reverse auction: a first step, then two groups that judge each other.",
  keepsBudget: ({ firstRoundRatio }) => firstRoundRatio <= 0.5,
  decide(rules: Rules, bids: readonly Bidder[], trace) {
    engine.run(rules, book.fill(bids), trace);
    return outcomeOf(engine, rules, book);
  },
};

function outcomeOf(run: OnlineEngine, rules: Rules, columns: Columns): Outcome {
  return {
    started: run.started,
    startDelay: run.started ? run.delay : null,
    workers: Array.from({ length: columns.size }, (_, row) => {
      const selectedAt = run.selectedAt[row]! || null;
      const rounds = selectedAt === null ? 0 : rules.rounds - selectedAt + 1;
      return { id: columns.id[row]!, selectedAt, rounds, payment: run.payment[row]! };
    }),
    thresholds: thresholdsOf(run, rules),
    budgetEvents: eventsOf(run, columns),
  };
}

function thresholdsOf(run: OnlineEngine, rules: Rules): Threshold[] {
  if (!run.started) return [];
  const at = (group: 0 | 1, round: number) => {
    const density = run.thresholds[group][round]!;
    return Number.isNaN(density) ? null : density;
  };
  return Array.from({ length: Math.max(0, rules.rounds - 1) }, (_, k) => ({
    round: k + 2,
    group0: at(0, k + 2),
    group1: at(1, k + 2),
  }));
}

function eventsOf(run: OnlineEngine, columns: Columns): BudgetEvent[] {
  return Array.from({ length: run.eventCount }, (_, k) => ({
    round: run.eventRound[k]!,
    worker: columns.id[run.eventRow[k]!]!,
    kind: eventKinds[run.eventKind[k]!]!,
  }));
}
