/** What every agent owes, as checks over random types, rules, rivals and histories. */

import * as fc from "fast-check";
import { type AnyAgent, type InformedView, isInformed, type Offer, type PastTask } from "../agents/agent.js";
import { legalBid, playMarket, remember } from "../agents/play.js";
import { stream } from "../lib/random.js";
import { marketArbitrary } from "../market/arbitraries.js";
import { bidders, type Market } from "../market/market.js";
import { hold } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import { type Check, type CheckOptions, checkAll } from "./contract.js";

/** The first worker's seat in a market, and the tasks before it. */
interface Seat {
  readonly market: Market;
  readonly past: readonly Market[];
  readonly seed: number;
}

const someMarket = marketArbitrary({ minWorkers: 1 });
const seats: fc.Arbitrary<Seat> = fc.record({
  market: someMarket,
  past: fc.array(someMarket, { minLength: 1, maxLength: 3 }),
  seed: fc.nat(),
});

/** A long memory is a short one, over and over. */
const LONG = 100;

type Rule = readonly [title: string, holds: (agent: AnyAgent, seat: Seat) => unknown];

/** What every agent must keep to, and what its traits say of it. */
export function agentContract(agent: AnyAgent, options: CheckOptions = {}): Check[] {
  const { stochastic, lies, learns } = agent.traits;
  const rules = [...commonRules];
  if (!stochastic) rules.push(["does not draw", expectSameWithAnyStream]);
  if (!learns) rules.push(["does not look at past tasks", expectSameWithAnyHistory]);
  if (!lies.includes("price")) rules.push(["bids its cost", (_, seat) => expectTrue(agent, seat, "price")]);
  if (!lies.includes("time")) rules.push(["is never late", (_, seat) => expectTrue(agent, seat, "arrival")]);
  return rules.map(([title, rule]) =>
    checkAll(title, seats, { ...options, holds: (seat) => rule(agent, seat) }),
  );
}

const commonRules: Rule[] = [
  ["bids finite numbers at its first task", (agent, seat) => bidAt(agent, viewOf(seat))],
  [
    "bids finite numbers after many tasks",
    (agent, seat) => {
      const career = careerOf(agent, seat);
      bidAt(agent, viewOf(seat, Array<PastTask[]>(LONG).fill(career).flat()));
    },
  ],
  [
    "gives the same bid for the same view and stream",
    (agent, seat) => {
      const view = viewOf(seat, careerOf(agent, seat));
      expectSame(bidAt(agent, view, seat.seed), bidAt(agent, view, seat.seed), "asked again");
    },
  ],
  ["leaves its view as it is", (agent, seat) => bidAt(agent, frozen(viewOf(seat, careerOf(agent, seat))))],
];

function viewOf({ market }: Seat, history: readonly PastTask[] = []): InformedView {
  const [self, ...others] = market.workers;
  return { self: self!, rules: market.rules, history, others: bidders(others), mechanism: online };
}

/** Only an informed agent is handed more than its own view: one that peeks without saying so finds nothing. */
function bidAt(agent: AnyAgent, view: InformedView, seed = 0): Offer {
  const { self, rules, history } = view;
  const random = stream(seed);
  const offer = isInformed(agent)
    ? agent.bid(view, random)
    : agent.bid(Object.freeze({ self, rules, history }), random);
  const { price, arrival } = legalBid(offer, view, agent.name);
  return { price, arrival };
}

/** What the agent would remember had it played the past tasks, one after another, among truthful others. */
function careerOf(agent: AnyAgent, { past, seed }: Seat): PastTask[] {
  const history: PastTask[] = [];
  for (const [task, market] of past.entries()) {
    const { id } = market.workers[0]!;
    const bids = playMarket({
      market,
      agents: (worker) => (worker.id === id ? agent : undefined),
      stream: stream(seed).fork(task),
      history: () => [...history],
    });
    history.push(remember(market, bids, hold(online, market, bids))(id));
  }
  return history;
}

function expectSameWithAnyStream(agent: AnyAgent, seat: Seat): void {
  const view = viewOf(seat, careerOf(agent, seat));
  expectSame(bidAt(agent, view, 0), bidAt(agent, view, seat.seed + 1), "with another stream");
}

function expectSameWithAnyHistory(agent: AnyAgent, seat: Seat): void {
  const now = bidAt(agent, viewOf(seat), seat.seed);
  expectSame(now, bidAt(agent, viewOf(seat, careerOf(agent, seat)), seat.seed), "with another history");
}

function expectTrue(agent: AnyAgent, seat: Seat, field: keyof Offer): void {
  const { self } = viewOf(seat);
  const truth = { price: self.cost, arrival: self.arrival }[field];
  for (const history of [[], careerOf(agent, seat)]) {
    const said = bidAt(agent, viewOf(seat, history), seat.seed)[field];
    if (said !== truth) throw new Error(`the ${field} is ${truth}, and it says ${said}`);
  }
}

function expectSame(once: Offer, again: Offer, when: string): void {
  if (once.price === again.price && once.arrival === again.arrival) return;
  throw new Error(`it bids ${JSON.stringify(once)}, and ${when} ${JSON.stringify(again)}`);
}

/** The view with all its data frozen: writing to it throws. */
function frozen({ mechanism, ...data }: InformedView): InformedView {
  return Object.freeze({ ...freeze(data), mechanism });
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
