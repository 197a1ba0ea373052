/**
 * Random programs made of rounds, samples, purses and shares: such as proofs for any number of workers may accept, and
 * those a step away from them.
 */

import * as fc from "fast-check";
import type { Amount } from "../../src/auction/amounts.js";
import type { Auction, Candidate, Purse, Sample } from "../../src/auction/auction.js";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import type { Mechanism } from "../../src/auction/mechanism.js";

type Money = "level" | "rising" | "whole" | "left";

interface Learns {
  readonly from: "other group" | "own group" | "all" | "others";
  readonly by: "now" | "ever";
  readonly money: Money;
  readonly buys: "one" | "remaining";
  readonly scale: number | "Re";
}

export interface RoundsData {
  readonly line: "reputation" | "increasing reputation" | "id" | "density" | "price";
  readonly waits: boolean;
  readonly purses: "one" | "per group" | "other group's" | "per round" | "per round and group";
  readonly limit: number;
  readonly share: number;
  readonly offer: Learns | { readonly number: number } | "own price" | null;
  readonly buys: "one" | "remaining";
  readonly after: "offers again" | "nothing" | "raises" | "raises as the pseudocode";
  readonly twice: boolean;
  /** Whether the groups are judged apart. */
  readonly apart: boolean;
  /** Whether an offer is the same for all of a line. */
  readonly early: boolean;
  /** What each round begins with. */
  readonly first: "nothing" | "share" | "share of a group";
}

const learns: fc.Arbitrary<Learns> = fc.record({
  from: fc.constantFrom(
    "other group" as const,
    "other group" as const,
    "own group" as const,
    "all" as const,
    "others" as const,
  ),
  by: fc.constantFrom("now" as const, "now" as const, "ever" as const),
  money: fc.constantFrom(
    "level" as const,
    "level" as const,
    "rising" as const,
    "whole" as const,
    "left" as const,
  ),
  buys: fc.constantFrom("one" as const, "one" as const, "remaining" as const),
  scale: fc.constantFrom(1, 1, 1, 0.5, 2, "Re" as const),
});

export const roundsPrograms: fc.Arbitrary<RoundsData> = fc.record({
  line: fc.constantFrom(
    "reputation" as const,
    "reputation" as const,
    "reputation" as const,
    "increasing reputation" as const,
    "id" as const,
    "density" as const,
  ),
  waits: fc.constantFrom(true, true, true, false),
  purses: fc.constantFrom(
    "one" as const,
    "per group" as const,
    "per group" as const,
    "other group's" as const,
    "per round" as const,
    "per round and group" as const,
  ),
  limit: fc.constantFrom(0.1, 0.25, 0.5, 1),
  share: fc.constantFrom(0.1, 0.25, 0.5, 1),
  offer: fc.oneof(
    { weight: 8, arbitrary: learns },
    { weight: 2, arbitrary: fc.constantFrom(0.1, 0.3, 1).map((number) => ({ number })) },
    { weight: 1, arbitrary: fc.constantFrom("own price" as const, null) },
  ),
  buys: fc.constantFrom("one" as const, "remaining" as const),
  after: fc.constantFrom(
    "offers again" as const,
    "nothing" as const,
    "raises" as const,
    "raises as the pseudocode" as const,
  ),
  twice: fc.constantFrom(false, false, false, false, true),
  apart: fc.constantFrom(true, true, true, false),
  early: fc.constantFrom(true, true, true, false),
  first: fc.constantFrom(
    "nothing" as const,
    "nothing" as const,
    "nothing" as const,
    "nothing" as const,
    "share" as const,
    "share of a group" as const,
  ),
});

export const roundsMechanism = (data: RoundsData): Mechanism =>
  defineMechanism({
    name: "rounds",
    about: "A random program of rounds.",
    offline: true,
    keepsBudget: () => false,
    program: (auction) => runRounds(data, auction),
  });

function runRounds(data: RoundsData, auction: Auction): void {
  const { math, rules } = auction;
  const { line: order, purses: whose, waits } = data;
  const perRound = math.over(rules.budget, math.known(rules.rounds));
  const limit = math.times(math.known(data.limit), whose.startsWith("per round") ? perRound : rules.budget);
  const everybody =
    order === "density"
      ? auction.byDensity()
      : order === "price"
        ? auction.byPrice()
        : order === "id"
          ? auction.workers
          : auction.byReputation(order === "reputation" ? "decreasing" : "increasing");
  const lines = data.apart
    ? ([0, 1] as const).map((group) => ({ group, workers: inGroup(everybody, group) }))
    : [{ group: null, workers: everybody }];
  const lasting = [auction.purse(limit), auction.purse(limit)] as const;
  const sample = auction.sample();
  const groups = [
    auction.sample(inGroup(auction.workers, 0)),
    auction.sample(inGroup(auction.workers, 1)),
  ] as const;
  const samples = { all: sample, groups };
  auction.eachRound(({ round, clock, buys }) => {
    const budget = math.times(math.known(data.share), perRound);
    if (data.first === "share") auction.buyShare(sample, { round, by: clock, buys: 1, budget });
    if (data.first === "share of a group") auction.buyShare(groups[0], { round, by: clock, buys: 1, budget });
    const fresh = whose.startsWith("per round")
      ? ([auction.purse(limit), auction.purse(limit)] as const)
      : lasting;
    const purseOf = ({ group }: Candidate): Purse => {
      if (whose === "one" || whose === "per round") return fresh[0];
      return whose === "other group's" && group === 0
        ? fresh[1]
        : whose === "other group's"
          ? fresh[0]
          : fresh[group];
    };
    const remaining = data.buys === "remaining" ? buys : 1;
    const judge = (worker: Candidate, threshold: Amount | null) => {
      const purse = purseOf(worker);
      if (threshold === null && data.offer !== null) return;
      const terms = { round, buys: remaining, purse, threshold };
      if (data.after === "offers again" || worker.selectedAt === null) auction.offer(worker, terms);
      else if (data.after !== "nothing" && threshold !== null)
        auction.raise(worker, { ...terms, threshold }, data.after === "raises" ? "prose" : "pseudocode");
    };
    for (const line of lines)
      for (let times = 0; times < (data.twice ? 2 : 1); times++) {
        const place = { purse: fresh[line.group ?? 0], round, clock, buys, samples, group: line.group };
        const common = data.early ? offered(data, auction, place) : null;
        for (const worker of waits ? auction.present(line.workers, clock) : line.workers)
          judge(
            worker,
            data.early ? common : offered(data, auction, { ...place, worker, purse: purseOf(worker) }),
          );
      }
  });
}

const inGroup = (workers: readonly Candidate[], group: number) =>
  workers.filter((one) => one.group === group);

interface At {
  /** Who is looked at, where a threshold is learned for each anew. */
  readonly worker?: Candidate;
  readonly group: 0 | 1 | null;
  readonly purse: Purse;
  readonly round: number;
  readonly clock: number;
  readonly buys: number;
  readonly samples: { readonly all: Sample; readonly groups: readonly [Sample, Sample] };
}

function offered({ offer, share }: RoundsData, auction: Auction, at: At): Amount | null {
  const { math, rules, workers } = auction;
  const { worker, purse, round, clock, buys, samples } = at;
  const group = worker?.group ?? at.group ?? 0;
  if (offer === null) return null;
  if (offer === "own price") return worker?.density ?? null;
  if ("number" in offer) return math.known(offer.number);
  const sample = {
    "other group": () => samples.groups[1 - group]!,
    "own group": () => samples.groups[group],
    all: () => samples.all,
    others: () => auction.sample(workers.filter((one) => one !== worker)),
  }[offer.from]();
  const perRound = math.over(math.times(math.known(share), rules.budget), math.known(rules.rounds));
  const budget = {
    level: () => perRound,
    rising: () => math.times(perRound, auction.progress(round)),
    whole: () => math.times(math.known(share), rules.budget),
    left: () => math.minus(purse.limit, purse.spent),
  }[offer.money]();
  const learned = auction.learn(sample, {
    by: offer.by === "now" ? clock : (undefined as unknown as number),
    buys: offer.buys === "one" ? 1 : buys,
    budget,
  });
  if (learned === null) return null;
  return offer.scale === "Re" && worker !== undefined
    ? math.times(worker.reputation, learned)
    : math.times(math.known(offer.scale === "Re" ? 1 : offer.scale), learned);
}
