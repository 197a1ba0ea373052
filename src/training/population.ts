/** The population of the paper's Tables 1 and 2: who has which data, and what a round costs each of them in each task. */

import { z } from "zod";
import { parseJson } from "../lib/json.js";
import type { Stream } from "../lib/random.js";
import { conforming, numberFrom, wholeFrom } from "../lib/schema.js";
import { parseTable } from "../market/csv.js";
import { paperDistributions } from "../market/draw.js";
import { paperRules, type Rules, type Worker } from "../market/market.js";
import { amountSchema } from "../market/parse.js";
import type { WorkerData } from "./trainer.js";

/**
 * Accuracies 1.0, 0.7, 0.4 and 0.1 as 15 : 5 : 5 : 5. Groups go by id mod 2, and every twelve workers in a row bring the
 * same accuracies into both; every six bring the shares exactly, and 30 the paper's numbers.
 */
const accuracies = [1, 0.7, 1, 0.4, 0.1, 1, 0.7, 1, 0.4, 1, 1, 0.1];

/** The label accuracies of the population, the best first. */
export const accuracyClasses = [1, 0.7, 0.4, 0.1] as const;

/** The label accuracy that counts as good in Table 1. */
export const GOOD = 1;

/** The paper leaves out the tasks before this one. */
export const FIRST_COUNTED = 6;

/** Workers 0..count-1; the first of a larger population are those of a smaller one. */
export const paperPopulation = (count = 30, samples = 1000): WorkerData[] =>
  Array.from({ length: count }, (_, id) => ({ id, samples, accuracy: accuracies[id % accuracies.length]! }));

/** A worker of one's own: what a round costs it is the same in every task. */
export interface OwnWorker extends WorkerData {
  readonly cost: number;
}

const ownSchema = z
  .array(
    z.strictObject(
      {
        samples: wholeFrom(1, 60_000, "an integer from 1 to 60000"),
        accuracy: numberFrom(0, 1, "a number from 0 to 1"),
        cost: amountSchema,
      },
      { error: "an object with samples, accuracy and cost" },
    ),
    { error: "a list of workers" },
  )
  .min(1, { error: "a list of at least one worker" });

const ownColumns = ["samples", "accuracy", "cost"];

/** Workers of one's own, 0, 1, …: a JSON list of { samples, accuracy, cost }, or CSV with these columns. */
export function parsePopulation(text: string, source: string): OwnWorker[] {
  const check = (value: unknown) =>
    conforming(ownSchema, value, { source, fieldsAt: () => ownColumns }).map((own, id) => ({ id, ...own }));
  if (/^\s*[[{]/.test(text)) return check(parseJson(text, source));
  return parseTable(text, { columns: ownColumns, source }, check);
}

/** Arrivals are drawn as in the paper; costs are their own. */
export function ownTypes(worker: WorkerData, rules: Rules, stream: Stream): TaskType {
  const { arrival } = paperTypes(worker, rules, stream);
  return { cost: (worker as OwnWorker).cost, arrival };
}

/** Budget 80, T = 10. */
export const paperTaskRules: Rules = { ...paperRules, budget: 80, rounds: 10 };

/** A worker's type in one task. */
export type TaskType = Pick<Worker, "cost" | "arrival">;

/** Cost ~ U[acc/3 + 1/15, acc/3 + 4/15] and P(arrival = t) ∝ 1/t, drawn by task and worker: whatever the auction, all meet the same. */
export function paperTypes(
  { id, accuracy }: WorkerData,
  { rounds, budget }: Rules,
  stream: Stream,
): TaskType {
  const own = stream.fork(id);
  const { cost, arrival } = paperDistributions(rounds);
  const scope = { T: rounds, B: budget, n: 0, id, re: accuracy };
  return {
    cost: cost({ ...scope, u: own.fork("cost").next() }),
    arrival: arrival({ ...scope, u: own.fork("arrival").next() }),
  };
}
