/** From names on the command line to analyses: registered ones, or users' own files. */

import { analyses } from "../../analyses/index.js";
import { didYouMean, plainError, showValue } from "../lib/errors.js";
import { parseSettings, type SomeSettings } from "../lib/options.js";
import type { AnyAnalysis } from "../study/analysis.js";
import type { Named } from "../study/study.js";
import { type ExtensionKind, loadExtension, named, splitFile } from "./extension.js";

const registry: Readonly<Record<string, AnyAnalysis>> = analyses;

const analysisKind: ExtensionKind<AnyAnalysis> = {
  noun: "analysis",
  required: { name: "string", question: "string" },
};

const steps = ["settings", "plan", "conclude", "tables", "charts", "findings", "methods"] as const;

/** An analysis and what was set behind its name. */
export interface ChosenAnalysis {
  readonly analysis: AnyAnalysis;
  readonly settings: SomeSettings;
  /** As it can be named again. */
  readonly named: Named;
}

/** Everything that is registered. */
export const allAnalyses = (): ChosenAnalysis[] =>
  Object.values(registry).map((analysis) => ({ analysis, settings: {}, named: named(analysis.name) }));

export async function resolveAnalyses(specs: readonly string[]): Promise<ChosenAnalysis[]> {
  const found = await Promise.all([...new Set(specs)].map(resolveAnalysis));
  const names = found.map(({ analysis }) => analysis.name);
  const twice = names.find((name, k) => names.indexOf(name) !== k);
  if (twice) throw plainError("analyze", `two analyses are called ${showValue(twice)}`);
  return found;
}

/** "landscape", "truthfulness-map:markets=1000", "./mine.ts" or "./mine.ts:markets=1000". */
export async function resolveAnalysis(spec: string): Promise<ChosenAnalysis> {
  const { file, settings } = splitFile(spec);
  // Before it is loaded: what is computed must not be of an older file than what is named.
  const called = named(spec);
  if (file !== null)
    return withSettings(checkedName(await loadExtension(file, analysisKind), file), settings, called);
  const [, name = spec, set] = /^([^:]*):(.*)$/.exec(spec) ?? [];
  if (Object.hasOwn(registry, name)) return withSettings(registry[name]!, set, called);
  const names = Object.keys(registry);
  const known = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
  throw plainError(
    `analysis ${showValue(name)}`,
    `unknown; ${didYouMean(name, names) || `${known}, and files such as ./mine.ts`}`,
  );
}

function withSettings(analysis: AnyAnalysis, text: string | undefined, called: Named): ChosenAnalysis {
  const settings =
    text === undefined ? {} : parseSettings(text, analysis.options ?? {}, `analysis ${analysis.name}`);
  return { analysis, settings, named: called };
}

/** A name becomes a file name and an address in the page. */
function checkedName(analysis: AnyAnalysis, source: string): AnyAnalysis {
  const functions = "job" in analysis ? steps : ["run"];
  for (const field of functions) {
    const got = Reflect.get(analysis, field);
    if (typeof got !== "function")
      throw plainError(source, `is not an analysis: ${field} must be a function, got ${showValue(got)}`);
  }
  if (/^[a-z0-9][a-z0-9-]*$/i.test(analysis.name)) return analysis;
  throw plainError(
    source,
    `name must be letters, digits and hyphens, as in "my-question", got ${showValue(analysis.name)}`,
  );
}
