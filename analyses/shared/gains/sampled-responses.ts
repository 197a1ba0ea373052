/** Asks a market's workers what lying would bring them: everybody where answers are exact, some where they take a search. */

import { bestResponses, type Responses } from "../../../src/best-response/index.js";
import type { Market } from "../../../src/market/market.js";
import type { AnyMechanism } from "../../../src/mechanisms/mechanism.js";

export interface Inquiry {
  readonly mechanism: AnyMechanism;
  /** At most so many workers of a market, spread evenly over their ids; null: everybody. */
  readonly asked: number | null;
}

export function ask(market: Market, { mechanism, asked }: Inquiry): Responses {
  if (asked === null || asked >= market.workers.length) return bestResponses(market, { mechanism });
  const ids = market.workers.map(({ id }) => id).sort((a, b) => a - b);
  const workers = Array.from({ length: asked }, (_, k) => ids[Math.floor(((k + 0.5) * ids.length) / asked)]!);
  return bestResponses(market, { mechanism, workers });
}
