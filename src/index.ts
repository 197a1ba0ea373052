/**
 * What a program, a notebook or a user's own agent, mechanism or analysis may import from "candor". What is called from
 * outside validates what it is given, once and in the words of the command line; what it calls in turn does not.
 */

import type { AnyAgent } from "./agents/agent.js";
import * as play from "./agents/play.js";
import { NotLinear } from "./auction/amounts.js";
import { defineMechanism } from "./auction/define-mechanism.js";
import type { Mechanism } from "./auction/mechanism.js";
import * as holding from "./auction/mechanism.js";
import type { Program } from "./auction/program.js";
import { recordRun } from "./auction/run-record.js";
import { InputError, type Path, plainError, showValue } from "./lib/errors.js";
import { renamed } from "./lib/renamed.js";
import { amountRange, type Bid, isAmount, type Market, type Worker } from "./market/market.js";
import { validateBids, validateMarket } from "./market/parse.js";
import { online } from "./mechanisms/online/online.js";
import { validatedMechanism } from "./mechanisms/validate.js";
import { type ProvedProperty, provedProperties, settledProperties } from "./proofs/program.js";
import * as proofs from "./proofs/prove.js";
import { isProvable, plainShape, validateShape, type WrittenShape } from "./proofs/shape.js";
import { rankedFindings } from "./report/vocabulary.js";
import * as coalition from "./responses/coalition.js";
import * as responses from "./responses/index.js";
import * as interim from "./responses/interim.js";
import type { SearchOptions } from "./responses/search.js";
import * as trial from "./responses/trial.js";
import { collectJob } from "./study/job.js";
import * as tasks from "./training/tasks.js";
import { validatedTrainer } from "./training/trainer.js";
import * as search from "./verdicts/counterexamples/search.js";
import * as shrinking from "./verdicts/counterexamples/shrink.js";
import * as explaining from "./verdicts/explain.js";
import * as joint from "./verdicts/explain-coalition.js";
import * as verdicts from "./verdicts/properties.js";

/** A mechanism as somebody wrote it. */
type WrittenMechanism = holding.AnyMechanism | holding.StochasticMechanism;

/** Options in which the mechanism, or none, may be one that draws. */
type Written<Options> = Omit<Options, "mechanism"> & { readonly mechanism?: WrittenMechanism };

const trusted = (mechanism: WrittenMechanism = online): holding.AnyMechanism => validatedMechanism(mechanism);

function demand(holds: boolean, path: Path, expected: string, got: unknown): void {
  if (!holds) throw new InputError({ source: "options", path, expected, kind: "invalid", got });
}

/** Throws unless these are ids of workers in the market. */
function demandIds({ workers }: Market, ids: readonly number[], path: (k: number) => Path): void {
  const known = new Set(workers.map(({ id }) => id));
  for (const [k, id] of ids.entries()) demand(known.has(id), path(k), "the id of a worker in the market", id);
}

/**
 * A function for callers outside: `check` turns what they give into what the function is called with, or throws an InputError.
 * What a function calls in turn is not checked again.
 */
const validated =
  <Given extends readonly unknown[], Valid extends readonly unknown[], Result>(
    check: (...given: Given) => readonly [...Valid],
    call: (...valid: Valid) => Result,
  ) =>
  (...given: Given): Result =>
    call(...check(...given));

/** The market and what was asked about it, checked. */
function checked<Asked extends { mechanism?: WrittenMechanism; workers?: readonly number[] | undefined }>(
  market: Market,
  asked: Asked,
): [Market, Asked & { readonly mechanism: holding.AnyMechanism }] {
  const valid = validateMarket(market);
  demandIds(valid, asked.workers ?? [], (k) => ["workers", k]);
  return [valid, { ...asked, mechanism: trusted(asked.mechanism) }];
}

/** Runs the auction; workers without a bid tell the truth. */
export const runAuction = validated(
  (
    mechanism: WrittenMechanism,
    market: Market,
    bids: readonly Bid[] = [],
    trace?: holding.TraceSink,
  ): Parameters<typeof holding.runAuction> => {
    const valid = validateMarket(market);
    return [trusted(mechanism), valid, validateBids(bids, valid), trace];
  },
  holding.runAuction,
);

/** The auction with everybody's utility: what `candor run --json` prints. */
export const run = validated(
  (
    market: Market,
    options: { mechanism?: WrittenMechanism; bids?: readonly Bid[]; trace?: boolean } = {},
  ): Parameters<typeof recordRun> => {
    const [valid, { mechanism, bids = [], trace = false }] = checked(market, options);
    return [{ market: valid, mechanism, bids: validateBids(bids, valid), traced: trace }];
  },
  recordRun,
);

/** Every worker's best lie, or that of the chosen ones, the others telling the truth. */
export const bestResponses = validated(
  (market: Market, options: Written<Partial<SearchOptions>> = {}) => checked(market, options),
  responses.bestResponses,
);

/** The best lies of workers who do not see the others' bids, and what they gain on draws they were not chosen on. */
export const interimResponses = validated(
  (market: Market, options: Written<interim.InterimOptions>) => checked(market, options),
  interim.interimResponses,
);

/** The best joint lies of pairs, or of the given coalitions of two or three, and what they gain together. */
export const coalitionResponses = validated(
  (market: Market, options: Written<coalition.CoalitionOptions> = {}) => {
    const [valid, asked] = checked(market, options);
    for (const [k, members] of (options.coalitions ?? []).entries()) {
      demandIds(valid, members, (place) => ["coalitions", k, place]);
      const fits = members.length >= 2 && members.length <= 3 && new Set(members).size === members.length;
      demand(fits, ["coalitions", k], "two or three different workers", members);
    }
    return [valid, asked] as const;
  },
  coalition.coalitionResponses,
);

/** The best lies of workers who may also bid under up to two new names, and what all their names gain together. */
export const falseNameResponses = validated(
  (market: Market, options: Written<coalition.FalseNameOptions>) => {
    const { MOST_NAMES } = coalition;
    const { names, newReputation = 0.5 } = options;
    const few = Number.isInteger(names) && names >= 1 && names <= MOST_NAMES;
    const [valid, asked] = checked(market, options);
    demand(few, ["names"], `an integer from 1 to ${MOST_NAMES}`, names);
    demand(isAmount(newReputation), ["newReputation"], amountRange, newReputation);
    return [valid, asked] as const;
  },
  coalition.falseNameResponses,
);

/** A worker's utility as a function of its price, for every arrival; null where no exact method is known. */
export const pieces = validated(
  (market: Market, worker: number, mechanism?: WrittenMechanism): Parameters<typeof responses.pieces> => {
    const valid = validateMarket(market);
    demandIds(valid, [worker], () => ["worker"]);
    return [valid, worker, trusted(mechanism)];
  },
  responses.pieces,
);

/** The verdicts on one market. */
export const check = validated(
  (market: Market, options: Written<verdicts.CheckOptions> = {}) => checked(market, options),
  verdicts.check,
);

/** The truthful and the lying run side by side, and why the lie pays. */
export const explain = validated(
  (
    market: Market,
    bid: Bid,
    options: Written<explaining.ExplainOptions> = {},
  ): Parameters<typeof explaining.explain> => {
    const [valid, asked] = checked(market, options);
    return [valid, validateBids([bid], valid)[0]!, asked];
  },
  explaining.explain,
);

/** Who gives up what for whom in a joint lie, one bid per member, and where each one's change comes from. */
export const explainCoalition = validated(
  (
    market: Market,
    bids: readonly Bid[],
    mechanism?: WrittenMechanism,
  ): Parameters<typeof joint.explainCoalition> => {
    const valid = validateMarket(market);
    return [valid, validateBids(bids, valid), trusted(mechanism)];
  },
  joint.explainCoalition,
);

/** Searches for a market that breaks a property, and shrinks what it finds. */
export const hunt = validated(
  (options: search.HuntOptions): [search.HuntOptions] => [
    {
      ...options,
      target: { ...options.target, mechanism: trusted(options.target.mechanism) },
      known: (options.known ?? []).map((market, k) => validateMarket(market, `known[${k}]`)),
    },
  ],
  search.hunt,
);

/** The smallest market that steps lead to while something about it stays true, and the worker it is about, if any. */
export const shrink = validated(
  (
    market: Market,
    keeps: shrinking.Keeps,
    options: shrinking.ShrinkOptions = {},
  ): Parameters<typeof shrinking.shrink> => [validateMarket(market), keeps, options],
  shrinking.shrink,
);

/** The claims settled for all costs and budgets of a shape, and all arrivals unless it fixes them: what `candor prove` does. */
export const prove = validated(
  (
    shape: WrittenShape & { readonly mechanism?: WrittenMechanism },
    properties: readonly ProvedProperty[] = provedProperties,
  ) => {
    const { mechanism: written, ...given } = { ...shape };
    const mechanism = trusted(written);
    const valid = validateShape(given, mechanism);
    const unknown = properties.find((property) => !settledProperties.includes(property));
    if (unknown !== undefined)
      throw plainError(
        "properties",
        `must be among ${settledProperties.join(", ")}, got ${showValue(unknown)}`,
      );
    if (!isProvable(mechanism)) throw plainError(mechanism.name, "has no program: nothing can be proved");
    return [valid, properties] as const;
  },
  (shape, properties): proofs.ProvedClaim[] => {
    try {
      const problem = proofs.tooManyArrivals(plainShape(shape));
      if (problem !== null) throw plainError("shape: rounds", `${problem}: fix them with arrivals`);
      return proofs.prove(shape, properties);
    } catch (error) {
      if (error instanceof NotLinear)
        throw plainError(shape.mechanism.name, `${error.message}: nothing can be proved`);
      throw error;
    }
  },
);

/** One trial of an agent per worker, by id, each alone among truthful others. */
export const tryAgent = validated(
  (
    setting: Omit<trial.TrialSetting, "mechanism"> & { readonly mechanism: WrittenMechanism },
  ): Parameters<typeof trial.tryAgent> => {
    const market = validateMarket(setting.market);
    if (setting.worker !== undefined) demandIds(market, [setting.worker], () => ["worker"]);
    const agent = play.validatedAgent(setting.agent);
    return [{ ...setting, market, agent, mechanism: trusted(setting.mechanism) }];
  },
  trial.tryAgent,
);

const trustedAgents =
  <W>(agents: (worker: W) => AnyAgent | undefined) =>
  (worker: W): AnyAgent | undefined => {
    const agent = agents(worker);
    return agent && play.validatedAgent(agent);
  };

/** The bids of the workers that have an agent, in the order of the market. */
export const playMarket = validated(
  (played: play.Play): [play.Play] => [
    {
      ...played,
      market: validateMarket(played.market),
      agents: trustedAgents<Worker>(played.agents),
      mechanism: trusted(played.mechanism),
    },
  ],
  play.playMarket,
);

const trustedSetting = (setting: tasks.TasksSetting): tasks.TasksSetting => ({
  ...setting,
  rules: validateMarket({ rules: setting.rules, workers: [] }, "setting").rules,
  mechanism: trusted(setting.mechanism),
  trainer: validatedTrainer(setting.trainer),
  ...(setting.agents && { agents: trustedAgents(setting.agents) }),
});

/** One task after another, until `count` tasks are over in all. */
export const runTasks = validated(
  (
    setting: tasks.TasksSetting,
    count: number,
    from?: tasks.TasksState,
  ): Parameters<typeof tasks.runTasks> => [trustedSetting(setting), count, from],
  tasks.runTasks,
);

export const nextTask = validated(
  (setting: tasks.TasksSetting, state: tasks.TasksState): Parameters<typeof tasks.nextTask> => [
    trustedSetting(setting),
    state,
  ],
  tasks.nextTask,
);

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
export { defineMechanism };

/** The old name of `runAuction`. */
export const hold = renamed("hold", "runAuction", runAuction);

/** The old name of `defineMechanism`, in which the program was called `text`. */
export const written = renamed(
  "written",
  "defineMechanism",
  ({ text, ...mechanism }: Omit<Mechanism, "decide" | "program"> & { readonly text: Program }): Mechanism =>
    defineMechanism({ ...mechanism, program: text }),
);

/** The old name of `rankedFindings`. */
export const weighed = renamed("weighed", "rankedFindings", rankedFindings);

/** The old name of `collectJob`. */
export const listing = renamed("listing", "collectJob", collectJob);

export { type Correction, type HeldTask, legalBid, type Play, remember } from "./agents/play.js";
export type { Amount, Arithmetic } from "./auction/amounts.js";
export type { Auction, Candidate, Purse, Sample, ShareTerms, Terms } from "./auction/auction.js";
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
} from "./auction/mechanism.js";
export { withOptions } from "./auction/mechanism.js";
export { publisherAccount, type Regime, workerUtility } from "./auction/outcome.js";
export { hireWhileItFits, judgeAcross, playRounds, sidesOf } from "./auction/rounds.js";
export type { RunRecord } from "./auction/run-record.js";
export { type TraceEvent, traceText } from "./auction/trace.js";
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
export { critical } from "./mechanisms/critical.js";
export { mechanismNamed, mechanisms } from "./mechanisms/index.js";
export type { ProvedProperty } from "./proofs/program.js";
export type { ProvedClaim } from "./proofs/prove.js";
export type { WrittenShape } from "./proofs/shape.js";
export type { ExactWitness } from "./proofs/witness.js";
export type { Judgement, PropertyName, Witness } from "./properties/properties.js";
export {
  type Accumulator,
  accumulators,
  type Breakdown,
  by,
  type Dimension,
  type Label,
  type Measure,
  mergeAll,
  type ShownBreakdown,
  together,
} from "./report/accumulators.js";
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
export { axis, captions, colour, column, marks, rankedFindings, tableOf } from "./report/vocabulary.js";
export { type Belief, believedMarket, drawnBelief, resampledBelief } from "./responses/belief.js";
export type {
  CoalitionResponse,
  CoalitionResponses,
  FalseNameResponse,
  FalseNameResponses,
} from "./responses/coalition.js";
export type { BestLie, Piece, Response, Responses } from "./responses/index.js";
export type { InterimResponse, InterimResponses } from "./responses/interim.js";
export type { Trial, TrialSetting } from "./responses/trial.js";
export type { Analysis, Gathered, Profile } from "./study/analysis.js";
export { defineAnalysis } from "./study/define-analysis.js";
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
export { collectJob, jobByKind } from "./study/job.js";
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
export type { Verdict } from "./verdicts/properties.js";
