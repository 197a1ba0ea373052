/**
 * Proofs as a study: the markets of a cell are the pieces of a shape, and their summaries add up to its proof. What is short is
 * computed in this thread, the rest on threads or other machines, with a journal.
 */

import type { AnyMechanism } from "../auction/mechanism.js";
import { type Fraction, parseFraction } from "../lib/fraction.js";
import type { Delay, FirstStepReading, Reading } from "../market/market.js";
import { piecesOf } from "../proofs/prove.js";
import { plainShape, type Shape } from "../proofs/shape.js";
import { mergedSummary, type ProofSummary, pieceSummary } from "../proofs/worst.js";
import { type Archive, compute, inMemory, inProcess, merge } from "./compute.js";
import { workContext } from "./context.js";
import type { Cells, Job, JobContext } from "./job.js";
import { barOn, StudyProgress, type Terminal } from "./progress.js";
import { type Backend, type BackendOptions, withBackend } from "./run-study.js";
import { chunksOf, type Named, PROVE, type Study } from "./study.js";

/** A shape as plain JSON: fractions are text. */
export interface ProofCell {
  /** One of those that the context knows; the one that is examined if null. */
  readonly mechanism: string | null;
  readonly rounds: number;
  readonly reputations: readonly string[];
  /** 0, 1, … if left out. */
  readonly ids?: readonly number[];
  readonly firstRoundRatio: string;
  readonly minWorkers: number;
  readonly reading: Reading;
  readonly firstStep: FirstStepReading;
  readonly delay: Delay;
  /** Null: all there are. */
  readonly arrivals: readonly number[] | null;
  /** Whether it is about two workers who lie together, and about nothing else. */
  readonly pairs?: true;
}

const text = (value: Fraction): string => value.toFraction();

/** A cell with as many markets as the shape has pieces. */
export function proofCells(shape: Shape, mechanism: string | null = null, pairs = false): Cells<ProofCell> {
  const { rounds, reputations, ids, firstRoundRatio, minWorkers, reading } = shape;
  const { firstStep, delay } = shape;
  const cell = {
    mechanism,
    rounds,
    reputations: reputations.map(text),
    ...(ids && { ids }),
    firstRoundRatio: text(firstRoundRatio),
    minWorkers,
    reading,
    firstStep,
    delay,
    arrivals: shape.arrivals ?? null,
    ...(pairs && { pairs: true as const }),
  };
  return { cell, markets: piecesOf(plainShape(shape), pairs).length };
}

export const proofJob: Job<ProofCell, ProofSummary> = {
  look(cell, k, context) {
    const { shape, pieces } = prepared(cell, context);
    return pieceSummary(shape, pieces[k]!);
  },
  merge: mergedSummary,
  // A worker more, or the price of a second liar, makes a piece about seven times as long.
  cost: ({ reputations, pairs }) => 2 * 7 ** (reputations.length - (pairs ? 1 : 2)),
};

const known = new WeakMap<ProofCell, ReturnType<typeof shapeAndPieces>>();

function prepared(cell: ProofCell, context: JobContext) {
  const found = known.get(cell) ?? shapeAndPieces(cell, context);
  known.set(cell, found);
  return found;
}

function shapeAndPieces(cell: ProofCell, context: JobContext) {
  const shape = plainShape(shapeOf(cell, mechanismOf(cell, context)));
  return { shape, pieces: piecesOf(shape, cell.pairs) };
}

function mechanismOf({ mechanism: wanted }: ProofCell, { mechanism, mechanisms }: JobContext): AnyMechanism {
  if (wanted === null) return mechanism;
  const found = mechanisms.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`no mechanism called ${wanted}`);
  return found;
}

/** A cell's shape, for a mechanism. */
export const shapeOf = (cell: ProofCell, mechanism: AnyMechanism): Shape => ({
  mechanism,
  rounds: cell.rounds,
  reputations: cell.reputations.map(parseFraction),
  firstRoundRatio: parseFraction(cell.firstRoundRatio),
  minWorkers: cell.minWorkers,
  reading: cell.reading,
  firstStep: cell.firstStep,
  delay: cell.delay,
  ...(cell.arrivals && { arrivals: cell.arrivals }),
  ...(cell.ids && { ids: cell.ids }),
});

interface ProofStudy {
  /** A cell per shape. */
  readonly cells: readonly Cells<ProofCell>[];
  readonly mechanism: AnyMechanism;
  /** As it was typed. */
  readonly named: Named;
  readonly program: string;
  /** As in "prove --workers 3 --rounds 2": what a journal is the journal of. */
  readonly command: string;
  /** What stands before it. */
  readonly calledAs: string;
  /** The module that runs in threads. */
  readonly entry: URL;
}

type StudyFlags = BackendOptions["flags"];

/** A summary per shape. */
export async function proofSummaries(
  asked: ProofStudy,
  flags: StudyFlags,
  terminal: Terminal,
): Promise<ProofSummary[]> {
  const common = {
    program: asked.program,
    mechanism: asked.named,
    agents: [],
    markets: [],
    seed: "",
    profile: "full",
    rows: false,
  } as const;
  const study: Study = { ...common, analysis: { spec: PROVE, checksum: null }, cells: asked.cells };
  const run = (backend: Backend) => summariesOf(study, asked.mechanism, { backend, terminal });
  if (isShort(asked.cells, flags))
    return run({ executor: inProcess(() => terminal.goesOn()), archive: inMemory() });
  const identity = { ...common, analyses: [{ spec: asked.command, checksum: null }] };
  const advice = `to go on from here: ${asked.calledAs} ${asked.command} --resume`;
  let summaries: ProofSummary[] = [];
  await withBackend({ flags, entry: asked.entry, identity, advice }, terminal, async (backend) => {
    summaries = await run(backend);
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
  { backend, terminal }: { readonly backend: Backend; readonly terminal: Terminal },
): Promise<ProofSummary[]> {
  const { archive, news } = watched(backend.archive);
  const { cells } = study;
  const proofs = { analysis: { name: PROVE, job: proofJob }, settings: {}, builtIn: true };
  const context = await workContext({ ...study, ...proofs, mechanism, agents: [], markets: [] });
  const progress = new StudyProgress([{ name: news, job: proofJob, cells }], barOn(terminal.line));
  progress.begin(0);
  const computed = await compute({
    study,
    job: proofJob,
    context,
    executor: backend.executor,
    archive,
    signal: terminal.signal,
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
