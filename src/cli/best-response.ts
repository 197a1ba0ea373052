/** `candor best-response`: the best lie of every worker, and what it gains. */

import type { Command } from "commander";
import {
  type Piece,
  pieceResponses,
  pieces,
  type Response,
  type Responses,
  whySearched,
} from "../best-response/index.js";
import { plainError } from "../lib/errors.js";
import { brief, type Column, counted, table } from "../lib/format.js";
import type { Market } from "../market/market.js";
import { type AnyMechanism, unvaried } from "../mechanisms/mechanism.js";
import { demandWorker, readMarkets } from "./input.js";
import { resolveMechanism } from "./mechanism.js";
import { respond } from "./respond.js";
import type { Session } from "./session.js";
import { integerOption, wordOption } from "./values.js";

interface Flags {
  readonly worker?: number;
  readonly mechanism: string;
  readonly method?: "pieces";
  readonly effort?: number;
  readonly pieces?: boolean;
  readonly json?: boolean;
}

const examples = `
The answer is exact for every mechanism that is written as a text, as all built-in ones are: over all prices and all
arrivals from the true one on. For any other it is a search, and says how much was searched.

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
      "pieces: the exact method for any text also for online, to check the fast one by",
      wordOption("--method", ["pieces"]),
    )
    .option(
      "--effort <number>",
      "about how many lies are tried for each worker where they are searched for (4000)",
      integerOption("--effort", { from: 100 }),
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
      flags.method === "pieces"
        ? byPieces(market, mechanism, flags)
        : await respond({ market, mechanism, worker: flags.worker, effort: flags.effort }, session);
    if (flags.json)
      session.spool.write(`${JSON.stringify(withPieces(responses, market, mechanism, flags))}\n`);
    else session.spool.write(`${first ? "" : "\n\n"}${responsesText(source, responses)}`);
    first = false;
    progress.tick("market");
    if (!(await session.goesOn())) return;
  }
}

function byPieces(market: Market, mechanism: AnyMechanism, { worker }: Flags): Responses {
  const why = whySearched(mechanism);
  if (why !== null) throw plainError("--method pieces", `${mechanism.name} ${why}`);
  const base = unvaried(mechanism, market);
  const chosen = worker === undefined ? undefined : [worker];
  return { ...pieceResponses(base.market, base.mechanism, chosen), mechanism: mechanism.name };
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

function responsesText(source: string, responses: Responses): string {
  return `${[title(source, responses), responsesTable(responses.workers), summary(responses)].join("\n\n")}\n`;
}

function title(source: string, { mechanism, exact, evaluations, seeds }: Responses): string {
  if (seeds !== undefined)
    return `${source}: mechanism ${mechanism}\n  estimated over ${seeds} seeds, for the best lies a search found: never exact`;
  const how = exact
    ? "exact: the most that any price and any arrival can gain"
    : `search, ${evaluations} evaluations: gains are lower bounds; for exact ones, write it as a text (CONTRIBUTING, "Add a mechanism")`;
  return `${source}: mechanism ${mechanism}\n  ${how}`;
}

function responsesTable(workers: readonly Response[]): string {
  const column = (head: string, cell: (response: Response) => string): Column => ({
    head,
    cells: workers.map(cell),
  });
  return table([
    column("worker", ({ id }) => String(id)),
    column("truthful", ({ truthful }) => brief(truthful)),
    column("gain", ({ gain }) => brief(gain)),
    column("by price", ({ priceGain }) => brief(priceGain)),
    column("by time", ({ timeGain }) => brief(timeGain)),
    column("best price", ({ gain, best }) =>
      gain > 0 ? `${best.attained ? "" : "→ "}${price(best.price)}` : "truth",
    ),
    column("arrival", ({ best }) => String(best.arrival)),
    column("utility", ({ best }) => brief(best.utility)),
    column("regime", ({ regime }) => regime),
    column("", ({ pivotal }) => (pivotal ? "moves the start" : "")),
  ]);
}

/** A supremum's price needs all its digits to be of use. */
const price = (value: number): string => (value === Number(brief(value)) ? brief(value) : String(value));

function summary({ workers, exact }: Responses): string {
  const liars = workers.filter(({ gain }) => gain > 0);
  if (liars.length === 0)
    return exact
      ? `None of ${counted(workers.length, "worker")} can gain by any lie about price or arrival.`
      : `No lie that gains was found for ${counted(workers.length, "worker")}.`;
  const most = liars.reduce((a, b) => (b.gain > a.gain ? b : a));
  const open = liars.some(({ best }) => !best.attained)
    ? "\n→ a price toward which the gain rises without being attained; the one shown comes within 1e-9 of it."
    : "";
  return `${liars.length} of ${counted(workers.length, "worker")} can gain; the most is ${brief(most.gain)} (worker ${most.id}).${open}`;
}
