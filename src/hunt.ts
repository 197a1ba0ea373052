/** Hunts for a market that breaks a property, and shrinks what it finds. A seed fixes what is drawn and in which order. */

import { drawFrom, groundOf } from "./hunting-ground.js";
import type { Market, Reading } from "./market.js";
import { hold } from "./mechanism.js";
import { type Quarry, type Sighting, sightings } from "./quarry.js";
import { stream } from "./random.js";
import { type Regime, regimeOf, regimes } from "./regime.js";
import { shrinking } from "./shrink.js";

/** Says for sure whether a break is one: in exact arithmetic, where there is a way. */
export type Confirm = (market: Market, sighting: Sighting) => boolean;

export interface HuntOptions {
  readonly quarry: Quarry;
  readonly seed: string | number;
  /** How many markets to draw at most. */
  readonly markets: number;
  readonly readings?: readonly Reading[];
  /** The largest first-round ratio drawn; above 1/2 payments may exceed the budget. */
  readonly maxRatio?: number;
  readonly confirm?: Confirm;
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
  const found = (await party.retry()) ?? (await party.draw());
  const smallest = found && (await party.shrink(found, 0));
  const strong =
    found && found.sighting.amount > 0 ? await party.shrink(found, KEPT * found.sighting.amount) : null;
  return { found, smallest, strong, ...party.summary(found) };
}

/** Who is on the hunt, and what they have seen so far. */
class Party {
  private readonly seen = tally();
  private known = 0;
  private markets = 0;
  private evaluations = 0;
  private unconfirmed = 0;
  private stopped = false;
  private phase: HuntProgress["phase"] = "known";

  constructor(private readonly options: HuntOptions) {}

  /** The strongest of the known markets that still break the property. */
  async retry(): Promise<HuntReport["found"]> {
    const caught: Catch[] = [];
    for (const market of this.options.known ?? []) {
      this.known++;
      const sighting = this.look(market);
      if (sighting) caught.push({ market, sighting });
      if (!(await this.goesOn())) break;
    }
    if (caught.length === 0) return null;
    const strongest = caught.reduce((a, b) => (b.sighting.amount > a.sighting.amount ? b : a));
    return { ...strongest, origin: "known" };
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
        const sighting = this.look(market);
        if (sighting) return { market, sighting, origin: "drawn" };
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
    return { market: smallest, sighting: this.look(smallest, { who, amount })!, minimal };
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

  /** The largest confirmed break of at least this amount. */
  private look(market: Market, { who = null, amount = 0 }: Look = {}): Sighting | null {
    const { quarry, maxRatio = 0.5, confirm } = this.options;
    if (market.rules.firstRoundRatio > maxRatio) return null;
    const large = sightings(market, quarry, who).filter((sighting) => sighting.amount >= amount);
    const confirmed = large.find((sighting) => !confirm || confirm(market, sighting));
    if (large.length > 0 && !confirmed) this.unconfirmed++;
    return confirmed ?? null;
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
