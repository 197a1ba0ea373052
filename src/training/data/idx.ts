/** Reads the IDX format of MNIST and its relatives from bytes: pictures and labels, each with a header that is held to its word. */

import { InputError, plainError } from "../../lib/errors.js";
import { CLASSES, PIXELS, type Samples, SIDE } from "./samples.js";

const PICTURES = { magic: 0x803, header: 16, noun: "pictures" } as const;
const LABELS = { magic: 0x801, header: 8, noun: "labels" } as const;

interface IdxFile {
  readonly bytes: Uint8Array;
  /** What a message calls it. */
  readonly source: string;
}

/** Pictures and their labels, one label per picture. */
export function parseSamples(pictures: IdxFile, labels: IdxFile): Samples {
  const samples = { pixels: parsePictures(pictures), labels: parseLabels(labels) };
  const count = samples.pixels.length / PIXELS;
  if (samples.labels.length === count) return samples;
  throw plainError(
    labels.source,
    `holds ${samples.labels.length} labels, but ${pictures.source} holds ${count} pictures`,
  );
}

/** The pixels of all pictures, one after another. */
export function parsePictures({ bytes, source }: IdxFile): Uint8Array {
  const count = readCount({ bytes, source }, PICTURES);
  const [rows, columns] = [readWord(bytes, 8), readWord(bytes, 12)];
  if (rows !== SIDE || columns !== SIDE)
    throw plainError(source, `pictures must be ${SIDE} × ${SIDE}, got ${rows} × ${columns}`);
  return readBody({ bytes, source }, { header: PICTURES.header, size: count * PIXELS });
}

/** One label per picture, each a class from 0 to 9. */
export function parseLabels({ bytes, source }: IdxFile): Uint8Array {
  const count = readCount({ bytes, source }, LABELS);
  const labels = readBody({ bytes, source }, { header: LABELS.header, size: count });
  const wrong = labels.findIndex((label) => label >= CLASSES);
  if (wrong < 0) return labels;
  const expected = `a class from 0 to ${CLASSES - 1}`;
  throw new InputError({ source, path: ["labels", wrong], expected, kind: "invalid", got: labels[wrong] });
}

/** IDX numbers are big-endian. */
const readWord = (bytes: Uint8Array, offset: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset);

const hex = (word: number): string => `0x${word.toString(16).padStart(8, "0")}`;

function readCount(
  { bytes, source }: IdxFile,
  { magic, header, noun }: typeof PICTURES | typeof LABELS,
): number {
  if (bytes.length < header)
    throw plainError(
      source,
      `too short: an IDX file of ${noun} has a header of ${header} bytes, this file ${bytes.length}`,
    );
  const found = readWord(bytes, 0);
  if (found === magic) return readWord(bytes, 4);
  throw plainError(
    source,
    `wrong magic number: an IDX file of ${noun} starts with ${hex(magic)}, got ${hex(found)}`,
  );
}

function readBody(
  { bytes, source }: IdxFile,
  { header, size }: { header: number; size: number },
): Uint8Array {
  const there = bytes.length - header;
  if (there === size) return bytes.subarray(header);
  const flaw = there < size ? "too short" : "too long";
  throw plainError(source, `${flaw}: its header promises ${size} bytes after it, there are ${there}`);
}
