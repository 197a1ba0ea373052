/** Who plays whom: several agents in one population, as in "shirker@3,7", "overbid@25%" and "learner" for the others. */

import { plainError, showValue } from "../lib/errors.js";
import { type Stream, shuffled } from "../lib/random.js";
import type { AnyAgent } from "./agent.js";

/** These workers, a share of all, or whoever no other agent plays. */
type Whom = { readonly ids: readonly number[] } | { readonly share: number } | "others";

export interface Player {
  /** As it was named, for messages and tables. */
  readonly name: string;
  readonly agent: AnyAgent;
  readonly whom: Whom;
}

/** Splits "shirker@3,7" into the agent and whom it plays. */
export function splitPlayer(text: string): { readonly agent: string; readonly whom: Whom } {
  const [, agent = text, whom] = /^(.*)@([\d\s.,%]+)$/s.exec(text) ?? [];
  if (whom === undefined) return { agent, whom: "others" };
  if (/^[\d.]+%$/.test(whom)) {
    const share = Number(whom.slice(0, -1)) / 100;
    if (share > 0 && share <= 1) return { agent, whom: { share } };
  } else if (/^\d+(,\d+)*$/.test(whom)) return { agent, whom: { ids: whom.split(",").map(Number) } };
  throw plainError(
    `--agent ${showValue(text)}`,
    "behind the @ must stand workers, as in @3,7, or a share of them above 0 and up to 100 %, as in @25%",
  );
}

/** Who plays each of these workers: first those that are named, then shares, drawn from the rest; the others keep to themselves. */
export function playersOf(
  players: readonly Player[],
  ids: readonly number[],
  stream: Stream,
): ReadonlyMap<number, Player> {
  const played = new Map<number, Player>();
  const claim = (player: Player, id: number) => {
    if (!ids.includes(id)) throw plainError(`--agent ${player.name}`, `there is no worker ${id}`);
    const other = played.get(id);
    if (other) throw plainError(`--agent ${player.name}`, `worker ${id} is played by ${other.name} already`);
    played.set(id, player);
  };
  for (const player of players)
    if (player.whom !== "others" && "ids" in player.whom) for (const id of player.whom.ids) claim(player, id);
  const rest = shuffled(
    ids.filter((id) => !played.has(id)),
    stream,
  );
  for (const player of players) for (const id of some(player, ids.length, rest)) played.set(id, player);
  const [others, second] = players.filter(({ whom }) => whom === "others");
  if (second)
    throw plainError(
      `--agent ${second.name}`,
      `plays all others, and so does ${others!.name}; @ says who plays whom`,
    );
  if (others) for (const id of rest) played.set(id, others);
  return played;
}

/** Takes a share of all workers out of those that are left. */
function some({ name, whom }: Player, all: number, rest: number[]): number[] {
  if (whom === "others" || "ids" in whom) return [];
  const count = Math.round(whom.share * all);
  if (count <= rest.length) return rest.splice(0, count);
  throw plainError(
    `--agent ${name}`,
    `of ${all} workers ${rest.length} are left, and it is to play ${count}`,
  );
}
