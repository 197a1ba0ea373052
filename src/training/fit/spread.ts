/** How far recorded figures scatter around the fitted curves. */

import type { Spread } from "../surrogate/parameters.js";
import type { Replayed } from "../surrogate/replay.js";

export function spreadOf(tasks: readonly (readonly Replayed[])[]): Spread {
  const logs = tasks.map((rounds) =>
    rounds.map(({ surrogate, recorded }) => Math.log(recorded.loss / surrogate.loss)),
  );
  const offsets = logs.map(mean);
  const crowds = tasks.flat().filter(({ workers }) => workers.length > 1);
  const scaled = crowds.flatMap((round) =>
    apart(round, "gains").map(({ accuracy, by }) => ({ accuracy, by: by * round.workers.length })),
  );
  const gain = root(scaled.filter(({ accuracy }) => accuracy === 1).map(({ by }) => by));
  const wrong = scaled.filter(({ accuracy }) => accuracy < 1);
  const share = mean(wrong.map(({ accuracy }) => 1 - accuracy));
  return {
    taskLoss: root(offsets),
    roundLoss: root(logs.flatMap((log, k) => log.map((value) => value - offsets[k]!))),
    accuracy: root(tasks.flat().map(({ surrogate, recorded }) => recorded.accuracy - surrogate.accuracy)),
    gain,
    wrongGain: Math.max(0, root(wrong.map(({ by }) => by)) - gain) / share,
    cosine: root(crowds.flatMap((round) => apart(round, "cosines").map(({ by }) => by))),
  };
}

/** How far workers of the same accuracy are from each other in a round: what no curve can explain. */
function apart({ workers, recorded }: Replayed, of: "gains" | "cosines"): { accuracy: number; by: number }[] {
  return [...new Set(workers.map(({ accuracy }) => accuracy))].flatMap((accuracy) => {
    const values = recorded[of].filter((_, k) => workers[k]!.accuracy === accuracy);
    const middle = mean(values);
    const widened = Math.sqrt(values.length / (values.length - 1));
    return values.length < 2 ? [] : values.map((value) => ({ accuracy, by: (value - middle) * widened }));
  });
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const root = (values: readonly number[]): number => Math.sqrt(mean(values.map((value) => value ** 2)));
