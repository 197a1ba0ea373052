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

function refuse(name: string, why: string): void {
  if (depth > 0) throw new ProgramError(`calls ${name} while it decides: ${why}`);
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
