/** The tables of the surrogate's fidelity. */

import { mean } from "d3-array";
import { rounded } from "../../src/lib/format.js";
import type { Column, Row, Table } from "../../src/report/result.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { type Replayed, testsOf } from "../../src/training/surrogate-fit.js";
import { bandNames, bandOfTask, datasetsOf, type Scene, titles } from "./scenes.js";

export const text = (name: string, label: string): Column => ({ name, label, kind: "text" });
export const count = (name: string, label: string): Column => ({ name, label, kind: "count" });
export const amount = (name: string, label: string): Column => ({ name, label, kind: "amount" });
export const share = (name: string, label: string): Column => ({ name, label, kind: "share" });

/** Means over tasks of the same band, round by round. */
export function curveTable(scenes: readonly Scene[]): Table {
  const rows = datasetsOf(scenes).flatMap((dataset) =>
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
    rounded(mean(rounds.map((round) => round[who][what]))!);
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
      rounded(mean(updates.map((one) => one[who] * one.workers))!);
    const passed = (who: "recorded" | "surrogate") => mean(updates.map((one) => (one[who] >= 0 ? 1 : 0)))!;
    const same = mean(updates.map((one) => (one.same ? 1 : 0)))!;
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
