/** Who is on the hunt: tries, draws and shrinks markets, and counts what it sees. */

import { stream } from "../../lib/random.js";
import { drawFrom, type Ground, groundBelow, groundOf, within } from "../../market/generators.js";
import type { Market, Reading } from "../../market/market.js";
import { type AnyMechanism, hold } from "../../mechanisms/mechanism.js";
import { type Regime, regimeOf, regimes } from "../../mechanisms/regime.js";
import { shrinking } from "./shrink.js";
import { type Quarry, type Sighting, sightings } from "./violations.js";

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

/** How much it is of the budget: a market and its double are the same, and so is what breaks in them. */
export const shareOf = ({ market, sighting }: Pick<Catch, "market" | "sighting">): number =>
  sighting.amount / market.rules.budget;

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

/** How many markets with fewer workers or rounds are drawn before a market counts as the smallest. */
const BELOW = 4000;

/** Who is on the hunt, and what they have seen so far. */
export class Party {
  private readonly seen = tally();
  private known = 0;
  private markets = 0;
  private evaluations = 0;
  private unconfirmed = 0;
  stopped = false;
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

  /** The first market drawn that breaks the property. */
  async draw(): Promise<Catch | null> {
    this.phase = "drawing";
    const { markets, seed } = this.options;
    for (const market of drawFrom(groundOf(this.ground), markets, stream(seed))) {
      if (!(await this.goesOn())) return null;
      this.count(market);
      const find = await this.lookSharply(market);
      if (find) return find;
    }
    return null;
  }

  /** Shrinks as far as steps lead, then looks for one with fewer workers or rounds, and shrinks that. */
  async smallest(start: Catch): Promise<ShrunkCatch> {
    let smallest = await this.shrink(start, 0);
    while (!this.stopped) {
      const smaller = await this.drawBelow(smallest.market);
      if (!smaller) break;
      smallest = await this.shrink(smaller, 0);
    }
    return smallest;
  }

  private async drawBelow(smallest: Market): Promise<Catch | null> {
    const ground = groundBelow(this.ground, smallest);
    if (!ground) return null;
    const draws = stream(this.options.seed).fork("below").fork(JSON.stringify(smallest));
    for (const market of drawFrom(ground, Math.min(BELOW, this.options.markets), draws)) {
      this.evaluations++;
      if (!(await this.goesOn())) return null;
      const find = this.look(market);
      if (find) return find;
    }
    return null;
  }

  private get ground(): Ground {
    const { readings = ["prose", "pseudocode"], maxRatio = 0.5 } = this.options;
    return { readings, maxRatio };
  }

  /** Liars keep who they are while the market around them shrinks; the break stays at least this share of the budget. */
  async shrink({ market, sighting }: Catch, share: number): Promise<ShrunkCatch> {
    this.phase = "shrinking";
    const worker = sighting.lie === null ? null : sighting.worker;
    const keeps = (smaller: Market, who: number | null) => this.look(smaller, { who, share }) !== null;
    const path = shrinking(market, keeps, { worker });
    let step = path.next();
    for (; !step.done; step = path.next()) {
      this.evaluations++;
      if (!(await this.goesOn())) break;
    }
    const { market: smallest, worker: who, minimal } = step.value;
    return { ...this.look(smallest, { who, share })!, minimal };
  }

  get searched(): Searched {
    const { known, markets, unconfirmed, evaluations } = this;
    return { known, markets, byRegime: this.seen, unconfirmed, evaluations };
  }

  /** Looks, and again with exact arithmetic at hand if there is something to see. */
  private async lookSharply(market: Market): Promise<Catch | null> {
    const find = this.look(market);
    if (!find || this.confirm || !this.options.confirm) return find;
    this.confirm = await this.options.confirm();
    return this.look(market);
  }

  /** The largest confirmed break of at least this share of the budget. */
  private look(market: Market, { who = null, share = 0 }: Look = {}): Catch | null {
    const { quarry } = this.options;
    if (!within(this.ground, market)) return null;
    const large = sightings(market, quarry, who).filter((sighting) => shareOf({ market, sighting }) >= share);
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
  readonly share?: number;
}

const tally = () =>
  Object.fromEntries(regimes.map((regime) => [regime, { markets: 0, workers: 0 }])) as Record<
    Regime,
    { markets: number; workers: number }
  >;
