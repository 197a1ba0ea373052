/**
 * Settles claims on a program for any number of workers and of rounds. The program is run against a crowd, once for every
 * group of the worker and everything that may be so or not; what the runs have in common becomes the hypotheses of the
 * induction; what the induction does not give is not proved, with the first thing that is missing.
 */

import { whileDeciding } from "../../auction/deciding.js";
import { type Regime, regimes } from "../../auction/outcome.js";
import type { Program } from "../../auction/program.js";
import { oneLine, withPlace } from "../../lib/errors.js";
import type { Group } from "../../market/market.js";
import type { ContractName } from "./contracts.js";
import { CrowdRun, type FixedRules, type Scenario, type Start, type Visit } from "./crowd.js";
import { holds, type Obligation } from "./formulas.js";
import {
  earningsObligation,
  type RoundFacts,
  roundObligation,
  type SaleFacts,
  type StartFacts,
  saleObligation,
  startObligation,
} from "./templates.js";
import { flagsOf, OWN_BID, OWN_FATE, Refusal, type Term, Terms } from "./terms.js";

export const anyProperties = ["P1", "P2", "P5", "P6", "joint"] as const;
type AnyProperty = (typeof anyProperties)[number];

/** What a lie does to the start: prevented counts as kept, for a task that never starts pays nothing. */
export const anyStarts = ["kept", "delayed", "advanced"] as const;
export type AnyStart = (typeof anyStarts)[number];

export interface AnyClaim {
  readonly property: AnyProperty;
  readonly regime: Regime;
  /** Of lies. */
  readonly start: AnyStart | null;
  /** Null where it is proved. */
  readonly why: string | null;
  /** The contracts that a proof rests on. */
  readonly contracts: readonly ContractName[];
}

export interface AnyProof {
  readonly claims: readonly AnyClaim[];
  /** What was shown, each once. */
  readonly obligations: readonly Obligation[];
}

/** What came of looking for a proof: nothing is missing, or what is. */
type Finding = { readonly why: string | null; readonly contracts: readonly ContractName[] };

const MOST_RUNS = 2000;

export function proveForAny(program: Program, rules: FixedRules): AnyProof {
  const obligations = new Map<string, Obligation>();
  const shown = (obligation: Obligation): boolean => {
    if (!holds(obligation)) return false;
    obligations.set(obligation.name, obligation);
    return true;
  };
  const sides = ([0, 1] as const).map((group) => attempt(() => new Side(program, rules, group)));
  const both = (find: (side: Side) => Finding): Finding => {
    const found = sides.map((side) => (side instanceof Side ? attempt(() => find(side)) : side));
    const failed = found.find((one) => one instanceof Refusal || one.why !== null);
    if (failed !== undefined)
      return { why: failed instanceof Refusal ? whyOf(failed) : (failed as Finding).why, contracts: [] };
    return { why: null, contracts: [...new Set(found.flatMap((one) => (one as Finding).contracts))] };
  };
  const claims: AnyClaim[] = [];
  for (const regime of regimes) {
    const ofTruth = { property: "P1" as const, regime, start: null };
    claims.push({ ...ofTruth, ...both((side) => side.paysCosts()) });
    claims.push({ ...ofTruth, property: "P2", ...both((side) => side.keepsBudget()) });
    for (const start of anyStarts) {
      const finding = both((side) => side.lies(regime, start, shown));
      for (const property of ["P5", "P6", "joint"] as const)
        claims.push({ property, regime, start, ...finding });
    }
  }
  return {
    claims: claims.sort((a, b) => anyProperties.indexOf(a.property) - anyProperties.indexOf(b.property)),
    obligations: [...obligations.values()],
  };
}

const whyOf = (refusal: Refusal): string => withPlace(`its program ${refusal.message}`, refusal);

function attempt<Result>(find: () => Result): Result | Refusal {
  try {
    return find();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const unproved = (why: string): Finding => ({ why, contracts: [] });

/** All runs for a worker of one group. */
class Side {
  private readonly terms = new Terms();
  /** Not admitted so far, and there; not there yet; admitted before. */
  private readonly there: readonly CrowdRun[];
  private readonly away: readonly CrowdRun[];
  private readonly admitted: readonly CrowdRun[];
  private readonly all: readonly CrowdRun[];
  private readonly start: Start | null;
  private readonly waits: boolean;
  private readonly asksFate: boolean;

  constructor(
    private readonly program: Program,
    private readonly rules: FixedRules,
    private readonly group: Group,
  ) {
    let tainted = new Set<string>();
    for (;;) {
      const there = this.runs({ selected: false, present: true, tainted });
      const away = this.runs({ selected: false, present: false, tainted });
      const more = this.differing(there, away);
      if ([...more].every((key) => tainted.has(key))) {
        [this.there, this.away] = [there, away];
        break;
      }
      tainted = new Set([...tainted, ...more]);
    }
    this.admitted = this.runs({ selected: true, present: true, tainted });
    this.all = [...this.there, ...this.away, ...this.admitted];
    this.waits = this.all.some((run) => run.start !== null);
    this.start = this.commonStart();
    this.asksFate = this.all.some((run) => run.fateRead);
    // A task that never starts decides nothing.
    if (this.waits)
      for (const run of this.runs({ selected: false, present: true, tainted }, false))
        if (run.visits.length + run.shares.length > 0)
          throw new Refusal("decides on workers though the task never starts");
  }

  /** Of one scenario, for everything that may be so or not. */
  private runs(scenario: Omit<Scenario, "group">, enough = true): CrowdRun[] {
    const found: CrowdRun[] = [];
    const waiting: boolean[][] = [[]];
    for (let prefix = waiting.pop(); prefix !== undefined; prefix = waiting.pop()) {
      if (found.length >= MOST_RUNS) throw new Refusal("has too many cases");
      const run = new CrowdRun(this.terms, this.rules, { ...scenario, group: this.group }, prefix, enough);
      runOnce(this.program, run);
      found.push(run);
      const values = run.choices.map(({ value }) => value);
      for (let k = prefix.length; k < values.length; k++) waiting.push([...values.slice(0, k), false]);
    }
    return found;
  }

  /** Money, and fates, that are not the same after a round in which the worker was there and rejected, and one in which it was away. */
  private differing(there: readonly CrowdRun[], away: readonly CrowdRun[]): Set<string> {
    const keys = new Set([...there, ...away].flatMap((run) => [...run.ends.keys()]));
    const differs = (key: string) => {
      const ends = [...there, ...away].map((run) => ({ run, end: run.ends.get(key) }));
      if (ends.some(({ end }) => end === undefined || (flagsOf(end) & OWN_BID) !== 0)) return true;
      return ends.some((one) =>
        ends.some((other) => agree(one.run, other.run) && !this.terms.isSame(one.end!, other.end!)),
      );
    };
    return new Set([...keys].filter(differs));
  }

  private commonStart(): Start | null {
    const [first, ...others] = this.all.map((run) => run.start);
    const { terms } = this;
    const asFirst = (one: Start | null) =>
      (one === null) === (first === null) &&
      (one === null ||
        (one.takesPart === first!.takesPart &&
          one.ownTwice === first!.ownTwice &&
          terms.isSame(one.critical, first!.critical) &&
          terms.isSame(one.budget, first!.budget)));
    if (!others.every(asFirst)) throw new Refusal("holds its first step in several ways");
    return first ?? null;
  }

  /** The visits in those of the runs that agree with a run on all that is the same for truth and lie. */
  private visitsLike(run: CrowdRun, runs: readonly CrowdRun[]): readonly (readonly Visit[])[] {
    return runs.filter((other) => agree(run, other)).map(({ visits }) => visits);
  }

  private sameTerms(a: Visit, b: Visit): boolean {
    const { terms } = this;
    const same = (x: Term | null, y: Term | null) =>
      x === null || y === null ? x === y : terms.isSame(x, y);
    return a.inLoop === b.inLoop && same(a.threshold, b.threshold) && same(a.buys, b.buys);
  }

  private isSameVisit(a: Visit, b: Visit): boolean {
    const money = (x: Term | null, y: Term | null) =>
      x === null || y === null ? x === y : this.terms.isSame(x, y);
    return a.kind === b.kind && this.sameTerms(a, b) && money(a.spent, b.spent) && money(a.limit, b.limit);
  }

  lies(regime: Regime, start: AnyStart, shown: (obligation: Obligation) => boolean): Finding {
    if (!this.waits) {
      const found = this.asksFate ? this.admittedForGood(regime, "kept", shown) : this.boughtForItself(shown);
      // It always starts on time, and no lie moves the start.
      const isThere = start === "kept" && (regime === "sufficient" || regime === "tight");
      return found.why === null || isThere ? found : { why: null, contracts: [] };
    }
    if (start === "advanced")
      return unproved("a lie that makes the start earlier can gain: more rounds are bought from the worker");
    if (!this.asksFate)
      return unproved("a first step is followed by rounds in which workers are not admitted for good");
    return this.admittedForGood(regime, start, shown);
  }

  /** Every decision stands for itself: no lie gets more out of one. */
  private boughtForItself(shown: (obligation: Obligation) => boolean): Finding {
    const used = new Set<ContractName>(["same"]);
    for (const run of this.there) {
      for (const others of this.visitsLike(run, this.there))
        if (
          others.length !== run.visits.length ||
          !others.every((one, k) => this.isSameVisit(one, run.visits[k]!))
        )
          throw new Refusal("decides on the worker by something that its own bid may move");
      for (const visit of run.visits) {
        const facts = this.saleFacts(visit);
        if (!shown(saleObligation(facts.facts))) return unproved(facts.why);
        for (const one of facts.contracts) used.add(one);
      }
    }
    for (const run of this.away)
      for (const others of this.visitsLike(run, this.there)) {
        const left = [...others];
        for (const visit of run.visits) {
          const place = left.findIndex((other) => this.isSameVisit(visit, other));
          if (place < 0) return unproved(this.because("offers a worker something for coming late", visit));
          left.splice(place, 1);
        }
      }
    return { why: null, contracts: [...used] };
  }

  private saleFacts(visit: Visit): { facts: SaleFacts; why: string; contracts: ContractName[] } {
    const { terms } = this;
    const { kind, threshold, buys, spent, limit } = visit;
    if (kind === "raise") throw new Refusal("raises workers without asking whether they are selected");
    const asked = flagsOf(threshold) | flagsOf(buys);
    const money = spent === null ? 0 : flagsOf(spent) | flagsOf(limit!);
    const facts = { kind, sameOffers: asked === 0, sameMoney: money === 0 };
    const why =
      asked !== 0
        ? this.because(`offers ${terms.words(threshold)}, which the worker's own bid may move`, visit)
        : this.because(
            `pays from a purse whose money (${terms.words(spent ?? threshold)}) may depend on what the worker got before`,
            visit,
          );
    return { facts, why, contracts: kind === "share" ? ["critical"] : ["order", "purse"] };
  }

  private because(what: string, visit: Visit): string {
    return withPlace(`its program ${what}`, visit.place);
  }

  /** Workers that are admitted work all rounds that remain. */
  private admittedForGood(
    regime: Regime,
    start: AnyStart,
    shown: (obligation: Obligation) => boolean,
  ): Finding {
    const used = new Set<ContractName>(["same", "order", "purse"]);
    const enough = regime === "sufficient" || regime === "late start";
    const { facts, missing, learns } = this.roundFacts(start === "delayed");
    if (facts.falls && learns) used.add("falls");
    if (this.start !== null) {
      const first = this.startFacts(this.start);
      if (this.start.takesPart) {
        if (!shown(startObligation(first.facts, start === "delayed" ? "delayed" : "kept")))
          return unproved(first.why);
        used.add("critical");
        if (start === "delayed") used.add("falls");
      }
    }
    // Where offers never rise nothing else is needed; else money must never have turned the worker down.
    const alone = shown(roundObligation(facts, false));
    if (!alone && !enough) return unproved(missing.money ?? missing.offers ?? MONEY_DECIDES);
    if (!alone && !shown(roundObligation(facts, true)))
      return unproved(missing.offers ?? missing.falls ?? "offers may rise");
    if (!shown(earningsObligation)) throw new Error("the invariant does not give what it is for");
    return { why: null, contracts: [...used] };
  }

  private roundFacts(delayed: boolean): {
    facts: RoundFacts;
    missing: { offers?: string; money?: string; falls?: string };
    learns: boolean;
  } {
    const { terms } = this;
    const remaining = this.remaining();
    const missing: { offers?: string; money?: string; falls?: string } = {};
    let [raises, learns] = [false, false];
    for (const run of this.away)
      if (run.visits.length > 0) throw new Refusal(`decides on a worker that has not come`);
    const [common] = this.there.flatMap((run) => run.visits);
    for (const run of this.there) {
      if (run.visits.length > 1) throw new Refusal("decides on a worker twice in a round");
      for (const visits of this.visitsLike(run, this.there))
        if (!visits.every((one, k) => run.visits[k] !== undefined && this.isSameVisit(one, run.visits[k]!)))
          throw new Refusal("decides on the worker by something that its own bid may move");
      const like = this.visitsLike(run, [...this.there, ...this.admitted]);
      const [visit] = run.visits;
      for (const visits of like)
        if (
          visits.length > 1 ||
          (visit === undefined && visits.length > 0) ||
          visits.some((one) => !this.sameTerms(one, visit!))
        )
          throw new Refusal(
            "offers a worker something else once it is admitted, or by something that its own bid may move",
          );
      if (visit === undefined) continue;
      const { threshold, buys, spent, limit } = visit;
      if (visit.kind !== "offer" || !visit.inLoop) throw new Refusal("admits workers outside of the rounds");
      if (!terms.isSame(buys, remaining))
        throw new Refusal("buys other rounds than all that remain from whoever is admitted");
      if (flagsOf(threshold) !== 0)
        missing.offers ??= this.because(
          `offers ${terms.words(threshold)}, which the worker's own bid may move`,
          visit,
        );
      if (
        delayed &&
        [threshold, ...run.choices.map(({ about }) => about)].some((one) =>
          terms.rests(one, run.clockOfStart),
        )
      )
        missing.offers ??= this.because(
          "offers something else in the same round when the start is later",
          visit,
        );
      if (delayed || (flagsOf(spent!) & ~OWN_FATE) !== 0 || flagsOf(limit!) !== 0)
        missing.money ??= this.because(
          "pays from a purse that the worker's own bid may move before it is admitted",
          visit,
        );
      // Whichever of several offers is made may change from round to round.
      const fall = terms.isSame(threshold, common!.threshold) ? this.falling(visit, run) : "no";
      if (fall === "no")
        missing.falls ??= this.because(
          "makes offers that may rise from round to round, and money may turn a worker down",
          visit,
        );
      learns ||= fall === "learned";
      for (const visits of this.visitsLike(run, this.admitted)) {
        const [again] = visits;
        if (again !== undefined && again.kind !== "raise") throw new Refusal("admits a worker twice");
        raises ||= again !== undefined;
      }
    }
    const facts: RoundFacts = {
      sameOffers: missing.offers === undefined,
      sameMoney: missing.money === undefined,
      falls: missing.falls === undefined && this.start === null,
      raises,
    };
    if (raises) this.demandRaised();
    return { facts, missing, learns };
  }

  /** Where some offers are raises, all are. */
  private demandRaised(): void {
    for (const run of this.there)
      for (const visits of this.visitsLike(run, this.admitted))
        if (run.visits.length !== visits.length) throw new Refusal("raises workers in some rounds only");
  }

  /** Whether an offer is the same in all rounds, or set by a sample of others that only grows, with the same money per round. */
  private falling({ threshold, learned }: Visit, run: CrowdRun): "same" | "learned" | "no" {
    const { terms } = this;
    const varies = (term: Term) => terms.rests(term, run.round) || terms.rests(term, run.progressTerm);
    if (!varies(threshold)) return "same";
    if (learned === null || varies(learned.perRound)) return "no";
    return "learned";
  }

  private remaining(): Term {
    const { terms } = this;
    const { rounds, round } = this.there[0]!;
    return terms.plus(terms.minus(rounds, round), terms.known(1));
  }

  private startFacts(start: Start): { facts: StartFacts; why: string } {
    const { terms } = this;
    const { rounds, clockOfStart, leftAtStart } = this.there[0]!;
    const { ownTwice, round, buys, perRound, critical } = start;
    const lost = terms.isSame(round, clockOfStart) && terms.isSame(buys, leftAtStart);
    const all = lost || (terms.isSame(round, terms.known(1)) && terms.isSame(buys, rounds));
    if (!all) throw new Refusal("buys other rounds than all that remain at the first step");
    const sameCritical = !ownTwice && flagsOf(critical) === 0;
    const criticalFalls = sameCritical && !terms.rests(perRound, clockOfStart);
    const why = ownTwice
      ? "its first step counts a worker's own reputation twice: it then pays no critical price"
      : !sameCritical
        ? "its first step spends what the worker's own bid may move"
        : "a later first step may pay more per round";
    return { facts: { sameCritical, criticalFalls }, why };
  }

  /** [P1]: at no decision is less paid than asked. */
  paysCosts(): Finding {
    const used = new Set<ContractName>();
    if (this.start !== null) {
      if (this.start.ownTwice) return unproved("its first step counts a worker's own reputation twice");
      used.add("critical");
    }
    for (const run of this.all)
      for (const visit of run.visits) {
        if (visit.kind === "share") used.add("critical");
        if (visit.kind === "raise" && visit.reading === "pseudocode")
          return unproved(this.because("may lower a payment where money is short", visit));
      }
    return { why: null, contracts: [...used] };
  }

  /** [P2]: the limits of all purses, and what shares spend besides, add up to no more than the budget. */
  keepsBudget(): Finding {
    const { terms } = this;
    const used = new Set<ContractName>();
    for (const run of this.all) {
      const parts: Term[] = [];
      const add = (amount: Term, inLoop: boolean, what: string) => {
        // An amount below 0 would hide how much others spend.
        if (terms.isAtMostZero(terms.minus(terms.known(0), amount)) !== true)
          throw new Refusal(`${what} ${terms.words(amount)}, which may be below 0`);
        const whole = inLoop ? terms.summed(amount, run.rounds, run.progressTerm, run.round) : amount;
        if (whole === null || flagsOf(whole) !== 0)
          throw new Refusal(`${what} ${terms.words(amount)}, whose sum over the rounds is not known`);
        parts.push(whole);
      };
      for (const { limitTerm, inLoop } of run.purses) {
        used.add("purse");
        add(limitTerm, inLoop, "fills a purse with");
      }
      for (const { budget, inLoop } of run.shares) {
        used.add("shares");
        add(budget, inLoop, "shares out");
      }
      if (run.start !== null) {
        used.add("shares");
        const { purses, budget } = run.start;
        const most = terms.times(budget, terms.known(1));
        if (purses === null) parts.push(most);
        else
          for (const { limitTerm } of purses)
            if (terms.isAtMostZero(terms.minus(this.atMostAtStart(most, run), limitTerm)) !== true)
              return unproved("its first step may spend more than the purse that it is booked to holds");
      }
      const total = parts.reduce((sum, part) => terms.plus(sum, part), terms.known(0));
      if (terms.isAtMostZero(terms.minus(total, run.budget)) !== true)
        return unproved(`its purses and shares may add up to ${terms.words(total)}, more than the budget B`);
    }
    return { why: null, contracts: [...used] };
  }

  /** What the first step spends at most: a part that shrinks with a later start is at most the whole. */
  private atMostAtStart(budget: Term, run: CrowdRun): Term {
    const { terms } = this;
    const shortened = terms.over(terms.times(budget, run.rounds), run.start!.buys);
    return terms.rests(budget, run.clockOfStart) && !terms.rests(shortened, run.clockOfStart)
      ? shortened
      : budget;
  }
}

/** Whether two runs agree on all that is the same for truth and lie. */
const agree = (a: CrowdRun, b: CrowdRun): boolean =>
  a.choices.every(
    ({ key, own, value }) => own || (b.choices.find((other) => other.key === key)?.value ?? value) === value,
  );

function runOnce(program: Program, run: CrowdRun): void {
  try {
    whileDeciding(() => program(run.auction));
  } catch (error) {
    if (run.failure === null && error instanceof Refusal) throw error;
    if (run.failure === null) throw new Refusal(`cannot be run against a crowd: ${oneLine(error)}`);
  }
  run.finish();
}

const MONEY_DECIDES = "money may turn the worker down, and what is left may depend on its bid";
