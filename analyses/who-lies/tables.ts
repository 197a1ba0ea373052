/** The tables of who lies. */

import { rounded } from "../../src/lib/format.js";
import { atLeast } from "../../src/lib/statistics.js";
import { type PooledCounts, pooledShare } from "../../src/lib/summaries.js";
import type { Regime } from "../../src/mechanisms/outcome.js";
import type { Column, Row, Table } from "../../src/report/result.js";
import { BANDS, causeNames, causeWords, everyRegime, kinds } from "./people.js";
import { addTold, type Band, bandKey, type Group, kindKey, type Told, type WhoSummary } from "./summary.js";

const pointColumns: readonly Column[] = [
  { name: "regime", label: "Regime", kind: "text" },
  { name: "kind", label: "Kind of lie", kind: "text" },
  { name: "reputation", label: "Reputation", kind: "amount" },
  { name: "density", label: "True density", kind: "amount" },
  { name: "gain", label: "Gain of the best lie", kind: "amount" },
  { name: "workers", label: "Workers", kind: "count" },
  { name: "ratio", label: "Relative budget", kind: "amount" },
];

/** Those who gain come last, the largest gains on top. */
export function pointTable({ points }: WhoSummary): Table {
  const rowsOf = (group: Group) => points[group].map(({ item }) => item);
  const gaining = rowsOf("gaining").sort((a, b) => (a.gain as number) - (b.gain as number));
  return {
    name: "people",
    title: "Workers by reputation and density (a sample)",
    columns: pointColumns,
    rows: [...rowsOf("others"), ...gaining],
  };
}

const bandColumns = (exact: boolean): Column[] => [
  { name: "regime", label: "Regime", kind: "text" },
  { name: "from", label: "Reputation from", kind: "amount" },
  { name: "to", label: "to", kind: "amount" },
  { name: "share", label: exact ? "Can gain" : "Found to gain", kind: "share" },
  { name: "low", label: "95 % from", kind: "share" },
  { name: "high", label: "to", kind: "share" },
  { name: "meanGain", label: "Mean gain of those who gain", kind: "amount" },
  { name: "seen", label: "Workers asked", kind: "count" },
  { name: "markets", label: "Markets", kind: "count" },
];

export function bandTable({ bands }: WhoSummary, exact: boolean): Table {
  const rows = everyRegime.flatMap((regime) =>
    Array.from({ length: BANDS }, (_, band) => {
      const there = bands[bandKey(regime, band)];
      return there
        ? [{ regime, from: band / BANDS, to: (band + 1) / BANDS, ...bandEstimates(there, exact) }]
        : [];
    }).flat(),
  );
  return {
    name: "reputations",
    title: "Who has a lie that pays, by reputation",
    columns: bandColumns(exact),
    rows,
  };
}

const bandEstimates = ({ share, total }: Band, exact: boolean) => ({
  ...ends(share, exact),
  meanGain: rounded(total / share.hits),
  seen: share.size,
  markets: share.markets,
});

/** What was found by a search has no upper end. */
function ends(counts: PooledCounts, exact: boolean) {
  const { mean, low, high } = exact ? pooledShare(counts) : atLeast(pooledShare(counts));
  return { share: rounded(mean), low: rounded(low), high: rounded(high) };
}

const kindColumns: readonly Column[] = [
  { name: "regime", label: "Regime", kind: "text" },
  { name: "kind", label: "Kind of lie", kind: "text" },
  { name: "count", label: "Workers", kind: "count" },
  { name: "share", label: "Of all paying lies", kind: "share" },
  { name: "low", label: "95 % from", kind: "share" },
  { name: "high", label: "to", kind: "share" },
  { name: "meanGain", label: "Mean gain", kind: "amount" },
  { name: "maxGain", label: "Largest gain", kind: "amount" },
  { name: "part", label: "Of all that is gained", kind: "share" },
];

export function kindTable(who: WhoSummary, exact: boolean): Table {
  const rows = everyRegime.flatMap((regime) => {
    const gained = allTold(who, regime)?.total ?? 0;
    return kinds.flatMap((kind): Row[] => {
      const told = who.kinds[kindKey(regime, kind)];
      return told && told.count > 0 ? [{ regime, kind, ...kindEstimates(told, { gained, exact }) }] : [];
    });
  });
  return {
    name: "kinds",
    title: "Kinds of lie: how often each is the best, and what it brings",
    columns: kindColumns,
    rows,
  };
}

/** Of the lies that a search missed nobody knows the kind: their shares have no interval at all. */
function kindEstimates(
  { share, count, total, most }: Told,
  { gained, exact }: { readonly gained: number; readonly exact: boolean },
) {
  const { low, high, ...found } = ends(share, exact);
  return {
    count,
    ...found,
    ...(exact ? { low, high } : { low: null, high: null }),
    meanGain: rounded(total / count),
    maxGain: rounded(most),
    part: rounded(total / gained),
  };
}

/** All lies that pay in a regime, whatever their kind; null where none does. */
export function allTold(who: WhoSummary, regime: Regime | "all"): Omit<Told, "share"> | null {
  const there = kinds.flatMap((kind) => who.kinds[kindKey(regime, kind)] ?? []);
  const [first, ...others] = there;
  return first ? others.reduce<Omit<Told, "share">>(addTold, first) : null;
}

const causeColumns: readonly Column[] = [
  { name: "regime", label: "Regime", kind: "text" },
  { name: "kind", label: "Kind of lie", kind: "text" },
  { name: "cause", label: "Cause", kind: "text" },
  { name: "mean", label: "Mean part of a gain", kind: "amount" },
  { name: "sum", label: "Added up", kind: "amount" },
  { name: "part", label: "Of all that is gained", kind: "share" },
  { name: "helping", label: "Lies it helps", kind: "count" },
];

export function causeTable(who: WhoSummary): Table {
  const rows = everyRegime.flatMap((regime) =>
    (["all", ...kinds] as const).flatMap((kind) => {
      const told = kind === "all" ? allTold(who, regime) : who.kinds[kindKey(regime, kind)];
      return told ? causeRows(told).map((row) => ({ regime, kind, ...row })) : [];
    }),
  );
  return {
    name: "causes",
    title: "Where gains come from",
    columns: causeColumns,
    rows,
  };
}

export function causeRows({ causes, helping, explained, total }: Omit<Told, "share">): Row[] {
  if (explained === 0) return [];
  return causeNames.map((name) => ({
    cause: causeWords[name],
    mean: rounded(causes[name] / explained),
    sum: rounded(causes[name]),
    part: rounded(causes[name] / total),
    helping: helping[name],
  }));
}
