/** `candor run`: the auction on one market or many. */

import type { Command } from "commander";
import { completeBids, parseBids, type WrittenBid } from "../parse.js";
import { readMarkets, readText } from "./input.js";
import { resolveMechanism } from "./mechanism.js";
import { recordRun } from "./run-record.js";
import { runText } from "./run-text.js";
import type { Session } from "./session.js";

interface Flags {
  readonly bids?: string;
  readonly mechanism: string;
  readonly trace?: boolean;
  readonly json?: boolean;
}

const examples = `
MARKET is a .json file with one market, a .jsonl file with one per line, or - for lines on standard input.

Examples:
  candor run market.json --trace
  candor draw --workers 100 --budget 125 --count 1000 | candor run - --json > outcomes.jsonl`;

export function define(command: Command, session: Session): void {
  command
    .argument("<market...>", "market files, or -")
    .option("--bids <file>", "what workers say; whoever is not in it tells the truth")
    .option("--mechanism <name>", "the auction; candor list shows what there is", "online")
    .option("--trace", "every decision with the numbers that decided it")
    .option("--json", "one JSON object per market and line")
    .addHelpText("after", examples)
    .action((markets: string[], flags: Flags) => run(markets, flags, session));
}

async function run(paths: readonly string[], flags: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(flags.mechanism);
  const written = flags.bids === undefined ? [] : await readBids(flags.bids);
  let first = true;
  for await (const { market, source } of readMarkets(paths, session.signal)) {
    const bids = completeBids(written, market, { source: flags.bids ?? "", market: source });
    const record = recordRun({ market, mechanism, bids, traced: flags.trace ?? false });
    if (flags.json) session.spool.write(`${JSON.stringify(record)}\n`);
    else session.spool.write(`${first ? "" : "\n\n"}${runText({ source, market, record })}`);
    first = false;
    if (!(await session.goesOn())) return;
  }
}

const readBids = async (path: string): Promise<readonly WrittenBid[]> =>
  parseBids(await readText(path), path);
