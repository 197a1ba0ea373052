/** What is searched for: a property violated for a worker of one regime, by a lie that moves the start, keeps it, or either. */

import { simplest } from "../../auction/best-price.js";
import { type AnyMechanism, type Outcome, runAuction, type Uses } from "../../auction/mechanism.js";
import { commonRegime, type Regime, regimeOf, regimesIn } from "../../auction/outcome.js";
import { brief, columnOf, counted, hangingList, table } from "../../lib/format.js";
import {
  type Bid,
  groupOf,
  type Market,
  possibleArrivals,
  type Worker,
  workerOf,
} from "../../market/market.js";
import { readingFacts } from "../../market/words.js";
import { isAboutLies, type PropertyName, type Witness } from "../../properties/properties.js";
import { coalitionResponses } from "../../responses/coalition.js";
import { bestResponses, isExact, type Piece, pieces, type Response } from "../../responses/index.js";
import { Deviation } from "../../responses/search.js";
import { certified, partAbove } from "../certify.js";
import { excessInNumbers, runInNumbers } from "../numbers.js";
import { check } from "../properties.js";

/** P3 is a matter of benchmarks. */
export const huntedProperties = ["P1", "P2", "P4", "P5", "P6", "joint"] as const satisfies PropertyName[];

export type HuntedProperty = (typeof huntedProperties)[number];

/** Besides the paper's claims: that two workers gain together of whom neither can gain alone. */
export const searchedProperties = [...huntedProperties, "pair"] as const;

export type SearchedProperty = (typeof searchedProperties)[number];

export const startClauses = ["any", "moved", "kept"] as const;

/** Whether the lie has to move the start, or must not. */
export type StartClause = (typeof startClauses)[number];

export interface Target {
  readonly property: SearchedProperty;
  readonly regime: Regime;
  readonly start: StartClause;
  readonly mechanism: AnyMechanism;
  /** What is let pass, as a share of the budget; rounding alone if left out. */
  readonly tolerance?: number;
}

/** What breaks a property that is searched for. */
export type Violation = Witness<SearchedProperty>;

/** "worker 1 gains 0.5 by bidding 0.2 instead of 0.4". */
export function violationText(
  { property, worker, lie, amount, partner, unbounded }: Omit<Violation, "regime">,
  market: Market,
): string {
  if (property === "P1") return `worker ${worker} is paid ${brief(amount)} less than its cost`;
  if (property === "P2") return `the payments exceed the budget by ${brief(amount)}`;
  if (lie === null) return `no bid gets worker ${worker} selected and paid`;
  const more = unbounded ? ", and without bound by higher prices" : "";
  if (!partner) return `worker ${worker} gains ${brief(amount)} by ${lieText(lie, market)}${more}`;
  const each = [lie, partner].map((bid) => `${bid.worker} ${lieText(bid, market) || "telling the truth"}`);
  return `workers ${lie.worker} and ${partner.worker} gain ${brief(amount)} together, neither alone: ${each.join(", ")}${more}`;
}

/** "bidding 0.2 instead of 0.4 and arriving at 3 instead of 1". */
export function lieText({ worker, price, arrival }: Bid, market: Market): string {
  const truth = workerOf(market, worker);
  return [
    ...(price === truth.cost ? [] : [`bidding ${brief(price)} instead of ${brief(truth.cost)}`]),
    ...(arrival === truth.arrival ? [] : [`arriving at ${arrival} instead of ${truth.arrival}`]),
  ].join(" and ");
}

/** Whether a market in which nothing is found has nothing: not where lies, or bids that win, are searched for. */
export const isDecided = ({ property, mechanism }: Pick<Target, "property" | "mechanism">): boolean =>
  property === "P1" || property === "P2" || isExact(mechanism);

/** A violation of less than this share of the budget is too near to rounding to count. */
export const FLOOR = 1e-6;

/** A lie in few digits brings at least this share of what the best one brings. */
const NEARLY = 0.99;

/** What a search may take for a worker, where no exact method is known: there are many markets to look at. */
const EFFORT = 600;

/** The violations in a market, the largest first; of one worker where one is named. */
export function violations(market: Market, target: Target, worker?: number | null): Violation[] {
  const outcome = runAuction(target.mechanism, market);
  const mine = (id: number) => (worker ?? id) === id && regimeOf(outcome, id) === target.regime;
  if (target.property !== "pair" && !market.workers.some(({ id }) => mine(id))) return [];
  const floor = floorOf(target, market);
  const found = () => {
    if (target.property === "pair") return pairs(market, target, outcome, worker);
    if (isAboutLies(target.property)) return lies(market, target, outcome, mine);
    return faults(market, target).filter(({ worker: id }) => id === null || mine(id));
  };
  return found()
    .filter(({ amount, property }) => property === "P4" || amount > floor)
    .filter(({ startMoved }) => target.start === "any" || startMoved === (target.start === "moved"))
    .sort((a, b) => b.amount - a.amount);
}

/** Pairs of the regime that gain together though neither can gain alone; with one worker in them, where one is named. */
function pairs(
  market: Market,
  { regime, mechanism }: Target,
  truth: Outcome,
  worker: number | null = null,
): Violation[] {
  const ids = market.workers.map(({ id }) => id);
  const regimeOf = regimesIn(truth);
  const concerned = ids
    .flatMap((one, k) => ids.slice(k + 1).map((other) => [one, other]))
    .filter((pair) => worker === null || pair.includes(worker))
    .filter((pair) => commonRegime(regimeOf, pair) === regime);
  if (concerned.length === 0) return [];
  const alone = bestResponses(market, { mechanism, workers: [...new Set(concerned.flat())] }).workers;
  const gainers = new Set(alone.filter(({ gain }) => gain !== 0).map(({ id }) => id));
  const coalitions = concerned.filter((pair) => !pair.some((id) => gainers.has(id)));
  if (coalitions.length === 0) return [];
  const { pairs: found } = coalitionResponses(market, { mechanism, coalitions });
  return found
    .filter(({ gain }) => gain > 0)
    .map(({ gain, utility, truthful, best }): Violation => {
      const [lie, partner] = (best[1]!.worker === worker ? best.toReversed() : best) as [Bid, Bid];
      const startMoved = runAuction(mechanism, market, best).startDelay !== truth.startDelay;
      const found = { property: "pair", worker: lie.worker, regime, lie, partner, startMoved } as const;
      if (gain < Number.POSITIVE_INFINITY) return { ...found, amount: gain };
      return { ...found, amount: utility - truthful, unbounded: true };
    });
}

/** Violations that take no lie. That reputation 0 is never selected is a rule ([M1]), not a violation. */
function faults({ rules, workers }: Market, { property: searched, regime, mechanism }: Target): Violation[] {
  const property = searched as HuntedProperty;
  const market = { rules, workers: workers.filter(({ reputation }) => reputation > 0) };
  const [verdict] = check(market, { mechanism, properties: [property] });
  return verdict!.witnesses
    .filter((witness) => witness.regime === regime)
    .map((witness) => ({ ...witness, property, startMoved: false }));
}

function lies(
  market: Market,
  target: Target,
  truth: Outcome,
  mine: (worker: number) => boolean,
): Violation[] {
  const { property, regime, mechanism } = target;
  const workers = market.workers.map(({ id }) => id).filter(mine);
  const { workers: responses } = bestResponses(market, { mechanism, workers, effort: EFFORT });
  const gain = ({ P5: "priceGain", P6: "timeGain", joint: "gain" } as const)[property as "joint"];
  const gaining = responses.filter((response) => response[gain] > floorOf(target, market));
  const honest = runInNumbers(market, truth);
  return gaining.flatMap((response) => {
    const deviation = new Deviation(mechanism, market, workerOf(market, response.id));
    return bids(target, deviation, response).map(({ unbounded, ...lie }): Violation => {
      const outcome = deviation.outcome(lie.price, lie.arrival);
      const lying = runInNumbers(market, outcome);
      const amount = excessInNumbers(property as "joint", honest, lying, [response.id]);
      const startMoved = outcome.startDelay !== truth.startDelay;
      const more = unbounded && { unbounded };
      return { property, worker: response.id, regime, lie, amount, startMoved, ...more };
    });
  });
}

/** The amount that is let pass. */
const floorOf = ({ tolerance = 0 }: Target, { rules }: Market): number =>
  Math.max(FLOOR, tolerance) * rules.budget;

/** The lies that may gain: one for every piece of the worker's utility where they are known, the best found elsewhere. */
function bids(
  { property }: Target,
  { market, worker, mechanism }: Deviation,
  response: Response,
): (Bid & { readonly unbounded?: boolean })[] {
  const { id, cost } = worker;
  const bid = (price: number, arrival: number): Bid => ({ worker: id, price, arrival });
  if (property === "P6")
    return possibleArrivals(worker, market.rules)
      .slice(1)
      .map((arrival) => bid(cost, arrival));
  const known = pieces(market, id, mechanism);
  if (known === null) {
    const lie = property === "P5" ? response.bestPrice : response.best;
    return lie === null ? [] : [bid(lie.price, lie.arrival)];
  }
  return known
    .filter(({ arrival }) => property === "joint" || arrival === worker.arrival)
    .filter(({ utilityFrom, utilityTo }) => Math.max(utilityFrom, utilityTo) > response.truthful)
    .map((piece) => ({
      ...bid(priceIn(piece, worker, response.truthful, market.rules.budget), piece.arrival),
      ...(piece.utilityTo === Number.POSITIVE_INFINITY && { unbounded: true }),
    }));
}

/** The shortest price on a piece that brings nearly all there is to gain on it; the true one if that does. */
function priceIn(piece: Piece, { cost }: Worker, truthful: number, budget: number): number {
  const { from, to, fromIncluded } = piece;
  if (from === to) return from;
  const [low, high] = partAbove(piece, truthful, NEARLY, budget);
  if (cost > low && cost < high) return cost;
  if (low === 0 && fromIncluded) return 0;
  return simplest(low, high);
}

/** Whether a violation is one for certain, in exact arithmetic; null where that cannot be decided. */
export type Confirm = (mechanism: AnyMechanism, market: Market, violation: Violation) => boolean | null;

/** The first of some violations that exact arithmetic does not refute. */
export function unrefuted(
  mechanism: AnyMechanism,
  market: Market,
  found: readonly Violation[],
  confirms: Confirm = confirm,
): { readonly violation: Violation; readonly certified: boolean } | null {
  for (const violation of found) {
    const answer = confirms(mechanism, market, violation);
    if (answer !== false) return { violation, certified: answer === true };
  }
  return null;
}

/** Whether a violation is there in exact fractions too: the amount, the regime, and whether the lie moves the start; null where the mechanism has no exact form. */
export const confirm: Confirm = (mechanism, market, violation) =>
  certified(market, violation, mechanism).certified;

/** The rules and the workers, indented by two. */
export function marketLines(
  { rules, workers }: Market,
  lies: readonly Bid[],
  { uses = {} }: Pick<AnyMechanism, "uses"> = {},
): string {
  const { budget, rounds, firstRoundRatio, minWorkers } = rules;
  const known = [
    counted(workers.length, "worker"),
    ...(uses.budget === false ? [] : [`budget B = ${brief(budget)}`]),
    `T = ${counted(rounds, "round")}`,
    ...(uses.start === false
      ? []
      : [
          `first-round ratio ${brief(firstRoundRatio)}`,
          `starts with at least ${counted(minWorkers, "worker")}`,
          ...readingFacts(rules),
        ]),
  ];
  return `${hangingList("  ", known)}\n${indented(workersTable(workers, lies, uses))}`;
}

export const indented = (text: string): string => text.replace(/^/gm, "  ");

function workersTable(workers: readonly Worker[], lies: readonly Bid[], uses: Partial<Uses>): string {
  const column = columnOf(workers);
  const ofLiar = (id: number, field: "price" | "arrival") =>
    String(lies.find(({ worker }) => worker === id)?.[field] ?? "");
  const bid = [
    column("price bid", ({ id }) => ofLiar(id, "price")),
    column("arrival bid", ({ id }) => ofLiar(id, "arrival")),
  ];
  return table([
    column("worker", ({ id }) => String(id)),
    ...(uses.groups === false ? [] : [column("group", ({ id }) => String(groupOf(id)))]),
    ...(uses.reputations === false ? [] : [column("reputation", ({ reputation }) => brief(reputation))]),
    column("cost", ({ cost }) => brief(cost)),
    column("arrival", ({ arrival }) => String(arrival)),
    ...(lies.length === 0 ? [] : bid),
  ]);
}

/** What an amount is, by property. */
export const amountWord = (property: SearchedProperty): string =>
  property === "P1" ? "loss" : property === "P2" ? "excess" : "gain";
