/**
 * Reputation from what workers delivered: the formula of RRAFL (Zhang, Wu, Pan 2021) with its weights 0.4 and 0.6 and its steepness
 * 5.5, as a public implementation has it (github.com/xavi0007/FedLearning-oort). That is second-hand, and its code leaves out a pair
 * of brackets. It differs in two options: there an update passes if it costs at most 0.01 (tolerance; there of accuracy, here of
 * loss), and a contribution is relative to the largest of the worker's own history. Steps 4 and 5 for repeated tasks are our own.
 *
 * 1. Per round a quality test: an update passes unless the aggregate without it does better on the publisher's validation set.
 * 2. x = (0.4·pass − 0.6·fail) / (0.4·pass + 0.6·fail), and quality y = exp(−exp(−5.5·x)), Gompertz's curve.
 * 3. Contribution: per round the cosine of the update with the aggregate's, none if negative, relative to the best of the round;
 *    or, with contribution=history, at least 0.001 and relative to the worker's own best in the task so far.
 * 4. Internal reputation = quality · mean contribution.
 * 5. Accumulated reputation moves toward the internal one, faster down than up.
 */

import { InputError } from "../lib/errors.js";
import { admits, defaultsOf, describeOption, type Options, type Settings } from "../lib/options.js";
import type { Worth } from "./trainer.js";

export const reputationOptions = {
  passWeight: { default: 0.4, from: 0.001, to: 1000 },
  failWeight: { default: 0.6, from: 0.001, to: 1000 },
  /** How much better the aggregate without an update may do, and the update still pass. */
  tolerance: { default: 0, from: 0, to: 100 },
  steepness: { default: 5.5, from: 0, to: 100 },
  /** What a contribution is relative to: the best of the round, or the worker's own best so far. */
  contribution: { default: "round", among: ["round", "history"] },
  /** Of a name that is new after the first task; that of the start unless it is set. */
  newcomer: { default: 0.5, from: 0, to: 1 },
  start: { default: 0.5, from: 0, to: 1 },
  up: { default: 0.2, from: 0, to: 1 },
  down: { default: 0.5, from: 0, to: 1 },
} as const satisfies Options;

export type ReputationSettings = Settings<typeof reputationOptions>;

/** The defaults with some changed, held to their bounds; a reputation is never won more easily than lost. */
export function reputationSettings(changes: Partial<ReputationSettings> = {}): ReputationSettings {
  const defaults = defaultsOf(reputationOptions);
  const settings: ReputationSettings = { ...defaults, newcomer: changes.start ?? defaults.start, ...changes };
  const options: Options = { ...reputationOptions, up: { ...reputationOptions.up, to: settings.down } };
  for (const [name, option] of Object.entries(options).reverse()) {
    const got = settings[name as keyof ReputationSettings];
    if (admits(option, got)) continue;
    const expected = describeOption(option);
    throw new InputError({ source: "reputation", path: [name], expected, kind: "invalid", got });
  }
  return settings;
}

/** From tests passed and failed to a quality in [0, 1]; at least one of them must have been taken. */
export function quality(pass: number, fail: number, settings = reputationSettings()): number {
  const [good, bad] = [settings.passWeight * pass, settings.failWeight * fail];
  return Math.exp(-Math.exp((-settings.steepness * (good - bad)) / (good + bad)));
}

/** Each update's share in a round relative to the best one, in [0, 1]. */
export function contributions(round: readonly Worth[]): ReadonlyMap<number, number> {
  const best = Math.max(0, ...round.map(({ cosine }) => cosine));
  return new Map(round.map(({ id, cosine }) => [id, best === 0 ? 0 : Math.max(0, cosine) / best]));
}

/** Below this no contribution counts. */
const LEAST_CONTRIBUTION = 0.001;

/** Each update's share of the largest that its worker has made so far, this one included; it notes new ones. */
function contributionsToHistory(
  round: readonly Worth[],
  bests: Map<number, number>,
): ReadonlyMap<number, number> {
  return new Map(
    round.map(({ id, cosine }) => {
      const own = Math.max(LEAST_CONTRIBUTION, cosine);
      const best = Math.max(own, bests.get(id) ?? 0);
      bests.set(id, best);
      return [id, own / best];
    }),
  );
}

/** The internal reputation of everybody who delivered something in a task, in [0, 1]. */
export function internalReputations(
  rounds: readonly (readonly Worth[])[],
  settings = reputationSettings(),
): ReadonlyMap<number, number> {
  const records = new Map<number, { pass: number; fail: number; contribution: number }>();
  const bests = new Map<number, number>();
  for (const round of rounds) {
    const shares =
      settings.contribution === "round" ? contributions(round) : contributionsToHistory(round, bests);
    for (const { id, gain } of round) {
      const { pass, fail, contribution } = records.get(id) ?? { pass: 0, fail: 0, contribution: 0 };
      const passed = gain >= -settings.tolerance ? 1 : 0;
      const sum = contribution + shares.get(id)!;
      records.set(id, { pass: pass + passed, fail: fail + 1 - passed, contribution: sum });
    }
  }
  const internal = [...records].map(([id, { pass, fail, contribution }]) => {
    const mean = contribution / (pass + fail);
    return [id, Math.min(1, quality(pass, fail, settings) * mean)] as const;
  });
  return new Map(internal);
}

/** One step from the accumulated toward the internal reputation. */
export function accumulate(before: number, internal: number, settings = reputationSettings()): number {
  const weight = internal < before ? settings.down : settings.up;
  return before + weight * (internal - before);
}

/** Everybody's reputation after a task; workers that were not selected keep theirs. */
export function afterTask(
  before: ReadonlyMap<number, number>,
  rounds: readonly (readonly Worth[])[],
  settings = reputationSettings(),
): ReadonlyMap<number, number> {
  const internal = internalReputations(rounds, settings);
  const moved = [...internal].map(
    ([id, target]) => [id, accumulate(before.get(id) ?? settings.start, target, settings)] as const,
  );
  return new Map([...before, ...moved]);
}
