/** Recorded runs, and the surrogate's runs of the same seeds: the same workers, costs and arrivals under both trainers. */

import { stream } from "../../../src/lib/random.js";
import type { AnyMechanism } from "../../../src/mechanisms/mechanism.js";
import type { Pool } from "../../../src/study/analysis.js";
import type { DatasetName } from "../../../src/training/datasets.js";
import type { RecordedRuns } from "../../../src/training/recordings.js";
import { surrogate } from "../../../src/training/surrogate.js";
import type { Lines } from "./readings.js";
import { linesOf, settingOf, truthfulUnder } from "./series.js";

export interface Twins {
  readonly recorded: readonly Lines[];
  readonly surrogate: readonly Lines[];
}

/** Of those runs in which all tell the truth, under mechanisms that are known. */
export async function twinsOf(
  tables: Readonly<Record<DatasetName, RecordedRuns>>,
  { mechanisms, pool }: { readonly mechanisms: readonly AnyMechanism[]; readonly pool: Pick<Pool, "map"> },
): Promise<Twins> {
  const runs = (Object.keys(tables) as DatasetName[]).flatMap((dataset) =>
    tables[dataset].runs
      .filter(({ agent, mechanism }) => agent === null && mechanisms.some(({ name }) => name === mechanism))
      .map((run) => ({ ...run, dataset })),
  );
  const lines = await pool.map(runs, ({ dataset, mechanism, seed, tasks }) => {
    const setting = settingOf(truthfulUnder(mechanism), { mechanisms, agents: [] }, stream(seed));
    return linesOf({ ...setting, trainer: surrogate({ dataset }) }, tasks.length);
  });
  return {
    recorded: runs.map(({ dataset, mechanism, tasks }) => ({ dataset, auction: mechanism, lines: tasks })),
    surrogate: runs.map(({ dataset, mechanism }, k) => ({ dataset, auction: mechanism, lines: lines[k]! })),
  };
}
