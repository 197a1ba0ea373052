/** Hunts for a market that breaks a property, and shrinks what it finds. A seed fixes what is drawn and in which order. */

import { drawFrom, groundOf } from "./hunting-ground.js";
import type { Market, Reading } from "./market.js";
import { type AnyMechanism, hold } from "./mechanism.js";
import { type Quarry, type Sighting, sightings } from "./quarry.js";
import { stream } from "./random.js";
import { type Regime, regimeOf, regimes } from "./regime.js";
import { shrinking } from "./shrink.js";
import { compareSize } from "./shrink-order.js";

/** Says for sure whether a break is one, in exact arithmetic; null where there is no way to tell. */
export type Confirm = (mechanism: AnyMechanism, market: Market, sighting: Sighting) => boolean | null;

export interface HuntOptions {
  readonly quarry: Quarry;
  readonly seed: string | number;
  /** How many markets to draw at most. */
  readonly markets: number;
  readonly readings?: readonly Reading[];
  /** The largest first-round ratio drawn; above 1/2 payments may exceed the budget. */
  readonly maxRatio?: number;
  /** Loaded when there is something to confirm. */
  readonly confirm?: () => Promise<Confirm>;
  /** Markets that broke this property before: tried first. */
  readonly known?: readonly Market[];
  /** Asked again and again: a hunt ends, with what it has found, when the answer is no. */
  readonly goesOn?: (progress: HuntProgress) => boolean | Promise<boolean>;
}

export interface HuntProgress {
  readonly phase: "known" | "drawing" | "shrinking";
  readonly markets: number;
  readonly evaluations: number;
}

/** A market that breaks the property, and how. */
export interface Catch {
  readonly market: Market;
  readonly sighting: Sighting;
  /** Confirmed in exact arithmetic; false where there is none to ask. */
  readonly certified: boolean;
}

/** A catch no step of the shrinker makes smaller, unless it was stopped. */
export interface ShrunkCatch extends Catch {
  readonly minimal: boolean;
}

export interface Searched {
  /** Known ones that were tried first. */
  readonly known: number;
  /** Drawn at random. */
  readonly markets: number;
  /** Of the drawn: markets with a worker of the regime, and how many workers were of it. */
  readonly byRegime: Readonly<Record<Regime, { readonly markets: number; readonly workers: number }>>;
  /** Breaks that exact arithmetic does not know of: rounding at a knife edge. */
  readonly unconfirmed: number;
  /** Markets tried in shrinking. */
  readonly evaluations: number;
}

export interface HuntReport {
  /** As found. */
  readonly found: (Catch & { readonly origin: "known" | "drawn" }) | null;
  readonly smallest: ShrunkCatch | null;
  /** The smallest with at least `KEPT` of the amount found; null where there is no amount (P4). */
  readonly strong: ShrunkCatch | null;
  readonly searched: Searched;
  /** Nothing found: at most this share of such markets breaks the property, with 95 % confidence. Null if found, or if none was seen. */
  readonly shareBound: number | null;
  /** Whether it was stopped before it had drawn all it was to draw, or shrunk all it could. */
  readonly stopped: boolean;
}

/** What a strong witness keeps of the amount found. */
export const KEPT = 0.8;

const CHUNK = 25;

/** Tries known markets, then draws; ends at the first break, and shrinks it twice. */
export async function hunt(options: HuntOptions): Promise<HuntReport> {
  const party = new Party(options);
  const known = await party.retry();
  const found = strongestOf(known) ?? (await party.draw());
  const smallest = found && (await party.shrink(smallestOf(known) ?? found, 0));
  const strong =
    found && found.sighting.amount > 0 ? await party.shrink(found, KEPT * found.sighting.amount) : null;
  return { found, smallest, strong, ...party.summary(found) };
}

function strongestOf(known: readonly Catch[]): HuntReport["found"] {
  const [strongest] = [...known].sort((a, b) => b.sighting.amount - a.sighting.amount);
  return strongest ? { ...strongest, origin: "known" } : null;
}

const smallestOf = (known: readonly Catch[]): Catch | undefined =>
  [...known].sort((a, b) => compareSize(a.market, b.market))[0];

/** Who is on the hunt, and what they have seen so far. */
class Party {
  private readonly seen = tally();
  private known = 0;
  private markets = 0;
  private evaluations = 0;
  private unconfirmed = 0;
  private stopped = false;
  private phase: HuntProgress["phase"] = "known";
  private confirm: Confirm | undefined;

  constructor(private readonly options: HuntOptions) {}

  /** The known markets that still break the property. */
  async retry(): Promise<Catch[]> {
    const caught: Catch[] = [];
    for (const market of this.options.known ?? []) {
      if (!(await this.goesOn())) break;
      this.known++;
      const find = await this.lookSharply(market);
      if (find) caught.push(find);
    }
    return caught;
  }

  async draw(): Promise<HuntReport["found"]> {
    this.phase = "drawing";
    const { markets, readings = ["prose", "pseudocode"], maxRatio = 0.5, seed } = this.options;
    const ground = groundOf({ readings, maxRatio });
    for (let chunk = 0; this.markets < markets; chunk++) {
      const count = Math.min(CHUNK, markets - this.markets);
      for (const market of drawFrom(ground, count, stream(seed).fork(chunk))) {
        if (!(await this.goesOn())) return null;
        this.count(market);
        const find = await this.lookSharply(market);
        if (find) return { ...find, origin: "drawn" };
      }
    }
    return null;
  }

  /** Liars keep who they are while the market around them shrinks. */
  async shrink({ market, sighting }: Catch, amount: number): Promise<ShrunkCatch | null> {
    this.phase = "shrinking";
    const worker = sighting.lie === null ? null : sighting.worker;
    const keeps = (smaller: Market, who: number | null) => this.look(smaller, { who, amount }) !== null;
    const path = shrinking(market, keeps, { worker });
    let step = path.next();
    for (; !step.done; step = path.next()) {
      this.evaluations++;
      if (!(await this.goesOn())) break;
    }
    const { market: smallest, worker: who, minimal } = step.value;
    return { ...this.look(smallest, { who, amount })!, minimal };
  }

  summary(found: Catch | null): Pick<HuntReport, "searched" | "shareBound" | "stopped"> {
    const { known, markets, unconfirmed, evaluations, stopped } = this;
    const trials = this.seen[this.options.quarry.regime].markets;
    return {
      searched: { known, markets, byRegime: this.seen, unconfirmed, evaluations },
      shareBound: found || trials === 0 ? null : Math.min(1, 3 / trials),
      stopped,
    };
  }

  /** Looks, and again with exact arithmetic at hand if there is something to see. */
  private async lookSharply(market: Market): Promise<Catch | null> {
    const find = this.look(market);
    if (!find || this.confirm || !this.options.confirm) return find;
    this.confirm = await this.options.confirm();
    return this.look(market);
  }

  /** The largest confirmed break of at least this amount. */
  private look(market: Market, { who = null, amount = 0 }: Look = {}): Catch | null {
    const { quarry, maxRatio = 0.5 } = this.options;
    if (market.rules.firstRoundRatio > maxRatio) return null;
    const large = sightings(market, quarry, who).filter((sighting) => sighting.amount >= amount);
    for (const sighting of large) {
      const answer = this.confirm?.(quarry.mechanism, market, sighting) ?? null;
      if (answer !== false) return { market, sighting, certified: answer === true };
    }
    if (large.length > 0) this.unconfirmed++;
    return null;
  }

  private count(market: Market): void {
    this.markets++;
    const outcome = hold(this.options.quarry.mechanism, market);
    const present = market.workers.map(({ id }) => regimeOf(outcome, id));
    for (const regime of present) this.seen[regime].workers++;
    for (const regime of new Set(present)) this.seen[regime].markets++;
  }

  private async goesOn(): Promise<boolean> {
    const { phase, markets, evaluations } = this;
    const answer = this.options.goesOn?.({ phase, markets, evaluations }) ?? true;
    const on = typeof answer === "boolean" ? answer : await answer;
    if (!on) this.stopped = true;
    return on;
  }
}

interface Look {
  readonly who?: number | null;
  readonly amount?: number;
}

const tally = () =>
  Object.fromEntries(regimes.map((regime) => [regime, { markets: 0, workers: 0 }])) as Record<
    Regime,
    { markets: number; workers: number }
  >;
