/** While a mechanism decides, nothing may be drawn and no clock read: the same question has the same answer. */

import { isUsersFile } from "../lib/errors.js";
import { ProgramError } from "./boxed.js";

let depth = 0;
let installed = false;

/** Calls a mechanism; what draws or reads a clock meanwhile throws. */
export function whileDeciding<Result>(decide: () => Result): Result {
  guardSources();
  depth++;
  try {
    return decide();
  } finally {
    depth--;
  }
}

/** Puts a guard before each source of randomness and time, once; before a user's file is loaded, so that it keeps no other. */
export function guardSources(): void {
  if (installed) return;
  installed = true;
  hideCallers();
  guard(Math, "Math.random", "random", DRAWS);
  guard(Date, "Date.now", "now", READS);
  guardDate();
  guardClass(Intl, "Intl.DateTimeFormat", "DateTimeFormat", READS);
  guardClass(globalThis, "new Event", "Event", READS);
  const { performance, crypto, process } = globalThis as {
    readonly performance?: object;
    readonly crypto?: object;
    readonly process?: {
      readonly hrtime?: object;
      readonly report?: object;
      getBuiltinModule?(name: string): object;
    };
  };
  for (const key of ["now", "mark", "measure", "toJSON", "eventLoopUtilization"])
    if (performance) guard(performance, `performance.${key}`, key, READS);
  if (crypto) {
    guard(crypto, "crypto.getRandomValues", "getRandomValues", DRAWS);
    guard(crypto, "crypto.randomUUID", "randomUUID", DRAWS);
  }
  if (process?.hrtime) {
    guard(process.hrtime, "process.hrtime.bigint", "bigint", READS);
    for (const key of ["hrtime", "uptime", "cpuUsage", "memoryUsage", "resourceUsage"])
      guard(process, `process.${key}`, key, READS);
    const ofNode = process.getBuiltinModule?.("node:crypto") ?? {};
    for (const key of ["randomBytes", "randomFillSync", "randomInt", "randomUUID", "getRandomValues"])
      guard(ofNode, `crypto.${key}`, key, DRAWS);
    const os = process.getBuiltinModule?.("node:os") ?? {};
    for (const key of ["uptime", "loadavg", "freemem"]) guard(os, `os.${key}`, key, READS);
    const fs = process.getBuiltinModule?.("node:fs") ?? {};
    for (const key of ["readFileSync", "openSync", "statSync", "lstatSync", "readdirSync", "existsSync"])
      guard(fs, `fs.${key}`, key, FILES);
    // Also for those who import them by name.
    const ofModules = process.getBuiltinModule?.("node:module") as { syncBuiltinESMExports?(): void };
    ofModules?.syncBuiltinESMExports?.();
    for (const key of ["pid", "ppid"]) guardValue(process, `process.${key}`, key, CALLERS);
    if (process.report) guard(process.report, "process.report.getReport", "getReport", CALLERS);
  }
}

const CALLERS = "what it decides must not depend on who asks";

/** What V8 hands to a function that writes a stack. */
interface Frame {
  getFileName(): string | null | undefined;
  toString(): string;
}

type PrepareStack = (error: Error, frames: readonly Frame[]) => unknown;

/** While a mechanism decides, a stack shows its own places only, not which command asks it, in which arithmetic. */
function hideCallers(): void {
  let chosen: unknown = Reflect.get(Error, "prepareStackTrace");
  const ownFrames: PrepareStack = (error, frames) => {
    const isOwn = (frame: Frame) => isUsersFile(frame.getFileName() ?? "node:");
    return [`${error}`, ...frames.filter(isOwn).map((frame) => `    at ${frame}`)].join("\n");
  };
  Object.defineProperty(Error, "prepareStackTrace", {
    get: () => (depth > 0 ? ownFrames : chosen),
    set: (prepare: unknown) => {
      if (depth === 0) chosen = prepare;
    },
  });
}

const DRAWS = "one that draws says stochastic: true and draws from the stream it is handed";
const READS = "what it decides must not depend on the time";
const FILES = "a file is read where the mechanism's own is loaded, before anything is decided";

function refuse(name: string, why: string, does = "calls"): void {
  if (depth > 0) throw new ProgramError(`${does} ${name} while it decides: ${why}`);
}

/** Replaces a method by one that throws while a mechanism decides. */
function guard(owner: object, name: string, key: string, why: string): void {
  const method: unknown = Reflect.get(owner, key);
  if (typeof method !== "function") return;
  if (Object.getOwnPropertyDescriptor(owner, key)?.configurable === false) return;
  const guarded = new Proxy(method, {
    apply(target, self, given) {
      refuse(name, why);
      return Reflect.apply(target, self, given);
    },
  });
  Object.defineProperty(owner, key, { value: guarded, configurable: true, writable: true });
}

/** Replaces a class by one that throws while a mechanism decides. */
function guardClass(owner: object, name: string, key: string, why: string): void {
  const made: unknown = Reflect.get(owner, key);
  if (typeof made !== "function") return;
  const guarded = new Proxy(made, {
    construct(target, given, self) {
      refuse(name, why);
      return Reflect.construct(target, given, self);
    },
    apply(target, self, given) {
      refuse(name, why);
      return Reflect.apply(target, self, given);
    },
  });
  Object.defineProperty(owner, key, { value: guarded, configurable: true, writable: true });
}

/** Replaces a value that differs between processes by one that cannot be read while a mechanism decides. */
function guardValue(owner: object, name: string, key: string, why: string): void {
  const value: unknown = Reflect.get(owner, key);
  const get = () => {
    refuse(name, why, "reads");
    return value;
  };
  Object.defineProperty(owner, key, { get, configurable: true, enumerable: true });
}

/** A date that is given is as good as a number; one that is not is the time. */
function guardDate(): void {
  const guarded = new Proxy(Date, {
    construct(target, given, self) {
      if (given.length === 0) refuse("new Date()", READS);
      return Reflect.construct(target, given, self);
    },
    apply(target, self, given) {
      refuse("Date()", READS);
      return Reflect.apply(target, self, given);
    },
  });
  Date.prototype.constructor = guarded;
  globalThis.Date = guarded;
}
