/** From names on the command line to analyses: registered ones, or users' own files. */

import { analyses } from "../../analyses/index.js";
import type { Analysis } from "../analysis.js";
import { plainError, showValue } from "../errors.js";
import { didYouMean } from "../suggest.js";
import { type ExtensionKind, isPath, loadExtension } from "./extension.js";

const registry: Readonly<Record<string, Analysis>> = analyses;

const analysisKind: ExtensionKind<Analysis> = {
  noun: "analysis",
  required: { name: "string", question: "string", run: "function" },
};

/** Everything that is registered. */
export const allAnalyses = (): Analysis[] => Object.values(registry);

export async function resolveAnalyses(names: readonly string[]): Promise<Analysis[]> {
  const found = await Promise.all([...new Set(names)].map(resolveAnalysis));
  const twice = found.find(({ name }, k) => found.findIndex((other) => other.name === name) !== k);
  if (twice) throw plainError("analyze", `two analyses are called ${showValue(twice.name)}`);
  return found;
}

async function resolveAnalysis(name: string): Promise<Analysis> {
  if (isPath(name)) return checkedName(await loadExtension(name, analysisKind), name);
  if (Object.hasOwn(registry, name)) return registry[name]!;
  const names = Object.keys(registry);
  const known = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
  throw plainError(
    `analysis ${showValue(name)}`,
    `unknown; ${didYouMean(name, names) || `${known}, and files such as ./mine.ts`}`,
  );
}

/** A name becomes a file name and an address in the page. */
export function checkedName(analysis: Analysis, source: string): Analysis {
  if (/^[a-z0-9][a-z0-9-]*$/i.test(analysis.name)) return analysis;
  throw plainError(
    source,
    `name must be letters, digits and hyphens, as in "my-question", got ${showValue(analysis.name)}`,
  );
}
