/** Trials as text: what `try` prints for people. */

import type { Trial } from "../best-response/trial.js";
import { brief, type Column, counted, table } from "../lib/format.js";
import { difference, negligible } from "../lib/tolerance.js";
import type { Market, Worker } from "../market/market.js";
import { Corrections } from "./corrections.js";

/** What `try --json` prints for a market. */
export interface TrialsRecord {
  readonly mechanism: string;
  readonly agent: string;
  readonly seed: string;
  /** Of a mechanism that draws: over how many seeds utilities are means. */
  readonly seeds?: number;
  readonly workers: readonly Trial[];
}

export function trialsText(
  source: string,
  market: Market,
  { mechanism, agent, seeds, workers }: TrialsRecord,
): string {
  const means = seeds === undefined ? "" : `\n  utilities are means over ${seeds} seeds of the mechanism`;
  const title = `${source}: mechanism ${mechanism}, agent ${agent}${means}`;
  const noise = negligible(market.rules.budget);
  const parts = [
    title,
    summary(workers, noise),
    trialsTable(market, workers),
    correctionsText(agent, workers),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function summary(workers: readonly Trial[], noise: number): string {
  const gainers = workers.filter(({ gain }) => gain > noise);
  const losers = workers.filter(({ gain }) => gain < -noise);
  const most = gainers.reduce<Trial | undefined>((a, b) => (a && a.gain >= b.gain ? a : b), undefined);
  const best = most ? `, worker ${most.id} the most: ${brief(most.gain)}` : "";
  return `Each alone among truthful others: of ${counted(workers.length, "worker")}, ${gainers.length} would gain${best}; ${losers.length} would lose.`;
}

/** What the agent said where that was no legal bid. */
function correctionsText(agent: string, workers: readonly Trial[]): string {
  const corrections = new Corrections();
  for (const { id, price, arrival, said } of workers)
    if (said) corrections.add({ agent, worker: id, said, used: { price, arrival } });
  return corrections.line ?? "";
}

function trialsTable(market: Market, workers: readonly Trial[]): string {
  const types = new Map(market.workers.map((worker) => [worker.id, worker]));
  const column = (head: string, cell: (trial: Trial, self: Worker) => string): Column => ({
    head,
    cells: workers.map((trial) => cell(trial, types.get(trial.id)!)),
  });
  return table([
    column("worker", ({ id }) => String(id)),
    column("cost", (_, { cost }) => brief(cost)),
    column("price bid", ({ price }) => brief(price)),
    column("arrival", (_, { arrival }) => String(arrival)),
    column("arrival bid", ({ arrival }) => String(arrival)),
    column("truthful utility", ({ truthful }) => brief(truthful)),
    column("utility", ({ utility }) => brief(utility)),
    column("gain", ({ gain }) => brief(difference(gain, 0, market.rules.budget))),
    ...(workers.some(({ bestGain }) => bestGain !== null)
      ? [column("best possible", ({ bestGain }) => brief(bestGain ?? 0))]
      : []),
  ]);
}
