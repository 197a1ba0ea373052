/**
 * What a program, a notebook or a user's own agent, mechanism or analysis may import from "candor". What is called from
 * outside validates what it is given, once and in the words of the command line; what it calls in turn does not.
 */

import type { AnyAgent } from "./agents/agent.js";
import { type Play, playMarket as playTrusted, validatedAgent } from "./agents/play.js";
import {
  type CoalitionResponses,
  coalitionResponses as coalitionsTrusted,
  type FalseNameResponses,
  falseNameResponses as falseNamesTrusted,
  MOST_NAMES,
} from "./best-response/coalition.js";
import {
  bestResponses as bestResponsesTrusted,
  type Piece,
  pieces as piecesTrusted,
  type Responses,
} from "./best-response/index.js";
import { type InterimResponses, interimResponses as interimTrusted } from "./best-response/interim.js";
import type { SearchOptions } from "./best-response/search.js";
import { type Trial, type TrialSetting, tryAgent as tryTrusted } from "./best-response/trial.js";
import { InputError, type Path, plainError, showValue } from "./lib/errors.js";
import { amountRange, type Bid, isAmount, type Market, type Worker } from "./market/market.js";
import { validateBids, validateMarket } from "./market/parse.js";
import { NotLinear } from "./mechanisms/amounts.js";
import {
  type AnyMechanism,
  hold as holdTrusted,
  type Outcome,
  type StochasticMechanism,
  type TraceSink,
} from "./mechanisms/mechanism.js";
import { online } from "./mechanisms/online.js";
import { type RunRecord, recordRun } from "./mechanisms/outcome.js";
import { validatedMechanism } from "./mechanisms/validate.js";
import {
  nextTask as nextTaskTrusted,
  runTasks as runTasksTrusted,
  type TaskStep,
  type TasksSetting,
  type TasksState,
} from "./training/tasks.js";
import { validatedTrainer } from "./training/trainer.js";
import { type HuntOptions, type HuntReport, hunt as huntTrusted } from "./verdicts/counterexamples/search.js";
import {
  type Keeps,
  type ShrinkOptions,
  type Shrunk,
  shrink as shrinkTrusted,
} from "./verdicts/counterexamples/shrink.js";
import { type ExplainOptions, type Explanation, explain as explainTrusted } from "./verdicts/explain.js";
import {
  type CoalitionExplanation,
  explainCoalition as explainCoalitionTrusted,
} from "./verdicts/explain-coalition.js";
import { type ProvedProperty, provedProperties, settledProperties } from "./verdicts/proofs/program.js";
import { type ProvedClaim, prove as proveTrusted, tooManyArrivals } from "./verdicts/proofs/prove.js";
import { isProvable, plainShape, validateShape, type WrittenShape } from "./verdicts/proofs/shape.js";
import { type CheckOptions, check as checkTrusted, type Verdict } from "./verdicts/properties.js";

/** A mechanism as somebody wrote it. */
type WrittenMechanism = AnyMechanism | StochasticMechanism;

/** Options in which the mechanism, or none, may be one that draws. */
type Written<Options> = Omit<Options, "mechanism"> & { readonly mechanism?: WrittenMechanism };

const trusted = (mechanism: WrittenMechanism = online): AnyMechanism => validatedMechanism(mechanism);

/** Throws unless these are ids of workers in the market. */
function demandIds(
  ids: readonly (number | undefined)[],
  { workers }: Market,
  path: (k: number) => Path,
): void {
  const known = new Set(workers.map(({ id }) => id));
  const at = ids.findIndex((id) => id !== undefined && !known.has(id));
  if (at < 0) return;
  const expected = "the id of a worker in the market";
  throw new InputError({ source: "options", path: path(at), expected, kind: "invalid", got: ids[at] });
}

/** Holds the auction; workers without a bid tell the truth. */
export function hold(
  mechanism: WrittenMechanism,
  market: Market,
  bids: readonly Bid[] = [],
  trace?: TraceSink,
): Outcome {
  const valid = validateMarket(market);
  return holdTrusted(trusted(mechanism), valid, validateBids(bids, valid), trace);
}

/** The auction with everybody's utility: what `candor run --json` prints. */
export function run(
  market: Market,
  {
    mechanism,
    bids = [],
    trace = false,
  }: { mechanism?: WrittenMechanism; bids?: readonly Bid[]; trace?: boolean } = {},
): RunRecord {
  const valid = validateMarket(market);
  return recordRun({
    market: valid,
    mechanism: trusted(mechanism),
    bids: validateBids(bids, valid),
    traced: trace,
  });
}

/** Every worker's best lie, or that of the chosen ones, the others telling the truth. */
export function bestResponses(market: Market, options: Written<Partial<SearchOptions>> = {}): Responses {
  const valid = validateMarket(market);
  demandIds(options.workers ?? [], valid, (k) => ["workers", k]);
  return bestResponsesTrusted(valid, { ...options, mechanism: trusted(options.mechanism) });
}

/** The best lies of workers who do not see the others' bids, and what they gain on draws they were not chosen on. */
export function interimResponses(
  market: Market,
  options: Written<Parameters<typeof interimTrusted>[1]>,
): InterimResponses {
  const valid = validateMarket(market);
  demandIds(options.workers ?? [], valid, (k) => ["workers", k]);
  return interimTrusted(valid, { ...options, mechanism: trusted(options.mechanism) });
}

/** The best joint lies of pairs, or of the given coalitions of two or three, and what they gain together. */
export function coalitionResponses(
  market: Market,
  options: Written<NonNullable<Parameters<typeof coalitionsTrusted>[1]>> = {},
): CoalitionResponses {
  const valid = validateMarket(market);
  for (const [k, members] of (options.coalitions ?? []).entries()) {
    demandIds(members, valid, (place) => ["coalitions", k, place]);
    if (members.length >= 2 && members.length <= 3 && new Set(members).size === members.length) continue;
    const expected = "two or three different workers";
    throw new InputError({
      source: "options",
      path: ["coalitions", k],
      expected,
      kind: "invalid",
      got: members,
    });
  }
  return coalitionsTrusted(valid, { ...options, mechanism: trusted(options.mechanism) });
}

/** The best lies of workers who may also bid under up to two new names, and what all their names gain together. */
export function falseNameResponses(
  market: Market,
  options: Written<Parameters<typeof falseNamesTrusted>[1]>,
): FalseNameResponses {
  const valid = validateMarket(market);
  demandIds(options.workers ?? [], valid, (k) => ["workers", k]);
  const { names, newReputation = 0.5 } = options;
  const demand = (holds: boolean, field: string, expected: string, got: unknown) => {
    if (!holds) throw new InputError({ source: "options", path: [field], expected, kind: "invalid", got });
  };
  demand(
    Number.isInteger(names) && names >= 1 && names <= MOST_NAMES,
    "names",
    `an integer from 1 to ${MOST_NAMES}`,
    names,
  );
  demand(isAmount(newReputation), "newReputation", amountRange, newReputation);
  return falseNamesTrusted(valid, { ...options, mechanism: trusted(options.mechanism) });
}

/** A worker's utility as a function of its price, for every arrival; null where no exact method is known. */
export function pieces(market: Market, worker: number, mechanism?: WrittenMechanism): Piece[] | null {
  const valid = validateMarket(market);
  demandIds([worker], valid, () => ["worker"]);
  return piecesTrusted(valid, worker, trusted(mechanism));
}

/** The verdicts on one market. */
export const check = (market: Market, options: Written<CheckOptions> = {}): Verdict[] =>
  checkTrusted(validateMarket(market), { ...options, mechanism: trusted(options.mechanism) });

/** The truthful and the lying run side by side, and why the lie pays. */
export function explain(market: Market, bid: Bid, options: Written<ExplainOptions> = {}): Explanation {
  const valid = validateMarket(market);
  const [lie] = validateBids([bid], valid);
  return explainTrusted(valid, lie!, { ...options, mechanism: trusted(options.mechanism) });
}

/** Who gives up what for whom in a joint lie, one bid per member, and where each one's change comes from. */
export function explainCoalition(
  market: Market,
  bids: readonly Bid[],
  mechanism?: WrittenMechanism,
): CoalitionExplanation {
  const valid = validateMarket(market);
  return explainCoalitionTrusted(valid, validateBids(bids, valid), trusted(mechanism));
}

/** Searches for a market that breaks a property, and shrinks what it finds. */
export const hunt = (options: HuntOptions): Promise<HuntReport> =>
  huntTrusted({
    ...options,
    target: { ...options.target, mechanism: trusted(options.target.mechanism) },
    known: (options.known ?? []).map((market, k) => validateMarket(market, `known[${k}]`)),
  });

/** The smallest market that steps lead to while something about it stays true, and the worker it is about, if any. */
export const shrink = (market: Market, keeps: Keeps, options: ShrinkOptions = {}): Shrunk =>
  shrinkTrusted(validateMarket(market), keeps, options);

/** The claims settled for all costs and budgets of a shape, and all arrivals unless it fixes them: what `candor prove` does. */
export function prove(
  shape: WrittenShape & { readonly mechanism?: WrittenMechanism },
  properties: readonly ProvedProperty[] = provedProperties,
): ProvedClaim[] {
  const { mechanism: written, ...given } = { ...shape };
  const mechanism = trusted(written);
  const valid = validateShape(given, mechanism);
  const unknown = properties.find((property) => !settledProperties.includes(property));
  if (unknown !== undefined)
    throw plainError(
      "properties",
      `must be among ${settledProperties.join(", ")}, got ${showValue(unknown)}`,
    );
  if (!isProvable(mechanism))
    throw plainError(mechanism.name, "is not written as a text: nothing can be proved");
  try {
    const problem = tooManyArrivals(plainShape(valid));
    if (problem !== null) throw plainError("shape: rounds", `${problem}: fix them with arrivals`);
    return proveTrusted(valid, properties);
  } catch (error) {
    if (error instanceof NotLinear)
      throw plainError(mechanism.name, `${error.message}: nothing can be proved`);
    throw error;
  }
}

/** One trial of an agent per worker, by id, each alone among truthful others. */
export function tryAgent(
  setting: Omit<TrialSetting, "mechanism"> & { readonly mechanism: WrittenMechanism },
): Generator<Trial> {
  const market = validateMarket(setting.market);
  demandIds([setting.worker], market, () => ["worker"]);
  const agent = validatedAgent(setting.agent);
  return tryTrusted({ ...setting, market, agent, mechanism: trusted(setting.mechanism) });
}

const trustedAgents =
  <W>(agents: (worker: W) => AnyAgent | undefined) =>
  (worker: W): AnyAgent | undefined => {
    const agent = agents(worker);
    return agent && validatedAgent(agent);
  };

/** The bids of the workers that have an agent, in the order of the market. */
export const playMarket = (play: Play): Bid[] =>
  playTrusted({
    ...play,
    market: validateMarket(play.market),
    agents: trustedAgents<Worker>(play.agents),
    mechanism: trusted(play.mechanism),
  });

const trustedSetting = (setting: TasksSetting): TasksSetting => ({
  ...setting,
  rules: validateMarket({ rules: setting.rules, workers: [] }, "setting").rules,
  mechanism: trusted(setting.mechanism),
  trainer: validatedTrainer(setting.trainer),
  ...(setting.agents && { agents: trustedAgents(setting.agents) }),
});

/** One task after another, until `count` tasks are over in all. */
export const runTasks = (setting: TasksSetting, count: number, from?: TasksState): AsyncGenerator<TaskStep> =>
  runTasksTrusted(trustedSetting(setting), count, from);

export const nextTask = (setting: TasksSetting, state: TasksState): Promise<TaskStep> =>
  nextTaskTrusted(trustedSetting(setting), state);

export { agentNamed, agents, builtInAgents } from "../agents/index.js";
export type {
  Agent,
  AnyAgent,
  Effort,
  InformedAgent,
  InformedView,
  Lie,
  Offer,
  PastTask,
  Traits,
  View,
} from "./agents/agent.js";
export { tunable, withDelay, withNoise } from "./agents/agent.js";
export { type Correction, type HeldTask, legalBid, type Play, remember } from "./agents/play.js";
export { type Belief, believedMarket, drawnBelief, resampledBelief } from "./best-response/belief.js";
export type {
  CoalitionResponse,
  CoalitionResponses,
  FalseNameResponse,
  FalseNameResponses,
} from "./best-response/coalition.js";
export type { BestLie, Piece, Response, Responses } from "./best-response/index.js";
export type { InterimResponse, InterimResponses } from "./best-response/interim.js";
export type { Trial, TrialSetting } from "./best-response/trial.js";
export { InputError } from "./lib/errors.js";
export type { Options, Settings } from "./lib/options.js";
export { type Stream, stream } from "./lib/random.js";
export { type Estimate, estimate, fittedPower, share } from "./lib/statistics.js";
export { parseMarketCsv } from "./market/csv.js";
export type { Distributions, DrawOptions, DrawScope } from "./market/draw.js";
export { drawMarket, drawMarkets } from "./market/draw.js";
export type { Bid, Bidder, Group, Market, Reading, Rules, Worker } from "./market/market.js";
export { bidders, groupOf, paperRules } from "./market/market.js";
export { parseBids, parseMarket, validateBids, validateMarket } from "./market/parse.js";
export type { Amount, Arithmetic } from "./mechanisms/amounts.js";
export type { Auction, Candidate, Purse, Sample, ShareTerms, Terms } from "./mechanisms/auction.js";
export { written } from "./mechanisms/auction.js";
export { critical } from "./mechanisms/critical.js";
export { mechanismNamed, mechanisms } from "./mechanisms/index.js";
export type {
  Allotment,
  AnyMechanism,
  BudgetEvent,
  InformedBidder,
  InformedMechanism,
  Mechanism,
  Outcome,
  StochasticMechanism,
  Threshold,
  TraceSink,
} from "./mechanisms/mechanism.js";
export { withOptions } from "./mechanisms/mechanism.js";
export { publisherAccount, type Regime, type RunRecord, workerUtility } from "./mechanisms/outcome.js";
export { hireWhileItFits, judgeAcross, playRounds, sidesOf } from "./mechanisms/rounds.js";
export { type TraceEvent, traceText } from "./mechanisms/trace.js";
export type {
  AnalysisResult,
  Cell,
  Chart,
  Choice,
  Column,
  Exhibit,
  Finding,
  MechanismNote,
  Row,
  Table,
} from "./report/result.js";
export {
  amountColumn,
  captions,
  countColumn,
  intervalCells,
  intervalColumns,
  mechanismColour,
  regimeColour,
  shareColumn,
  textColumn,
  tooltipOf,
} from "./report/vocabulary.js";
export type { Analysis, Gathered, Profile } from "./study/analysis.js";
export type {
  Cells,
  DataColumn,
  DataRow,
  DataValue,
  Job,
  JobContext,
  SourcedMarket,
  WorkContext,
} from "./study/job.js";
export { jobByKind, listing } from "./study/job.js";
export { paperPopulation, paperTaskRules, paperTypes, type TaskType } from "./training/population.js";
export { afterTask, type ReputationSettings, reputationSettings } from "./training/reputation.js";
export { surrogate } from "./training/surrogate.js";
export type { TaskRecord, TaskStep, TasksSetting, TasksState } from "./training/tasks.js";
export type { RoundResult, Task, Trainer, Training, WorkerData, Worth } from "./training/trainer.js";
export type { HuntOptions, HuntReport } from "./verdicts/counterexamples/search.js";
export type { Keeps, ShrinkOptions, Shrunk } from "./verdicts/counterexamples/shrink.js";
export type { Account, Explanation, LieKind } from "./verdicts/explain.js";
export type { CoalitionExplanation } from "./verdicts/explain-coalition.js";
export { defineConfig, type GateClaim, type GateConfig } from "./verdicts/gate.js";
export type { ExactWitness } from "./verdicts/proofs/find-witness.js";
export type { ProvedProperty } from "./verdicts/proofs/program.js";
export type { ProvedClaim } from "./verdicts/proofs/prove.js";
export type { WrittenShape } from "./verdicts/proofs/shape.js";
export type { Judgement, PropertyName, Verdict, Witness } from "./verdicts/properties.js";
