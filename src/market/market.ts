/** The vocabulary: rules, workers, bids, markets. Terms as in the paper. */

import { invalidError, type Path } from "../lib/errors.js";

/** The paper's prose and its pseudocode contradict each other; a reading follows one of them ([M11]). */
export type Reading = (typeof readings)[number];
export const readings = ["prose", "pseudocode"] as const;

/** How often the condition of the first step counts a worker's own reputation: once in Algorithm 3, twice in the prose ([M5]). */
export type FirstStepReading = (typeof firstSteps)[number];
export const firstSteps = ["algorithm", "prose"] as const;

/**
 * What a delayed start costs ([M6]): nothing, all T rounds still lie ahead ("postpone"); the rounds that passed and their
 * part of the first step's money ("shorten"); or the rounds alone ("concentrate").
 */
export type Delay = (typeof delays)[number];
export const delays = ["postpone", "shorten", "concentrate"] as const;

const LEAST = 1e-12;
const MOST = 1e12;

/** Budgets, costs, prices and reputations: beyond this range, products of them no longer fit a number. */
export const isAmount = (x: number): boolean => x === 0 || (x >= LEAST && x <= MOST);

/** Completes "must be …". */
export const amountRange = "0 or a number from 1e-12 to 1e12";

/** Which fields of a market may be left out. */
export type LeftOut = Readonly<Partial<Record<"budget" | "rounds" | "reputation" | "arrival", boolean>>>;

/** What everybody knows before the task. */
export interface Rules {
  /** B: what the publisher may spend in all. */
  readonly budget: number;
  /** T: global iterations of the task. */
  readonly rounds: number;
  /** B1 = ratio · B is for the first step. */
  readonly firstRoundRatio: number;
  readonly minWorkers: number;
  readonly reading: Reading;
  readonly firstStep: FirstStepReading;
  readonly delay: Delay;
}

/** Where rules were read, and which of them stood there: an option of a mechanism may not contradict those. */
const written = new WeakMap<Rules, { readonly placeOf: PlaceOf; readonly names: readonly string[] }>();

/** Where a rule was read: what a message about it begins with. */
type PlaceOf = (name: string) => { readonly source: string; readonly path: Path };

export function noteWritten(rules: Rules, names: readonly string[], placeOf: PlaceOf): void {
  written.set(rules, { placeOf, names });
}

/** The rules with those of a mechanism's option in place; one that contradicts a first step or delay written there is an error. */
export function withOption(rules: Rules, option: Partial<Rules>): Rules {
  for (const name of ["firstStep", "delay"] as const) {
    const set = option[name];
    if (set === undefined || set === rules[name]) continue;
    const known = written.get(rules);
    if (!known?.names.includes(name)) continue;
    const { source, path } = known.placeOf(name);
    const expected = `${JSON.stringify(set)}, as the mechanism's option ${name}=${set} says, or left out`;
    throw invalidError(source, path, expected, rules[name]);
  }
  return { ...rules, ...option };
}

/** A worker with its private type: the cost of a round and the true arrival. */
export interface Worker {
  readonly id: number;
  /** Re: public. */
  readonly reputation: number;
  /** c: private. */
  readonly cost: number;
  /** a: private; on the clock 1..T. */
  readonly arrival: number;
}

export interface Market {
  readonly rules: Rules;
  readonly workers: readonly Worker[];
}

/** What a worker tells the publisher; the truth is price = cost, arrival = true arrival. */
export interface Bid {
  readonly worker: number;
  readonly price: number;
  readonly arrival: number;
}

/** The same without its name. */
export type Offer = Omit<Bid, "worker">;

/** A worker as the publisher sees it: bid and reputation, no cost. */
export interface Bidder {
  readonly id: number;
  readonly reputation: number;
  readonly price: number;
  readonly arrival: number;
}

export type Group = 0 | 1;

export const paperRules = {
  firstRoundRatio: 0.35,
  minWorkers: 1,
  reading: "prose",
  firstStep: "algorithm",
  delay: "postpone",
} as const;

export const groupOf = (id: number): Group => (id % 2 === 0 ? 0 : 1);

/** What a worker bids who tells the truth. */
export const truthfulBid = ({ id, cost, arrival }: Worker): Bid => ({ worker: id, price: cost, arrival });

/** Every arrival that a worker can bid: from the true one on. */
export const possibleArrivals = (
  { arrival }: Pick<Worker, "arrival">,
  { rounds }: Pick<Rules, "rounds">,
): number[] => Array.from({ length: rounds - arrival + 1 }, (_, k) => arrival + k);

/** Strips each worker of its private type: the truth, except where a bid says otherwise. */
export function bidders(workers: readonly Worker[], bids: readonly Bid[] = []): Bidder[] {
  const said = new Map(bids.map((bid) => [bid.worker, bid]));
  return workers.map(({ id, reputation, cost, arrival }) => {
    const bid = said.get(id);
    return { id, reputation, price: bid?.price ?? cost, arrival: bid?.arrival ?? arrival };
  });
}

/** In the order of ids; the list itself where it is. */
export function byId<Item extends { readonly id: number }>(items: readonly Item[]): readonly Item[] {
  for (let k = 1; k < items.length; k++)
    if (items[k]!.id < items[k - 1]!.id) return [...items].sort((a, b) => a.id - b.id);
  return items;
}

/** Workers in the order of ids: everybody, or those with the chosen ids. */
export function chosenWorkers({ workers }: Market, ids?: readonly number[]): readonly Worker[] {
  const chosen = ids && new Set(ids);
  return byId(workers).filter(({ id }) => !chosen || chosen.has(id));
}

export function workerOf({ workers }: Market, id: number): Worker {
  const worker = workers.find((candidate) => candidate.id === id);
  if (!worker) throw new RangeError(`no worker ${id} in the market`);
  return worker;
}
