/** One call of the program: where its output goes, and whether Ctrl-C was pressed. */

import { setImmediate } from "node:timers/promises";
import { fitted } from "../lib/format.js";
import { Spool, toStderr, toStdout } from "./output.js";
import { Bar, Progress } from "./progress.js";

export const INTERRUPTED = 130;

/** Whoever called the program, and stops it. */
export interface Caller {
  /** What stands before a command, as in "candor" or "npm run --silent candor --". */
  readonly calledAs: string;
  /** How wide the terminal is; undefined if that is not known. */
  readonly columns: number | undefined;
  /** Has a function called at Ctrl-C. */
  onInterrupt(stop: () => void): void;
  /** If the program must be ended while it computes, the advice is given, provided that the file is there. */
  keeps(path: string, advice: string): void;
}

/** How long the program may compute without listening for Ctrl-C. */
const LISTENS_EVERY = 50;

export class Session {
  /** For output that counts only if all input is good. */
  readonly spool = new Spool();
  /** What the program ends with unless something goes wrong. */
  exitCode = 0;
  private readonly controller = new AbortController();
  private readonly shown: (Progress | Bar)[] = [];
  private listenedAt = performance.now();

  constructor(private readonly caller: Caller) {
    caller.onInterrupt(() => {
      this.exitCode = INTERRUPTED;
      this.controller.abort();
    });
  }

  /** What stands before a command, as in "candor" or "npm run --silent candor --". */
  get calledAs(): string {
    return this.caller.calledAs;
  }

  /** How many characters fit on a line. */
  get columns(): number {
    return this.caller.columns ?? 80;
  }

  /** Finished work is kept in this file; the advice says how to go on with it. */
  keeps(path: string, advice: string): void {
    this.caller.keeps(path, advice);
  }

  /** Aborted by Ctrl-C: stop reading and computing; what is there will be printed. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Output that nothing can call back. */
  async print(text: string): Promise<void> {
    await toStdout(this.fit(text));
  }

  /** Sentences wrapped on a terminal. */
  private fit(text: string): string {
    const { columns } = this.caller;
    return columns === undefined ? text : fitted(text, columns);
  }

  /** Shown on a terminal while the work takes long; cleared before anything else is printed. */
  progress(label: string): Progress {
    const progress = new Progress(label);
    this.shown.push(progress);
    return progress;
  }

  /** A bar for a job whose whole is known. */
  gauge(): Bar {
    const gauge = new Bar();
    this.shown.push(gauge);
    return gauge;
  }

  /** A line for the user that is no result. */
  warn(text: string): void {
    for (const progress of this.shown) progress.clear();
    toStderr(`candor: ${text}\n`);
  }

  /** Lets signals in now and then; false once interrupted. */
  async goesOn(): Promise<boolean> {
    if (performance.now() - this.listenedAt > LISTENS_EVERY) {
      await setImmediate();
      this.listenedAt = performance.now();
    }
    return !this.signal.aborted;
  }

  /** Everything went well, or was interrupted: what was held back goes out. */
  async finish(): Promise<void> {
    for (const progress of this.shown) progress.clear();
    await this.spool.release((chunk) => toStdout(typeof chunk === "string" ? this.fit(chunk) : chunk));
    if (this.signal.aborted) this.exitCode = INTERRUPTED;
  }

  close(): void {
    for (const progress of this.shown) progress.clear();
    this.spool.discard();
  }
}
