/** From what `--trainer` says to the trainer: a registered one with options, or a user's file. */

import { InputError, oneLine, plainError, showValue } from "../lib/errors.js";
import type { RoundResult, Trainer, Training } from "../training/trainer.js";
import { type TrainerOptions, trainerNamed } from "../training/trainers.js";
import { type ExtensionKind, isPath, loadExtension } from "./extension.js";

const trainerKind: ExtensionKind<Trainer> = {
  noun: "trainer",
  required: { name: "string", about: "string", start: "function" },
};

/** "tfjs", "tfjs:rate=0.1" or "./mine.ts". */
export async function resolveTrainer(spec: string, given: TrainerOptions): Promise<Trainer> {
  if (!isPath(spec)) return trainerNamed(spec, given, "--trainer");
  return guarded(await loadExtension(spec, trainerKind), spec);
}

/** A user's trainer that fails says so in one line that names its file. */
const guarded = (trainer: Trainer, path: string): Trainer => ({
  ...trainer,
  async start(task) {
    const training = await attempt(() => trainer.start(task), path, "start", task.signal);
    const round: unknown = (training as Training | undefined)?.round;
    if (typeof round !== "function") throw plainError(path, "start must return a training with a round");
    return {
      round: async (selected) => {
        const result = await attempt(() => training.round(selected), path, "round", task.signal);
        return checked(result, selected, path);
      },
      end: () => training.end?.(),
    };
  },
});

async function attempt<T>(
  act: () => Promise<T>,
  path: string,
  what: string,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (signal?.aborted || error instanceof InputError) throw error;
    throw plainError(path, `${what} failed: ${oneLine(error)}`);
  }
}

/** Users' own files: what they return is checked, whatever its type says. */
function checked(result: RoundResult, selected: readonly number[], path: string): RoundResult {
  const numbers = [result?.loss, result?.accuracy];
  if (!numbers.every(Number.isFinite) || !Array.isArray(result.worths))
    throw plainError(path, `round must return a loss, an accuracy and worths, got ${showValue(result)}`);
  const worths = [...result.worths].sort((a, b) => a.id - b.id);
  const wanted = [...selected].sort((a, b) => a - b);
  const fits = worths.length === wanted.length && worths.every(({ id }, k) => id === wanted[k]);
  if (!fits) throw plainError(path, `round must return one worth for each of ${showValue(wanted)}`);
  const whole = worths.every(({ gain, cosine }) => Number.isFinite(gain) && Number.isFinite(cosine));
  if (!whole) throw plainError(path, `gain and cosine must be numbers, got ${showValue(worths)}`);
  return { ...result, worths };
}
