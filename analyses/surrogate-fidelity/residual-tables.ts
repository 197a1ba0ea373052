/** The tables of how far off the surrogate is, and where. */

import { mean } from "d3-array";
import { rounded } from "../../src/lib/format.js";
import type { Row, Table } from "../../src/report/result.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { errorsOf, type Replayed, residualsOf, testsOf } from "../../src/training/surrogate-fit.js";
import { datasetsOf, regions, type Scene, setNames, titles } from "./scenes.js";
import { amount, count, share, text } from "./tables.js";

export function residualTable(scenes: readonly Scene[]): Table {
  const rows = datasetsOf(scenes).flatMap((dataset) =>
    setNames.flatMap((set) => {
      const chosen = scenes.filter((scene) => scene.dataset === dataset && scene.set === set);
      return chosen.length === 0 ? [] : [residualRow(dataset, set, chosen)];
    }),
  );
  return {
    name: "residuals",
    title: "How far the surrogate is from real training",
    columns: [
      text("dataset", "Data set"),
      text("set", "Set"),
      count("tasks", "Tasks"),
      amount("loss", "Loss off by (root mean square)"),
      amount("bias", "Loss too high by, on average"),
      amount("worst", "Loss off by at most"),
      amount("accuracy", "Accuracy off by (root mean square)"),
      amount("cosine", "Cosine off by (root mean square)"),
      count("tests", "Quality tests"),
      share("same", "Tests that end the same"),
      share("order", "Pairs of different workers whose gains are in the same order"),
    ],
    rows,
  };
}

function residualRow(dataset: DatasetName, set: string, scenes: readonly Scene[]): Row {
  const { tasks, loss, accuracy, cosine, tests, order } = residualsOf(scenes.map(({ rounds }) => rounds));
  const losses = { loss: rounded(loss.rmse), bias: rounded(loss.bias), worst: rounded(loss.worst) };
  const others = { accuracy: rounded(accuracy.rmse), cosine: rounded(cosine.rmse) };
  const shares = { tests: tests.n, same: rounded(tests.same), order: rounded(order.same) };
  return { dataset: titles[dataset], set, tasks, ...losses, ...others, ...shares };
}

/** Errors by region, over all recorded tasks. */
export function regionTable(scenes: readonly Scene[]): Table {
  const rows = datasetsOf(scenes).flatMap((dataset) => {
    const rounds = scenes.filter((scene) => scene.dataset === dataset).flatMap((scene) => scene.rounds);
    return Object.entries(regions).flatMap(([by, some]) =>
      some.flatMap(([region, has]) => {
        const own = rounds.filter(has);
        return own.length === 0 ? [] : [regionRow({ dataset, by, region }, own)];
      }),
    );
  });
  return {
    name: "regions",
    title: "Where the surrogate is off",
    columns: [
      text("dataset", "Data set"),
      text("by", "By"),
      text("region", "Where"),
      count("rounds", "Rounds"),
      amount("loss", "Loss off by (root mean square)"),
      amount("bias", "Loss too high by, on average"),
      share("relative", "Loss off by, relative to it"),
      count("tests", "Quality tests"),
      share("same", "Tests that end the same"),
    ],
    rows,
  };
}

function regionRow(
  { dataset, by, region }: { dataset: DatasetName; by: string; region: string },
  rounds: readonly Replayed[],
): Row {
  const loss = errorsOf(rounds.map(({ surrogate, recorded }) => [surrogate.loss, recorded.loss]));
  const tests = rounds.filter(({ workers }) => workers.length > 1).flatMap(testsOf);
  return {
    dataset: titles[dataset],
    by,
    region,
    rounds: rounds.length,
    loss: rounded(loss.rmse),
    bias: rounded(loss.bias),
    relative: rounded(loss.rmse / mean(rounds.map(({ recorded }) => recorded.loss))!),
    tests: tests.length,
    same: tests.length === 0 ? null : rounded(mean(tests.map((same) => (same ? 1 : 0)))!),
  };
}
