import { expect, it } from "vitest";
import type { Allotment, Mechanism, Outcome, StochasticMechanism } from "../../src/auction/mechanism.js";
import type { Stream } from "../../src/lib/random.js";
import type { Bidder } from "../../src/market/market.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { fixedThreshold } from "../../src/mechanisms/fixed-threshold.js";
import { online } from "../../src/mechanisms/online/online.js";
import { proportionalShare } from "../../src/mechanisms/proportional-share.js";
import { twoStage } from "../../src/mechanisms/two-stage.js";
import { vanilla } from "../../src/mechanisms/vanilla.js";
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

/** The titles of the checks that fail, of all or of those with one title. */
const failing = (
  mechanism: Mechanism | StochasticMechanism,
  { only, ...options }: ContractOptions & { readonly only?: string } = {},
): string[] =>
  mechanismContract(mechanism, { seed: 1, ...options }).flatMap(({ title, run }) => {
    try {
      if (only === undefined || title === only) run();
      return [];
    } catch {
      return [title];
    }
  });

const WHOLE =
  "returns a whole outcome: everybody once, finite numbers, rounds within the task, nothing for the unselected";
const UNTOUCHED = "leaves the rules and bids it is given as they are";

let calls = 0;
const late = (outcome: Outcome): Outcome => ({ ...outcome, startDelay: calls++ });

/** An outcome in which nobody is selected but who is named, in a round. */
const selecting = (bids: readonly Bidder[], selected: ReadonlyMap<number, number>): Outcome => ({
  started: true,
  startDelay: 0,
  workers: bids
    .map(({ id }) => {
      const selectedAt = selected.get(id) ?? null;
      return { id, selectedAt, rounds: selectedAt === null ? 0 : 1, payment: 0 };
    })
    .sort((a, b) => a.id - b.id),
  thresholds: [],
  budgetEvents: [],
});

/** Selects one worker, by where it stands in the input, in the first round. */
const byPlace = (place: (bids: readonly Bidder[]) => number): Mechanism =>
  broken((_, bids) => selecting(bids, new Map(bids.length === 0 ? [] : [[bids[place(bids)]!.id, 1]])));

/** Selects by what is to come: of those that have arrived by a round, the first or the last by id. */
const foreseeing = (round: number): Mechanism => ({
  name: "foreseeing",
  about: "Claims to be online.",
  decide: (_, bids) => {
    const ids = bids.filter(({ arrival }) => arrival <= round).map(({ id }) => id);
    const chosen = bids.some(({ arrival }) => arrival === round + 1) ? Math.max(...ids) : Math.min(...ids);
    return selecting(bids, new Map([[chosen, round]]));
  },
});

let before = 0;

const ORDER = "[M2] does not care about the order of its input";
const BY_ROUND = "selects by a round only from what has arrived by then";

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
  [
    "gives the same outcome for the same market, whatever was decided in between",
    broken((rules, bids) => {
      const fewer = before < bids.length;
      before = bids.length;
      return { ...bidGreedy.decide(rules, bids), startDelay: fewer ? 1 : 0 };
    }),
  ],
  [ORDER, byPlace(() => 0)],
  [ORDER, byPlace(({ length }) => Math.floor(length / 2))],
  [
    ORDER,
    byPlace((bids) => {
      const least = bids.findIndex(({ id }) => bids.every((other) => id <= other.id));
      return (least + 1) % bids.length;
    }),
  ],
  [BY_ROUND, foreseeing(1)],
  [BY_ROUND, foreseeing(2)],
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
  expect(failing(mechanism, { only: title })).toEqual([title]);
});

it.each([bidGreedy, proportionalShare, fixedThreshold, vanilla])("finds no fault with $name", (mechanism) => {
  expect(failing(mechanism, { runs: 200 })).toEqual([]);
});

it("does not take rounding for a fault, at any budget", () => {
  const paying = (share: number): Mechanism =>
    broken(({ budget }, bids) => {
      const trusted = bids.filter(({ reputation }) => reputation > 0).map(({ id }) => id);
      const least = Math.min(...trusted);
      const outcome = selecting(bids, new Map([[least, 1]]));
      const pay = (one: Allotment) => (one.id === least ? { ...one, payment: share * budget } : one);
      return { ...outcome, workers: outcome.workers.map(pay) };
    });
  for (const share of [1 + 5e-10, -5e-10]) expect(failing(paying(share))).toEqual([]);
  for (const share of [1 + 5e-9, -5e-9]) expect(failing(paying(share))).toHaveLength(1);
});

it("draws as many cases as it is told to, and those of a seed again", () => {
  const drawn = (options: ContractOptions) => {
    const markets: string[] = [];
    const mechanism = broken((rules, bids) => {
      markets.push(JSON.stringify([rules, bids]));
      return bidGreedy.decide(rules, bids);
    });
    mechanismContract(mechanism, options)
      .find(({ title }) => title === WHOLE)!
      .run();
    return markets;
  };
  expect(drawn({ runs: 7 })).toHaveLength(7);
  expect(drawn({ runs: 7, seed: 3 })).toHaveLength(7);
  expect(drawn({ runs: 7, seed: 3 })).toEqual(drawn({ runs: 7, seed: 3 }));
  expect(drawn({ runs: 7, seed: 3 })).not.toEqual(drawn({ runs: 7, seed: 4 }));
  expect(drawn({ runs: 7, seed: 3 })).not.toEqual(drawn({ runs: 7 }));
});

it("covers every check", () => {
  const titles = mechanismContract({ ...online, truthful: "" }).map(({ title }) => title);
  expect([...new Set(cases.map(([title]) => title))].sort()).toEqual(titles.sort());
});

it.each([online, twoStage])("finds a lie that pays in $name", (mechanism) => {
  expect(failing({ ...mechanism, truthful: "" }, { runs: 400 })).toEqual([
    "lets nobody gain by a lie about price or arrival, as it claims",
  ]);
});

it("holds online to its budget only up to a ratio of one half", () => {
  expect(failing({ ...online, keepsBudget: () => true }, { runs: 400 })).toContain(
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
