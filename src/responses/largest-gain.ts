/**
 * ε: the most that anybody of some types can expect to gain over a strategy (the truth, say), with bounds that hold for
 * all of these types, all prices and all arrivals at once. Half of the draws choose, the other half judge.
 *
 * From below: the type and the lie that gain most on the draws that choose are measured on those that judge, by an
 * interval for every distribution on a known range. Nothing is chosen on these, so nothing need be corrected for.
 *
 * From above: on the draws that choose, with g_b the gain of a bid b (of some type) and ḡ_b its mean, E g_b ≤ ḡ_b + c for
 * all b at once, where c is a quantile of sup_b Σ (ξ_i − ξ̄) g_b,i / n over independent normal ξ_i: the multiplier
 * bootstrap for suprema of empirical processes (Chernozhukov, Chetverikov and Kato 2014), the same ξ for all types. As the
 * curves are known exactly, the supremum is one over all prices, not over a grid. Two steps make it sharp (the selection
 * of inequalities of Chernozhukov, Lee and Rosen 2013): by a quantile for 0.25 %, c₁, a bid with ḡ_b < −c₁ gains nothing
 * on average and cannot be the best; among the others the quantile for 2.25 % is taken. So the bound is missed in at most
 * 2.5 % of all cases in the limit of many draws: unlike the lower one, it knows nothing of an event so rare that no draw
 * shows it. `test/responses/largest-gain.test.ts` counts how often it holds where the truth
 * is known. It is about these types; of those between them it says nothing.
 */

import { mean, quantileSorted } from "d3-array";
import { isInformed } from "../auction/program.js";
import type { Stream } from "../lib/random.js";
import type { Offer, Worker } from "../market/market.js";
import { type Strategy, truthOf } from "./belief.js";
import { type Draws, utilitiesOf } from "./draws.js";
import type { Landscape, Process } from "./landscape.js";
import { meanGain, paymentRange } from "./mean-gain.js";

export interface LargestGain {
  /** On the draws that judge: what the bid below gains the type below over the strategy. */
  readonly gain: number;
  readonly low: number;
  /** Of all types and all bids. */
  readonly high: number;
  readonly type: Worker;
  readonly bid: Offer;
  /** What it gained on the draws it was chosen on: the largest there. */
  readonly chosenGain: number;
}

interface LargestGainOptions {
  readonly types: readonly Worker[];
  readonly chosenOn: Draws;
  readonly judgedOn: Draws;
  /** For the multipliers. */
  readonly stream: Stream;
  /** What gains are measured from; the truth if left out. */
  readonly strategy?: Strategy;
  readonly replicates?: number;
}

const REPLICATES = 400;

export function largestGain(options: LargestGainOptions): LargestGain {
  const { types, chosenOn, judgedOn, stream, strategy = truthOf, replicates = REPLICATES } = options;
  const bound = new SimultaneousBound(chosenOn.count, replicates, stream);
  const landscapeOf = sharing(chosenOn);
  const found = types.map((type) => {
    const landscape = landscapeOf(type);
    const played = strategy(type);
    const { price, arrival, utility } = landscape.best(type);
    const before = landscape.utility(type.cost, played);
    bound.add(landscape.process(type), utilitiesOf(chosenOn.results(type, played), type.cost));
    const gains = utility > before;
    return { type, bid: gains ? { price, arrival } : played, chosenGain: gains ? utility - before : 0 };
  });
  const most = found.reduce((a, b) => (b.chosenGain > a.chosenGain ? b : a));
  const { cost } = most.type;
  const honest = judgedOn.results(most.type, strategy(most.type));
  const { mean: gain, low } = meanGain({
    // Where nothing gained on the draws that choose, the bid is the strategy's own.
    honest,
    lying: most.chosenGain > 0 ? judgedOn.results(most.type, most.bid) : honest,
    cost,
    rounds: judgedOn.rules.rounds,
    payments: paymentRange(judgedOn.game),
  });
  return { ...most, gain, low, high: most.chosenGain + bound.margin() };
}

/** Landscapes do not depend on costs and arrivals, unless the mechanism is shown the cost. */
function sharing(draws: Draws): (type: Worker) => Landscape {
  const known = new Map<string, Landscape>();
  return (type) => {
    const key = `${type.id} ${type.reputation} ${isInformed(draws.mechanism) ? type.cost : ""}`;
    const landscape = known.get(key) ?? draws.landscape({ ...type, arrival: 1 });
    known.set(key, landscape);
    return landscape;
  };
}

/** Chances that the first step drops the best bid, and that the second one's bound is too low. */
const DROPPED = 0.0025;
const MISSED = 0.0225;

interface Added {
  readonly process: Process;
  readonly played: readonly number[];
  readonly mean: number;
}

/** How far the mean gains of all bids of all types added may lie below what they estimate. */
export class SimultaneousBound {
  /** Centred: they add up to 0, so that they see nothing of the means. */
  private readonly weights: readonly Float64Array[];
  private readonly added: Added[] = [];

  constructor(draws: number, replicates: number, stream: Stream) {
    this.weights = Array.from({ length: replicates }, () => multipliers(draws, stream));
  }

  /** A type's utilities over all its bids, and those of the bid that gains are measured from, draw by draw. */
  add(process: Process, played: readonly number[]): void {
    this.added.push({ process, played, mean: mean(played)! });
  }

  margin(): number {
    const dropped = this.quantile(1 - DROPPED, () => Number.NEGATIVE_INFINITY);
    return this.quantile(1 - MISSED, ({ mean }) => mean - dropped);
  }

  private quantile(share: number, least: (added: Added) => number): number {
    const suprema = this.weights.map((weights) =>
      Math.max(
        0,
        ...this.added.map((one) => one.process.supremum(weights, least(one)) - dot(weights, one.played)),
      ),
    );
    return quantileSorted(
      suprema.sort((a, b) => a - b),
      share,
    )!;
  }
}

const dot = (weights: Float64Array, values: readonly number[]): number =>
  values.reduce((sum, value, k) => sum + weights[k]! * value, 0);

/** Standard normal draws (Box and Muller), less their mean, over their number. */
function multipliers(count: number, stream: Stream): Float64Array {
  const drawn = Float64Array.from({ length: count }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - stream.next()));
    return radius * Math.cos(2 * Math.PI * stream.next());
  });
  const middle = mean(drawn)!;
  return drawn.map((value) => (value - middle) / count);
}
