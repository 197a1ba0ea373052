/** How far a long job is, with the time left: a bar on a terminal, nothing anywhere else. */

const EVERY = 150;
const WIDTH = 24;

export class Gauge {
  private readonly begun = performance.now();
  private shownAt = 0;
  private shown = false;

  /** `done` is the share of the whole job, from 0 to 1. */
  show(done: number, what: string): void {
    const now = performance.now();
    if (!process.stderr.isTTY || now - this.shownAt < EVERY) return;
    this.shownAt = now;
    this.shown = true;
    process.stderr.write(`\r\x1b[K${gaugeText({ done, what, seconds: (now - this.begun) / 1000 })}`);
  }

  clear(): void {
    if (this.shown) process.stderr.write("\r\x1b[K");
    this.shown = false;
  }
}

export interface Reached {
  readonly done: number;
  readonly what: string;
  /** Since the beginning. */
  readonly seconds: number;
}

/** A bar, the share, the time left once there is something to tell it from, and what is being done. */
export function gaugeText({ done, what, seconds }: Reached): string {
  const full = Math.floor(Math.min(1, done) * WIDTH);
  const bar = "█".repeat(full) + "░".repeat(WIDTH - full);
  const left = seconds < 1 || done < 0.02 ? "" : `  ${Math.ceil((seconds * (1 - done)) / done)} s left`;
  return `${bar} ${String(Math.floor(done * 100)).padStart(3)} %${left}  ${what}`;
}
