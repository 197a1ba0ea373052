/** How far a study is, and how long the rest will take: stated costs say how much work there is, finished chunks how long it takes. */

import { sum } from "d3-array";
import type { AnyJob, Cells } from "./job.js";
import { type Chunk, marketsIn, statedCost } from "./study.js";

/** How far a job whose whole is known is. */
export interface Position {
  /** The share of the whole job that is done, from 0 to 1. */
  readonly done: number;
  readonly what: string;
  /** How many markets, rounds, rows or other items of `what` have been done so far. */
  readonly items: number;
  readonly unit: "markets" | "rounds" | "rows" | "items";
  /** How many seconds are left; null if it is not known yet. Left out: as the share that is done says. */
  readonly secondsLeft?: number | null;
}

/** Shows how far a job is. */
export interface Gauge {
  show(position: Position): void;
  clear(): void;
}

/** A line of a terminal that is written over again. */
export interface StatusLine {
  /** The text is made only where somebody sees it. */
  show(text: () => string): void;
  clear(): void;
}

/** What a study needs of the terminal that it is started from. */
export interface Terminal {
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Lets signals in now and then; false once interrupted. */
  goesOn(): Promise<boolean>;
  /** A line for the user that is no result. */
  warn(text: string): void;
  /** Shown while the work takes long. */
  readonly line: StatusLine;
  /** Finished work is kept in this file; the advice says how to go on with it. */
  keeps(path: string, advice: string): void;
}

interface Work {
  /** What to call it, or what there is to say of it. */
  readonly name: string | (() => string);
  readonly job: AnyJob;
  readonly cells: readonly Cells<unknown>[];
}

/** Of one cell: stated milliseconds of a market, how many are left, and what those that are done took. */
interface CellState {
  readonly cost: number;
  readonly markets: number;
  left: number;
  worked: number;
  seconds: number;
}

/** Before it, a guess would be worth nothing. */
const TELLABLE_SECONDS = 1;
const TELLABLE_SHARE = 0.02;
const TELLABLE_ANYWAY = 10;

export class StudyProgress {
  private readonly states: readonly CellState[][];
  private readonly begun: number;
  private since: number;
  private at = 0;
  private items = 0;
  /** How long stated work takes: in the cell that was measured last. */
  private latest: number | null = null;
  private shown = 0;
  private worked = 0;

  constructor(
    private readonly works: readonly Work[],
    private readonly gauge: Gauge,
    private readonly now: () => number = () => performance.now() / 1000,
  ) {
    this.begun = now();
    this.since = this.begun;
    this.states = works.map(({ job, cells }) =>
      cells.map(({ cell, markets }) => ({
        cost: costOf(job, cell),
        markets,
        left: markets,
        worked: 0,
        seconds: 0,
      })),
    );
  }

  /** The analyses before this one are over, whatever became of them. */
  begin(analysis: number): void {
    for (const state of this.states.slice(0, analysis).flat()) state.left = 0;
    [this.at, this.items, this.since, this.latest] = [analysis, 0, this.now(), null];
    this.show();
  }

  /** A chunk is done; one that was found done took no time. */
  add(chunk: Chunk, found: boolean): void {
    const cells = this.states[this.at]!;
    const seconds = this.now() - this.since;
    const work = sum(chunk, ({ cell, from, to }) => cells[cell]!.cost * (to - from));
    for (const { cell, from, to } of chunk) {
      const state = cells[cell]!;
      state.left -= to - from;
      if (found) continue;
      const share = state.cost * (to - from);
      state.worked += share;
      state.seconds += (seconds * share) / work;
      this.latest = state.seconds / state.worked;
    }
    if (!found) {
      this.since += seconds;
      this.worked += work;
      this.items += marketsIn(chunk);
    }
    this.show();
  }

  clear(): void {
    this.gauge.clear();
  }

  private show(): void {
    const known = this.states.flatMap((cells, k) => {
      const pace = this.paceOf(k);
      return cells.map((state) => ({ state, pace: state.worked > 0 ? state.seconds / state.worked : pace }));
    });
    const seconds = (count: (state: CellState) => number) =>
      sum(known, ({ state, pace }) => pace * state.cost * count(state));
    const [left, all] = [seconds((state) => state.left), seconds((state) => state.markets)];
    const share = all === 0 ? this.at / this.works.length : (all - left) / all;
    // Never back, though what is left may turn out to take longer.
    this.shown = Math.max(this.shown, share);
    const { name } = this.works[this.at]!;
    const what = typeof name === "string" ? name : name();
    const secondsLeft = this.tellable(all) ? left : null;
    this.gauge.show({ done: this.shown, what, items: this.items, unit: "markets", secondsLeft });
  }

  /** Seconds per stated millisecond: as in the cell that was measured last, else as in all that were. */
  private paceOf(analysis: number): number {
    if (analysis === this.at && this.latest !== null) return this.latest;
    const [own, all] = [this.states[analysis]!, this.states.flat()].map((states) => {
      const worked = sum(states, (state) => state.worked);
      return worked === 0 ? null : sum(states, (state) => state.seconds) / worked;
    });
    return own ?? all ?? 1e-3;
  }

  private tellable(all: number): boolean {
    const seconds = this.now() - this.begun;
    if (this.worked === 0 || seconds < TELLABLE_SECONDS) return false;
    const measured = sum(this.states.flat(), (state) => state.seconds);
    return seconds >= TELLABLE_ANYWAY || measured > TELLABLE_SHARE * all;
  }
}

/** A user's own job may state anything. */
function costOf(job: AnyJob, cell: unknown): number {
  try {
    const cost = statedCost(job, cell as never);
    return Number.isFinite(cost) ? cost : 1;
  } catch {
    return 1;
  }
}

const WIDTH = 24;

/** A bar for a job whose whole is known, on a line of the terminal. */
export function barOn(line: StatusLine): Gauge {
  const begun = performance.now();
  let counting = { begun, items: 0 };
  return {
    show(position) {
      const now = performance.now();
      const { done, items } = position;
      // Fewer than before: something else is being counted.
      if (items === 0 || items < counting.items) counting = { begun: now, items };
      const counted = (now - counting.begun) / 1000;
      const rate = counted < 1 ? 0 : (items - counting.items) / counted;
      const { secondsLeft = leftBy(done, (now - begun) / 1000) } = position;
      line.show(() => barText({ ...position, rate, secondsLeft }));
    },
    clear: () => line.clear(),
  };
}

/** As the share that is done says; null before it says anything. */
function leftBy(done: number, seconds: number): number | null {
  const tellable = seconds >= 1 && done > (seconds < 10 ? 0.02 : 0);
  return tellable ? (seconds * (1 - done)) / done : null;
}

interface Shown extends Pick<Position, "done" | "what" | "unit"> {
  /** Of units a second; zero before it is known. */
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
