/** What the publisher gets per unit paid beside how many workers can gain by lying, auction by auction. */

import { mean, sum } from "d3-array";
import { bestResponses, isExact, type Response, searchResponses } from "../src/best-response/index.js";
import { threeDigits } from "../src/lib/format.js";
import { atLeast, type Estimate, FEWEST, meanRatio } from "../src/lib/statistics.js";
import { countsOf, mergeCounts, pooledShare } from "../src/lib/summaries.js";
import type { Bid, Market } from "../src/market/market.js";
import { type AnyMechanism, hold } from "../src/mechanisms/mechanism.js";
import { type PublisherAccount, publisherAccount, type Regime, regimes } from "../src/mechanisms/outcome.js";
import type { Exhibit } from "../src/report/result.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { listing, type Profile, type WorkContext } from "../src/study/job.js";
import { gapOf, marketAt, meanOf, measureNames, type Setting } from "./shared/publisher.js";
import {
  type Auction,
  charts,
  findings,
  type Gains,
  mechanismNotes,
  methods,
  sizeText,
  type Trade,
  type TradeOff,
  tables,
} from "./trade-off/views.js";

interface TradeOffCell extends Setting {
  /** In how many markets one worker's best lie is searched for where no exact method is known. */
  readonly searched: number;
  /** Of a search, for one worker. */
  readonly effort: number;
}

type TradeOffSettings = readonly (TradeOffCell & { readonly markets: number })[];

/** The paper's budget per worker in small markets, where searches are cheap, and in the paper's own. */
const settings: Record<Profile, TradeOffSettings> = {
  quick: [
    { workers: 20, budget: 25, markets: 100, searched: 30, effort: 800 },
    { workers: 100, budget: 125, markets: 8, searched: 0, effort: 0 },
  ],
  full: [
    { workers: 20, budget: 25, markets: 400, searched: 200, effort: 2000 },
    { workers: 100, budget: 125, markets: 200, searched: 200, effort: 1200 },
  ],
};

/** What became of one worker. */
interface Fate {
  readonly regime: Regime;
  readonly truthful: number;
  readonly gain: number;
}

/** One auction in one market: everybody's fate where that is exact, one worker's where it is searched, or nobody's. */
interface Look {
  readonly account: PublisherAccount;
  readonly fates: readonly Fate[];
  readonly evaluations: number;
  /** The lie that gains most; null where none gains. */
  readonly best: Bid | null;
}

interface Search {
  readonly chosen: number | null;
  readonly effort: number;
}

function lookAt(market: Market, mechanism: AnyMechanism, { chosen, effort }: Search): Look {
  const { workers, evaluations } = isExact(mechanism)
    ? bestResponses(market, { mechanism })
    : chosen === null
      ? { workers: [], evaluations: 0 }
      : searchResponses(market, { mechanism, workers: [chosen], effort });
  const top = workers.reduce<Response | null>((a, b) => (b.gain > (a?.gain ?? 0) ? b : a), null);
  return {
    account: publisherAccount(market.workers, hold(mechanism, market)),
    fates: workers.map(({ regime, truthful, gain }) => ({ regime, truthful, gain })),
    evaluations,
    best: top && { worker: top.id, price: top.best.price, arrival: top.best.arrival },
  };
}

function tradeOffOf(
  gathered: readonly Gathered<TradeOffCell, Look[][]>[],
  _: TradeOffSettings,
  context: WorkContext,
): TradeOff {
  const trades = gathered.map((cell) => tradeAt(cell, context));
  const [first] = gathered;
  return { ours: context.mechanism.name, trades, exhibits: first ? exhibitsOf(first, context) : [] };
}

function tradeAt(
  { cell, markets, summary }: Gathered<TradeOffCell, Look[][]>,
  { mechanism, mechanisms }: WorkContext,
): Trade {
  const looks = new Map(mechanisms.map(({ name }, k) => [name, (summary ?? []).map((row) => row[k]!)]));
  const accounts = new Map([...looks].map(([name, own]) => [name, own.map(({ account }) => account)]));
  const others = mechanisms.filter(({ name }) => name !== mechanism.name);
  const together = measureNames.length * others.length;
  return {
    ...cell,
    markets,
    size: sizeText(cell),
    auctions: mechanisms
      .map((one) => auctionOf(one, looks.get(one.name)!, meanOf(accounts, one.name, "per unit paid")))
      .sort((a, b) => b.unit.mean - a.unit.mean),
    comparisons: others.flatMap(({ name: auction }) =>
      measureNames.map((measure) => ({
        auction,
        measure,
        gap: gapOf(accounts, [auction, mechanism.name], { measure, together }).relative,
      })),
    ),
  };
}

function auctionOf(mechanism: AnyMechanism, looks: readonly Look[], unit: Estimate): Auction {
  const exact = isExact(mechanism);
  const fates = looks.map((look) => look.fates);
  return {
    name: mechanism.name,
    offline: mechanism.offline ?? false,
    informed: "sees" in mechanism,
    truthful: mechanism.truthful !== undefined,
    unit,
    exact,
    evaluations: sum(looks, ({ evaluations }) => evaluations),
    gains: gainsOf(fates, exact),
    byRegime: regimes.map((regime) => {
      const here = fates.map((some) => some.filter((fate) => fate.regime === regime));
      return { regime, ...gainsOf(here, exact) };
    }),
  };
}

/** Over all workers asked, pooled over markets, with markets as clusters; of a search, without upper ends. */
function gainsOf(byMarket: readonly (readonly Fate[])[], exact: boolean): Gains {
  const asked = byMarket.filter((fates) => fates.length > 0);
  const fates = asked.flat();
  const gainersIn = (some: readonly Fate[]) => some.filter(({ gain }) => gain > 0).length;
  const counts = asked.map((some) => countsOf(gainersIn(some), some.length));
  const share = counts.length > 0 ? pooledShare(counts.reduce(mergeCounts)) : NOTHING;
  const gain = meanRatio(asked.map((some) => [sum(some, ({ gain }) => gain), some.length]));
  const known = (estimate: Estimate) => (exact ? estimate : atLeast(estimate));
  return {
    markets: asked.length,
    workers: fates.length,
    gainers: gainersIn(fates),
    share: known(asked.length < FEWEST ? { ...NOTHING, mean: share.mean } : share),
    gain: known({ ...gain, low: Math.max(0, gain.low) }),
    most: Math.max(0, ...fates.map(({ gain }) => gain)),
    truthful: mean(fates, ({ truthful }) => truthful) ?? Number.NaN,
  };
}

const NOTHING: Estimate = { mean: Number.NaN, low: Number.NaN, high: Number.NaN, n: 0 };

/** The largest gain found in each auction. */
function exhibitsOf(
  { cell, summary }: Gathered<TradeOffCell, Look[][]>,
  { mechanisms, stream }: WorkContext,
): Exhibit[] {
  const mostIn = ({ fates }: Look) => Math.max(0, ...fates.map(({ gain }) => gain));
  return mechanisms.flatMap(({ name: mechanism }, column) => {
    const looks = (summary ?? []).map((row) => row[column]!);
    const most = Math.max(0, ...looks.map(mostIn));
    const k = looks.findIndex((look) => look.best !== null && mostIn(look) === most);
    const lie = looks[k]?.best;
    if (!lie) return [];
    const title = `Worker ${lie.worker} gains ${threeDigits(most)} by a lie in ${mechanism}`;
    return [{ name: `${mechanism}-${k}`, title, market: marketAt(cell, k, stream), mechanism, lie }];
  });
}

export const tradeOff: Analysis<TradeOffSettings, TradeOffCell, Look[][], TradeOff> = {
  name: "trade-off",
  question: "What does the publisher pay for truthfulness, and how many workers gain where it is missing?",
  part: "mechanisms",
  settings: ({ profile }) => settings[profile],
  plan: (sizes) => sizes.map(({ markets, ...cell }) => ({ cell, markets })),
  /** In one market, a look at each auction. */
  job: listing(
    (cell, k, { mechanisms, stream }) => {
      const market = marketAt(cell, k, stream);
      const chosen = k < cell.searched ? stream.fork("chosen").fork(k).below(cell.workers) : null;
      return mechanisms.map((mechanism) => lookAt(market, mechanism, { chosen, effort: cell.effort }));
    },
    ({ workers, searched, effort }) => 0.045 * workers ** 2.4 + (searched > 0 ? 0.01 * effort : 0),
  ),
  conclude: tradeOffOf,
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
  mechanismNotes,
};
