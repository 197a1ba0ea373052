import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimate } from "../../src/lib/statistics.js";
import { pooledShare } from "../../src/lib/summaries.js";
import {
  type Accumulator,
  accumulators,
  by,
  mergeAll,
  sidedMean,
  together,
} from "../../src/report/accumulators.js";

interface Row {
  readonly group: "a" | "b";
  readonly size: number;
  readonly gain: number | null;
}

const { breakdown, count, largest, markets, mean, meanOverMarkets, quantiles, ratio, share, total } =
  accumulators<Row>();

const gains = ({ gain }: Row): boolean => gain !== null;

const gainOf = ({ gain }: Row): number | null => gain;

const group = by.text("Group", (row: Row) => row.group, ["b", "a"]);

const table = breakdown(
  { group, size: by.count("Size", (row: Row) => row.size) },
  {
    rows: count("Rows"),
    gainers: count("Gainers", gains),
    markets: markets("Markets"),
    share: share({ exact: "Can gain", searched: "Found to gain" }, gains),
    mean: mean("Mean gain", gainOf),
    total: total("All gains", gainOf, { among: gains }),
    perSize: ratio("Gain per size", gainOf, ({ size }) => size),
    most: largest("Largest", gainOf, { keep: ({ size }) => size }),
    quantiles: quantiles({ median: ["Median", 0.5] }, gainOf),
    market: meanOverMarkets("Mean of markets", ({ gain }) => gain ?? 0, { own: true }),
  },
);

const gain = fc.option(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(Number.POSITIVE_INFINITY)));
const row: fc.Arbitrary<Row> = fc.record({
  group: fc.constantFrom("a", "b"),
  size: fc.constantFrom(1, 2, 10),
  gain,
});
const drawn = fc.array(fc.array(row, { maxLength: 6 }), { minLength: 1, maxLength: 12 });

/** As a journal and a thread hand it on. */
const asJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

const sumOf = <Sum>({ of, merge }: Accumulator<Row, Sum>, all: readonly (readonly Row[])[]): Sum =>
  all.map((rows) => asJson(of(rows))).reduce((left, right) => merge(left, right));

describe("accumulators", () => {
  it("give of any markets what the rows themselves give, group by group", () => {
    fc.assert(
      fc.property(drawn, (all) => {
        const shown = table.shown(sumOf(table, all), true);
        const rows = all.flat();
        expect(shown.groups.reduce((sum, { sums }) => sum + sums.rows, 0)).toBe(rows.length);
        for (const { group, size, sums } of shown.groups) {
          const mine = all
            .map((some) => some.filter((one) => one.group === group && one.size === size))
            .filter(({ length }) => length > 0);
          const gained = mine.flat().flatMap((one) => one.gain ?? []);
          const bounded = gained.filter(Number.isFinite);
          const added = bounded.reduce((a, b) => a + b, 0);
          const unbounded = gained.length - bounded.length;
          expect(sums.rows).toBe(mine.flat().length);
          expect(sums.gainers).toBe(gained.length);
          expect(sums.markets).toBe(mine.length);
          expect(sums.share).toMatchObject({ hits: gained.length, size: sums.rows, markets: mine.length });
          expect(sums.mean).toEqual({ n: gained.length, total: added, unbounded });
          expect(sums.total).toEqual(sums.mean);
          expect(sums.perSize.below.total).toBe(size * sums.rows);
          const most = gained.length === 0 ? null : Math.max(...gained);
          if (most === null) expect(sums.most).toBeNull();
          else
            expect(sums.most).toEqual({
              amount: Number.isFinite(most) ? most : 0,
              unbounded: !Number.isFinite(most),
              kept: size,
            });
          if (unbounded > 0) continue;
          const means = mine.map((some) => some.reduce((sum, one) => sum + (one.gain ?? 0), 0) / some.length);
          const { mean, low } = sidedMean(sums.market);
          expect(mean).toBeCloseTo(estimate(means).mean, 9);
          if (means.length >= 5) expect(low).toBeCloseTo(Math.max(0, estimate(means).low), 9);
        }
      }),
    );
  });

  it("merge in any grouping, and merging all cells changes none of them", () => {
    fc.assert(
      fc.property(drawn, drawn, drawn, (one, other, third) => {
        const [a, b, c] = [one, other, third].map((all) => sumOf(table, all)) as [object, object, object];
        const before = asJson([a, b, c]);
        const { merge } = table;
        const joined = mergeAll(table, [a, null, b, c].map((summary) => ({ summary })) as never);
        expect([a, b, c]).toEqual(before);
        const left = asJson([a, b, c]) as never[];
        const right = asJson([a, b, c]) as never[];
        const [first, second] = [
          merge(merge(left[0]!, left[1]!), left[2]!),
          merge(right[0]!, merge(right[1]!, right[2]!)),
        ];
        const whole = (sums: typeof first) =>
          table.shown(sums, true).groups.map(({ sums: { market, ...rest } }) => rest);
        expect(whole(second)).toEqual(whole(first));
        expect(joined).toEqual(first);
      }),
    );
  });

  it("put groups in the order of their values, or numbers in increasing order, and rows under every key", () => {
    const rows: Row[] = [
      { group: "a", size: 10, gain: 1 },
      { group: "a", size: 2, gain: null },
      { group: "b", size: 2, gain: 3 },
    ];
    const keys = table.shown(table.of(rows), true).groups.map(({ group, size }) => [group, size]);
    expect(keys).toEqual([
      ["b", 2],
      ["a", 2],
      ["a", 10],
    ]);
    const met = breakdown(
      { name: by.text("Name", (row: Row) => row.group), size: by.count("Size", (row: Row) => row.size) },
      {},
    );
    expect(met.shown(met.of(rows), true).groups.map(({ name, size }) => [name, size])).toEqual([
      ["a", 2],
      ["a", 10],
      ["b", 2],
    ]);
    const limit = by.count<Row, number>("Limit", "every", [0, 2]);
    const above = breakdown(
      { group, limit },
      { share: share("Above", ({ gain }, { limit }) => (gain ?? 0) > limit) },
    );
    const shown = above.shown(above.of(rows), true);
    expect(
      shown.groups.map(({ group, limit, sums: { share } }) => [group, limit, share.hits, share.size]),
    ).toEqual([
      ["b", 0, 1, 1],
      ["b", 2, 1, 1],
      ["a", 0, 1, 2],
      ["a", 2, 0, 2],
    ]);
    const wide = by.text<Row, "all" | "a" | "b">("Group", ({ group }) => ["all", group], ["all", "a", "b"]);
    const both = breakdown({ wide }, { rows: count("Rows") });
    expect(both.shown(both.of(rows), true).groups.map(({ wide, sums }) => [wide, sums.rows])).toEqual([
      ["all", 3],
      ["a", 2],
      ["b", 1],
    ]);
    expect(shown.where({ limit: 2 }).map(({ group }) => group)).toEqual(["b", "a"]);
    expect(shown.at({ group: "a", limit: 0 })!.sums.share.hits).toBe(1);
  });

  it("show of what was searched a lower bound: another heading, no upper end in tables, tooltips and charts", () => {
    const rows = Array.from(
      { length: 8 },
      (_, k): Row => ({ group: "a", size: k % 2, gain: k < 3 ? k : null }),
    );
    const sums = sumOf(
      table,
      rows.map((one) => [one]),
    );
    const [exact, searched] = [true, false].map((is) => table.shown(sums, is)) as [
      ReturnType<typeof table.shown>,
      ReturnType<typeof table.shown>,
    ];
    const heading = (shown: typeof exact) => shown.columnsOf("share").map(({ label }) => label);
    expect(heading(exact)).toEqual(["Can gain", "95 % from", "to"]);
    expect(heading(searched)[0]).toBe("Found to gain");
    const { low, high } = pooledShare(exact.groups[0]!.sums.share);
    const [found] = exact.table("t", "T").rows;
    expect([found!.low as number, found!.high as number]).toEqual([
      expect.closeTo(low, 5),
      expect.closeTo(high, 5),
    ]);
    const [row] = searched.table("t", "T").rows;
    expect([row!.low, row!.high]).toEqual([expect.closeTo(low, 5), null]);
    expect(JSON.stringify(exact.tooltip())).toContain('"high"');
    expect(JSON.stringify(searched.tooltip())).not.toContain('"high"');
    expect(exact.points("share").length).toBe(searched.points("share").length + 1);
    expect(JSON.stringify(searched.lines("share"))).not.toContain("high");
  });

  it("have a table with a column of its own between those of measures, and no number where there is none", () => {
    const sums = table.of([{ group: "a", size: 1, gain: Number.POSITIVE_INFINITY }]);
    const shown = table.shown(sums, true);
    const { columns, rows } = shown.table("t", "T", [
      "group",
      { name: "twice", label: "Twice", kind: "count", cell: ({ sums }) => 2 * sums.rows },
      "mean",
      "most",
    ]);
    expect(columns.map(({ name }) => name)).toEqual(["group", "twice", "mean", "most"]);
    expect(rows).toEqual([{ group: "a", twice: 2, mean: null, most: null }]);
    expect(() => shown.table("t", "T", ["share", "share"])).toThrow("table t has two columns called share");
  });

  it("are several at once by their names", () => {
    const both = together({ table, rows: breakdown({ group }, { rows: count("Rows") }) });
    const sums = both.merge(
      both.of([{ group: "a", size: 1, gain: 1 }]),
      both.of([{ group: "a", size: 1, gain: 2 }]),
    );
    expect(Object.values(sums.rows)).toEqual([{ rows: 2 }]);
    expect(Object.values(sums.table)[0]!.mean).toEqual({ n: 2, total: 3, unbounded: 0 });
  });
});
