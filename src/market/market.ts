/** The vocabulary: rules, workers, bids, markets. Terms as in the paper. */

/** The paper's prose and its pseudocode contradict each other; a reading follows one of them ([M11]). */
export type Reading = "prose" | "pseudocode";

const LEAST = 1e-12;
const MOST = 1e12;

/** Budgets, costs, prices and reputations: beyond this range, products of them no longer fit a number. */
export const isAmount = (x: number): boolean => x === 0 || (x >= LEAST && x <= MOST);

/** Completes "must be …". */
export const amountRange = "0 or a number from 1e-12 to 1e12";

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

export const paperRules = { firstRoundRatio: 0.35, minWorkers: 1, reading: "prose" } as const;

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
