/** Everybody asked in drawn markets, with what the best lie brings, of what kind it is and where its gain comes from. */

import { workerOf } from "../best-response/deviation.js";
import type { Causes } from "../causes.js";
import { explain, type LieKind } from "../explain.js";
import type { Market } from "../market.js";
import type { Regime } from "../regime.js";
import { ask, type Inquiry } from "./inquiry.js";
import { atRelativeBudget } from "./relative-budget.js";
import type { Place, Sighting } from "./sights.js";

/** A worker of a market under one budget. */
export interface Person extends Place {
  readonly regime: Regime;
  readonly reputation: number;
  /** True cost over reputation; Infinity without a reputation. */
  readonly density: number;
  /** Null where no lie pays. */
  readonly lie: PayingLie | null;
}

export interface PayingLie {
  readonly sighting: Sighting;
  readonly gain: number;
  readonly kind: LieKind;
  /** Null where the mechanism is not the paper's. */
  readonly causes: Causes | null;
}

/** Everybody asked in the market at one budget. */
export function meet(drawn: Market, place: Place, inquiry: Inquiry): Person[] {
  const market = atRelativeBudget(drawn, place.ratio);
  return ask(market, inquiry).workers.map((response) => {
    const { id, best, gain, truthful, regime } = response;
    const { reputation, cost } = workerOf(market, id);
    const bid = { worker: id, price: best.price, arrival: best.arrival };
    const sighting = { market, bid, truthful, gain, regime };
    const lie = gain > 0 ? payingLie(sighting, inquiry) : null;
    return { ...place, regime, reputation, density: cost / reputation, lie };
  });
}

function payingLie(sighting: Sighting, { mechanism }: Inquiry): PayingLie | null {
  const { kind, causes } = explain(sighting.market, sighting.bid, { mechanism });
  return kind === null ? null : { sighting, gain: sighting.gain, kind, causes };
}
