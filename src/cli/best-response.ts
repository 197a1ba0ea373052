/** `candor best-response`: the best lie of every worker, and what it gains. */

import type { Command } from "commander";
import { type Piece, pieces, type Responses, sweepResponses } from "../best-response/index.js";
import { plainError } from "../lib/errors.js";
import type { Market } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import { demandWorker } from "./demand-worker.js";
import { readMarkets } from "./input.js";
import { resolveMechanism } from "./mechanism.js";
import { respond } from "./respond.js";
import { responsesText } from "./responses-text.js";
import type { Session } from "./session.js";
import { integerOption, wordOption } from "./values.js";

interface Flags {
  readonly worker?: number;
  readonly mechanism: string;
  readonly method?: "sweep";
  readonly pieces?: boolean;
  readonly json?: boolean;
}

const examples = `
For the paper's mechanism the answer is exact: over all prices and all arrivals from the true one on.
For any other it is a search, and says how much was searched.

Examples:
  candor best-response market.json
  candor best-response market.json --worker 3 --pieces --json`;

export function define(command: Command, session: Session): void {
  command
    .argument("<market...>", "market files, or -")
    .option("--worker <id>", "this worker only", integerOption("--worker", { from: 0 }))
    .option("--mechanism <name>", "the auction; candor list shows what there is", "online")
    .option(
      "--method <name>",
      "sweep: the slow second way, for checking the first",
      wordOption("--method", ["sweep"]),
    )
    .option("--pieces", "with --json: each worker's utility as a function of its price, piece by piece")
    .option("--json", "one JSON object per market and line")
    .addHelpText("after", examples)
    .action((markets: string[], flags: Flags) => run(markets, flags, session));
}

async function run(paths: readonly string[], flags: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(flags.mechanism);
  const progress = session.progress("best responses");
  let first = true;
  for await (const { market, source } of readMarkets(paths, session.signal)) {
    if (flags.worker !== undefined) demandWorker(market, flags.worker, source);
    const responses =
      flags.method === "sweep"
        ? sweep(market, mechanism, flags)
        : await respond({ market, mechanism, worker: flags.worker }, session);
    if (flags.json)
      session.spool.write(`${JSON.stringify(withPieces(responses, market, mechanism, flags))}\n`);
    else session.spool.write(`${first ? "" : "\n\n"}${responsesText(source, responses)}`);
    first = false;
    progress.tick("market");
    if (!(await session.goesOn())) return;
  }
}

function sweep(market: Market, mechanism: AnyMechanism, { worker }: Flags): Responses {
  const { id } = market.workers[0] ?? { id: 0 };
  if (market.workers.length > 0 && pieces(market, id, mechanism) === null)
    throw plainError(
      "--method sweep",
      `rests on how the paper's mechanism decides; ${mechanism.name} is searched`,
    );
  return sweepResponses(market, { mechanism, ...(worker !== undefined && { workers: [worker] }) });
}

/** An open-ended piece has `to: null`: JSON knows no infinity. */
function withPieces(responses: Responses, market: Market, mechanism: AnyMechanism, flags: Flags): object {
  if (!flags.pieces) return responses;
  const finite = (piece: Piece) => ({ ...piece, to: Number.isFinite(piece.to) ? piece.to : null });
  const workers = responses.workers.map((response) => ({
    ...response,
    pieces: pieces(market, response.id, mechanism)?.map(finite) ?? null,
  }));
  return { ...responses, workers };
}
