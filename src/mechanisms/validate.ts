/** Holds a mechanism of a user's own to its word: what it is handed stays as it is, and what it returns is an outcome. */

import { z } from "zod";
import { remembersAnswers } from "../auction/ask-again.js";
import { type Asked as AskedBefore, noteAsked } from "../auction/asked.js";
import { ProgramError } from "../auction/boxed.js";
import { guardSources, whileDeciding } from "../auction/deciding.js";
import { defineMechanism, programOf } from "../auction/define-mechanism.js";
import {
  type Allotment,
  type AnyMechanism,
  claimableProperties,
  type Mechanism,
  needsStream,
  type Outcome,
  originOf,
  type StochasticMechanism,
  type TraceSink,
  withSeed,
} from "../auction/mechanism.js";
import { regimes } from "../auction/outcome.js";
import { ANSWERS_DIFFERENTLY, IF_IT_DRAWS, isBuiltIn, nameSource, ProgramFault } from "../auction/program.js";
import {
  InputError,
  isPromise,
  isWriteToFrozen,
  oneLine,
  type Path,
  plainError,
  readable,
  showValue,
  withPlace,
} from "../lib/errors.js";
import type { SomeSettings } from "../lib/options.js";
import { plainFields } from "../lib/plain-fields.js";
import { conforming } from "../lib/schema.js";
import type { Bidder, Rules } from "../market/market.js";
import { mechanisms } from "./index.js";

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

const claimSchema = z.strictObject(
  {
    property: z.enum(claimableProperties, { error: `one of ${claimableProperties.join(", ")}` }),
    regime: z.enum(regimes, { error: `one of ${regimes.join(", ")}` }).optional(),
    regimes: z.array(z.enum(regimes, { error: `one of ${regimes.join(", ")}` })).optional(),
    says: z.enum(["holds", "breaks"], { error: '"holds" or "breaks"' }).optional(),
    quote: z.string({ error: "the words of the source" }).optional(),
    where: z.string({ error: "where the source says so, a text" }),
  },
  { error: "a claim: an object with property and where" },
);

const used = z.boolean({ error: "true or false" });

const usesSchema = z
  .strictObject(
    { reputations: used, rounds: used, budget: used, groups: used, start: used },
    { error: "an object such as { budget: false }" },
  )
  .partial();

const describedSchema = z.object({
  claims: z.array(claimSchema, { error: "a list of claims" }).optional(),
  uses: usesSchema.optional(),
});

/** Throws unless what a mechanism says of its claims and of what it uses can be read. */
function validateDescription({ claims, uses }: Pick<Mechanism, "claims" | "uses">, source: string): void {
  const fieldsAt = ([part]: Path) => Object.keys(part === "uses" ? usesSchema.shape : claimSchema.shape);
  conforming(describedSchema, { claims, uses }, { source, fieldsAt });
}

/** What a mechanism was asked. */
interface Asked {
  readonly rules: Rules;
  readonly bids: readonly Pick<Bidder, "id">[];
  /** Starts every message, as in "./mine.ts: decide on m.json". */
  readonly source: string;
}

/** A copy of what a mechanism returned; throws an error in one line if it is no outcome of what it was asked. */
export function validateOutcome(value: unknown, asked: Asked): Outcome {
  const { source } = asked;
  try {
    if (isPromise(value))
      throw plainError(source, "must return an outcome, not a promise: decide cannot be async");
    const outcome = conforming(outcomeSchema, value, { source });
    for (const [path, expected, got] of contradictions(outcome, asked))
      throw new InputError({ source, path, expected, kind: "invalid", got });
    return outcome;
  } catch (thrown) {
    const error = readable(thrown);
    if (error instanceof InputError) throw saidOfWorker(error, value as Outcome);
    // A getter or a proxy of the user's failed.
    throw plainError(source, withPlace(`its outcome cannot be read: ${oneLine(error)}`, error));
  }
}

/** What is wrong with a worker's allotment is said of the worker, by its id. */
function saidOfWorker(error: InputError, outcome: Outcome): InputError {
  const { source, path } = error.problem;
  const [part, row, field] = path;
  if (part !== "workers" || typeof row !== "number" || field === undefined || field === "id") return error;
  return new InputError({
    ...error.problem,
    source: `${source}: worker ${outcome.workers[row]!.id}`,
    path: [field],
  });
}

/** Where it is wrong, what must be there, and what is. */
type Contradiction = readonly [path: Path, expected: string, got: unknown];

function* contradictions(outcome: Outcome, { rules, bids }: Asked): Generator<Contradiction> {
  const ids = bids.map(({ id }) => id).sort((a, b) => a - b);
  yield* amongIds(outcome, ids);
  for (const [row, allotment] of outcome.workers.entries())
    for (const [field, expected] of inAllotment(allotment, rules.rounds))
      yield [["workers", row, field], expected, allotment[field]];
  yield* aboutStart(outcome);
  const { thresholds, budgetEvents } = outcome;
  for (const [part, list] of Object.entries({ thresholds, budgetEvents }))
    for (const [k, { round }] of list.entries())
      if (round > rules.rounds) yield [[part, k, "round"], `an integer from 1 to ${rules.rounds}`, round];
  const known = new Set(ids);
  for (const [k, { worker }] of budgetEvents.entries())
    if (!known.has(worker)) yield [["budgetEvents", k, "worker"], "the id of a worker", worker];
}

/** Everybody once, by increasing id. */
function* amongIds({ workers }: Outcome, ids: readonly number[]): Generator<Contradiction> {
  const wrong = ids.findIndex((id, k) => workers[k]?.id !== id);
  if (wrong < 0 && workers.length === ids.length) return;
  const at = wrong >= 0 ? wrong : ids.length;
  yield [["workers", at, "id"], `${ids[at] ?? "absent"} (everybody once, by increasing id)`, workers[at]?.id];
}

function* inAllotment(
  { selectedAt, rounds, payment }: Allotment,
  last: number,
): Generator<readonly [field: keyof Allotment, expected: string]> {
  if (selectedAt === null) {
    if (rounds !== 0) yield ["rounds", "0, for it is not selected"];
    if (payment !== 0) yield ["payment", "0, for it is not selected"];
    return;
  }
  if (selectedAt < 1 || selectedAt > last) yield ["selectedAt", `an integer from 1 to ${last}, or null`];
  const most = last - selectedAt + 1;
  if (rounds < 1 || rounds > most)
    yield ["rounds", `an integer from 1 to ${most}, for it is selected in round ${selectedAt} of ${last}`];
}

function* aboutStart({ started, startDelay, workers }: Outcome): Generator<Contradiction> {
  const expected = started ? "an integer ≥ 0, for the task started" : "null, for the task never started";
  if (started !== (startDelay !== null)) yield [["startDelay"], expected, startDelay];
  const winner = workers.findIndex(({ selectedAt }) => selectedAt !== null);
  if (!started && winner >= 0)
    yield [["workers", winner, "selectedAt"], expected, workers[winner]!.selectedAt];
}

interface Validation {
  /** It is asked in a process of its own: what this one draws or reads meanwhile is not the mechanism's. */
  readonly elsewhere?: boolean;
  /** Starts every message: its file, or its name. */
  readonly source?: string;
  /** Hears of every mechanism that is made, and how it comes from the one that was given. */
  readonly onMade?: (made: AnyMechanism, from: (given: AnyMechanism) => AnyMechanism) => void;
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
  guardSources();
  // Fields are read once: what is run is then what is looked at.
  const read = plainFields(mechanism);
  const seeded = byItsText(needsStream(read) ? withSeed(read) : read);
  const { source = `mechanism ${read.name}` } = validation;
  validateDescription(read, source);
  if (seeded.program !== undefined && !isBuiltIn(seeded.program)) nameSource(seeded.program, source);
  const again = (other: AnyMechanism, step: (from: AnyMechanism) => AnyMechanism) => {
    const onMade: Validation["onMade"] = (made, from) =>
      validation.onMade?.(made, (given) => from(step(given)));
    return validatedMechanism(other, { ...validation, source, onMade });
  };
  const decide = deciding(seeded as Mechanism, { ...validation, source }, (question) =>
    noteAsked(decide, question),
  );
  const made = {
    ...seeded,
    decide,
    ...(seeded.vary && {
      vary: (settings: SomeSettings) => again(seeded.vary!(settings), (from) => from.vary!(settings)),
    }),
    ...(seeded.variantOf && {
      variantOf: {
        ...seeded.variantOf,
        mechanism: again(seeded.variantOf.mechanism, (from) => from.variantOf!.mechanism),
      },
    }),
  } as AnyMechanism;
  validated.add(made);
  remembersAnswers(made);
  validation.onMade?.(made, (given) => given);
  return made;
}

/**
 * What stands for a mechanism's decisions counts only where they were made from it: a copy with another `decide` is no
 * variant, has no program, and is searched. Decisions by a program are made anew from it.
 */
function byItsText(mechanism: AnyMechanism): AnyMechanism {
  const { program, repriced, variantOf, ...plain } = mechanism;
  const origin = originOf(mechanism.decide);
  if (variantOf !== undefined || repriced !== undefined)
    return origin.variantOf === variantOf && origin.repriced === repriced
      ? mechanism
      : (plain as AnyMechanism);
  if (program === undefined) return mechanism;
  if (programOf(mechanism.decide) !== program) return plain as AnyMechanism;
  return {
    ...mechanism,
    decide: defineMechanism({ ...(plain as Mechanism), program }).decide,
  } as AnyMechanism;
}

/** How many decisions are asked for twice from the start, and one in how many after that. */
const ALL_TWICE = 100;
const ONE_IN = 10;

/** So many answers are remembered; then the oldest are forgotten. */
const REMEMBERED = 100_000;

type Decider = (rules: Rules, bids: readonly Bidder[], trace?: TraceSink) => Outcome;

function deciding(
  mechanism: Mechanism,
  { source, marketNamed, elsewhere = false }: Validation & { source: string },
  note: (question: AskedBefore) => void,
): Decider {
  let decided = 0;
  const answers = new Map<number, number>();
  return (rules, bids, trace) => {
    const market = marketNamed?.(rules) ?? describe(rules, bids);
    const asked = { rules, bids, source: `${source}: decide on ${market}`, elsewhere };
    note({ rules, bids });
    const ask = (sink?: TraceSink) => validateOutcome(attempt(mechanism, asked, sink), asked);
    const outcome = ask(trace);
    if (decided++ < ALL_TWICE || decided % ONE_IN === 0) demandSame(outcome, ask(), asked.source);
    demandRemembered(answers, outcome, asked);
    return outcome;
  };
}

/** Whatever was asked before must be answered as it was then. */
function demandRemembered(
  answers: Map<number, number>,
  outcome: Outcome,
  { rules, bids, source }: AskedWithBids,
): void {
  const question = digest(JSON.stringify([rules, bids]));
  const answer = digest(JSON.stringify(outcome));
  const before = answers.get(question);
  if (before !== undefined && before !== answer) throw plainError(source, ANSWERS_DIFFERENTLY);
  if (before === undefined) answers.set(question, answer);
  if (answers.size > REMEMBERED) answers.delete(answers.keys().next().value!);
}

/** 52 bits of a text: two that differ have the same by accident once in 10¹⁵ times. */
function digest(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let k = 0; k < text.length; k++) {
    const code = text.charCodeAt(k);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  return (a >>> 6) * 2 ** 26 + (b >>> 6);
}

const describe = ({ budget, rounds }: Rules, bids: readonly unknown[]): string =>
  `a market of ${bids.length} workers with budget ${budget} and ${rounds} rounds`;

interface AskedWithBids extends Asked {
  readonly bids: readonly Bidder[];
  readonly elsewhere: boolean;
}

function attempt(mechanism: Mechanism, asked: AskedWithBids, trace?: TraceSink): unknown {
  const { source, elsewhere } = asked;
  const bids = Object.freeze(asked.bids.map((bid) => Object.freeze({ ...bid })));
  const rules = Object.freeze({ ...asked.rules });
  const decide = () => mechanism.decide(rules, bids, trace);
  try {
    return elsewhere ? decide() : whileDeciding(decide);
  } catch (thrown) {
    const error = readable(thrown);
    if (error instanceof ProgramFault) throw error;
    if (error instanceof ProgramError) throw plainError(source, withPlace(error.message, error));
    const what = isWriteToFrozen(error) ? "writes to what it may only read" : "failed";
    throw plainError(source, withPlace(`${what}: ${oneLine(error)}`, error));
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
    throw plainError(source, `${field}: must be the same when asked twice, got ${got} (${IF_IT_DRAWS})`);
  }
}
