/** What every extension must keep to, as checks that any test runner can run: `for (const c of …) it(c.title, c.run)`. */

import * as fc from "fast-check";
import {
  type AnyAgent,
  type Effort,
  type InformedView,
  isInformed,
  type Lie,
  type Offer,
  type PastTask,
} from "../agents/agent.js";
import { effortOf, legalBid, playMarket, remember, renames } from "../agents/play.js";
import {
  type AnyMechanism,
  needsStream,
  type Outcome,
  runAuction,
  type StochasticMechanism,
  withSeed,
} from "../auction/mechanism.js";
import { publisherAccount } from "../auction/outcome.js";
import { stream } from "../lib/random.js";
import { frozenCopy } from "../lib/schema.js";
import { PROMISE_KEPT } from "../lib/search-tolerances.js";
import { type MarketLimits, marketArbitrary } from "../market/generators.js";
import { type Bidder, bidders, type Market, type Worker } from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import { validateOutcome } from "../mechanisms/validate.js";
import { bestResponses } from "../responses/index.js";

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

/** What every mechanism must keep to, and what this one says of itself. */
export function mechanismContract(
  given: AnyMechanism | StochasticMechanism,
  options: ContractOptions = {},
): Check[] {
  const mechanism = needsStream(given) ? withSeed(given) : given;
  const rules = {
    ...mechanismRules,
    ...(!mechanism.offline && onlineRules),
    ...(mechanism.truthful !== undefined && truthfulRules),
  };
  const { runs, seed, ...limits } = options;
  const cases = fc.tuple(marketArbitrary(limits), fc.nat());
  return Object.entries(rules).map(([title, rule]) =>
    checkAll(title, cases, { runs, seed, holds: ([market, pick]) => rule(mechanism, market, pick) }),
  );
}

/** By title, what must hold for any market; `pick` chooses a worker, a round or an order where one is wanted. */
type MechanismRules = Record<string, (mechanism: AnyMechanism, market: Market, pick: number) => void>;

const mechanismRules: MechanismRules = {
  "decides markets of no worker and of one": (mechanism, { rules, workers }) => {
    decided(mechanism, { rules, workers: [] });
    for (const worker of workers) decided(mechanism, { rules, workers: [worker] });
  },
  "returns a whole outcome: everybody once, finite numbers, rounds within the task, nothing for the unselected":
    (mechanism, market) => decided(mechanism, market),
  "[M1] never selects a worker without reputation": (mechanism, market) => {
    const without = new Set(market.workers.filter((one) => one.reputation === 0).map(({ id }) => id));
    for (const { id, selectedAt } of runAuction(mechanism, market).workers)
      must(selectedAt === null || !without.has(id), `worker ${id} wins with reputation 0`);
  },
  "leaves the rules and bids it is given as they are": (mechanism, { rules, workers }) => {
    // A yardstick is shown costs; others do not look.
    const bids = bidders(workers).map((bid) => ({ ...bid, cost: bid.price }));
    const given = { rules: { ...rules }, bids };
    const before = structuredClone(given);
    mechanism.decide(given.rules, given.bids);
    mustBeSame(given, before, "rules and bids after a decision");
  },
  "gives the same outcome for the same market, whatever was decided in between": (mechanism, market) => {
    const first = runAuction(mechanism, market);
    const before = structuredClone(first);
    runAuction(mechanism, { ...market, workers: market.workers.slice(1) });
    mustBeSame(first, before, "the first outcome after another auction");
    mustBeSame(runAuction(mechanism, market), before, "the second outcome");
  },
  "[M2] does not care about the order of its input": (mechanism, market, pick) => {
    const { rules, workers } = market;
    const turn = workers.length === 0 ? 0 : pick % workers.length;
    const turned = [...workers.slice(turn), ...workers.slice(0, turn)].reverse();
    mustBeSame(
      runAuction(mechanism, { rules, workers: turned }),
      runAuction(mechanism, market),
      "the outcome",
    );
  },
  "decides alike with and without a trace": (mechanism, market) => {
    const traced = runAuction(mechanism, market, [], () => {});
    mustBeSame(traced, runAuction(mechanism, market), "the outcome");
  },
  "pays nobody less than zero where it keeps its budget": (mechanism, market) => {
    if (!keepsBudget(mechanism, market)) return;
    for (const { id, payment } of runAuction(mechanism, market).workers)
      must(payment >= -PROMISE_KEPT * market.rules.budget, `worker ${id} is paid ${payment}`);
  },
  "never pays more than the budget where it promises so": (mechanism, market) => {
    const { spent } = publisherAccount(market.workers, runAuction(mechanism, market));
    const { budget } = market.rules;
    must(
      !keepsBudget(mechanism, market) || spent <= budget * (1 + PROMISE_KEPT),
      `spends ${spent} of ${budget}`,
    );
  },
};

const onlineRules: MechanismRules = {
  "selects by a round only from what has arrived by then": (mechanism, market, pick) => {
    const now = 1 + (pick % market.rules.rounds);
    const arrived = { ...market, workers: market.workers.filter(({ arrival }) => arrival <= now) };
    const selected = [market, arrived].map((one) => selectedBy(now, runAuction(mechanism, one)));
    mustBeSame(selected[0], selected[1], `by clock ${now}`);
  },
};

const truthfulRules: MechanismRules = {
  "lets nobody gain by a lie about price or arrival, as it claims": (mechanism, market, pick) => {
    if (market.workers.length === 0) return;
    const { id } = market.workers[pick % market.workers.length]!;
    for (const { gain, best } of bestResponses(market, { mechanism, workers: [id] }).workers)
      must(
        gain <= PROMISE_KEPT * market.rules.budget,
        `worker ${id} gains ${gain} by ${JSON.stringify(best)}`,
      );
  },
};

/** The outcome, if it is one. */
const decided = (mechanism: AnyMechanism, market: Market): Outcome =>
  validateOutcome(runAuction(mechanism, market), {
    rules: market.rules,
    bids: market.workers,
    source: "decide",
  });

const keepsBudget = ({ keepsBudget }: AnyMechanism, { rules }: Market): boolean =>
  keepsBudget?.(rules) ?? true;

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
  const a = JSON.stringify(got);
  const b = JSON.stringify(wanted);
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

type AgentRules = Record<string, (agent: AnyAgent, situation: Situation) => void>;

/** What every agent must keep to, and what its traits say of it. */
export function agentContract(agent: AnyAgent, options: CaseOptions = {}): Check[] {
  const { stochastic, lies, learns } = agent.traits;
  const truths = truthRules.filter(([lie]) => !lies.includes(lie));
  const rules = {
    ...agentRules,
    ...(!stochastic && streamRules),
    ...(!learns && historyRules),
    ...Object.fromEntries(
      truths.map(([, title, field]) => [title, (_: AnyAgent, on: Situation) => mustBeTrue(agent, on, field)]),
    ),
  };
  return Object.entries(rules).map(([title, rule]) =>
    checkAll(title, situations, { ...options, holds: (situation) => rule(agent, situation) }),
  );
}

const agentRules: AgentRules = {
  "bids finite numbers at its first task": (agent, situation) => decisionOf(agent, viewOf(situation)),
  "bids finite numbers after many tasks": (agent, situation) => {
    const history = historyOf(agent, situation);
    decisionOf(agent, viewOf(situation, Array<PastTask[]>(LONG).fill(history).flat()));
  },
  "gives the same bid for the same view and stream": (agent, situation) => {
    const view = viewOf(situation, historyOf(agent, situation));
    const decide = () => decisionOf(agent, view, situation.seed);
    mustDecideAlike(decide(), decide(), "asked again");
  },
  "leaves its view as it is": (agent, situation) =>
    decisionOf(agent, frozen(viewOf(situation, historyOf(agent, situation)))),
};

const streamRules: AgentRules = {
  "does not draw": (agent, situation) => {
    const view = viewOf(situation, historyOf(agent, situation));
    const other = decisionOf(agent, view, situation.seed + 1);
    mustDecideAlike(decisionOf(agent, view, 0), other, "with another stream");
  },
};

const historyRules: AgentRules = {
  "does not look at past tasks": (agent, situation) => {
    const decide = (past?: PastTask[]) => decisionOf(agent, viewOf(situation, past), situation.seed);
    mustDecideAlike(decide(), decide(historyOf(agent, situation)), "with another history");
  },
};

/** What one that does not lie in some way decides truly. */
const truthRules: readonly (readonly [lie: Lie, title: string, field: keyof Decision])[] = [
  ["price", "bids its cost", "price"],
  ["time", "is never late", "arrival"],
  ["identity", "keeps its name", "newName"],
  ["effort", "trains on all its data", "effort"],
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
    history.push(remember({ market, bids, outcome: runAuction(online, market, bids) })(id));
  }
  return history;
}

function mustBeTrue(agent: AnyAgent, situation: Situation, field: keyof Decision): void {
  const { self } = viewOf(situation);
  const truth = { price: self.cost, arrival: self.arrival, newName: false, effort: 1 }[field];
  for (const history of [[], historyOf(agent, situation)]) {
    const said = decisionOf(agent, viewOf(situation, history), situation.seed)[field];
    must(said === truth, `the ${field} is ${truth}, and it says ${said}`);
  }
}

function mustDecideAlike(once: Decision, again: Decision, when: string): void {
  const a = JSON.stringify(once);
  const b = JSON.stringify(again);
  must(a === b, `it decides ${a}, and ${when} ${b}`);
}

/** The view with all its data frozen: writing to it throws. */
const frozen = ({ mechanism, ...data }: InformedView): InformedView =>
  Object.freeze({ ...frozenCopy(data), mechanism });
