import { compile, type TopLevelSpec } from "vega-lite";
import { expect, it } from "vitest";
import type { AnalysisResult, Row } from "../../src/report/result.js";

/** What must be true of any result with means, whatever it is about. */
export function testWholeResult(result: AnalysisResult): void {
  it("describes every column, and draws only tables and columns that exist", () => {
    for (const { columns, rows } of result.tables)
      for (const { name } of columns) expect(rows.every((row) => row[name] !== undefined)).toBe(true);
    for (const { table, spec } of result.charts) {
      const { rows } = result.tables.find(({ name }) => name === table)!;
      const fields = [...JSON.stringify(spec).matchAll(/"field":"(\w+)"/g)].map(([, field]) => field!);
      expect(fields.filter((field) => rows[0]![field] === undefined)).toEqual([]);
      const whole = { ...spec, data: { name: table } } as TopLevelSpec;
      expect(compile(whole).spec.marks!.length).toBeGreaterThan(0);
    }
  });

  it("gives intervals that contain their means", () => {
    const means = result.tables.flatMap(({ rows }) => rows.filter(({ mean }) => typeof mean === "number"));
    expect(means.length).toBeGreaterThan(0);
    for (const row of means) expect(inOrder(row)).toBe(true);
  });

  it("holds nothing that JSON cannot", () => {
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });
}

const inOrder = ({ mean, low, high }: Row): boolean =>
  (low === null && high === null) ||
  ((low as number) <= (mean as number) && (mean as number) <= (high as number));
