/** A study: names and parameters that say what to compute, never code. All who know them compute the same. */

import { createHash } from "node:crypto";
import { basename } from "node:path";
import { InputError, oneLine, plainError, showValue, withPlace } from "../lib/errors.js";
import type { AnyJob, Cells, Job, Profile, WorkContext } from "./job.js";
import { rowPack } from "./rows.js";

/** Something named on a command line; a user's file is the same only if its content is. */
export interface Named {
  /** As typed: "online:reading=pseudocode", "./mine.ts". */
  readonly spec: string;
  /** Of the user's file and what it imports beside it; null for what is built in. */
  readonly checksum: string | null;
}

/** What all analyses of one run have in common. */
interface CommonNames {
  /** This program's version and a digest of its code: other code may compute something else. */
  readonly program: string;
  readonly mechanism: Named;
  /** The user's own agents, besides those that are built in. */
  readonly agents: readonly Named[];
  /** The files of the user's own markets. */
  readonly markets: readonly Named[];
  readonly seed: string;
  readonly profile: Profile;
  /** Whether row-level data are wanted. */
  readonly rows: boolean;
}

export interface Study extends CommonNames {
  readonly analysis: Named;
  /** Others that take part in the same survey: their cells are the shared ones of all. */
  readonly sharing?: readonly Named[];
  readonly cells: readonly Cells<unknown>[];
}

/** What the study of a proof says in place of an analysis: its job belongs to none. */
export const PROVE = "prove";

/** What a journal is the journal of. */
export interface RunIdentity extends CommonNames {
  readonly analyses: readonly Named[];
}

/** What sets an earlier run apart from this one, in words; null if nothing does. */
export function headingDifference(earlier: RunIdentity, now: RunIdentity): string | null {
  const difference = differenceOf(earlier, now);
  return difference === null ? null : `belongs to another study: ${difference}`;
}

function differenceOf(earlier: RunIdentity, now: RunIdentity): string | null {
  if (earlier.program !== now.program)
    return `the program has changed from ${earlier.program} to ${now.program}`;
  const specs = (names: readonly Named[]) => names.map(({ spec }) => spec).join(" ") || "none";
  const parts = (heading: RunIdentity): Record<string, string> => ({
    analyses: specs(heading.analyses),
    mechanism: heading.mechanism.spec,
    agents: specs(heading.agents),
    markets: specs(heading.markets),
    seed: heading.seed,
    profile: heading.profile,
    "row-level data": heading.rows ? "yes" : "no",
  });
  const [before, after] = [parts(earlier), parts(now)];
  const other = Object.keys(after).filter((name) => before[name] !== after[name]);
  if (other.length > 0) return other.map((name) => `${name} ${before[name]}, not ${after[name]}`).join(", ");
  const files = ({ analyses, mechanism, agents, markets }: RunIdentity) =>
    [analyses, mechanism, agents, markets].flat();
  const changed = files(now).find(({ checksum }, k) => checksum !== files(earlier)[k]!.checksum);
  return changed === undefined ? null : `${basename(changed.spec)} has changed since`;
}

/** The same for the same study, on every machine. */
export const studyId = (study: Study): string => checksumOf(JSON.stringify(study)).slice(0, 16);

export const checksumOf = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("hex");

/** Markets from..to-1 of one cell. */
interface Span {
  /** Which of the cells. */
  readonly cell: number;
  readonly from: number;
  readonly to: number;
}

/** What is done in one go: markets of one cell, or of several small ones. */
export type Chunk = readonly Span[];

const MILLISECONDS = 500;

/** As a job states it for a market of a cell, in milliseconds. */
export function statedCost<Cell>(job: Pick<Job<Cell, never>, "cost">, cell: Cell): number {
  const cost = job.cost(cell);
  if (typeof cost !== "number" || Number.isNaN(cost))
    throw plainError("job", `cost: must be a number of milliseconds, got ${showValue(cost)}`);
  return Math.max(cost, 1e-6);
}

/** A week's work of one thread, at half a second each; their list alone takes memory. */
const MOST_CHUNKS = 1_000_000;

/** So many markets of this cost go into one chunk. */
const marketsPerChunk = (each: number, milliseconds = MILLISECONDS): number =>
  Math.max(1, Math.floor(milliseconds / each));

/** Before any are listed: others may ask for more than memory can hold. */
function demandFewChunks<Cell>(cells: readonly Cells<Cell>[], job: Pick<Job<Cell, never>, "cost">): void {
  let chunks = 0;
  for (const { cell, markets } of cells)
    if (markets > 0) chunks += markets / marketsPerChunk(statedCost(job, cell));
  if (chunks <= MOST_CHUNKS) return;
  const many = chunks < 1e9 ? String(Math.ceil(chunks)) : chunks.toExponential(0);
  throw plainError("study", `it has about ${many} chunks of markets, and may have ${MOST_CHUNKS}`);
}

/** Depends on the cells alone, never on how fast anything runs: sums are grouped the same way everywhere. */
export function chunksOf<Cell>(cells: readonly Cells<Cell>[], job: Pick<Job<Cell, never>, "cost">): Chunk[] {
  demandFewChunks(cells, job);
  const chunks: Span[][] = [];
  let left = 0;
  for (const [index, { cell, markets }] of cells.entries()) {
    const each = statedCost(job, cell);
    for (let from = 0; from < markets; ) {
      if (left < each || chunks.length === 0) {
        chunks.push([]);
        left = MILLISECONDS;
      }
      const to = Math.min(markets, from + marketsPerChunk(each, left));
      chunks.at(-1)!.push({ cell: index, from, to });
      left -= (to - from) * each;
      from = to;
    }
  }
  return chunks;
}

export const marketsIn = (chunk: Chunk): number => chunk.reduce((sum, { from, to }) => sum + to - from, 0);

/** What a chunk gives back, as text that is the same wherever it was done. */
export interface ChunkResult {
  /** JSON: for each span, the summary of its markets. */
  readonly summaries: string;
  /** Row-level data, packed; null where they are not wanted. */
  readonly rows: string | null;
}

interface Assignment {
  readonly job: AnyJob;
  readonly cells: readonly Cells<unknown>[];
  readonly context: WorkContext;
  /** Whether row-level data are wanted. */
  readonly rows: boolean;
}

/** An error names the chunk; that of a user's file stays an InputError. */
export async function computeChunk(
  assignment: Assignment,
  number: number,
  chunks: readonly Chunk[],
): Promise<ChunkResult> {
  try {
    return await computeSpans(assignment, chunks[number]!);
  } catch (error) {
    if (error instanceof InputError) throw plainError(`chunk ${number}`, error.message);
    throw new Error(`chunk ${number}: ${withPlace(oneLine(error), error)}`);
  }
}

async function computeSpans({ job, cells, context, rows }: Assignment, chunk: Chunk): Promise<ChunkResult> {
  const pack = rows ? rowPack(job.columns ?? []) : null;
  const looking = pack === null ? context : { ...context, keep: pack.keep };
  const summaries: unknown[] = [];
  for (const { cell, from, to } of chunk) {
    let sum = await job.look(cells[cell]!.cell, from, looking);
    for (let k = from + 1; k < to; k++) sum = job.merge(sum, await job.look(cells[cell]!.cell, k, looking));
    summaries.push(sum);
  }
  return { summaries: JSON.stringify(summaries), rows: pack?.packed() ?? null };
}
