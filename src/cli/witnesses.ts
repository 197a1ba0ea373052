/** Files of witnesses: one JSON object per line, rewritten whole or not at all. */

import { constants } from "node:fs";
import { access, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { plainError } from "../lib/errors.js";
import { parseJson } from "../lib/json.js";
import { conforming } from "../lib/schema.js";
import type { Market } from "../market/market.js";
import { validateMarket } from "../market/parse.js";
import { type Regime, regimes } from "../mechanisms/outcome.js";
import { type SearchedProperty, searchedProperties } from "../verdicts/counterexamples/violations.js";

/** What was searched for when a witness was found. */
interface Hunted {
  readonly property: SearchedProperty;
  readonly regime: Regime;
  /** As named on the command line. */
  readonly mechanism: string;
}

interface KnownWitness extends Hunted {
  readonly market: Market;
}

/** The markets that broke this property, in this regime, of this mechanism. */
export const marketsOf = (
  witnesses: readonly KnownWitness[],
  { property, regime, mechanism }: Hunted,
): Market[] =>
  witnesses
    .filter((known) => known.property === property && known.regime === regime)
    .filter((known) => known.mechanism === mechanism)
    .map(({ market }) => market);

/** The witnesses in a file, which must be there. */
export async function readWitnesses(path: string): Promise<KnownWitness[]> {
  const text = await readText(path);
  if (text === null) throw plainError(path, "no such file");
  return parseWitnesses(text, path);
}

/** Stops everything before it starts where a file of witnesses cannot be added to, or holds something else. */
export async function demandWitnessFile(path: string): Promise<void> {
  await demandWritable(path);
  parseWitnesses((await readText(path)) ?? "", path);
}

/** Adds what is not there yet, to what is in the file by now. */
export async function addWitnesses(path: string, found: readonly KnownWitness[]): Promise<void> {
  const before = (await readText(path)) ?? "";
  const lines = before.split("\n").filter((line) => line.trim() !== "");
  const there = new Set(parseWitnesses(before, path).map(textOf));
  const added = [...new Set(found.map(textOf))].filter((text) => !there.has(text));
  if (added.length === 0) return;
  await replaceFile(path, `${[...lines, ...added].join("\n")}\n`);
}

/** Fields in one order: the same witness is the same text. */
const textOf = ({ property, regime, mechanism, market }: KnownWitness): string =>
  JSON.stringify({ property, regime, mechanism, market });

const parseWitnesses = (text: string, path: string): KnownWitness[] =>
  text.split("\n").flatMap((line, k) => (line.trim() === "" ? [] : [parseWitness(line, `${path}:${k + 1}`)]));

const oneOf = <Word extends string>(words: readonly Word[]) =>
  z.enum(words, { error: words.map((word) => JSON.stringify(word)).join(" or ") });

const witnessShape = z.looseObject({
  mechanism: z.string({ error: "a name" }),
  property: oneOf(searchedProperties),
  regime: oneOf(regimes),
});

function parseWitness(line: string, source: string): KnownWitness {
  const value = parseJson(line, source);
  if (typeof value !== "object" || value === null || !("market" in value))
    throw plainError(source, "not a witness: an object with property, regime, mechanism and market");
  const { property, regime, mechanism } = conforming(witnessShape, value, { source });
  return { property, regime, mechanism, market: validateMarket(value.market, `${source}: market`) };
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "";

const reasons: Readonly<Record<string, string>> = {
  EISDIR: "is a folder, not a file",
  ENOTDIR: "is inside of a file, not of a folder",
  EACCES: "may not be read or written (permission denied)",
  EPERM: "may not be read or written (permission denied)",
  EROFS: "may not be written (read-only file system)",
  ENOSPC: "may not be written (no space left)",
  ENAMETOOLONG: "is too long a name",
};

function inWords(error: unknown, path: string): unknown {
  const reason = reasons[codeOf(error)];
  return reason === undefined ? error : plainError(path, reason);
}

/** The file as text; null if there is none. */
export async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw inWords(error, path);
  }
}

/** Asks the file, or else the nearest folder that exists. */
async function demandWritable(path: string): Promise<void> {
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      const { R_OK, W_OK } = constants;
      const folder = (await stat(at)).isDirectory();
      if (folder && at === resolve(path)) throw plainError(path, reasons.EISDIR!);
      await access(at, R_OK | W_OK);
      if (!folder) await access(dirname(at), W_OK);
      return;
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw inWords(error, path);
    }
  }
}

/** Whole or not at all. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(resolve(path)), { recursive: true });
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw inWords(error, path);
  }
}
