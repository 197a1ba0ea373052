/** Why a joint lie pays: who gives up what for whom, and by which way: the other group's price, the purse, or the start. */

import { type AnyMechanism, type Outcome, runAuction } from "../auction/mechanism.js";
import type { OwnMethods } from "../auction/solver.js";
import { brief, columnOf, signed, table } from "../lib/format.js";
import { difference } from "../lib/tolerance.js";
import { type Bid, groupOf, type Market, truthfulBid, type Worker, workerOf } from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import { resolveGame } from "../responses/game.js";
import {
  type Account,
  accountOf,
  type Causes,
  causesOf,
  compareDecisions,
  type Explanation,
  firstDifference,
  type Promises,
  promisedTo,
  sameDensity,
  traced,
} from "./explain.js";

/** As for a single lie; and what the partners' bids change in the prices it is offered, at the start of the joint lie. */
interface JointCauses extends Causes {
  readonly partners: number;
}

interface MemberAccount {
  readonly worker: number;
  readonly truth: Account;
  readonly lie: Account;
  /** By how much the joint lie changes its utility. */
  readonly change: number;
  /** Where that comes from, adding up to it; null where the mechanism is not the paper's. */
  readonly causes: JointCauses | null;
  /** By how much each member's lie alone, the others telling the truth, would change it. */
  readonly effects: readonly { readonly of: number; readonly amount: number }[];
  /** The rounds in which the threshold that judges it is another one; null where there is none ([M4]). */
  readonly thresholds: readonly {
    readonly round: number;
    readonly truth: number | null;
    readonly lie: number | null;
  }[];
}

/** The ways by which a joint lie reaches its members. */
const coalitionWays = {
  start: "the start: the task starts at another time",
  threshold: "the price of the other group: a member who gains is judged by another threshold",
  purse: "the place in the purse: a member who gains meets the same thresholds, and other money behind them",
} as const;

export interface CoalitionExplanation extends Pick<Explanation, "difference" | "decisions"> {
  readonly mechanism: string;
  readonly truthful: number;
  readonly gain: number;
  readonly ways: readonly (keyof typeof coalitionWays)[];
  readonly members: readonly MemberAccount[];
}

/** The truthful run and the joint lie side by side, and what each lie does by itself. */
export function explainCoalition(
  market: Market,
  bids: readonly Bid[],
  mechanism: AnyMechanism = online,
): CoalitionExplanation {
  const runs = { truth: traced(mechanism, market, []), lie: traced(mechanism, market, bids) };
  const game = resolveGame(mechanism, market);
  const { own } = game.solver;
  const alone = bids.map((bid) => ({ of: bid.worker, outcome: runAuction(mechanism, market, [bid]) }));
  const by = (after: Account, before: Account) =>
    difference(after.utility, before.utility, market.rules.budget);
  const members = bids.map((bid): MemberAccount => {
    const worker = workerOf(market, bid.worker);
    const honest = (outcome: Outcome) => accountOf(worker, truthfulBid(worker), outcome);
    const truth = honest(runs.truth.outcome);
    const lie = accountOf(worker, bid, runs.lie.outcome);
    return {
      worker: worker.id,
      truth,
      lie,
      change: by(lie, truth),
      causes: own ? jointCauses(own, game.market, worker, bids, { truth, lie }) : null,
      effects: alone.map(({ of, outcome }) => ({ of, amount: by(honest(outcome), truth) })),
      thresholds: thresholdsOf(worker.id, runs.truth.outcome, runs.lie.outcome),
    };
  });
  const truthful = members.reduce((sum, member) => sum + member.truth.utility, 0);
  const gain = members.reduce((sum, { change }) => sum + change, 0);
  const compared = compareDecisions(new Set(bids.map(({ worker }) => groupOf(worker))), runs);
  return { mechanism: mechanism.name, truthful, gain, ways: waysOf(members), members, ...compared };
}

/** From its own lie at the start that the joint one leads to, to the prices that its partners' bids make. */
function jointCauses(
  own: OwnMethods,
  market: Market,
  worker: Worker,
  bids: readonly Bid[],
  runs: { readonly truth: Account; readonly lie: Account },
): JointCauses {
  const { bid, startDelay } = runs.lie;
  const workers = market.workers.map((one) => {
    const said = one.id === worker.id ? undefined : bids.find((other) => other.worker === one.id);
    return said ? { ...one, cost: said.price, arrival: said.arrival } : one;
  });
  const [together, alone] = [{ ...market, workers }, market].map((among) => own.promises(among, worker));
  const promised = (promise: Promises) => promisedTo(promise, worker, bid, startDelay);
  const partners = promised(together!) - promised(alone!);
  const causes = causesOf(alone!, worker, bid, runs);
  return { ...causes, budget: causes.budget - partners, partners };
}

/** The thresholds of the other group that differ between two runs. */
function thresholdsOf(worker: number, truth: Outcome, told: Outcome): MemberAccount["thresholds"] {
  const key = groupOf(worker) === 0 ? "group1" : "group0";
  const rounds = [...new Set([...truth.thresholds, ...told.thresholds].map(({ round }) => round))];
  const at = ({ thresholds }: Outcome, round: number) =>
    thresholds.find((one) => one.round === round)?.[key] ?? null;
  return rounds
    .map((round) => ({ round, truth: at(truth, round), lie: at(told, round) }))
    .filter((one) => !sameDensity(one.truth, one.lie));
}

function waysOf(members: readonly MemberAccount[]): CoalitionExplanation["ways"] {
  const gaining = members.filter(({ change }) => change > 0);
  const start = members.some(({ truth, lie }) => truth.startDelay !== lie.startDelay);
  const judged = gaining.filter(({ thresholds, lie }) =>
    thresholds.some(({ round }) => lie.selectedAt !== null && round >= lie.selectedAt),
  );
  const is = { start, threshold: judged.length > 0, purse: !start && judged.length < gaining.length };
  return (["start", "threshold", "purse"] as const).filter((way) => is[way]);
}

/** All of it in words. */
export function coalitionText(source: string, explanation: CoalitionExplanation): string {
  const { mechanism, truthful, gain, ways, members } = explanation;
  const ids = members.map(({ worker }) => worker);
  const said = ({ bid }: Account) => `${bid.price} at ${bid.arrival}`;
  const got = ({ selectedAt, payment }: Account) =>
    selectedAt === null ? "not selected" : `${brief(payment)} from round ${selectedAt}`;
  const column = columnOf(members);
  const shown = table([
    column("worker", ({ worker }) => String(worker)),
    column("true bid", ({ truth }) => said(truth)),
    column("paid", ({ truth }) => got(truth)),
    column("joint lie", ({ lie }) => said(lie)),
    column("paid then", ({ lie }) => got(lie)),
    column("change", ({ change }) => brief(change)),
  ]);
  const parts = [
    `${source}: workers ${ids.join(", ")}, mechanism ${mechanism}`,
    shown,
    gain > 0
      ? `Together they gain ${brief(gain)} on top of ${brief(difference(truthful, 0, gain))}.`
      : "No joint lie of theirs gains anything.",
  ];
  if (gain > 0)
    parts.push(
      ...members.map(memberText),
      `By ${ways.map((way) => coalitionWays[way]).join(";\nand ")}.`,
      ...causesTable(explanation),
    );
  if (explanation.difference) parts.push(firstDifference(explanation.difference));
  return `${parts.join("\n\n")}\n`;
}

const causeNames: Readonly<Record<keyof JointCauses, string>> = {
  rounds: "its own bid: rounds that only one of the two bids would work, at their price less the cost",
  price: "its own bid: a different price for the rounds that both would work",
  start: "another start of the task",
  partners: "the partners' bids: other prices for the rounds it is then promised",
  budget: "the budget: what it keeps from the truth, less what it keeps from the joint lie",
};

function causesTable({ members, gain }: CoalitionExplanation): string[] {
  if (members.some(({ causes }) => causes === null)) return [];
  const keys = Object.keys(causeNames) as (keyof JointCauses)[];
  const shown = (amount: number) => signed(difference(amount, 0, gain), brief);
  const columns = members.map(({ worker, causes, change }) => ({
    head: `worker ${worker}`,
    cells: [...keys.map((key) => shown(causes![key])), shown(change)],
  }));
  const names = ["", ...keys.map((key) => causeNames[key]), "in all"];
  const rows = table(columns).split("\n");
  return [
    [
      "Where the difference comes from (all but the budget's part as if it had no end):",
      ...rows.map((row, k) => `  ${row}  ${names[k]}`.trimEnd()),
    ].join("\n"),
  ];
}

/** What a member gives up or gets, and whose lie alone would do how much of it. */
function memberText({ worker, change, effects, thresholds }: MemberAccount): string {
  const lost = change < 0 ? `gives up ${brief(-change)}` : "neither gains nor loses";
  const sign = change > 0 ? `gains ${brief(change)}` : lost;
  const parts = effects.map(
    ({ of, amount }) => `${of === worker ? "its own lie" : `the lie of ${of}`} ${brief(amount)}`,
  );
  const value = (threshold: number | null) => (threshold === null ? "none" : brief(threshold));
  const judged = thresholds.map(({ round, truth, lie }) => `round ${round}: ${value(truth)} → ${value(lie)}`);
  return (
    `Worker ${worker} ${sign}; each lie alone would change that by: ${parts.join(", ")}.` +
    (judged.length > 0 ? `\n  The threshold that judges it: ${judged.join(", ")}.` : "")
  );
}
