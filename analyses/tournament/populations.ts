/** Who sits where: an agent alone among the truthful, in a growing part of the population, or all agents together. */

import type { AnyAgent } from "../../src/agents/agent.js";
import type { Stream } from "../../src/lib/random.js";
import type { Market } from "../../src/market/market.js";
import { type AnyMechanism, hold } from "../../src/mechanisms/mechanism.js";
import { play, type Score } from "./match.js";

export const MIXED = "all agents mixed";
export const ALONE = "alone";

export interface Arena {
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  readonly agents: readonly AnyAgent[];
  readonly stream: Stream;
  /** Parts of the population that play one agent. */
  readonly shares: readonly number[];
  /** At most so many workers are measured in each population. */
  readonly measured: number;
  readonly tasks: number;
}

export interface PopulationScore extends Score {
  readonly population: string;
}

export const populationName = (share: number): string =>
  share === 1 ? "everybody plays it" : `${Math.round(100 * share)} % play it`;

/** Every agent in every population of one market. Seats are the same for all agents. */
export function contest(arena: Arena): PopulationScore[] {
  const { market, mechanism, agents, stream, tasks } = arena;
  const seats = shuffled(
    market.workers.map(({ id }) => id),
    stream.fork("seats"),
  );
  const base = { market, mechanism, tasks, truth: hold(mechanism, market) };
  const match = (population: string, cast: Map<number, AnyAgent>, measured: readonly number[]) =>
    play({ ...base, cast, measured, stream: stream.fork(population) }).map((score) => ({
      ...score,
      population,
    }));
  const some = seats.slice(0, arena.measured);
  const single = agents.flatMap((agent) => [
    ...some.flatMap((id) => match(ALONE, new Map([[id, agent]]), [id])),
    ...arena.shares.flatMap((share) => {
      const players = seats.slice(0, Math.max(1, Math.round(share * seats.length)));
      const cast = new Map(players.map((id) => [id, agent]));
      return match(populationName(share), cast, players.slice(0, arena.measured));
    }),
  ]);
  const everybody = new Map(seats.map((id, k) => [id, agents[k % agents.length]!]));
  return [...single, ...match(MIXED, everybody, seats)];
}

/** Fisher and Yates. */
function shuffled<Item>(items: readonly Item[], stream: Stream): Item[] {
  const order = [...items];
  for (let k = order.length - 1; k > 0; k--) {
    const other = stream.below(k + 1);
    [order[k], order[other]] = [order[other]!, order[k]!];
  }
  return order;
}
