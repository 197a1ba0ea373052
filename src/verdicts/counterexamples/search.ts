/** Searches for a market that violates a property, and shrinks what it finds. A seed fixes what is drawn and in which order. */

import { runAuction } from "../../auction/mechanism.js";
import { type Regime, regimesIn } from "../../auction/outcome.js";
import { type Stream, stream } from "../../lib/random.js";
import { ruleOfThree } from "../../lib/statistics.js";
import { drawFrom, isWithin, type MarketRange, marketsIn, marketsOfSize } from "../../market/generators.js";
import type { Market, Reading } from "../../market/market.js";
import { compareSize, shrinking } from "./shrink.js";
import { type Confirm, isDecided, type Target, unrefuted, type Violation, violations } from "./violations.js";

export interface HuntOptions {
  readonly target: Target;
  readonly seed: string | number;
  /** How many markets to draw at most. */
  readonly markets: number;
  readonly readings?: readonly Reading[];
  /** The largest first-round ratio drawn; above 1/2 payments may exceed the budget. */
  readonly maxRatio?: number;
  /** Markets of at most so many workers and rounds only. */
  readonly mostWorkers?: number;
  /** In exact fractions if left out. */
  readonly confirm?: Confirm;
  /** Markets that broke this property before: tried first. */
  readonly known?: readonly Market[];
  /** Asked again and again: a search ends, with what it has found, when the answer is no. */
  readonly goesOn?: (progress: HuntProgress) => boolean | Promise<boolean>;
}

export interface HuntProgress {
  readonly phase: "known" | "drawing" | "shrinking";
  readonly markets: number;
  readonly evaluations: number;
}

/** A market that breaks the property, and how. */
export interface Counterexample {
  readonly market: Market;
  readonly violation: Violation;
  /** Confirmed in exact arithmetic; false where the mechanism has none. */
  readonly certified: boolean;
}

/** How much it is of the budget: a market and its double are the same, and so is what breaks in them. */
export const budgetShare = ({ market, violation }: Pick<Counterexample, "market" | "violation">): number =>
  violation.amount / market.rules.budget;

/** One that no step of the shrinker makes smaller, unless it was stopped. */
export interface ShrunkCounterexample extends Counterexample {
  readonly minimal: boolean;
}

export interface Searched {
  /** Known ones that were tried first. */
  readonly known: number;
  /** Drawn at random. */
  readonly markets: number;
  /** Of the drawn: markets with a worker of the regime, and how many workers were of it. */
  readonly byRegime: Readonly<Record<Regime, { readonly markets: number; readonly workers: number }>>;
  /** Violations that exact arithmetic does not confirm: rounding at a knife edge. */
  readonly unconfirmed: number;
  /** Markets tried in shrinking. */
  readonly evaluations: number;
  /** Markets with fewer workers, or as many workers and fewer rounds, drawn since the smallest was found: none violates. */
  readonly smaller: number;
}

export interface HuntReport {
  /** As found. */
  readonly found: (Counterexample & { readonly origin: "known" | "drawn" }) | null;
  /** The smallest found. Among `searched.smaller` markets with fewer workers or rounds there was none. */
  readonly smallest: ShrunkCounterexample | null;
  /** The smallest found with at least `KEPT` of what was found, as a share of the budget; null where there is no amount (P4). */
  readonly strong: ShrunkCounterexample | null;
  readonly searched: Searched;
  /** Nothing found: at most this share of such markets breaks the property, with 95 % confidence. Null if found, if none was seen, or where a search can miss in every market. */
  readonly shareBound: number | null;
  /** Whether it was stopped before it had drawn all it was to draw, or shrunk all it could. */
  readonly stopped: boolean;
}

/** What a strong witness keeps of what was found, as a share of the budget. */
export const KEPT = 0.8;

/** Tries known markets, then draws; ends at the first violation, and shrinks it twice. */
export async function hunt(options: HuntOptions): Promise<HuntReport> {
  const search = new Search(options);
  const known = await search.tryKnown();
  const drawn = known.length === 0 ? await search.draw() : null;
  const found = strongestOf(known) ?? drawn;
  const origin = drawn ? ("drawn" as const) : ("known" as const);
  const share = found ? KEPT * budgetShare(found) : 0;
  const shrunk = share > 0 ? await search.shrink(found!, share) : null;
  const start = smallestOf([...known, ...[found, shrunk].filter((item) => item !== null)]);
  const smallest = start ? await search.smallest(start) : null;
  const strong = shrunk && smallest && budgetShare(smallest) >= share ? smallest : shrunk;
  const { searched, stopped } = search;
  const trials = searched.byRegime[options.target.regime].markets;
  const bounded = !found && trials > 0 && isDecided(options.target);
  const shareBound = bounded ? ruleOfThree(trials) : null;
  return { found: found && { ...found, origin }, smallest, strong, searched, shareBound, stopped };
}

const strongestOf = (known: readonly Counterexample[]): Counterexample | null =>
  [...known].sort((a, b) => budgetShare(b) - budgetShare(a))[0] ?? null;

const smallestOf = (known: readonly Counterexample[]): Counterexample | undefined =>
  [...known].sort((a, b) => compareSize(a.market, b.market))[0];

/** How many markets are drawn of every size below that of the smallest found. */
const PER_SMALLER_SIZE = 10_000;
/** Markets with fewer workers may have more rounds, up to this many. */
const ROUNDS_OF_SMALLER = 4;

/** Markets of sizes below that of a given one, so many of each, the smallest first. */
function* smallerMarkets(
  { rules, workers }: Market,
  range: MarketRange,
  { count, draws }: { readonly count: number; readonly draws: Stream },
): Generator<Market> {
  const mostRounds = Math.max(rules.rounds, ROUNDS_OF_SMALLER);
  const sizes = workers.slice(1).map((_, k) => ({ workers: k + 1, mostRounds }));
  if (rules.rounds > 1) sizes.push({ workers: workers.length, mostRounds: rules.rounds - 1 });
  for (const [k, size] of sizes.entries())
    yield* drawFrom(marketsOfSize(range, size, rules), count, draws.fork(k));
}

/** One search, and what it has seen so far. */
class Search {
  readonly searched = { known: 0, markets: 0, byRegime: tally(), unconfirmed: 0, evaluations: 0, smaller: 0 };
  stopped = false;
  private phase: HuntProgress["phase"] = "known";

  constructor(private readonly options: HuntOptions) {}

  /** The known markets that still break the property. */
  async tryKnown(): Promise<Counterexample[]> {
    const violating: Counterexample[] = [];
    const known = this.breaking(this.options.known ?? [], () => this.searched.known++);
    for await (const found of known) violating.push(found);
    return violating;
  }

  /** The first market drawn that breaks the property. */
  async draw(): Promise<Counterexample | null> {
    this.phase = "drawing";
    const { markets, seed } = this.options;
    const drawn = drawFrom(marketsIn(this.range), markets, stream(seed));
    return (await this.breaking(drawn, (market) => this.count(market)).next()).value ?? null;
  }

  /** Those of some markets that break the property, looked at one by one as they are asked for. */
  private async *breaking(
    markets: Iterable<Market>,
    count: (market: Market) => void,
  ): AsyncGenerator<Counterexample, undefined> {
    for (const market of markets) {
      if (!(await this.goesOn())) return;
      count(market);
      const found = this.largest(market);
      if (found) yield found;
    }
  }

  /** Shrinks as far as steps lead, then draws markets with fewer workers or rounds, and shrinks what is found among them. */
  async smallest(start: Counterexample): Promise<ShrunkCounterexample> {
    let smallest = await this.shrink(start, 0);
    while (!this.stopped) {
      const smaller = await this.drawSmaller(smallest.market);
      if (!smaller) break;
      smallest = await this.shrink(smaller, 0);
    }
    return smallest;
  }

  private async drawSmaller(smallest: Market): Promise<Counterexample | null> {
    this.searched.smaller = 0;
    const count = Math.min(PER_SMALLER_SIZE, this.options.markets);
    const draws = stream(this.options.seed).fork("smaller").fork(JSON.stringify(smallest));
    const drawn = smallerMarkets(smallest, this.range, { count, draws });
    return (await this.breaking(drawn, () => this.searched.smaller++).next()).value ?? null;
  }

  private get range(): MarketRange {
    const { readings = ["prose", "pseudocode"], maxRatio = 0.5, mostWorkers } = this.options;
    return { readings, maxRatio, ...(mostWorkers && { mostWorkers, mostRounds: mostWorkers }) };
  }

  /** Liars keep who they are while the market around them shrinks; the violation stays at least this share of the budget. */
  async shrink({ market, violation }: Counterexample, share: number): Promise<ShrunkCounterexample> {
    this.phase = "shrinking";
    const worker = violation.lie === null ? null : violation.worker;
    const keeps = (smaller: Market, who: number | null) => this.largest(smaller, who, share) !== null;
    const path = shrinking(market, keeps, { worker });
    let step = path.next();
    for (; !step.done; step = path.next()) {
      this.searched.evaluations++;
      if (!(await this.goesOn())) break;
    }
    const { market: smallest, worker: who, minimal } = step.value;
    return { ...this.largest(smallest, who, share)!, minimal };
  }

  /** The largest confirmed violation, of one worker where one is named, of at least this share of the budget. */
  private largest(market: Market, who: number | null = null, share = 0): Counterexample | null {
    const { target, confirm } = this.options;
    if (!isWithin(this.range, market)) return null;
    const large = violations(market, target, who).filter(
      (violation) => budgetShare({ market, violation }) >= share,
    );
    const found = unrefuted(target.mechanism, market, large, confirm);
    if (found === null && large.length > 0) this.searched.unconfirmed++;
    return found && { market, ...found };
  }

  private count(market: Market): void {
    const { searched, options } = this;
    searched.markets++;
    const present = market.workers
      .map(({ id }) => id)
      .map(regimesIn(runAuction(options.target.mechanism, market)));
    for (const regime of present) searched.byRegime[regime].workers++;
    for (const regime of new Set(present)) searched.byRegime[regime].markets++;
  }

  private async goesOn(): Promise<boolean> {
    const { phase, searched } = this;
    const { markets, evaluations } = searched;
    const answer = this.options.goesOn?.({ phase, markets, evaluations }) ?? true;
    const on = typeof answer === "boolean" ? answer : await answer;
    if (!on) this.stopped = true;
    return on;
  }
}

const tally = (): Record<Regime, { markets: number; workers: number }> => ({
  sufficient: { markets: 0, workers: 0 },
  tight: { markets: 0, workers: 0 },
  "late start": { markets: 0, workers: 0 },
  "late and tight": { markets: 0, workers: 0 },
});
