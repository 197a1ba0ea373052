/**
 * An auction of one worker among any number of others. A program is run in it as it is; the others are tokens, each of which
 * stands for all workers of a group that come before the worker in a list, or after it. What becomes of money and of the
 * others is an unknown made of all that it depends on: the same unknown in two runs is the same number. What a program
 * asks that depends on how many the others are, on their ids or on their bids is refused.
 */

import type { Amount, Arithmetic } from "../../auction/amounts.js";
import type { Auction } from "../../auction/auction.js";
import type { Fraction } from "../../lib/fraction.js";
import type { Group, Reading, Rules } from "../../market/market.js";
import {
  amount,
  CROWD,
  count,
  flagsOf,
  isTerm,
  OWN_BID,
  OWN_FATE,
  Refusal,
  type Term,
  type Terms,
} from "./terms.js";

/** What a run is made for. */
export interface Scenario {
  /** Of the worker. */
  readonly group: Group;
  /** Whether it was admitted before the round that is looked at. */
  readonly selected: boolean;
  /** Whether it has arrived by the round that is looked at. */
  readonly present: boolean;
  /** Money, and others' fates, that may differ between the truthful and the lying run though both rejected the worker. */
  readonly tainted: ReadonlySet<string>;
}

/** Rules that are fixed; the budget, the rounds and all workers are not. */
export interface FixedRules extends Omit<Rules, "budget" | "rounds" | "firstRoundRatio"> {
  /** Null where a claim is about all ratios. */
  readonly firstRoundRatio: Fraction | null;
}

/** A decision about the worker: an offer, a raise, or a share that it takes part in. */
export interface Visit {
  readonly kind: "offer" | "raise" | "share";
  readonly inLoop: boolean;
  /** Per unit of reputation; of a share the density up to which the worker is taken, by the others' bids. */
  readonly threshold: Term;
  readonly buys: Term;
  /** What was spent of the purse before, and its limit; null where none is asked. */
  readonly spent: Term | null;
  readonly limit: Term | null;
  readonly reading: Reading;
  /** What the threshold is, where a sample of others that have come by then sets it. */
  readonly learned: Learned | null;
  /** Where in the program, for messages. */
  readonly place: Error;
}

interface Learned {
  readonly by: Term | null;
  /** β / s. */
  readonly perRound: Term;
}

/** The first step of a task that waits for enough workers. */
export interface Start {
  readonly takesPart: boolean;
  readonly round: Term;
  readonly buys: Term;
  readonly perRound: Term;
  readonly budget: Term;
  readonly critical: Term;
  readonly ownTwice: boolean;
  /** Whether every payment is booked to a purse. */
  readonly purses: readonly CrowdPurse[] | null;
}

export interface Choice {
  readonly key: string;
  readonly about: Term;
  /** Whether it may be another one in the lying run. */
  readonly own: boolean;
  readonly value: boolean;
}

type Place = "before" | "worker" | "after";

/** Money of the abstract run. */
export class CrowdPurse {
  spentTerm: Term;
  constructor(
    readonly id: number,
    readonly limitTerm: Term,
    readonly inLoop: boolean,
    nothing: Term,
  ) {
    this.spentTerm = nothing;
  }

  get key(): string {
    return `purse ${this.id}`;
  }
}

interface Operation {
  readonly key: string;
  readonly from: readonly Term[];
  readonly purse: CrowdPurse | null;
  readonly group: Group;
  readonly byFate: boolean;
}

/** Whom a list or a sample holds. */
interface Members {
  readonly groups: readonly [boolean, boolean];
  readonly worker: boolean;
  /** Whether it holds those only who have come. */
  readonly present?: boolean;
}

/** Who is looked at. */
interface Visiting {
  readonly one: object;
  readonly place: Place;
  readonly group: Group;
  readonly selected: boolean;
  /** Whether the program asked what became of it. */
  asked: boolean;
}

const groups = [0, 1] as const;

/** One abstract run, and what was seen in it. */
export class CrowdRun {
  readonly choices: Choice[] = [];
  readonly visits: Visit[] = [];
  readonly purses: CrowdPurse[] = [];
  /** β of shares that are paid from no purse. */
  readonly shares: { readonly budget: Term; readonly inLoop: boolean }[] = [];
  /** What money and others' fates are when the round that is looked at ends. */
  readonly ends = new Map<string, Term>();
  start: Start | null = null;
  /** Whether the task started; true of programs that do not wait. */
  started = true;
  /** Whether the program asked whether the worker is selected. */
  fateRead = false;
  failure: Refusal | null = null;
  readonly crowd: [Term, Term];
  private phase: "before" | "start" | "round" | "after" = "before";
  private waited = false;
  private visiting: Visiting | null = null;
  /** What sets a threshold, by its key. */
  private readonly learned = new Map<string, Learned>();
  private pending: Operation[] = [];
  private open = 0;
  /** Whether it is asked which purses a first step is booked to. */
  private booking = false;
  private readonly worker: object;
  readonly auction: Auction;
  readonly round: Term;
  readonly rounds: Term;
  readonly clockOfStart: Term;
  /** How many rounds are left at the start where none before it is caught up on. */
  readonly leftAtStart: Term;
  readonly progressTerm: Term;
  readonly budget: Term;
  private readonly price: Term;
  private clockTerm: Term | null = null;

  constructor(
    readonly terms: Terms,
    readonly rules: FixedRules,
    readonly scenario: Scenario,
    /** The choices that the run begins with. */
    private readonly prefix: readonly boolean[],
    /** Whether the first step finds enough workers. */
    private readonly enough: boolean,
  ) {
    this.budget = terms.atom("B", "B", [], 0, "above");
    this.rounds = terms.atom("T", "T", [], 0, "above");
    this.round = terms.atom("t", "t", [], 0, "above");
    this.clockOfStart = terms.atom("k", "k", [], 0, "above");
    this.leftAtStart = terms.atom("T − k + 1", "T − k + 1", [this.rounds, this.clockOfStart], 0, "above");
    this.progressTerm = terms.atom("progress", "how far the rounds are", [], 0, "least");
    this.price = terms.atom("price", "the worker's own price", [], OWN_BID, "least");
    this.crowd = [
      terms.atom("crowd 0", "what became of group 0"),
      terms.atom("crowd 1", "what became of group 1"),
    ];
    this.worker = this.closed("a worker", this.workerFields());
    this.auction = this.closed("auction", this.auctionFields()) as unknown as Auction;
  }

  /** After the program has returned: throws what it did that no contract covers. */
  finish(): void {
    if (this.open > 0 && this.failure === null)
      this.refuse("does not go through a list of workers to its end");
    if (this.failure !== null) throw this.failure;
  }

  refuse(why: string): never {
    const refusal = new Refusal(why);
    this.failure ??= refusal;
    throw refusal;
  }

  private demand(holds: boolean, otherwise: string): asserts holds {
    if (!holds) this.refuse(otherwise);
  }

  /** An object of which a program may use these fields and no others, and which it cannot change. */
  private closed(name: string, fields: object): object {
    return new Proxy(fields, {
      get: (target, field) => {
        if (Reflect.has(target, field) && Object.hasOwn(target, field))
          return Reflect.get(target, field) as unknown;
        return this.refuse(`uses ${String(field)} of ${name}, which no contract covers`);
      },
      set: (_, field) => this.refuse(`sets ${String(field)} of ${name}, which no contract covers`),
      has: () => this.refuse(`looks for fields of ${name}`),
      ownKeys: () => this.refuse(`lists the fields of ${name}`),
      defineProperty: () => this.refuse(`sets a field of ${name}`),
      deleteProperty: () => this.refuse(`deletes a field of ${name}`),
      getPrototypeOf: () => null,
    });
  }

  private term(value: unknown): Term {
    if (isTerm(value)) return value;
    if (typeof value === "number" && Number.isFinite(value)) return this.terms.known(value);
    return this.refuse("calculates with something that is no amount");
  }

  private choose(about: Term, own: boolean): boolean {
    const key = this.terms.key(about);
    const before = this.choices.find((one) => one.key === key);
    if (before !== undefined) return before.value;
    const value = this.prefix[this.choices.length] ?? true;
    this.choices.push({ key, about, own, value });
    return value;
  }

  private math(): Arithmetic {
    const { terms } = this;
    type Given = Amount | number;
    const by = (calculate: (a: Term, b: Term) => Term) => (a: Given, b: Given) =>
      this.guarded(() => amount(calculate(this.term(a), this.term(b))));
    return this.closed("math", {
      known: (value: number) => this.guarded(() => amount(this.term(value))),
      plus: by((a, b) => terms.plus(a, b)),
      minus: by((a, b) => terms.minus(a, b)),
      times: by((a, b) => terms.times(a, b)),
      over: by((a, b) => terms.over(a, b)),
      atMost: (a: Given, b: Given) => {
        const [p, q] = [this.term(a), this.term(b)];
        const flags = flagsOf(p) | flagsOf(q);
        const answer = flags === 0 ? terms.isAtMostZero(terms.minus(p, q)) : null;
        if (answer !== null) return answer;
        return this.refuse(
          `compares ${terms.words(p)} with ${terms.words(q)} itself, which no contract covers`,
        );
      },
      sorted: () => this.refuse("sorts by a key of its own, which no contract covers"),
    }) as Arithmetic;
  }

  /** Remembers what was refused deeper down. */
  private guarded<Result>(calculate: () => Result): Result {
    try {
      return calculate();
    } catch (error) {
      if (error instanceof Refusal) this.failure ??= error;
      throw error;
    }
  }

  private workerFields(): object {
    const { terms, scenario, price } = this;
    const run = this;
    const reputation = terms.atom("Re", "the worker's own reputation", [], 0, "above");
    const fate = (words: string) => amount(terms.atom(words, words, [], OWN_FATE));
    return {
      get id() {
        return run.refuse("reads the id of a worker, which no contract covers");
      },
      get group() {
        return scenario.group;
      },
      get reputation() {
        return amount(reputation);
      },
      get price() {
        return amount(price);
      },
      get density() {
        return amount(terms.over(price, reputation));
      },
      get arrival() {
        return count(terms.atom("arrival", "the worker's own arrival", [], OWN_BID));
      },
      get selectedAt() {
        run.fateRead = true;
        return scenario.selected ? fate("the round that the worker was selected in") : null;
      },
    };
  }

  /** All others of a group before the worker, or after it. */
  private token(place: Place, group: Group): object {
    const { terms } = this;
    const run = this;
    const value = (words: string) =>
      amount(terms.atom(`${words} ${place} ${group}`, `the ${words} of another worker`, [], CROWD));
    const fate = (words: string) => {
      run.askFate();
      return amount(
        terms.atom(`${words} ${place} ${group}`, `${words} of another worker`, [run.crowd[group]], CROWD),
      );
    };
    return this.closed("a worker", {
      get id() {
        return run.refuse("reads the id of a worker, which no contract covers");
      },
      group,
      get reputation() {
        return value("reputation");
      },
      get price() {
        return value("price");
      },
      get density() {
        return value("density");
      },
      get arrival() {
        return value("arrival");
      },
      get selectedAt() {
        run.askFate();
        return run.visiting!.selected ? fate("the round of selection") : null;
      },
    });
  }

  private askFate(): void {
    const { visiting } = this;
    this.demand(
      visiting !== null && visiting.place !== "worker",
      "asks what became of a worker outside of a loop over workers",
    );
    visiting.asked = true;
  }

  private list(members: Members): object {
    const { groups: has, worker, present = false } = members;
    const run: CrowdRun = this;
    const tokens = (place: Place) =>
      groups.filter((group) => has[group]).map((group) => ({ group, token: this.token(place, group) }));
    const [before, after] = [tokens("before"), tokens("after")];
    function* each(): Generator<object> {
      run.demand(run.visiting === null, "goes through workers while it goes through workers");
      run.open++;
      for (const place of ["before", "worker", "after"] as const) {
        if (place === "worker") {
          if (!worker) continue;
          const { group, selected } = run.scenario;
          run.visiting = { one: run.worker, place, group, selected, asked: false };
          yield run.worker;
        } else
          for (const { group, token } of place === "before" ? before : after)
            for (const selected of [false, true]) {
              run.visiting = { one: token, place, group, selected, asked: false };
              yield token;
              if (!run.visiting.asked) break;
            }
        run.visiting = null;
        run.flush();
      }
      run.open--;
    }
    const iterate = () => {
      const inner = each();
      return this.closed("an iterator", {
        next: () => inner.next(),
        return: () => this.refuse("leaves a loop over workers before its end"),
        throw: () => this.refuse("leaves a loop over workers before its end"),
      });
    };
    const list = this.closed("a list of workers", {
      [Symbol.iterator]: iterate,
      forEach: (visit: (worker: object) => void) => {
        for (const one of { [Symbol.iterator]: iterate } as Iterable<object>) visit(one);
      },
      filter: (keep: (worker: object) => unknown) => {
        this.demand(
          this.visiting === null || this.visiting.place === "worker",
          "filters workers while it goes through others",
        );
        const kept = (one: { token: object }) => this.truth(keep(one.token));
        const all = [...before, ...after].map((one) => ({ group: one.group, kept: kept(one) }));
        const left = groups.map((group) => all.filter((one) => one.group === group).map((one) => one.kept));
        this.demand(
          left.every((some) => new Set(some).size <= 1),
          "tells workers of a group apart",
        );
        const [none, one] = left.map((some) => some[0] ?? false);
        return this.list({ groups: [none!, one!], worker: worker && this.truth(keep(this.worker)), present });
      },
    });
    listed.set(list, members);
    return list;
  }

  /** What a condition of a program came to. */
  private truth(value: unknown): boolean {
    this.demand(typeof value === "boolean", "keeps workers by a condition that is neither true nor false");
    return value;
  }

  private membersOf(list: unknown): Members {
    const members = listed.get(list as object);
    return members ?? this.refuse("names workers in a list of its own, which no contract covers");
  }

  private sampleFrom(list: unknown): object {
    const members = this.membersOf(list);
    this.demand(
      !members.present,
      "learns from a list of those who have come: a sample is told by which clock tick",
    );
    const sample = this.closed("a sample", {
      threshold: (terms: unknown) => this.learn(members, terms),
    });
    sampled.set(sample, members);
    return sample;
  }

  private sampleMembers(sample: unknown): Members {
    return sampled.get(sample as object) ?? this.refuse("uses a sample that is none of this auction's");
  }

  /** β, s and who has come; a clock tick must be the round's, or that of the start. */
  private shareTerms(given: unknown) {
    const { by, buys, budget, ownTwice = false } = given as Record<string, unknown>;
    const [s, beta] = [this.term(buys), this.term(budget)];
    const clock = by === undefined ? null : this.term(by);
    if (clock !== null)
      this.demand(
        this.clockTerm !== null && this.terms.isSame(clock, this.clockTerm),
        "asks who has come by another clock tick than that of the round",
      );
    return { clock, buys: s, budget: beta, perRound: this.terms.over(beta, s), ownTwice: ownTwice === true };
  }

  private learn({ groups: has, worker }: Members, given: unknown): Amount | null {
    return this.guarded(() => {
      const { clock, perRound, ownTwice } = this.shareTerms(given);
      this.demand(!ownTwice, "learns a threshold that counts a worker's own reputation twice");
      const from = [...(clock === null ? [] : [clock]), ...(worker ? [this.price] : [])];
      const who = `${has.join()} ${worker}`;
      if (!has[0] && !has[1] && !worker) return null;
      const there = this.terms.atom(`there ${who}`, "whether anybody is there", from);
      if (!this.choose(there, worker)) return null;
      const words = worker
        ? "the threshold of a sample with the worker's own bid"
        : "the threshold of a sample of others";
      const set = this.terms.atom(`threshold ${who}`, words, [...from, perRound], 0, "least");
      if (!worker) this.learned.set(this.terms.key(set), { by: clock, perRound });
      return amount(set);
    });
  }

  private flush(): void {
    const { pending, terms } = this;
    if (pending.length === 0) return;
    this.pending = [];
    const touched = groups.filter((group) => pending.some((one) => one.group === group));
    const byFate = pending.some((one) => one.byFate);
    const from = [
      ...pending.flatMap((one) => one.from.map((term) => terms.ofCrowd(term))),
      ...(byFate ? touched.map((group) => this.crowd[group]) : []),
    ];
    const all = terms.atom(pending.map(({ key }) => key).join("|"), "what others were decided", from);
    for (const purse of new Set(pending.flatMap((one) => (one.purse === null ? [] : [one.purse]))))
      purse.spentTerm = terms.atom(`spent ${purse.id}`, "what was spent of a purse", [all, purse.spentTerm]);
    for (const group of touched)
      this.crowd[group] = terms.atom(`fates ${group}`, `what became of group ${group}`, [
        all,
        this.crowd[group],
      ]);
  }

  private purseFrom(given: unknown): CrowdPurse {
    return pursed.get(given as object) ?? this.refuse("uses a purse that it did not get from auction.purse");
  }

  private newPurse(limit: unknown): object {
    return this.guarded(() => {
      this.demand(this.phase !== "after", "goes on after the rounds");
      this.demand(this.visiting === null && !this.booking, "opens a purse for each worker");
      const inLoop = this.phase === "round";
      const purse = new CrowdPurse(this.purses.length, this.term(limit), inLoop, this.terms.known(0));
      this.purses.push(purse);
      const run: CrowdRun = this;
      const shown = this.closed("a purse", {
        limit: amount(purse.limitTerm),
        get spent() {
          run.demand(
            run.visiting === null || run.visiting.place === "worker",
            "reads a purse while it goes through others",
          );
          return amount(purse.spentTerm);
        },
      });
      pursed.set(shown, purse);
      return shown;
    });
  }

  /** Offers and raises. */
  private decide(kind: "offer" | "raise", worker: unknown, given: unknown, reading: Reading): void {
    this.guarded(() => {
      const { visiting, terms } = this;
      this.demand(
        this.phase === "before" || this.phase === "round",
        "decides on workers outside of the rounds",
      );
      this.demand(
        !this.waited || this.phase === "round",
        "decides on workers between the first step and the rounds",
      );
      this.demand(visiting !== null, "decides on a worker outside of a loop over workers");
      const { buys, purse: named, threshold } = given as Record<string, unknown>;
      const purse = this.purseFrom(named);
      const s = this.term(buys);
      const per = threshold === null ? null : this.term(threshold);
      this.demand(worker === visiting.one, "decides on one worker while it looks at another");
      if (visiting.place === "worker") {
        this.demand(per !== null, "pays the worker what it asks");
        this.demand((flagsOf(per) & CROWD) === 0, `offers the worker ${terms.words(per)}`);
        const learned = this.learned.get(terms.key(per)) ?? null;
        const spent = { spent: purse.spentTerm, limit: purse.limitTerm };
        const inLoop = this.phase === "round";
        this.visits.push({
          kind,
          inLoop,
          threshold: per,
          buys: s,
          ...spent,
          reading,
          learned,
          place: new Error(),
        });
        purse.spentTerm = terms.flagged(purse.spentTerm, OWN_FATE);
        return;
      }
      const from = [purse.spentTerm, purse.limitTerm, s, ...(per === null ? [] : [per])];
      const key = `${kind} ${visiting.place} ${visiting.group} ${visiting.asked} ${visiting.selected} ${reading} ${purse.id} ${per === null}`;
      const byFate = kind === "raise" || visiting.asked;
      this.pending.push({ key, from, purse, group: visiting.group, byFate });
    });
  }

  /** A share among a sample, its takers hired at once. */
  private buyShare(sample: unknown, given: unknown, step: Record<string, unknown>): boolean {
    return this.guarded(() => {
      const { terms } = this;
      const { groups: has, worker } = this.sampleMembers(sample);
      const { clock, buys, budget, perRound, ownTwice } = this.shareTerms(given);
      this.demand(this.visiting === null, "holds a share while it goes through workers");
      const who = `critical ${has.join()}`;
      const critical = terms.atom(
        who,
        "the worker's critical density",
        [...(clock ? [clock] : []), perRound],
        0,
        "least",
      );
      const { enough, purseOf, round } = step;
      if (this.phase === "start") {
        this.demand(clock !== null, "holds a first step among workers who have not come");
        this.demand(this.start === null, "holds two first steps at one clock tick");
        const purses = purseOf === undefined ? null : this.bookedTo(has, worker, purseOf, buys, perRound);
        const first = {
          takesPart: worker,
          round: this.term(round ?? 1),
          buys,
          perRound,
          budget,
          critical,
          ownTwice,
        };
        this.start = { ...first, purses };
        return this.enough;
      }
      this.demand(
        (this.phase !== "after" && !this.waited) || this.phase === "round",
        "holds a share outside of the rounds",
      );
      this.demand(
        enough === undefined || enough === 0,
        "buys only from enough workers, without waiting for them",
      );
      this.demand(purseOf === undefined, "pays a share from a purse");
      this.shares.push({ budget, inLoop: this.phase === "round" });
      for (const group of groups)
        if (has[group])
          this.crowd[group] = terms.atom(
            `share ${who}`,
            "what became of others",
            [this.crowd[group], perRound],
            worker ? OWN_BID | OWN_FATE : 0,
          );
      if (worker && (clock === null || this.scenario.present)) {
        const inLoop = this.phase === "round";
        const none = { spent: null, limit: null, reading: "prose" as const, learned: null };
        this.demand(!ownTwice, "counts a worker's own reputation twice: it then pays no critical price");
        this.visits.push({ kind: "share", inLoop, threshold: critical, buys, ...none, place: new Error() });
      }
      return true;
    });
  }

  /** The purses that the payments of a first step are booked to. */
  private bookedTo(
    has: Members["groups"],
    worker: boolean,
    purseOf: unknown,
    buys: Term,
    perRound: Term,
  ): CrowdPurse[] {
    const tokens = groups.filter((group) => has[group]).map((group) => this.token("before", group));
    const all = [...tokens, ...(worker ? [this.worker] : [])];
    this.booking = true;
    const purses = all.map((one) => this.purseFrom((purseOf as (worker: object) => unknown)(one)));
    this.booking = false;
    for (const purse of new Set(purses))
      purse.spentTerm = this.terms.atom(
        "first step",
        "what was spent of a purse",
        [purse.spentTerm, buys, perRound],
        OWN_BID | OWN_FATE,
      );
    return [...new Set(purses)];
  }

  private startWhen(tries: (at: object) => unknown): boolean {
    return this.guarded(() => {
      const { terms, clockOfStart: k } = this;
      this.demand(
        this.phase === "before" && !this.waited && this.visiting === null,
        "waits for a start twice, or too late",
      );
      this.demand(this.visits.length === 0, "decides on workers before the start");
      this.waited = true;
      this.phase = "start";
      this.clockTerm = k;
      const postponed = this.rules.delay === "postpone";
      const round = postponed ? terms.known(1) : k;
      const buys = postponed ? this.rounds : this.leftAtStart;
      const found = tries(
        this.closed("a start", { clock: count(k), round: count(round), buys: count(buys) }),
      );
      this.demand(found === this.enough, "does not start exactly when its first step finds enough workers");
      this.phase = "before";
      this.clockTerm = null;
      this.started = this.enough;
      return this.enough;
    });
  }

  private eachRound(body: (at: object) => void): void {
    this.guarded(() => {
      const { terms, scenario } = this;
      this.demand(
        this.phase === "before" && this.visiting === null,
        "goes through the rounds more than once",
      );
      this.demand(this.started, "goes through rounds of a task that never starts");
      this.phase = "round";
      const postponed = this.waited && this.rules.delay === "postpone";
      const clock = postponed
        ? terms.minus(terms.plus(this.round, this.clockOfStart), terms.known(1))
        : this.round;
      this.clockTerm = clock;
      const anew = (key: string, words: string, before: Term) => {
        const when = scenario.selected ? "after it admitted the worker" : "at the start of a round";
        const own = scenario.selected || scenario.tainted.has(key) ? OWN_BID : 0;
        return terms.atom(
          `${key} ${when}`,
          `${words} ${when}`,
          [],
          OWN_FATE | own | (flagsOf(before) & OWN_BID),
        );
      };
      const earlier = [...this.purses];
      for (const purse of earlier)
        purse.spentTerm = anew(purse.key, "what was spent of a purse", purse.spentTerm);
      for (const group of groups)
        this.crowd[group] = anew(`crowd ${group}`, `what became of group ${group}`, this.crowd[group]);
      const buys = terms.plus(terms.minus(this.rounds, this.round), terms.known(1));
      body(this.closed("a round", { round: count(this.round), clock: count(clock), buys: count(buys) }));
      for (const purse of earlier) this.ends.set(purse.key, purse.spentTerm);
      for (const group of groups) this.ends.set(`crowd ${group}`, this.crowd[group]);
      this.phase = "after";
    });
  }

  private auctionFields(): object {
    const run = this;
    const { terms, rules } = this;
    const everybody = { groups: [true, true] as const, worker: true };
    const workers = this.list(everybody);
    const zero = amount(terms.known(0));
    const nothing = () => undefined;
    return {
      math: this.math(),
      rules: this.closed("the rules", {
        ...rules,
        budget: amount(this.budget),
        rounds: count(this.rounds),
        firstRoundRatio: amount(
          rules.firstRoundRatio === null
            ? terms.atom("ratio", "the first-round ratio", [], 0, "least")
            : terms.known(rules.firstRoundRatio),
        ),
      }),
      workers,
      zero,
      get startDelay() {
        return run.waited
          ? run.refuse("reads by how much the start was delayed, which no contract covers")
          : 0;
      },
      byReputation: () => this.list(everybody),
      byDensity: () =>
        this.refuse("goes through workers in the order of their bids, which no contract covers"),
      byPrice: () => this.refuse("goes through workers in the order of their bids, which no contract covers"),
      sample: (list: unknown = workers) => this.sampleFrom(list),
      present: (list: unknown, clock: unknown) => {
        const { groups: has, worker } = this.membersOf(list);
        const at = this.term(clock);
        const now = this.phase === "round" && this.clockTerm !== null && terms.isSame(at, this.clockTerm);
        this.demand(now, "asks who is there at another clock tick than that of the round");
        return this.list({ groups: has, worker: worker && this.scenario.present, present: true });
      },
      learn: (sample: unknown, given: unknown) => this.learn(this.sampleMembers(sample), given),
      buyAtOnce: (sample: unknown, given: unknown, step: Record<string, unknown>) =>
        this.buyShare(sample, given, step),
      buyShare: (sample: unknown, given: unknown) => void this.buyShare(sample, given, {}),
      startWhen: (tries: (at: object) => unknown) => this.startWhen(tries),
      eachRound: (body: (at: object) => void) => this.eachRound(body),
      progress: (round: unknown) => {
        this.demand(
          this.phase === "round" && terms.isSame(this.term(round), this.round),
          "asks how far another round is",
        );
        return amount(this.progressTerm);
      },
      purse: (limit: unknown) => this.newPurse(limit),
      offer: (worker: unknown, given: unknown) => this.decide("offer", worker, given, "prose"),
      raise: (worker: unknown, given: unknown, reading: Reading = "prose") =>
        this.decide("raise", worker, given, reading),
      pass: nothing,
      announceRound: nothing,
      recordThresholds: nothing,
    };
  }
}

const listed = new WeakMap<object, Members>();
const sampled = new WeakMap<object, Members>();
const pursed = new WeakMap<object, CrowdPurse>();
