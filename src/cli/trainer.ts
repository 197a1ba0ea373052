/** From what `--trainer` says to the trainer: a registered one with options, or a user's file. */

import { type Trainer, validatedTrainer } from "../training/trainer.js";
import { type TrainerOptions, trainerNamed } from "../training/trainers.js";
import { type ExtensionKind, isPath, loadExtension } from "./extension.js";

const trainerKind: ExtensionKind<Trainer> = {
  noun: "trainer",
  required: { name: "string", about: "string", start: "function" },
};

/** "tfjs", "tfjs:rate=0.1" or "./mine.ts". */
export async function resolveTrainer(spec: string, given: TrainerOptions): Promise<Trainer> {
  if (!isPath(spec)) return trainerNamed(spec, given, "--trainer");
  return validatedTrainer(await loadExtension(spec, trainerKind), spec);
}
