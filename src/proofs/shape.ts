/** What a proof is about: a mechanism and everything of a market that is fixed. Costs, the lie and the budget are not. */

import * as z from "zod";
import { hasTwin } from "../auction/exact.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import { invalidError } from "../lib/errors.js";
import { exactly, type Fraction, parseFraction } from "../lib/fraction.js";
import { conforming } from "../lib/schema.js";
import {
  type Delay,
  type FirstStepReading,
  noteWritten,
  paperRules,
  type Reading,
} from "../market/market.js";
import { integerBetween, ruleSchema } from "../market/parse.js";
import { resolveGame } from "../responses/game.js";
import { type ProofShape, rulesOf } from "./proof-shape.js";

export interface Shape {
  readonly mechanism: AnyMechanism;
  readonly rounds: number;
  /** One per worker. */
  readonly reputations: readonly Fraction[];
  /** Of the workers, in increasing order: 0, 1, … if left out. They decide on groups and ties. */
  readonly ids?: readonly number[];
  readonly firstRoundRatio: Fraction;
  readonly minWorkers: number;
  readonly reading: Reading;
  readonly firstStep: FirstStepReading;
  readonly delay: Delay;
  /** Everybody's true arrival; all of them if left out. */
  readonly arrivals?: readonly number[];
}

/** A shape whose mechanism is no variant, and its program: what the kernel is handed. */
export interface PlainShape extends Shape, Omit<ProofShape, "mechanism"> {
  readonly ids: readonly number[];
}

/** No proof of more workers would ever end; more rounds help nobody. */
export const MOST_PROVABLE_WORKERS = 12;
export const MOST_PROVABLE_ROUNDS = 1000;

/** A number as it reads, or a text such as "7/20". */
const fractionUpTo = (to: number) => {
  const error = `a number, or a fraction such as "7/20", from 0 to ${to}`;
  return z
    .union([z.number(), z.string().regex(/^\d+(\.\d+|\/0*[1-9]\d*)?$/, { error })], { error })
    .transform((value) => (typeof value === "number" ? exactly(value) : parseFraction(value)))
    .refine((value) => value.gte(0) && value.lte(to), { error });
};

const severalWorkers = { error: `a list of 1 to ${MOST_PROVABLE_WORKERS} reputations` };

const shapeSchema = z.strictObject(
  {
    rounds: integerBetween(1, MOST_PROVABLE_ROUNDS),
    reputations: z
      .array(fractionUpTo(1e12), severalWorkers)
      .min(1, severalWorkers)
      .max(MOST_PROVABLE_WORKERS, severalWorkers),
    // From a function: zod would copy a value of its own without a fraction's methods.
    firstRoundRatio: fractionUpTo(1).default(() => exactly(paperRules.firstRoundRatio)),
    minWorkers: ruleSchema("minWorkers").default(paperRules.minWorkers),
    reading: ruleSchema("reading").default(paperRules.reading),
    firstStep: ruleSchema("firstStep").default(paperRules.firstStep),
    delay: ruleSchema("delay").default(paperRules.delay),
    arrivals: z.array(integerBetween(1, MOST_PROVABLE_ROUNDS), { error: "a list of arrivals" }).optional(),
    ids: z.array(integerBetween(0, Number.MAX_SAFE_INTEGER), { error: "a list of ids" }).optional(),
  },
  { error: "a shape: an object with rounds and reputations" },
);

/** A shape as somebody writes it: fractions are numbers or texts such as "7/20", and the paper's rules may be left out. */
export type WrittenShape = z.input<typeof shapeSchema>;

/** A shape from any value, or an error that names the field. */
export function validateShape(value: unknown, mechanism: AnyMechanism): Shape {
  const source = "shape";
  const { arrivals, ids, ...shape } = conforming(shapeSchema, value, {
    source,
    fieldsAt: () => Object.keys(shapeSchema.shape),
  });
  demandNoContradiction(mechanism, shape, Object.keys(value as object), (name) => ({ source, path: [name] }));
  const { rounds, reputations } = shape;
  const expected = `${reputations.length} integers from 1 to ${rounds}, one per worker`;
  if (arrivals?.some((arrival) => arrival > rounds) || (arrivals && arrivals.length !== reputations.length))
    throw invalidError(source, ["arrivals"], expected, arrivals);
  const problem = ids && problemOfIds(ids, reputations.length);
  if (problem) throw invalidError(source, ["ids"], problem, ids);
  return { mechanism, ...shape, ...(arrivals && { arrivals }), ...(ids && { ids }) };
}

/** What ids must be, where these are not; null if they are. */
export function problemOfIds(ids: readonly number[], workers: number): string | null {
  const rises = ids.every((id, k) => k === 0 || id > ids[k - 1]!);
  return ids.length === workers && rises
    ? null
    : `${workers} different ids in increasing order, one per worker`;
}

/** A first step or delay that is given must be the one that the mechanism's option says. */
export function demandNoContradiction(
  mechanism: AnyMechanism,
  shape: Omit<Shape, "mechanism">,
  given: readonly string[],
  placeOf: Parameters<typeof noteWritten>[2],
): void {
  const rules = { budget: 1, ...rulesOf(shape) };
  noteWritten(rules, given, placeOf);
  resolveGame(mechanism, { rules, workers: [] });
}

/** Whether anything can be proved about a mechanism: it has a program, and pays what its program says. */
export const isProvable = hasTwin;

/** The shape under the rules that a variant puts in place of the given ones. */
export function plainShape(shape: Shape): PlainShape {
  const given = { budget: 1, ...rulesOf(shape) };
  const { mechanism, market } = resolveGame(shape.mechanism, { rules: given, workers: [] });
  if (!isProvable(mechanism)) throw new Error(`${mechanism.name} has no program`);
  const { firstRoundRatio, minWorkers, reading, firstStep, delay } = market.rules;
  const same = firstRoundRatio === given.firstRoundRatio;
  return {
    ...shape,
    mechanism,
    ids: shape.ids ?? shape.reputations.map((_, k) => k),
    minWorkers,
    reading,
    firstStep,
    delay,
    firstRoundRatio: same ? shape.firstRoundRatio : exactly(firstRoundRatio),
  };
}
