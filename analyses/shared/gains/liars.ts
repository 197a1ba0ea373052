/** Everybody asked in a drawn market, with what the best lie brings, of what kind it is and where its gain comes from. */

import type { Response, Responses } from "../../../src/best-response/index.js";
import { type Market, workerOf } from "../../../src/market/market.js";
import type { AnyMechanism } from "../../../src/mechanisms/mechanism.js";
import type { Regime } from "../../../src/mechanisms/outcome.js";
import { type Causes, explain, type LieKind } from "../../../src/verdicts/explain.js";
import type { Told } from "./gain-counts.js";

/** A worker who was asked, as JSON can hold it. */
export interface Met {
  readonly regime: Regime;
  readonly reputation: number;
  readonly cost: number;
  /** Null where no lie pays. */
  readonly lie: PayingLie | null;
}

export interface PayingLie extends Told {
  readonly kind: LieKind;
  /** Null where the mechanism is not the paper's. */
  readonly causes: Causes | null;
}

/** Those who answered in a market. */
export const meet = (market: Market, { workers }: Responses, mechanism: AnyMechanism): Met[] =>
  workers.map((response) => {
    const { reputation, cost } = workerOf(market, response.id);
    const lie = response.gain > 0 ? payingLie(market, response, mechanism) : null;
    return { regime: response.regime, reputation, cost, lie };
  });

function payingLie(market: Market, response: Response, mechanism: AnyMechanism): PayingLie | null {
  const { id, best, gain, truthful, regime } = response;
  const bid = { worker: id, price: best.price, arrival: best.arrival };
  const { kind, causes } = explain(market, bid, { mechanism });
  return kind === null ? null : { bid, truthful, gain, regime, kind, causes };
}
