/** `candor explain`: the truthful and the lying run side by side, and why the lie pays. */

import { type AnyMechanism, mayLeaveOut } from "../auction/mechanism.js";
import { InputError, plainError } from "../lib/errors.js";
import { brief, table } from "../lib/format.js";
import type { Bid, Market } from "../market/market.js";
import { coalitionResponses } from "../responses/coalition.js";
import { bestResponses } from "../responses/index.js";
import {
  type Account,
  causesText,
  differenceText,
  type Explanation,
  explain,
  gainText,
} from "../verdicts/explain.js";
import { coalitionText, explainCoalition } from "../verdicts/explain-coalition.js";
import { type Audit, audit } from "../verdicts/myerson.js";
import { auditText } from "./check.js";
import { answerEach, chosenIds, jsonLines, marketHelp, mechanismOption } from "./input.js";
import { beliefFor, explainInterim, interimOptions, othersArrival } from "./interim.js";
import { coalitionOption } from "./joint-lies.js";
import { resolveMechanism } from "./resolve.js";
import { csvRules } from "./rules.js";
import type { Session } from "./session.js";
import { demandSize } from "./sizes.js";
import * as option from "./values.js";

const examples = `${marketHelp}

Without --price and --arrival the worker's best lie is explained; with one of them the other is the truth.

With --interim it is explained what the lie does on average over draws of the others, whose bids the worker does not see.

Examples:
  candor explain market.json --worker 3
  candor explain market.json --worker 3 --price 0.2 --arrival 2
  candor explain market.json --worker 3 --interim
  candor explain market.json --coalition 3,7`;

const id = option.integer("<id>", "who lies", { from: 0 });

const options = {
  ...interimOptions,
  othersArrival,
  ...csvRules,
  worker: option.value("<id>", "who lies", (typed, flag, before?: number) => {
    // The last would otherwise count alone, without a word.
    if (before === undefined) return id.read(typed, flag);
    throw plainError(flag, "may be given once; --coalition 3,7 explains what several do together");
  }),
  coalition: coalitionOption("two or three workers whose best joint lie is explained"),
  price: option.amount("<number>", "the price it bids"),
  arrival: option.integer("<clock>", "the arrival it claims", { from: 1 }),
  mechanism: mechanismOption,
  json: jsonLines,
};

type Flags = option.FlagsOf<typeof options>;
type WorkerFlags = Flags & { readonly worker: number };
type CoalitionFlags = Flags & { readonly coalition: readonly number[] };

export const define = option.command(
  { argument: ["<market>", "a market file, or -"], options, help: examples },
  run,
);

/** Who gives up what for whom in the best joint lie. */
async function runCoalition(path: string, flags: CoalitionFlags, session: Session): Promise<void> {
  for (const name of ["worker", "price", "arrival", "interim"] as const)
    if (flags[name] !== undefined) throw plainError(`--${name}`, "cannot be given with --coalition");
  const mechanism = await resolveMechanism(flags.mechanism);
  await answerEach([path], { ...flags, leftOut: mayLeaveOut(mechanism) }, session, ({ market, source }) => {
    for (const id of flags.coalition) chosenIds(market, [id], source, "--coalition");
    demandSize(market, source, "explain");
    const { pairs, exact } = coalitionResponses(market, { mechanism, coalitions: [flags.coalition] });
    const explanation = explainCoalition(market, pairs[0]!.best, mechanism);
    return { record: { exact, ...explanation }, text: () => coalitionText(source, explanation) };
  });
}

async function run(path: string, given: Flags, session: Session): Promise<void> {
  const { coalition } = given;
  if (coalition) return runCoalition(path, { ...given, coalition }, session);
  const worker = option.required(given.worker, "--worker", "the id of a worker, unless --coalition is given");
  const flags = { ...given, worker };
  const mechanism = await resolveMechanism(flags.mechanism);
  const arrival = { flag: "--others-arrival", expression: flags.othersArrival } as const;
  const beliefOf = await beliefFor({ flags, arrival }, session);
  await answerEach([path], { ...flags, leftOut: mayLeaveOut(mechanism) }, session, ({ market, source }) => {
    chosenIds(market, [worker], source);
    demandSize(market, source, "explain");
    if (beliefOf) {
      const asked = { market, mechanism, belief: beliefOf(market), worker, draws: flags.draws };
      return explainInterim(source, { ...asked, bid: givenBid(market, flags) });
    }
    const { bid, chosen } = lieOf(market, mechanism, flags);
    const explanation = explain(market, bid, { mechanism });
    const myerson = audit(market, worker, mechanism);
    const record = { mechanism: mechanism.name, ...explanation, audit: myerson };
    return { record, text: () => explainText({ source, chosen, record }) };
  });
}

/** The lie that was asked for, or the best one. */
function lieOf(
  market: Market,
  mechanism: AnyMechanism,
  flags: WorkerFlags,
): Pick<SourcedExplanation, "chosen"> & { bid: Bid } {
  const given = givenBid(market, flags);
  if (given) return { bid: given, chosen: "given" };
  const { workers, method } = bestResponses(market, {
    mechanism,
    workers: [flags.worker],
    inFractions: true,
  });
  const { best, gain } = workers[0]!;
  const bid = { worker: flags.worker, price: best.price, arrival: best.arrival };
  if (gain === Number.POSITIVE_INFINITY) return { bid, chosen: "unbounded" };
  return { bid, chosen: method === "search" ? "search" : "known" };
}

/** The bid that was asked for, if any. */
function givenBid(market: Market, { worker: id, price, arrival }: WorkerFlags): Bid | undefined {
  if (price === undefined && arrival === undefined) return undefined;
  const worker = market.workers.find((candidate) => candidate.id === id)!;
  if (arrival !== undefined && (arrival < worker.arrival || arrival > market.rules.rounds)) {
    const expected = `an integer from ${worker.arrival} (the true arrival) to ${market.rules.rounds}`;
    throw new InputError({ source: "--arrival", path: [], expected, kind: "invalid", got: arrival });
  }
  return { worker: id, price: price ?? worker.cost, arrival: arrival ?? worker.arrival };
}

interface SourcedExplanation {
  readonly source: string;
  /** Who chose the bid: the user, a method that knows all lies, which may have found that none is best, or a search that may have missed a better one. */
  readonly chosen: "given" | "known" | "unbounded" | "search";
  readonly record: Explanation & { readonly mechanism: string; readonly audit: Audit | null };
}

function explainText({ source, chosen, record }: SourcedExplanation): string {
  const { worker, mechanism, causes, audit } = record;
  const type = `cost ${brief(worker.cost)}, arrival ${worker.arrival}, reputation ${brief(worker.reputation)}`;
  const parts = [
    `${source}: worker ${worker.id} (${type}), mechanism ${mechanism}`,
    sideBySide(record),
    `${choiceText(chosen, record)}${gainText(record)}`,
  ];
  if (causes) parts.push(causesText(causes, record.gain));
  parts.push(differenceText(record));
  if (audit) parts.push(auditText(audit));
  return `${parts.join("\n\n")}\n`;
}

/** What is known of the other lies, where the best one was asked for. */
function choiceText(chosen: SourcedExplanation["chosen"], { kind }: Explanation): string {
  if (chosen === "given") return "";
  if (chosen === "unbounded") return "No lie is its best: higher prices gain without bound. ";
  if (kind === null)
    return chosen === "known" ? "No lie gains anything. " : "A search found no lie that gains. ";
  return chosen === "known" ? "This is its best lie. " : "This is the best lie that a search found. ";
}

function sideBySide({ truth, lie }: Explanation): string {
  const rows: [string, (account: Account) => string][] = [
    ["price", ({ bid }) => String(bid.price)],
    ["arrival", ({ bid }) => String(bid.arrival)],
    ["start", ({ startDelay }) => startText(startDelay)],
    ["selected in round", ({ selectedAt }) => String(selectedAt ?? "never")],
    ["rounds worked", ({ rounds }) => String(rounds)],
    ["payment", ({ payment }) => brief(payment)],
    ["utility", ({ utility }) => brief(utility)],
  ];
  return table([
    { head: "", cells: rows.map(([name]) => name) },
    { head: "truth", cells: rows.map(([, cell]) => cell(truth)) },
    { head: "lie", cells: rows.map(([, cell]) => cell(lie)) },
  ]);
}

const startText = (delay: number | null): string =>
  delay === null ? "never" : delay === 0 ? "on time" : `${delay} late`;
