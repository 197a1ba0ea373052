/** `candor try`: what an agent's lie gets each worker, alone among truthful others. */

import type { Command } from "commander";
import { JUDGED } from "../best-response/stochastic.js";
import { type Trial, type TrialSetting, tryAgent } from "../best-response/trial.js";
import { stream } from "../lib/random.js";
import { resolveAgent } from "./agent.js";
import { demandWorker } from "./demand-worker.js";
import { readMarkets } from "./input.js";
import { resolveMechanism } from "./mechanism.js";
import type { Progress } from "./progress.js";
import type { Session } from "./session.js";
import { type TrialsRecord, trialsText } from "./try-text.js";
import { integerOption } from "./values.js";

interface Flags {
  readonly agent: string;
  readonly worker?: number;
  readonly seed: string;
  readonly mechanism: string;
  readonly json?: boolean;
}

const examples = `
SPEC is a name, with options or without (overbid:factor=1.5), a file of your own (./mine.ts), or a formula over
cost, arrival, re, T, B, ratio, min and u (uniform in [0, 1)). candor list shows the names.

Examples:
  candor try market.json --agent start-blocker
  candor try market.json --agent "price = 1.2*cost; arrival = arrival + 1" --worker 3
  candor draw --workers 20 --budget 25 --count 100 | candor try - --agent low-baller --json`;

export function define(command: Command, session: Session): void {
  command
    .argument("<market...>", "market files, or -")
    .requiredOption("--agent <spec>", "who lies: a name, a file or a formula")
    .option("--worker <id>", "this worker only", integerOption("--worker", { from: 0 }))
    .option("--seed <s>", "the seed of agents that draw, any text", "1")
    .option("--mechanism <name>", "the auction; candor list shows what there is", "online")
    .option("--json", "one JSON object per market and line")
    .addHelpText("after", examples)
    .action((markets: string[], flags: Flags) => tryOn(markets, flags, session));
}

async function tryOn(paths: readonly string[], flags: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(flags.mechanism);
  const agent = await resolveAgent(flags.agent);
  const { worker, seed } = flags;
  const progress = session.progress("trials");
  let count = 0;
  for await (const { market, source } of readMarkets(paths, session.signal)) {
    if (worker !== undefined) demandWorker(market, worker, source);
    const setting = { market, agent, mechanism, stream: stream(seed).fork(count), worker };
    const workers = await collect(setting, session, progress);
    if (workers === null) return;
    const means = mechanism.stochastic ? { seeds: JUDGED } : {};
    const trials: TrialsRecord = { mechanism: mechanism.name, agent: agent.name, seed, ...means, workers };
    if (flags.json) session.spool.write(`${JSON.stringify(trials)}\n`);
    else session.spool.write(`${count === 0 ? "" : "\n\n"}${trialsText(source, market, trials)}`);
    count++;
  }
}

/** All trials of a market, or null if interrupted: half a market would look like a whole one. */
async function collect(setting: TrialSetting, session: Session, progress: Progress): Promise<Trial[] | null> {
  const trials: Trial[] = [];
  for (const trial of tryAgent(setting)) {
    trials.push(trial);
    progress.tick("worker");
    if (!(await session.goesOn())) return null;
  }
  return trials;
}
