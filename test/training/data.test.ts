import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/lib/errors.js";
import { stream } from "../../src/lib/random.js";
import { datasetNames, PIXELS, type Samples } from "../../src/training/datasets.js";
import { readDataset, readFolder } from "../../src/training/tfjs/read-dataset.js";
import { dirichlet, mislabel, randomOrder, split } from "../../src/training/tfjs/samples.js";

const scratch = mkdtempSync(join(tmpdir(), "candor-idx-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const words = (...values: number[]): number[] =>
  values.flatMap((value) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]);
const pictures = (count: number) =>
  Uint8Array.from([
    ...words(0x803, count, 28, 28),
    ...Array.from({ length: count * PIXELS }, (_, k) => k % 251),
  ]);
const labels = (...classes: number[]) => Uint8Array.from([...words(0x801, classes.length), ...classes]);

const sound = {
  "train-images-idx3-ubyte": pictures(3),
  "train-labels-idx1-ubyte": labels(7, 0, 9),
  "t10k-images-idx3-ubyte": pictures(2),
  "t10k-labels-idx1-ubyte": labels(1, 2),
};

let folders = 0;

/** A folder with sound files, but for those replaced; undefined leaves one out. */
function folderWith(changes: Readonly<Record<string, Uint8Array | undefined>> = {}): string {
  const folder = mkdtempSync(join(scratch, `${folders++}-`));
  for (const [name, bytes] of Object.entries({ ...sound, ...changes }))
    if (bytes !== undefined) writeFileSync(join(folder, name), bytes);
  return folder;
}

/** Pictures that can be told apart: the first two pixels number them. */
const numbered = (count: number, offset = 0): Samples => {
  const pixels = new Uint8Array(count * PIXELS);
  for (let k = 0; k < count; k++) pixels.set([(k + offset) >> 8, (k + offset) & 255], k * PIXELS);
  return { pixels, labels: Uint8Array.from({ length: count }, (_, k) => k % 10) };
};
const numbersOf = ({ pixels }: Samples): number[] =>
  Array.from(
    { length: pixels.length / PIXELS },
    (_, k) => pixels[k * PIXELS]! * 256 + pixels[k * PIXELS + 1]!,
  );

describe("IDX files", () => {
  it("are read plain and gzipped alike", () => {
    const zipped = Object.fromEntries(
      Object.entries(sound).flatMap(([name, bytes]) => [
        [name, undefined],
        [`${name}.gz`, gzipSync(bytes)],
      ]),
    );
    const plain = readFolder(folderWith());
    expect([...plain.training.labels]).toEqual([7, 0, 9]);
    expect([...plain.publisher.pixels.subarray(0, 3)]).toEqual([0, 1, 2]);
    const unzipped = readFolder(folderWith(zipped));
    expect(Buffer.compare(unzipped.training.pixels, plain.training.pixels)).toBe(0);
    expect([...unzipped.publisher.labels]).toEqual([1, 2]);
  });

  const renamed = (names: readonly string[], changes: Readonly<Record<string, Uint8Array>> = {}) => {
    const usual = Object.fromEntries(Object.keys(sound).map((name) => [name, undefined]));
    const files = Object.values(sound).map((bytes, k) => [names[k]!, bytes] as const);
    return folderWith({
      ...usual,
      "notes.txt": Buffer.from("not pictures"),
      ...Object.fromEntries(files),
      ...changes,
    });
  };

  it("are told by what they hold under any name, and the larger pair is for training", () => {
    const plain = readFolder(folderWith());
    for (const names of [
      ["a", "b", "c", "d"],
      ["z.idx", "y", "b", "a.idx"],
    ])
      expect(readFolder(renamed(names))).toEqual(plain);
    expect(
      readFolder(renamed(["a", "b", "c", "d"], { a: gzipSync(sound["train-images-idx3-ubyte"]) })),
    ).toEqual(plain);
  });

  it("under any name that do not make two pairs get one clear line", () => {
    const names = ["a", "b", "c", "d"];
    expect(() => readFolder(renamed(names, { d: pictures(1) }))).toThrow(
      /: must hold two IDX files of pictures and two of labels, to train and to test; got 3 and 1$/,
    );
    expect(() => readFolder(renamed(names, { a: pictures(2), b: labels(1, 2) }))).toThrow(
      /: both files .* hold as many: /,
    );
    expect(() => readFolder(renamed(names, { b: labels(1, 2, 3, 4) }))).toThrow(
      /b: holds 4 labels, but .*a holds 3 pictures$/,
    );
  });

  const cut = gzipSync(pictures(3)).subarray(0, 40);
  const flaws: readonly [string, Record<string, Uint8Array | undefined>, RegExp][] = [
    [
      "a wrong magic number",
      { "train-images-idx3-ubyte": labels(...Array<number>(20).fill(1)) },
      /train-images.*: wrong magic number: .*0x00000803, got 0x00000801$/,
    ],
    [
      "pictures for labels",
      { "train-labels-idx1-ubyte": pictures(1) },
      /train-labels.*: wrong magic number: .*0x00000801, got 0x00000803$/,
    ],
    [
      "a short file",
      { "t10k-images-idx3-ubyte": pictures(2).subarray(0, -1) },
      /t10k-images.*: too short: .* 1568 more bytes, there are 1567$/,
    ],
    ["a long file", { "t10k-labels-idx1-ubyte": Uint8Array.from([...labels(1, 2), 3]) }, /too long: /],
    ["an empty file", { "t10k-labels-idx1-ubyte": new Uint8Array() }, /too short: .* this file 0$/],
    [
      "a label out of range",
      { "train-labels-idx1-ubyte": labels(1, 10, 2) },
      /train-labels.*: labels\[1\]: must be a class from 0 to 9, got 10$/,
    ],
    [
      "fewer labels than pictures",
      { "train-labels-idx1-ubyte": labels(1, 2) },
      /holds 2 labels, but .* holds 3 pictures$/,
    ],
    [
      "pictures of another size",
      { "t10k-images-idx3-ubyte": Uint8Array.from(words(0x803, 0, 32, 32)) },
      /must be 28 × 28, got 32 × 32$/,
    ],
    [
      "a missing file",
      { "t10k-labels-idx1-ubyte": undefined },
      /t10k-labels-idx1-ubyte: no such file, and none that ends in \.gz$/,
    ],
    ["a damaged gzip file", { "train-images-idx3-ubyte": cut }, /train-images.*: cannot be unpacked/],
  ];
  it.each(flaws)("%s gets one clear line", (_, changes, line) => {
    const read = () => readFolder(folderWith(changes));
    expect(read).toThrow(InputError);
    expect(read).toThrow(line);
    expect(read).not.toThrow(/\n/);
  });

  it("a folder that is not there and a data set nobody knows get one line each", () => {
    expect(() => readFolder(join(scratch, "none"))).toThrow(/train-images-idx3-ubyte: no such file/);
    expect(() => readDataset("mnits")).toThrow(/no data set "mnits"; did you mean "mnist"\?/);
  });
});

it.each(datasetNames)("%s is found without asking: 60,000 and 10,000 pictures of ten classes", (name) => {
  const { training, publisher } = readDataset(name);
  expect(training.pixels.length).toBe(60_000 * PIXELS);
  expect(publisher.labels.length).toBe(10_000);
  const inClass = (k: number) => training.labels.filter((label) => label === k).length;
  const counts = Array.from({ length: 10 }, (_, k) => inClass(k));
  // Fashion-MNIST has 6000 of each class, MNIST 5923 zeros and 5421 fives.
  expect([counts[0], counts[5]]).toEqual(name === "fashion" ? [6000, 6000] : [5923, 5421]);
});

it("an accuracy of 0.7 changes 30 % of the labels, each to another class, the same for the same seed", () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 0, max: 300 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (seed, n, accuracy) => {
        const before = numbered(n);
        const after = mislabel(before, accuracy, stream(seed));
        const changed = after.labels.filter((label, k) => label !== before.labels[k]).length;
        expect(changed).toBe(Math.round((1 - accuracy) * n));
        expect(after.labels.every((label) => label < 10)).toBe(true);
        expect(after.labels).toEqual(mislabel(before, accuracy, stream(seed)).labels);
      },
    ),
  );
  const noisy = mislabel(numbered(1000), 0.7, stream(1)).labels;
  expect(noisy.filter((label, k) => label !== k % 10).length).toBe(300);
});

it("a shuffle is a permutation", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 0, max: 200 }), (seed, n) => {
      expect([...randomOrder(n, stream(seed))].sort((a, b) => a - b)).toEqual(
        Array.from({ length: n }, (_, k) => k),
      );
    }),
  );
});

describe("the split", () => {
  const dataset = { training: numbered(600), publisher: numbered(200, 1000) };
  const shares = [1, 5, 9].map((id) => ({ id, samples: 150, accuracy: 1 }));
  const deal = (seed: number) => split(dataset, shares, { validation: 90, test: 110, stream: stream(seed) });

  it("gives no picture twice: workers, validation and test are disjoint", () => {
    const { workers, validation, test } = deal(3);
    const all = [...workers.values(), validation, test].flatMap(numbersOf);
    expect([...workers.values(), validation, test].map(({ labels }) => labels.length)).toEqual([
      150, 150, 150, 90, 110,
    ]);
    expect(new Set(all).size).toBe(650);
  });

  it("keeps every picture's label, follows the seed, and nothing else", () => {
    const { workers } = deal(3);
    const hand = workers.get(5)!;
    expect(numbersOf(hand).map((number) => number % 10)).toEqual([...hand.labels]);
    expect(numbersOf(deal(3).test)).toEqual(numbersOf(deal(3).test));
    expect(numbersOf(deal(3).test)).not.toEqual(numbersOf(deal(4).test));
  });

  it("says in one line when there are too few pictures", () => {
    const options = { validation: 90, test: 110, stream: stream(1) };
    const greedy = [{ id: 0, samples: 601, accuracy: 1 }];
    expect(() => split(dataset, greedy, options)).toThrow(
      "data: workers need 601 pictures, the data set has 600 for them",
    );
  });
});

describe("a Dirichlet split over labels", () => {
  const dataset = { training: numbered(600), publisher: numbered(2, 1000) };
  const deal = (samples: readonly number[], concentration: number, seed: number) => {
    const shares = samples.map((count, id) => ({ id, samples: count, accuracy: 1 }));
    const { workers } = split(dataset, shares, {
      validation: 1,
      test: 1,
      stream: stream(seed),
      concentration,
    });
    return [...workers.values()];
  };

  it("gives every worker as many pictures as it should have, none twice, with their labels, by the seed", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0.001, 0.1, 0.5, 1, 10, 1e6),
        fc.nat(),
        (samples, concentration, seed) => {
          const workers = deal(samples, concentration, seed);
          expect(workers.map(({ labels }) => labels.length)).toEqual(samples);
          const numbers = workers.flatMap(numbersOf);
          expect(new Set(numbers).size).toBe(numbers.length);
          expect(numbers.map((number) => number % 10)).toEqual(workers.flatMap(({ labels }) => [...labels]));
          expect(deal(samples, concentration, seed).flatMap(numbersOf)).toEqual(numbers);
        },
      ),
      { numRuns: 40 },
    );
    expect(deal([100], 0.5, 1).map(numbersOf)).not.toEqual(deal([100], 0.5, 2).map(numbersOf));
  });

  it("hands out all there are, even where most labels have run out", () => {
    const all = deal([200, 200, 200], 0.001, 5).flatMap(numbersOf);
    expect(new Set(all).size).toBe(600);
  });

  it("is the more uneven the smaller the number", () => {
    const most = ({ labels }: Samples) =>
      Math.max(...Array.from({ length: 10 }, (_, k) => labels.filter((label) => label === k).length));
    const [narrow, wide] = [0.01, 1e6].map((concentration) => most(deal([60], concentration, 1)[0]!));
    expect(narrow).toBeGreaterThan(40);
    expect(wide).toBeLessThan(20);
  });

  it("has shares with the mean and the variance of the distribution: 1/K, and (1/K)(1 − 1/K)/(Ka + 1)", () => {
    for (const concentration of [0.1, 0.5, 3]) {
      const draws = Array.from({ length: 4000 }, (_, k) => dirichlet(4, concentration, stream(k)));
      for (const shares of draws) expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
      const firsts = draws.map(([first]) => first!);
      const mean = firsts.reduce((sum, share) => sum + share, 0) / firsts.length;
      const variance = firsts.reduce((sum, share) => sum + (share - mean) ** 2, 0) / firsts.length;
      const exact = ((1 / 4) * (3 / 4)) / (4 * concentration + 1);
      expect(Math.abs(mean - 1 / 4)).toBeLessThan(0.03);
      expect(Math.abs(variance / exact - 1)).toBeLessThan(0.1);
    }
  });
});
