/** Markets and bids from text: schemas, and errors that name file, field and value. */

import * as z from "zod";
import { invalidError, type Path } from "../lib/errors.js";
import { parseJson } from "../lib/json.js";
import { describeOption, type Settable } from "../lib/options.js";
import { conforming } from "../lib/schema.js";
import {
  amountRange,
  type Bid,
  isAmount,
  type LeftOut,
  type Market,
  noteWritten,
  paperRules,
  type Rules,
  type Worker,
} from "./market.js";
import { type RuleName, ruleTable } from "./rules.js";

const noNegativeZero = (x: number): number => x + 0;

/** The message of each schema completes "must be …". */
const numberFrom = (least: number, error: string) =>
  z.number({ error }).min(least, { error }).overwrite(noNegativeZero);
const integerFrom = (least: number, error: string) =>
  z.int({ error }).min(least, { error }).overwrite(noNegativeZero);

export const integerBetween = (from: number, to: number) => {
  const error = `an integer from ${from} to ${to}`;
  return integerFrom(from, error).max(to, { error });
};

export const amountSchema = numberFrom(0, "a number ≥ 0").refine(isAmount, { error: amountRange });
const id = integerFrom(0, "an integer ≥ 0, at most 2^53 − 1");
const arrival = integerFrom(1, "an integer from 1 to rounds");

/** What a rule of the table must be, wherever it is written. */
export function ruleSchema<Name extends RuleName>(name: Name): z.ZodType<Rules[Name], Rules[Name]> {
  const range: Settable[string] = ruleTable[name].range;
  const error = describeOption(range);
  const schema =
    name === "budget"
      ? amountSchema
      : "among" in range
        ? z.enum(range.among, { error })
        : (range.whole ? integerFrom : numberFrom)(range.from, error).max(range.to ?? Infinity, { error });
  return schema as unknown as z.ZodType<Rules[Name], Rules[Name]>;
}

const rulesSchema = z.strictObject(
  {
    budget: ruleSchema("budget"),
    rounds: ruleSchema("rounds"),
    firstRoundRatio: ruleSchema("firstRoundRatio").default(paperRules.firstRoundRatio),
    minWorkers: ruleSchema("minWorkers").default(paperRules.minWorkers),
    reading: ruleSchema("reading").default(paperRules.reading),
    firstStep: ruleSchema("firstStep").default(paperRules.firstStep),
    delay: ruleSchema("delay").default(paperRules.delay),
  },
  { error: "an object with budget and rounds" },
);

const workerSchema = z.strictObject(
  { id, reputation: amountSchema, cost: amountSchema, arrival },
  { error: "an object with id, reputation, cost and arrival" },
);

const marketSchema = z.strictObject(
  {
    rules: rulesSchema,
    workers: z.array(workerSchema, { error: "a list of workers" }),
    id: z.union([z.string(), z.number()], { error: "a text or a number" }).optional(),
  },
  { error: "a market: an object with rules and workers" },
);

const bidSchema = z.strictObject(
  { worker: id, price: amountSchema.optional(), arrival: arrival.optional() },
  { error: "an object with worker, price and arrival" },
);

const bidsSchema = z.array(bidSchema, { error: "a list of bids" });

/** A bid as written: what is left out is the truth. */
type WrittenBid = z.infer<typeof bidSchema>;

/** One market from JSON text; the source ("m.jsonl:17") starts every message. */
export function parseMarket(text: string, source: string): Market {
  return validateMarket(parseJson(text, source), source);
}

/**
 * One market from any value: a copy with the defaults filled in, or an error in the words of the command line. What a
 * mechanism does not use may be left out.
 */
export function validateMarket(found: unknown, source = "market", leftOut: LeftOut = {}): Market {
  const value = completed(found, leftOut);
  const { rules, workers } = conforming(marketSchema, value, { source, fieldsAt });
  checkWorkers(workers, rules, source);
  const given = Object.keys((value as { readonly rules: object }).rules);
  noteWritten(rules, given, (name) => ({ source, path: ["rules", name] }));
  return { rules, workers };
}

/** With everything that may be left out: reputation 1, arrival 1, one round, and as the budget what everybody costs in all. */
function completed(given: unknown, { budget, rounds, reputation, arrival }: LeftOut): unknown {
  if (!isObject(given) || !isObject(given.rules ?? {}) || !Array.isArray(given.workers)) return given;
  const forWorker = { ...(reputation && { reputation: 1 }), ...(arrival && { arrival: 1 }) };
  const workers = given.workers.map((one: unknown) => (isObject(one) ? { ...forWorker, ...one } : one));
  const rules: Record<string, unknown> = { ...(rounds && { rounds: 1 }), ...(given.rules ?? {}) };
  if (budget && rules.budget === undefined) rules.budget = costOfAll(workers) * Number(rules.rounds) || 1;
  const isEmpty = given.rules === undefined && Object.keys(rules).length === 0;
  return { ...given, workers, ...(!isEmpty && { rules }) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Costs that are no numbers are refused later. */
const costOfAll = (workers: readonly unknown[]): number =>
  workers.reduce<number>(
    (sum, one) => sum + (isObject(one) && typeof one.cost === "number" ? one.cost : 0),
    0,
  );

/** What a market that was read calls itself, where it does. */
export const idOf = (value: unknown): string | number | undefined =>
  (value as z.infer<typeof marketSchema>).id;

function checkWorkers(workers: readonly Worker[], { rounds }: Rules, source: string): void {
  const position = new Map<number, number>();
  for (const [k, worker] of workers.entries()) {
    const first = position.get(worker.id);
    if (first !== undefined)
      throw invalidError(source, ["workers", k, "id"], `unique (workers[${first}] has it too)`, worker.id);
    position.set(worker.id, k);
    if (worker.arrival > rounds)
      throw invalidError(source, ["workers", k, "arrival"], `an integer from 1 to ${rounds}`, worker.arrival);
  }
}

/** Bids from JSON text, not yet held against a market. */
export function parseBids(text: string, source: string): readonly WrittenBid[] {
  return validateWritten(parseJson(text, source), source);
}

function validateWritten(value: unknown, source: string): readonly WrittenBid[] {
  const bids = conforming(bidsSchema, value, { source, fieldsAt });
  const position = new Map<number, number>();
  for (const [k, { worker }] of bids.entries()) {
    const first = position.get(worker);
    if (first !== undefined)
      throw invalidError(source, [k, "worker"], `unique ([${first}] is a bid of the same worker)`, worker);
    position.set(worker, k);
  }
  return bids;
}

/** Bids from any value, held against a market. */
export const validateBids = (value: unknown, market: Market, source = "bids"): Bid[] =>
  completeBids(validateWritten(value, source), market, { source, market: "market" });

interface BidSources {
  /** Where the bids come from, as in "bids.json". */
  readonly source: string;
  /** Where the market comes from. */
  readonly market: string;
}

/** Holds bids against a market: every worker exists, no arrival is before the true one; what is left out is the truth. */
export function completeBids(written: readonly WrittenBid[], market: Market, sources: BidSources): Bid[] {
  if (written.length === 0) return [];
  const workers = new Map(market.workers.map((worker) => [worker.id, worker]));
  const { rounds } = market.rules;
  return written.map((bid, k) => {
    const worker = workers.get(bid.worker);
    if (worker === undefined)
      throw invalidError(
        sources.source,
        [k, "worker"],
        `the id of a worker in ${sources.market}`,
        bid.worker,
      );
    const { price = worker.cost, arrival = worker.arrival } = bid;
    if (arrival < worker.arrival || arrival > rounds) {
      const range = `an integer from ${worker.arrival} (the true arrival of worker ${worker.id}) to ${rounds}`;
      throw invalidError(sources.source, [k, "arrival"], range, arrival);
    }
    return { worker: worker.id, price, arrival };
  });
}

/** The fields of the object at a path of a market, or of a list of bids. */
function fieldsAt([first]: Path): string[] {
  if (typeof first === "number") return Object.keys(bidSchema.shape);
  if (first === "rules") return Object.keys(rulesSchema.shape);
  return Object.keys(first === "workers" ? workerSchema.shape : marketSchema.shape);
}
