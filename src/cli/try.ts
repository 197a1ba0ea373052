/** `candor try`: what an agent's lie gets each worker, alone among truthful others. */

import { type AnyAgent, bidsTruthfully } from "../agents/agent.js";
import { mayLeaveOut } from "../auction/mechanism.js";
import { brief, columnOf, counted, table } from "../lib/format.js";
import { stream } from "../lib/random.js";
import { difference, negligible } from "../lib/tolerance.js";
import type { Market } from "../market/market.js";
import { ESTIMATE_SEEDS } from "../responses/search.js";
import { type Trial, type TrialSetting, tryAgent } from "../responses/trial.js";
import {
  type Answer,
  answerEach,
  chosenIds,
  jsonLines,
  marketFiles,
  marketHelp,
  mechanismOption,
  workersOption,
} from "./input.js";
import { resolveAgent, resolveMechanism } from "./resolve.js";
import { csvRules } from "./rules.js";
import { Corrections } from "./run.js";
import type { Progress, Session } from "./session.js";
import * as option from "./values.js";

const examples = `${marketHelp}

SPEC is a name, with options or without (overbid:factor=1.5), a file of your own (./mine.ts), or a formula over
cost, arrival, re, T, B, ratio, min and u (uniform in [0, 1)). candor list shows the names.

Examples:
  candor try market.json --agent start-blocker
  candor try market.json --agent "price = 1.2*cost; arrival = arrival + 1" --worker 3
  candor draw --workers 20 --budget 25 --count 100 | candor try - --agent low-baller --json`;

const options = {
  ...csvRules,
  agent: option.several(option.text("<spec>", "who lies: a name, a file or a formula; may be repeated")),
  worker: workersOption,
  seed: option.text("<s>", "the seed of agents that draw, any text").default("1"),
  mechanism: mechanismOption,
  json: jsonLines,
};

type Flags = option.FlagsOf<typeof options>;

export const define = option.command({ argument: marketFiles, options, help: examples }, tryOn);

async function tryOn(paths: readonly string[], flags: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(flags.mechanism);
  const specs = option.required(flags.agent, "--agent", "a name, a file or a formula");
  const agents = await Promise.all(specs.map(resolveAgent));
  const { seed } = flags;
  const progress = session.progress("trials");
  await answerEach(
    paths,
    { ...flags, leftOut: mayLeaveOut(mechanism) },
    session,
    async ({ market, source }, n) => {
      const ids = chosenIds(market, flags.worker, source);
      const answers: Answer[] = [];
      for (const agent of agents) {
        const setting = { market, agent, mechanism, stream: stream(seed).fork(n) };
        const workers = await collect(setting, ids, { session, progress });
        if (workers === null) return answers;
        const means = mechanism.stochastic ? { seeds: ESTIMATE_SEEDS } : {};
        const record: TrialsRecord = {
          mechanism: mechanism.name,
          agent: agent.name,
          seed,
          ...means,
          workers,
        };
        answers.push({ record, text: () => trialsText(source, market, record) + noteOn(agent) });
      }
      return answers;
    },
  );
}

/** All trials of a market, or null if interrupted: half a market would look like a whole one. */
async function collect(
  setting: TrialSetting,
  ids: readonly number[] | undefined,
  { session, progress }: { session: Session; progress: Progress },
): Promise<Trial[] | null> {
  const trials: Trial[] = [];
  for (const worker of ids ?? [undefined])
    for (const trial of tryAgent({ ...setting, worker })) {
      trials.push(trial);
      progress.tick("worker");
      if (!(await session.goesOn())) return null;
    }
  return trials;
}

/** What `try --json` prints for a market. */
interface TrialsRecord {
  readonly mechanism: string;
  readonly agent: string;
  readonly seed: string;
  /** Of a mechanism that draws: over how many seeds utilities are means. */
  readonly seeds?: number;
  readonly workers: readonly Trial[];
}

function trialsText(
  source: string,
  market: Market,
  { mechanism, agent, seeds, workers }: TrialsRecord,
): string {
  const means = seeds === undefined ? "" : `\n  utilities are means over ${seeds} seeds of the mechanism`;
  const title = `${source}: mechanism ${mechanism}, agent ${agent}${means}`;
  const noise = negligible(market.rules.budget);
  const parts = [
    title,
    summary(workers, noise),
    trialsTable(market, workers),
    correctionsText(agent, workers),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Why an agent gains nothing here, though it lies. */
function noteOn(agent: AnyAgent): string {
  const { name, traits } = agent;
  if (traits.lies.includes("coalition"))
    return `\nThe ${name} lie with a partner, and a single worker has none: candor run --agent ${name}@3,4 plays two.\n`;
  if (traits.lies.length === 0 || !bidsTruthfully(agent)) return "";
  return `\nThe ${name} bids the truth: its lies show over many tasks, in candor train.\n`;
}

function summary(workers: readonly Trial[], noise: number): string {
  const gainers = workers.filter(({ gain }) => gain > noise);
  const losers = workers.filter(({ gain }) => gain < -noise);
  const most = gainers.reduce<Trial | undefined>((a, b) => (a && a.gain >= b.gain ? a : b), undefined);
  const best = most ? `, worker ${most.id} the most: ${brief(most.gain)}` : "";
  return `Each alone among truthful others: of ${counted(workers.length, "worker")}, ${gainers.length} would gain${best}; ${losers.length} would lose.`;
}

/** What the agent answered where that was no legal bid. */
function correctionsText(agent: string, workers: readonly Trial[]): string {
  const corrections = new Corrections();
  for (const { id, price, arrival, said } of workers)
    if (said) corrections.add({ agent, worker: id, said, used: { price, arrival } });
  return corrections.line ?? "";
}

function trialsTable(market: Market, workers: readonly Trial[]): string {
  const types = new Map(market.workers.map((worker) => [worker.id, worker]));
  const column = columnOf(workers.map((trial) => ({ ...trial, self: types.get(trial.id)! })));
  return table([
    column("worker", ({ id }) => String(id)),
    column("cost", ({ self }) => brief(self.cost)),
    column("price bid", ({ price }) => brief(price)),
    column("arrival", ({ self }) => String(self.arrival)),
    column("arrival bid", ({ arrival }) => String(arrival)),
    column("truthful utility", ({ truthful }) => brief(truthful)),
    column("utility", ({ utility }) => brief(utility)),
    column("gain", ({ gain }) => brief(difference(gain, 0, market.rules.budget))),
    ...(workers.some(({ bestGain }) => bestGain !== null)
      ? [column("best possible", ({ bestGain }) => brief(bestGain ?? 0))]
      : []),
  ]);
}
