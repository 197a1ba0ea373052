/** What liars do to the model: every population of liars beside the truthful one, unit by unit. */

import { type AnyAgent, isInformed } from "../../src/agents/agent.js";
import { isFast } from "../../src/best-response/index.js";
import type { Estimate } from "../../src/lib/statistics.js";
import type { AnalysisContext } from "../../src/study/analysis.js";
import type { DatasetName } from "../../src/training/datasets.js";
import type { RecordedRuns } from "../../src/training/recordings.js";
import { datasets } from "../shared/paper-tables/paper-tables.js";
import { differenceOf, estimateOf, type Units } from "../shared/paper-tables/readings.js";
import {
  type Casting,
  countedOf,
  type MeasureName,
  measuresOf,
  seriesJob,
  truthfulUnder,
} from "../shared/paper-tables/series.js";

export const effectMeasures = {
  loss: "Loss after the last round",
  accuracy: "Accuracy of the model",
  goodShare: "Share of good workers among the selected",
  spent: "Spent per task",
} as const satisfies Partial<Record<MeasureName, string>>;

export type EffectMeasure = keyof typeof effectMeasures;

/** One population of workers, one measure. */
export interface Effect {
  readonly source: "surrogate" | "recorded";
  readonly dataset: DatasetName;
  /** Null for the truth. */
  readonly agent: string | null;
  readonly part: Casting["part"];
  readonly measure: EffectMeasure;
  readonly level: Estimate;
  /** On top of the truthful population, in the same units; null for the truth itself. */
  readonly change: Estimate | null;
  /** Of the change, by intervals that hold for all populations of the same source and data set together. */
  readonly direction: Direction | null;
}

export type Direction = "higher" | "lower" | "too few to tell";

/** Decided only where the whole interval lies on one side. */
export function directionOf({ low, high }: Estimate): Direction {
  return low > 0 ? "higher" : high < 0 ? "lower" : "too few to tell";
}

/** Those who lie; who needs a search of thousands of lies for every bid is left out. */
export const liarsOf = ({ agents, mechanism }: Pick<AnalysisContext, "agents" | "mechanism">): AnyAgent[] =>
  agents.filter((agent) => agent.traits.lies.length > 0 && (!isInformed(agent) || isFast(mechanism)));

type Values = Readonly<Record<EffectMeasure, number | null>>;

/** A population and what was measured of it in each unit. */
interface Population extends Pick<Effect, "source" | "dataset" | "agent" | "part"> {
  readonly units: readonly Values[];
  /** Which task or seed each unit is. */
  readonly at: readonly number[];
}

/** Under the surrogate: the truth first, then every liar, played by all and by half. */
export async function surrogateEffects(
  context: AnalysisContext,
  { seeds, tasks }: { readonly seeds: number; readonly tasks: number },
): Promise<Effect[]> {
  const truth = truthfulUnder(context.mechanism.name);
  const castings = [
    truth,
    ...liarsOf(context).flatMap(({ name }) =>
      (["all", "half"] as const).map((part): Casting => ({ ...truth, agent: name, part })),
    ),
  ];
  const cells = datasets.map((dataset) => ({ cell: { dataset, tasks, castings }, markets: seeds }));
  const found = await context.pool.gather(seriesJob, cells);
  return datasets.flatMap((dataset, at) =>
    effectsOf(
      castings.map(({ agent, part }, k) => {
        const units = (found[at] ?? []).map((means) => means[k]!);
        return { source: "surrogate", dataset, agent, part, units, at: [...units.keys()] };
      }),
    ),
  );
}

/** Trained for real once: units are tasks. */
export const recordedEffects = ({ dataset, runs }: RecordedRuns): Effect[] =>
  effectsOf(
    runs.map(({ agent, tasks }) => ({
      source: "recorded",
      dataset: dataset as DatasetName,
      agent,
      part: "all",
      units: countedOf(tasks).map(measuresOf),
      at: countedOf(tasks).map(({ task }) => task),
    })),
  );

function effectsOf(populations: readonly Population[]): Effect[] {
  const truth = populations.find(({ agent }) => agent === null);
  const together = Math.max(1, populations.length - 1);
  return populations.flatMap((population) =>
    (Object.keys(effectMeasures) as EffectMeasure[]).map((measure): Effect => {
      const { source, dataset, agent, part } = population;
      const mine = valuesOf(population, measure);
      const about = { source, dataset, agent, part, measure, level: estimateOf(mine) };
      if (truth === undefined || agent === null) return { ...about, change: null, direction: null };
      const honest = valuesOf(truth, measure);
      const direction = directionOf(differenceOf(mine, honest, together));
      return { ...about, change: differenceOf(mine, honest), direction };
    }),
  );
}

const valuesOf = ({ units, at }: Population, measure: EffectMeasure): Units => ({
  values: units.map((unit) => unit[measure]),
  at,
});
