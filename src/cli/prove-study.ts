/** The work of `prove` as a study: in this thread where it is short, else on threads or other machines, with a journal. */

import type { AnyMechanism } from "../mechanisms/mechanism.js";
import { type Archive, compute, inMemory, merge } from "../study/compute.js";
import { workContext } from "../study/context.js";
import { inProcess } from "../study/executor.js";
import type { Cells } from "../study/job.js";
import { StudyProgress } from "../study/progress.js";
import { type ProofCell, proofJob } from "../study/proof-job.js";
import { type Means, type MeansOptions, withMeans } from "../study/run-study.js";
import { chunksOf, type Study } from "../study/study.js";
import { mergedSummary, type ProofSummary } from "../verdicts/proofs/worst.js";
import { program } from "./program.js";
import { named, PROVE, THREAD } from "./resolve.js";
import type { Session } from "./session.js";

export interface ProofStudy {
  /** A cell per shape. */
  readonly cells: readonly Cells<ProofCell>[];
  readonly mechanism: AnyMechanism;
  /** As it was typed. */
  readonly mechanismSpec: string;
  /** As in "prove --workers 3 --rounds 2": what a journal is the journal of. */
  readonly command: string;
}

type StudyFlags = MeansOptions["flags"];

/** A summary per shape. */
export async function proofSummaries(
  asked: ProofStudy,
  flags: StudyFlags,
  session: Session,
): Promise<ProofSummary[]> {
  const common = {
    program: program(),
    mechanism: named(asked.mechanismSpec),
    agents: [],
    markets: [],
    seed: "",
    profile: "full",
    rows: false,
  } as const;
  const study: Study = { ...common, analysis: { spec: PROVE, checksum: null }, cells: asked.cells };
  const run = (means: Means) => summariesOf(study, asked.mechanism, { means, session });
  if (isShort(asked.cells, flags))
    return run({ executor: inProcess(() => session.goesOn()), archive: inMemory() });
  const heading = { ...common, analyses: [{ spec: asked.command, checksum: null }] };
  const advice = `to go on from here: ${session.calledAs} ${asked.command} --resume`;
  let summaries: ProofSummary[] = [];
  await withMeans({ flags, entry: THREAD, heading, advice }, session, async (means) => {
    summaries = await run(means);
    return true;
  });
  return summaries;
}

/** Fewer chunks, of half a second each, are done before threads have started. */
const FEW_CHUNKS = 4;

const isShort = (cells: readonly Cells<ProofCell>[], { threads, resume, redis }: StudyFlags): boolean =>
  threads === undefined && !resume && redis === undefined && chunksOf(cells, proofJob).length <= FEW_CHUNKS;

async function summariesOf(
  study: Study,
  mechanism: AnyMechanism,
  { means, session }: { readonly means: Means; readonly session: Session },
): Promise<ProofSummary[]> {
  const { archive, news } = watched(means.archive);
  const { cells } = study;
  const analysis = { name: PROVE, job: proofJob };
  const context = workContext({ ...study, analysis, settings: {}, mechanism, agents: [], markets: [] });
  const progress = new StudyProgress([{ name: news, job: proofJob, cells }], session.gauge());
  progress.begin(0);
  const computed = await compute({
    study,
    job: proofJob,
    context,
    executor: means.executor,
    archive,
    signal: session.signal,
    onChunk: (chunk, found) => progress.add(chunk, found),
  });
  progress.clear();
  return (await merge(proofJob, cells, computed)) as ProofSummary[];
}

/** An archive that also tells what the chunks kept so far have found. */
function watched(archive: Archive): { archive: Archive; news: () => string } {
  let sum: ProofSummary = {};
  return {
    archive: {
      has: (study, chunk) => archive.has(study, chunk),
      read: (study, chunk) => archive.read(study, chunk),
      keep: async (study, chunk, result) => {
        sum = (JSON.parse(result.summaries) as ProofSummary[]).reduce(mergedSummary, sum);
        await archive.keep(study, chunk, result);
      },
    },
    news: () => {
      const known = Object.values(sum);
      const cells = known.reduce((total, one) => total + one.cells, 0);
      return `${cells} cells, ${known.filter(({ at }) => at !== null).length} claims broken so far`;
    },
  };
}
