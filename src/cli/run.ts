/** `candor run`: the auction on one market or many. */

import type { Command } from "commander";
import { plainError } from "../lib/errors.js";
import type { Market } from "../market/market.js";
import { recordRun } from "../mechanisms/outcome.js";
import { type CastFlags, castOf } from "./cast.js";
import { readMarkets } from "./input.js";
import { resolveMechanism } from "./mechanism.js";
import { runText } from "./run-text.js";
import type { Session } from "./session.js";
import { integerOption } from "./values.js";

interface Flags extends CastFlags {
  readonly mechanism: string;
  readonly trace?: boolean;
  readonly json?: boolean;
}

const examples = `
MARKET is a .json file with one market, a .jsonl file with one per line, or - for lines on standard input.

Examples:
  candor run market.json --trace
  candor run market.json --agent overbid:factor=1.5 --worker 3
  candor draw --workers 100 --budget 125 --count 1000 | candor run - --json > outcomes.jsonl`;

export function define(command: Command, session: Session): void {
  command
    .argument("<market...>", "market files, or -")
    .option("--bids <file>", "what workers say; whoever is not in it tells the truth")
    .option(
      "--agent <spec>",
      "who plays those that --bids leaves: a name, a file or a formula, as in candor try",
    )
    .option("--worker <id>", "the agent plays this worker only", integerOption("--worker", { from: 0 }))
    .option("--seed <s>", "the seed of agents that draw, any text", "1")
    .option("--mechanism <name>", "the auction; candor list shows what there is", "online")
    .option("--trace", "every decision with the numbers that decided it")
    .option("--json", "one JSON object per market and line")
    .addHelpText("after", examples)
    .action((markets: string[], flags: Flags) => run(markets, flags, session));
}

/** A trace tells of every worker in every round and is held in memory: beyond this it would not fit. */
const MOST_DECISIONS = 1_000_000;

function demandTraceable({ rules, workers }: Market, source: string): void {
  if (rules.rounds * workers.length <= MOST_DECISIONS) return;
  const size = `${workers.length} workers × ${rules.rounds} rounds`;
  throw plainError(source, `${size} are too many for --trace, which tells of at most ${MOST_DECISIONS}`);
}

async function run(paths: readonly string[], flags: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(flags.mechanism);
  const cast = await castOf(flags, mechanism);
  const traced = flags.trace ?? false;
  let count = 0;
  for await (const { market, source } of readMarkets(paths, session.signal)) {
    if (traced) demandTraceable(market, source);
    const bids = cast.bids(market, source, count);
    const record = recordRun({ market, mechanism, agent: cast.agent, bids, traced });
    if (flags.json) session.spool.write(`${JSON.stringify(record)}\n`);
    else session.spool.write(`${count === 0 ? "" : "\n\n"}${runText({ source, market, record })}`);
    count++;
    if (!(await session.goesOn())) break;
  }
  if (cast.corrections.line !== null) session.warn(`warning: ${cast.corrections.line}`);
}
