/** Who lies, in tables, charts and sentences. */

import { capital, listed, many, percent, percents, rounded, signed } from "../../src/lib/format.js";
import { FEWEST } from "../../src/lib/statistics.js";
import { type PooledCounts, pooledShare } from "../../src/lib/summaries.js";
import { difference } from "../../src/lib/tolerance.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Chart, Column, Finding, Row, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  greyAndDark,
  intervalColumns,
  offeredRegimes,
  percentAxis,
  regimeChoice,
  regimeColour,
  regimeWords,
  shareColumn,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import { type Causes, type LieKind, lieKinds } from "../../src/verdicts/explain.js";
import { exactnessText, shareCells, type Witness } from "../shared/gains.js";
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

export const tables = (result: WhoResult): Table[] => [
  bandTable(result),
  kindTable(result),
  causeTable(result),
];

const bandColumns = (exact: boolean): Column[] => [
  regimeColumn,
  amountColumn("from", "Reputation from"),
  amountColumn("to", "to"),
  shareColumn("share", exact ? "Can gain" : "Found to gain"),
  ...intervalColumns("share"),
  amountColumn("meanGain", "Mean gain of those who gain"),
  countColumn("seen", "Workers asked"),
  countColumn("markets", "Markets"),
];

function bandTable({ who, exact }: WhoResult): Table {
  const bands = Array.from({ length: BANDS }, (_, band) => band);
  const rows = regimes.flatMap((regime) =>
    bands.flatMap((band): Row[] => {
      const there = who.bands[bandKey(regime, band)];
      if (!there) return [];
      const { share, total } = there;
      return [
        {
          ...{ regime, from: band / BANDS, to: (band + 1) / BANDS },
          ...shareCells(pooledShare(share), exact),
          ...{ meanGain: rounded(total / share.hits), seen: share.size, markets: share.markets },
        },
      ];
    }),
  );
  return { name: "reputations", title: "Who can gain, by reputation", columns: bandColumns(exact), rows };
}

const kindColumns: readonly Column[] = [
  regimeColumn,
  textColumn("kind", "Kind of lie"),
  textColumn("what", "What the liar does"),
  countColumn("count", "Workers"),
  shareColumn("share", "Of all paying lies"),
  ...intervalColumns("share"),
  amountColumn("meanGain", "Mean gain"),
  amountColumn("maxGain", "Largest gain"),
  shareColumn("part", "Of all that is gained"),
];

/** "reserve a place". */
const shortly = (kind: LieKind): string => lieKinds[kind].split(":")[0]!;

function kindTable({ who, exact }: WhoResult): Table {
  const rows = regimes.flatMap((regime) => {
    const gained = allKinds(who, regime)?.total ?? 0;
    return kinds.flatMap((kind): Row[] => {
      const found = who.kinds[kindKey(regime, kind)];
      if (!found || found.count === 0) return [];
      const { share, count, total, most } = found;
      // Of the lies that a search missed nobody knows the kind: their shares have no interval at all.
      const cells = shareCells(pooledShare(share), exact);
      return [
        {
          ...{ regime, kind, what: shortly(kind), count, ...cells, ...(!exact && { low: null }) },
          ...{ meanGain: rounded(total / count), maxGain: rounded(most), part: rounded(total / gained) },
        },
      ];
    });
  });
  const title = "Kinds of lie: how often each is the best, and what it brings";
  return { name: "kinds", title, columns: kindColumns, rows };
}

const causeColumns: readonly Column[] = [
  regimeColumn,
  textColumn("kind", "Kind of lie"),
  textColumn("cause", "Cause"),
  amountColumn("mean", "Mean part of a gain"),
  amountColumn("sum", "Added up"),
  shareColumn("part", "Of all that is gained"),
  countColumn("helping", "Lies it helps"),
];

/** Empty where the mechanism is not the paper's. */
function causeTable({ who }: WhoResult): Table {
  const rows = regimes.flatMap((regime) =>
    (["all", ...kinds] as const).flatMap((kind) => {
      const found = kind === "all" ? allKinds(who, regime) : who.kinds[kindKey(regime, kind)];
      return found ? causeRows(found).map((row) => ({ regime, kind, ...row })) : [];
    }),
  );
  return { name: "causes", title: "Where gains come from", columns: causeColumns, rows };
}

function causeRows({ causes, helping, explained, total }: AllKinds): Row[] {
  if (explained === 0) return [];
  return causeNames.map((name) => ({
    cause: causeWords[name],
    mean: rounded(causes[name] / explained),
    sum: rounded(causes[name]),
    part: rounded(causes[name] / total),
    helping: helping[name],
  }));
}

export const charts = (result: WhoResult): Chart[] => [
  bandChart(result),
  ...kindChart(result),
  ...causeChart(result),
];

function bandChart(result: WhoResult): Chart {
  const { exact } = result;
  const rows = bandTable(result).rows;
  const columns = bandColumns(exact).filter(({ name }) => exact || name !== "high");
  const x = { field: "middle", type: "quantitative", title: "reputation", scale: { domain: [0, 1] } };
  const y = (field: string) => percentAxis(field, exact ? "share who can gain" : "share found to gain");
  const peaks = regimes.flatMap((regime) => {
    const mine = rows.filter((row) => row.regime === regime);
    if (mine.length === 0) return [];
    const { from, to, share } = mine.reduce((a, b) => ((b.share as number) > (a.share as number) ? b : a));
    return share === 0
      ? [`${regime}: ${exact ? "none" : "none found"}`]
      : [`${regime}: ${percent(share as number)} from ${from} to ${to}`];
  });
  return {
    name: "reputations",
    title: `Share of workers who ${exact ? "can" : "were found to"} gain, by reputation`,
    table: "reputations",
    spec: {
      transform: [{ calculate: "(datum.from + datum.to) / 2", as: "middle" }],
      encoding: { x, color: regimeColour("regime"), tooltip: tooltipOf(columns) },
      layer: [
        ...(exact
          ? [{ mark: { type: "area", opacity: 0.18 }, encoding: { y: y("low"), y2: { field: "high" } } }]
          : []),
        { mark: "line", encoding: { y: y("share") } },
        { mark: { type: "point", filled: true, size: 40, opacity: 1 }, encoding: { y: y("share") } },
      ],
    },
    summary: `The highest share in each regime, by reputation: ${peaks.join("; ")}.`,
    howToRead: exact
      ? "A point stands for the workers of a tenth of the range of reputations; the band is its 95 % interval, with markets as clusters."
      : "A point stands for the workers of a tenth of the range of reputations; lies were searched for, and points are lower bounds.",
  };
}

/** Regimes in which somebody gains. */
const gainingIn = (who: WhoSummary): Regime[] =>
  offeredRegimes.filter((regime) => allKinds(who, regime) !== null);

/** None where nobody gains. */
function kindChart(result: WhoResult): Chart[] {
  const { who, exact } = result;
  const gaining = gainingIn(who);
  if (gaining.length === 0) return [];
  const rows = kindTable(result).rows;
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
        encoding: {
          y: { field: "what", type: "nominal", sort: kinds.map(shortly), title: null },
          tooltip: tooltipOf(kindColumns),
        },
        layer: [
          {
            mark: { type: "bar", opacity: 0.6 },
            encoding: { x: x("part"), color: { datum: marks[0], ...greyAndDark(marks) } },
          },
          ...(exact ? [{ mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } }] : []),
          {
            mark: { type: "point", filled: true, size: 80, opacity: 1, stroke: "white" },
            encoding: { x: x("share"), color: { datum: marks[1], ...greyAndDark(marks) } },
          },
        ],
      },
      summary: captions(choices, ({ regime }) => {
        const mine = rows.filter((row) => row.regime === regime);
        const parts = mine.map(({ what, share }) => `${what} ${percent(share as number)}`);
        const { count } = allKinds(who, regime as Regime)!;
        return `${capital(regime!)}: of the best lies of ${many(count, "worker")}, ${listed(parts)}.`;
      }),
      howToRead: `Bars add up to all that is gained, points to all lies that pay${exact ? ", with their 95 % intervals" : ""}. To reserve a place is to be selected earlier, or at all; to force the start is to make the task start earlier, or at all.`,
    },
  ];
}

/** None where causes are not known. */
function causeChart(result: WhoResult): Chart[] {
  const { who } = result;
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
          y: {
            field: "cause",
            type: "nominal",
            sort: Object.values(causeWords),
            title: null,
            axis: { labelLimit: 260 },
          },
          x: { field: "mean", type: "quantitative", title: "mean part of a gain" },
          tooltip: tooltipOf(causeColumns),
        },
      },
      summary: captions(choices, ({ regime }) => {
        const rows = causeRows(allKinds(who, regime as Regime)!);
        const most = Math.max(0, ...rows.map(({ mean }) => Math.abs(mean as number)));
        const parts = rows.map(
          ({ cause, mean }) => `${cause} ${signed(difference(mean as number, 0, most))}`,
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
      : `; of all that is gained ${from("budget")} comes from the budget's limits, ${from("start")} from moving the start and ${from("rounds", "price")} from rounds and prices themselves`;
  return `${capital(regimeWords[regime])} (markets drawn as in the paper, prose), the best lie ${exact ? "" : "found "}of ${many(all.count, "worker")} is most often to ${shortly(top.kind)}: for ${share}${interval}${causes}.`;
}

/** The lowest and the highest band of reputations. */
function bandText(result: WhoResult, regime: Regime): string[] {
  const rows = bandTable(result).rows.filter((row) => row.regime === regime);
  const [low, high] = [rows[0], rows.at(-1)];
  if (!low || !high || low === high) return [];
  const [few, many] = [low, high].map(({ share }) => percent(share as number));
  const band = ({ from, to }: Row) => `a reputation from ${from} to ${to}`;
  return [
    `${capital(regimeWords[regime])}, ${few} of the workers with ${band(low)} ${result.exact ? "can" : "were found to"} gain, and ${many} of those with ${band(high)}.`,
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
