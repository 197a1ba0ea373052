/** `candor best-response`: the best lie of every worker, and what it gains. */

import { sum } from "d3-array";
import { type AnyMechanism, mayLeaveOut } from "../auction/mechanism.js";
import { plainError } from "../lib/errors.js";
import { brief, columnOf, table } from "../lib/format.js";
import type { Market } from "../market/market.js";
import { gainsSentence, methodText, priceText } from "../report/views.js";
import { EXACT_UP_TO } from "../responses/exact-responses.js";
import { resolveGame } from "../responses/game.js";
import {
  bestResponses,
  isExact,
  type Piece,
  pieceResponses,
  pieces,
  type Response,
  type Responses,
  whySearched,
} from "../responses/index.js";
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
import { beliefFor, interimOptions, interimText, othersArrival, respondInterim } from "./interim.js";
import { answerCoalition, answerNames, answerPairs, jointOptions } from "./joint-lies.js";
import { resolveMechanism } from "./resolve.js";
import { rising, risingNotes } from "./rising.js";
import { csvRules } from "./rules.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const examples = `${marketHelp}

For every mechanism that has a program, as all built-in ones are, the answer is over all prices and all arrivals from
the true one on: exact, in fractions, up to ${EXACT_UP_TO} workers times rounds (12 × 10, say), and above it computed in floating point.
For any other it is a search, and says how much was searched.

With --interim a worker knows its own type, the rules and how such markets usually look: the others are drawn as in the
paper, by expressions as in draw, or from the workers of a file. What a lie gains is then measured on draws that it was not
chosen on.

With --pairs or --coalition workers share what they gain, and lie together; with --false-names a worker bids under its own
and under new names. Both are exact for every mechanism that has a program and pays what it says.

Examples:
  candor best-response market.json
  candor best-response market.json --worker 3 --pieces --json
  candor best-response market.json --interim --draws 4000
  candor best-response market.json --interim --belief last-year.jsonl
  candor best-response market.json --pairs
  candor best-response market.json --false-names 1 --new-reputation 0.3`;

const options = {
  ...interimOptions,
  arrival: othersArrival,
  ...jointOptions,
  ...csvRules,
  worker: workersOption,
  mechanism: mechanismOption,
  method: option.word(
    "<name>",
    "to check by: pieces, the exact method for any text also for online; fractions, for joint lies in exact fractions",
    ["pieces", "fractions"],
  ),
  effort: option.integer(
    "<number>",
    "about how many lies are tried for each worker where they are searched for (4000)",
    { from: 100 },
  ),
  pieces: option.flag("with --json: each worker's utility as a function of its price, piece by piece"),
  json: jsonLines,
};

type Flags = option.FlagsOf<typeof options>;

export const define = option.command({ argument: marketFiles, options, help: examples }, run);

async function run(paths: readonly string[], flags: Flags, session: Session): Promise<void> {
  const question = questionIn(flags);
  const mechanism = await resolveMechanism(flags.mechanism);
  const responder = await selectResponder(question, mechanism, flags, session);
  const progress = session.progress("best responses");
  await answerEach(
    paths,
    { ...flags, leftOut: mayLeaveOut(mechanism) },
    session,
    async ({ market, source }) => {
      const found = await responder({ market, source, ids: chosenIds(market, flags.worker, source) });
      progress.tick("market");
      return found;
    },
  );
}

/** The options that ask something else than for the best lie of each worker who sees all bids; at most one is given. */
const OTHER_QUESTIONS = {
  interim: "--interim",
  pairs: "--pairs",
  coalition: "--coalition",
  falseNames: "--false-names",
} as const;

type Question = keyof typeof OTHER_QUESTIONS | "alone";

/** What the flags ask; refuses a second question and the options of another one. Those of --interim are refused with its belief. */
function questionIn(flags: Flags): Question {
  const names = Object.keys(OTHER_QUESTIONS) as (keyof typeof OTHER_QUESTIONS)[];
  const [question = "alone", second] = names.filter((name) => flags[name] !== undefined);
  if (second !== undefined && question !== "alone")
    throw plainError(OTHER_QUESTIONS[second], `cannot be given with ${OTHER_QUESTIONS[question]}`);
  if (flags.newReputation !== undefined && question !== "falseNames")
    throw plainError("--new-reputation", "can only be given with --false-names");
  const isJoint = question !== "alone" && question !== "interim";
  if (flags.method === "fractions" && question === "alone")
    throw plainError("--method fractions", "can only be given with --pairs, --coalition or --false-names");
  if (question !== "alone") {
    for (const name of ["method", "effort", "pieces"] as const) {
      if (flags[name] === undefined || (isJoint && flags[name] === "fractions")) continue;
      throw plainError(`--${name}`, `cannot be given with ${OTHER_QUESTIONS[question]}`);
    }
  }
  if (flags.pieces && !flags.json) throw plainError("--pieces", "can only be given with --json");
  if (flags.worker !== undefined && question === "coalition")
    throw plainError("--worker", "cannot be given with --coalition");
  return question;
}

interface Sourced {
  readonly market: Market;
  readonly source: string;
  /** These workers only. */
  readonly ids: readonly number[] | undefined;
}

/** How each market is answered: one way for each question. */
async function selectResponder(
  question: Question,
  mechanism: AnyMechanism,
  flags: Flags,
  session: Session,
): Promise<(asked: Sourced) => Answer | Promise<Answer>> {
  const arrival = { flag: "--arrival", expression: flags.arrival } as const;
  const beliefOf = await beliefFor({ flags, arrival }, session);
  const asked = { mechanism, arithmetic: flags.method === "fractions" ? flags.method : undefined };
  switch (question) {
    case "interim":
      return async ({ market, source, ids }) => {
        const belief = beliefOf!(market);
        const record = await respondInterim({ market, mechanism, belief, ids, draws: flags.draws }, session);
        return { record, text: () => interimText(source, record) };
      };
    case "pairs":
      return (sourced) => answerPairs(sourced, asked, session);
    case "coalition":
      return (sourced) => answerCoalition(sourced, { ...asked, members: flags.coalition! }, session);
    case "falseNames": {
      const { falseNames = 1, newReputation = 0.5 } = flags;
      return (sourced) => answerNames(sourced, { ...asked, falseNames, newReputation }, session);
    }
    case "alone":
      return async ({ market, source, ids }) => {
        const responses =
          flags.method === "pieces"
            ? byPieces(market, mechanism, ids)
            : await respond({ market, source, mechanism, ids, effort: flags.effort }, session);
        const record = flags.pieces ? withPieces(responses, market, mechanism) : responses;
        return { record, text: () => responsesText(source, responses) };
      };
  }
}

function byPieces(market: Market, mechanism: AnyMechanism, ids?: readonly number[]): Responses {
  const why = whySearched(mechanism);
  if (why !== null) throw plainError("--method pieces", `${mechanism.name} ${why}`);
  const game = resolveGame(mechanism, market);
  return { ...pieceResponses(game.market, game.mechanism, ids), mechanism: game.name };
}

/** An open-ended piece has `to: null`: JSON knows no infinity. */
function withPieces(responses: Responses, market: Market, mechanism: AnyMechanism): object {
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

function title(source: string, responses: Responses): string {
  const { mechanism, seeds } = responses;
  if (seeds !== undefined)
    return `${source}: mechanism ${mechanism}\n  estimated over ${seeds} seeds, for the best lies a search found: never exact`;
  const how = methodText(responses, {
    whose: "any price and any arrival",
    search: `gains are lower bounds; for exact ones, write it as a program (src/mechanisms/README.md)`,
  });
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
      gain > 0 ? `${best.attained ? "" : rising(gain)}${priceText(best.price)}` : "truth",
    ),
    column("arrival", ({ best }) => String(best.arrival)),
    column("utility", ({ best }) => brief(best.utility)),
    column("regime", ({ regime }) => regime),
    column("", ({ pivotal, knifeEdge }) =>
      [pivotal && "moves the start", knifeEdge && "knife edge"].filter(Boolean).join(", "),
    ),
  ]);
}

function summary({ workers, method }: Responses): string {
  const found = gainsSentence({ workers, searched: method === "search" });
  const liars = workers.filter(({ gain }) => gain > 0);
  if (liars.length === 0) return found;
  const open = risingNotes(liars.map(({ gain, best }) => ({ gain, attained: best.attained })));
  const edges = workers.some(({ knifeEdge }) => knifeEdge)
    ? "\nknife edge: numbers tie there and fractions do not; what is shown is exact, a plain run may differ."
    : "";
  return `${found}${open}${edges}`;
}

interface ResponseRequest {
  readonly market: Market;
  /** What the market is called in messages. */
  readonly source: string;
  readonly mechanism: AnyMechanism;
  /** These workers only. */
  readonly ids?: readonly number[] | undefined;
  /** About how many lies are tried for each worker where they are searched for. */
  readonly effort?: number | undefined;
}

/** Everybody's responses, or those found until Ctrl-C. */
export async function respond(request: ResponseRequest, session: Session): Promise<Responses> {
  const { market, source, mechanism, effort } = request;
  const options = { mechanism, source, inFractions: true, ...(effort !== undefined && { effort }) };
  const ids = [...(request.ids ?? market.workers.map(({ id }) => id))];
  if (isExact(mechanism) || ids.length < 2) return bestResponses(market, { ...options, workers: ids });
  const shown = { label: `searching lies to ${mechanism.name}`, noun: "worker" };
  const sorted = ids.sort((a, b) => a - b);
  const found = await session.lookAtEach(sorted, shown, (id) =>
    bestResponses(market, { ...options, workers: [id] }),
  );
  const evaluations = sum(found, (one) => one.evaluations);
  return { ...found[0]!, evaluations, workers: found.flatMap(({ workers }) => workers) };
}
