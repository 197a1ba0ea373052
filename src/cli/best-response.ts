/** `candor best-response`: the best lie of every worker, and what it gains. */

import type { Command } from "commander";
import type { Belief } from "../best-response/belief.js";
import {
  bestResponses,
  isExact,
  type Piece,
  pieceResponses,
  pieces,
  type Response,
  type Responses,
  whySearched,
} from "../best-response/index.js";
import { plainError } from "../lib/errors.js";
import { brief, columnOf, counted, table } from "../lib/format.js";
import type { Market } from "../market/market.js";
import { type AnyMechanism, unvaried } from "../mechanisms/mechanism.js";
import { defineRules, demandWorker, jsonLine, marketHelp, type RuleFlags, readMarkets } from "./input.js";
import { beliefFor, defineInterim, type InterimFlags, interimText, respondInterim } from "./interim.js";
import { resolveMechanism } from "./resolve.js";
import type { Session } from "./session.js";
import { integerOption, wordOption } from "./values.js";

interface Flags extends InterimFlags, RuleFlags {
  /** The others' arrivals: as draw has it. */
  readonly arrival?: string;
  readonly worker?: number;
  readonly mechanism: string;
  readonly method?: "pieces";
  readonly effort?: number;
  readonly pieces?: boolean;
  readonly json?: boolean;
}

const examples = `${marketHelp}

The answer is exact for every mechanism that is written as a text, as all built-in ones are: over all prices and all
arrivals from the true one on. For any other it is a search, and says how much was searched.

With --interim a worker knows its own type, the rules and how such markets usually look: the others are drawn as in the
paper, by expressions as in draw, or from the workers of a file. What a lie gains is then measured on draws that it was not
chosen on.

Examples:
  candor best-response market.json
  candor best-response market.json --worker 3 --pieces --json
  candor best-response market.json --interim --draws 4000
  candor best-response market.json --interim --belief last-year.jsonl`;

export function define(command: Command, session: Session): void {
  defineInterim(command, "--arrival");
  defineRules(command.argument("<market...>", "market files, or -"))
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
  const arrival = { flag: "--arrival", expression: flags.arrival } as const;
  const beliefOf = await beliefFor({ flags, arrival }, session);
  if (beliefOf) return runInterim(paths, { flags, mechanism, beliefOf }, session);
  const progress = session.progress("best responses");
  let first = true;
  for await (const sourced of readMarkets(paths, session, flags)) {
    const { market, source } = sourced;
    if (flags.worker !== undefined) demandWorker(market, flags.worker, source);
    const responses =
      flags.method === "pieces"
        ? byPieces(market, mechanism, flags)
        : await respond({ market, mechanism, worker: flags.worker, effort: flags.effort }, session);
    if (flags.json) {
      session.spool.write(jsonLine(withPieces(responses, market, mechanism, flags), sourced));
    } else session.spool.write(`${first ? "" : "\n\n"}${responsesText(source, responses)}`);
    first = false;
    progress.tick("market");
    if (!(await session.goesOn())) return;
  }
}

interface InterimQuestion {
  readonly flags: Flags;
  readonly mechanism: AnyMechanism;
  readonly beliefOf: (market: Market) => Belief;
}

/** The same for workers who do not see the others. */
async function runInterim(
  paths: readonly string[],
  { flags, mechanism, beliefOf }: InterimQuestion,
  session: Session,
): Promise<void> {
  for (const name of ["method", "effort", "pieces"] as const)
    if (flags[name] !== undefined) throw plainError(`--${name}`, "cannot be given with --interim");
  const { worker, draws } = flags;
  let first = true;
  for await (const sourced of readMarkets(paths, session, flags)) {
    const { market, source } = sourced;
    if (worker !== undefined) demandWorker(market, worker, source);
    const responses = await respondInterim(
      { market, mechanism, belief: beliefOf(market), worker, draws },
      session,
    );
    if (flags.json) session.spool.write(jsonLine(responses, sourced));
    else session.spool.write(`${first ? "" : "\n\n"}${interimText(source, responses)}`);
    first = false;
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
  const column = columnOf(workers);
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

interface ResponseRequest {
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  /** This worker only. */
  readonly worker?: number | undefined;
  /** About how many lies are tried for each worker where they are searched for. */
  readonly effort?: number | undefined;
}

/** Everybody's responses, or those found until Ctrl-C. */
export async function respond(request: ResponseRequest, session: Session): Promise<Responses> {
  const { market, mechanism, worker, effort } = request;
  const options = { mechanism, ...(effort !== undefined && { effort }) };
  const ids = worker === undefined ? market.workers.map(({ id }) => id) : [worker];
  if (isExact(mechanism) || ids.length < 2) return bestResponses(market, { ...options, workers: ids });
  const progress = session.progress(`searching lies to ${mechanism.name}`);
  const found: Response[] = [];
  let evaluations = 0;
  let seeds: Responses["seeds"];
  for (const id of ids.sort((a, b) => a - b)) {
    const one = bestResponses(market, { ...options, workers: [id] });
    found.push(...one.workers);
    evaluations += one.evaluations;
    seeds = one.seeds;
    progress.tick("worker", ids.length);
    if (!(await session.goesOn())) break;
  }
  progress.clear();
  const how = { method: "search", exact: false, evaluations, ...(seeds !== undefined && { seeds }) } as const;
  return { mechanism: mechanism.name, ...how, workers: found };
}
