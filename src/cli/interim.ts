/** Lies of workers who do not see the others, on the command line: what they believe, and what is printed. */

import type { AnyMechanism } from "../auction/mechanism.js";
import { plainError } from "../lib/errors.js";
import { brief, columnOf, counted, percent, table } from "../lib/format.js";
import { stream } from "../lib/random.js";
import { chosenWorkers, type Market, type Worker } from "../market/market.js";
import { MOST_ROUNDS } from "../market/rules.js";
import { type Belief, believedMarket, drawnBelief, resampledBelief } from "../responses/belief.js";
import { Interim, type InterimResponse, type InterimResponses } from "../responses/interim.js";
import { averageText, explainOnAverage } from "../verdicts/explain-interim.js";
import { distributionsOf } from "./draw.js";
import { type Answer, isTable, readMarkets } from "./input.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const DRAWS = 1000;
const SEED = "1";

/** There are no defaults here, so that whatever is given without --interim is noticed. */
export const interimOptions = {
  interim: option.flag("for a worker who knows its type and the rules, but not the others' bids"),
  draws: option.integer(
    "<k>",
    `with --interim: draws of the others to choose a lie on; up to eight times as many others judge it (${DRAWS})`,
    { from: 10, to: 1e5 },
  ),
  belief: option.text("<file>", "with --interim: the others are drawn from the workers of these markets"),
  seed: option.text("<s>", `with --interim: the seed of the draws, any text (${SEED})`),
  reputation: option.text("<expression>", "with --interim: the others' reputations, as in draw"),
  cost: option.text("<expression>", "with --interim: the others' costs, as in draw"),
};

/** --arrival, as in draw; to explain, that is what the worker claims, and this is --others-arrival. */
export const othersArrival = option.text("<expression>", "with --interim: the others' arrivals, as in draw");

/** The flags, and the expression for the others' arrivals under its name. */
interface BeliefFlags {
  readonly flags: option.FlagsOf<typeof interimOptions>;
  readonly arrival: { readonly flag: string; readonly expression: string | undefined };
}

/** What workers of a market believe of the others; null without --interim, where all that belongs to it is refused. */
export async function beliefFor(
  { flags, arrival }: BeliefFlags,
  session: Session,
): Promise<((market: Market) => Belief) | null> {
  const { draws, belief: path, seed, reputation, cost } = flags;
  const expressions = { "--reputation": reputation, "--cost": cost, [arrival.flag]: arrival.expression };
  const refuse = (given: Readonly<Record<string, unknown>>, why: string) => {
    for (const [flag, value] of Object.entries(given)) if (value !== undefined) throw plainError(flag, why);
  };
  if (!flags.interim) {
    refuse({ "--draws": draws, "--belief": path, "--seed": seed, ...expressions }, "needs --interim");
    return null;
  }
  const random = stream(seed ?? SEED).fork("belief");
  if (path === undefined) {
    const distributions = await distributionsOf(
      { reputation, cost, arrival: arrival.expression },
      arrival.flag,
    );
    return (market) => drawnBelief(believedMarket(market), random, distributions);
  }
  refuse(expressions, "cannot be given with --belief");
  const pool: Worker[] = [];
  // What a table's market would be paid from does not matter here, and how late somebody may come is checked below.
  const rules = isTable(path) ? { budget: 0, rounds: MOST_ROUNDS } : {};
  for await (const { market } of readMarkets([path], session, rules)) pool.push(...market.workers);
  return (market) => resampledBelief(believedMarket(market), random, { pool, source: path });
}

interface InterimRequest {
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  readonly belief: Belief;
  /** These workers only. */
  readonly ids?: readonly number[] | undefined;
  readonly draws?: number | undefined;
}

/** Everybody's responses, or those found until Ctrl-C. */
export async function respondInterim(request: InterimRequest, session: Session): Promise<InterimResponses> {
  const { market, mechanism, belief, ids, draws = DRAWS } = request;
  const interim = new Interim({ rules: market.rules, mechanism, belief, draws });
  const shown = { label: `lies to ${mechanism.name}`, noun: "worker" };
  const asked = chosenWorkers(market, ids);
  const workers = await session.lookAtEach(asked, shown, (one) => interim.response(one));
  return interim.responses(workers);
}

export function interimText(source: string, responses: InterimResponses): string {
  const { mechanism, exact, judgedOn, belief, assumes, workers } = responses;
  const best = exact
    ? "no other lie does better on average on the draws it was chosen on"
    : "found by a search";
  const column = columnOf(workers);
  const rows = table([
    column("worker", ({ id }) => String(id)),
    column("truthful", ({ truthful }) => brief(truthful)),
    column("gain", ({ gain }) => brief(gain)),
    column("95 % from", ({ low }) => endText(low)),
    column("to", ({ high }) => endText(high)),
    column("", verdictOf),
    column("best price", ({ best, lie }) => (lie === "truth" ? "truth" : brief(best.price))),
    column("arrival", ({ best }) => String(best.arrival)),
    column("gains in", ({ gains }) => percent(gains)),
    column("loses in", ({ loses }) => percent(loses)),
    column("", ({ startsEarlier }) => movedText(startsEarlier)),
  ]);
  const given = assumes === undefined ? "" : `\n  intervals hold if ${assumes}`;
  return [
    `${source}: mechanism ${mechanism}, the others' bids not seen\n  ${best}; judged on ${judgedOn} other draws of the others, from ${belief}${given}`,
    rows,
    `${summary(responses)}\n`,
  ].join("\n\n");
}

const endText = (end: number): string => (Number.isNaN(end) ? "–" : brief(end));

/** What the draws say of a lie. */
function verdictOf({ lie, low, high }: Pick<InterimResponse, "lie" | "low" | "high">) {
  if (lie === "truth") return "";
  if (Number.isNaN(low)) return "no interval";
  if (low > 0) return "pays";
  return high < 0 ? "loses" : "not decided";
}

const movedText = (share: number): string =>
  share > 0 ? `starts the task earlier in ${percent(share)}` : "";

function summary({ workers, judgedOn }: InterimResponses): string {
  const those = (verdict: ReturnType<typeof verdictOf>) =>
    workers.filter((one) => verdictOf(one) === verdict);
  const [sure, open, without] = [those("pays"), those("not decided"), those("no interval")];
  const all = counted(workers.length, "worker");
  const sentences = [];
  if (sure.length === 0) sentences.push(`No lie is shown to pay on average for any of ${all}.`);
  else {
    const most = sure.reduce((a, b) => (b.gain > a.gain ? b : a));
    sentences.push(
      `For ${sure.length} of ${all} a lie pays on average (95 % each); the most is ${brief(most.gain)} (worker ${most.id}).`,
    );
  }
  if (open.length > 0)
    sentences.push(
      `For ${open.length} of ${all} ${judgedOn} draws do not decide whether the lie pays: the interval contains 0.`,
    );
  if (without.length > 0)
    sentences.push(
      `For ${without.length} of ${all} there is no interval: a payment exceeds the budget or is negative, and no bound on payments is known.`,
    );
  return sentences.join(" ");
}

interface InterimExplained extends Omit<InterimRequest, "ids"> {
  readonly worker: number;
  /** The bid to explain; the best one if left out. */
  readonly bid?: { readonly price: number; readonly arrival: number } | undefined;
}

/** What `explain --interim` prints. */
export function explainInterim(source: string, asked: InterimExplained): Answer {
  const { market, mechanism, belief, worker: id, draws = DRAWS, bid } = asked;
  const worker = market.workers.find((one) => one.id === id)!;
  const interim = new Interim({ rules: market.rules, mechanism, belief, draws });
  const chosen = bid ? { ...bid, gain: Number.NaN } : interim.choose(worker);
  const response = interim.judge(worker, chosen);
  const { price, arrival } = chosen;
  const explanation = explainOnAverage(
    interim.judgingMarkets(worker, draws),
    { worker: id, price, arrival },
    mechanism,
  );
  const { truthful, gain, low, high, best } = response;
  const { workers: _, ...about } = interim.responses([]);
  const record = { ...about, ...{ worker, truthful, gain, low, high, best, ...explanation } };
  const type = `cost ${brief(worker.cost)}, arrival ${worker.arrival}, reputation ${brief(worker.reputation)}`;
  const whose = bid ? "This bid" : "Its best lie";
  const interval = Number.isNaN(low)
    ? "no interval: a payment exceeds the budget or is negative, and no bound on payments is known"
    : `95 %: ${brief(low)} to ${brief(high)}${verdictOf(response) === "not decided" ? ", so the draws do not decide whether it pays" : ""}`;
  const sentence =
    response.lie === "truth"
      ? bid
        ? "This bid is the truth."
        : "No lie does better than the truth on the draws it could be chosen on."
      : `${whose}, price ${brief(price)} at arrival ${arrival} (${response.lie}), gains ${brief(gain)} on average (${interval}); the truth earns ${brief(truthful)}.`;
  const given = about.assumes === undefined ? "" : `\n  the interval holds if ${about.assumes}`;
  const head = `worker ${id} (${type}), mechanism ${mechanism.name}, the others' bids not seen\n  ${about.judgedOn} draws of the others, from ${belief.about}${given}`;
  const explained = explanation.changes.reduce((sum, change) => sum + change.share * change.gain, 0);
  const onThese = `Over the first ${draws} of these draws its gain is ${brief(explained)} on average.`;
  const text =
    response.lie === "truth" ? sentence : `${sentence}\n\n${onThese} ${averageText(explanation, explained)}`;
  return { record, text: () => `${source}: ${head}\n\n${text}\n` };
}
