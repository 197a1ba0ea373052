/** Progress on standard error: only on a terminal, only after a second, and gone when the work is done. */

import { isatty } from "node:tty";
import type { Gauge, Position } from "../study/progress.js";
import { toStderr } from "./output.js";

const SILENT = 1000;
const EVERY = 200;
const CLEAR = "\r\x1b[K";

/** The line that is shown and written over again, at most five times a second. */
class Line {
  protected readonly begun = performance.now();
  private shownAt = 0;
  private shown = false;

  /** False where nobody would see it, or where it was written only just now. */
  protected isDue(now: number): boolean {
    return isatty(2) && now - this.shownAt >= EVERY;
  }

  protected write(text: string, now: number): void {
    this.shownAt = now;
    this.shown = true;
    toStderr(`${CLEAR}${text}`);
  }

  clear(): void {
    if (this.shown) toStderr(CLEAR);
    this.shown = false;
  }
}

/** Counts what is done, where the whole may not be known. */
export class Progress extends Line {
  private count = 0;

  constructor(private readonly label: string) {
    super();
  }

  /** One more thing is done; `total` where it is known. */
  tick(noun: string, total?: number): void {
    this.count++;
    const now = performance.now();
    if (now - this.begun < SILENT || !this.isDue(now)) return;
    const rate = this.count / ((now - this.begun) / 1000);
    const left = total === undefined ? "" : `, ${Math.ceil((total - this.count) / rate)} s left`;
    const of = total === undefined ? "" : `/${total}`;
    this.write(`${this.label}: ${this.count}${of} ${noun}s, ${rate.toFixed(1)}/s${left}`, now);
  }
}

const WIDTH = 24;

/** A bar for a job whose whole is known. */
export class Bar extends Line implements Gauge {
  private counting = { begun: performance.now(), items: 0 };

  show(position: Position): void {
    const now = performance.now();
    const { done, items } = position;
    // Fewer than before: something else is being counted.
    if (items === 0 || items < this.counting.items) this.counting = { begun: now, items };
    if (!this.isDue(now)) return;
    const counted = (now - this.counting.begun) / 1000;
    const rate = counted < 1 ? 0 : (items - this.counting.items) / counted;
    const { secondsLeft = leftBy(done, (now - this.begun) / 1000) } = position;
    this.write(barText({ ...position, rate, secondsLeft }), now);
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
