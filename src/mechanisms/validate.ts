/** Holds a mechanism of a user's own to its word: what it is handed stays as it is, and what it returns is an outcome. */

import { z } from "zod";
import { InputError, isPromise, oneLine, plainError, showValue } from "../lib/errors.js";
import type { SomeSettings } from "../lib/options.js";
import { conforming, isWriteToFrozen } from "../lib/schema.js";
import type { Bidder, Rules } from "../market/market.js";
import { textOf } from "./auction.js";
import { mechanisms } from "./index.js";
import {
  type Allotment,
  type AnyMechanism,
  type Mechanism,
  needsStream,
  type Outcome,
  type StochasticMechanism,
  type TraceSink,
  withSeed,
} from "./mechanism.js";

const round = z
  .int({ error: "an integer from 1 to rounds" })
  .min(1, { error: "an integer from 1 to rounds" });
const density = z.number({ error: "a finite number or null" }).nullable();
const kinds = ["refused", "capped", "denied"] as const;

const allotmentSchema = z.object(
  {
    id: z.number({ error: "the id of a worker" }),
    selectedAt: z.int({ error: "the first round worked, or null" }).nullable(),
    rounds: z
      .int({ error: "how many rounds are worked, an integer ≥ 0" })
      .min(0, { error: "an integer ≥ 0" }),
    payment: z.number({ error: "a finite number" }),
  },
  { error: "an object with id, selectedAt, rounds and payment" },
);

const outcomeSchema = z.object(
  {
    started: z.boolean({ error: "true or false" }),
    startDelay: z
      .int({ error: "an integer ≥ 0, or null if the task never started" })
      .min(0, { error: "an integer ≥ 0, or null if the task never started" })
      .nullable(),
    workers: z.array(allotmentSchema, { error: "a list of everybody" }),
    thresholds: z.array(
      z.object(
        { round, group0: density, group1: density },
        { error: "an object with round, group0 and group1" },
      ),
      { error: "a list of { round, group0, group1 }, and [] where no group sets a threshold" },
    ),
    budgetEvents: z.array(
      z.object(
        {
          round,
          worker: z.number({ error: "the id of a worker" }),
          kind: z.enum(kinds, { error: '"refused", "capped" or "denied"' }),
        },
        { error: "an object with round, worker and kind" },
      ),
      {
        error:
          'a list of what money alone decided, each { round, worker, kind: "refused", "capped" or "denied" }, and [] if it decided nothing',
      },
    ),
  },
  { error: "an outcome: an object with started, startDelay, workers, thresholds and budgetEvents" },
);

/** What a mechanism was asked. */
interface Asked {
  readonly rules: Rules;
  readonly bids: readonly Pick<Bidder, "id">[];
  /** Starts every message, as in "./mine.ts: decide on m.json". */
  readonly source: string;
}

/** A copy of what a mechanism returned; throws an error in one line if it is no outcome of what it was asked. */
export function validateOutcome(value: unknown, { rules, bids, source }: Asked): Outcome {
  if (isPromise(value))
    throw plainError(source, "must return an outcome, not a promise: decide cannot be async");
  const outcome = shaped(value, source);
  checkIds(outcome, bids, source);
  for (const allotment of outcome.workers) checkAllotment(allotment, rules, source);
  checkStart(outcome, source);
  checkRounds(outcome, { rules, bids, source });
  return outcome;
}

/** What is wrong with a worker's allotment is said of the worker, by its id. */
function shaped(value: unknown, source: string): Outcome {
  try {
    return conforming(outcomeSchema, value, { source });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const [part, row, field] = error.problem.path;
    if (part !== "workers" || typeof row !== "number" || field === undefined || field === "id") throw error;
    const { id } = (value as Outcome).workers[row]!;
    throw new InputError({ ...error.problem, source: `${source}: worker ${id}`, path: [field] });
  }
}

const invalid = (source: string, path: readonly (string | number)[], expected: string, got: unknown) =>
  new InputError({ source, path, expected, kind: "invalid", got });

/** Everybody once, by increasing id. */
function checkIds({ workers }: Outcome, bids: Asked["bids"], source: string): void {
  const wanted = bids.map(({ id }) => id).sort((a, b) => a - b);
  const wrong = wanted.findIndex((id, k) => workers[k]?.id !== id);
  const at = wrong >= 0 ? wrong : wanted.length;
  if (wrong < 0 && workers.length === wanted.length) return;
  const expected = at < wanted.length ? `${wanted[at]}` : "absent";
  throw invalid(
    source,
    ["workers", at, "id"],
    `${expected} (everybody once, by increasing id)`,
    workers[at]?.id,
  );
}

function checkAllotment({ id, selectedAt, rounds, payment }: Allotment, rules: Rules, source: string): void {
  const where = `${source}: worker ${id}`;
  const last = rules.rounds;
  if (selectedAt === null) {
    if (rounds !== 0) throw invalid(where, ["rounds"], "0, for it is not selected", rounds);
    if (payment !== 0) throw invalid(where, ["payment"], "0, for it is not selected", payment);
    return;
  }
  if (selectedAt < 1 || selectedAt > last)
    throw invalid(where, ["selectedAt"], `an integer from 1 to ${last}, or null`, selectedAt);
  const most = last - selectedAt + 1;
  if (rounds < 1 || rounds > most)
    throw invalid(
      where,
      ["rounds"],
      `an integer from 1 to ${most}, for it is selected in round ${selectedAt} of ${last}`,
      rounds,
    );
}

function checkStart({ started, startDelay, workers }: Outcome, source: string): void {
  if (started !== (startDelay !== null))
    throw invalid(
      source,
      ["startDelay"],
      started ? "an integer ≥ 0, for the task started" : "null, for the task never started",
      startDelay,
    );
  const winner = started ? undefined : workers.find(({ selectedAt }) => selectedAt !== null);
  if (winner)
    throw invalid(
      `${source}: worker ${winner.id}`,
      ["selectedAt"],
      "null, for the task never started",
      winner.selectedAt,
    );
}

function checkRounds({ thresholds, budgetEvents }: Outcome, { rules, bids, source }: Asked): void {
  const ids = new Set(bids.map(({ id }) => id));
  for (const [part, list] of Object.entries({ thresholds, budgetEvents }))
    for (const [k, { round }] of list.entries())
      if (round > rules.rounds)
        throw invalid(source, [part, k, "round"], `an integer from 1 to ${rules.rounds}`, round);
  const unknown = budgetEvents.findIndex(({ worker }) => !ids.has(worker));
  if (unknown >= 0)
    throw invalid(
      source,
      ["budgetEvents", unknown, "worker"],
      "the id of a worker",
      budgetEvents[unknown]!.worker,
    );
}

interface Validation {
  /** Starts every message: its file, or its name. */
  readonly source?: string;
  /** What a market is called in messages, where it has a name; it is described else. */
  readonly marketNamed?: (rules: Rules) => string | undefined;
}

const validated = new WeakSet<AnyMechanism>();

const isTrusted = (mechanism: AnyMechanism | StochasticMechanism): mechanism is AnyMechanism =>
  validated.has(mechanism as AnyMechanism) || Object.values<unknown>(mechanisms).includes(mechanism);

/**
 * The mechanism with every outcome validated, its input frozen, and asked twice now and then: whoever answers
 * differently is refused. Those of the registry are held to the same by tests, and come back as they are.
 */
export function validatedMechanism(
  mechanism: AnyMechanism | StochasticMechanism,
  validation: Validation = {},
): AnyMechanism {
  if (isTrusted(mechanism)) return mechanism;
  const seeded = needsStream(mechanism) ? withSeed(mechanism) : byItsText(mechanism);
  const { source = `mechanism ${mechanism.name}` } = validation;
  const again = (other: AnyMechanism) => validatedMechanism(other, { ...validation, source });
  const made = {
    ...seeded,
    decide: deciding(seeded as Mechanism, { ...validation, source }),
    ...(seeded.vary && { vary: (settings: SomeSettings) => again(seeded.vary!(settings)) }),
    ...(seeded.variantOf && {
      variantOf: { ...seeded.variantOf, mechanism: again(seeded.variantOf.mechanism) },
    }),
  } as AnyMechanism;
  validated.add(made);
  return made;
}

/** A text counts only with the decisions that were made from it: a copy with another `decide` is searched. */
function byItsText(mechanism: AnyMechanism): AnyMechanism {
  const { text, ...plain } = mechanism;
  if (text === undefined || mechanism.repriced || mechanism.variantOf) return mechanism;
  return textOf(mechanism.decide) === text ? mechanism : plain;
}

/** How many decisions are asked for twice from the start, and one in how many after that. */
const ALL_TWICE = 100;
const ONE_IN = 10;

function deciding(mechanism: Mechanism, { source, marketNamed }: Validation & { source: string }) {
  let decided = 0;
  return (rules: Rules, bids: readonly Bidder[], trace?: TraceSink): Outcome => {
    const market = marketNamed?.(rules) ?? describe(rules, bids);
    const asked = { rules, bids, source: `${source}: decide on ${market}` };
    const ask = (sink?: TraceSink) => validateOutcome(attempt(mechanism, asked, sink), asked);
    const outcome = ask(trace);
    if (decided++ < ALL_TWICE || decided % ONE_IN === 0) demandSame(outcome, ask(), asked.source);
    return outcome;
  };
}

const describe = ({ budget, rounds }: Rules, bids: readonly unknown[]): string =>
  `a market of ${bids.length} workers with budget ${budget} and ${rounds} rounds`;

interface Question extends Asked {
  readonly bids: readonly Bidder[];
}

function attempt(mechanism: Mechanism, { rules, bids, source }: Question, trace?: TraceSink): unknown {
  try {
    const said = Object.freeze(bids.map((bid) => Object.freeze({ ...bid })));
    return mechanism.decide(Object.freeze({ ...rules }), said, trace);
  } catch (error) {
    const what = isWriteToFrozen(error) ? "writes to the rules or bids it was given" : "failed";
    throw plainError(source, `${what}: ${oneLine(error)}`);
  }
}

function demandSame(first: Outcome, second: Outcome, source: string): void {
  for (const [row, once] of first.workers.entries())
    demandSameFields(once, second.workers[row]!, `${source}: worker ${once.id}`);
  demandSameFields(first, second, source);
}

function demandSameFields<T extends object>(once: T, again: T, source: string): void {
  for (const field of Object.keys(once) as (keyof T & string)[]) {
    if (JSON.stringify(once[field]) === JSON.stringify(again[field])) continue;
    const got = `${showValue(once[field])}, then ${showValue(again[field])}`;
    const hint = "one that draws says stochastic: true and draws from the stream it is handed";
    throw plainError(source, `${field}: must be the same when asked twice, got ${got} (${hint})`);
  }
}
