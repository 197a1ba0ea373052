/**
 * Accumulators: what is known of many rows, in a size that does not grow with their number. A look at a market gives rows; an
 * accumulator sums the rows of one market, merges the sums of several markets, names its columns and draws its axis.
 */

import { plainError, showValue, unknownName } from "../lib/errors.js";
import { rounded } from "../lib/format.js";
import { atLeast, type Estimate, FEWEST, FEWEST_FOR_PERCENTILES, meanAlone } from "../lib/statistics.js";
import {
  countsOf,
  estimateFrom,
  type Moments,
  mergeCounts,
  mergeMoments,
  mergeSketches,
  momentsOf,
  type PooledCounts,
  pooledShare,
  quantileFrom,
  type Sketch,
  sketchOf,
} from "../lib/summaries.js";
import type { Column, Table } from "./result.js";
import { axis, column, type Field, marks, tableOf } from "./vocabulary.js";

/** Sums are plain JSON: no NaN and no infinities. */
export interface Accumulator<Row, Sum> {
  /** Of the rows of one market. */
  of(rows: readonly Row[]): Sum;
  /** Of different markets, the left one of earlier ones; it may change and return the left one. */
  merge(left: Sum, right: Sum): Sum;
}

/** A heading; another one where lies are searched for, so that what is found is a lower bound. */
export type Label = string | { readonly exact: string; readonly searched: string };

const labelText = (label: Label, exact: boolean): string =>
  typeof label === "string" ? label : exact ? label.exact : label.searched;

/** The rows of a group in one market, with the group's keys: a test that several measures make is made once. */
export class Group<Row, Keys> {
  private readonly known = new Map<unknown, readonly Row[]>();

  constructor(
    readonly rows: readonly Row[],
    readonly keys: Keys,
  ) {}

  where(test: Test<Row, Keys>): readonly Row[] {
    const known = this.known.get(test);
    if (known !== undefined) return known;
    const found: Row[] = [];
    for (const row of this.rows) if (test(row, this.keys)) found.push(row);
    this.known.set(test, found);
    return found;
  }
}

/** A statistic of a group of rows: it knows its columns and its axis. */
export interface Measure<Row, Sum, Keys> {
  of(group: Group<Row, Keys>): Sum;
  merge(left: Sum, right: Sum): Sum;
  /** Under this name; `exact`: nothing can have been missed. */
  columns(name: string, exact: boolean): readonly Field<Sum>[];
  /** A chart's channel of one of its columns. */
  axis(field: string, exact: boolean, scale?: object): object;
}

/** How a number is written in a table and on an axis; the axis has the table's heading if it names none. */
interface Shown {
  readonly kind: Exclude<Column["kind"], "text">;
  readonly label: Label;
  readonly axis?: Label | undefined;
}

const axisOf =
  ({ kind, label, axis: title = label }: Shown) =>
  (field: string, exact: boolean, scale?: object): object =>
    kind === "share"
      ? axis.percent(field, labelText(title, exact), scale)
      : axis.amount(field, labelText(title, exact), scale && { scale });

/** A measure whose sum is shown as one number. */
const single = <Row, Sum, Keys>(
  shown: Shown,
  { of, merge, read }: Pick<Measure<Row, Sum, Keys>, "of" | "merge"> & { read(sum: Sum): number | null },
): Measure<Row, Sum, Keys> => ({
  of,
  merge,
  columns: (name, exact) => [column[shown.kind](name, labelText(shown.label, exact), read)],
  axis: axisOf(shown),
});

/** Values that there are, added up; those without bound are counted apart. */
export interface Total {
  readonly n: number;
  readonly total: number;
  readonly unbounded: number;
}

export interface Ratio {
  readonly above: Total;
  readonly below: Total;
}

/** The row with the largest value, as much of it as is kept; null where no row has a value above 0. */
export interface Largest<Kept> {
  readonly amount: number;
  readonly unbounded: boolean;
  readonly kept: Kept;
}

export interface Quantiles {
  readonly n: number;
  readonly unbounded: number;
  readonly sketch: Sketch;
}

export interface MarketMeans {
  readonly moments: Moments;
  readonly least: number;
  readonly most: number;
}

const add = (left: number, right: number): number => left + right;

const isBounded = (value: number): boolean => value < Number.POSITIVE_INFINITY;

const mergeTotals = (left: Total, right: Total): Total => ({
  n: left.n + right.n,
  total: left.total + right.total,
  unbounded: left.unbounded + right.unbounded,
});

/** Null where a value has no bound, or nothing has one. */
export const meanOfTotal = ({ n, total, unbounded }: Total): number | null =>
  unbounded > 0 || n === 0 ? null : total / n;

const isLarger = (a: Largest<unknown>, b: Largest<unknown>): boolean =>
  a.unbounded === b.unbounded ? a.amount > b.amount : a.unbounded;

/** The one that is larger; of equal ones the first. */
export const larger = <Kept>(left: Largest<Kept> | null, right: Largest<Kept> | null) =>
  left === null || (right !== null && isLarger(right, left)) ? right : left;

/** To three digits, for a sketch knows no more; null of too few values, or where it has no bound. */
export function quantileOf({ n, unbounded, sketch }: Quantiles, part: number): number | null {
  const among = (part * n) / (n - unbounded);
  if (n < FEWEST_FOR_PERCENTILES || unbounded === n || among > 1) return null;
  return rounded(Number(quantileFrom(sketch, among).toPrecision(3)));
}

/** Of a row in a group with these keys: a number, Infinity where it has no bound, or null where the row does not count. */
type Value<Row, Keys> = (row: Row, keys: Keys) => number | null;

type Test<Row, Keys> = (row: Row, keys: Keys) => boolean;

/** Whether the columns of an interval's ends are called by the measure, for tables with several intervals. */
interface OwnNames {
  readonly own?: boolean;
}

/** How values are shown, and of which rows they are; of all if that is left out. */
interface Values<Row, Keys> {
  readonly kind?: "amount" | "share";
  readonly axis?: Label;
  readonly among?: Test<Row, Keys>;
}

/** The values that there are. */
function valuesIn<Row, Keys>(
  group: Group<Row, Keys>,
  value: Value<Row, Keys>,
  among?: Test<Row, Keys>,
): number[] {
  const known: number[] = [];
  for (const row of among ? group.where(among) : group.rows) {
    const found = numberOf(value, row, group.keys);
    if (found !== null) known.push(found);
  }
  return known;
}

/** A row without a value says null: what is not a number would be lost in a sum. */
function numberOf<Row, Keys>(value: Value<Row, Keys>, row: Row, keys: Keys): number | null {
  const found = value(row, keys);
  if (found === null || (typeof found === "number" && !Number.isNaN(found))) return found;
  throw plainError("a value of a row", `must be a number or null, got ${showValue(found)}`);
}

function totalIn<Row, Keys>(
  group: Group<Row, Keys>,
  value: Value<Row, Keys>,
  among?: Test<Row, Keys>,
): Total {
  let n = 0;
  let total = 0;
  let unbounded = 0;
  for (const row of among ? group.where(among) : group.rows) {
    const found = numberOf(value, row, group.keys);
    if (found === null) continue;
    n++;
    if (isBounded(found)) total += found;
    else unbounded++;
  }
  return { n, total, unbounded };
}

/** The measures of rows of one kind, and tables of them by groups. */
export const accumulators = <Row>() => ({
  /** How many rows there are, or of how many something is true. */
  count: <Keys>(label: Label, test?: Test<Row, Keys>): Measure<Row, number, Keys> =>
    single(
      { kind: "count", label },
      {
        of: (group) => (test ? group.where(test) : group.rows).length,
        merge: add,
        read: (sum) => sum,
      },
    ),

  /** In how many markets there is a row. */
  markets: <Keys>(label: Label): Measure<Row, number, Keys> =>
    single({ kind: "count", label }, { of: () => 1, merge: add, read: (sum) => sum }),

  /**
   * The share of rows of which something is true, with its 95 % interval that takes markets as clusters. What was searched for is a
   * lower bound, or has no interval at all.
   */
  share: <Keys>(
    label: Label,
    test: Test<Row, Keys>,
    more: OwnNames & {
      readonly axis?: Label;
      readonly searched?: "lower bound" | "no interval";
      /** Whether an interval is stated from fewer than five markets too. */
      readonly few?: "interval" | "no interval";
    } = {},
  ): Measure<Row, PooledCounts, Keys> => ({
    of: (group) => countsOf(group.where(test).length, group.rows.length),
    merge: mergeCounts,
    columns: (name, exact) =>
      column.estimate(
        column.share(name, labelText(label, exact)),
        (counts: PooledCounts) => {
          const isBare = exact
            ? more.few === "no interval" && counts.markets < FEWEST
            : more.searched === "no interval";
          if (isBare) return meanAlone(counts.hits / counts.size, counts.markets);
          if (exact) return pooledShare(counts);
          return atLeast(pooledShare(counts));
        },
        more,
      ),
    axis: axisOf({ kind: "share", label, axis: more.axis }),
  }),

  /** The values added up. */
  total: <Keys>(
    label: Label,
    value: Value<Row, Keys>,
    { among, ...shown }: Values<Row, Keys> = {},
  ): Measure<Row, Total, Keys> =>
    single(
      { kind: "amount", label, ...shown },
      {
        of: (group) => totalIn(group, value, among),
        merge: mergeTotals,
        read: ({ total, unbounded }) => (unbounded > 0 ? null : total),
      },
    ),

  /** The mean of the values that there are, all rows alike. */
  mean: <Keys>(
    label: Label,
    value: Value<Row, Keys>,
    { among, ...shown }: Values<Row, Keys> = {},
  ): Measure<Row, Total, Keys> =>
    single(
      { kind: "amount", label, ...shown },
      { of: (group) => totalIn(group, value, among), merge: mergeTotals, read: meanOfTotal },
    ),

  /** One sum of values as a share of another. */
  ratio: <Keys>(label: Label, above: Value<Row, Keys>, below: Value<Row, Keys>): Measure<Row, Ratio, Keys> =>
    single(
      { kind: "share", label },
      {
        of: (group) => ({ above: totalIn(group, above), below: totalIn(group, below) }),
        merge: (left, right) => ({
          above: mergeTotals(left.above, right.above),
          below: mergeTotals(left.below, right.below),
        }),
        read: ({ above, below }) =>
          above.unbounded + below.unbounded > 0 ? null : above.total / below.total,
      },
    ),

  /** The largest value above 0, and what is kept of its row. */
  largest: <Keys, Kept = null>(
    label: Label,
    value: Value<Row, Keys>,
    { among, keep, ...shown }: Values<Row, Keys> & { readonly keep?: (row: Row, keys: Keys) => Kept } = {},
  ): Measure<Row, Largest<Kept> | null, Keys> =>
    single(
      { kind: "amount", label, ...shown },
      {
        of(group) {
          let top: Row | null = null;
          let most = 0;
          for (const row of among ? group.where(among) : group.rows) {
            const found = numberOf(value, row, group.keys);
            if (found !== null && found > most) [top, most] = [row, found];
          }
          if (top === null) return null;
          const unbounded = !isBounded(most);
          return {
            amount: unbounded ? 0 : most,
            unbounded,
            kept: keep?.(top, group.keys) ?? (null as Kept),
          };
        },
        merge: larger,
        read: (top) => (top === null ? 0 : top.unbounded ? null : top.amount),
      },
    ),

  /** Quantiles of the values that there are, each in a column of its own: its heading, and the part of the values below it. */
  quantiles: <Keys>(
    columns: Readonly<Record<string, readonly [label: Label, part: number]>>,
    value: Value<Row, Keys>,
    { among, kind = "amount", axis }: Values<Row, Keys> = {},
  ): Measure<Row, Quantiles, Keys> => ({
    of(group) {
      const known = valuesIn(group, value, among);
      const bounded = known.filter(isBounded);
      return { n: known.length, unbounded: known.length - bounded.length, sketch: sketchOf(bounded) };
    },
    merge: (left, right) => ({
      n: left.n + right.n,
      unbounded: left.unbounded + right.unbounded,
      sketch: mergeSketches(left.sketch, right.sketch),
    }),
    columns: (_, exact) =>
      Object.entries(columns).map(([name, [label, part]]) =>
        column[kind](name, labelText(label, exact), (sum: Quantiles) => quantileOf(sum, part)),
      ),
    axis: axisOf({ kind, label: "", axis }),
  }),

  /** The mean over markets of a market's mean, with its interval. `sided`: which does not reach beyond 0 where no market does. */
  meanOverMarkets: <Keys>(
    label: Label,
    value: (row: Row, keys: Keys) => number,
    more: OwnNames & { readonly axis?: Label; readonly sided?: boolean } = {},
  ): Measure<Row, MarketMeans, Keys> => ({
    of({ rows, keys }) {
      const mean = rows.reduce((sum, row) => sum + value(row, keys), 0) / rows.length;
      return { moments: momentsOf(mean), least: mean, most: mean };
    },
    merge: (left, right) => ({
      moments: mergeMoments(left.moments, right.moments),
      least: Math.min(left.least, right.least),
      most: Math.max(left.most, right.most),
    }),
    columns: (name, exact) =>
      column.estimate(
        column.amount(name, labelText(label, exact)),
        (sum: MarketMeans) => (more.sided ? sidedMean(sum) : estimateFrom(sum.moments)),
        more,
      ),
    axis: axisOf({ kind: "amount", label, axis: more.axis }),
  }),

  breakdown: <By extends Dimensions<Row>, Measures extends MeasuresOf<Row, KeysOf<By>>>(
    by: By,
    measures: Measures,
    where?: (row: Row) => boolean,
  ): Breakdown<Row, KeysOf<By>, Measures> => breakdownOf(by, measures, where),
});

/** An interval that does not reach beyond 0 where no market does; of so many that are to hold together with 95 %. */
export function sidedMean({ moments, least, most }: MarketMeans, together = 1): Estimate {
  const { mean, low, high, n } = estimateFrom(moments, together);
  return { mean, n, low: least >= 0 ? Math.max(0, low) : low, high: most <= 0 ? Math.min(0, high) : high };
}

export type Key = string | number;

/** What tells groups apart: each row is in the group of its value, or of each of its values; or in every group, whose measures are given the key. */
export interface Dimension<Row, Value extends Key> {
  readonly of: ((row: Row) => Value | readonly Value[]) | "every";
  /** In the order of the table; if left out, numbers increase and names come as they were met. */
  readonly values?: readonly Value[] | undefined;
  columns(name: string): readonly Field<Value>[];
}

// biome-ignore lint/suspicious/noExplicitAny: each dimension has values of its own.
type Dimensions<Row> = Readonly<Record<string, Dimension<Row, any>>>;

type ValueOf<One> = One extends Dimension<never, infer Value> ? Value : never;

export type KeysOf<By> = { readonly [Name in keyof By]: ValueOf<By[Name]> };

const dimension =
  (kind: Column["kind"]) =>
  <Row, Value extends Key>(
    label: string,
    of: Dimension<Row, Value>["of"],
    values?: readonly Value[],
  ): Dimension<Row, Value> => ({
    of,
    values,
    columns: (name) => [column[kind](name, label, (value: Value) => value)],
  });

/** Dimensions, by what is in their columns. */
export const by = { text: dimension("text"), count: dimension("count"), amount: dimension("amount") };

// biome-ignore lint/suspicious/noExplicitAny: each measure has a sum of its own kind.
type MeasuresOf<Row, Keys> = Readonly<Record<string, Measure<Row, any, Keys>>>;

// biome-ignore lint/suspicious/noExplicitAny: of whatever rows and keys.
type SumOf<One> = One extends Measure<any, infer Sum, any> ? Sum : never;

type SumsOf<Measures> = { readonly [Name in keyof Measures]: SumOf<Measures[Name]> };

/** The sums of every group that has a row, by its keys as JSON. */
export type GroupSums<Measures> = Record<string, SumsOf<Measures>>;

/** A group of rows, by its keys, and what is known of it. */
export type GroupOf<Keys, Measures> = Keys & { readonly sums: SumsOf<Measures> };

/** Rows in groups, and of each group the same measures: a table, as it adds up. */
export interface Breakdown<Row, Keys, Measures> extends Accumulator<Row, GroupSums<Measures>> {
  /** Its groups in order, with its columns and what charts take from it. */
  shown(sums: GroupSums<Measures>, exact: boolean): ShownBreakdown<Keys, Measures>;
}

function breakdownOf<Row, Keys, Measures extends MeasuresOf<Row, Keys>>(
  by: Dimensions<Row>,
  measures: Measures,
  where?: (row: Row) => boolean,
): Breakdown<Row, Keys, Measures> {
  const names = Object.keys(by);
  const dimensions = Object.values(by) as Dimension<Row, Key>[];
  const measured = Object.entries(measures);
  type Sums = GroupSums<Measures>;
  const sumUp = (rows: readonly Row[], values: readonly Key[], sums: Sums): void => {
    const next = dimensions[values.length];
    if (next === undefined) {
      const keys = Object.fromEntries(names.map((name, k) => [name, values[k]])) as Keys;
      const group = new Group(rows, keys);
      const found = measured.map(([name, measure]) => [name, measure.of(group)]);
      sums[JSON.stringify(values)] = Object.fromEntries(found) as SumsOf<Measures>;
    } else if (next.of === "every") {
      for (const value of next.values ?? []) sumUp(rows, [...values, value], sums);
    } else for (const [value, some] of rowsBy(rows, next.of)) sumUp(some, [...values, value], sums);
  };
  return {
    of(rows) {
      const sums: Sums = {};
      const wanted = where ? rows.filter(where) : rows;
      if (wanted.length > 0) sumUp(wanted, [], sums);
      return sums;
    },
    merge: (left, right) =>
      mergeParts(left, right, (a, b) => {
        const merged = measured.map(([name, { merge }]) => [name, merge(a[name], b[name])]);
        return Object.fromEntries(merged) as SumsOf<Measures>;
      }),
    shown(sums, exact) {
      const found = Object.entries(sums).map(([text, group]) => {
        return { values: JSON.parse(text) as Key[], group };
      });
      const orders = dimensions.map((one, k) =>
        orderOf(
          found.map(({ values }) => values[k]!),
          one.values,
        ),
      );
      const groups = found
        .sort((a, b) => compareKeys(a.values, b.values, orders))
        .map(({ values, group }) => ({
          ...Object.fromEntries(names.map((name, k) => [name, values[k]])),
          sums: group,
        })) as unknown as GroupOf<Keys, Measures>[];
      return new ShownBreakdown(by as Dimensions<never>, measures, groups, exact);
    },
  };
}

function rowsBy<Row>(rows: readonly Row[], of: (row: Row) => Key | readonly Key[]): Map<Key, readonly Row[]> {
  const first = of(rows[0]!);
  let alike = 1;
  while (alike < rows.length && of(rows[alike]!) === first) alike++;
  if (alike === rows.length && typeof first !== "object") return new Map([[first, rows]]);
  const found = new Map<Key, Row[]>();
  const put = (row: Row, value: Key) => {
    const known = found.get(value);
    if (known === undefined) found.set(value, [row]);
    else known.push(row);
  };
  for (const row of rows) {
    const value = of(row);
    if (typeof value === "object") for (const one of value) put(row, one);
    else put(row, value);
  }
  return found;
}

/** In the order of the first dimension in which they differ. */
function compareKeys(
  a: readonly Key[],
  b: readonly Key[],
  orders: readonly ReadonlyMap<Key, number>[],
): number {
  for (const [k, order] of orders.entries()) {
    const apart = order.get(a[k]!)! - order.get(b[k]!)!;
    if (apart !== 0) return apart;
  }
  return 0;
}

/** The place of each value: as the dimension has it, or increasing numbers, or names as they were met. */
function orderOf(values: readonly Key[], known: readonly Key[] | undefined): Map<Key, number> {
  const met = [...new Set(values)];
  const isNumbers = met.every((value) => typeof value === "number");
  const ordered = known ?? (isNumbers ? met.sort((a, b) => Number(a) - Number(b)) : met);
  return new Map(ordered.map((value, k) => [value, k]));
}

/** A column of a table: that of a dimension or measure, by its name, or one of its own. */
type Chosen<Keys, Measures> = (string & (keyof Keys | keyof Measures)) | Field<GroupOf<Keys, Measures>>;

/** A breakdown to be read, tabulated and drawn. */
export class ShownBreakdown<Keys, Measures> {
  constructor(
    private readonly by: Dimensions<never>,
    private readonly measures: Measures,
    readonly groups: readonly GroupOf<Keys, Measures>[],
    private readonly exact: boolean,
  ) {}

  /** The first group with these keys. */
  at(keys: Partial<Keys>): GroupOf<Keys, Measures> | undefined {
    return this.where(keys)[0];
  }

  /** All groups with these keys. */
  where(keys: Partial<Keys>): GroupOf<Keys, Measures>[] {
    const wanted = Object.entries(keys) as [keyof Keys, unknown][];
    return this.groups.filter((group) => wanted.every(([name, value]) => group[name] === value));
  }

  /** The columns of a dimension or a measure. */
  columnsOf(name: string): Field<GroupOf<Keys, Measures>>[] {
    type Group = GroupOf<Keys, Measures>;
    const within = this.by[name] as Dimension<never, Key> | undefined;
    if (within)
      return within.columns(name).map(({ cell, ...head }) => ({
        ...head,
        cell: (group: Group) => cell!((group as Readonly<Record<string, Key>>)[name]!),
      }));
    return this.measureOf(name)
      .columns(name, this.exact)
      .map(({ cell, ...head }) => ({
        ...head,
        cell: (group: Group) => cell!((group.sums as Readonly<Record<string, unknown>>)[name]),
      }));
  }

  /** Of the dimensions and measures named, with others in between; of all if none is named. */
  columns(chosen: readonly Chosen<Keys, Measures>[] = this.names): Field<GroupOf<Keys, Measures>>[] {
    return chosen.flatMap((one) => (typeof one === "string" ? this.columnsOf(one) : one));
  }

  table(
    name: string,
    title: string,
    chosen: readonly Chosen<Keys, Measures>[] = this.names,
    groups: readonly GroupOf<Keys, Measures>[] = this.groups,
  ): Table {
    const columns = this.columns(chosen);
    const names = columns.map((column) => column.name);
    const twice = names.find((one, k) => names.indexOf(one) !== k);
    if (twice !== undefined) throw new Error(`table ${name} has two columns called ${twice}`);
    return tableOf(name, title, groups, columns);
  }

  /** Of all dimensions and measures. */
  get names(): Chosen<Keys, Measures>[] {
    return [...Object.keys(this.by), ...Object.keys(this.measures as object)] as never;
  }

  /** What a pointed at mark shows: what was searched for has no upper end. */
  tooltip(chosen: readonly Chosen<Keys, Measures>[] = this.names, names?: readonly string[]): object[] {
    const known = this.columns(chosen).filter(({ name }) => this.exact || name !== "high");
    return marks.tooltip(known, names);
  }

  /** Points of a share along x, with their intervals where these have two ends. */
  points(measure: string & keyof Measures, more: { size?: number; scale?: object } = {}): object[] {
    const { size = 70, scale } = more;
    return marks.points(this.axis(measure, scale), { value: measure, size }).slice(this.exact ? 0 : 1);
  }

  /** Lines of a share along y, in bands of their intervals where these have two ends. */
  lines(measure: string & keyof Measures, scale?: object): object[] {
    return marks.lines(this.axis(measure, scale), { value: measure }).slice(this.exact ? 0 : 1);
  }

  /** A chart's channel of one of a measure's columns. */
  axis(measure: string & keyof Measures, scale?: object): (field: string) => object {
    const known = this.measureOf(measure);
    return (field) => known.axis(field, this.exact, scale);
  }

  private measureOf(name: string): Measure<never, unknown, never> {
    const known = this.measures as MeasuresOf<never, never>;
    if (Object.hasOwn(known, name)) return known[name]!;
    throw unknownName("breakdown", name, { names: [...Object.keys(this.by), ...Object.keys(known)] });
  }
}

/** The sums of an accumulator. */
// biome-ignore lint/suspicious/noExplicitAny: of whatever rows.
export type Accumulated<One> = One extends Accumulator<any, infer Sum> ? Sum : never;

/** The groups of a breakdown. */
export type GroupIn<One> =
  // biome-ignore lint/suspicious/noExplicitAny: of whatever rows.
  One extends Breakdown<any, infer Keys, infer Measures> ? GroupOf<Keys, Measures> : never;

/** Several accumulators of the same rows. */
export const together = <Row, Parts extends Readonly<Record<string, unknown>>>(
  parts: {
    readonly [Name in keyof Parts]: Accumulator<Row, Parts[Name]>;
  },
): Accumulator<Row, Parts> => {
  const all = Object.entries(parts) as [string, Accumulator<Row, unknown>][];
  return {
    of: (rows) => Object.fromEntries(all.map(([name, part]) => [name, part.of(rows)])) as Parts,
    merge: (left, right) =>
      Object.fromEntries(all.map(([name, part]) => [name, part.merge(left[name], right[name])])) as Parts,
  };
};

/** The sums of several cells as one; those that are merged stay as they are. Null of none. */
export const mergeAll = <Sum>(
  { merge }: Pick<Accumulator<never, Sum>, "merge">,
  cells: readonly { readonly summary: Sum | null }[],
): Sum | null =>
  cells.reduce<Sum | null>((all, { summary }) => {
    if (summary === null) return all;
    const own = structuredClone(summary);
    return all === null ? own : merge(all, own);
  }, null);

/** Parts by their keys, each merged where both have it. It changes and returns the left ones. */
export function mergeParts<Part>(
  left: Record<string, Part>,
  right: Readonly<Record<string, Part>>,
  merge: (left: Part, right: Part) => Part,
): Record<string, Part> {
  for (const key in right) {
    const known = left[key];
    left[key] = known === undefined ? right[key]! : merge(known, right[key]!);
  }
  return left;
}
