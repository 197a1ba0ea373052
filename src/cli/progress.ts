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

const WIDTH = 24;

/** A place in the whole job. */
export interface Position {
  /** The share of the whole job that is done, from 0 to 1. */
  readonly done: number;
  readonly what: string;
  /** How many markets, rounds, rows or other items of it are done. */
  readonly items: number;
  readonly unit: "markets" | "rounds" | "rows" | "items";
  /** It is here without having worked: something begins, or was found done. */
  readonly begins?: boolean;
}

export class Gauge {
  private readonly begun = performance.now();
  private shownAt = 0;
  private shown = false;
  private done = 0;
  private found = 0;
  private stretch = { begun: 0, items: 0 };

  show(position: Position): void {
    const now = performance.now();
    const { done, items, begins = false } = position;
    if (begins) {
      // A whole that turns out larger makes every share of it smaller.
      this.found = done > this.done ? this.found + done - this.done : (this.found * done) / (this.done || 1);
      this.stretch = { begun: now, items };
    }
    this.done = done;
    if (!isatty(2) || now - this.shownAt < EVERY) return;
    this.shownAt = now;
    this.shown = true;
    const elapsed = (now - this.stretch.begun) / 1000;
    const rate = elapsed < 1 ? 0 : (items - this.stretch.items) / elapsed;
    const seconds = (now - this.begun) / 1000;
    toStderr(`\r\x1b[K${gaugeText({ ...position, found: this.found, rate, seconds })}`);
  }

  clear(): void {
    if (this.shown) toStderr("\r\x1b[K");
    this.shown = false;
  }
}

interface Reached extends Pick<Position, "done" | "what" | "unit"> {
  /** The share that was found done. */
  readonly found: number;
  /** Of units a second; zero before it can be told. */
  readonly rate: number;
  /** Since the beginning. */
  readonly seconds: number;
}

/** A bar, the share, the rate and the time left once there is something to tell them from, and what is being done. */
export function gaugeText({ done, found, rate, unit, what, seconds }: Reached): string {
  const full = Math.floor(Math.min(1, done) * WIDTH);
  const bar = "█".repeat(full) + "░".repeat(WIDTH - full);
  const worked = done - found;
  const tellable = seconds >= 1 && worked > (seconds < 10 ? 0.02 : 0);
  return [
    `${bar} ${String(Math.floor(done * 100)).padStart(3)} %`,
    ...(rate > 0 ? [`${rateText(rate)} ${unit}/s`] : []),
    ...(tellable ? [`${durationText((seconds * (1 - done)) / worked)} left`] : []),
    what,
  ].join("  ");
}

const rateText = (rate: number): string =>
  rate < 10 ? String(Number(rate.toPrecision(2))) : rate.toFixed(0);

function durationText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
