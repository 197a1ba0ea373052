/** The work of `prove` as a study: in this thread where it is short, else on threads or other machines, with a journal. */

import { join } from "node:path";

import { type Archive, gather, type Reached } from "../study/gather.js";
import type { Cells } from "../study/job.js";
import { type ProofCell, proofJob } from "../study/proof-job.js";
import { chunksOf, type Study } from "../study/study.js";
import { mergedSummary, type Summary } from "../verdicts/proofs/worst.js";
import { alone, type Crew, type CrewFlags, crewFor } from "./crew.js";
import { named } from "./extension.js";
import { proving } from "./prepare.js";
import { program } from "./program.js";
import type { Session } from "./session.js";

export interface ProofStudy {
  /** A cell per shape. */
  readonly cells: readonly Cells<ProofCell>[];
  /** The mechanism as it was named. */
  readonly mechanism: string;
  /** As in "prove --workers 3 --rounds 2": what a journal is the journal of. */
  readonly command: string;
}

/** A summary per shape. */
export async function proofSummaries(
  asked: ProofStudy,
  flags: CrewFlags,
  session: Session,
): Promise<Summary[]> {
  const mechanism = named(asked.mechanism);
  const spec = { spec: proving.name, checksum: null };
  const fixed = { program: program(), mechanism, seed: "", profile: "full", rows: false } as const;
  const study: Study = { ...fixed, analysis: spec, job: "pieces", cells: asked.cells };
  if (isShort(asked.cells, flags)) return gathered(study, alone(session), session);
  const heading = { ...fixed, analyses: [{ spec: asked.command, checksum: null }] };
  const crew = await crewFor(flags, heading, session);
  const advice = `to go on from here: ${session.calledAs} ${asked.command} --resume`;
  session.keeps(join(flags.out, "journal.jsonl"), advice);
  let finished = false;
  try {
    const summaries = await gathered(study, crew, session);
    finished = true;
    return summaries;
  } finally {
    if (!finished && crew.resumable()) session.warn(advice);
    await crew.close(finished);
  }
}

/** Fewer chunks, of half a second each, are done before threads have started. */
const FEW_CHUNKS = 4;

const isShort = (cells: readonly Cells<ProofCell>[], { threads, resume, redis }: CrewFlags): boolean =>
  threads === undefined && !resume && redis === undefined && chunksOf(cells, proofJob).length <= FEW_CHUNKS;

async function gathered(study: Study, crew: Crew, session: Session): Promise<Summary[]> {
  const gauge = session.gauge();
  const { archive, news } = watched(crew.archive);
  const tell = ({ items, share, begins = false }: Reached) =>
    gauge.show({ done: share, what: news(), items, unit: "items", begins });
  const summaries = await gather(study, proofJob, { ...crew, archive, tell, signal: session.signal });
  gauge.clear();
  return summaries as Summary[];
}

/** An archive that also tells what the chunks kept so far have found. */
function watched(archive: Archive): { archive: Archive; news: () => string } {
  let sum: Summary = {};
  return {
    archive: {
      has: (study, chunk) => archive.has(study, chunk),
      read: (study, chunk) => archive.read(study, chunk),
      keep: async (study, chunk, result) => {
        sum = (JSON.parse(result.summaries) as Summary[]).reduce(mergedSummary, sum);
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
