/** The paper's mechanism: the readable program of its algorithms, and the engine that runs it fast on numbers. */

import { Lines } from "../../auction/lines.js";
import type { BudgetEvent, Mechanism, Outcome, Threshold } from "../../auction/mechanism.js";
import { markBuiltIn, runProgram } from "../../auction/program.js";
import { giveOwnMethods } from "../../auction/solver.js";
import { startAt } from "../../auction/start.js";
import { tracing } from "../../auction/tracing.js";
import type { Range } from "../../lib/bounded-mean.js";
import { type Bidder, bidders, type Rules } from "../../market/market.js";
import { OnlineBound } from "./bound.js";
import { canWin } from "./can-win.js";
import { OnlineDraws } from "./draws.js";
import { ColumnBuffer, type Columns, columnsOf, eventKinds, OnlineEngine } from "./engine.js";
import { program } from "./program.js";
import { promises } from "./promises.js";
import { onlineResponses } from "./solver.js";

markBuiltIn(program);

const numbers = new Lines();
const engine = new OnlineEngine();
const columns = new ColumnBuffer();

export const online: Mechanism = {
  name: "online",
  about: "The paper's online reverse auction: a first step, then two groups that judge each other.",
  rule: [
    "First step: all who have arrived, by increasing price per reputation, share a first part of the budget for all rounds; if too few fit, the start is delayed.",
    "Later rounds: each of two groups (by id) learns a payment per reputation from its own bids, and judges the workers of the other group by it.",
    "A worker admitted in a round works all rounds that remain; it is raised when the threshold rises, while its group's half of the budget lasts.",
  ],
  promise:
    "Its authors prove it truthful in cost and in arrival with a sufficient budget, individually rational and within the budget.",
  source:
    "Zhang, Wu, Pan: Online Auction-Based Incentive Mechanism Design for Horizontal Federated Learning with Budget Constraint.",
  year: 2022,
  claims: [
    { property: "P1", quote: "The mechanism satisfies individual rationality.", where: "Theorem 1." },
    { property: "P2", quote: "The mechanism satisfies budget feasibility.", where: "Theorem 2." },
    {
      property: "P4",
      // Its proof says: as long as the remaining budget is sufficient.
      regimes: ["sufficient", "late start"],
      quote: "The mechanism satisfies consumer sovereignty.",
      where: "Theorem 4.",
    },
    {
      property: "P5",
      regime: "sufficient",
      quote: "The mechanism satisfies cost truthfulness with a sufficient budget.",
      where: "Theorem 5.",
    },
    {
      property: "P6",
      regime: "sufficient",
      quote: "The mechanism satisfies time truthfulness with a sufficient budget.",
      where: "Theorem 6.",
    },
  ],
  keepsBudget: ({ firstRoundRatio }) => firstRoundRatio <= 0.5,
  program,
  /** A trace is the program's: the engine, which is faster, writes none. */
  decide(rules: Rules, bids: readonly Bidder[], trace) {
    if (trace)
      runProgram({ name: "online", program }, rules, bids, { math: numbers, observe: tracing(trace) });
    engine.run(rules, columns.fill(bids));
    return outcomeOf(engine, rules, columns);
  },
};

giveOwnMethods(online, {
  responses: onlineResponses,
  prepared({ rules, workers }) {
    const own = new OnlineEngine();
    const bids = columnsOf(bidders(workers));
    return () => own.run(rules, bids);
  },
  drawn: (rules, draws) => new OnlineDraws(rules, draws),
  jointBound(market, members, arrivals) {
    const bound = new OnlineBound(market, members, arrivals);
    return (prices) => bound.at(prices);
  },
  payments,
  promises,
  canWin,
});

/**
 * A worker is paid from the first step's money or from its group's half, whatever the ratio; where a cap may lower a payment
 * ([M11]), then at most by what the first step spent beyond the half.
 */
function payments({ budget, firstRoundRatio, reading }: Rules): Range {
  const most = Math.max(firstRoundRatio, 1 / 2) * budget;
  return { least: reading === "prose" ? 0 : budget / 2 - most, most };
}

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
  const first = startAt(rules, run.delay + 1).round + 1;
  return Array.from({ length: Math.max(0, rules.rounds - first + 1) }, (_, k) => ({
    round: k + first,
    group0: at(0, k + first),
    group1: at(1, k + first),
  }));
}

function eventsOf(run: OnlineEngine, columns: Columns): BudgetEvent[] {
  return Array.from({ length: run.eventCount }, (_, k) => ({
    round: run.eventRound[k]!,
    worker: columns.id[run.eventRow[k]!]!,
    kind: eventKinds[run.eventKind[k]!]!,
  }));
}
