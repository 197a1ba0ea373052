/**
 * What is on the live bench: a market, an auction, and what everybody says. Every change gives a new state, or an error in the words of
 * the command line. A link carries all of it, as fields of the page's address.
 */

import { plainError } from "../../../lib/errors.js";
import { writtenNumber } from "../../../lib/format.js";
import { parseJson } from "../../../lib/json.js";
import { stream } from "../../../lib/random.js";
import { conforming, wholeFrom } from "../../../lib/schema.js";
import { parseMarketCsv } from "../../../market/csv.js";
import { drawMarket } from "../../../market/draw.js";
import {
  type Bid,
  delays,
  firstSteps,
  type Market,
  paperRules,
  type Rules,
  readings,
  type Worker,
} from "../../../market/market.js";
import { completeBids, parseBids, validateBids, validateMarket } from "../../../market/parse.js";
import type { Exhibit } from "../../result.js";

/** Where the market comes from, before anything was changed in it. */
type Origin =
  | { readonly kind: "exhibit"; readonly path: string; readonly exhibit: Exhibit }
  | { readonly kind: "drawn"; readonly workers: number; readonly seed: string }
  | { readonly kind: "own" };

export interface BenchState {
  readonly origin: Origin;
  readonly market: Market;
  readonly mechanism: string;
  /** Other mechanisms that stand beside it. */
  readonly compared: readonly string[];
  /** Whose bid is on the sliders; null: of whoever has most to gain. */
  readonly worker: number | null;
  /** Of everybody who does not tell the truth. */
  readonly bids: readonly Bid[];
}

/** The paper's number of rounds and rules, and its budget per worker, in a market small enough to read. */
const drawnRules: Rules = { budget: 25, rounds: 10, ...paperRules };
const drawnWorkers = { workers: 20, seed: "1" };

const PAPERS_AUCTION = "online";

/** More than these make a table that nobody reads; the command line takes any number. */
export const MOST_WORKERS = 500;

/** What a reader wrote into a field: a number where it is one, and else its text. */
type Written = number | string;

const workersSchema = wholeFrom(1, MOST_WORKERS, `an integer from 1 to ${MOST_WORKERS}`);

/** As the command line's draw does with the same numbers. */
function drawnMarket(rules: Record<keyof Rules, Written>, workers: Written, seed: string): Market {
  const checked = validateMarket({ rules, workers: [] }).rules;
  const count = conforming(workersSchema, workers, { source: "workers" });
  return drawMarket({ rules: checked, workers: count }, stream(seed).fork(0));
}

/** The state with another market, and as much of the bids as still has a meaning: nobody comes before the true arrival. */
function withMarket(state: BenchState, value: unknown, source = "market"): BenchState {
  const checked = validateMarket(value, source);
  demandSize(checked, source);
  // The bench always has all rules, so the option of a mechanism contradicts none that somebody wrote.
  const market = { ...checked, rules: { ...checked.rules } };
  const workers = new Map(market.workers.map((worker) => [worker.id, worker]));
  const bids = state.bids.flatMap((bid) => {
    const worker = workers.get(bid.worker);
    if (!worker) return [];
    const arrival = Math.min(Math.max(bid.arrival, worker.arrival), market.rules.rounds);
    return lies({ ...bid, arrival }, worker) ? [{ ...bid, arrival }] : [];
  });
  const worker = state.worker !== null && workers.has(state.worker) ? state.worker : null;
  return { ...state, market, bids, worker };
}

function demandSize({ workers }: Market, source: string): void {
  if (workers.length === 0) throw plainError(source, "workers: must hold at least one worker");
  if (workers.length > MOST_WORKERS)
    throw plainError(source, `workers: the bench takes at most ${MOST_WORKERS}, got ${workers.length}`);
}

/** One of the rules changed. A drawn market is drawn anew where its rounds change, for arrivals depend on them. */
export function withRule(state: BenchState, name: keyof Rules, value: Written): BenchState {
  const { origin, market } = state;
  const rules = { ...market.rules, [name]: value };
  if (name === "rounds" && origin.kind === "drawn")
    return withMarket(state, drawnMarket(rules, origin.workers, origin.seed));
  const next = withMarket(state, { ...market, rules });
  return { ...next, market: { ...next.market, workers: market.workers } };
}

export function withDraw(
  state: BenchState,
  draw: { readonly workers: Written; readonly seed: string },
): BenchState {
  const { rules } = state.origin.kind === "drawn" ? state.market : { rules: drawnRules };
  const market = drawnMarket(rules, draw.workers, draw.seed);
  const origin = { kind: "drawn", workers: market.workers.length, seed: draw.seed } as const;
  return { ...state, origin, market, worker: null, bids: [] };
}

/** A field of the worker in a row changed. Whoever told the truth still does, and a new id keeps its bid. */
export function withWorker(
  state: BenchState,
  row: number,
  change: Partial<Record<keyof Worker, Written>>,
): BenchState {
  const { market, bids } = state;
  const before = market.workers[row]!;
  const workers = market.workers.map((worker, k) => (k === row ? { ...worker, ...change } : worker));
  const id = typeof change.id === "number" ? change.id : before.id;
  const renamed = (worker: number) => (worker === before.id ? id : worker);
  const worker = state.worker === null ? null : renamed(state.worker);
  const moved = bids.map((bid) => ({ ...bid, worker: renamed(bid.worker) }));
  // Renamed before the check: two workers of one id must not share a bid even for a moment.
  validateMarket({ ...market, workers });
  return withMarket({ ...state, worker, bids: moved }, { ...market, workers });
}

/** Without the worker in a row; where it was on the sliders, the next one takes its place. */
export function withoutWorker(state: BenchState, row: number): BenchState {
  const { market } = state;
  const gone = market.workers[row]!.id;
  const workers = market.workers.filter((_, k) => k !== row);
  const next = workers[Math.min(row, workers.length - 1)]?.id ?? null;
  return withMarket(
    { ...state, worker: state.worker === gone ? next : state.worker },
    { ...market, workers },
  );
}

/** With one more worker, like those of the paper and on time; it goes on the sliders. */
export function withNewWorker(state: BenchState): BenchState {
  const { market } = state;
  const id = Math.max(-1, ...market.workers.map((worker) => worker.id)) + 1;
  const worker = { id, reputation: 0.5, cost: 0.3, arrival: 1 };
  return withMarket({ ...state, worker: id }, { ...market, workers: [...market.workers, worker] });
}

/** What a worker says, the rest of its bid as it is; the truth is no bid. */
export function withBid(
  state: BenchState,
  id: number,
  change: Partial<Record<"price" | "arrival", Written>>,
): BenchState {
  const { market, bids } = state;
  const worker = market.workers.find((one) => one.id === id)!;
  const [bid] = validateBids([{ ...bidOf(state, worker), ...change }], market);
  const others = bids.filter((one) => one.worker !== id);
  return { ...state, bids: lies(bid!, worker) ? [...others, bid!] : others };
}

/** What a worker says: its bid, or the truth. */
export const bidOf = ({ bids }: Pick<BenchState, "bids">, { id, cost, arrival }: Worker): Bid =>
  bids.find((bid) => bid.worker === id) ?? { worker: id, price: cost, arrival };

const lies = ({ price, arrival }: Bid, worker: Worker): boolean =>
  price !== worker.cost || arrival !== worker.arrival;

/** Those of some bids that are lies. */
function liesAmong(bids: readonly Bid[], { workers }: Market): Bid[] {
  const truth = new Map(workers.map((worker) => [worker.id, worker]));
  return bids.filter((bid) => lies(bid, truth.get(bid.worker)!));
}

/** What messages call a text that is no file. */
export const PASTED = "text";

/** Text that somebody pasted, or a file: a market as JSON, its workers as CSV under the rules of now, or a list of bids as JSON. */
export function withText(state: BenchState, text: string, source: string): BenchState {
  const body = text.trimStart();
  if (body.startsWith("[")) {
    const bids = completeBids(parseBids(text, source), state.market, {
      source,
      market: "the market on the bench",
    });
    return { ...state, bids: liesAmong(bids, state.market), worker: bids[0]?.worker ?? state.worker };
  }
  const fresh = { ...state, origin: { kind: "own" }, bids: [], worker: null } as const;
  if (/\.csv$/i.test(source) || (source === PASTED && /^[^{]/.test(body)))
    return withMarket(fresh, parseMarketCsv(text, state.market.rules, source), source);
  return withMarket(fresh, parseJson(firstLine(text, source), source), source);
}

/** Of a file with a market per line, the first. */
const firstLine = (text: string, source: string): string =>
  /\.(jsonl|ndjson)$/i.test(source) ? text.trimStart().split("\n", 1)[0]! : text;

/** What the address and the controls call each rule. */
const ruleFields = {
  budget: "budget",
  rounds: "rounds",
  firstRoundRatio: "ratio",
  minWorkers: "minimum",
  reading: "under",
  firstStep: "step",
  delay: "late",
} as const satisfies Record<keyof Rules, string>;

/** The rules that are words: of those a field says one. */
const words = { reading: readings, firstStep: firstSteps, delay: delays } as const satisfies Partial<
  Record<keyof Rules, readonly string[]>
>;

export const rules = Object.entries(ruleFields) as readonly (readonly [keyof Rules, string])[];

const drawFields = [...Object.values(ruleFields), "workers", "seed"];

/** All fields of the bench. */
export const benchFields = [
  ...["exhibit", "changed", "auction", "beside", "worker", "price", "arrival", "bids"],
  ...drawFields,
];

/** What takes all of them out of the address. */
export const noFields = Object.fromEntries(benchFields.map((name) => [name, null]));

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
    return text === undefined ? [] : [[rule, Object.hasOwn(words, rule) ? text : writtenNumber(text)]];
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
function bidFields({ worker, bids, market }: BenchState, usual: readonly Bid[]): Fields {
  const type = market.workers.find(({ id }) => id === worker);
  const expected = usual[0]?.worker === worker ? usual : [];
  const listed = (all: readonly Bid[]) =>
    recordsText(
      all.filter((bid) => bid.worker !== worker),
      fieldsOfBid,
    ).join("*");
  const own = (all: readonly Bid[]) => type && bidOf({ bids: all }, type);
  const [said, silent] = [own(bids), own(expected)];
  const differs = said?.price !== silent?.price || said?.arrival !== silent?.arrival;
  return {
    ...(worker !== null && worker !== usual[0]?.worker && { worker: String(worker) }),
    ...(said && differs && { price: String(said.price), arrival: String(said.arrival) }),
    ...(listed(bids) !== listed(expected) && { bids: listed(bids) }),
  };
}
