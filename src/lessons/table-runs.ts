/** What an analysis of one of the paper's tables has computed: under the surrogate, and trained for real. */

import type { AnalysisContext, Finding } from "../analysis.js";
import { list } from "../comparison/words.js";
import type { DatasetName } from "../training/files.js";
import { paperTaskRules } from "../training/population.js";
import { recordedTables } from "../training/recorded-runs.js";
import { againCells, lacking, liveJob, strayOf } from "./live.js";
import { datasets, datasetTitles, type PaperTable, paperFive } from "./paper-tables.js";
import { type Reading, readTasks } from "./readings.js";
import { seriesJob, truthfulUnder } from "./series.js";

export async function surrogateReadings(
  { measures }: PaperTable,
  { mechanisms, pool }: AnalysisContext,
  { seeds, tasks }: { readonly seeds: number; readonly tasks: number },
): Promise<Reading[]> {
  const castings = mechanisms.map(({ name }) => truthfulUnder(name));
  const cells = datasets.map((dataset) => ({ cell: { dataset, tasks, castings }, markets: seeds }));
  const found = await pool.gather(seriesJob, cells);
  return datasets.flatMap((dataset, at) =>
    castings.flatMap(({ auction }, k) =>
      measures.map(({ name }): Reading => {
        const values = (found[at] ?? []).map((means) => means[k]![name]);
        return { source: "surrogate", dataset, auction, measure: name, values, unit: "seed" };
      }),
    ),
  );
}

interface Live {
  readonly readings: readonly Reading[];
  readonly leftOut: readonly string[];
}

/** The paper's tasks on both data sets, as far as they are installed. */
export async function liveReadings(
  table: PaperTable,
  { pool, mechanisms }: AnalysisContext,
  tasks: number,
): Promise<Live> {
  if (tasks === 0) return { readings: [], leftOut: [] };
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
  return { readings, leftOut: missing };
}

interface Again {
  readonly findings: readonly Finding[];
  readonly leftOut: readonly string[];
}

/** Whether real training gives what was recorded: the first rounds of recorded runs on MNIST, trained again. */
export async function trainedAgain({ pool, mechanisms }: AnalysisContext, rounds: number): Promise<Again> {
  const recorded = recordedTables.mnist;
  const cells = againCells(recorded, "mnist", rounds).filter(({ auction }) =>
    mechanisms.some(({ name }) => name === auction),
  );
  if (rounds === 0 || cells.length === 0) return { findings: [], leftOut: [] };
  const { missing } = await installed(["mnist"]);
  if (missing.length > 0) return { findings: [], leftOut: missing };
  const found = await pool.gather(
    liveJob,
    cells.map((cell) => ({ cell, markets: 1 })),
  );
  const lines = found.map((tasks) => tasks![0]![0]!);
  const text = againText(cells, { rounds, stray: strayOf(recorded, cells, lines) });
  return { findings: [{ text, weight: 25 }], leftOut: [] };
}

function againText(
  cells: readonly { readonly auction: string }[],
  { rounds, stray }: { readonly rounds: number; readonly stray: number },
): string {
  const first = rounds === 1 ? "The first round" : `The first ${rounds} rounds`;
  const names = list(cells.map(({ auction }) => auction));
  const differ =
    stray < 1e-9
      ? "the very losses that were recorded"
      : `losses within ${stray.toPrecision(1)} of the recorded ones`;
  return `${first} of the first recorded task on ${datasetTitles.mnist} under ${names}, trained again for real in this run: ${differ}.`;
}

async function installed(wanted: readonly DatasetName[]) {
  const lacks = await Promise.all(wanted.map(async (dataset) => ({ dataset, why: await lacking(dataset) })));
  return {
    ready: lacks.filter(({ why }) => why === null).map(({ dataset }) => dataset),
    missing: lacks.flatMap(({ why }) => (why === null ? [] : [why])),
  };
}
