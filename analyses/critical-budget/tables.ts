/** The tables of critical budgets. */

import { quantile } from "d3-array";
import { rounded } from "../../src/lib/format.js";
import { atLeast, type Estimate, FEWEST_FOR_PERCENTILES, share } from "../../src/lib/statistics.js";
import { pooledShare } from "../../src/lib/summaries.js";
import type { Column, Row, Table } from "../../src/report/result.js";
import { type LieKind, lieKinds } from "../../src/verdicts/explain.js";
import { changes, middleOf, pays, type State, states } from "../shared/gains/crossings.js";
import {
  crossingsAt,
  extreme,
  gainAt,
  moments,
  ofSize,
  payingIn,
  type Scanned,
  whens,
  windowsOf,
} from "./moments.js";

/** What was found by a search has no upper end. */
function ends(found: Estimate, exact: boolean) {
  const { mean, low, high } = exact ? found : atLeast(found);
  return { share: rounded(mean), low: rounded(low), high: rounded(high) };
}

/** Of the lies that a search missed nobody knows more: what is said of those found has no interval at all. */
const endsOfFound = (found: Estimate, exact: boolean) =>
  exact ? ends(found, true) : { share: rounded(found.mean), low: null, high: null };

const curveColumns: readonly Column[] = [
  { name: "workers", label: "Workers", kind: "count" },
  { name: "ratio", label: "Relative budget", kind: "amount" },
  { name: "share", label: "Markets in which a lie pays", kind: "share" },
  { name: "low", label: "95 % from", kind: "share" },
  { name: "high", label: "to", kind: "share" },
  { name: "late", label: "Start late", kind: "share" },
  { name: "events", label: "On time, with budget events", kind: "share" },
  { name: "markets", label: "Markets", kind: "count" },
];

export function curveTable(scanned: readonly Scanned[], exact: boolean): Table {
  const rows = ofSize(scanned).flatMap(([workers, markets]) =>
    markets[0]!.standings.map(({ ratio }, k): Row => {
      const there = markets.map(({ standings }) => standings[k]!);
      const paying = share(there.filter(pays).length, there.length);
      const inState = (state: State) =>
        there.filter((standing) => standing.state === state).length / there.length;
      return {
        workers,
        ratio,
        ...ends(paying, exact),
        late: rounded(inState("late start")),
        events: rounded(inState("budget events")),
        markets: there.length,
      };
    }),
  );
  return {
    name: "curve",
    title: "Markets in which some lie pays, by relative budget",
    columns: curveColumns,
    rows,
  };
}

const momentColumns: readonly Column[] = [
  { name: "workers", label: "Workers", kind: "count" },
  { name: "moment", label: "Moment", kind: "text" },
  { name: "median", label: "Median relative budget", kind: "amount" },
  { name: "low", label: "First quartile", kind: "amount" },
  { name: "high", label: "Third quartile", kind: "amount" },
  { name: "gain", label: "Median gain there", kind: "amount" },
  { name: "found", label: "Markets with it", kind: "count" },
  { name: "outside", label: "Pays at the end of the range", kind: "count" },
  { name: "never", label: "Never pays", kind: "count" },
  { name: "windows", label: "Paying stretches per market", kind: "amount" },
  { name: "markets", label: "Markets", kind: "count" },
];

export function momentTable(scanned: readonly Scanned[]): Table {
  const rows = ofSize(scanned).flatMap(([workers, markets]) =>
    moments.map((moment): Row => {
      const found = markets.flatMap((market) => extreme(market, moment) ?? []);
      const at = (part: number) => quantileOf(found.map(middleOf), part);
      const outside = markets.filter(({ standings }) => pays(standings.at(moment === moments[0] ? 0 : -1)!));
      return {
        workers,
        moment,
        median: at(0.5),
        low: at(0.25),
        high: at(0.75),
        gain: quantileOf(found.map(gainAt), 0.5),
        found: found.length,
        outside: outside.length,
        never: markets.filter(({ standings }) => !standings.some(pays)).length,
        windows: rounded(windowsOf(markets)),
        markets: markets.length,
      };
    }),
  );
  return {
    name: "moments",
    title: "Relative budgets at which lies first begin and last cease to pay",
    columns: momentColumns,
    rows,
  };
}

/** None of too few values. */
const quantileOf = (values: readonly number[], part: number): number | null =>
  values.length < FEWEST_FOR_PERCENTILES ? null : rounded(quantile(values, part)!);

const changeColumns: readonly Column[] = [
  { name: "when", label: "Where lies", kind: "text" },
  { name: "change", label: "What changes in the truthful run", kind: "text" },
  { name: "count", label: "Crossings", kind: "count" },
  { name: "share", label: "Share", kind: "share" },
  { name: "low", label: "95 % from", kind: "share" },
  { name: "high", label: "to", kind: "share" },
  { name: "chance", label: "Share by chance", kind: "share" },
  { name: "crossings", label: "of crossings", kind: "count" },
];

export function changeTable(scanned: readonly Scanned[], exact: boolean): Table {
  const chances = scanned.flatMap(({ byChance }) => byChance);
  const rows = whens.flatMap((when) => {
    const found = crossingsAt(scanned, when).map(({ change }) => change);
    if (found.length === 0) return [];
    return changes.map((change): Row => {
      const count = found.filter((other) => other === change).length;
      const chance = chances.filter((other) => other === change).length / chances.length;
      return {
        when,
        change,
        count,
        ...endsOfFound(share(count, found.length), exact),
        chance: rounded(chance),
        crossings: found.length,
      };
    });
  });
  return {
    name: "changes",
    title: "What changes in the truthful run where lies begin or cease to pay",
    columns: changeColumns,
    rows,
  };
}

const stateColumns: readonly Column[] = [
  { name: "state", label: "Truthful run", kind: "text" },
  { name: "share", label: "A lie pays, of all budgets scanned", kind: "share" },
  { name: "low", label: "95 % from", kind: "share" },
  { name: "high", label: "to", kind: "share" },
  { name: "paying", label: "Paying budgets", kind: "count" },
  { name: "points", label: "Budgets scanned", kind: "count" },
  { name: "markets", label: "Markets", kind: "count" },
];

export function stateTable(scanned: readonly Scanned[], exact: boolean): Table {
  const rows = states.flatMap((state): Row[] => {
    const counts = payingIn(scanned, state);
    if (!counts) return [];
    const { hits: paying, size: points, markets } = counts;
    return [{ state, ...ends(pooledShare(counts), exact), paying, points, markets }];
  });
  return {
    name: "states",
    title: "How often some lie pays, by what the truthful run shows",
    columns: stateColumns,
    rows,
  };
}

const beginColumns: readonly Column[] = [
  { name: "kind", label: "Kind of lie", kind: "text" },
  { name: "count", label: "Markets", kind: "count" },
  { name: "share", label: "Share", kind: "share" },
  { name: "low", label: "95 % from", kind: "share" },
  { name: "high", label: "to", kind: "share" },
];

export function beginTable(scanned: readonly Scanned[], exact: boolean): Table {
  const found = scanned.flatMap(({ beginsBy }) => beginsBy ?? []);
  const rows = (Object.keys(lieKinds) as LieKind[]).flatMap((kind): Row[] => {
    const count = found.filter((other) => other === kind).length;
    return count === 0 ? [] : [{ kind, count, ...endsOfFound(share(count, found.length), exact) }];
  });
  return {
    name: "beginnings",
    title: "The lie that first begins to pay",
    columns: beginColumns,
    rows,
  };
}
