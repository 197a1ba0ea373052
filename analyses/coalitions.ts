/** What two workers gain who lie together and share what they gain, beside what each could gain alone. */

import { coalitionResponses } from "../src/best-response/coalition.js";
import { isExact } from "../src/best-response/index.js";
import { atRelativeBudget, surveyed } from "../src/market/draw.js";
import { type Bid, groupOf, type Market, workerOf } from "../src/market/market.js";
import { type AnyMechanism, hold } from "../src/mechanisms/mechanism.js";
import { allotmentOf, type Regime, regimesIn, workerUtility } from "../src/mechanisms/outcome.js";
import type { Analysis } from "../src/study/analysis.js";
import { type JobContext, listing, type Profile, type WorkContext } from "../src/study/job.js";
import { charts, exhibits, findings, mechanismNotes, methods, tables } from "./coalitions/views.js";

interface Size {
  readonly workers: number;
  readonly rounds: number;
}

export interface CoalitionSettings extends Size {
  readonly relativeBudgets: readonly number[];
  /** At each budget, for the mechanism in question and for each of the others. */
  readonly markets: number;
  readonly otherMarkets: number;
  /** Drawn in each market. */
  readonly pairs: number;
}

const settings: Record<Profile, CoalitionSettings> = {
  quick: { workers: 6, rounds: 4, relativeBudgets: [0.2, 0.5, 1], markets: 50, otherMarkets: 30, pairs: 3 },
  full: {
    workers: 8,
    rounds: 5,
    relativeBudgets: [0.1, 0.2, 0.35, 0.5, 0.75, 1],
    markets: 400,
    otherMarkets: 100,
    pairs: 6,
  },
};

export interface CoalitionCell extends Size {
  readonly mechanism: string;
  readonly relativeBudget: number;
  readonly pairs: number;
}

/** A pair and what it can gain; amounts are shares of the budget, so that markets compare. */
export interface PairFound {
  readonly sameGroup: boolean;
  readonly regime: Regime;
  /** Of both together, by their best joint lie. */
  readonly gain: number;
  /** Of each by its own best lie, the other telling the truth. */
  readonly alone: readonly number[];
  /** What the member gets that gets least out of the joint lie, less what it gets by the truth: below 0 it must be paid by the other. */
  readonly least: number;
  readonly bids: readonly Bid[];
}

export interface CoalitionMarket {
  readonly k: number;
  readonly pairs: readonly PairFound[];
}

export interface CoalitionResult {
  readonly settings: CoalitionSettings;
  readonly ours: string;
  readonly found: readonly { readonly cell: CoalitionCell; readonly markets: readonly CoalitionMarket[] }[];
  readonly marketOf: (cell: CoalitionCell, k: number) => Market;
}

const marketAt = (
  { relativeBudget, ...size }: CoalitionCell,
  k: number,
  { stream }: Pick<WorkContext, "stream">,
): Market => atRelativeBudget(surveyed(size, k, stream), relativeBudget);

function look(cell: CoalitionCell, k: number, context: JobContext): CoalitionMarket {
  const market = marketAt(cell, k, context);
  const mechanism = context.mechanisms.find(({ name }) => name === cell.mechanism)!;
  const random = context.stream.fork("pairs").fork(k);
  const all = market.workers.flatMap(({ id }, place) =>
    market.workers.slice(place + 1).map((other) => [id, other.id]),
  );
  const coalitions = Array.from(
    { length: Math.min(cell.pairs, all.length) },
    () => all.splice(random.below(all.length), 1)[0]!,
  );
  const regimeOf = regimesIn(hold(mechanism, market));
  const { pairs } = coalitionResponses(market, { mechanism, coalitions });
  return {
    k,
    pairs: pairs.map(({ workers: [one = 0, other = 0], gain, alone, best }) => ({
      sameGroup: groupOf(one) === groupOf(other),
      regime: regimeTogether(regimeOf(one), regimeOf(other)),
      gain: gain / market.rules.budget,
      alone: alone.map((amount) => amount / market.rules.budget),
      least: leastOf(market, mechanism, best) / market.rules.budget,
      bids: best,
    })),
  };
}

/** Tight where either is. */
const regimeTogether = (one: Regime, other: Regime): Regime => (one === "sufficient" ? other : one);

function leastOf(market: Market, mechanism: AnyMechanism, bids: readonly Bid[]): number {
  const [truth, lying] = [hold(mechanism, market), hold(mechanism, market, bids)];
  const changes = bids.map(({ worker: id }) => {
    const worker = workerOf(market, id);
    return workerUtility(worker, allotmentOf(lying, id)) - workerUtility(worker, allotmentOf(truth, id));
  });
  return Math.min(...changes);
}

export const coalitions: Analysis<CoalitionSettings, CoalitionCell, CoalitionMarket[], CoalitionResult> = {
  name: "coalitions",
  question: "What do two workers gain who lie together, and which mechanisms resist?",
  part: "strategies",
  settings: ({ profile }) => settings[profile],
  plan: ({ workers, rounds, relativeBudgets, markets, otherMarkets, pairs }, { mechanism, mechanisms }) =>
    mechanisms
      .filter((one) => !one.stochastic && !("sees" in one) && isExact(one))
      .flatMap((one) =>
        relativeBudgets.map((relativeBudget) => ({
          cell: { workers, rounds, relativeBudget, pairs, mechanism: one.name },
          markets: one === mechanism ? markets : otherMarkets,
        })),
      ),
  job: listing(look, ({ pairs }) => 20 * pairs),
  conclude: (gathered, settings, context) => ({
    settings,
    ours: context.mechanism.name,
    found: gathered.map(({ cell, summary }) => ({ cell, markets: summary ?? [] })),
    marketOf: (cell, k) => marketAt(cell, k, context),
  }),
  tables,
  charts,
  findings,
  methods,
  exhibits,
  mechanismNotes,
};
