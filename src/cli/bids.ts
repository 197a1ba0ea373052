/** The bids of a run: bids from a file, agents for the others or for some of them, the truth for the rest. */

import type { Agent, Offer } from "../agents/agent.js";
import { type Correction, playersOf, playMarket } from "../agents/play.js";
import { plainError } from "../lib/errors.js";
import { stream } from "../lib/random.js";
import type { Bid, Market } from "../market/market.js";
import { completeBids, parseBids } from "../market/parse.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import { chosenIds, readText } from "./input.js";
import { resolvePlayer } from "./resolve.js";

export interface BidFlags {
  readonly bids?: string;
  readonly agent: readonly string[];
  readonly worker?: readonly number[];
  readonly seed: string;
}

interface Bidding {
  /** The agents' names, if some play. */
  readonly agent: string | undefined;
  /** The bids in a market, which is the nth of the input. */
  bids(market: Market, source: string, n: number): Bid[];
  /** The bids so far that were not legal. */
  readonly corrections: Corrections;
}

export async function biddingOf(flags: BidFlags, mechanism: AnyMechanism): Promise<Bidding> {
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
    bids: (market, source, n) => {
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

/** As they were named; undefined if nobody plays. */
export const agentsText = (players: readonly { readonly name: string }[]): string | undefined =>
  players.length === 0 ? undefined : players.map(({ name }) => name).join(" | ");

/** Whoever's bid is in a file, as an agent: informed ones see it too. */
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
