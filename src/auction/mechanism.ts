/** The interface of an auction: from public rules and bids to an outcome. A mechanism sees no costs, by type. */

import { defaultsOf, type Options, type Settings, type SomeSettings } from "../lib/options.js";
import { type Stream, stream } from "../lib/random.js";
import { type Bid, type Bidder, bidders, type LeftOut, type Market, type Rules } from "../market/market.js";
import type { Auction } from "./auction.js";
import type { Outcome, Regime } from "./outcome.js";
import type { PriceFunction } from "./price-pieces.js";
import { isInformed } from "./program.js";
import type { TraceSink } from "./trace-events.js";

export type { Allotment, BudgetEvent, Outcome, Threshold } from "./outcome.js";
export type { TraceSink } from "./trace-events.js";

/** The properties that a source can claim of a mechanism, and that can be looked at here. */
export const claimableProperties = ["P1", "P2", "P4", "P5", "P6", "joint"] as const;

export type ClaimableProperty = (typeof claimableProperties)[number];

/** What a source says of a mechanism: its claim, not a finding. */
export interface MechanismClaim {
  readonly property: ClaimableProperty;
  /** Of workers of one regime; of all if left out. */
  readonly regime?: Regime;
  /** Outside of these regimes the source claims nothing; of a property whose claim is looked at in every regime. */
  readonly regimes?: readonly Regime[];
  /** Whether the source says that it holds, or that it does not; that it holds if left out. */
  readonly says?: "holds" | "breaks";
  /** The words of the source. */
  readonly quote?: string;
  /** Where it stands, and what of that was read here. */
  readonly where: string;
}

/** What a mechanism uses of a market. What it does not is left out of tables and texts about it. */
export interface Uses {
  readonly reputations: boolean;
  /** More rounds than one. */
  readonly rounds: boolean;
  readonly budget: boolean;
  /** Whether workers are judged in two groups. */
  readonly groups: boolean;
  /** Whether the start may wait, or a share of the budget is kept for it. */
  readonly start: boolean;
}

/** What a market for a mechanism may leave out: what it does not use. */
export const mayLeaveOut = ({ uses = {}, offline = false }: AnyMechanism): LeftOut => ({
  budget: uses.budget === false,
  reputation: uses.reputations === false,
  rounds: offline || uses.rounds === false,
  arrival: offline || uses.rounds === false,
});

/** What is known of a mechanism besides how it decides. Only name and about are required. */
interface Described {
  readonly name: string;
  /** One sentence for lists. */
  readonly about: string;
  /** How it decides and pays, in about three lines. */
  readonly rule?: readonly string[];
  /** What its authors, or those who repaired it, say of truthfulness and the budget. */
  readonly promise?: string;
  /** Where it comes from. */
  readonly source?: string;
  /** When it was published. */
  readonly year?: number;
  /** What of the source was left out or changed to fit the model here. */
  readonly adapted?: string;
  /** What it uses; all of it where nothing is said. */
  readonly uses?: Partial<Uses>;
  /** What its source claims. */
  readonly claims?: readonly MechanismClaim[];
  /** Whether it sees everybody at round 1, whatever the arrival; else it may use only what has arrived. */
  readonly offline?: boolean;
  /** Where alone it is compared with others: where what truthful mechanisms give is, or where claims are; everywhere if left out. */
  readonly comparison?: "frontier" | "published";
  /** Under which rules payments never exceed the budget; under all if left out. */
  readonly keepsBudget?: (rules: Rules) => boolean;
  /** The argument that no lie about price or arrival ever gains, where there is one: the truth is then an exact best response. */
  readonly truthful?: string;
  /** Its decisions step by step, in any arithmetic: then best responses are exact, and so is its rational twin. */
  readonly program?: (auction: Auction) => void;
  /** Pays otherwise than its program does: what a worker gets over its price, from what it would get by the program. */
  readonly repriced?: (byText: PriceFunction, worker: number) => PriceFunction;
  /** Whether it draws: its option `seed` then fixes what, and what a bid brings is an expectation over seeds. */
  readonly stochastic?: boolean;
  /** What `name:option=value` may set. */
  readonly options?: Options;
  /** Of a variant: the mechanism it varies, and the rules it puts in place of the market's. */
  readonly variantOf?: { readonly mechanism: AnyMechanism; readonly rules: Partial<Rules> };
}

/** An auction decides from bids and reputations alone. With a sink, it records every decision and the numbers behind it. */
export interface Mechanism extends Described {
  decide(rules: Rules, bids: readonly Bidder[], trace?: TraceSink): Outcome;
  /** The same mechanism with some options set, the others as they are. */
  vary?(settings: SomeSettings): Mechanism;
}

/** A worker as only a yardstick sees it. */
export interface InformedBidder extends Bidder {
  readonly cost: number;
}

/** A yardstick that is shown the true costs: no mechanism could be. */
export interface InformedMechanism extends Described {
  readonly sees: "costs";
  decide(rules: Rules, bids: readonly InformedBidder[], trace?: TraceSink): Outcome;
  vary?(settings: SomeSettings): InformedMechanism;
}

export type AnyMechanism = Mechanism | InformedMechanism;

/** An auction that draws, as it is written: it is handed a stream, and draws from nothing else. */
export interface StochasticMechanism extends Described {
  readonly stochastic: true;
  decide(rules: Rules, bids: readonly Bidder[], trace: TraceSink | undefined, random: Stream): Outcome;
  vary?(settings: SomeSettings): StochasticMechanism;
}

const seedOption = { default: 0, from: 0, whole: true } as const;

/** Whether a mechanism still has to be handed its stream. */
export const needsStream = (
  mechanism: AnyMechanism | StochasticMechanism,
): mechanism is StochasticMechanism =>
  mechanism.stochastic === true && mechanism.options?.seed !== seedOption;

/** A mechanism that draws, with an option `seed` that fixes all its draws: the same seed gives the same outcome. */
export function withSeed(mechanism: StochasticMechanism, seed: number = seedOption.default): Mechanism {
  const draws = stream("mechanism").fork(mechanism.name).fork(seed);
  return {
    ...mechanism,
    options: { ...mechanism.options, seed: seedOption },
    // A fresh fork each time: what was decided before shifts no draw.
    decide: (rules, bids, trace) => mechanism.decide(rules, bids, trace, draws.fork("auction")),
    vary: ({ seed: chosen = seed, ...settings }) =>
      withSeed(mechanism.vary?.(settings) ?? mechanism, Number(chosen)),
  };
}

/** A mechanism with options: made once with the defaults, and anew for every variant. */
export function withOptions<const O extends Options>(
  options: O,
  make: (settings: Settings<O>) => Mechanism,
): Mechanism {
  const made = (settings: Settings<O>): Mechanism => ({
    ...make(settings),
    options,
    vary: (changes) => made({ ...settings, ...changes }),
  });
  return made(defaultsOf(options));
}

/** What stands for a mechanism's decisions besides its program. */
type Origin = Pick<Described, "repriced" | "variantOf">;

const origins = new WeakMap<object, Origin>();

/** Notes what decisions were made from; a field that a user writes says nothing. */
export function madeFrom<Decisions extends object>(decide: Decisions, origin: Origin): Decisions {
  origins.set(decide, origin);
  return decide;
}

export const originOf = (decide: object): Origin => origins.get(decide) ?? {};

/** A mechanism that decides under other rules than it is given, or whose decisions are passed through a function. */
export function adapt(
  mechanism: AnyMechanism,
  rulesFor: (rules: Rules) => Rules,
  pass: (decide: () => Outcome) => Outcome = (decide) => decide(),
): AnyMechanism {
  // What a yardstick is shown is passed on as it is.
  const adapted = mechanism as Mechanism;
  const decide: Mechanism["decide"] = (rules, bids, trace) =>
    pass(() => adapted.decide(rulesFor(rules), bids, trace));
  return { ...mechanism, decide } as AnyMechanism;
}

/** Holds the auction: workers become bidders (their costs stay behind) and the mechanism decides. */
export function runAuction(
  mechanism: AnyMechanism,
  { rules, workers }: Market,
  bids: readonly Bid[] = [],
  trace?: TraceSink,
): Outcome {
  const said = bidders(workers, bids);
  if (!isInformed(mechanism)) return (mechanism as Mechanism).decide(rules, said, trace);
  const informed = said.map((bidder, k) => ({ ...bidder, cost: workers[k]!.cost }));
  return mechanism.decide(rules, informed, trace);
}
