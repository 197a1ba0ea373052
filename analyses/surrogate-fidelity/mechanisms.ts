/** Whether both trainers put mechanisms into the same order: from whole runs of tasks, recorded and by the surrogate. */

import { mean } from "d3-array";
import { rounded } from "../../src/lib/format.js";
import { kendall } from "../../src/lib/statistics.js";
import type { Finding, Table } from "../../src/report/result.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { titles } from "./scenes.js";

/** Losses of the tasks that one mechanism has selected workers for, one after another. */
export interface Run {
  readonly dataset: DatasetName;
  readonly mechanism: string;
  readonly losses: readonly number[];
}

export interface Runs {
  readonly recorded: readonly Run[];
  readonly surrogate: readonly Run[];
}

/** The mean loss of a mechanism under both trainers; several runs of one count together. */
interface Pair {
  readonly dataset: DatasetName;
  readonly mechanism: string;
  readonly recorded: number;
  readonly surrogate: number;
  readonly tasks: number;
}

const key = ({ dataset, mechanism }: Run): string => `${dataset} ${mechanism}`;

/** Mechanisms with runs under both. */
export function pairsOf({ recorded, surrogate }: Runs): Pair[] {
  const all = (runs: readonly Run[], wanted: Run) =>
    runs.filter((run) => key(run) === key(wanted)).flatMap(({ losses }) => losses);
  const firsts = recorded.filter((run, k) => recorded.findIndex((other) => key(other) === key(run)) === k);
  return firsts.flatMap((run) => {
    const [real, model] = [all(recorded, run), all(surrogate, run)];
    if (real.length === 0 || model.length === 0) return [];
    const { dataset, mechanism } = run;
    return [{ dataset, mechanism, recorded: mean(real)!, surrogate: mean(model)!, tasks: real.length }];
  });
}

const byLoss = (pairs: readonly Pair[], who: "recorded" | "surrogate"): string[] =>
  pairs.toSorted((a, b) => a[who] - b[who]).map(({ mechanism }) => mechanism);

export function mechanismTable(pairs: readonly Pair[]): Table {
  const rows = pairs.map((pair) => {
    const rivals = pairs.filter(({ dataset }) => dataset === pair.dataset);
    const place = (who: "recorded" | "surrogate") => byLoss(rivals, who).indexOf(pair.mechanism) + 1;
    return {
      dataset: titles[pair.dataset],
      auction: pair.mechanism,
      tasks: pair.tasks,
      recorded: rounded(pair.recorded),
      surrogate: rounded(pair.surrogate),
      recordedPlace: place("recorded"),
      surrogatePlace: place("surrogate"),
    };
  });
  return {
    name: "mechanisms",
    title: "Mean loss under each mechanism: real training and the surrogate",
    columns: [
      { name: "dataset", label: "Data set", kind: "text" },
      { name: "auction", label: "Mechanism", kind: "text" },
      { name: "tasks", label: "Tasks, real", kind: "count" },
      { name: "recorded", label: "Mean loss, real", kind: "amount" },
      { name: "surrogate", label: "Mean loss, surrogate", kind: "amount" },
      { name: "recordedPlace", label: "Place, real", kind: "count" },
      { name: "surrogatePlace", label: "Place, surrogate", kind: "count" },
    ],
    rows,
  };
}

/** One sentence per data set with two mechanisms or more. */
export function orderFindings(pairs: readonly Pair[]): Finding[] {
  return [...new Set(pairs.map(({ dataset }) => dataset))].flatMap((dataset) => {
    const own = pairs.filter((pair) => pair.dataset === dataset);
    if (own.length < 2) return [];
    const [real, model] = [byLoss(own, "recorded"), byLoss(own, "surrogate")];
    const tau = kendall(own.map(({ recorded, surrogate }) => [recorded, surrogate]));
    const same = real.join() === model.join();
    const told = same
      ? `the same order of mechanisms by mean loss, ${real.join(" < ")}`
      : `mechanisms by mean loss in the order ${real.join(" < ")} in real training, ${model.join(" < ")} by the surrogate`;
    const text = `${titles[dataset]}: ${told} (Kendall's tau ${tau.toFixed(2)}, ${own.length} mechanisms).`;
    return [{ text, weight: same ? 24 : 40 }];
  });
}
