/** From a study, which is but names and parameters, to whoever does its chunks: the same on every thread and machine. */

import { oneLine, plainError } from "../lib/errors.js";
import type { AnyAnalysis } from "../study/analysis.js";
import type { AnyJob } from "../study/job.js";
import { type ChunkResult, chunksOf, type Named, perform, type Study } from "../study/study.js";
import { resolveAnalysis } from "./analyses.js";
import { named } from "./extension.js";
import { resolveMechanism } from "./mechanism.js";
import { workContext } from "./work-context.js";

/** Does the chunk of this number; an error names it. */
export type Doer = (chunk: number) => Promise<ChunkResult>;

export async function prepare(study: Study): Promise<Doer> {
  for (const name of [study.analysis, study.mechanism]) checkSame(name);
  const chosen = await resolveAnalysis(study.analysis.spec);
  const mechanism = await resolveMechanism(study.mechanism.spec);
  const job = jobOf(chosen.analysis, study);
  const { cells, rows } = study;
  const context = workContext({ ...study, ...chosen, mechanism });
  const chunks = chunksOf(cells, job);
  return async (number) => {
    try {
      return await perform({ job, cells, context, rows }, chunks[number]!);
    } catch (error) {
      throw new Error(`chunk ${number}: ${oneLine(error)}`);
    }
  };
}

function jobOf(analysis: AnyAnalysis, study: Study): AnyJob {
  if ("job" in analysis) return analysis.job;
  const { jobs = {} } = analysis;
  if (Object.hasOwn(jobs, study.job)) return jobs[study.job]!;
  throw plainError(study.analysis.spec, `has no job called ${study.job}`);
}

/** A user's file must be the one that the study was begun with. */
export function checkSame({ spec, checksum }: Named): void {
  if (named(spec).checksum === checksum) return;
  throw plainError(spec, "is not the same file as the one the study was begun with");
}
