/** From the flags of `candor train` to what is run. */

import { parseSettings } from "../lib/options.js";
import { stream } from "../lib/random.js";
import type { DatasetName } from "../training/datasets.js";
import { paperPopulation, paperTaskRules } from "../training/population.js";
import { reputationOptions, reputationSettings } from "../training/reputation.js";
import type { TasksSetting } from "../training/tasks.js";
import { resolveMechanism } from "./mechanism.js";
import { resolveTrainer } from "./trainer.js";

export interface TrainFlags {
  readonly tasks: number;
  readonly workers: number;
  readonly samples: number;
  readonly mechanism: string;
  readonly trainer: string;
  readonly dataset: DatasetName;
  readonly data?: string;
  readonly budget: number;
  readonly rounds: number;
  readonly seed: string;
  readonly agent?: string;
  readonly reputation?: string;
  readonly threads: number;
  readonly out?: string;
  readonly resume?: boolean;
  readonly json?: boolean;
}

export async function settingOf(flags: TrainFlags, signal: AbortSignal): Promise<TasksSetting> {
  const { rounds, budget, dataset, threads } = flags;
  const mechanism = await resolveMechanism(flags.mechanism);
  const agent =
    flags.agent === undefined ? undefined : await (await import("./agent.js")).resolveAgent(flags.agent);
  const changes =
    flags.reputation === undefined ? {} : parseSettings(flags.reputation, reputationOptions, "--reputation");
  return {
    workers: paperPopulation(flags.workers, flags.samples),
    rules: { ...paperTaskRules, budget, rounds },
    mechanism,
    trainer: await resolveTrainer(flags.trainer, { dataset, folder: flags.data, threads }),
    stream: stream(flags.seed),
    reputation: reputationSettings(changes),
    agents: () => agent,
    signal,
  };
}
