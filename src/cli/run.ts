/** `candor run`: the auction on one market or many. */

import type { Agent, Offer } from "../agents/agent.js";
import { type Correction, playersOf, playMarket } from "../agents/play.js";
import { type AnyMechanism, mayLeaveOut } from "../auction/mechanism.js";
import { type RunRecord, recordRun } from "../auction/run-record.js";
import { traceText } from "../auction/trace.js";
import { plainError } from "../lib/errors.js";
import { brief, columnOf, counted, hangingList, table } from "../lib/format.js";
import { stream } from "../lib/random.js";
import { type Bid, bidders, groupOf, type Market } from "../market/market.js";
import { completeBids, parseBids } from "../market/parse.js";
import { readingFacts } from "../market/words.js";
import { type Field, moneySentence, outcomeFields, startSentence, textTable } from "../report/views.js";
import { readText } from "./files.js";
import { answerEach, chosenIds, jsonLines, marketFiles, marketHelp, mechanismOption } from "./input.js";
import { resolveMechanism, resolvePlayer } from "./resolve.js";
import { csvRules } from "./rules.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const examples = `${marketHelp}

Examples:
  candor run market.json --trace
  candor run market.json --agent overbid:factor=1.5@3
  candor run market.json --agent low-baller@25% --agent learner
  candor run bids.csv --budget 125 --rounds 10
  candor draw --workers 100 --budget 125 --count 1000 | candor run - --json > outcomes.jsonl`;

const options = {
  ...csvRules,
  bids: option.text("<file>", "bids of workers; those that are not in it tell the truth"),
  agent: option.texts(
    "<spec>",
    "who plays the workers that are not in --bids: a name, a file or a formula, as in candor try; or some of them: overbid@3,7 or overbid@25%; may be repeated",
  ),
  worker: option.several(
    option.integer("<id>", "the agent plays this worker only; may be repeated", { from: 0 }),
  ),
  seed: option.text("<s>", "the seed of agents that draw, any text").default("1"),
  mechanism: mechanismOption,
  trace: option.flag("every decision with the numbers that decided it"),
  json: jsonLines,
};

type Flags = option.FlagsOf<typeof options>;

export const define = option.command({ argument: marketFiles, options, help: examples }, run);

/** A trace tells of every worker in every round and is held in memory: beyond this it would not fit. */
const MOST_DECISIONS = 1_000_000;

function demandTraceable({ rules, workers }: Market, source: string): void {
  if (rules.rounds * workers.length <= MOST_DECISIONS) return;
  const size = `${workers.length} workers × ${rules.rounds} rounds`;
  throw plainError(source, `${size} are too many for --trace, which shows at most ${MOST_DECISIONS}`);
}

async function run(paths: readonly string[], flags: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(flags.mechanism);
  const bidding = await biddingOf(flags, mechanism);
  const traced = flags.trace ?? false;
  await answerEach(paths, { ...flags, leftOut: mayLeaveOut(mechanism) }, session, ({ market, source }, n) => {
    if (traced) demandTraceable(market, source);
    const bids = bidding.bids(market, source, n);
    const record = recordRun({ market, mechanism, agent: bidding.agent, bids, traced });
    return { record, text: () => runText({ source, market, record }) };
  });
  if (bidding.corrections.line !== null) session.warn(`warning: ${bidding.corrections.line}`);
}

/** Who plays, what they bid in a market, which is the nth of the input, and their bids so far that were not legal. */
async function biddingOf(flags: Flags, mechanism: AnyMechanism) {
  const { worker, agent: specs } = flags;
  if (worker !== undefined && specs.length !== 1)
    throw plainError("--worker", "says whom an agent plays, so there must be one --agent");
  const given = flags.bids === undefined ? [] : parseBids(await readText(flags.bids), flags.bids);
  const named = worker === undefined ? specs : specs.map((spec) => `${spec}@${worker.join(",")}`);
  const players = await Promise.all(named.map(resolvePlayer));
  const corrections = new Corrections();
  return {
    corrections,
    agent: agentsText(worker === undefined ? players : players.map((player) => player.agent)),
    bids: (market: Market, source: string, n: number): Bid[] => {
      const bids = completeBids(given, market, { source: flags.bids ?? "", market: source });
      chosenIds(market, worker, source);
      if (players.length === 0) return bids;
      const written = new Map(bids.map((bid) => [bid.worker, always(bid)]));
      const ids = market.workers.map(({ id }) => id);
      const draws = stream(flags.seed).fork(n);
      const played = playersOf(players, ids, draws.fork("players"));
      return playMarket({
        market,
        agents: ({ id }) => written.get(id) ?? played.get(id)?.agent,
        stream: draws,
        mechanism,
        onCorrection: corrections.add,
      });
    },
  };
}

/** As they were named; undefined if there is no agent. */
export const agentsText = (players: readonly { readonly name: string }[]): string | undefined =>
  players.length === 0 ? undefined : players.map(({ name }) => name).join(" | ");

/** A worker whose bid is in a file, as an agent: informed ones see it too. */
const always = (offer: Offer): Agent => ({
  name: "as written",
  about: "Bids what a file says.",
  traits: { stochastic: false, lies: ["price", "time"], sees: "own", learns: false },
  bid: () => offer,
});

/** Counts corrections, and remembers the first. */
export class Corrections {
  private first: Correction | undefined;
  private count = 0;

  readonly add = (correction: Correction): void => {
    this.first ??= correction;
    this.count++;
  };

  /** One line, whatever their number; null if there are none. */
  get line(): string | null {
    if (this.first === undefined) return null;
    const { agent, worker, said, used } = this.first;
    const changes = (["price", "arrival"] as const)
      .filter((field) => said[field] !== used[field])
      .map((field) => `${field} ${said[field]} became ${used[field]}`)
      .join(", ");
    return this.count === 1
      ? `agent ${agent}: the bid of worker ${worker} was not legal and was corrected: ${changes}`
      : `agent ${agent}: ${this.count} bids were not legal and were corrected, such as that of worker ${worker}: ${changes}`;
  }
}

interface SourcedRun {
  readonly source: string;
  readonly market: Market;
  readonly record: RunRecord;
}

/** Title, the trace if there is one, and the outcome. */
function runText(run: SourcedRun): string {
  const parts = run.record.trace === undefined ? [] : [bidsTable(run), legend(run), traceOf(run)];
  return `${[title(run), ...parts, outcomeText(run)].join("\n\n")}\n`;
}

function title({ source, market, record }: SourcedRun): string {
  const { budget, rounds, firstRoundRatio, minWorkers } = market.rules;
  const facts = [
    counted(market.workers.length, "worker"),
    `budget B = ${brief(budget)}`,
    `T = ${counted(rounds, "round")}`,
    `first-round ratio ${brief(firstRoundRatio)}`,
    `at least ${counted(minWorkers, "worker")}`,
    ...readingFacts(market.rules),
  ];
  const agent = record.agent === undefined ? "" : `, agent ${record.agent}`;
  return `${source}: mechanism ${record.mechanism}${agent}\n${hangingList("  ", facts)}`;
}

function legend({ market, record }: SourcedRun): string {
  const lines = ["Workers are written id (density). [M3] and the like name the rule behind the numbers."];
  if (record.trace?.some(({ kind }) => kind === "round")) {
    const first = market.rules.reading === "prose" ? "highest" : "lowest";
    lines.push(`Each group is judged by the other's threshold, the ${first} reputation first [M8, M11].`);
  }
  return lines.join("\n");
}

/** What the publisher hears, by id. */
function bidsTable({ market, record }: SourcedRun): string {
  const reputation = new Map(market.workers.map((worker) => [worker.id, worker.reputation]));
  const re = ({ id }: { id: number }) => reputation.get(id)!;
  const { workers } = record;
  const column = columnOf(workers);
  return table([
    column("worker", ({ id }) => String(id)),
    column("group", ({ id }) => String(groupOf(id))),
    column("arrival", ({ arrival }) => String(arrival)),
    column("Re", (worker) => brief(re(worker))),
    column("price", ({ price }) => brief(price)),
    column("density", (worker) => (re(worker) > 0 ? brief(worker.price / re(worker)) : "none [M1]")),
  ]);
}

function traceOf({ market, record }: SourcedRun): string {
  const bids = record.workers.map(({ id, price, arrival }) => ({ worker: id, price, arrival }));
  return traceText(record.trace ?? [], { rules: market.rules, bidders: bidders(market.workers, bids) });
}

function outcomeText(run: SourcedRun): string {
  const { market, record } = run;
  const sentences = [startSentence(record), moneySentence(record, market.rules.budget)];
  return [...sentences, ...eventsText(record), "", outcomeTable(run)].join("\n");
}

function eventsText({ budgetEvents }: RunRecord): string[] {
  if (budgetEvents.length === 0) return ["No budget events."];
  const items = budgetEvents.map(({ round, worker, kind }) => `${worker} ${kind} in round ${round}`);
  return [hangingList(`${counted(items.length, "budget event")}: `, items)];
}

/** Everybody, by id; the true type beside the bid where the two differ. */
function outcomeTable({ market, record }: SourcedRun): string {
  const truth = new Map(market.workers.map((worker) => [worker.id, worker]));
  const { workers } = record;
  type Row = (typeof workers)[number];
  const typeOf = ({ id }: Row) => truth.get(id)!;
  const liesAboutPrice = workers.some((row) => row.price !== typeOf(row).cost);
  const liesAboutTime = workers.some((row) => row.arrival !== typeOf(row).arrival);
  const fields: (Field<Row> | false)[] = [
    { head: "worker", text: ({ id }) => String(id) },
    { head: "reputation", text: (row) => brief(typeOf(row).reputation) },
    { head: "cost", text: (row) => brief(typeOf(row).cost) },
    liesAboutPrice && { head: "price bid", text: ({ price }) => brief(price) },
    { head: "arrival", text: (row) => String(typeOf(row).arrival) },
    liesAboutTime && { head: "arrival bid", text: ({ arrival }) => String(arrival) },
    ...outcomeFields(brief),
  ];
  return textTable(
    fields.filter((field) => field !== false),
    workers,
  );
}
