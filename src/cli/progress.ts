/** Progress on standard error: only on a terminal, only after a second, and gone when the work is done. */

import { isatty } from "node:tty";
import { toStderr } from "./output.js";

const SILENT = 1000;
const EVERY = 200;

export class Progress {
  private count = 0;
  private readonly begun = performance.now();
  private shownAt = 0;
  private shown = false;

  constructor(private readonly label: string) {}

  /** One more thing is done; `total` where it is known. */
  tick(noun: string, total?: number): void {
    this.count++;
    const now = performance.now();
    if (!isatty(2) || now - this.begun < SILENT || now - this.shownAt < EVERY) return;
    this.shownAt = now;
    this.shown = true;
    const rate = this.count / ((now - this.begun) / 1000);
    const left = total === undefined ? "" : `, ${Math.ceil((total - this.count) / rate)} s left`;
    const of = total === undefined ? "" : `/${total}`;
    toStderr(`\r\x1b[K${this.label}: ${this.count}${of} ${noun}s, ${rate.toFixed(1)}/s${left}`);
  }

  clear(): void {
    if (this.shown) toStderr("\r\x1b[K");
    this.shown = false;
  }
}
