/** What a survey of drawn markets sees: how many workers of a market could gain at one budget, by regime and lie. */

import type { BestLie, Response } from "../best-response/index.js";
import type { Bid, Market } from "../market.js";
import { type AnyMechanism, hold } from "../mechanism.js";
import { type Regime, regimes } from "../regime.js";
import type { Estimate } from "../statistics.js";
import { ask, type Inquiry } from "./inquiry.js";
import { grouped, shareOverMarkets } from "./over-markets.js";
import { atRelativeBudget } from "./relative-budget.js";

/** price: at the true arrival; time: at the true price; joint: both may be misstated. */
export const lies = ["price", "time", "joint"] as const;

export type LieName = (typeof lies)[number];

export interface Place {
  /** Which of the drawn markets. */
  readonly market: string;
  readonly workers: number;
  readonly ratio: number;
}

export interface Sighting {
  readonly market: Market;
  readonly bid: Bid;
  readonly truthful: number;
  readonly gain: number;
  readonly regime: Regime;
}

/** The workers of one market at one budget who are in one regime, and what one lie brings them. */
export interface Sight extends Place {
  readonly regime: Regime;
  readonly lie: LieName;
  readonly seen: number;
  readonly gained: number;
  /** Of those who gain, whose lie moves the start. */
  readonly moving: number;
  /** Of those who gain, who must misstate both to gain anything. */
  readonly onlyBoth: number;
  readonly total: number;
  readonly most: Sighting | null;
}

/** Asks the market's workers at one budget. */
export function look(drawn: Market, place: Place, inquiry: Inquiry): Sight[] {
  const market = atRelativeBudget(drawn, place.ratio);
  const { workers } = ask(market, inquiry);
  const moves = startMover(market, inquiry.mechanism);
  return regimes.flatMap((regime) => {
    const there = workers.filter((response) => response.regime === regime);
    return there.length === 0
      ? []
      : lies.map((lie) => ({ ...place, regime, lie, ...tally(there, { market, lie, moves }) }));
  });
}

interface Told {
  readonly market: Market;
  readonly lie: LieName;
  readonly moves: (bid: Bid) => boolean;
}

function tally(responses: readonly Response[], { market, lie, moves }: Told) {
  const found = responses.flatMap((response): { sighting: Sighting; alone: boolean }[] => {
    const { id, truthful, regime } = response;
    const best = bestOf(response, lie);
    if (best === null) return [];
    const bid = { worker: id, price: best.price, arrival: best.arrival };
    const alone = lie === "joint" && response.bestPrice === null && response.bestTime === null;
    return [{ sighting: { market, bid, truthful, gain: best.utility - truthful, regime }, alone }];
  });
  const sightings = found.map(({ sighting }) => sighting);
  return {
    seen: responses.length,
    gained: found.length,
    moving: sightings.filter(({ bid }) => moves(bid)).length,
    onlyBoth: found.filter(({ alone }) => alone).length,
    total: sightings.reduce((sum, { gain }) => sum + gain, 0),
    most: largest(sightings),
  };
}

function bestOf({ best, bestPrice, bestTime, gain }: Response, lie: LieName): BestLie | null {
  if (lie === "price") return bestPrice;
  if (lie === "time") return bestTime;
  return gain > 0 ? best : null;
}

/** Whether a lie moves the start; the truth is run only when somebody asks. */
function startMover(market: Market, mechanism: AnyMechanism): (bid: Bid) => boolean {
  let truth: { readonly delay: number | null } | undefined;
  return (bid) => {
    truth ??= { delay: hold(mechanism, market).startDelay };
    return hold(mechanism, market, [bid]).startDelay !== truth.delay;
  };
}

export function largest(sightings: readonly (Sighting | null)[]): Sighting | null {
  return sightings.reduce((top, next) => (next && next.gain > (top?.gain ?? 0) ? next : top), null);
}

/** Sights added up, with the share who gain as a mean over markets. */
export interface Summary {
  readonly share: Estimate;
  readonly seen: number;
  readonly gained: number;
  readonly moving: number;
  readonly onlyBoth: number;
  /** Of those who gain; NaN where nobody does. */
  readonly meanGain: number;
  readonly most: Sighting | null;
}

export function summed(
  sights: readonly Sight[],
  counts: (sight: Sight) => number = ({ gained }) => gained,
): Summary {
  const add = (part: readonly Sight[], term: (sight: Sight) => number) =>
    part.reduce((sum, sight) => sum + term(sight), 0);
  const seen = ({ seen }: Sight) => seen;
  const markets = [...grouped(sights, ({ market }) => market).values()];
  const gained = add(sights, ({ gained }) => gained);
  return {
    share: shareOverMarkets(markets.map((part) => add(part, counts) / add(part, seen))),
    seen: add(sights, seen),
    gained,
    moving: add(sights, ({ moving }) => moving),
    onlyBoth: add(sights, ({ onlyBoth }) => onlyBoth),
    meanGain: add(sights, ({ total }) => total) / gained,
    most: largest(sights.map(({ most }) => most)),
  };
}
