/** Workers who lie together or bid under several names, on the command line: what is asked, and what is printed. */

import type { AnyMechanism } from "../auction/mechanism.js";
import type { CellArithmetic } from "../auction/price-pieces.js";
import { plainError } from "../lib/errors.js";
import { brief, columnOf, counted, table } from "../lib/format.js";
import type { Market } from "../market/market.js";
import { methodText, priceText } from "../report/views.js";
import {
  type CoalitionResponse,
  type CoalitionResponses,
  coalitionResponses,
  type FalseNameResponses,
  falseNameResponses,
  MOST_NAMES,
  methodOf,
  pairsOf,
} from "../responses/coalition.js";
import { type Answer, chosenIds } from "./input.js";
import { rising, risingNotes } from "./rising.js";
import type { Session } from "./session.js";
import { demandFewPairs, demandSize } from "./sizes.js";
import * as option from "./values.js";

const ids = option.list(option.integer("<ids>", "", { from: 0 }));

/** Two or three ids, separated by a comma. */
export const coalitionOption = (about: string) =>
  option.value("<ids>", about, (typed, flag) => {
    const found = ids.read(typed, flag);
    if (found.length >= 2 && found.length <= 3 && new Set(found).size === found.length) return found;
    throw plainError(flag, `must be two or three different workers, such as 3,7, got ${typed}`);
  });

export const jointOptions = {
  pairs: option.flag("the best joint lie of every two workers who share what they gain"),
  coalition: coalitionOption("the same of these two or three workers, such as 3,7"),
  falseNames: option.integer(
    "<k>",
    `the best lie of a worker who may also bid under K new names, at most ${MOST_NAMES}`,
    { from: 1, to: MOST_NAMES },
  ),
  newReputation: option.amount("<number>", "with --false-names: the reputation of a new name (0.5)"),
};

interface JointMarket {
  readonly market: Market;
  readonly source: string;
  /** These workers only. */
  readonly ids: readonly number[] | undefined;
}

interface JointQuestion {
  readonly mechanism: AnyMechanism;
  readonly arithmetic: CellArithmetic | undefined;
}

/** Pair by pair, until Ctrl-C. */
export async function answerPairs(
  { market, source, ids }: JointMarket,
  question: JointQuestion,
  session: Session,
): Promise<Answer> {
  demandSize(market, source, "--pairs");
  return answerCoalitions(
    market,
    source,
    { ...question, coalitions: pairsWith(market, ids, source) },
    session,
  );
}

export async function answerCoalition(
  { market, source }: JointMarket,
  { members, ...question }: JointQuestion & { readonly members: readonly number[] },
  session: Session,
): Promise<Answer> {
  chosenIds(market, members, source, "--coalition");
  demandSize(market, source, "--coalition");
  return answerCoalitions(market, source, { ...question, coalitions: [members] }, session);
}

async function answerCoalitions(
  market: Market,
  source: string,
  { coalitions, ...question }: JointQuestion & { readonly coalitions: readonly (readonly number[])[] },
  session: Session,
): Promise<Answer> {
  const found = await session.lookAtEach(coalitions, { label, noun: "pair" }, (members) =>
    coalitionResponses(market, { ...question, coalitions: [members] }),
  );
  const pairs = found.flatMap((one) => one.pairs);
  const responses = { ...summed(question.mechanism, found), pairs };
  return { record: responses, text: () => coalitionsText(source, responses) };
}

/** Of all workers, or those with at least one of the chosen. */
function pairsWith(market: Market, chosen: readonly number[] | undefined, source: string): number[][] {
  const all = market.workers.length;
  const others = chosen === undefined ? 0 : all - new Set(chosen).size;
  demandFewPairs((all * (all - 1) - others * (others - 1)) / 2, source);
  if (chosen === undefined) return pairsOf(market);
  const ids = market.workers.map(({ id }) => id);
  const firsts = new Set(chosen);
  return [...firsts]
    .flatMap((one) =>
      ids
        .filter((other) => other !== one && !(firsts.has(other) && other < one))
        .map((other) => [Math.min(one, other), Math.max(one, other)]),
    )
    .sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d);
}

interface NamesQuestion extends JointQuestion {
  readonly falseNames: number;
  readonly newReputation: number;
}

/** Worker by worker, until Ctrl-C. */
export async function answerNames(
  { market, source, ids: chosen }: JointMarket,
  { falseNames, newReputation, ...question }: NamesQuestion,
  session: Session,
): Promise<Answer> {
  demandSize(market, source, "--false-names", falseNames);
  const ids = chosen ?? market.workers.map(({ id }) => id).sort((a, b) => a - b);
  const found = await session.lookAtEach(ids, { label, noun: "worker" }, (id) =>
    falseNameResponses(market, { ...question, workers: [id], names: falseNames, newReputation }),
  );
  const workers = found.flatMap((one) => one.workers);
  const responses = { ...summed(question.mechanism, found), falseNames, newReputation, workers };
  return { record: responses, text: () => namesText(source, responses) };
}

const label = "joint lies";

type Method = Pick<CoalitionResponses, "mechanism" | "method" | "exact" | "evaluations">;

function summed(mechanism: AnyMechanism, found: readonly Method[]): Method {
  const evaluations = found.reduce((sum, one) => sum + one.evaluations, 0);
  return { ...methodOf(mechanism, found), evaluations };
}

const title = (source: string, found: Method): string =>
  `${source}: mechanism ${found.mechanism}\n  ${methodText(found, {
    whose: "any prices and any arrivals of theirs",
    search: "gains are lower bounds where no other method ends",
  })}`;

const bidText = (price: number, arrival: number): string => `${priceText(price)} at ${arrival}`;

function coalitionsText(source: string, responses: CoalitionResponses): string {
  const { pairs } = responses;
  const column = columnOf(pairs);
  const lies = ({ gain, best, attained }: CoalitionResponse) =>
    gain > 0
      ? `${attained ? "" : rising(gain)}${best.map(({ worker, price, arrival }) => `${worker}: ${bidText(price, arrival)}`).join(", ")}`
      : "truth";
  const shown = table([
    column("workers", ({ workers }) => workers.join(", ")),
    column("truthful", ({ truthful }) => brief(truthful)),
    column("gain", ({ gain }) => brief(gain)),
    column("each alone", ({ alone }) => alone.map(brief).join(", ")),
    column("best bids (price at arrival)", lies),
  ]);
  return `${title(source, responses)}\n\n${shown}\n\n${coalitionsSummary(responses)}\n`;
}

function coalitionsSummary({ pairs, method }: CoalitionResponses): string {
  const gaining = pairs.filter(({ gain }) => gain > 0);
  const noun = pairs.some(({ workers }) => workers.length > 2) ? "coalition" : "pair";
  if (gaining.length === 0)
    return method !== "search"
      ? `None of ${counted(pairs.length, noun)} can gain by any lies about price and arrival.`
      : `No lies that gain were found for ${counted(pairs.length, noun)}.`;
  const most = gaining.reduce((a, b) => (b.gain > a.gain ? b : a));
  const together = gaining.filter(({ alone }) => alone.every((gain) => gain === 0)).length;
  return (
    `${gaining.length} of ${counted(pairs.length, noun)} can gain; the most is ${brief(most.gain)} ` +
    `(workers ${most.workers.join(", ")}).\nIn ${together} of them no member could gain alone.${risingNotes(gaining)}`
  );
}

function namesText(source: string, responses: FalseNameResponses): string {
  const { workers, falseNames, newReputation } = responses;
  const column = columnOf(workers);
  const shown = table([
    column("worker", ({ id }) => String(id)),
    column("truthful", ({ truthful }) => brief(truthful)),
    column("gain", ({ gain }) => brief(gain)),
    column("own name alone", ({ alone }) => brief(alone)),
    column("own bid (price at arrival)", ({ gain, best, attained }) =>
      gain > 0 ? `${attained ? "" : rising(gain)}${bidText(best.price, best.arrival)}` : "truth",
    ),
    column("new names (id: price at arrival)", ({ best }) =>
      best.names.map(({ id, price, arrival }) => `${id}: ${bidText(price, arrival)}`).join(", "),
    ),
  ]);
  const helped = workers.filter(({ gain, alone, best }) => best.names.length > 0 && gain > alone);
  const summary =
    helped.length === 0
      ? `No worker gains by up to ${counted(falseNames, "new name")} of reputation ${newReputation}.`
      : `${helped.length} of ${counted(workers.length, "worker")} gain more with up to ${counted(falseNames, "new name")} of reputation ${newReputation}.`;
  return `${title(source, responses)}\n\n${shown}\n\n${summary}${risingNotes(workers)}\n`;
}
