/** Asks a market's workers what lying would bring them: everybody where answers are exact, some where they take a search. */

import { bestResponses, isFast, type Responses } from "../../../src/best-response/index.js";
import type { Market } from "../../../src/market/market.js";
import type { AnyMechanism } from "../../../src/mechanisms/mechanism.js";
import type { Profile, WorkContext } from "../../../src/study/job.js";

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

/** Sample sizes where an answer takes microseconds, and where each takes milliseconds or a search. */
export type BySpeed<Settings> = Readonly<
  Record<Profile, { readonly fast: Settings; readonly slow: Settings }>
>;

export const settingsFor = <Settings>(sizes: BySpeed<Settings>, context: WorkContext): Settings =>
  sizes[context.profile][isFast(context.mechanism) ? "fast" : "slow"];

/** About how many milliseconds it takes to draw a market and to ask its workers at so many budgets, on one core. */
export const askingCost = (workers: number, asked: number | null, budgets: number): number =>
  0.03 + 0.001 * workers + budgets * (asked === null ? 0.1 + 0.001 * workers : Math.min(asked, workers) * 15);

/** The last sentence of the methods: what is exact, and who was asked. */
export function exactnessText(exact: boolean, asked: number | null): string {
  const some = asked === null ? "" : `; ${asked} worker${asked === 1 ? "" : "s"} of each market were asked`;
  return exact
    ? `Every worker's best lie is exact: markets are a sample, answers are not${some}.`
    : `No exact method is known for this mechanism: lies were searched for, a search can miss in every market, and every share and gain is a lower bound${some}.`;
}
