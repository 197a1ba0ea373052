/** What every extension must keep to, as checks that any test runner can run: `for (const c of …) it(c.title, c.run)`. */

import * as fc from "fast-check";
import { searchResponses } from "../best-response/search.js";
import { type MarketLimits, marketArbitrary } from "../market/arbitraries.js";
import type { Market } from "../market/market.js";
import { type AnyMechanism, hold, type Outcome } from "../mechanisms/mechanism.js";
import { publisherAccount } from "../mechanisms/utility.js";
import { type Check, type CheckOptions, checkAll } from "./contract.js";

export { agentContract } from "./agent-contract.js";
export type { Check, CheckOptions } from "./contract.js";

export interface ContractOptions extends MarketLimits, CheckOptions {}

/** Rounding may not count as a broken promise. */
const SLACK = 1e-9;

/** What every mechanism must keep to, and what this one says of itself. */
export function mechanismContract(mechanism: AnyMechanism, options: ContractOptions = {}): Check[] {
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
type Rule = readonly [title: string, holds: (mechanism: AnyMechanism, market: Market, pick: number) => void];

const shapeRules: Rule[] = [
  [
    "decides markets of no worker and of one",
    (mechanism, { rules, workers }) => {
      hold(mechanism, { rules, workers: [] });
      for (const worker of workers) hold(mechanism, { rules, workers: [worker] });
    },
  ],
  [
    "lists everybody once, by id",
    (mechanism, market) => {
      const ids = market.workers.map(({ id }) => id).sort((a, b) => a - b);
      same(
        hold(mechanism, market).workers.map(({ id }) => id),
        ids,
        "ids",
      );
    },
  ],
  [
    "has a winner work from its selection on, and no longer than the task lasts",
    (mechanism, market) => {
      const { rounds: last } = market.rules;
      for (const { id, selectedAt, rounds } of hold(mechanism, market).workers) {
        if (selectedAt === null) continue;
        must(Number.isInteger(selectedAt) && selectedAt >= 1, `worker ${id} is selected at ${selectedAt}`);
        must(Number.isInteger(rounds) && rounds >= 1, `worker ${id} wins but works ${rounds} rounds`);
        must(rounds <= last - selectedAt + 1, `worker ${id} works ${rounds} rounds from ${selectedAt} on`);
      }
    },
  ],
  [
    "neither pays nor employs anybody it does not select",
    (mechanism, market) => {
      const { started, startDelay, workers } = hold(mechanism, market);
      must(started === (startDelay !== null), `started is ${started}, the delay ${startDelay}`);
      for (const { id, selectedAt, rounds, payment } of workers) {
        must(started || selectedAt === null, `worker ${id} is selected for a task that never started`);
        must(
          selectedAt !== null || (rounds === 0 && payment === 0),
          `worker ${id} gets ${payment} for ${rounds}`,
        );
      }
    },
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

const purityRules: Rule[] = [
  [
    "gives the same outcome for the same market, whatever was decided in between",
    (mechanism, market) => {
      const first = hold(mechanism, market);
      const before = structuredClone(first);
      hold(mechanism, { ...market, workers: market.workers.slice(1) });
      same(first, before, "the first outcome after another auction");
      same(hold(mechanism, market), before, "the second outcome");
    },
  ],
  [
    "[M2] does not care about the order of its input",
    (mechanism, market, pick) => {
      const { rules, workers } = market;
      const turn = workers.length === 0 ? 0 : pick % workers.length;
      const turned = [...workers.slice(turn), ...workers.slice(0, turn)].reverse();
      same(hold(mechanism, { rules, workers: turned }), hold(mechanism, market), "the outcome");
    },
  ],
  [
    "decides alike with and without a trace",
    (mechanism, market) =>
      same(
        hold(mechanism, market, [], () => {}),
        hold(mechanism, market),
        "the outcome",
      ),
  ],
];

const moneyRules: Rule[] = [
  [
    "pays finite amounts, none below zero where it keeps its budget",
    (mechanism, market) => {
      const least = keepsBudget(mechanism, market) ? -SLACK * market.rules.budget : Number.NEGATIVE_INFINITY;
      for (const { id, payment } of hold(mechanism, market).workers)
        must(Number.isFinite(payment) && payment >= least, `worker ${id} is paid ${payment}`);
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

const onlineRules: Rule[] = [
  [
    "selects by a round only from what has arrived by then",
    (mechanism, market, pick) => {
      const now = 1 + (pick % market.rules.rounds);
      const arrived = { ...market, workers: market.workers.filter(({ arrival }) => arrival <= now) };
      same(
        selectedBy(now, hold(mechanism, market)),
        selectedBy(now, hold(mechanism, arrived)),
        `by clock ${now}`,
      );
    },
  ],
];

const truthfulRules: Rule[] = [
  [
    "lets nobody gain by a lie about price or arrival, as it claims",
    (mechanism, market, pick) => {
      if (market.workers.length === 0) return;
      const { id } = market.workers[pick % market.workers.length]!;
      for (const { gain, best } of searchResponses(market, { mechanism, workers: [id] }).workers)
        must(gain <= SLACK * market.rules.budget, `worker ${id} gains ${gain} by ${JSON.stringify(best)}`);
    },
  ],
];

const keepsBudget = ({ keepsBudget }: AnyMechanism, { rules }: Market): boolean =>
  keepsBudget?.(rules) ?? true;

const winnersOf = ({ workers }: Outcome): Set<number> =>
  new Set(workers.filter(({ selectedAt }) => selectedAt !== null).map(({ id }) => id));

/** Who is selected by a clock tick, and in which round. */
function selectedBy(clock: number, { workers, startDelay }: Outcome): [number, number][] {
  return workers.flatMap(({ id, selectedAt }): [number, number][] =>
    selectedAt !== null && selectedAt + (startDelay ?? 0) <= clock ? [[id, selectedAt]] : [],
  );
}

function must(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

function same(got: unknown, wanted: unknown, what: string): void {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  must(a === b, `${what}: got ${a}, not ${b}`);
}
