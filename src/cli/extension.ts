/** Loads a user's own .ts or .js file: no fork, no build, and `import … from "candor"` works in it from any folder. */

import { statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { guardSources } from "../auction/deciding.js";
import { InputError, oneLine, plainError, readable, showValue, withPlace } from "../lib/errors.js";
import { checksumOf } from "../study/study.js";
import { readSync } from "./files.js";
import { demandUserThread, loading, lockBuiltIns, protectExports } from "./user-code.js";

/** A kind of extension and what one must have. */
export interface ExtensionKind<T, Factory = never> {
  /** As in "is not a mechanism". */
  readonly noun: string;
  readonly required: { readonly [Field in keyof T]?: "string" | "function" | "object" };
  /** Tells a factory, where one will do as well. */
  readonly isFactory?: (value: unknown) => value is Factory;
}

/** Whether a name on the command line means a file rather than something registered. */
export const isPath = (name: string): boolean => name.includes("/") || /\.(ts|js|mjs)$/.test(name);

/** "./mine.ts:density=0.5" is a file and its settings; a name that means no file has none. */
export function splitFile(spec: string): { file: string | null; settings: string | undefined } {
  const [, path = spec, settings] = /^(.*\.(?:ts|js|mjs)):(.*)$/.exec(spec) ?? [];
  return isPath(path) ? { file: path, settings } : { file: null, settings: undefined };
}

/** The default export of a file, or else the only one that has the right shape; `anew` with nothing that its modules remember. */
export async function loadExtension<T, Factory = never>(
  path: string,
  kind: ExtensionKind<T, Factory>,
  { anew = false } = {},
): Promise<T | Factory> {
  const exports = await importFile(path, anew);
  const values = "default" in exports ? [exports.default] : Object.values(exports);
  const fitting = values.filter((value): value is T | Factory => flaw(value, kind) === undefined);
  if (fitting.length === 1) return fitting[0]!;
  throw plainError(path, shortfall(kind, values, fitting.length));
}

type AnyKind = ExtensionKind<unknown, unknown>;

function shortfall(kind: AnyKind, values: readonly unknown[], fitting: number): string {
  const { noun } = kind;
  const one = `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
  if (values.length === 0) return `exports nothing; must export ${one}`;
  if (fitting > 1) return `exports ${fitting} ${noun}s; must export one of them as default`;
  if (values.length > 1) return `none of its exports is ${one}; must export one as default`;
  return `is not ${one}: ${flaw(values[0], kind)}`;
}

/** What keeps a value from being of a kind; undefined if nothing does. */
function flaw(value: unknown, { required, isFactory }: AnyKind): string | undefined {
  if (isFactory?.(value)) return undefined;
  if (typeof value !== "object" || value === null) return `must be an object, got ${showValue(value)}`;
  const fields = Object.entries<string | undefined>(required);
  const [field, type] = fields.find(([name, wanted]) => typeof Reflect.get(value, name) !== wanted) ?? [];
  if (field === undefined) return undefined;
  const wanted = type === "string" ? "a text" : `${type === "object" ? "an" : "a"} ${type}`;
  return `${field} must be ${wanted}, got ${showValue(Reflect.get(value, field))}`;
}

async function importFile(path: string, anew: boolean): Promise<Record<string, unknown>> {
  const file = resolve(path);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw plainError(path, "no such file");
  demandUserThread();
  guardSources();
  lockBuiltIns();
  // Given as they are, not by address: a file's "candor" must be the running one, not a second copy of it.
  const [candor, contracts, { createJiti }] = await Promise.all([
    import("../index.js"),
    import("../verdicts/contracts.js"),
    import("jiti"),
  ]);
  protectExports(candor, contracts);
  const jiti = createJiti(import.meta.url, {
    virtualModules: { candor, "candor/contracts": contracts },
    fsCache: false,
    interopDefault: false,
  });
  const before = { ...jiti.cache };
  if (anew) forget(jiti.cache, Object.keys(jiti.cache).filter(isUsers));
  try {
    return await loading(path, () => jiti.import<Record<string, unknown>>(file));
  } catch (thrown) {
    const error = readable(thrown);
    if (error instanceof InputError) throw error;
    throw plainError(path, `cannot be loaded: ${withPlace(oneLine(error), error)}`);
  } finally {
    if (anew) Object.assign(jiti.cache, before);
  }
}

const isUsers = (file: string): boolean => !/[\\/]node_modules[\\/]/.test(file);

function forget(cache: Record<string, unknown>, files: readonly string[]): void {
  for (const file of files) delete cache[file];
}

/** Static and dynamic imports, and files that are started as threads; in Python, modules that may lie beside it. */
const LOCAL = /(?:\bfrom|\bimport|\brequire|\bnew URL)\s*\(?\s*["'](\.[^"']+)["']/g;
const PYTHON = /^\s*(?:from|import)\s+([\w.]+)/gm;

const importsIn = (file: string, text: string): string[] =>
  file.endsWith(".py")
    ? [...text.matchAll(PYTHON)].map(([, name]) => `${name!.replaceAll(".", "/")}.py`)
    : [...text.matchAll(LOCAL)].map(([, target]) => target!);

/** Of a file and all it imports by relative path, under their places relative to it; `outermost` bounds where they may be. */
export function checksumOfFile(path: string, outermost = "/"): string {
  const entry = resolve(path);
  const found = new Map<string, string>();
  const visit = (file: string): void => {
    const text = readSync(file, relative("", file)).toString();
    found.set(file, text);
    for (const target of importsIn(file, text)) {
      const imported = existing(join(dirname(file), target), found);
      if (imported !== undefined && !found.has(imported) && imported.startsWith(outermost)) visit(imported);
    }
  };
  visit(entry);
  const parts = [...found].map(([file, text]) => [relative(dirname(entry), file), checksumOf(text)]);
  return checksumOf(JSON.stringify(parts.sort()));
}

/** The endings that an import may leave out, in the order in which they are tried. */
const ENDINGS = [".js", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".json"];

/** The file that an import without, or with a script's, ending means. */
function existing(path: string, known: ReadonlyMap<string, unknown>): string | undefined {
  const places = [
    path,
    path.replace(/\.([mc]?)js$/, ".$1ts"),
    ...ENDINGS.map((ending) => `${path}${ending}`),
    ...ENDINGS.map((ending) => join(path, `index${ending}`)),
  ];
  return places.find((place) => known.has(place) || statSync(place, { throwIfNoEntry: false })?.isFile());
}
