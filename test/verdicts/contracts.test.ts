import { expect, it } from "vitest";
import type { Stream } from "../../src/lib/random.js";
import type { Bidder } from "../../src/market/market.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import type { Allotment, Mechanism, Outcome, StochasticMechanism } from "../../src/mechanisms/mechanism.js";
import { online } from "../../src/mechanisms/online.js";
import { twoStage } from "../../src/mechanisms/two-stage.js";
import { type ContractOptions, mechanismContract } from "../../src/verdicts/contracts.js";

const broken = (decide: Mechanism["decide"], traits: Partial<Mechanism> = {}): Mechanism => ({
  ...bidGreedy,
  ...traits,
  decide,
});

/** A sound mechanism whose allotments are spoilt afterwards. */
const spoilt = (spoil: (allotment: Allotment, bidder: Bidder) => Partial<Allotment>): Mechanism =>
  broken((rules, bids) => {
    const outcome = bidGreedy.decide(rules, bids);
    const bidderOf = new Map(bids.map((bid) => [bid.id, bid]));
    const spoilOne = (w: Allotment) => ({ ...w, ...spoil(w, bidderOf.get(w.id)!) });
    return { ...outcome, workers: outcome.workers.map(spoilOne) };
  });

const failing = (
  mechanism: Mechanism | StochasticMechanism,
  options: ContractOptions = { seed: 1 },
): string[] =>
  mechanismContract(mechanism, options).flatMap((check) => {
    try {
      check.run();
      return [];
    } catch {
      return [check.title];
    }
  });

const WHOLE =
  "returns a whole outcome: everybody once, finite numbers, rounds within the task, nothing for the unselected";
const UNTOUCHED = "leaves the rules and bids it is given as they are";

let calls = 0;
const late = (outcome: Outcome): Outcome => ({ ...outcome, startDelay: calls++ });

const cases: [string, Mechanism][] = [
  [
    "decides markets of no worker and of one",
    broken((rules, bids) => {
      if (bids.length === 1) throw new Error("too few");
      return bidGreedy.decide(rules, bids);
    }),
  ],
  [
    WHOLE,
    broken((rules, bids) => {
      const outcome = bidGreedy.decide(rules, bids);
      return { ...outcome, workers: outcome.workers.filter(({ selectedAt }) => selectedAt !== null) };
    }),
  ],
  [WHOLE, spoilt(({ selectedAt }) => (selectedAt === null ? {} : { selectedAt: 2 }))],
  [WHOLE, spoilt(({ selectedAt }) => (selectedAt === null ? { payment: 1e-3 } : {}))],
  [WHOLE, spoilt(() => ({ payment: Number.NaN }))],
  [WHOLE, spoilt(({ payment }) => ({ payment: `${payment}` as never }))],
  [WHOLE, broken((rules, bids) => Promise.resolve(bidGreedy.decide(rules, bids)) as never)],
  [WHOLE, broken((rules, bids) => ({ ...bidGreedy.decide(rules, bids), budgetEvents: undefined as never }))],
  [WHOLE, broken((rules, bids) => ({ ...bidGreedy.decide(rules, bids), thresholds: undefined as never }))],
  [
    "[M1] never selects a worker without reputation",
    spoilt((_, { reputation }) => (reputation === 0 ? { selectedAt: 1, rounds: 1 } : {})),
  ],
  [
    "gives the same outcome for the same market, whatever was decided in between",
    broken((rules, bids) => late(bidGreedy.decide(rules, bids))),
  ],
  [
    "gives the same outcome for the same market, whatever was decided in between",
    spoilt(({ selectedAt }) => (selectedAt === null ? {} : { payment: Math.random() / 1e9 })),
  ],
  [UNTOUCHED, broken((rules, bids) => bidGreedy.decide(Object.assign(rules, { budget: 99 }), bids))],
  [UNTOUCHED, broken((rules, bids) => bidGreedy.decide(rules, (bids as Bidder[]).reverse()))],
  [
    UNTOUCHED,
    broken((rules, bids) => {
      for (const bid of bids) Object.assign(bid, { price: 0 });
      return bidGreedy.decide(rules, bids);
    }),
  ],
  [
    "[M2] does not care about the order of its input",
    broken((rules, bids) => {
      const outcome = bidGreedy.decide(rules, bids.slice(0, 1));
      const rest = bids.slice(1).map(({ id }) => ({ id, selectedAt: null, rounds: 0, payment: 0 }));
      return { ...outcome, workers: [...outcome.workers, ...rest].sort((a, b) => a.id - b.id) };
    }),
  ],
  [
    "decides alike with and without a trace",
    broken((rules, bids, trace) => bidGreedy.decide(trace ? { ...rules, budget: 0.1 } : rules, bids)),
  ],
  [
    "pays nobody less than zero where it keeps its budget",
    spoilt(({ selectedAt, payment }) => (selectedAt === null ? {} : { payment: payment - 1 })),
  ],
  [
    "never pays more than the budget where it promises so",
    spoilt(({ payment }) => ({ payment: 3 * payment })),
  ],
  [
    "selects by a round only from what has arrived by then",
    { name: "hasty", about: "Claims to be online.", decide: bidGreedy.decide },
  ],
  [
    "lets nobody gain by a lie about price or arrival, as it claims",
    { ...bidGreedy, truthful: "It says so." },
  ],
];

it.each(cases)("%#: finds out a mechanism of which it is not true that it %s", (title, mechanism) => {
  expect(failing(mechanism)).toContain(title);
});

it("covers every check", () => {
  const titles = mechanismContract({ ...online, truthful: "" }).map(({ title }) => title);
  expect([...new Set(cases.map(([title]) => title))].sort()).toEqual(titles.sort());
});

it.each([online, twoStage])("finds a lie that pays in $name", (mechanism) => {
  expect(failing({ ...mechanism, truthful: "" }, { runs: 1000, seed: 1 })).toEqual([
    "lets nobody gain by a lie about price or arrival, as it claims",
  ]);
});

it("holds online to its budget only up to a ratio of one half", () => {
  expect(failing({ ...online, keepsBudget: () => true }, { runs: 1000, seed: 1 })).toContain(
    "never pays more than the budget where it promises so",
  );
});

it("hands a stream to a mechanism that says it draws, and holds it to draw from nothing else", () => {
  const lottery = (draw: (random: Stream) => number): StochasticMechanism => ({
    name: "lottery",
    about: "Draws its budget.",
    offline: true,
    stochastic: true,
    decide: (rules, bids, _, random) =>
      bidGreedy.decide({ ...rules, budget: rules.budget * draw(random) }, bids),
  });
  expect(failing(lottery((random) => random.next()))).toEqual([]);
  expect(failing(lottery(() => Math.random()))).toContain(
    "gives the same outcome for the same market, whatever was decided in between",
  );
});
