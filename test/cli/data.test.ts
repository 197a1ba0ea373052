import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workerColumns } from "../../analyses/shared/survey.js";
import type { DataColumn } from "../../src/study/job.js";
import { readers } from "../study/rows-readers.js";
import { candor, ended, fileWith, main, root, temporaryFolder } from "./candor.js";

const columns: readonly DataColumn[] = [
  { name: "market", type: "integer", about: "which" },
  { name: "size", type: "text", about: "small or large" },
  { name: "drawn", type: "number", about: "a number of its own" },
  { name: "high", type: "boolean", about: "above a half; null for the first" },
];

interface Mine {
  readonly columns?: string;
  /** What a row holds besides. */
  readonly more?: string;
  readonly table?: string;
}

/** An analysis of one's own that keeps two rows a market, in several chunks. */
const mine = ({
  columns: given = JSON.stringify(columns),
  more = "",
  table = "markets",
}: Mine = {}): string => `
import { type Analysis, type Job } from "candor";

const drawing: Job<string, number> = {
  columns: ${given},
  look: (size, k, { stream, keep }) => {
    for (const half of [0, 1]) {
      const drawn = stream.fork(size).fork(2 * k + half).next();
      keep?.({ market: k, size, drawn, high: k === 0 ? null : drawn > 0.5${more} });
    }
    return 1;
  },
  merge: (left, right) => left + right,
  cost: () => 20,
};

export default {
  name: "drawn",
  question: "What is drawn?",
  settings: () => ({}),
  plan: () => [{ cell: "small", markets: 40 }, { cell: "large, \\u00fc", markets: 70 }],
  job: drawing,
  conclude: (gathered) => gathered.map(({ summary }) => ({ markets: summary })),
  tables: (rows) => {
    const columns = [{ name: "markets", label: "Markets", kind: "count" }] as const;
    return [{ name: ${JSON.stringify(table)}, title: "Markets", columns, rows }];
  },
  charts: () => [],
  findings: () => [{ text: "Done.", weight: 1 }],
  methods: () => [],
} satisfies Analysis<{}, string, number>;
`;

const fileOfMine = (given: Mine = {}) => fileWith("mine.ts", mine(given));

describe("--data", () => {
  it.each(["parquet", "jsonl", "csv"] as const)("%s: every row, in the order of markets", async (format) => {
    const out = temporaryFolder();
    const { code, stdout } = await candor(["analyze", fileOfMine(), "--out", out, "--data", format]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Wrote 220 rows to ${join(out, `drawn.rows.${format}`)}.\n`);
    const rows = await readers[format](readFileSync(join(out, `drawn.rows.${format}`)), columns);
    const places = rows.map(({ size, market }) => `${size} ${market}`);
    const expected = [
      ...Array.from({ length: 80 }, (_, k) => `small ${k >> 1}`),
      ...Array.from({ length: 140 }, (_, k) => `large, ü ${k >> 1}`),
    ];
    expect(places).toEqual(expected);
    for (const { market, drawn, high } of rows) expect(high).toBe(market === 0 ? null : Number(drawn) > 0.5);
    expect(new Set(rows.map(({ drawn }) => drawn)).size).toBe(220);
    expect(readdirSync(out).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("is the same file, byte for byte, on any number of threads", async () => {
    const path = fileOfMine();
    const made = async (threads: string) => {
      const out = temporaryFolder();
      await candor(["analyze", path, "--out", out, "--data", "parquet", "--threads", threads]);
      return readFileSync(join(out, "drawn.rows.parquet"));
    };
    expect((await made("1")).equals(await made("3"))).toBe(true);
  });

  it("is part of the command that the report names, and changes nothing else in the data", async () => {
    const [plain, rows] = [temporaryFolder(), temporaryFolder()];
    const path = fileOfMine();
    await candor(["analyze", path, "--out", plain]);
    await candor(["analyze", path, "--out", rows, "--data", "jsonl"]);
    const read = (out: string) => readFileSync(join(out, "data.json"), "utf8");
    expect(read(rows)).toBe(read(plain));
    expect(readFileSync(join(rows, "report.html"), "utf8")).toContain("--data jsonl");
    expect(readdirSync(rows).sort()).toEqual([...readdirSync(plain), "drawn.rows.jsonl"].sort());
  });

  it("refuses an analysis that keeps no rows before any work", async () => {
    const out = join(temporaryFolder(), "new");
    const { code, stderr } = await candor(["analyze", "landscape", "--out", out, "--data", "csv"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^candor: --data: analysis "landscape" keeps no row-level data; .+\n$/);
    expect(() => readdirSync(out)).toThrow();
  });

  it("refuses a format it does not know", async () => {
    const { code, stderr } = await candor(["analyze", "landscape", "--data", "xlsx"]);
    expect([code, stderr]).toEqual([2, 'candor: --data: must be "parquet", "jsonl" or "csv", got "xlsx"\n']);
  });

  it.each([
    [{ more: ", gain: 1" }, /row: no column "gain"; its job has market, size, drawn, high/],
    [{ more: ", drawn: 'x'" }, /row: column drawn must be a finite number or null, got "x"/],
    [{ table: "rows" }, /tables: "rows" is the name of the row-level data/],
  ])("a row that does not fit fails the analysis, and leaves no file of rows: %j", async (given, message) => {
    const out = temporaryFolder();
    const { code, stdout } = await candor(["analyze", fileOfMine(given), "--out", out, "--data", "csv"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(message);
    expect(readdirSync(out).filter((name) => name.includes("rows"))).toEqual([]);
  });

  it("columns that are none are refused before any work", async () => {
    const path = fileOfMine({ columns: '[{ name: "a", type: "double" }]' });
    const { code, stderr } = await candor(["analyze", path, "--data", "csv"]);
    expect([code, stderr]).toEqual([
      2,
      'candor: analysis drawn: columns: the type of a must be one of integer, number, boolean, text, got "double"\n',
    ]);
  });

  it("a disk that takes no more gives one line and nothing half-written; --resume finishes from the journal", async () => {
    const out = temporaryFolder();
    const path = fileOfMine({ more: ", size: size.repeat(2000)" });
    writeFileSync(join(out, "drawn.rows.csv"), "earlier\n");
    const args = ["analyze", path, "--out", out, "--data", "csv"];
    const limited = spawn("bash", ["-c", 'ulimit -f 200; exec "$@"', "-", process.execPath, main, ...args], {
      cwd: root,
    });
    const { code, stderr } = await ended(limited);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^candor: .+: cannot be written to: too large for this disk \(EFBIG\); to go on from here: .+ --data csv.* --resume\n$/,
    );
    expect(readFileSync(join(out, "drawn.rows.csv"), "utf8")).toBe("earlier\n");
    expect(readdirSync(out).sort()).toEqual(["drawn.rows.csv", "journal.jsonl"]);
    const resumed = await candor([...args, "--resume"]);
    expect(resumed.code).toBe(0);
    const rows = await readers.csv(readFileSync(join(out, "drawn.rows.csv")), columns);
    expect(rows).toHaveLength(220);
    expect(rows.at(-1)).toMatchObject({ market: 69, size: "large, ü".repeat(2000) });
  });
});

describe("rows of the truthfulness map", () => {
  it("have the columns of the schema, a row for every worker at every budget", async () => {
    const out = temporaryFolder();
    const args = ["analyze", "truthfulness-map:markets=5,workers=6", "--data", "parquet", "--out", out];
    expect((await candor(args)).code).toBe(0);
    const rows = await readers.parquet(
      readFileSync(join(out, "truthfulness-map.rows.parquet")),
      workerColumns,
    );
    expect(Object.keys(rows[0]!)).toEqual(workerColumns.map(({ name }) => name));
    expect(rows).toHaveLength(5 * 6 * 12);
    const keys = rows.map(({ market, relativeBudget, worker }) => `${market} ${relativeBudget} ${worker}`);
    expect(new Set(keys).size).toBe(rows.length);
  });
});
