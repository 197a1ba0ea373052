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
} from "./agents/agent.js";
export type { Play } from "./agents/play.js";
export { legalBid, playMarket, remember } from "./agents/play.js";
export { withDelay, withNoise } from "./agents/transformers.js";
export { tunable } from "./agents/tunable.js";
export type { BestLie, Piece, Response, Responses } from "./best-response/index.js";
export { bestResponses, pieces } from "./best-response/index.js";
export type { Trial, TrialSetting } from "./best-response/trial.js";
export { tryAgent } from "./best-response/trial.js";
export { InputError } from "./lib/errors.js";
export type { Options, Settings } from "./lib/options.js";
export type { Stream } from "./lib/random.js";
export { stream } from "./lib/random.js";
export type { Estimate } from "./lib/statistics.js";
export { estimate, fittedPower, share } from "./lib/statistics.js";
export type { Distributions, DrawOptions, DrawScope } from "./market/draw.js";
export { drawMarket, drawMarkets } from "./market/draw.js";
export type { Bid, Bidder, Group, Market, Reading, Rules, Worker } from "./market/market.js";
export { bidders, groupOf, paperRules } from "./market/market.js";
export { mechanisms } from "./mechanisms/index.js";
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
} from "./mechanisms/mechanism.js";
export { hold, withOptions } from "./mechanisms/mechanism.js";
export type { TraceEvent } from "./mechanisms/trace.js";
export { traceText } from "./mechanisms/trace-text.js";
export { publisherAccount, workerUtility } from "./mechanisms/utility.js";
export { mechanismNamed } from "./mechanisms/variant.js";
export type { AnalysisResult, Cell, Chart, Column, Exhibit, Finding, Row, Table } from "./report/result.js";
export type { Analysis, AnalysisContext, Pool, Profile } from "./study/analysis.js";
export type { Cells, DataColumn, DataRow, DataValue, Job, JobContext } from "./study/job.js";
export { listing } from "./study/job.js";
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
export type { Account, Explanation, LieKind } from "./verdicts/explain.js";
export { explain } from "./verdicts/explain.js";
export type { Judgement, PropertyName, Verdict, Witness } from "./verdicts/properties.js";
export { check } from "./verdicts/properties.js";
