/** The user's own markets, one by one: who can gain in each, how much, and whether truthfulness holds. */

import { descending, greatest } from "d3-array";
import { type Regime, regimeSlug, regimes } from "../src/auction/outcome.js";
import { capital, counted, percent, threeDigits } from "../src/lib/format.js";
import type { Chart, Exhibit, Table } from "../src/report/result.js";
import { axis, column, tableOf } from "../src/report/vocabulary.js";
import { bestResponses, isExact, isFast } from "../src/responses/index.js";
import type { Analysis } from "../src/study/analysis.js";
import { collectJob, type JobContext, type WorkContext } from "../src/study/job.js";
import { check } from "../src/verdicts/properties.js";
import { finite, payingLie, supremumOf } from "./shared/gains.js";
import { askingCost } from "./shared/survey.js";

interface OwnCell {
  /** Of a market, on average. */
  readonly workers: number;
  /** Whether an answer takes microseconds. */
  readonly fast: boolean;
}

function look(_: OwnCell, k: number, { markets, mechanism }: JobContext) {
  const { market, source, id } = markets[k]!;
  const responses = bestResponses(market, { mechanism });
  const gaining = responses.workers.flatMap((response) => payingLie(response) ?? []);
  const [joint] = check(market, { mechanism, responses, properties: ["joint"] });
  const inRegime = (regime: Regime) => responses.workers.filter((worker) => worker.regime === regime).length;
  return {
    k,
    source: id === undefined ? source : `${source} (${id})`,
    budget: market.rules.budget,
    rounds: market.rules.rounds,
    workers: market.workers.length,
    regimes: Object.fromEntries(regimes.map((regime) => [regime, inRegime(regime)])),
    /** How many can gain by any lie about price and arrival. */
    gainers: gaining.length,
    verdict: joint!.verdict,
    /** The largest gain; null if nobody gains. */
    best: greatest(gaining, supremumOf) ?? null,
  };
}

type OwnMarket = ReturnType<typeof look>;

interface OwnResult {
  readonly markets: readonly OwnMarket[];
  readonly exact: boolean;
  readonly mechanism: string;
  readonly exhibits: readonly Exhibit[];
}

/** So many of the largest gains can be replayed. */
const SHOWN = 10;

const byGain = (markets: readonly OwnMarket[]): OwnMarket[] =>
  markets.filter(({ best }) => best).sort((a, b) => descending(gainOf(a), gainOf(b)));

const nameOf = ({ k }: OwnMarket): string => `market-${k + 1}`;

const exhibitsOf = (markets: readonly OwnMarket[], { markets: own, mechanism }: WorkContext): Exhibit[] =>
  byGain(markets)
    .slice(0, SHOWN)
    .map((one) => {
      const { gain, truthful, bid, unbounded } = one.best!;
      const more = unbounded ? ", and without bound by higher prices" : "";
      const title = `${capital(one.source)}: worker ${bid.worker} of ${one.workers} gains ${threeDigits(gain)} on top of ${threeDigits(truthful)}${more}`;
      return { name: nameOf(one), title, market: own[one.k]!.market, mechanism: mechanism.name, lie: bid };
    });

const gainOf = ({ best }: OwnMarket): number => (best ? supremumOf(best) : 0);

function summaryOf({ markets, exact }: OwnResult): string {
  const [most] = byGain(markets);
  const all = counted(markets.length, "market");
  if (most === undefined)
    return `In none of ${all} of your own ${exact ? "can anybody gain" : "was a lie found that gains"}.`;
  const { bid } = most.best!;
  const gain = gainOf(most);
  const gaining = markets.filter(({ best }) => best).length;
  const share =
    most.budget > 0 && gain < Number.POSITIVE_INFINITY
      ? `, ${percent(gain / most.budget)} of the budget`
      : "";
  return `In ${gaining} of ${all} of your own somebody can gain by a lie; the most is ${threeDigits(gain)}${share}, by worker ${bid.worker} of ${most.source}.`;
}

function tables({ markets, exhibits }: OwnResult): Table[] {
  const shown = new Set(exhibits.map(({ name }) => name));
  const inRegime = (regime: Regime) =>
    column.count(regimeSlug(regime), capital(regime), (one: OwnMarket) => one.regimes[regime]);
  return [
    tableOf("markets", "Your markets", markets, [
      column.text("market", "Market", ({ source }) => source),
      column.count("workers", "Workers"),
      column.amount("budget", "Budget"),
      column.count("rounds", "Rounds"),
      ...regimes.map(inRegime),
      column.count("gainers", "Can gain"),
      column.amount("gain", "Largest gain", (one) => finite(gainOf(one))),
      column.share("gainShare", "Of the budget", (one) =>
        one.budget > 0 ? finite(gainOf(one) / one.budget) : null,
      ),
      column.count("worker", "By worker", ({ best }) => best?.bid.worker),
      column.text("verdict", "No lie gains"),
      column.text("verdictWitness", "Replay", (one) => (shown.has(nameOf(one)) ? nameOf(one) : null)),
    ]),
  ];
}

const charts = (result: OwnResult): Chart[] => [
  {
    name: "gains",
    title: "The largest gain in each of your markets",
    table: "markets",
    spec: {
      mark: "bar",
      encoding: {
        x: axis.amount("gainShare", "largest gain, of the budget", {
          bin: { maxbins: 20 },
          axis: { format: "%" },
        }),
        y: { aggregate: "count", type: "quantitative", title: "markets" },
      },
    },
    summary: summaryOf(result),
    howToRead: "A bar counts the markets whose largest gain is that share of their budget.",
  },
];

export const ownMarkets: Analysis<Record<string, never>, OwnCell, OwnMarket[], OwnResult> = {
  name: "own-markets",
  question: "Who can gain in your own markets?",
  part: "gains",
  takesMarkets: true,
  needsMarkets: true,
  settings: () => ({}),
  plan: (_, { markets, mechanism }) => {
    const all = markets.reduce((sum, { market }) => sum + market.workers.length, 0);
    const workers = Math.ceil(all / Math.max(1, markets.length));
    return [{ cell: { workers, fast: isFast(mechanism) }, markets: markets.length }];
  },
  job: collectJob(look, ({ workers, fast }) => askingCost(workers, fast ? null : workers, 1)),
  conclude: (gathered, _, context) => {
    const markets = gathered.flatMap(({ summary }) => summary ?? []);
    const { mechanism } = context;
    const exhibits = exhibitsOf(markets, context);
    return { markets, exact: isExact(mechanism), mechanism: mechanism.name, exhibits };
  },
  tables,
  charts,
  findings: (result) => [{ text: summaryOf(result), weight: 95 }],
  methods: ({ markets, exact, mechanism }) => [
    `All workers of ${counted(markets.length, "market")} that were given; ${
      exact
        ? `the best lie to ${mechanism} about price and arrival is exact`
        : `lies to ${mechanism} are searched for: gains are lower bounds, and what is not found may be there`
    }.`,
  ],
  exhibits: ({ exhibits }) => exhibits,
};
