/** What an analysis of one of the paper's tables has computed: under the surrogate, and trained for real. */

import { listed } from "../../../src/lib/format.js";
import type { Finding } from "../../../src/report/result.js";
import type { AnalysisContext } from "../../../src/study/analysis.js";
import type { DatasetName } from "../../../src/training/datasets.js";
import { paperTaskRules } from "../../../src/training/population.js";
import { recordedTables } from "../../../src/training/recordings.js";
import { trustedCastings } from "./first-reputation.js";
import { againCells, lacking, liveJob, strayOf } from "./live.js";
import { datasets, datasetTitles, type PaperTable, paperFive } from "./paper-tables.js";
import { type Reading, readTasks } from "./readings.js";
import { type Casting, seriesJob, truthfulUnder } from "./series.js";

export interface SurrogateReadings {
  readonly usual: readonly Reading[];
  /** With another first reputation. */
  readonly trusted: readonly Reading[];
}

export async function surrogateReadings(
  { measures }: PaperTable,
  { mechanisms, pool }: AnalysisContext,
  { seeds, tasks }: { readonly seeds: number; readonly tasks: number },
): Promise<SurrogateReadings> {
  const names = mechanisms.map(({ name }) => name);
  const castings = [...names.map(truthfulUnder), ...trustedCastings(names)];
  const cells = datasets.map((dataset) => ({ cell: { dataset, tasks, castings }, markets: seeds }));
  const found = await pool.gather(seriesJob, cells);
  const readingsOf = (wanted: (casting: Casting) => boolean): Reading[] =>
    datasets.flatMap((dataset, cell) =>
      castings.flatMap((casting, k) =>
        (wanted(casting) ? measures : []).map(({ name }): Reading => {
          const values = (found[cell] ?? []).map((means) => means[k]![name]);
          const about = { dataset, auction: casting.auction, measure: name };
          return { source: "surrogate", ...about, values, at: [...values.keys()], unit: "seed" };
        }),
      ),
    );
  return {
    usual: readingsOf(({ start }) => start === null),
    trusted: readingsOf(({ start }) => start !== null),
  };
}

interface Live {
  readonly readings: readonly Reading[];
  readonly methods: readonly string[];
}

/** The paper's tasks on both data sets, as far as they are installed. */
export async function liveReadings(
  table: PaperTable,
  { pool, mechanisms }: AnalysisContext,
  tasks: number,
): Promise<Live> {
  if (tasks === 0) return { readings: [], methods: [] };
  const { ready, missing } = await installed(datasets);
  const names = paperFive.filter((name) => mechanisms.some((mechanism) => mechanism.name === name));
  const cells = ready.flatMap((dataset) =>
    names.map((auction) => ({ dataset, auction, tasks, rounds: paperTaskRules.rounds, seed: null })),
  );
  const found = await pool.gather(
    liveJob,
    cells.map((cell) => ({ cell, markets: 1 })),
  );
  const readings = cells.flatMap((cell, k) => readTasks(table, "live", { ...cell, lines: found[k]![0]! }));
  return { readings, methods: missing };
}

interface Again {
  readonly findings: readonly Finding[];
  readonly methods: readonly string[];
}

/** Whether real training gives what was recorded: the first tasks of some recorded runs on MNIST, trained again. */
export async function trainedAgain({ pool, mechanisms }: AnalysisContext, count: number): Promise<Again> {
  const recorded = recordedTables.mnist;
  const runs = recorded.runs.filter(({ mechanism }) => mechanisms.some(({ name }) => name === mechanism));
  const cells = againCells({ ...recorded, runs }, "mnist", count);
  if (cells.length === 0) return { findings: [], methods: [] };
  const { missing } = await installed(["mnist"]);
  if (missing.length > 0) return { findings: [], methods: missing };
  const found = await pool.gather(
    liveJob,
    cells.map((cell) => ({ cell, markets: 1 })),
  );
  const lines = found.map((tasks) => tasks![0]![0]!);
  const text = againText(cells, strayOf(recorded, cells, lines));
  return { findings: [{ text, weight: 25 }], methods: [] };
}

function againText(cells: readonly { readonly auction: string }[], stray: number): string {
  const names = listed(cells.map(({ auction }) => auction));
  const differ =
    stray < 1e-9
      ? "the very losses that were recorded"
      : `losses within ${stray.toPrecision(1)} of the recorded ones`;
  return `The first recorded task on ${datasetTitles.mnist} under ${names}, trained again for real in this run: ${differ}.`;
}

async function installed(wanted: readonly DatasetName[]) {
  const lacks = await Promise.all(wanted.map(async (dataset) => ({ dataset, why: await lacking(dataset) })));
  return {
    ready: lacks.filter(({ why }) => why === null).map(({ dataset }) => dataset),
    missing: lacks.flatMap(({ why }) => (why === null ? [] : [why])),
  };
}
