/** The tables of the surrogate's fidelity. */

import type { Column, Row, Table } from "../../src/analysis.js";
import { rounded } from "../../src/survey/words.js";
import type { DatasetName } from "../../src/training/files.js";
import type { Replayed } from "../../src/training/surrogate/replay.js";
import { errorsOf, residualsOf, testsOf } from "../../src/training/surrogate/residuals.js";
import { bandNames, bandOfTask, mean, regions, type Scene, setNames, titles } from "./scenes.js";

const text = (name: string, label: string): Column => ({ name, label, kind: "text" });
const count = (name: string, label: string): Column => ({ name, label, kind: "count" });
const amount = (name: string, label: string): Column => ({ name, label, kind: "amount" });
const share = (name: string, label: string): Column => ({ name, label, kind: "share" });

const inSets = (scenes: readonly Scene[]): DatasetName[] => [
  ...new Set(scenes.map(({ dataset }) => dataset)),
];

/** Means over tasks of the same band, round by round. */
export function curveTable(scenes: readonly Scene[]): Table {
  const rows = inSets(scenes).flatMap((dataset) =>
    bandNames.flatMap((band) => {
      const own = scenes.filter((scene) => scene.dataset === dataset && bandOfTask(scene) === band);
      const rounds = own[0]?.rounds.map((_, k) => own.map((scene) => scene.rounds[k]!)) ?? [];
      return rounds.map((round) => curveRow(dataset, band, round));
    }),
  );
  return {
    name: "curves",
    title: "Loss and accuracy by round and share of right labels: real training and the surrogate",
    columns: [
      text("dataset", "Data set"),
      text("band", "Right labels in the task"),
      count("round", "Round"),
      count("tasks", "Tasks"),
      amount("recorded", "Loss, real"),
      amount("surrogate", "Loss, surrogate"),
      share("recordedAccuracy", "Accuracy, real"),
      share("surrogateAccuracy", "Accuracy, surrogate"),
    ],
    rows,
  };
}

function curveRow(dataset: DatasetName, band: string, rounds: readonly Replayed[]): Row {
  const of = (who: "recorded" | "surrogate", what: "loss" | "accuracy") =>
    rounded(mean(rounds.map((round) => round[who][what])));
  return {
    dataset: titles[dataset],
    band,
    round: rounds[0]!.round,
    tasks: rounds.length,
    recorded: of("recorded", "loss"),
    surrogate: of("surrogate", "loss"),
    recordedAccuracy: of("recorded", "accuracy"),
    surrogateAccuracy: of("surrogate", "accuracy"),
  };
}

/** One row per task and accuracy of workers: gains are means over rounds, times the number of workers. */
export function gainTable(scenes: readonly Scene[]): Table {
  return {
    name: "gains",
    title: "What workers of an accuracy were worth in each recorded task, and by the surrogate",
    columns: [
      text("dataset", "Data set"),
      text("task", "Task"),
      text("set", "Set"),
      text("mix", "Workers of 1.0 : 0.7 : 0.4 : 0.1"),
      amount("accuracy", "Accuracy of labels"),
      amount("recorded", "Gain × workers, real"),
      amount("surrogate", "Gain × workers, surrogate"),
      share("recordedPass", "Tests passed, real"),
      share("surrogatePass", "Tests passed, surrogate"),
      count("tests", "Tests"),
      share("same", "End the same"),
    ],
    rows: scenes.flatMap(gainRows),
  };
}

const CLASSES = [1, 0.7, 0.4, 0.1];

function gainRows({ dataset, task, set, rounds }: Scene): Row[] {
  const crowds = rounds.filter(({ workers }) => workers.length > 1);
  const mix = CLASSES.map((one) => task.accuracies.filter((accuracy) => accuracy === one).length).join(" : ");
  return CLASSES.flatMap((accuracy) => {
    const updates = crowds.flatMap((round) => updatesOf(round).filter((one) => one.accuracy === accuracy));
    if (updates.length === 0) return [];
    const gain = (who: "recorded" | "surrogate") =>
      rounded(mean(updates.map((one) => one[who] * one.workers)));
    const passed = (who: "recorded" | "surrogate") => mean(updates.map((one) => (one[who] >= 0 ? 1 : 0)));
    const same = mean(updates.map((one) => (one.same ? 1 : 0)));
    const head = { dataset: titles[dataset], task: task.seed, set, mix, accuracy };
    const gains = { recorded: gain("recorded"), surrogate: gain("surrogate") };
    const passes = { recordedPass: passed("recorded"), surrogatePass: passed("surrogate") };
    return [{ ...head, ...gains, ...passes, tests: updates.length, same }];
  });
}

const updatesOf = (round: Replayed) => {
  const same = testsOf(round);
  return round.workers.map(({ accuracy }, k) => ({
    accuracy,
    workers: round.workers.length,
    recorded: round.recorded.gains[k]!,
    surrogate: round.surrogate.gains[k]!,
    same: same[k]!,
  }));
};

export function residualTable(scenes: readonly Scene[]): Table {
  const rows = inSets(scenes).flatMap((dataset) =>
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
  const rows = inSets(scenes).flatMap((dataset) => {
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
    relative: rounded(loss.rmse / mean(rounds.map(({ recorded }) => recorded.loss))),
    tests: tests.length,
    same: tests.length === 0 ? null : rounded(mean(tests.map((same) => (same ? 1 : 0)))),
  };
}
