/** Lines of a journal: JSON, each with a checksum of its own at the front. */

import { createReadStream } from "node:fs";
import { checksumOf } from "./study.js";

const FRONT = '{"sum":"';
const DIGITS = 16;
const BODY = FRONT.length + DIGITS + '",'.length;

const front = (body: Uint8Array): string => `${FRONT}${checksumOf(body).slice(0, DIGITS)}",`;

/** An object as a line, with its end. */
export function encodeLine(value: object): Buffer {
  const body = Buffer.from(JSON.stringify(value).slice(1));
  return Buffer.concat([Buffer.from(front(body)), body, Buffer.from("\n")]);
}

/** Null if a single byte is not what was written. */
export function decodeLine(line: Buffer): unknown {
  const body = line.subarray(BODY);
  if (line.subarray(0, BODY).toString("latin1") !== front(body)) return null;
  return JSON.parse(`{${body}`);
}

export interface Line {
  /** Without its end. */
  readonly bytes: Buffer;
  readonly offset: number;
  /** Whether its end is there. */
  readonly whole: boolean;
}

const END = 0x0a;

/** One after another: memory holds one of them. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let offset = 0;
  for await (const block of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let to = block.indexOf(END); to >= 0; to = block.indexOf(END, from)) {
      const bytes = Buffer.concat([...parts, block.subarray(from, to)]);
      yield { bytes, offset, whole: true };
      offset += bytes.length + 1;
      parts = [];
      from = to + 1;
    }
    if (from < block.length) parts.push(block.subarray(from));
  }
  if (parts.length > 0) yield { bytes: Buffer.concat(parts), offset, whole: false };
}
