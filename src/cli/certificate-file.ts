/** Certificates of proofs as files: a line of JSON each, packed where the name ends in .gz, the last with a checksum. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { basename, dirname } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { createGunzip, gzipSync } from "node:zlib";
import { z } from "zod";
import { InputError, type Path, plainError, showValue } from "../lib/errors.js";
import { conforming } from "../lib/schema.js";
import { certificateLines, type WrittenProof } from "../proofs/certificate.js";
import {
  type CellLine,
  FORMAT,
  type HeadLine,
  KERNEL,
  type PieceLine,
} from "../proofs/certificate-format.js";
import type { PlainShape } from "../proofs/shape.js";
import { Rejected, Verification } from "../proofs/verify.js";
import { readable, writeFiles } from "./files.js";
import type { Session } from "./session.js";

const isPacked = (path: string): boolean => path.endsWith(".gz");

interface EndLine {
  readonly lines: number;
  readonly sha256: string;
}

/** So much text is written, or packed, at a time. */
const BLOCK = 4 << 20;

/** Writes all of it, or nothing where Ctrl-C was pressed. */
export async function writeCertificate(path: string, proof: WrittenProof, session: Session): Promise<void> {
  // Half a file must not be left behind.
  session.listens();
  const progress = session.progress("certificate");
  const fill = async (sink: (piece: string | Uint8Array) => Promise<void>): Promise<boolean> => {
    const hash = createHash("sha256");
    let [lines, block] = [0, ""];
    const flush = async () => {
      await sink(isPacked(path) ? gzipSync(block) : block);
      block = "";
    };
    for (const line of certificateLines(proof)) {
      const text = `${JSON.stringify(line)}\n`;
      hash.update(text);
      block += text;
      lines++;
      progress.tick("line");
      if (block.length >= BLOCK) await flush();
      if (!(await session.goesOn())) return false;
    }
    const end: EndLine = { lines, sha256: hash.digest("hex") };
    block += `${JSON.stringify(end)}\n`;
    await flush();
    return true;
  };
  await writeFiles(dirname(path), [{ name: basename(path), fill }]);
}

interface VerifiedFile {
  readonly head: HeadLine;
  readonly shape: PlainShape;
  /** How many cells were checked. */
  readonly cells: number;
}

/** Checks a certificate line by line; an error names the line. */
export async function verifyCertificate(
  path: string,
  shapeOf: (head: HeadLine) => Promise<PlainShape>,
  session: Session,
): Promise<VerifiedFile | null> {
  const reader = new CertificateReader(shapeOf);
  const progress = session.progress("verified");
  let number = 0;
  try {
    for await (const line of linesIn(path)) {
      number++;
      await reader.take(line);
      progress.tick("line");
      if (!(await session.goesOn())) return null;
    }
    return reader.finish();
  } catch (error) {
    throw rejection(error, number === 0 ? path : `${path}:${number}`);
  }
}

/** A certificate that others made may hold anything. */
function rejection(error: unknown, source: string): unknown {
  const unread = readable(error, source);
  if (unread !== error) return unread;
  if (error instanceof InputError) return plainError(source, error.message);
  if (error instanceof Rejected) return plainError(source, `the certificate is rejected: ${error.message}`);
  if (process.env.CANDOR_DEBUG === "1") console.error(error);
  return plainError(source, "the certificate is rejected: not a line of a certificate");
}

/** More than any line of a certificate has; packed, a line without an end takes next to no room. */
const LONGEST_LINE = 64 << 20;

async function* linesIn(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  // What goes wrong with the file shows where the stream is read.
  const input: Readable = isPacked(path) ? pipeline(file, createGunzip(), () => {}) : file;
  let rest = "";
  for await (const chunk of input.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    yield* lines;
    if (rest.length > LONGEST_LINE) throw new Rejected(`has a line of more than ${LONGEST_LINE >> 20} MB`);
  }
  if (rest !== "") throw new Rejected("ends too early");
}

const printable = z
  .string({ error: "a text of one line" })
  .regex(/^[^\p{Cc}]*$/u, { error: "a text of one line" });
const digest = z.string({ error: "a sha-256" }).regex(/^[0-9a-f]{64}$/, { error: "a sha-256" });
const wholeNumber = z.int({ error: "a whole number" });
const several = { error: "a list" };

const claimSchema = z.strictObject(
  {
    property: printable,
    regime: printable,
    start: printable.nullable(),
    verdict: printable,
    worst: printable,
    attained: z.boolean({ error: "true or false" }),
    cells: wholeNumber,
    witness: z.looseObject({}, { error: "an object or null" }).nullable(),
    at: z.looseObject({}, { error: "an object or null" }).nullable(),
  },
  { error: "a claim" },
);

/** The first line: what is printed of it is what it says and nothing besides. What it says is checked with the rest. */
const headSchema = z.strictObject({
  proof: z.literal(FORMAT),
  kernel: z.literal(KERNEL),
  candor: z
    .string({ error: "a version, such as 0.1.0" })
    .regex(/^\d+\.\d+\.\d+[-+.\w]{0,40}$/, { error: "a version, such as 0.1.0" }),
  program: z.union(
    [
      z.strictObject({ builtIn: printable }),
      z.strictObject({ file: printable, settings: printable.optional(), sha256: digest }),
    ],
    { error: "{ builtIn } or { file, settings, sha256 }" },
  ),
  pairs: z.boolean({ error: "true or false" }),
  rounds: wholeNumber,
  reputations: z.array(printable, several),
  ids: z.array(wholeNumber, several).optional(),
  firstRoundRatio: printable,
  minWorkers: wholeNumber,
  reading: printable,
  firstStep: printable,
  delay: printable,
  arrivals: z.array(wholeNumber, several).optional(),
  claims: z.array(claimSchema, several),
});

/** Certificates of other formats, or of a kernel to which they meant something else, are refused by name. */
function demandVersion(head: HeadLine): void {
  const format: unknown = head?.proof;
  if (typeof format !== "number") throw new Rejected("does not begin as a certificate");
  if (format === 1)
    throw new Rejected(
      "it is of format 1, which does not say whose program it is about: write it again with prove --certificate",
    );
  if (format === 2)
    throw new Rejected(
      "it is of format 2, whose regimes ask about a worker's whole group, not about the worker: write it again with prove --certificate",
    );
  if (format !== FORMAT) throw new Rejected(`it is of format ${format}, and this is format ${FORMAT}`);
  if (head.kernel !== KERNEL)
    throw new Rejected(`it was written for kernel ${showValue(head.kernel)}, and this is kernel ${KERNEL}`);
}

const headFieldsAt = ([part]: Path): readonly string[] =>
  Object.keys(part === "claims" ? claimSchema.shape : headSchema.shape);

class CertificateReader {
  private readonly hash = createHash("sha256");
  private state: { head: HeadLine; shape: PlainShape; verification: Verification } | null = null;
  private end: EndLine | null = null;
  private lines = 0;
  private cells = 0;

  constructor(private readonly shapeOf: (head: HeadLine) => Promise<PlainShape>) {}

  async take(text: string): Promise<void> {
    if (this.end !== null) throw new Rejected("continues after its end");
    const line = JSON.parse(text);
    if (this.state === null) await this.begin(line);
    else if (Array.isArray(line)) {
      this.state.verification.cell(line as unknown as CellLine);
      this.cells++;
    } else if ("piece" in line) this.state.verification.piece(line as PieceLine);
    else {
      this.end = line as EndLine;
      return;
    }
    this.lines++;
    this.hash.update(`${text}\n`);
  }

  private async begin(head: HeadLine): Promise<void> {
    demandVersion(head);
    conforming(headSchema, head, { source: "its first line", fieldsAt: headFieldsAt });
    const shape = await this.shapeOf(head);
    this.state = { head, shape, verification: new Verification(shape, head) };
  }

  finish(): VerifiedFile {
    if (this.state === null || this.end === null) throw new Rejected("ends too early");
    if (this.end.lines !== this.lines || this.end.sha256 !== this.hash.digest("hex"))
      throw new Rejected("has been changed since it was written: its checksum does not match");
    this.state.verification.finish();
    return { head: this.state.head, shape: this.state.shape, cells: this.cells };
  }
}
