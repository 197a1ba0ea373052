/**
 * The choice of a mechanism's setting: what each value of an option gives the publisher, relative to a reference in the same
 * markets, and whether any lie gains. A value is admissible where no worker asked can gain.
 */

import { greatest } from "d3-array";
import { type AnyMechanism, runAuction } from "../auction/mechanism.js";
import { type PublisherAccount, publisherAccount } from "../auction/outcome.js";
import { type Estimate, meanRatio } from "../lib/statistics.js";
import type { Bid, Market } from "../market/market.js";
import { bestResponses, isExact } from "../responses/index.js";

/** What the publisher may want: names as `run --json` has them, but for the first, which is its publisherUtility. */
export const designMeasures = {
  utility: "publisherUtility",
  utilityPerUnitPaid: "utilityPerUnitPaid",
  spent: "spent",
} as const satisfies Record<string, keyof PublisherAccount>;

export type DesignMeasure = keyof typeof designMeasures;

export interface Demand {
  readonly measure: DesignMeasure;
  /** As a share of the reference's. */
  readonly atLeast: number;
}

interface DesignOptions {
  readonly reference: AnyMechanism;
  readonly markets: readonly Market[];
  /** In how many of the markets, from the first on, everybody's best lie is worked out. */
  readonly lieMarkets: number;
}

export interface DesignPoint<Value> {
  readonly value: Value;
  readonly mechanism: string;
  /** The mean as a share of the reference's mean, over the markets in which both have one. */
  readonly relative: Readonly<Record<DesignMeasure, Estimate>>;
  readonly lies: LieCount;
}

export interface LieCount {
  /** False where lies were searched for: none found is then no proof. */
  readonly exact: boolean;
  /** Looked at until a lie gained. */
  readonly markets: number;
  readonly workers: number;
  readonly gainers: number;
  /** The lie that gains most, with the place of its market. */
  readonly largest: { readonly market: number; readonly bid: Bid; readonly gain: number } | null;
}

/** Measures one value after another, with the mechanism it makes, in the same markets. */
export function measuring({ reference, markets, lieMarkets }: DesignOptions) {
  const accountsOf = (mechanism: AnyMechanism) =>
    markets.map((market) => publisherAccount(market.workers, runAuction(mechanism, market)));
  const base = accountsOf(reference);
  return <Value>(value: Value, mechanism: AnyMechanism): DesignPoint<Value> => {
    const accounts = accountsOf(mechanism);
    const ratio = (measure: DesignMeasure) => {
      const of = (account: PublisherAccount) => account[designMeasures[measure]];
      const pairs = accounts.map((account, k) => [of(account), of(base[k]!)] as const);
      return meanRatio(pairs.filter((pair): pair is [number, number] => !pair.includes(null)));
    };
    return {
      value,
      mechanism: mechanism.name,
      relative: {
        utility: ratio("utility"),
        utilityPerUnitPaid: ratio("utilityPerUnitPaid"),
        spent: ratio("spent"),
      },
      lies: liesIn(mechanism, markets.slice(0, lieMarkets)),
    };
  };
}

/** Market by market, up to the first in which somebody can gain. */
export function liesIn(mechanism: AnyMechanism, markets: readonly Market[]): LieCount {
  let workers = 0;
  const exact = isExact(mechanism);
  for (const [k, market] of markets.entries()) {
    const responses = bestResponses(market, { mechanism }).workers;
    workers += responses.length;
    const gainers = responses.filter(({ gain }) => gain > 0);
    if (gainers.length === 0) continue;
    const { id, best, gain } = gainers.reduce((a, b) => (b.gain > a.gain ? b : a));
    const bid = { worker: id, price: best.price, arrival: best.arrival };
    return { exact, markets: k + 1, workers, gainers: gainers.length, largest: { market: k, bid, gain } };
  }
  return { exact, markets: markets.length, workers, gainers: 0, largest: null };
}

/** No lie was found to gain; the publisher gets something from it. */
export const isAdmissible = ({ lies, relative }: DesignPoint<unknown>): boolean =>
  lies.gainers === 0 && lies.markets > 0 && relative.utility.mean > 0;

/** Admissible points to which no other is preferable: none gives more of one measure and no less of the other. */
export function frontierOf<Point extends DesignPoint<unknown>>(points: readonly Point[]): Point[] {
  const admissible = points.filter(isAdmissible);
  const of = ({ relative }: Point) => [relative.utility.mean, relative.utilityPerUnitPaid.mean] as const;
  const beats = (one: Point, other: Point) => {
    const [[a, b], [c, d]] = [of(one), of(other)];
    return a >= c && b >= d && (a > c || b > d);
  };
  return admissible.filter((point) => !admissible.some((other) => beats(other, point)));
}

export const meets = ({ relative }: DesignPoint<unknown>, demands: readonly Demand[]): boolean =>
  demands.every(({ measure, atLeast }) => relative[measure].mean >= atLeast);

/** The admissible point with most of what is wanted among those that meet all demands; null if there is none. */
export function bestPoint<Point extends DesignPoint<unknown>>(
  points: readonly Point[],
  goal: DesignMeasure,
  demands: readonly Demand[],
): Point | null {
  const fit = points.filter((point) => isAdmissible(point) && meets(point, demands));
  return greatest(fit, ({ relative }) => relative[goal].mean) ?? null;
}

/** The middles between the best value and its neighbours: where a better one may be. */
export function nearBest(values: readonly number[], best: number): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  const at = sorted.indexOf(best);
  return [sorted[at - 1], sorted[at + 1]].flatMap((neighbour) =>
    neighbour === undefined ? [] : [Number(((neighbour + best) / 2).toPrecision(6))],
  );
}
