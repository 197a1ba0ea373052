/** What users' files may do to the thread that runs them: they print to stderr, and cannot end the program or fail unnoticed. */

import { type InputError, oneLine, plainError, readable, withPlace } from "../lib/errors.js";

/** How long a file may take to load, in milliseconds. */
const LOADING = 60_000;

const loaded = new Set<string>();
let announce: (path: string | null) => void = () => {};
let exitThread: ((code?: number) => never) | null = null;

/** Thrown in the program's first thread where a file of the user's is to run: the command then begins again in a thread of its own. */
export class RunsUserCode extends Error {}

let refused = false;

/** For the program's first thread. */
export function refuseUserCode(): void {
  refused = true;
}

/** Before anything of the user's runs. */
export function demandUserThread(): void {
  if (refused) throw new RunsUserCode();
}

interface Host {
  /** Hears of the file that is being loaded; null once it is. */
  readonly onLoading?: (path: string | null) => void;
  /** Hears of what is thrown where nothing waits for it: in a timer, or by a promise. */
  readonly onLost: (error: unknown) => void;
}

/** For a thread of our own, before it loads anything of a user's. */
export function hostUserCode({ onLoading, onLost }: Host): void {
  if (onLoading) announce = onLoading;
  Object.defineProperty(process, "stdout", { value: process.stderr });
  const { reallyExit } = process as unknown as { reallyExit: (code?: number) => never };
  exitThread = reallyExit.bind(process);
  const refuse = () => {
    throw new Error("process.exit was called");
  };
  for (const name of ["exit", "reallyExit"]) Object.defineProperty(process, name, { value: refuse });
  process.on("uncaughtException", (error) => onLost(lostError(readable(error))));
}

/** Ends the thread at once. */
export function endThread(code: number): void {
  exitThread?.(code);
}

/** Loads a user's file; one that takes too long is an error. */
export async function loading<Exports>(path: string, load: () => Promise<Exports>): Promise<Exports> {
  loaded.add(path);
  announce(path);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const seconds = LOADING / 1000;
    const error = plainError(path, `is not loaded after ${seconds} seconds`);
    timer = setTimeout(() => reject(error), LOADING);
    timer.unref();
  });
  try {
    return await Promise.race([load(), late]);
  } finally {
    clearTimeout(timer);
    announce(null);
  }
}

/** An error that was thrown where nothing waits for it: that of a user's file, once one is loaded. */
function lostError(error: unknown): InputError | unknown {
  if (loaded.size === 0) return error;
  const files = [...loaded].join(", ");
  return plainError(files, `throws where nothing waits for it: ${withPlace(oneLine(error), error)}`);
}

const checks = new Set<() => Promise<void>>();

/** Has a user's file looked at once more before anything that rests on it is printed. */
export function beforeResults(check: () => Promise<void>): void {
  checks.add(check);
}

/** For the next call in the same thread. */
export function forgetUserCode(): void {
  checks.clear();
  loaded.clear();
}

/** Throws where a user's file did not keep to what its answers rest on, once. */
export async function checkUserCode(): Promise<void> {
  for (const check of [...checks]) {
    checks.delete(check);
    await check();
    checks.add(check);
  }
}

/** Replaced by assignment on what inherits them, in many packages. */
const REPLACED = new Set<PropertyKey>([
  "constructor",
  "toString",
  "toLocaleString",
  "valueOf",
  "name",
  "message",
]);

/** Errors are written to by those who throw them, and by what shows where they come from. */
const OPEN = /^(globalThis|global|process|console|navigator|.*Error)$/;

let locked = false;

/** In a thread of our own, what JavaScript has stays as it is: what is computed with it must not be a user's. */
export function lockBuiltIns(): void {
  if (locked || exitThread === null) return;
  locked = true;
  const iterators = [
    [].values(),
    new Map().values(),
    new Set().values(),
    ""[Symbol.iterator](),
    "".matchAll(/x/g),
  ];
  for (const iterator of iterators) {
    lock(Object.getPrototypeOf(iterator));
    lock(Object.getPrototypeOf(Object.getPrototypeOf(iterator)));
  }
  lock(Object.getPrototypeOf(Object.getPrototypeOf((function* () {})())));
  lock(Object.getPrototypeOf(Uint8Array));
  lock(Object.getPrototypeOf(Uint8Array.prototype));
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const { value } = Object.getOwnPropertyDescriptor(globalThis, name)!;
    if (OPEN.test(name) || !/^[A-Z]/.test(name)) continue;
    if ((typeof value !== "object" && typeof value !== "function") || value === null) continue;
    lock(value);
    if (typeof value === "function" && value.prototype) lock(value.prototype);
    Object.defineProperty(globalThis, name, { writable: false, configurable: false });
  }
}

function lock(owner: object): void {
  for (const key of Reflect.ownKeys(owner)) {
    const { configurable, value, writable } = Object.getOwnPropertyDescriptor(owner, key)!;
    if (!configurable || REPLACED.has(key)) continue;
    // Vega gives an array a forEach of its own.
    if (owner === Array.prototype && key === "forEach") {
      lockButForHeirs(owner, key, value);
      continue;
    }
    const fixed = typeof value === "function" && writable === true;
    Object.defineProperty(owner, key, { configurable: false, ...(fixed && { writable: false }) });
  }
  // Vega-Lite adds a method to it.
  if (owner !== Set.prototype) Object.preventExtensions(owner);
}

/** Locks a method, but lets objects that inherit it be assigned one of their own: a read-only property would forbid both. */
function lockButForHeirs(owner: object, key: string, method: unknown): void {
  Object.defineProperty(owner, key, {
    configurable: false,
    get: () => method,
    set(this: object, value: unknown) {
      if (this === owner) throw new TypeError(`Cannot assign to read only property '${key}' of object`);
      Object.defineProperty(this, key, { value, writable: true, enumerable: true, configurable: true });
    },
  });
}

/** In a thread of our own, what users import of ours stays as it is. */
export function protectExports(...modules: readonly object[]): void {
  if (exitThread !== null)
    for (const exports of modules) for (const value of Object.values(exports)) protect(value);
}

function protect(value: unknown): void {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || Object.isFrozen(value))
    return;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (typeof value !== "function" && !isPlain) return;
  Object.freeze(value);
  if (typeof value === "function") Object.freeze(value.prototype);
  else for (const inner of Object.values(value)) protect(inner);
}
