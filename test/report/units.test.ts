import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { payloadOf, sizeWarning } from "../../src/report/charts.js";
import { compareRuns } from "../../src/report/diff.js";
import { embeddedJson, embeddedScript, html } from "../../src/report/markup.js";
import {
  cellText,
  chosenRows,
  csvText,
  openingOf,
  packTable,
  type ReportData,
  shownColumns,
  summaryOf,
  type Table,
  unpackTable,
} from "../../src/report/result.js";
import { checkedResult } from "../../src/report/validate.js";
import { captions } from "../../src/report/vocabulary.js";

const table = (rows: Table["rows"], names = ["regime", "n", "gain"]): Table => ({
  name: "t",
  title: "T",
  columns: names.map((name) => ({ name, label: name, kind: name === "regime" ? "text" : "amount" })),
  rows,
});

describe("markup", () => {
  it("whatever is put in stays text, in elements and in attributes", () => {
    const { text } = html`<a title="${`"'><b>`}">${"<img onerror=x> & co"}</a>`;
    expect(text).toBe('<a title="&quot;&#39;&gt;&lt;b&gt;">&lt;img onerror=x&gt; &amp; co</a>');
  });

  it("control characters and turned writing are written out", () => {
    expect(html`${"a\u001b[2J\u202e\u0000\n\tb é"}`.text).toBe("a\\u001b[2J\\u202e\\u0000\n\tb é");
  });

  it("markup in markup stays markup; lists are joined; null is nothing", () => {
    expect(html`<ul>${[html`<li>1</li>`, html`<li>2</li>`]}${null}</ul>`.text).toBe(
      "<ul><li>1</li>\n<li>2</li></ul>",
    );
  });

  it("embedded JSON cannot end its element, open a comment or break a line, and reads back as it was", () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom("</script>", "<!--", "<script", "\u2028", "\u2029", "]]>"),
    );
    fc.assert(
      fc.property(fc.dictionary(hostile, fc.array(hostile)), (value) => {
        const { text } = embeddedJson(value);
        expect(text).not.toMatch(/<|\u2028|\u2029/);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("embedded code means the same and cannot end its element", () => {
    const { text } = embeddedScript('return "</script><!--" + /<\\/script/.source');
    expect(text).not.toMatch(/<\/script|<!--/);
    expect(new Function(text)()).toBe("</script><!--<\\/script");
  });
});

describe("CSV", () => {
  it("quotes what needs it, leaves nothing empty, and keeps every digit", () => {
    const rows = [
      { regime: 'a "b", c', n: 0.1 + 0.2, gain: null },
      { regime: "two\nlines", n: 1e-9, gain: -1 },
    ];
    expect(csvText(table(rows))).toBe(
      'regime,n,gain\r\n"a ""b"", c",0.30000000000000004,\r\n"two\nlines",1e-9,-1\r\n',
    );
  });

  it("a text that a spreadsheet would take for a formula stays a text", () => {
    expect(csvText(table([{ regime: "=cmd()" }], ["regime"]))).toBe("regime\r\n'=cmd()\r\n");
  });
});

describe("choices of a figure", () => {
  const choices = [
    { field: "regime", label: "Regime", values: ["tight", "sufficient"] },
    { field: "lie", label: "Lie", values: ["price", "time"] },
  ];
  const rows = [
    { regime: "tight", lie: "price", n: 1 },
    { regime: "tight", lie: "time", n: 2 },
    { regime: "sufficient", lie: "price", n: 3 },
  ];
  const summary = captions(choices, ({ regime, lie }) => `${regime} by ${lie}`);

  it("open with the first value of each, and keep the rows that have all chosen values", () => {
    expect(openingOf({ choices })).toEqual({ regime: "tight", lie: "price" });
    expect(chosenRows(rows, { regime: "tight", lie: "time" })).toEqual([rows[1]]);
    expect(chosenRows(rows, {})).toEqual(rows);
  });

  it("have a text for every combination", () => {
    expect(summary.map(({ text }) => text)).toEqual([
      "tight by price",
      "tight by time",
      "sufficient by price",
      "sufficient by time",
    ]);
    expect(summaryOf({ summary }, { regime: "sufficient", lie: "time" })).toBe("sufficient by time");
    expect(summaryOf({ summary: "one for all" }, { regime: "tight" })).toBe("one for all");
  });

  it("columns that only say what a cell opens are not shown, nor empty ones", () => {
    const names = ["tight", "tightWitness", "witness", "none"];
    const shown = shownColumns(
      table([{ tight: "breaks", tightWitness: "a", witness: "b", none: null }], names),
    );
    expect(shown.map(({ name }) => name)).toEqual(["tight", "witness"]);
  });
});

describe("cells", () => {
  it("are in words", () => {
    expect(cellText(0.0313, "share")).toBe("3.13 %");
    expect(cellText(24000, "count")).toBe("24,000");
    expect(cellText(0.451234, "amount")).toBe("0.45123");
    expect(cellText(-1234.5, "amount")).toBe("−1234.5");
    expect(cellText(100, "amount")).toBe("100");
    expect(cellText(null, "share")).toBe("–");
    expect(cellText(true, "text")).toBe("yes");
  });
});

describe("data", () => {
  it("a packed table unpacks to the same rows", () => {
    const rows = [
      { regime: "a", n: 1, hidden: "x" },
      { regime: "b", n: null, hidden: "y" },
    ];
    expect(unpackTable(packTable(table(rows)))).toEqual(table(rows));
  });

  it("a result must have names that can be file names, each once, and charts of its own tables that compile", () => {
    const result = { tables: [table([])], charts: [], findings: [], methods: [] };
    const chart = { name: "c", title: "", table: "t", spec: { mark: "bar" }, summary: "", howToRead: "" };
    expect(checkedResult({ ...result, charts: [chart] }).charts).toHaveLength(1);
    const bad = { ...result, tables: [{ ...table([]), name: "../../x" }] };
    expect(() => checkedResult(bad)).toThrow(
      'tables[0].name: must be letters, digits, _ and -, got "../../x"',
    );
    expect(() => checkedResult({ ...result, tables: [table([]), table([])] })).toThrow('two are called "t"');
    const flawOf = (change: object) =>
      checkedResult({ ...result, charts: [{ ...chart, ...change }] }).charts[0]!.flaw;
    expect(flawOf({})).toBeUndefined();
    expect(flawOf({ table: "u" })).toContain('chart c: draws the table "u"');
    expect(flawOf({ spec: {} })).toContain("chart c: cannot be drawn: ");
  });

  it("numbers that JSON cannot hold are null before anything is drawn", () => {
    const result = { tables: [table([{ n: Number.NaN }])], charts: [], findings: [], methods: [] };
    expect(checkedResult(result).tables[0]!.rows).toEqual([{ n: null }]);
  });
});

const dataWith = (rows: Table["rows"]): ReportData => ({
  candor: "0",
  seed: "1",
  profile: "quick",
  mechanism: "online",
  analyses: [
    {
      name: "a",
      question: "?",
      state: "done",
      error: null,
      result: { tables: [table(rows)], charts: [], findings: [], methods: [] },
    },
  ],
});

describe("two runs compared", () => {
  const before = [
    { regime: "tight", n: 10, gain: 1 },
    { regime: "sufficient", n: 10, gain: 0 },
  ];

  it("rows are matched by the leading columns that tell them apart, and changed cells are listed, the largest first", () => {
    const after = [
      { regime: "sufficient", n: 11, gain: 0 },
      { regime: "tight", n: 10, gain: 3 },
      { regime: "late start", n: 1, gain: 0 },
    ];
    const [found] = compareRuns(dataWith(before), dataWith(after)).tables;
    expect(found).toMatchObject({ keys: ["regime"], compared: 2, added: 1, gone: 0 });
    expect(found!.changes.map(({ row, column, before, after }) => [row, column.name, before, after])).toEqual(
      [
        ["regime tight", "gain", 1, 3],
        ["regime sufficient", "n", 10, 11],
      ],
    );
  });

  it("a run differs from itself in nothing", () => {
    const [found] = compareRuns(dataWith(before), dataWith(before)).tables;
    expect(found).toMatchObject({ added: 0, gone: 0, changes: [] });
  });
});

it("a report of more than 10 MB says what takes the room", () => {
  const data = dataWith(Array.from({ length: 1000 }, (_, n) => ({ regime: "x".repeat(12_000), n })));
  const payload = payloadOf(data, null);
  expect(sizeWarning(JSON.stringify(payload), payload)).toMatch(
    /is large \(12\.\d MB\); most of it: table a\/t 12\.\d MB/,
  );
  expect(sizeWarning("", payload)).toBeNull();
});
