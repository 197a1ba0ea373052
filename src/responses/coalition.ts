/** What workers gain who join hands, or bid under several names: their best joint lies against the truth of all others. */

import type { AnyMechanism } from "../auction/mechanism.js";
import type { CellArithmetic } from "../auction/price-pieces.js";
import type { Response } from "../auction/response.js";
import { plainError } from "../lib/errors.js";
import {
  type Bid,
  byId,
  type Group,
  type Market,
  type Offer,
  truthfulBid,
  workerOf,
} from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import { hasBuiltInProgram } from "./guard.js";
import { bestResponses } from "./index.js";
import { bestJointLie, coalitionNoise, type JointLie, sumOf } from "./joint-lie.js";

/** The best joint lie of a coalition, and what it gains over the truth of all. */
export interface CoalitionResponse extends Found {
  readonly workers: readonly number[];
  /** The sum of the members' utilities if everybody tells the truth. */
  readonly truthful: number;
  /** What the best joint lie adds to it; Infinity where no bound exists. */
  readonly gain: number;
  /** What the best bids bring them together: where no bound exists, more than the truth does. */
  readonly utility: number;
  /** What each could gain alone. */
  readonly alone: readonly number[];
  readonly best: readonly Bid[];
  readonly attained: boolean;
}

/** How a joint lie was found. */
interface Found {
  readonly method: JointLie["method"];
  /** That no joint lie is better. */
  readonly exact: boolean;
  /** Numbers tie or nearly do where fractions do not ([M13]). */
  readonly knifeEdge?: boolean;
}

/** How joint lies were found. */
interface Method {
  readonly mechanism: string;
  /**
   * exact: all cells of their prices, from whole runs in fractions. computed: all cells, in floating point. search: gains are
   * lower bounds.
   */
  readonly method: "exact" | "computed" | "search";
  /** That no joint lie is better: where exact, and where computed for a program that tests hold to fractions. */
  readonly exact: boolean;
  readonly evaluations: number;
}

export interface CoalitionResponses extends Method {
  /** One entry per coalition: of two, or of three where such were asked about. */
  readonly pairs: readonly CoalitionResponse[];
}

interface JointOptions {
  readonly mechanism?: AnyMechanism;
  readonly arithmetic?: CellArithmetic | undefined;
}

export interface CoalitionOptions extends JointOptions {
  /** Two or three workers each; all pairs if left out. */
  readonly coalitions?: readonly (readonly number[])[];
}

/** What coalitions can gain, each against the truth of all others. */
export function coalitionResponses(market: Market, options: CoalitionOptions = {}): CoalitionResponses {
  const { mechanism = online, coalitions = pairsOf(market), arithmetic } = options;
  demandCertain(mechanism);
  const single = bestResponses(market, { mechanism, workers: [...new Set(coalitions.flat())] });
  const responseOf = new Map(single.workers.map((response) => [response.id, response]));
  let { evaluations } = single;
  const pairs = coalitions.map((workers): CoalitionResponse => {
    const known = single.workers
      .filter(({ id }) => workers.includes(id))
      .map(({ id, best }) => [{ worker: id, price: best.price, arrival: best.arrival }]);
    const lie = bestJointLie(market, { mechanism, members: workers, arithmetic, known });
    evaluations += lie.evaluations;
    const singles = workers.map((id) => responseOf.get(id)!);
    const truthful = singles.reduce((sum, response) => sum + response.truthful, 0);
    const members = workers.map((id) => workerOf(market, id));
    const gain = gainOver(truthful, lie, coalitionNoise(market, members));
    const alone = singles.map((response) => response.gain);
    const best = gain > 0 ? lie.bids : members.map(truthfulBid);
    const attained = gain === 0 || lie.attained;
    const utility =
      gain < Number.POSITIVE_INFINITY ? truthful + gain : sumOf(market, mechanism, members, best);
    return { workers, truthful, gain, utility, alone, best, attained, ...howOf(lie, mechanism) };
  });
  return { ...methodOf(mechanism, pairs), evaluations, pairs };
}

/** How a joint lie was found; where computed, it is exact of the programs that tests hold to fractions. */
function howOf({ method, knifeEdge }: JointLie, mechanism: AnyMechanism): Found {
  const exact = method === "exact" || (method === "computed" && hasBuiltInProgram(mechanism));
  return { method, exact, ...(knifeEdge && { knifeEdge }) };
}

const gainOver = (truthful: number, { utility }: JointLie, noise: number): number =>
  utility - truthful > noise ? utility - truthful : 0;

/** Together, as much as can be said of all. */
export function methodOf({ name }: AnyMechanism, found: readonly Found[]): Omit<Method, "evaluations"> {
  const exact = found.every((one) => one.exact);
  const method =
    (["search", "computed"] as const).find((one) => found.some(({ method }) => method === one)) ?? "exact";
  return { mechanism: name, method, exact };
}

/** Every two workers, by id. */
export function pairsOf({ workers }: Market): number[][] {
  const ids = byId(workers).map(({ id }) => id);
  return ids.flatMap((first, k) => ids.slice(k + 1).map((second) => [first, second]));
}

function demandCertain({ name, stochastic }: AnyMechanism): void {
  if (stochastic)
    throw plainError(name, "draws, and joint lies are worked out only for mechanisms that do not");
}

/** What a worker gains who may also bid under other names, each of which works at its cost. */
export interface FalseNameResponse extends Found {
  readonly id: number;
  readonly truthful: number;
  /** Of all its names together; Infinity where no bound exists. */
  readonly gain: number;
  /** What it could gain under its own name alone. */
  readonly alone: number;
  readonly best: Offer & { readonly names: readonly (Offer & { readonly id: number })[] };
  readonly attained: boolean;
}

export interface FalseNameResponses extends Method {
  /** How many more names a worker may use, and what reputation a new one has. */
  readonly falseNames: number;
  readonly newReputation: number;
  readonly workers: readonly FalseNameResponse[];
}

export interface FalseNameOptions extends JointOptions {
  /** Only these; everybody if left out. */
  readonly workers?: readonly number[];
  /** K: at most so many more names, one or two. */
  readonly names: number;
  /** 0.5 if left out. */
  readonly newReputation?: number;
}

/** As many unknown prices as there can be, less one's own. */
export const MOST_NAMES = 2;

/** The best lies of workers under their own name and up to K others, in groups of their choice. */
export function falseNameResponses(market: Market, options: FalseNameOptions): FalseNameResponses {
  const { mechanism = online, names, newReputation = 0.5 } = options;
  demandCertain(mechanism);
  const workersAsked = options.workers && { workers: options.workers };
  const single = bestResponses(market, { mechanism, ...workersAsked });
  let { evaluations } = single;
  const workers = single.workers.map((response) => {
    const { lie, ...found } = withNames(market, response, options);
    evaluations += lie.evaluations;
    return found;
  });
  return { ...methodOf(mechanism, workers), evaluations, falseNames: names, newReputation, workers };
}

function withNames(market: Market, response: Response, options: FalseNameOptions) {
  const { id, truthful, gain: alone, best: single } = response;
  const { mechanism = online, arithmetic, names, newReputation = 0.5 } = options;
  const worker = workerOf(market, id);
  const noise = coalitionNoise(market, [worker]);
  const own = { worker: id, price: single.price, arrival: single.arrival };
  // What has no bound alone needs no more names.
  const utility = alone < Number.POSITIVE_INFINITY ? single.utility : Number.POSITIVE_INFINITY;
  let lie: JointLie = { ...single, utility, bids: [own], evaluations: 0, method: "computed" };
  for (const groups of nameGroups.filter(({ length }) => length <= names)) {
    const fresh = freshIds(market, groups).map((name) => ({
      ...worker,
      id: name,
      reputation: newReputation,
    }));
    const extended = { ...market, workers: [...market.workers, ...fresh] };
    const members = [id, ...fresh.map(({ id }) => id)];
    const found = bestJointLie(extended, { mechanism, members, arithmetic, floor: lie });
    const evaluations = lie.evaluations + found.evaluations;
    const { method } = methodOf(
      mechanism,
      [lie, found].map((one) => howOf(one, mechanism)),
    );
    lie = { ...(found.utility > lie.utility + noise ? found : lie), evaluations, method };
  }
  const gain = gainOver(truthful, lie, noise);
  const [{ worker: _, ...bid }, ...others] = lie.bids as [Bid, ...Bid[]];
  const named = others.map(({ worker: name, ...said }) => ({ id: name, ...said }));
  const { attained } = lie;
  const best = { ...bid, names: named };
  return { lie, id, truthful, gain, alone, best, attained, ...howOf(lie, mechanism) };
}

/** The groups of one name, and then of two, in every combination. */
const nameGroups: readonly (readonly Group[])[] = [[0], [1], [0, 0], [0, 1], [1, 1]];

/** The lowest ids of these groups that nobody has. */
function freshIds({ workers }: Market, groups: readonly Group[]): number[] {
  const taken = new Set(workers.map(({ id }) => id));
  return groups.map((group) => {
    let id: number = group;
    while (taken.has(id)) id += 2;
    taken.add(id);
    return id;
  });
}
