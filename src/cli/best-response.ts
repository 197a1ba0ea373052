/** `candor best-response`: the best lie of every worker, and what it gains. */

import type { Command } from "commander";
import { bestResponses, type Piece, pieces, type Responses, sweepResponse } from "../best-response/index.js";
import { plainError } from "../errors.js";
import type { Market } from "../market.js";
import type { AnyMechanism } from "../mechanism.js";
import { readMarkets } from "./input.js";
import { resolveMechanism } from "./mechanism.js";
import { responsesText } from "./responses-text.js";
import type { Session } from "./session.js";
import { integerOption, wordOption } from "./values.js";
import { demandWorker } from "./worker.js";

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
    const responses = respond(market, mechanism, flags);
    if (flags.json)
      session.spool.write(`${JSON.stringify(withPieces(responses, market, mechanism, flags))}\n`);
    else session.spool.write(`${first ? "" : "\n\n"}${responsesText(source, responses)}`);
    first = false;
    progress.tick("market");
    if (!(await session.goesOn())) return;
  }
}

function respond(market: Market, mechanism: AnyMechanism, { worker, method }: Flags): Responses {
  const workers = worker === undefined ? {} : { workers: [worker] };
  if (method === undefined) return bestResponses(market, { mechanism, ...workers });
  if (pieces(market, market.workers[0]?.id ?? 0, mechanism) === null && market.workers.length > 0)
    throw plainError(
      "--method sweep",
      `rests on how ${JSON.stringify("online")} decides; ${mechanism.name} is searched`,
    );
  const ids = workers.workers ?? market.workers.map(({ id }) => id).sort((a, b) => a - b);
  const responses = ids.map((id) => sweepResponse(market, id, mechanism));
  return { mechanism: mechanism.name, method, exact: true, evaluations: 0, workers: responses };
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
