/** A study in a user's own file, whose markets can be counted, slowed down and made to fail. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./candor.js";

export interface StudyOptions {
  readonly markets?: number;
  /** Run before market k is looked at. */
  readonly before?: string;
  /** Run before anything is computed. */
  readonly first?: string;
  /** Run after everything is computed. */
  readonly last?: string;
  /** How many characters each market adds to the data. */
  readonly padding?: number;
}

/** A statement that blocks its thread as long as a file is there, without taking a core from others. */
export const blockedBy = (path: string): string =>
  `while (existsSync(${JSON.stringify(path)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);`;

/** Five markets to a chunk. */
export const PER_CHUNK = 5;

export interface StudyFile {
  readonly folder: string;
  readonly path: string;
  /** Markets that were looked at so far, in the order in which that ended. */
  looked(): number[];
}

export function studyFile(options: StudyOptions = {}): StudyFile {
  const folder = temporaryFolder();
  const path = join(folder, "mine.ts");
  const log = join(folder, "looked");
  writeFileSync(path, textOf({ markets: 40, before: "", first: "", last: "", padding: 0, ...options }, log));
  const looked = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").map(Number) : []);
  return { folder, path, looked };
}

const textOf = ({ markets, before, first, last, padding }: Required<StudyOptions>, log: string) => `
import { appendFileSync, existsSync } from "node:fs";
import { type Analysis, bestResponses, drawMarket, type Job, paperRules } from "candor";
import { isMainThread } from "node:worker_threads";

type Sum = { gain: number; gainers: number[]; text: string };

const gains: Job<{ budget: number }, Sum> = {
  look({ budget }, k, { stream, mechanism }) {
    ${before}
    const rules = { ...paperRules, budget, rounds: 5 };
    const { workers } = bestResponses(drawMarket({ rules, workers: 6 }, stream.fork(budget).fork(k)), { mechanism });
    appendFileSync(${JSON.stringify(log)}, k + "\\n");
    const gained = workers.map(({ gain }) => gain);
    return {
      gain: gained.reduce((sum, gain) => sum + gain, 0),
      gainers: [gained.filter((gain) => gain > 0).length],
      text: String(k).padEnd(${padding}, "."),
    };
  },
  merge: (a, b) => ({ gain: a.gain + b.gain, gainers: [...a.gainers, ...b.gainers], text: a.text + b.text }),
  cost: () => 100,
};

export default {
  name: "mine",
  question: "How much is gained?",
  settings: () => ({}),
  plan: () => {
    ${first}
    return [{ cell: { budget: 6 }, markets: ${markets} }];
  },
  job: gains,
  conclude: (gathered) => {
    ${last}
    return gathered.map(({ summary }) => summary!);
  },
  tables: (sums) => {
    const rows = sums.map(({ gain, gainers, text }) => ({ gain, gainers: gainers.join(" "), text }));
    const columns = [
      { name: "gain", label: "Gain", kind: "amount" },
      { name: "gainers", label: "Gainers", kind: "text" },
      { name: "text", label: "Text", kind: "text" },
    ] as const;
    return [{ name: "gains", title: "Gains", columns, rows }];
  },
  charts: () => [],
  findings: () => [{ text: "Some gain.", weight: 1 }],
  methods: () => [],
} satisfies Analysis<{}, { budget: number }, Sum, Sum[]>;
`;
