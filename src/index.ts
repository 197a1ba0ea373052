/** What a program, a notebook or a user's own agent, mechanism or analysis may import from "candor". */

export { agents, builtInAgents } from "../agents/index.js";
export type {
  Agent,
  AnyAgent,
  InformedAgent,
  InformedView,
  Lie,
  Offer,
  PastTask,
  Traits,
  View,
} from "./agent.js";
export type {
  Analysis,
  AnalysisContext,
  AnalysisResult,
  Cell,
  Chart,
  Column,
  Exhibit,
  Finding,
  Pool,
  Profile,
  Row,
  Table,
} from "./analysis.js";
export type { BestLie, Piece, Response, Responses } from "./best-response/index.js";
export { bestResponses, pieces } from "./best-response/index.js";
export type { Distributions, DrawOptions, DrawScope } from "./draw.js";
export { drawMarket, drawMarkets } from "./draw.js";
export { InputError } from "./errors.js";
export type { Account, Explanation, LieKind } from "./explain.js";
export { explain } from "./explain.js";
export type { Cells, DataColumn, DataRow, DataValue, Job, JobContext } from "./job.js";
export { listing } from "./job.js";
export type { Bid, Bidder, Group, Market, Reading, Rules, Worker } from "./market.js";
export { bidders, groupOf, paperRules } from "./market.js";
export type {
  Allotment,
  AnyMechanism,
  BudgetEvent,
  InformedBidder,
  InformedMechanism,
  Mechanism,
  Outcome,
  Threshold,
  TraceSink,
} from "./mechanism.js";
export { hold, withOptions } from "./mechanism.js";
export { mechanisms } from "./mechanisms/index.js";
export { mechanismNamed } from "./mechanisms/variant.js";
export type { Options, Settings } from "./options.js";
export type { Play } from "./play.js";
export { legalBid, playMarket, remember } from "./play.js";
export type { Judgement, PropertyName, Verdict, Witness } from "./properties.js";
export { check } from "./properties.js";
export type { Stream } from "./random.js";
export { stream } from "./random.js";
export type { Estimate } from "./statistics.js";
export { estimate, fittedPower, share } from "./statistics.js";
export type { TraceEvent } from "./trace.js";
export { traceText } from "./trace-text.js";
export type { TaskType } from "./training/population.js";
export { paperPopulation, paperTaskRules, paperTypes } from "./training/population.js";
export type { ReputationSettings } from "./training/reputation.js";
export { afterTask, reputationSettings } from "./training/reputation.js";
export type { TaskRecord } from "./training/task-record.js";
export type { HeldTask, TaskStep, TasksSetting, TasksState } from "./training/tasks.js";
export { nextTask, runTasks } from "./training/tasks.js";
export type { RoundResult, Task, Trainer, Training, WorkerData, Worth } from "./training/trainer.js";
export type { TrainerOptions } from "./training/trainers.js";
export { trainerNamed } from "./training/trainers.js";
export { withDelay, withNoise } from "./transformers.js";
export type { Trial, TrialSetting } from "./trial.js";
export { tryAgent } from "./trial.js";
export { tunable } from "./tunable.js";
export { publisherAccount, workerUtility } from "./utility.js";
