/** The state of the live bench as fields of the page's address: a link carries all of it. */

import { writtenNumber } from "../../../lib/format.js";
import type { Bid, Market, Rules, Worker } from "../../../market/market.js";
import { validateBids } from "../../../market/parse.js";
import type { Exhibit } from "../../result.js";
import {
  type BenchState,
  drawnMarket,
  drawnRules,
  drawnWorkers,
  liesAmong,
  type Origin,
  PAPERS_AUCTION,
  withMarket,
} from "./state.js";

/** How the address calls each rule. */
const ruleFields = {
  budget: "budget",
  rounds: "rounds",
  firstRoundRatio: "ratio",
  minWorkers: "minimum",
  reading: "under",
} as const satisfies Record<keyof Rules, string>;

const rules = Object.entries(ruleFields) as readonly (readonly [keyof Rules, string])[];

const drawFields = [...Object.values(ruleFields), "workers", "seed"];

/** All fields of the bench. */
export const benchFields = [
  ...["exhibit", "changed", "auction", "beside", "worker", "price", "arrival", "bids"],
  ...drawFields,
] as const;

export type Fields = Readonly<Record<string, string>>;

/** A market that is drawn, and one of the reader's own, are called so where an exhibit has its path. */
export const DRAWN = "drawn";
export const OWN = "own";

/** By path; and the one to open with, if any. */
export interface Exhibits {
  at(path: string): Exhibit | undefined;
  readonly first: string | null;
}

/** Starts the messages about a link. */
const LINK = "link";

/** The state that an address describes; what it leaves out is as the exhibit has it, or as the paper does. */
export function stateFrom(said: Fields, exhibits: Exhibits): BenchState {
  const base = baseState(originOf(said, exhibits), said);
  const market = changedMarket(base.market, said);
  const changed = withMarket(base, market, LINK);
  return {
    ...changed,
    mechanism: said.auction ?? base.mechanism,
    compared: said.beside === undefined ? [] : said.beside.split("*"),
    ...bidsFrom(changed, said),
  };
}

/** An address with something to draw means a drawn market. */
function originOf(said: Fields, exhibits: Exhibits): Origin {
  const drawn = {
    kind: "drawn",
    workers: drawnWorkers.workers,
    seed: said.seed ?? drawnWorkers.seed,
  } as const;
  const named = said.exhibit ?? (drawFields.some((field) => field in said) ? DRAWN : exhibits.first);
  if (named === OWN) return { kind: "own" };
  const exhibit = named === null ? undefined : exhibits.at(named);
  return exhibit ? { kind: "exhibit", path: named!, exhibit } : drawn;
}

/** Before anything was changed; rounds and the number of workers decide what is drawn. */
function baseState(origin: Origin, said: Fields): BenchState {
  const plain = { origin, mechanism: PAPERS_AUCTION, compared: [], worker: null, bids: [] };
  if (origin.kind === "own") return { ...plain, market: { rules: drawnRules, workers: [] } };
  if (origin.kind === "exhibit") {
    const { market, mechanism, lie, others = [] } = origin.exhibit;
    return { ...plain, market, mechanism, worker: lie?.worker ?? null, bids: lie ? [lie, ...others] : [] };
  }
  const rounds = said.rounds === undefined ? drawnRules.rounds : writtenNumber(said.rounds);
  const workers = said.workers === undefined ? origin.workers : writtenNumber(said.workers);
  const market = drawnMarket({ ...drawnRules, rounds }, workers, origin.seed);
  return { ...plain, origin: { ...origin, workers: market.workers.length }, market };
}

function changedMarket(market: Market, said: Fields): unknown {
  const told = rules.flatMap(([rule, field]) => {
    const text = said[field];
    return text === undefined ? [] : [[rule, rule === "reading" ? text : writtenNumber(text)]];
  });
  const workers = said.changed === undefined ? market.workers : changedWorkers(market.workers, said.changed);
  return { rules: { ...market.rules, ...Object.fromEntries(told) }, workers };
}

const fieldsOfWorker = ["id", "reputation", "cost", "arrival"] as const;
const fieldsOfBid = ["worker", "price", "arrival"] as const;

/** Records as text that an address need not escape: 0_0.5_0.2_1*7_1_0_5. */
const recordsText = <Name extends string>(
  records: readonly Readonly<Record<Name, number>>[],
  names: readonly Name[],
): string[] => records.map((record) => names.map((name) => record[name]).join("_"));

const recordIn = (text: string, names: readonly string[]): Record<string, unknown> => {
  const parts = text.split("_");
  return Object.fromEntries(names.map((name, k) => [name, writtenNumber(parts[k] ?? "")]));
};

const GONE = "x";

/** Those that are gone (x3), those that are otherwise, and those that came. */
function changedWorkers(workers: readonly Worker[], text: string): readonly unknown[] {
  const parts = text.split("*").filter((part) => part !== "");
  const gone = new Set(parts.filter((part) => part.startsWith(GONE)).map((part) => Number(part.slice(1))));
  const told = new Map(
    parts
      .filter((part) => !part.startsWith(GONE))
      .map((part) => recordIn(part, fieldsOfWorker))
      .map((worker) => [worker.id, worker]),
  );
  const known = new Set(workers.map(({ id }) => id));
  const kept = workers.filter(({ id }) => !gone.has(id)).map((worker) => told.get(worker.id) ?? worker);
  return [...kept, ...[...told.values()].filter(({ id }) => !known.has(id as number))];
}

/** A price or an arrival is that of the worker on the sliders; the others tell the truth, but for those that are listed. */
function bidsFrom(
  { market, worker: liar, bids }: BenchState,
  said: Fields,
): Pick<BenchState, "worker" | "bids"> {
  const named = said.worker === undefined ? liar : Number(said.worker);
  const worker = market.workers.some(({ id }) => id === named) ? named : null;
  const shown = worker === liar ? bids : [];
  const told = said.bids?.split("*").filter((text) => text !== "");
  const others =
    told?.map((text) => recordIn(text, fieldsOfBid)) ?? shown.filter((bid) => bid.worker !== liar);
  const lie = shown.find((bid) => bid.worker === liar);
  const own = worker === null ? [] : [{ ...(lie ?? { worker }), ...ownBid(said) }];
  return { worker, bids: liesAmong(validateBids([...own, ...others], market, LINK), market) };
}

const ownBid = (said: Fields): Record<string, unknown> =>
  Object.fromEntries(
    (["price", "arrival"] as const).flatMap((name) =>
      said[name] === undefined ? [] : [[name, writtenNumber(said[name])]],
    ),
  );

/** The fields that describe a state; all others are to be taken out of the address. */
export function fieldsOf(state: BenchState): Fields {
  const { origin, market, mechanism, compared } = state;
  const said = originFields(origin, market.rules);
  const base = baseState(origin, said);
  const changed = rules.filter(([rule]) => market.rules[rule] !== base.market.rules[rule]);
  const workers = workersDiffering(base.market.workers, market.workers);
  return {
    ...said,
    ...Object.fromEntries(changed.map(([rule, field]) => [field, String(market.rules[rule])])),
    ...(workers.length > 0 && { changed: workers.join("*") }),
    ...(mechanism !== base.mechanism && { auction: mechanism }),
    ...(compared.length > 0 && { beside: compared.join("*") }),
    ...bidFields(state, base.bids),
  };
}

function originFields(origin: Origin, { rounds }: Rules): Record<string, string> {
  if (origin.kind === "exhibit") return { exhibit: origin.path };
  if (origin.kind === "own") return { exhibit: OWN };
  const { workers, seed } = origin;
  return { exhibit: DRAWN, workers: String(workers), rounds: String(rounds), seed };
}

function workersDiffering(before: readonly Worker[], now: readonly Worker[]): string[] {
  const known = new Map(before.map((worker) => [worker.id, worker]));
  const ids = new Set(now.map(({ id }) => id));
  const gone = before.filter(({ id }) => !ids.has(id)).map(({ id }) => `${GONE}${id}`);
  const other = now.filter((worker) => {
    const old = known.get(worker.id);
    return !old || fieldsOfWorker.some((field) => old[field] !== worker[field]);
  });
  return [...gone, ...recordsText(other, fieldsOfWorker)];
}

/** An exhibit's own lies, on its own worker, go without saying. */
function bidFields({ worker, bids, market }: BenchState, [lie, ...liesBeside]: readonly Bid[]): Fields {
  const others = recordsText(
    bids.filter((bid) => bid.worker !== worker),
    fieldsOfBid,
  ).join("*");
  const usual = lie?.worker === worker ? recordsText(liesBeside, fieldsOfBid).join("*") : "";
  const own = bids.find((bid) => bid.worker === worker);
  const type = market.workers.find(({ id }) => id === worker);
  const said = own ?? (type && { price: type.cost, arrival: type.arrival });
  const expected = lie?.worker === worker ? lie : type && { price: type.cost, arrival: type.arrival };
  const silent = said?.price === expected?.price && said?.arrival === expected?.arrival;
  return {
    ...(worker !== null && worker !== lie?.worker && { worker: String(worker) }),
    ...(said && !silent && { price: String(said.price), arrival: String(said.arrival) }),
    ...(others !== usual && { bids: others }),
  };
}
