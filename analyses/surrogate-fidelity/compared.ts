/** Recorded tasks beside what the surrogate makes of them: how far off it is, where, and what updates are worth. */

import { mean } from "d3-array";
import type { DatasetName } from "../../src/training/datasets.js";
import type { RecordedCurves, RecordedTask } from "../../src/training/recordings.js";
import type { Parameters } from "../../src/training/surrogate.js";
import { errorsOf, type Replayed, replay, residualsOf, testsOf } from "../../src/training/surrogate-fit.js";
import { datasets, datasetTitles } from "../shared/training.js";

/** From those that the fit has seen to those least like them. */
const setNames = ["fitted", "held out", "even mix", "paper's mix"] as const;

function setOf({ design, heldOut }: RecordedTask): (typeof setNames)[number] {
  if (design === "random") return heldOut ? "held out" : "fitted";
  return design === "even" ? "even mix" : "paper's mix";
}

/** Recorded tasks and what the surrogate, without its noise, makes of them. */
export const comparedTasks = (dataset: DatasetName, recording: RecordedCurves, parameters: Parameters) =>
  recording.tasks.map((task) => {
    return { dataset, task, set: setOf(task), rounds: replay(task, recording.settings, parameters) };
  });

export type ComparedTask = ReturnType<typeof comparedTasks>[number];

/** The mean share of right labels in a round. */
export const meanAccuracy = ({ workers }: Replayed): number => mean(workers, ({ accuracy }) => accuracy)!;

/** Bands of the share of right labels, by their lower ends. */
const bands = [
  [0.85, "85 % or more"],
  [0.65, "65–85 %"],
  [0.45, "45–65 %"],
  [0.25, "25–45 %"],
  [0, "below 25 %"],
] as const;

export const bandNames: readonly string[] = bands.map(([, name]) => name);

const bandOf = (accuracy: number): string => bands.find(([from]) => accuracy >= from - 1e-9)![1];

/** The band of a whole task. */
const bandOfTask = ({ rounds }: ComparedTask): string => bandOf(mean(rounds, meanAccuracy)!);

/** Ways to tell rounds apart, and where each of them puts a round. */
const regions: Readonly<
  Record<string, readonly (readonly [name: string, has: (round: Replayed) => boolean])[]>
> = {
  "right labels": bandNames.map(
    (name) => [`${name} right labels`, (round) => bandOf(meanAccuracy(round)) === name] as const,
  ),
  workers: [
    ["1 worker", ({ workers }) => workers.length === 1],
    ["2 to 4 workers", ({ workers }) => workers.length > 1 && workers.length < 5],
    ["5 to 11 workers", ({ workers }) => workers.length > 4 && workers.length < 12],
    ["12 workers or more", ({ workers }) => workers.length > 11],
  ],
  round: [
    ["round 1", ({ round }) => round === 1],
    ["rounds 2 to 4", ({ round }) => round > 1 && round < 5],
    ["round 5 and later", ({ round }) => round > 4],
  ],
};

/** What updates were worth, times the number of workers, under both trainers: gains and tests exist where two or more work. */
const updatesIn = (rounds: readonly Replayed[]) =>
  rounds
    .filter(({ workers }) => workers.length > 1)
    .flatMap((round) => {
      const same = testsOf(round);
      const n = round.workers.length;
      return round.workers.map(({ accuracy }, k) => ({
        accuracy,
        recorded: n * round.recorded.gains[k]!,
        surrogate: n * round.surrogate.gains[k]!,
        same: same[k]!,
      }));
    });

type Update = ReturnType<typeof updatesIn>[number];

/** Whatever is made of the tasks of each data set, with its title. */
const perDataset = <Item>(tasks: readonly ComparedTask[], items: (own: ComparedTask[]) => Item[]) =>
  datasets.flatMap((name) =>
    items(tasks.filter((task) => task.dataset === name)).map((item) => ({
      dataset: datasetTitles[name],
      ...item,
    })),
  );

const CLASSES = [1, 0.7, 0.4, 0.1];

type Side = "recorded" | "surrogate";

export const residualsIn = (tasks: readonly ComparedTask[]) =>
  perDataset(tasks, (own) =>
    setNames.flatMap((set) => {
      const chosen = own.filter((task) => task.set === set);
      return chosen.length === 0 ? [] : [{ set, ...residualsOf(chosen.map(({ rounds }) => rounds)) }];
    }),
  );

/** Of some rounds: how far losses are off, and how many quality tests end the same. */
export function errorsIn(rounds: readonly Replayed[]) {
  const loss = errorsOf(rounds.map(({ surrogate, recorded }) => [surrogate.loss, recorded.loss]));
  const tests = rounds.filter(({ workers }) => workers.length > 1).flatMap(testsOf);
  return { loss, tests: tests.length, same: mean(tests, Number) ?? null };
}

export type RoundErrors = ReturnType<typeof errorsIn>;

/** Errors by region, over all recorded tasks. */
export const regionsIn = (tasks: readonly ComparedTask[]) =>
  perDataset(tasks, (own) => {
    const rounds = own.flatMap((task) => task.rounds);
    return Object.entries(regions).flatMap(([by, some]) =>
      some
        .map(([region, has]) => ({ by, region, inside: rounds.filter(has) }))
        .filter(({ inside }) => inside.length > 0)
        .map((one) => ({ ...one, ...errorsIn(one.inside) })),
    );
  });

/** Means over tasks of the same band, round by round. */
export const curvesIn = (tasks: readonly ComparedTask[]) =>
  perDataset(tasks, (own) =>
    bandNames.flatMap((band) => {
      const chosen = own.filter((task) => bandOfTask(task) === band);
      const rounds = chosen[0]?.rounds.map((_, k) => chosen.map((task) => task.rounds[k]!)) ?? [];
      return rounds.map((same) => {
        const of = (who: Side, what: "loss" | "accuracy") => mean(same, (round) => round[who][what])!;
        return {
          ...{ band, round: same[0]!.round, tasks: same.length },
          recorded: of("recorded", "loss"),
          surrogate: of("surrogate", "loss"),
          recordedAccuracy: of("recorded", "accuracy"),
          surrogateAccuracy: of("surrogate", "accuracy"),
        };
      });
    }),
  );

export type CurvePoint = ReturnType<typeof curvesIn>[number];

/** One for each task and accuracy of workers: gains are means over rounds, times the number of workers. */
export const gainsIn = (tasks: readonly ComparedTask[]) =>
  perDataset(tasks, (own) =>
    own.flatMap(({ task, set, rounds }) => {
      const count = (one: number) => task.accuracies.filter((accuracy) => accuracy === one).length;
      const mix = CLASSES.map(count).join(" : ");
      const all = updatesIn(rounds);
      return CLASSES.flatMap((accuracy) => {
        const some = all.filter((one) => one.accuracy === accuracy);
        return some.length === 0 ? [] : [{ task: task.seed, set, mix, accuracy, ...gainsOf(some) }];
      });
    }),
  );

function gainsOf(updates: readonly Update[]) {
  const over = (of: (update: Update) => number) => mean(updates, of)!;
  return {
    recorded: over((one) => one.recorded),
    surrogate: over((one) => one.surrogate),
    recordedPass: over((one) => Number(one.recorded >= 0)),
    surrogatePass: over((one) => Number(one.surrogate >= 0)),
    tests: updates.length,
    same: over((one) => Number(one.same)),
  };
}
