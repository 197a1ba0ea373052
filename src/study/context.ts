/** What an analysis and its job know, made the same way wherever they run. */

import type { AnyAgent } from "../agents/agent.js";
import { type Player, playersOf } from "../agents/play.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import { plainError, showValue } from "../lib/errors.js";
import type { SomeSettings } from "../lib/options.js";
import { stream } from "../lib/random.js";
import { comparedEverywhere, comparedOrFrontier } from "../mechanisms/index.js";
import type { Analysis } from "./analysis.js";
import type { AnyJob, Profile, SourcedMarket, WorkContext } from "./job.js";
import { type ChunkResult, chunksOf, computeChunk, type Named, type Study } from "./study.js";
import { type AnySurveyJob, isSurveyJob, sharedJob } from "./survey.js";

/** An analysis and what was set behind its name. */
export interface ChosenAnalysis {
  readonly analysis: Analysis;
  readonly settings: SomeSettings;
  readonly builtIn: boolean;
  /** As it can be named again. */
  readonly named: Named;
}

/** As much of an analysis as its chunks need. */
type Computable = Pick<Analysis, "name" | "job" | "takesMarkets" | "takesAgents">;

/** The same of a chosen analysis. */
type ChosenJob = Pick<ChosenAnalysis, "settings" | "builtIn"> & { readonly analysis: Computable };

/** Finds what a study names: built in, or in a file of the user's own. */
export interface Resolver {
  analysis(spec: string): Promise<ChosenJob>;
  mechanism(spec: string): Promise<AnyMechanism>;
  player(spec: string): Promise<Player>;
  markets(path: string): Promise<SourcedMarket[]>;
  /** As it is now. */
  checksum(kind: NameKind, spec: string): string | null;
}

type NameKind = "analysis" | "mechanism" | "agent" | "markets";

interface Chosen extends ChosenJob {
  readonly seed: string;
  readonly profile: Profile;
  readonly mechanism: AnyMechanism;
  /** The user's own, besides those that are built in. */
  readonly agents: readonly Player[];
  readonly markets: readonly SourcedMarket[];
}

export async function workContext(chosen: Chosen): Promise<WorkContext> {
  const { analysis, settings, builtIn, seed, profile, mechanism, ...own } = chosen;
  const { name } = isSurveyJob(analysis.job) ? analysis.job.survey : analysis;
  const withOurs = (known: readonly AnyMechanism[]) =>
    known.includes(mechanism) ? known : [mechanism, ...known];
  return {
    stream: stream(seed).fork(name),
    profile,
    options: settings,
    mechanism,
    mechanisms: withOurs(comparedEverywhere),
    allMechanisms: withOurs(comparedOrFrontier),
    agents: builtIn && !analysis.takesAgents ? [] : await allAgents(own.agents),
    population: own.agents.filter(({ whom }) => whom !== "others"),
    markets: analysis.takesMarkets ? own.markets : [],
  };
}

/** Those that are built in, then the user's own: their names tell their results apart. Who plays some workers only may be known. */
export async function allAgents(own: readonly Player[]): Promise<AnyAgent[]> {
  const { builtInAgents } = await import("../../agents/index.js");
  const known = [
    ...builtInAgents(),
    ...own.filter(({ whom }) => whom === "others").map(({ agent }) => agent),
  ];
  const names = known.map(({ name }) => name);
  const twice = names.find((name, k) => names.indexOf(name) !== k);
  if (twice !== undefined)
    throw plainError("--agent", `there is already an agent called ${showValue(twice)}`);
  // Whether a population makes sense is checked before the size of its market is known.
  const population = own.filter(({ whom }) => whom !== "others");
  playersOf(population, [...Array(100).keys()], stream(0));
  const some = new Map(own.map(({ agent }) => [agent.name, agent]));
  return [...known, ...[...some.values()].filter(({ name }) => !names.includes(name))];
}

/** Computes the chunk of this number; an error names it. */
export type ComputeChunk = (chunk: number) => Promise<ChunkResult>;

/** From a study, which is but names and parameters, to what computes its chunks. */
export async function prepareStudy(study: Study, resolver: Resolver): Promise<ComputeChunk> {
  checkNames(study, resolver);
  const chosen = await resolver.analysis(study.analysis.spec);
  const others = await Promise.all((study.sharing ?? []).map(({ spec }) => resolver.analysis(spec)));
  const job = jobOf([chosen, ...others].map(({ analysis }) => analysis));
  const context = await workContext({
    ...study,
    ...chosen,
    mechanism: await resolver.mechanism(study.mechanism.spec),
    agents: await Promise.all(study.agents.map(({ spec }) => resolver.player(spec))),
    markets: (await Promise.all(study.markets.map(({ spec }) => resolver.markets(spec)))).flat(),
  });
  const { cells, rows } = study;
  const chunks = chunksOf(cells, job);
  return (number) => computeChunk({ job, cells, context, rows }, number, chunks);
}

/** The job of one analysis, or that of all who take part in a survey. */
export function jobOf(analyses: readonly Pick<Analysis, "name" | "job">[]): AnyJob {
  const [first, ...others] = analyses;
  if (others.length === 0) return first!.job;
  return sharedJob(Object.fromEntries(analyses.map(({ name, job }) => [name, job as AnySurveyJob])));
}

/** All that a study names. */
export const namesOf = ({
  analysis,
  sharing = [],
  mechanism,
  agents,
  markets,
}: Study): (Named & {
  kind: NameKind;
})[] => [
  ...[analysis, ...sharing].map((one) => ({ kind: "analysis" as const, ...one })),
  { kind: "mechanism", ...mechanism },
  ...agents.map((agent) => ({ kind: "agent" as const, ...agent })),
  ...markets.map((file) => ({ kind: "markets" as const, ...file })),
];

/** A user's file must be the one that the study was begun with. */
export function checkNames(study: Study, resolver: Resolver): void {
  for (const { kind, spec, checksum } of namesOf(study))
    if (resolver.checksum(kind, spec) !== checksum)
      throw plainError(spec, "is not the same file as the one the study was begun with");
}
