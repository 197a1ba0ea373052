/**
 * The interim best response of every type, fast enough to play by: expected landscapes at a few reputations, each worked
 * out when somebody near it first asks. A landscape is exact in cost and arrival; a type plays the best bid of the nearest
 * reputation in the table as its own.
 */

import type { Rules, Worker } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import type { Strategy } from "./belief.js";
import { Draws } from "./draws.js";
import type { Landscape } from "./landscape.js";

interface PolicyOptions {
  readonly rules: Rules;
  readonly mechanism?: AnyMechanism;
  /** Draws of everybody, as a belief has them: the policy's type takes the place of the first in each. */
  readonly workers: readonly (readonly Worker[])[];
  /** How many reputations from 0 to 1 have a landscape. */
  readonly reputations: number;
}

export class InterimPolicy {
  private readonly landscapes = new Map<number, Landscape>();
  private readonly draws: Draws;

  constructor(private readonly options: PolicyOptions) {
    this.draws = new Draws(options);
  }

  readonly bid: Strategy = ({ reputation, cost, arrival }) => {
    if (reputation === 0) return { price: cost, arrival };
    const { price, arrival: claimed } = this.landscape(reputation).best({ cost, arrival });
    return { price, arrival: claimed };
  };

  /** That of the nearest reputation in the table: the middles of equal parts of [0, 1]. */
  private landscape(reputation: number): Landscape {
    const parts = this.options.reputations;
    const part = Math.max(0, Math.min(parts - 1, Math.floor(reputation * parts)));
    const known = this.landscapes.get(part);
    if (known) return known;
    const self = {
      id: this.options.workers[0]![0]!.id,
      reputation: (part + 0.5) / parts,
      cost: 0,
      arrival: 1,
    };
    const landscape = this.draws.landscape(self);
    this.landscapes.set(part, landscape);
    return landscape;
  }
}
