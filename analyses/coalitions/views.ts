/** The tables, charts and sentences about workers who lie together. */

import { mean } from "d3-array";
import { listed, many, percent, percents, rounded, whole } from "../../src/lib/format.js";
import type { Estimate } from "../../src/lib/statistics.js";
import { countsOf, mergeCounts, pooledShare } from "../../src/lib/summaries.js";
import { regimes } from "../../src/mechanisms/outcome.js";
import type { Chart, Exhibit, Finding, MechanismNote, Row, Table } from "../../src/report/result.js";
import {
  countColumn,
  intervalCells,
  intervalColumns,
  otherColours,
  percentAxis,
  regimeWords,
  shareColumn,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import type { CoalitionCell, CoalitionMarket, CoalitionResult, PairFound } from "../coalitions.js";

/** What may be true of a pair, in the words of a legend. */
const kinds = {
  "somebody alone": ({ alone }: PairFound) => alone.some((gain) => gain > 0),
  "the two together": ({ gain }: PairFound) => gain > 0,
  "the two, neither alone": ({ gain, alone }: PairFound) => gain > 0 && alone.every((own) => own === 0),
} as const;

type Kind = keyof typeof kinds;

const kindNames = Object.keys(kinds) as Kind[];

type Looked = Pick<CoalitionMarket, "pairs">;

/** The share of pairs of which something is true, pooled over markets, which are the clusters. */
function shareOf(
  markets: readonly Looked[],
  isTrue: (pair: PairFound) => boolean,
): Estimate & { readonly hits: number } {
  const counts = markets
    .filter(({ pairs }) => pairs.length > 0)
    .map(({ pairs }) => countsOf(pairs.filter(isTrue).length, pairs.length));
  if (counts.length === 0) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN, n: 0, hits: 0 };
  const merged = counts.reduce(mergeCounts);
  return { ...pooledShare(merged), hits: merged.hits };
}

const pairsOf = (markets: readonly Looked[]): PairFound[] => markets.flatMap(({ pairs }) => pairs);

/** Of the pairs that gain: for each of the two, as a share of the budget. */
const perHead = (pairs: readonly PairFound[]): number =>
  mean(pairs.filter(kinds["the two together"]), ({ gain }) => gain / 2) ?? 0;
const perHeadAlone = (pairs: readonly PairFound[]): number =>
  mean(pairs.filter(kinds["the two together"]), ({ alone }) => mean(alone)!) ?? 0;

const marketsOf = ({ found }: CoalitionResult, mechanism: string): CoalitionMarket[] =>
  found.filter(({ cell }) => cell.mechanism === mechanism).flatMap(({ markets }) => markets);

const mechanismsOf = ({ found }: CoalitionResult): string[] => [
  ...new Set(found.map(({ cell }) => cell.mechanism)),
];

const shareColumns = [
  textColumn("mechanism", "mechanism"),
  textColumn("who", "who gains"),
  shareColumn("share", "share of pairs"),
  ...intervalColumns("share"),
  countColumn("pairs", "pairs"),
  countColumn("markets", "markets"),
];

const gainColumns = [
  textColumn("mechanism", "mechanism"),
  countColumn("pairs", "pairs that gain"),
  shareColumn("together", "mean gain per head, together / budget"),
  shareColumn("alone", "mean gain per head, each alone / budget"),
  shareColumn("most", "largest gain of a pair / budget"),
  textColumn("mostWitness", "market"),
  shareColumn("loses", "pairs in which one of the two loses"),
];

const regimeColumns = [
  textColumn("regime", "regime"),
  textColumn("groups", "groups"),
  ...shareColumns.slice(1),
];

export const tables = (result: CoalitionResult): Table[] => [
  {
    name: "shares",
    title: "Who gains, in pairs of workers",
    columns: shareColumns,
    rows: mechanismsOf(result).flatMap((mechanism) =>
      shareRows(marketsOf(result, mechanism)).map((row) => ({ mechanism, ...row })),
    ),
  },
  {
    name: "gains",
    title: "How much pairs gain together, and how much their members could gain alone",
    columns: gainColumns,
    rows: mechanismsOf(result).map((mechanism) => gainRow(result, mechanism)),
  },
  {
    name: "by-regime",
    title: `Pairs in ${result.ours}, by regime and groups`,
    columns: regimeColumns,
    rows: regimeRows(result),
  },
];

const shareRows = (markets: readonly Looked[]): Row[] =>
  kindNames.map((kind) => {
    const share = shareOf(markets, kinds[kind]);
    return {
      who: kind,
      share: rounded(share.mean),
      ...intervalCells(share),
      pairs: pairsOf(markets).length,
      markets: share.n,
    };
  });

function gainRow(result: CoalitionResult, mechanism: string): Row {
  const pairs = pairsOf(marketsOf(result, mechanism));
  const gaining = pairs.filter(kinds["the two together"]);
  return {
    mechanism,
    pairs: gaining.length,
    together: rounded(perHead(pairs)),
    alone: rounded(perHeadAlone(pairs)),
    most: rounded(Math.max(0, ...pairs.map(({ gain }) => gain))),
    mostWitness: gaining.length > 0 ? exhibitName(mechanism) : null,
    loses:
      gaining.length === 0 ? null : rounded(gaining.filter(({ least }) => least < 0).length / gaining.length),
  };
}

const groupsOf = ({ sameGroup }: PairFound): string => (sameGroup ? "same group" : "opposite groups");

const groupWords = ["opposite groups", "same group"] as const;

/** The same markets with the pairs of one regime and kind of groups only. */
const narrowed = (markets: readonly CoalitionMarket[], keep: (pair: PairFound) => boolean): Looked[] =>
  markets.map(({ pairs }) => ({ pairs: pairs.filter(keep) }));

const regimeRows = (result: CoalitionResult): Row[] =>
  regimes.flatMap((regime) =>
    groupWords.flatMap((groups) => {
      const own = narrowed(
        marketsOf(result, result.ours),
        (pair) => pair.regime === regime && groupsOf(pair) === groups,
      );
      return pairsOf(own).length === 0 ? [] : shareRows(own).map((row) => ({ regime, groups, ...row }));
    }),
  );

export const charts = (result: CoalitionResult): Chart[] => [mechanismChart(result), regimeChart(result)];

const kindColour = {
  field: "who",
  type: "nominal",
  title: "who gains",
  sort: kindNames,
  scale: otherColours(kindNames),
};

/** A point with its interval for each kind, in rows of a nominal axis. */
const dots = (y: object, columns: typeof shareColumns): object => {
  const shared = { y, yOffset: { field: "who", type: "nominal", sort: kindNames }, color: kindColour };
  const x = (field: string) => percentAxis(field, "share of pairs", { domain: [0, 1], nice: false });
  return {
    height: { step: 12 },
    layer: [
      { mark: { type: "rule", tooltip: null }, encoding: { ...shared, x: x("low"), x2: { field: "high" } } },
      {
        mark: { type: "point", size: 60 },
        encoding: { ...shared, x: x("share"), tooltip: tooltipOf(columns) },
      },
    ],
  };
};

function mechanismChart(result: CoalitionResult): Chart {
  const y = {
    field: "mechanism",
    type: "nominal",
    title: null,
    sort: { field: "share", op: "max", order: "descending" },
    axis: { labelLimit: 160 },
  };
  return {
    name: "by-mechanism",
    title: "Pairs of workers who can gain, by mechanism",
    table: "shares",
    spec: dots(y, shareColumns),
    summary: mechanismCaption(result),
    howToRead:
      "Points are shares of pairs with 95 % intervals over markets: pairs of which a member can gain alone, pairs that can gain together, and pairs that can gain together although neither member can alone.",
  };
}

function regimeChart(result: CoalitionResult): Chart {
  const y = { field: "regime", type: "nominal", title: null, sort: regimes };
  const rows = regimeRows(result).filter(({ who }) => who === "the two, neither alone");
  const most = rows.reduce<Row | null>((a, b) => (Number(b.share) > Number(a?.share ?? 0) ? b : a), null);
  return {
    name: "by-regime",
    title: `Pairs of workers who can gain in ${result.ours}, by regime and groups`,
    table: "by-regime",
    choices: [
      {
        field: "groups",
        label: "Groups",
        values: groupWords.filter((groups) => rows.some((row) => row.groups === groups)),
      },
    ],
    spec: dots(y, regimeColumns),
    summary: groupWords.map((groups) => ({
      chosen: { groups },
      text: `Pairs of ${groups === "same group" ? "the same group" : groups}: ${groupText(rows.filter((row) => row.groups === groups))}${most?.groups === groups ? " Here such pairs are most frequent." : ""}`,
    })),
    howToRead:
      "A pair's regime is that of the truthful run: tight where the budget decided something in either member's group. Workers of opposite groups set each other's prices; workers of the same group share a purse.",
  };
}

const groupText = (rows: readonly Row[]): string =>
  `two who cannot gain alone gain together in ${listed(rows.map(({ regime, share, pairs }) => `${percent(Number(share))} of ${many(Number(pairs), "pair")} ${regimeWords[regime as keyof typeof regimeWords]}`))}.`;

/** Where those gain together most often who could not alone. */
function mechanismCaption(result: CoalitionResult): string {
  const shares = mechanismsOf(result).map((mechanism) => ({
    mechanism,
    share: shareOf(marketsOf(result, mechanism), kinds["the two, neither alone"]),
  }));
  const most = shares.reduce((a, b) => (b.share.mean > a.share.mean ? b : a));
  return `Two who cannot gain alone gain together most often in ${most.mechanism}: ${percent(most.share.mean)} of pairs.`;
}

export function findings(result: CoalitionResult): Finding[] {
  const { ours } = result;
  const markets = marketsOf(result, ours);
  const pairs = pairsOf(markets);
  const [together, only] = [
    shareOf(markets, kinds["the two together"]),
    shareOf(markets, kinds["the two, neither alone"]),
  ];
  const gaining = pairs.filter(kinds["the two together"]);
  const [share, low, high] = percents(together);
  const alone = percent(only.mean);
  const own =
    gaining.length === 0
      ? `None of ${many(pairs.length, "pair")} of workers in ${ours} can gain together (at most ${percent(together.high)} can, 95 %).`
      : `If two workers of ${ours} lie together, ${share} (${low} to ${high}) of ${whole(pairs.length)} pairs can gain, ${alone} although neither can alone; a pair that gains gets ${percent(perHead(pairs))} of the budget per head, its members alone would get ${percent(perHeadAlone(pairs))}.`;
  return [{ text: own, weight: 52 }, ...sacrifice(gaining, ours), ...resistance(result)];
}

function sacrifice(gaining: readonly PairFound[], ours: string): Finding[] {
  const losing = gaining.filter(({ least }) => least < 0).length;
  if (losing === 0) return [];
  return [
    {
      text: `In ${percent(losing / gaining.length)} of the ${many(gaining.length, "pair")} that gain in ${ours}, one of the two loses by the joint lie and has to be paid by the other.`,
      weight: 30,
    },
  ];
}

/** Which mechanisms resist, or resist best. */
function resistance(result: CoalitionResult): Finding[] {
  const shares = mechanismsOf(result).map((mechanism) => ({
    mechanism,
    share: shareOf(marketsOf(result, mechanism), kinds["the two together"]),
  }));
  const resisting = shares.filter(({ share }) => share.hits === 0);
  if (resisting.length > 0) {
    const bound = Math.max(...resisting.map(({ share }) => share.high));
    const names = listed(resisting.map(({ mechanism }) => mechanism));
    return [
      {
        text: `No pair asked gains together in ${names} (at most ${percent(bound)} of pairs can, 95 %).`,
        weight: 40,
      },
    ];
  }
  const least = shares.reduce((a, b) => (b.share.mean < a.share.mean ? b : a));
  const [middle, low, high] = percents(least.share);
  const text = `None of ${shares.length} mechanisms resists pairs, those in which no single worker can gain included; the fewest gain in ${least.mechanism}: ${middle} (${low} to ${high}) of pairs.`;
  return [{ text, weight: 40 }];
}

/** The pair that gains most of the budget, by mechanism. */
function largestOf(
  { found }: CoalitionResult,
  mechanism: string,
): { cell: CoalitionCell; k: number; pair: PairFound } | null {
  const all = found
    .filter(({ cell }) => cell.mechanism === mechanism)
    .flatMap(({ cell, markets }) =>
      markets.flatMap(({ k, pairs }) => pairs.map((pair) => ({ cell, k, pair }))),
    );
  return all.reduce<(typeof all)[number] | null>((a, b) => (b.pair.gain > (a?.pair.gain ?? 0) ? b : a), null);
}

const exhibitName = (mechanism: string): string => `pair in ${mechanism}`;

export const exhibits = (result: CoalitionResult): Exhibit[] =>
  mechanismsOf(result).flatMap((mechanism) => {
    const largest = largestOf(result, mechanism);
    if (!largest) return [];
    const [lie = null, ...others] = largest.pair.bids;
    const title = `Workers ${listed(largest.pair.bids.map(({ worker }) => worker))} lie together and gain ${percent(largest.pair.gain)} of the budget`;
    return [
      {
        name: exhibitName(mechanism),
        title,
        market: result.marketOf(largest.cell, largest.k),
        mechanism,
        lie,
        others,
      },
    ];
  });

export const mechanismNotes = (result: CoalitionResult): MechanismNote[] =>
  mechanismsOf(result).map((mechanism) => {
    const markets = marketsOf(result, mechanism);
    const { hits } = shareOf(markets, kinds["the two together"]);
    return {
      mechanism,
      text: `Computed: ${whole(hits)} of ${many(pairsOf(markets).length, "pair")} drawn can gain by lying together.`,
    };
  });

export function methods({ settings, found }: CoalitionResult): string[] {
  const { workers, rounds, relativeBudgets, pairs } = settings;
  const counts = [...new Set(found.map(({ markets }) => markets.length))];
  return [
    `Markets of ${workers} workers and ${rounds} rounds drawn as in the paper, with budgets of ${listed(relativeBudgets)} times the true cost of all rounds on offer: ${listed(counts)} of each budget, the most for the mechanism in question; ${pairs} pairs drawn in each market, the same for all mechanisms.`,
    "The best joint lie of a pair is exact: over all prices and all arrivals from the true ones on, the others telling the truth. The two share what they gain, so that one may lose if the other gains more. Pairs of one market are not independent: intervals take markets as clusters.",
  ];
}
