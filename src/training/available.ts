/** Whether a trainer can train here. */

import { InputError } from "../lib/errors.js";
import { stream } from "../lib/random.js";
import { type TrainerOptions, trainerNamed } from "./trainers.js";

/** What is missing for it, as a sentence without its end; null where it can train. */
export async function missingFor(trainer: string, given: TrainerOptions): Promise<string | null> {
  try {
    const nobody = { workers: [], data: stream(0), training: stream(0) };
    (await (await trainerNamed(trainer, given)).start(nobody)).end();
    return null;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}
