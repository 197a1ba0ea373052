/** From names on the command line to mechanisms, agents, trainers and analyses: registered ones, or users' own files. */

import { analyses } from "../../analyses/index.js";
import {
  type AgentEntry,
  type AnyAgent,
  isFormula,
  isTunable,
  type Tunable,
  tuned,
} from "../agents/agent.js";
import { type Player, splitPlayer, validatedAgent } from "../agents/play.js";
import { timesAsked } from "../auction/asked.js";
import { type AnyMechanism, needsStream, type StochasticMechanism, withSeed } from "../auction/mechanism.js";
import { plainError, showValue, unknownName } from "../lib/errors.js";
import { parseSettings, type Settings } from "../lib/options.js";
import { askMuch, COPIES, demandAsCopy } from "../mechanisms/copies.js";
import { criticalOf, insideCritical, mechanismNamed, variantOf } from "../mechanisms/index.js";
import { validatedMechanism } from "../mechanisms/validate.js";
import type { Analysis } from "../study/analysis.js";
import type { ChosenAnalysis, Resolver } from "../study/context.js";
import type { SourcedMarket } from "../study/job.js";
import { checksumOf, type Named, PROVE } from "../study/study.js";
import { isFolder } from "../training/datasets.js";
import type { Trainer } from "../training/trainer.js";
import type { TrainerOptions } from "../training/trainers.js";
import { checksumOfExec, execAgent, execMechanism, isExec } from "./exec.js";
import { checksumOfFile, type ExtensionKind, isPath, loadExtension, splitFile } from "./extension.js";
import { readSync } from "./files.js";
import { readMarkets, sourceOf, splitRules } from "./input.js";
import { beforeResults } from "./user-code.js";

const mechanismKind: ExtensionKind<AnyMechanism | StochasticMechanism> = {
  noun: "mechanism",
  required: { name: "string", about: "string", decide: "function" },
};

/** So many variants of a user's mechanism are compared with copies. */
const VARIANTS = 3;

/** "online", "online:reading=pseudocode", "./mine.ts", "./mine.ts:density=0.5", "exec:python3 mine.py" or "critical(…)" of any of them. */
export async function resolveMechanism(spec: string, source = "--mechanism"): Promise<AnyMechanism> {
  const inner = insideCritical(spec);
  if (inner !== null) return criticalOf(await resolveMechanism(inner, source), spec);
  const held = { source: spec, marketNamed: sourceOf };
  if (isExec(spec)) return validatedMechanism(execMechanism(spec), { ...held, elsewhere: true });
  const { file, settings } = splitFile(spec);
  if (file === null) return mechanismNamed(spec, source);
  const load = async (anew: boolean) => {
    const mine = await loadExtension(file, mechanismKind, { anew });
    return variantOf(needsStream(mine) ? withSeed(mine) : mine, settings, source);
  };
  let variants = 0;
  const onMade = (made: AnyMechanism, from: (given: AnyMechanism) => AnyMechanism) => {
    // One that draws has a variant for every seed; they share what their module remembers.
    if (variants++ >= VARIANTS) return;
    let checkedAt = 0;
    beforeResults(async () => {
      if (timesAsked(made) === checkedAt) return;
      askMuch(made);
      for (let k = 0; k < COPIES; k++) {
        const copy = validatedMechanism(from(await load(true)), { ...held, source: file });
        demandAsCopy(file, made, copy, k);
      }
      checkedAt = timesAsked(made);
    });
  };
  return validatedMechanism(await load(false), { ...held, source: file, onMade });
}

/** `overbid`, `overbid:factor=1.5`, `./mine.ts`, `./mine.ts:depth=2`, `exec:python3 liar.py` or `price = 1.2*cost; arrival = arrival + 1`. */
export async function resolveAgent(spec: string): Promise<AnyAgent> {
  if (isExec(spec)) return validatedAgent(execAgent(spec), spec);
  const { file, settings } = isFormula(spec) ? { file: null, settings: undefined } : splitFile(spec);
  if (file !== null) return tuned(await loadAgent(file), file, settings);
  return (await import("../../agents/index.js")).agentNamed(spec, "--agent");
}

/** An agent, and whom it plays: "overbid" all whom no other plays, "overbid@3,7" these two, "overbid@25%" a quarter of all. */
export async function resolvePlayer(spec: string): Promise<Player> {
  const { agent: named, whom } = splitPlayer(spec);
  const agent = await resolveAgent(named);
  return { name: `${agent.name}${spec.slice(named.length)}`, agent, whom };
}

const agentKind: ExtensionKind<AnyAgent, Tunable> = {
  noun: "agent",
  required: { name: "string", about: "string", traits: "object", bid: "function" },
  isFactory: (value): value is Tunable => typeof value === "function" && "options" in value,
};

/** The agent in a file, or the factory of one: with options, as tunable() makes it. */
async function loadAgent(path: string): Promise<AgentEntry> {
  const entry = await loadExtension(path, agentKind);
  if (!isTunable(entry)) return validatedAgent(entry, path);
  return Object.assign((settings?: Partial<Settings>) => validatedAgent(entry(settings), path), {
    options: entry.options,
  });
}

const trainerKind: ExtensionKind<Trainer> = {
  noun: "trainer",
  required: { name: "string", about: "string", start: "function" },
};

/** "tfjs", "tfjs:rate=0.1" or "./mine.ts". */
export async function resolveTrainer(spec: string, given: TrainerOptions): Promise<Trainer> {
  if (!isPath(spec)) return (await import("../training/trainers.js")).trainerNamed(spec, given, "--trainer");
  if (given.concentration !== undefined) throw plainError("--split", "is for --trainer tfjs");
  if (isFolder(given.dataset)) throw plainError("--dataset", "a folder is for --trainer tfjs");
  if (given.folder !== undefined) throw plainError("--data", "is for --trainer tfjs");
  const { validatedTrainer } = await import("../training/trainer.js");
  return validatedTrainer(await loadExtension(spec, trainerKind), spec);
}

/** Everything that is registered. */
export const allAnalyses = (): Promise<ChosenAnalysis[]> => resolveAnalyses(Object.keys(analyses));

export async function resolveAnalyses(specs: readonly string[]): Promise<ChosenAnalysis[]> {
  const found = await Promise.all([...new Set(specs)].map(resolveAnalysis));
  const names = found.map(({ analysis }) => analysis.name);
  const twice = names.find((name, k) => names.indexOf(name) !== k);
  if (twice) throw plainError("analyze", `two analyses are called ${showValue(twice)}`);
  return found;
}

/** "landscape", "truthfulness-map:markets=1000", "./mine.ts" or "./mine.ts:markets=1000". */
async function resolveAnalysis(spec: string): Promise<ChosenAnalysis> {
  const { file, settings } = splitFile(spec);
  // Before it is loaded: what is computed must not be of an older file than what is named.
  const name = named(spec);
  if (file !== null) {
    const mine = checkedAnalysis(await loadExtension(file, analysisKind), file);
    return { ...withSettings(mine, settings, name), builtIn: false };
  }
  const [, key = spec, set] = /^([^:]*):(.*)$/.exec(spec) ?? [];
  if (!Object.hasOwn(analyses, key)) throw unknownName("analyze", key, { names: Object.keys(analyses) });
  return withSettings(await analyses[key]!(), set, name);
}

function withSettings(analysis: Analysis, text: string | undefined, name: Named): ChosenAnalysis {
  const settings =
    text === undefined ? {} : parseSettings(text, analysis.options ?? {}, `analysis ${analysis.name}`);
  return { analysis, settings, builtIn: true, named: name };
}

const analysisKind: ExtensionKind<Analysis> = {
  noun: "analysis",
  required: {
    name: "string",
    question: "string",
    settings: "function",
    plan: "function",
    job: "object",
    conclude: "function",
    tables: "function",
    charts: "function",
    findings: "function",
    methods: "function",
  },
};

/** A name becomes a file name and an address in the page. */
export function checkedAnalysis(analysis: Analysis, source: string): Analysis {
  if (/^[a-z0-9][a-z0-9-]*$/i.test(analysis.name)) return analysis;
  throw plainError(
    source,
    `name must be letters, digits and hyphens, as in "my-question", got ${showValue(analysis.name)}`,
  );
}

/** A user's file, or the files that a command names, are known by their content. */
export function named(spec: string): Named {
  const inner = insideCritical(spec) ?? spec;
  if (isExec(inner)) return { spec, checksum: checksumOfExec(inner) };
  const { file } = splitFile(inner);
  return { spec, checksum: file === null ? null : checksumOfFile(file) };
}

export function namedAgent(spec: string): Named {
  const { agent } = splitPlayer(spec);
  return { spec, checksum: isFormula(agent) ? null : named(agent).checksum };
}

export function namedMarkets(path: string): Named {
  if (path === "-")
    throw plainError("--markets", "must be a file: every thread reads it, and --resume reads it again");
  return { spec: path, checksum: checksumOf(readSync(splitRules(path).file)) };
}

/** All markets of a file, those of a CSV file under the rules behind its name. */
export async function resolveMarkets(path: string): Promise<SourcedMarket[]> {
  const found: SourcedMarket[] = [];
  for await (const market of readMarkets([path], { signal: new AbortController().signal }))
    found.push(market);
  return found;
}

/** What runs in each thread that computes chunks. */
export const THREAD: URL = new URL("./thread.js", import.meta.url);

/** For what computes the chunks of a study. */
export const resolver: Resolver = {
  analysis: async (spec) => {
    if (spec !== PROVE) return resolveAnalysis(spec);
    const { proofJob } = await import("../study/proofs.js");
    return { analysis: { name: PROVE, job: proofJob }, settings: {}, builtIn: true };
  },
  mechanism: (spec) => resolveMechanism(spec),
  player: resolvePlayer,
  markets: resolveMarkets,
  checksum: (kind, spec) => {
    const name = kind === "markets" ? namedMarkets : kind === "agent" ? namedAgent : named;
    return name(spec).checksum;
  },
};
