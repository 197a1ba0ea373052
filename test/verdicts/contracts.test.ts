import { expect, it } from "vitest";
import type { Bidder } from "../../src/market/market.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import type { Allotment, Mechanism, Outcome } from "../../src/mechanisms/mechanism.js";
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

const failing = (mechanism: Mechanism, options: ContractOptions = { seed: 1 }): string[] =>
  mechanismContract(mechanism, options).flatMap((check) => {
    try {
      check.run();
      return [];
    } catch {
      return [check.title];
    }
  });

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
    "lists everybody once, by id",
    broken((rules, bids) => {
      const outcome = bidGreedy.decide(rules, bids);
      return { ...outcome, workers: outcome.workers.filter(({ selectedAt }) => selectedAt !== null) };
    }),
  ],
  [
    "has a winner work from its selection on, and no longer than the task lasts",
    spoilt(({ selectedAt }) => (selectedAt === null ? {} : { selectedAt: 2 })),
  ],
  [
    "neither pays nor employs anybody it does not select",
    spoilt(({ selectedAt }) => (selectedAt === null ? { payment: 1e-3 } : {})),
  ],
  [
    "[M1] never selects a worker without reputation",
    spoilt((_, { reputation }) => (reputation === 0 ? { selectedAt: 1, rounds: 1 } : {})),
  ],
  [
    "gives the same outcome for the same market, whatever was decided in between",
    broken((rules, bids) => late(bidGreedy.decide(rules, bids))),
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
    "pays finite amounts, none below zero where it keeps its budget",
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

it.each(cases)("finds out a mechanism of which it is not true that it %s", (title, mechanism) => {
  expect(failing(mechanism)).toContain(title);
});

it("covers every check", () => {
  const titles = mechanismContract({ ...online, truthful: "" }).map(({ title }) => title);
  expect(cases.map(([title]) => title).sort()).toEqual(titles.sort());
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
