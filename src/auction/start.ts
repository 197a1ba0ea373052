/** What a start at a clock tick means: from which round on how many rounds are bought, and for what money ([M5], [M6]). */

import type { Rules } from "../market/market.js";

export interface StartAt {
  /** The first round that is worked. */
  readonly round: number;
  /** s: how many rounds the first step buys. */
  readonly buys: number;
  /** Round t is clock t + offset. */
  readonly offset: number;
}

/** A start that is postponed loses no round; else rounds are clock ticks, and those before the start are lost. */
export function startAt({ rounds, delay }: Pick<Rules, "rounds" | "delay">, clock: number): StartAt {
  if (delay === "postpone") return { round: 1, buys: rounds, offset: clock - 1 };
  return { round: clock, buys: rounds - clock + 1, offset: 0 };
}
