/** A response from the best lies that a method found, whichever method it was. */

import type { Worker } from "../market/market.js";
import type { Regime } from "../mechanisms/regime.js";
import type { BestLie, Response } from "./types.js";

/** A lie and the start it leads to. */
export interface FoundLie {
  readonly lie: BestLie;
  readonly startDelay: number | null;
}

export interface Findings {
  readonly worker: Worker;
  readonly truthful: number;
  readonly startDelay: number | null;
  readonly regime: Regime;
  /** Below this a difference of utilities is rounding. */
  readonly noise: number;
  /** The best of all lies, at the true arrival, and at the true price; null: none can gain. */
  readonly best: { readonly joint: FoundLie; readonly price: FoundLie; readonly time: FoundLie } | null;
}

export function assemble({ worker, truthful, startDelay, regime, noise, best }: Findings): Response {
  const gainOf = (found: FoundLie | undefined) => {
    const gain = found ? found.lie.utility - truthful : 0;
    return gain > noise ? gain : 0;
  };
  const [gain, priceGain, timeGain] = [gainOf(best?.joint), gainOf(best?.price), gainOf(best?.time)];
  const truth = { price: worker.cost, arrival: worker.arrival, utility: truthful, attained: true };
  const told = gain > 0 ? plainest(best!, noise) : { lie: truth, startDelay };
  return {
    id: worker.id,
    truthful,
    gain,
    priceGain,
    timeGain,
    best: told.lie,
    bestPrice: priceGain > 0 ? best!.price.lie : null,
    bestTime: timeGain > 0 ? best!.time.lie : null,
    regime,
    pivotal: told.startDelay !== startDelay,
  };
}

/** Of lies that gain the same, one that misstates only one thing. */
function plainest({ joint, price, time }: NonNullable<Findings["best"]>, noise: number): FoundLie {
  const enough = ({ lie }: FoundLie) => joint.lie.utility - lie.utility <= noise;
  return [price, time].find(enough) ?? joint;
}
