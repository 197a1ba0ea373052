/** Progress on standard error: only on a terminal, only after a second, and gone when the work is done. */

import { isatty } from "node:tty";
import type { Gauge, Position } from "../study/progress.js";
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

/** A bar for a job whose whole is known. */
export class Bar implements Gauge {
  private readonly begun = performance.now();
  private shownAt = 0;
  private shown = false;
  private counting = { begun: performance.now(), items: 0 };

  show(position: Position): void {
    const now = performance.now();
    const { done, items } = position;
    // Fewer than before: something else is being counted.
    if (items === 0 || items < this.counting.items) this.counting = { begun: now, items };
    if (!isatty(2) || now - this.shownAt < EVERY) return;
    this.shownAt = now;
    this.shown = true;
    const counted = (now - this.counting.begun) / 1000;
    const rate = counted < 1 ? 0 : (items - this.counting.items) / counted;
    const { secondsLeft = leftBy(done, (now - this.begun) / 1000) } = position;
    toStderr(`\r\x1b[K${barText({ ...position, rate, secondsLeft })}`);
  }

  clear(): void {
    if (this.shown) toStderr("\r\x1b[K");
    this.shown = false;
  }
}

/** As the share that is done says; null before it says anything. */
function leftBy(done: number, seconds: number): number | null {
  const tellable = seconds >= 1 && done > (seconds < 10 ? 0.02 : 0);
  return tellable ? (seconds * (1 - done)) / done : null;
}

interface Shown extends Pick<Position, "done" | "what" | "unit"> {
  /** Of units a second; zero before it can be told. */
  readonly rate: number;
  readonly secondsLeft: number | null;
}

/** A bar, the share, the rate and the time left where they are known, and what is being done. */
export function barText({ done, rate, unit, what, secondsLeft }: Shown): string {
  const full = Math.floor(Math.min(1, done) * WIDTH);
  const bar = "█".repeat(full) + "░".repeat(WIDTH - full);
  return [
    `${bar} ${String(Math.floor(done * 100)).padStart(3)} %`,
    ...(rate > 0 ? [`${rateText(rate)} ${unit}/s`] : []),
    ...(secondsLeft === null ? [] : [`${durationText(secondsLeft)} left`]),
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
