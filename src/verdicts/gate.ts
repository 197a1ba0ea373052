/** The gate: what is expected of mechanisms, written down in a file, and held against what is found. */

import * as z from "zod";
import { NotLinear } from "../auction/amounts.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import { type Path, plainError } from "../lib/errors.js";
import { counted, percent } from "../lib/format.js";
import { exactly, parseFraction, toNumber } from "../lib/fraction.js";
import { conforming } from "../lib/schema.js";
import { paperRules } from "../market/market.js";
import type { AnyStart } from "../proofs/any/settle.js";
import { provedProperties } from "../proofs/program.js";
import { type ProvedClaim, prove, speaksOf, tooManyArrivals } from "../proofs/prove.js";
import { isProvable, plainShape, validateShape } from "../proofs/shape.js";
import { compareWorst } from "../proofs/worst.js";
import { isProved, settleForAny, type TextFacts } from "./any-number.js";
import { breakOf } from "./audit-mechanism.js";
import {
  type Break,
  breakText,
  type Claim,
  claimFields,
  claimText,
  measureText,
  replayOf,
  trialText,
  tryClaim,
} from "./claims.js";
import { violationText } from "./counterexamples/violations.js";

const share = { error: "a share of the budget from 0 to 1" };
const expectations = {
  error: '"holds", "proved", "breaks" or { atMost: SHARE }, where SHARE is of the budget',
};
const SHAPES = { error: 'a list of workers and rounds, such as ["2x2", "3x2"], or of "any"' };

const { tolerance: _, property, regime, start, ...sampling } = claimFields;

const claimSchema = z.strictObject(
  {
    property,
    expect: z.union(
      [
        z.enum(["holds", "proved", "breaks"]),
        z.strictObject({ atMost: z.number(share).min(0, share).max(1, share) }),
      ],
      expectations,
    ),
    regime,
    start,
    shapes: z
      .array(z.string(SHAPES).regex(/^([1-9]\d*x[1-9]\d*|any)$/, SHAPES), SHAPES)
      .min(1, SHAPES)
      .optional(),
    allowInconclusive: z.boolean({ error: "true or false" }).optional(),
    ...sampling,
  },
  { error: "a claim: an object with property and expect" },
);

/** A list without any would pass, whatever the mechanisms do. */
const CLAIMS = { error: "a list of one claim or more" };
const MECHANISMS = { error: "a list of one mechanism or more" };

const mechanismSchema = z.strictObject(
  {
    mechanism: z.string({ error: 'a mechanism by name or file, such as "online" or "./mine.ts"' }),
    claims: z.array(claimSchema, CLAIMS).min(1, CLAIMS).optional(),
  },
  { error: "an object with mechanism and claims" },
);

const configSchema = z.strictObject(
  { mechanisms: z.array(mechanismSchema, MECHANISMS).min(1, MECHANISMS), ...sampling },
  { error: "a configuration: an object with mechanisms" },
);

/** What `candor.config.ts` holds: mechanisms, what is expected of them, and how markets are drawn unless a claim says otherwise. */
export type GateConfig = z.input<typeof configSchema>;

/** A claim as it is written down. */
export type GateClaim = NonNullable<GateConfig["mechanisms"][number]["claims"]>[number];

/** For `export default defineConfig({ … })` in `candor.config.ts`: an editor then knows the fields. */
export const defineConfig = (config: GateConfig): GateConfig => config;

/** A configuration from any value, with its defaults in every claim; or an error that names the field. */
export function validateConfig(value: unknown, source: string): GateConfig {
  const fieldsAt = (path: Path) => {
    if (path.at(-1) === "expect") return ["atMost"];
    const { shape } = path.length === 0 ? configSchema : path.length === 2 ? mechanismSchema : claimSchema;
    return Object.keys(shape);
  };
  const { mechanisms, ...defaults } = conforming(configSchema, value, { source, fieldsAt });
  return {
    ...defaults,
    mechanisms: mechanisms.map(({ mechanism, claims }, k) => ({
      mechanism,
      ...(claims && {
        claims: claims.map((claim, place) => {
          demandShapes(claim, `${source}: mechanisms[${k}].claims[${place}]`);
          return { ...defaults, ...claim };
        }),
      }),
    })),
  };
}

/** What a mechanism claims itself, where a configuration names it without claims. */
export function ownClaims(
  { name, claims = [] }: AnyMechanism,
  { mechanisms, ...defaults }: GateConfig,
  source: string,
): GateClaim[] {
  if (claims.length === 0)
    throw plainError(source, `missing, must be ${CLAIMS.error}: ${name} makes no claims of its own`);
  return claims.map(({ property, regime, says = "holds" }) => ({
    ...defaults,
    property,
    ...(regime && { regime }),
    expect: says,
  }));
}

function demandShapes({ expect, shapes, property: claimed }: GateClaim, source: string): void {
  if (expect !== "proved" && shapes !== undefined)
    throw plainError(`${source}.shapes`, 'are for expect: "proved"');
  if (expect !== "proved") return;
  if (shapes === undefined) throw plainError(`${source}.shapes`, `missing, must be ${SHAPES.error}`);
  if (!provedProperties.some((name) => name === claimed))
    throw plainError(`${source}.property`, `must be among ${provedProperties.join(", ")} to be proved`);
}

/** kept: as expected. broken: not so. unbroken: expected to break, and not found to. */
type GateStatus = "kept" | "broken" | "unbroken" | "inconclusive";

/** What came of one claim. */
export interface GateResult {
  readonly mechanism: string;
  /** The same for the same claim on the same mechanism, whatever comes of it. */
  readonly key: string;
  readonly property: GateClaim["property"];
  readonly claim: string;
  readonly status: GateStatus;
  /** Whether the gate should stay shut for it. */
  readonly fails: boolean;
  /** What was found, as a sentence without its end. */
  readonly found: string;
  /** The worst break as a share of the budget; 0 where there is none, null where it has no bound. */
  readonly worst: number | null;
  /** The smallest market that breaks it, and the command that replays it. */
  readonly smallest: (Break & { readonly text: string; readonly replay: string }) | null;
  /** All of that as text. */
  readonly detail: string | null;
}

/** A mechanism, how it is written down, and as the command line knows it from where it was called. */
interface Named {
  readonly mechanism: AnyMechanism;
  readonly written: string;
  readonly named: string;
  /** What is known of the text of its program; nothing, if left out. */
  readonly text?: TextFacts;
}

/** Holds a mechanism to a claim. */
export function judgeClaim({ mechanism, written, named, text }: Named, claim: GateClaim): GateResult {
  const { property, regime = "any", start = "any", expect, shapes = [], allowInconclusive = false } = claim;
  const asked = sampledClaim(claim);
  const found = expect === "proved" ? settle(mechanism, claim, text) : sample(mechanism, asked, expect);
  const { smallest, status } = found;
  return {
    mechanism: named,
    key: [written, property, regime, start, JSON.stringify(expect), ...shapes].join(" "),
    property,
    claim: `${claimText(asked)} ${expectationText(claim)}`,
    ...found,
    fails: status !== "kept" && !(status === "inconclusive" && allowInconclusive),
    smallest: smallest && {
      ...smallest,
      text: violationText({ property, ...smallest }, smallest.market),
      replay: replayOf(smallest, named),
    },
    detail: smallest && breakText(asked, smallest, { mechanism, named }),
  };
}

function expectationText({ expect, shapes = [] }: GateClaim): string {
  if (expect === "proved") return `is proved for ${shapes.join(", ")}`;
  if (typeof expect === "string") return expect;
  return `at most ${percent(expect.atMost)} of the budget`;
}

/** The claim as it is tried on markets. */
const sampledClaim = ({ expect, shapes, allowInconclusive, ...claim }: GateClaim): Claim => ({
  ...claim,
  ...(typeof expect === "object" && { tolerance: expect.atMost }),
});

type Found = Pick<GateResult, "status" | "found" | "worst"> & { readonly smallest: Break | null };

function sample(mechanism: AnyMechanism, claim: Claim, expect: GateClaim["expect"]): Found {
  const trial = tryClaim(mechanism, claim);
  const { verdict, decided, worst, smallest } = trial;
  const toBreak = verdict === "breaks" ? "kept" : "unbroken";
  const toHold = verdict === "breaks" ? "broken" : decided ? "kept" : "inconclusive";
  const status = expect === "breaks" ? toBreak : toHold;
  const bounded = worst < Number.POSITIVE_INFINITY ? worst : null;
  return { status, found: trialText(claim, trial, measureText(mechanism)), worst: bounded, smallest };
}

/** Settles a claim for all costs, budgets and arrivals of each shape. */
function settle(mechanism: AnyMechanism, claim: GateClaim, text: TextFacts | undefined): Found {
  const { shapes = [] } = claim;
  const sizes = shapes.filter((shape) => shape !== "any");
  const breaks = sizes.flatMap((shape) =>
    provedOf(mechanism, claim, shape)
      .filter((one) => one.verdict === "breaks" && speaksOf(claim, one))
      .map((one) => ({ ...one, shape })),
  );
  if (breaks.length === 0 && sizes.length < shapes.length) return settleAny(mechanism, claim, text);
  if (breaks.length === 0)
    return { status: "kept", found: `proved for ${shapes.join(", ")}`, worst: 0, smallest: null };
  const [first] = breaks;
  const worsts = breaks.map(({ worst }) => worst).sort(compareWorst);
  const worst = worsts.at(-1) === "unbounded" ? null : toNumber(parseFraction(worsts.at(-1)!));
  const shapesText = counted(new Set(breaks.map(({ shape }) => shape)).size, "shape");
  const found = `breaks for ${shapesText}; the worst case of ${first!.shape} is ${first!.worst}${first!.worst === "unbounded" ? "" : " of the budget"}`;
  return { status: "broken", found, worst, smallest: breakOf(first!) };
}

/** Settles a claim for any number of workers and of rounds, after the sizes that were named. */
function settleAny(mechanism: AnyMechanism, claim: GateClaim, text: TextFacts = NO_TEXT): Found {
  if (!isProvable(mechanism)) throw plainError(mechanism.name, "has no program: nothing can be proved");
  const { firstRoundRatio, ...rules } = { ...paperRules, ...(claim.reading && { reading: claim.reading }) };
  const shape = {
    mechanism,
    rounds: "any",
    ...rules,
    firstRoundRatio: exactly(firstRoundRatio),
    ...text,
  } as const;
  const asked = settleForAny(shape).verdicts.filter(
    (one) =>
      one.property === claim.property &&
      (claim.regime ?? one.regime) === one.regime &&
      speaksOfStart(claim.start ?? "any", one.start),
  );
  const broken = asked.find(({ verdict }) => verdict === "breaks");
  if (broken?.broken) {
    const { worst } = broken.broken.claim;
    const found = `breaks; the worst case of ${broken.broken.shape.reputations.length}x${broken.broken.shape.rounds} is ${worst}`;
    const share = worst === "unbounded" ? null : toNumber(parseFraction(worst));
    return { status: "broken", found, worst: share, smallest: breakOf(broken.broken.claim) };
  }
  const open = asked.find((one) => !isProved(one));
  const words = "for any number of workers and rounds";
  if (open)
    return { status: "inconclusive", found: `not proved ${words}: ${open.why}`, worst: 0, smallest: null };
  const given = [...new Set(asked.flatMap((one) => one.given))];
  const found = `proved ${words}${given.length === 0 ? "" : `, given: ${given.join(" ")}`}`;
  return { status: "kept", found, worst: 0, smallest: null };
}

const NO_TEXT: TextFacts = { flaw: null, textKnown: false };

const speaksOfStart = (asked: "any" | "kept" | "moved", start: AnyStart | null): boolean =>
  asked === "any" || start === null || (asked === "kept") === (start === "kept");

function provedOf(mechanism: AnyMechanism, claim: GateClaim, shape: string): ProvedClaim[] {
  const [workers = 1, rounds = 1] = shape.split("x").map(Number);
  const source = `${mechanism.name} for ${shape}`;
  if (!isProvable(mechanism)) throw plainError(source, "has no program: nothing can be proved");
  const written = { rounds, reputations: Array.from({ length: workers }, () => 1) };
  const valid = validateShape({ ...written, ...(claim.reading && { reading: claim.reading }) }, mechanism);
  const problem = tooManyArrivals(plainShape(valid));
  if (problem !== null) throw plainError(source, problem);
  const asked = provedProperties.filter((name) => name === claim.property);
  try {
    return prove(valid, asked);
  } catch (error) {
    if (error instanceof NotLinear) throw plainError(source, `${error.message}: nothing can be proved`);
    throw error;
  }
}
