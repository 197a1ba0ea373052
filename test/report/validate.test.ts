import { expect, it } from "vitest";
import { InputError } from "../../src/lib/errors.js";
import { paperRules } from "../../src/market/market.js";
import type { AnalysisResult, Chart, Table } from "../../src/report/result.js";
import { checkedResult, drawnResult } from "../../src/report/validate.js";

const table: Table = {
  name: "t",
  title: "T",
  columns: [
    { name: "budget", label: "Budget", kind: "amount" },
    { name: "gain", label: "Gain", kind: "amount" },
  ],
  rows: [{ budget: 1, gain: 2, exhibit: "e" }],
};

const encoding = { x: { field: "budget", type: "quantitative" }, y: { field: "gain", type: "quantitative" } };
const chart = {
  name: "c",
  title: "C",
  table: "t",
  spec: { mark: "bar", encoding },
  summary: "S.",
  howToRead: "H.",
};
const exhibit = {
  name: "e",
  title: "E",
  market: {
    rules: { budget: 1, rounds: 2, ...paperRules },
    workers: [{ id: 0, reputation: 1, cost: 1, arrival: 1 }],
  },
  mechanism: "online",
  lie: null,
};
const sound = {
  tables: [table],
  charts: [chart],
  findings: [{ text: "F.", weight: 1 }],
  methods: [],
  exhibits: [exhibit],
};

const withChart = (change: Partial<Chart>) => ({ ...sound, charts: [{ ...chart, ...change }] });
const withTable = (change: object) => ({ ...sound, charts: [], tables: [{ ...table, ...change }] });
const withFinding = (finding: unknown) => ({ ...sound, findings: [finding] });
const withExhibit = (change: object) => ({ ...sound, exhibits: [{ ...exhibit, ...change }] });

it.each<[string, unknown, string]>([
  [
    "a cell that is an object",
    withTable({ rows: [{ gain: { mean: 1 } }] }),
    'tables[0].rows[0].gain: must be a text, a number, true, false or null, got {"mean":1}',
  ],
  [
    "a row that is a list",
    withTable({ rows: [[1, 2]] }),
    "tables[0].rows[0]: must be an object of cells, got [1,2]",
  ],
  [
    "a bad kind of column",
    withTable({ columns: [{ name: "gain", label: "Gain", kind: "percent" }] }),
    'tables[0].columns[0].kind: must be "count", "share", "amount" or "text", got "percent"',
  ],
  [
    "a bad weight",
    withFinding({ text: "F.", weight: 101 }),
    "findings[0].weight: must be a number from 0 to 100, got 101",
  ],
  [
    "a weight that is no number",
    withFinding({ text: "F.", weight: Number.NaN }),
    "findings[0].weight: must be a number from 0 to 100, got null",
  ],
  [
    "a note of two lines for the first screen",
    { ...sound, firstScreenNote: "Proved.\nProved again." },
    "firstScreenNote: must be a text of one line, at most 300 characters, got",
  ],
  ["a finding without text", withFinding({ weight: 1 }), "findings[0].text: missing, must be a text"],
  [
    "an exhibit with a market that is none",
    withExhibit({ market: { rules: { budget: -1, rounds: 2 }, workers: [] } }),
    "exhibit e: market: rules.budget: must be a number ≥ 0, got -1",
  ],
  [
    "an exhibit with a lie of a stranger",
    withExhibit({ lie: { worker: 7, price: 1, arrival: 1 } }),
    "exhibit e: lie: [0].worker: must be the id of a worker in market, got 7",
  ],
  [
    "a number of any size",
    withTable({ rows: [{ gain: 1n }] }),
    "its result cannot be written as JSON: TypeError: ",
  ],
  [
    "no result",
    undefined,
    "must be a result: an object with tables, charts, findings and methods, got undefined",
  ],
])("an analysis fails in one line for %s", (_, result, message) => {
  const check = () => checkedResult(result as AnalysisResult, "./mine.ts");
  expect(check).toThrow(InputError);
  expect(check).toThrow(`./mine.ts: ${message}`);
});

it("a sound result is as it was, and fields that a transform makes are known", () => {
  expect(checkedResult(sound as AnalysisResult)).toEqual(sound);
  const spec = {
    transform: [{ calculate: "datum.gain / 2", as: "half" }],
    mark: "point",
    encoding: { ...encoding, y: { field: "half", type: "quantitative" } },
  };
  expect(checkedResult(withChart({ spec }) as AnalysisResult).charts).toHaveLength(1);
});

const drawn = { mark: "bar", encoding };
const refusesToLoad = "charts load nothing";

it.each<[string, unknown, string]>([
  [
    "an unknown field in a chart",
    { mark: "bar", encoding: { ...encoding, x: { field: "buget" } } },
    'chart c: field: must be a field of the table t (did you mean "budget"?), got "buget"',
  ],
  [
    "an unknown field in a layer",
    { layer: [{ mark: "bar", encoding: { x: { field: "zz" } } }] },
    'chart c: field: must be a field of the table t (it has budget, gain, exhibit), got "zz"',
  ],
  ["a bad mark", { mark: "bars", encoding }, "chart c: mark: must be one of arc, area, bar, "],
  ["a mark without a type", { mark: { color: "red" }, encoding }, "chart c: mark: must be one of arc, "],
  ["a chart without a mark", withChart({ spec: {} }), "chart c: cannot be drawn: "],
  [
    "a specification that is none",
    "bar" as never,
    'chart c: spec: must be a Vega-Lite specification, got "bar"',
  ],
  [
    "a channel that links",
    { ...drawn, encoding: { ...encoding, href: { value: "https://example.org" } } },
    `chart c: href: ${refusesToLoad}`,
  ],
  ["a mark that links", { encoding, mark: { type: "bar", href: "x" } }, `chart c: href: ${refusesToLoad}`],
  [
    "data from elsewhere",
    { layer: [{ ...drawn, data: { url: "https://example.org/x.csv" } }] },
    `chart c: url: ${refusesToLoad}`,
  ],
  [
    "data from elsewhere to look up in",
    { ...drawn, transform: [{ lookup: "gain", from: { data: { url: "x" }, key: "k", fields: ["f"] } }] },
    `chart c: url: ${refusesToLoad}`,
  ],
  ["a picture", { encoding, mark: "image" }, "chart c: mark: an image would be loaded"],
  [
    "a colour that is an address",
    { encoding, mark: { type: "bar", color: "url(https://x.org/a.svg#b)" } },
    "chart c: ",
  ],
  [
    "an expression that is none",
    { ...drawn, transform: [{ calculate: "datum.gain +", as: "half" }] },
    "chart c: cannot be drawn: ",
  ],
  [
    "an expression that fails on the rows",
    { ...drawn, transform: [{ calculate: "datum.gain.a.b", as: "half" }] },
    "chart c: cannot be drawn: TypeError: ",
  ],
])("%s costs the chart and nothing else, and is named in its place", async (_, spec, message) => {
  const charts = [
    { ...chart, spec: spec as object },
    { ...chart, name: "d", flaw: "of the user's own" },
  ];
  const result = await drawnResult(checkedResult({ ...sound, charts } as AnalysisResult));
  expect(result.charts[0]!.flaw!.slice(0, message.length)).toBe(message);
  expect(result.charts[0]!.flaw).not.toMatch(/\n/);
  expect(result.charts[1]).toEqual({ ...chart, name: "d" });
  expect(result.tables).toEqual(sound.tables);
});

it("control characters and turned writing in names are written out", () => {
  const name = "a\u001b[31m\u202eb\u0000";
  const result = checkedResult({
    ...sound,
    findings: [{ text: `${name}\nc`, weight: 1 }],
    tables: [{ ...table, rows: [{ [name]: name, gain: 1, budget: 1 }] }],
  } as AnalysisResult);
  const shown = "a\\u001b[31m\\u202eb\\u0000";
  expect(result.findings[0]!.text).toBe(`${shown}\nc`);
  expect(result.tables[0]!.rows[0]).toEqual({ [shown]: shown, gain: 1, budget: 1 });
});
