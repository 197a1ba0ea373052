/** The bids of a run: bids from a file, an agent for the others or for one of them, the truth for the rest. */

import type { Agent, AnyAgent, Offer } from "../agents/agent.js";
import { type Correction, playMarket } from "../agents/play.js";
import { plainError } from "../lib/errors.js";
import { stream } from "../lib/random.js";
import type { Bid, Market, Worker } from "../market/market.js";
import { completeBids, parseBids } from "../market/parse.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import { chosenIds, readText } from "./input.js";
import { resolveAgent } from "./resolve.js";

export interface BidFlags {
  readonly bids?: string;
  /** A run for each. */
  readonly agent?: readonly string[];
  readonly worker?: readonly number[];
  readonly seed: string;
}

interface Bidding {
  /** The agent's name, if one plays. */
  readonly agent: string | undefined;
  /** The bids in a market, which is the nth of the input. */
  bids(market: Market, source: string, n: number): Bid[];
  /** The bids so far that were not legal. */
  readonly corrections: Corrections;
}

/** One for each agent; one without any where none is named. */
export async function biddingsOf(flags: BidFlags, mechanism: AnyMechanism): Promise<Bidding[]> {
  if (flags.worker !== undefined && flags.agent === undefined)
    throw plainError("--worker", "says whom an agent plays, so there must be an --agent");
  const given = flags.bids === undefined ? [] : parseBids(await readText(flags.bids), flags.bids);
  const agents = await Promise.all((flags.agent ?? []).map(resolveAgent));
  return (agents.length === 0 ? [undefined] : agents).map((agent) =>
    biddingOf(flags, { given, agent, mechanism }),
  );
}

interface Player {
  readonly given: ReturnType<typeof parseBids>;
  readonly agent: AnyAgent | undefined;
  readonly mechanism: AnyMechanism;
}

function biddingOf(flags: BidFlags, { given, agent, mechanism }: Player): Bidding {
  const corrections = new Corrections();
  return {
    corrections,
    agent: agent?.name,
    bids: (market, source, n) => {
      const bids = completeBids(given, market, { source: flags.bids ?? "", market: source });
      const ids = chosenIds(market, flags.worker, source);
      if (agent === undefined) return bids;
      const written = new Map(bids.map((bid) => [bid.worker, always(bid)]));
      const played = ({ id }: Worker) => (ids?.includes(id) === false ? undefined : agent);
      const agents = (worker: Worker) => written.get(worker.id) ?? played(worker);
      return playMarket({
        market,
        agents,
        stream: stream(flags.seed).fork(n),
        mechanism,
        onCorrection: corrections.add,
      });
    },
  };
}

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
