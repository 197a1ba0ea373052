/** What every extension must keep to, as checks that any test runner can run: `for (const c of …) it(c.title, c.run)`. */

import * as fc from "fast-check";
import {
  type AnyAgent,
  type Effort,
  type InformedView,
  isInformed,
  type Offer,
  type PastTask,
} from "../agents/agent.js";
import { effortOf, legalBid, playMarket, remember, renames } from "../agents/play.js";
import { bestResponses } from "../best-response/index.js";
import { stream } from "../lib/random.js";
import { frozenCopy } from "../lib/schema.js";
import { type MarketLimits, marketArbitrary } from "../market/generators.js";
import { type Bidder, bidders, type Market, type Worker } from "../market/market.js";
import {
  type AnyMechanism,
  hold,
  type InformedBidder,
  needsStream,
  type Outcome,
  type StochasticMechanism,
  withSeed,
} from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import { publisherAccount } from "../mechanisms/outcome.js";
import { validateOutcome } from "../mechanisms/validate.js";

export interface Check {
  /** Reads as a sentence about the extension. */
  readonly title: string;
  /** Throws if it is not so; the message holds the smallest case found, and fast-check's seed and path. */
  run(): void;
}

export interface CaseOptions {
  /** How many random cases each check tries. */
  readonly runs?: number | undefined;
  readonly seed?: number | undefined;
}

/** A check that something holds for every case, which it does unless it throws. */
function checkAll<Case>(
  title: string,
  cases: fc.Arbitrary<Case>,
  { runs = 100, seed, holds }: CaseOptions & { readonly holds: (one: Case) => unknown },
): Check {
  const parameters = seed === undefined ? { numRuns: runs } : { numRuns: runs, seed };
  return {
    title,
    run: () =>
      fc.assert(
        fc.property(cases, (one) => void holds(one)),
        parameters,
      ),
  };
}

export interface ContractOptions extends MarketLimits, CaseOptions {}

/** Rounding may not count as a broken promise. */
const SLACK = 1e-9;

/** What every mechanism must keep to, and what this one says of itself. */
export function mechanismContract(
  given: AnyMechanism | StochasticMechanism,
  options: ContractOptions = {},
): Check[] {
  const mechanism = needsStream(given) ? withSeed(given) : given;
  const rules = [...shapeRules, ...purityRules, ...moneyRules];
  if (!mechanism.offline) rules.push(...onlineRules);
  if (mechanism.truthful !== undefined) rules.push(...truthfulRules);
  const { runs, seed, ...limits } = options;
  const cases = fc.tuple(marketArbitrary(limits), fc.nat());
  return rules.map(([title, rule]) =>
    checkAll(title, cases, { runs, seed, holds: ([market, pick]) => rule(mechanism, market, pick) }),
  );
}

/** A title, and what must hold for any market; `pick` chooses a worker, a round or an order where one is wanted. */
type MechanismRule = readonly [
  title: string,
  holds: (mechanism: AnyMechanism, market: Market, pick: number) => void,
];

const shapeRules: MechanismRule[] = [
  [
    "decides markets of no worker and of one",
    (mechanism, { rules, workers }) => {
      decided(mechanism, { rules, workers: [] });
      for (const worker of workers) decided(mechanism, { rules, workers: [worker] });
    },
  ],
  [
    "returns a whole outcome: everybody once, finite numbers, rounds within the task, nothing for the unselected",
    (mechanism, market) => decided(mechanism, market),
  ],
  [
    "[M1] never selects a worker without reputation",
    (mechanism, market) => {
      const winners = winnersOf(hold(mechanism, market));
      for (const { id, reputation } of market.workers)
        must(reputation > 0 || !winners.has(id), `worker ${id} wins with reputation 0`);
    },
  ],
];

/** The outcome, if it is one. */
const decided = (mechanism: AnyMechanism, market: Market): Outcome =>
  validateOutcome(hold(mechanism, market), { rules: market.rules, bids: market.workers, source: "decide" });

const purityRules: MechanismRule[] = [
  [
    "leaves the rules and bids it is given as they are",
    (mechanism, { rules, workers }) => {
      const given = {
        rules: { ...rules },
        bids: bidders(workers).map((bid, k) => informed(bid, workers[k]!)),
      };
      const before = structuredClone(given);
      mechanism.decide(given.rules, given.bids);
      mustBeSame(given, before, "rules and bids after a decision");
    },
  ],
  [
    "gives the same outcome for the same market, whatever was decided in between",
    (mechanism, market) => {
      const first = hold(mechanism, market);
      const before = structuredClone(first);
      hold(mechanism, { ...market, workers: market.workers.slice(1) });
      mustBeSame(first, before, "the first outcome after another auction");
      mustBeSame(hold(mechanism, market), before, "the second outcome");
    },
  ],
  [
    "[M2] does not care about the order of its input",
    (mechanism, market, pick) => {
      const { rules, workers } = market;
      const turn = workers.length === 0 ? 0 : pick % workers.length;
      const turned = [...workers.slice(turn), ...workers.slice(0, turn)].reverse();
      mustBeSame(hold(mechanism, { rules, workers: turned }), hold(mechanism, market), "the outcome");
    },
  ],
  [
    "decides alike with and without a trace",
    (mechanism, market) =>
      mustBeSame(
        hold(mechanism, market, [], () => {}),
        hold(mechanism, market),
        "the outcome",
      ),
  ],
];

/** A yardstick is shown costs; others do not look. */
const informed = (bid: Bidder, { cost }: Worker): InformedBidder => ({ ...bid, cost });

const moneyRules: MechanismRule[] = [
  [
    "pays nobody less than zero where it keeps its budget",
    (mechanism, market) => {
      if (!keepsBudget(mechanism, market)) return;
      for (const { id, payment } of hold(mechanism, market).workers)
        must(payment >= -SLACK * market.rules.budget, `worker ${id} is paid ${payment}`);
    },
  ],
  [
    "never pays more than the budget where it promises so",
    (mechanism, market) => {
      const { spent } = publisherAccount(market.workers, hold(mechanism, market));
      const { budget } = market.rules;
      must(!keepsBudget(mechanism, market) || spent <= budget * (1 + SLACK), `spends ${spent} of ${budget}`);
    },
  ],
];

const onlineRules: MechanismRule[] = [
  [
    "selects by a round only from what has arrived by then",
    (mechanism, market, pick) => {
      const now = 1 + (pick % market.rules.rounds);
      const arrived = { ...market, workers: market.workers.filter(({ arrival }) => arrival <= now) };
      mustBeSame(
        selectedBy(now, hold(mechanism, market)),
        selectedBy(now, hold(mechanism, arrived)),
        `by clock ${now}`,
      );
    },
  ],
];

const truthfulRules: MechanismRule[] = [
  [
    "lets nobody gain by a lie about price or arrival, as it claims",
    (mechanism, market, pick) => {
      if (market.workers.length === 0) return;
      const { id } = market.workers[pick % market.workers.length]!;
      for (const { gain, best } of bestResponses(market, { mechanism, workers: [id] }).workers)
        must(gain <= SLACK * market.rules.budget, `worker ${id} gains ${gain} by ${JSON.stringify(best)}`);
    },
  ],
];

const keepsBudget = ({ keepsBudget }: AnyMechanism, { rules }: Market): boolean =>
  keepsBudget?.(rules) ?? true;

const winnersOf = ({ workers }: Outcome): Set<number> =>
  new Set(workers.filter(({ selectedAt }) => selectedAt !== null).map(({ id }) => id));

/** The workers selected by a clock tick, each with its round. */
function selectedBy(clock: number, { workers, startDelay }: Outcome): [number, number][] {
  return workers.flatMap(({ id, selectedAt }): [number, number][] =>
    selectedAt !== null && selectedAt + (startDelay ?? 0) <= clock ? [[id, selectedAt]] : [],
  );
}

function must(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

function mustBeSame(got: unknown, wanted: unknown, what: string): void {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  must(a === b, `${what}: got ${a}, not ${b}`);
}

/** The first worker of a market is played by the agent, after the tasks before it. */
interface Situation {
  readonly market: Market;
  readonly past: readonly Market[];
  readonly seed: number;
}

const someMarket = marketArbitrary({ minWorkers: 1 });
const situations: fc.Arbitrary<Situation> = fc.record({
  market: someMarket,
  past: fc.array(someMarket, { minLength: 1, maxLength: 3 }),
  seed: fc.nat(),
});

/** A long history is a short one repeated. */
const LONG = 100;

type AgentRule = readonly [title: string, holds: (agent: AnyAgent, situation: Situation) => unknown];

/** What every agent must keep to, and what its traits say of it. */
export function agentContract(agent: AnyAgent, options: CaseOptions = {}): Check[] {
  const { stochastic, lies, learns } = agent.traits;
  const rules = [...commonRules];
  if (!stochastic) rules.push(["does not draw", expectSameWithAnyStream]);
  if (!learns) rules.push(["does not look at past tasks", expectSameWithAnyHistory]);
  if (!lies.includes("price"))
    rules.push(["bids its cost", (_, situation) => expectTrue(agent, situation, "price")]);
  if (!lies.includes("time"))
    rules.push(["is never late", (_, situation) => expectTrue(agent, situation, "arrival")]);
  if (!lies.includes("identity"))
    rules.push(["keeps its name", (_, situation) => expectTrue(agent, situation, "newName")]);
  if (!lies.includes("effort"))
    rules.push(["trains on all its data", (_, situation) => expectTrue(agent, situation, "effort")]);
  return rules.map(([title, rule]) =>
    checkAll(title, situations, { ...options, holds: (situation) => rule(agent, situation) }),
  );
}

const commonRules: AgentRule[] = [
  ["bids finite numbers at its first task", (agent, situation) => decisionOf(agent, viewOf(situation))],
  [
    "bids finite numbers after many tasks",
    (agent, situation) => {
      const history = historyOf(agent, situation);
      decisionOf(agent, viewOf(situation, Array<PastTask[]>(LONG).fill(history).flat()));
    },
  ],
  [
    "gives the same bid for the same view and stream",
    (agent, situation) => {
      const view = viewOf(situation, historyOf(agent, situation));
      expectSame(
        decisionOf(agent, view, situation.seed),
        decisionOf(agent, view, situation.seed),
        "asked again",
      );
    },
  ],
  [
    "leaves its view as it is",
    (agent, situation) => decisionOf(agent, frozen(viewOf(situation, historyOf(agent, situation)))),
  ],
];

function viewOf({ market }: Situation, history: readonly PastTask[] = []): InformedView {
  const [self, ...others] = market.workers;
  return { self: self!, rules: market.rules, history, others: bidders(others), mechanism: online };
}

/** All that an agent decides: its bid, whether it takes a new name, and how it trains. */
interface Decision extends Offer {
  readonly newName: boolean;
  readonly effort: Effort;
}

/** A newcomer's reputation may be anything; it is tried at these. */
const newcomers = [0, 0.5, 1];

/** Only an informed agent is handed more than its own view: one that peeks without saying so finds nothing. */
function decisionOf(agent: AnyAgent, view: InformedView, seed = 0): Decision {
  const { self, rules, history } = view;
  const random = stream(seed);
  const [other] = agent.traits.lies.includes("coalition") ? view.others : [];
  const own = Object.freeze({ self, rules, history, ...(other && { partner: partnerOf(other) }) });
  const offer = isInformed(agent) ? agent.bid({ ...view, ...own }, random) : agent.bid(own, random);
  const { price, arrival } = legalBid(offer, view, agent.name);
  const newName = newcomers.filter((newcomer) => renames(agent, own, newcomer)).length > 0;
  return { price, arrival, newName, effort: effortOf(agent, own) };
}

/** The others tell the truth. */
const partnerOf = ({ price, ...bidder }: Bidder): Worker => frozenCopy({ ...bidder, cost: price });

/** What the agent would remember had it played the past tasks, one after another, among truthful others. */
function historyOf(agent: AnyAgent, { past, seed }: Situation): PastTask[] {
  const history: PastTask[] = [];
  for (const [task, market] of past.entries()) {
    const { id } = market.workers[0]!;
    const bids = playMarket({
      market,
      agents: (worker) => (worker.id === id ? agent : undefined),
      stream: stream(seed).fork(task),
      history: () => [...history],
    });
    history.push(remember({ market, bids, outcome: hold(online, market, bids) })(id));
  }
  return history;
}

function expectSameWithAnyStream(agent: AnyAgent, situation: Situation): void {
  const view = viewOf(situation, historyOf(agent, situation));
  expectSame(decisionOf(agent, view, 0), decisionOf(agent, view, situation.seed + 1), "with another stream");
}

function expectSameWithAnyHistory(agent: AnyAgent, situation: Situation): void {
  const now = decisionOf(agent, viewOf(situation), situation.seed);
  expectSame(
    now,
    decisionOf(agent, viewOf(situation, historyOf(agent, situation)), situation.seed),
    "with another history",
  );
}

function expectTrue(agent: AnyAgent, situation: Situation, field: keyof Decision): void {
  const { self } = viewOf(situation);
  const truth = { price: self.cost, arrival: self.arrival, newName: false, effort: 1 }[field];
  for (const history of [[], historyOf(agent, situation)]) {
    const said = decisionOf(agent, viewOf(situation, history), situation.seed)[field];
    if (said !== truth) throw new Error(`the ${field} is ${truth}, and it says ${said}`);
  }
}

function expectSame(once: Decision, again: Decision, when: string): void {
  if (JSON.stringify(once) === JSON.stringify(again)) return;
  throw new Error(`it decides ${JSON.stringify(once)}, and ${when} ${JSON.stringify(again)}`);
}

/** The view with all its data frozen: writing to it throws. */
const frozen = ({ mechanism, ...data }: InformedView): InformedView =>
  Object.freeze({ ...frozenCopy(data), mechanism });
