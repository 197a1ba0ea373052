/** Who lies, in tables, charts and sentences. */

import { groups } from "d3-array";
import { capital, listed, many, percent, percents, signed } from "../../src/lib/format.js";
import { FEWEST } from "../../src/lib/statistics.js";
import { type PooledCounts, pooledShare } from "../../src/lib/summaries.js";
import { difference } from "../../src/lib/tolerance.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Chart, Finding, Table } from "../../src/report/result.js";
import {
  amountAxis,
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  greyAndDark,
  linesWithBands,
  nameAxis,
  offeredRegimes,
  percentAxis,
  regimeChoice,
  regimeColour,
  regimeWords,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import { type Causes, type LieKind, lieKinds } from "../../src/verdicts/explain.js";
import { bounded, exactnessText, type Witness } from "../shared/gains.js";
import type { WhoResult } from "../who-lies.js";

export const kinds = Object.keys(lieKinds) as LieKind[];

/** Workers whose reputations are in one band. */
export interface Band {
  /** Of its workers, those who gain. */
  readonly share: PooledCounts;
  /** All gains added up. */
  readonly total: number;
}

/** Workers whose best lie is of one kind. */
export interface KindSummary {
  /** Of those who gain, those who gain most by this kind. */
  readonly share: PooledCounts;
  readonly count: number;
  readonly total: number;
  readonly most: number;
  /** Of those whose causes are known: how many, each cause added up, and how many it helps. */
  readonly explained: number;
  readonly causes: Causes;
  readonly helping: Causes;
}

export interface WhoSummary {
  readonly bands: Record<string, Band>;
  readonly kinds: Record<string, KindSummary>;
  /** The largest gain of each kind. */
  readonly most: Record<string, Witness>;
}

export const BANDS = 10;

export const bandKey = (regime: Regime, band: number): string => `${regime} ${band}`;

export const kindKey = (regime: Regime, kind: LieKind): string => `${regime} ${kind}`;

export const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const causeWords: Readonly<Record<keyof Causes, string>> = {
  rounds: "rounds won or given up",
  price: "a better or worse price",
  budget: "the budget's limits",
  start: "the start moved",
};

const causeNames = Object.keys(causeWords) as (keyof Causes)[];

export const eachCause = (value: (name: keyof Causes) => number): Causes =>
  Object.fromEntries(causeNames.map((name) => [name, value(name)])) as Record<keyof Causes, number>;

/** Of different kinds in the same markets: all but their shares. */
type AllKinds = Omit<KindSummary, "share">;

export const addKinds = (a: AllKinds, b: AllKinds): AllKinds => ({
  count: a.count + b.count,
  total: a.total + b.total,
  most: Math.max(a.most, b.most),
  explained: a.explained + b.explained,
  causes: eachCause((name) => a.causes[name] + b.causes[name]),
  helping: eachCause((name) => a.helping[name] + b.helping[name]),
});

/** All lies that pay in a regime, whatever their kind; null where none does. */
function allKinds(who: WhoSummary, regime: Regime): AllKinds | null {
  const [first, ...others] = kinds.flatMap((kind) => who.kinds[kindKey(regime, kind)] ?? []);
  return first ? others.reduce<AllKinds>(addKinds, first) : null;
}

const regimeColumn = textColumn("regime", "Regime");

export const tables = ({ who, exact }: WhoResult): Table[] => [
  tableOf("reputations", "Who can gain, by reputation", bandsIn(who), bandColumns(exact)),
  tableOf(
    "kinds",
    "Kinds of lie: how often each is the best, and what it brings",
    toldIn(who),
    kindColumns(exact),
  ),
  tableOf("causes", "Where gains come from", causesIn(who), causeColumns),
];

/** Workers of one regime whose reputations are in one band. */
interface InBand extends Band {
  readonly regime: Regime;
  readonly from: number;
  readonly to: number;
}

const bandsIn = ({ bands }: WhoSummary): InBand[] =>
  regimes.flatMap((regime) =>
    Array.from({ length: BANDS }, (_, band) => band).flatMap((band) => {
      const there = bands[bandKey(regime, band)];
      return there ? [{ ...there, regime, from: band / BANDS, to: (band + 1) / BANDS }] : [];
    }),
  );

const meanShare = ({ share: { hits, size } }: Band): number => hits / size;

const bandColumns = (exact: boolean): Field<InBand>[] => [
  regimeColumn,
  amountColumn("from", "Reputation from"),
  amountColumn("to", "to"),
  ...estimateColumns(shareColumn("share", exact ? "Can gain" : "Found to gain"), ({ share }: InBand) =>
    bounded(pooledShare(share), exact),
  ),
  amountColumn("meanGain", "Mean gain of those who gain", ({ total, share }) => total / share.hits),
  countColumn("seen", "Workers asked", ({ share }) => share.size),
  countColumn("markets", "Markets", ({ share }) => share.markets),
];

/** A kind of lie that is the best of some workers of a regime. */
interface Told extends KindSummary {
  readonly regime: Regime;
  readonly kind: LieKind;
  /** What all kinds bring together. */
  readonly gained: number;
}

const toldIn = (who: WhoSummary): Told[] =>
  regimes.flatMap((regime) =>
    kinds.flatMap((kind) => {
      const found = who.kinds[kindKey(regime, kind)];
      return found && found.count > 0
        ? [{ ...found, regime, kind, gained: allKinds(who, regime)!.total }]
        : [];
    }),
  );

const unknown = { low: Number.NaN, high: Number.NaN };

/** Of the lies that a search missed nobody knows the kind: their shares have no interval at all. */
const kindColumns = (exact: boolean): Field<Told>[] => [
  regimeColumn,
  textColumn("kind", "Kind of lie"),
  textColumn("what", "What the liar does", ({ kind }) => shortly(kind)),
  countColumn("count", "Workers"),
  ...estimateColumns(shareColumn("share", "Of all paying lies"), ({ share }: Told) => ({
    ...pooledShare(share),
    ...(!exact && unknown),
  })),
  amountColumn("meanGain", "Mean gain", ({ total, count }) => total / count),
  amountColumn("maxGain", "Largest gain", ({ most }) => most),
  shareColumn("part", "Of all that is gained", ({ total, gained }) => total / gained),
];

/** "reserve a place". */
const shortly = (kind: LieKind): string => lieKinds[kind].split(":")[0]!;

interface Caused extends AllKinds {
  readonly regime: Regime;
  readonly kind: LieKind | "all";
  readonly cause: keyof Causes;
}

/** None where the mechanism is not the paper's. */
const causesIn = (who: WhoSummary): Caused[] =>
  regimes.flatMap((regime) =>
    (["all", ...kinds] as const).flatMap((kind) => {
      const found = kind === "all" ? allKinds(who, regime) : who.kinds[kindKey(regime, kind)];
      if (!found || found.explained === 0) return [];
      return causeNames.map((cause) => ({ ...found, regime, kind, cause }));
    }),
  );

const meanPart = ({ causes, cause, explained }: Caused): number => causes[cause] / explained;

const causeColumns: readonly Field<Caused>[] = [
  regimeColumn,
  textColumn("kind", "Kind of lie"),
  textColumn("cause", "Cause", ({ cause }) => causeWords[cause]),
  amountColumn("mean", "Mean part of a gain", meanPart),
  amountColumn("sum", "Added up", ({ causes, cause }) => causes[cause]),
  shareColumn("part", "Of all that is gained", ({ causes, cause, total }) => causes[cause] / total),
  countColumn("helping", "Lies it helps", ({ helping, cause }) => helping[cause]),
];

export const charts = (result: WhoResult): Chart[] => [
  bandChart(result),
  ...kindChart(result),
  ...causeChart(result),
];

function bandChart({ who, exact, settings: { sizes, ratios } }: WhoResult): Chart {
  const columns = bandColumns(exact).filter(({ name }) => exact || name !== "high");
  const y = (field: string) => percentAxis(field, exact ? "share who can gain" : "share found to gain");
  const peaks = groups(bandsIn(who), ({ regime }) => regime).map(([regime, mine]) => {
    const top = mine.reduce((a, b) => (meanShare(b) > meanShare(a) ? b : a));
    const { from, to, share } = top;
    return share.hits === 0
      ? `${regime}: ${exact ? "none" : "none found"}`
      : `${regime}: ${percent(meanShare(top))} from ${from} to ${to}`;
  });
  const family = `Markets drawn as in the paper (prose) of ${listed(sizes)} workers, relative budgets ${ratios[0]} to ${ratios.at(-1)}, pooled.`;
  const point = `${family} A point stands for the workers of a tenth of the range of reputations;`;
  return {
    name: "reputations",
    title: `Share of workers who ${exact ? "can" : "were found to"} gain, by reputation`,
    table: "reputations",
    spec: {
      transform: [{ calculate: "(datum.from + datum.to) / 2", as: "middle" }],
      encoding: {
        x: amountAxis("middle", "reputation", { scale: { domain: [0, 1] } }),
        color: regimeColour("regime"),
        tooltip: tooltipOf(columns),
      },
      // What was searched for has no upper end to draw.
      layer: linesWithBands(y, { value: "share" }).slice(exact ? 0 : 1),
    },
    summary: `The highest share in each regime, by reputation: ${peaks.join("; ")}.`,
    howToRead: exact
      ? `${point} the band is its 95 % interval, with markets as clusters.`
      : `${point} lies were searched for, and points are lower bounds.`,
  };
}

/** Regimes in which somebody gains. */
const gainingIn = (who: WhoSummary): Regime[] =>
  offeredRegimes.filter((regime) => allKinds(who, regime) !== null);

/** None where nobody gains. */
function kindChart({ who, exact }: WhoResult): Chart[] {
  const gaining = gainingIn(who);
  if (gaining.length === 0) return [];
  const choices = [regimeChoice(gaining)];
  const marks = ["of all that is gained", "of all lies that pay"];
  const x = (field: string) => percentAxis(field, "share", { domain: [0, 1] });
  return [
    {
      name: "kinds",
      title: `Kinds of lie: how often each is the best ${exact ? "" : "found "}one, and how much it brings`,
      table: "kinds",
      choices,
      spec: {
        height: { step: 34 },
        encoding: { y: nameAxis("what", kinds.map(shortly)), tooltip: tooltipOf(kindColumns(exact)) },
        layer: [
          {
            mark: { type: "bar", opacity: 0.6 },
            encoding: { x: x("part"), color: { datum: marks[0], ...greyAndDark(marks) } },
          },
          ...(exact ? [{ mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } }] : []),
          {
            mark: { type: "point", size: 80, opacity: 1, stroke: "white" },
            encoding: { x: x("share"), color: { datum: marks[1], ...greyAndDark(marks) } },
          },
        ],
      },
      summary: captions(choices, ({ regime }) => {
        const mine = toldIn(who).filter((told) => told.regime === regime);
        const parts = mine.map(
          ({ kind, share: { hits, size } }) => `${shortly(kind)} ${percent(hits / size)}`,
        );
        const { count } = allKinds(who, regime as Regime)!;
        return `${capital(regime!)}: of the best lies of ${many(count, "worker")}, ${listed(parts)}.`;
      }),
      howToRead: `Bars add up to all that is gained, points to all lies that pay${exact ? ", with their 95 % intervals" : ""}. To reserve a place is to be selected earlier, or at all; to force the start is to make the task start earlier, or at all.`,
    },
  ];
}

/** None where causes are not known. */
function causeChart({ who }: WhoResult): Chart[] {
  const known = gainingIn(who).filter((regime) => allKinds(who, regime)!.explained > 0);
  if (known.length === 0) return [];
  const choices = [regimeChoice(known)];
  return [
    {
      name: "causes",
      title: "Where gains come from",
      table: "causes",
      choices,
      spec: {
        height: { step: 34 },
        transform: [{ filter: "datum.kind === 'all'" }],
        mark: "bar",
        encoding: {
          y: nameAxis("cause", Object.values(causeWords), { labelLimit: 260 }),
          x: amountAxis("mean", "mean part of a gain"),
          tooltip: tooltipOf(causeColumns),
        },
      },
      summary: captions(choices, ({ regime }) => {
        const mine = causesIn(who).filter((one) => one.regime === regime && one.kind === "all");
        const most = Math.max(0, ...mine.map((one) => Math.abs(meanPart(one))));
        const parts = mine.map(
          (one) => `${causeWords[one.cause]} ${signed(difference(meanPart(one), 0, most))}`,
        );
        return `${capital(regime!)}: the mean gain is made up of ${listed(parts)}.`;
      }),
      howToRead:
        "The four add up to the mean gain. Rounds and price are what the lie would bring with unlimited money and the start unmoved, by the paper's proofs never a gain; the start's part is what moving it would bring with unlimited money, and what the budget then takes back is in the budget's.",
    },
  ];
}

export function findings(result: WhoResult): Finding[] {
  const { who, exact } = result;
  const enough = gainingIn(who).filter((regime) => allKinds(who, regime)!.count >= FEWEST);
  if (enough.length === 0) {
    const asked = total(Object.values(who.bands).map(({ share }) => share.size));
    const gained = total(gainingIn(who).map((regime) => allKinds(who, regime)!.count));
    const verb = exact ? "can gain" : `${gained < 2 ? "was" : "were"} found to gain`;
    return [{ text: `Of ${many(asked, "worker")} ${gained || "none"} ${verb} by any lie.`, weight: 32 }];
  }
  return enough.flatMap((regime) => [
    { text: kindText(result, regime), weight: 60 },
    ...bandText(result, regime).map((text) => ({ text, weight: 40 })),
  ]);
}

/** The kind of lie that is most often the best, and where all gains of a regime come from. */
function kindText({ who, exact }: WhoResult, regime: Regime): string {
  const all = allKinds(who, regime)!;
  const counted = kinds.map((kind) => ({ kind, ...who.kinds[kindKey(regime, kind)]! }));
  const top = counted.reduce((a, b) => (b.count > a.count ? b : a));
  const [share, low, high] = percents(pooledShare(top.share));
  const interval = exact ? ` (95 %: ${low} to ${high})` : "";
  const from = (...names: (typeof causeNames)[number][]) =>
    signed(difference(total(names.map((name) => all.causes[name])), 0, all.total) / all.total, percent);
  const causes =
    all.explained === 0
      ? ""
      : `; of what is gained, the budget's limits make ${from("budget")}, moving the start ${from("start")}, rounds and prices themselves ${from("rounds", "price")}`;
  return `${capital(regimeWords[regime])} (markets drawn as in the paper, prose), the best lie ${exact ? "" : "found "}of ${many(all.count, "worker")} is most often to ${shortly(top.kind)}: for ${share}${interval}${causes}.`;
}

/** The lowest and the highest band of reputations. */
function bandText({ who, exact }: WhoResult, regime: Regime): string[] {
  const bands = bandsIn(who).filter((band) => band.regime === regime);
  const [low, high] = [bands[0], bands.at(-1)];
  if (!low || !high || low === high) return [];
  const band = ({ from, to }: InBand) => `a reputation from ${from} to ${to}`;
  return [
    `${capital(regimeWords[regime])}, ${percent(meanShare(low))} of the workers with ${band(low)} ${exact ? "can" : "were found to"} gain, and ${percent(meanShare(high))} of those with ${band(high)}.`,
  ];
}

export function methods({ settings, exact }: WhoResult): string[] {
  const { markets, sizes, ratios, rounds, asked } = settings;
  return [
    `${many(markets, "market")} drawn as in the paper of each size (${listed(sizes)} workers, ${rounds} rounds, ratio 0.35, prose), each under ${ratios.length} relative budgets from ${ratios[0]} to ${ratios.at(-1)}.`,
    "Shares are of all workers of a regime, pooled over markets, with intervals of a ratio estimator that has markets as clusters.",
    "Each worker is counted once with its best lie; others that pay less may be of another kind. Causes are known for the paper's mechanism only.",
    exactnessText(exact, asked),
  ];
}
