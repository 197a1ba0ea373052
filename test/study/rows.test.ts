import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { DataColumn, DataRow } from "../../src/study/job.js";
import { columnsFlaw, isPacked, rowPack, unpackRows } from "../../src/study/rows.js";

const columns: readonly DataColumn[] = [
  { name: "worker", type: "integer", about: "the worker's id" },
  { name: "gain", type: "number", about: "what the best lie brings" },
  { name: "regime", type: "text", about: "its regime" },
  { name: "exact", type: "boolean", about: "whether it is proved" },
];

const keep = (row: DataRow) => rowPack(columns).keep(row);

describe("rows", () => {
  it("are kept by column; what a row leaves out is null", () => {
    const pack = rowPack(columns);
    pack.keep({ worker: 3, gain: -0, regime: "scarce", exact: true });
    pack.keep({ exact: false, regime: null, worker: -1 });
    const values = [
      [3, -1],
      [0, null],
      ["scarce", null],
      [true, false],
    ];
    expect([...unpackRows(pack.packed(), columns)]).toEqual([{ count: 2, values }]);
  });

  it("come back in blocks, in their order", () => {
    const pack = rowPack(columns);
    for (let worker = 0; worker < 20_000; worker++)
      pack.keep({ worker, regime: worker % 3 === 0 ? "late" : null });
    const blocks = [...unpackRows(pack.packed(), columns)];
    expect(blocks.length).toBeGreaterThan(1);
    expect(blocks.flatMap(({ values }) => values[0])).toEqual(Array.from({ length: 20_000 }, (_, k) => k));
    expect(blocks.flatMap(({ values }) => values[2]).filter((text) => text === "late")).toHaveLength(6667);
  });

  it.each([
    [{ workr: 1 }, 'row: no column "workr"; did you mean "worker"? its job has worker, gain, regime, exact'],
    [{ x: 1 }, 'row: no column "x"; its job has worker, gain, regime, exact'],
    [{ worker: 0.5 }, "row: column worker must be an integer of 32 bits or null, got 0.5"],
    [{ worker: 2 ** 31 }, "row: column worker must be an integer of 32 bits or null, got 2147483648"],
    [{ gain: Number.NaN }, "row: column gain must be a finite number or null, got NaN"],
    [{ gain: Infinity }, "row: column gain must be a finite number or null, got Infinity"],
    [{ gain: "1" }, 'row: column gain must be a finite number or null, got "1"'],
    [{ regime: 1 }, "row: column regime must be a text or null, got 1"],
    [{ regime: "\ud800" }, 'row: column regime must be a text or null, got "\\ud800"'],
    [{ exact: 1 }, "row: column exact must be true or false or null, got 1"],
  ])("that do not fit their columns are refused in one line: %j", (row, message) => {
    expect(() => keep(row as DataRow)).toThrow(message);
  });
});

describe("columns", () => {
  const odd = (...given: unknown[]) => columnsFlaw(given as DataColumn[]);

  it("are named and typed, each once", () => {
    expect(columnsFlaw(columns)).toBeUndefined();
    expect(odd()).toBe("must be a list of columns, got []");
    expect(odd({ name: "a b", type: "text" })).toBe('a name must be letters, digits and _, got "a b"');
    expect(odd({ type: "text" })).toBe("a name must be letters, digits and _, got undefined");
    expect(odd(columns[0], columns[0])).toBe('two are called "worker"');
    expect(odd({ name: "a", type: "double" })).toBe(
      'the type of a must be one of integer, number, boolean, text, got "double"',
    );
  });
});

/** As rows are packed: a head, its length before it, and a number per value. */
function packedBytes(head: unknown, codes: readonly number[]): string {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const numbers = Buffer.alloc(8 * codes.length);
  for (const [k, code] of codes.entries()) numbers.writeDoubleLE(code, 8 * k);
  return deflateRawSync(Buffer.concat([length, text, numbers])).toString("base64");
}

describe("packed rows from elsewhere", () => {
  const head = { count: 1, texts: [[], [], ["scarce"], []] };

  it("are known as such", () => {
    expect(isPacked(packedBytes(head, [3, 0.5, 0, 1]), columns)).toBe(true);
    expect(isPacked(packedBytes(head, [Number.NaN, Number.NaN, Number.NaN, Number.NaN]), columns)).toBe(true);
  });

  it.each([
    ["an integer that is none", head, [3.5, 0.5, 0, 1]],
    ["a number that is not finite", head, [3, Number.POSITIVE_INFINITY, 0, 1]],
    ["a text that is not there", head, [3, 0.5, 1, 1]],
    ["a boolean that is neither", head, [3, 0.5, 0, 2]],
    ["a text that is a number", { ...head, texts: [[], [], [7], []] }, [3, 0.5, 0, 1]],
    ["half a row", { ...head, count: 0.5 }, [3, 0.5]],
  ])("are refused with %s", (_, said, codes) => {
    expect(isPacked(packedBytes(said, codes), columns)).toBe(false);
  });

  it("are not unpacked further than rows may go", () => {
    const bomb = deflateRawSync(Buffer.alloc(130 << 20), { level: 1 }).toString("base64");
    expect(() => [...unpackRows(bomb, columns)]).toThrow(/larger than/);
  });
});
