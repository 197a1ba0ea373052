/** What is on the live bench: a market, a mechanism and all bids. Every change gives a new state, or an error in the words of the command line. */

import { plainError } from "../../../lib/errors.js";
import { parseJson } from "../../../lib/json.js";
import { stream } from "../../../lib/random.js";
import { conforming, wholeFrom } from "../../../lib/schema.js";
import { parseMarketCsv } from "../../../market/csv.js";
import { drawMarket } from "../../../market/draw.js";
import { type Bid, type Market, paperRules, type Rules, type Worker } from "../../../market/market.js";
import { completeBids, parseBids, validateBids, validateMarket } from "../../../market/parse.js";
import { ruleNames, ruleTable } from "../../../market/rules.js";
import type { Exhibit } from "../../result.js";

/** Where the market comes from, before anything was changed in it. */
export type Origin =
  | { readonly kind: "exhibit"; readonly path: string; readonly exhibit: Exhibit }
  | { readonly kind: "drawn"; readonly workers: number; readonly seed: string }
  | { readonly kind: "own" };

export interface BenchState {
  readonly origin: Origin;
  readonly market: Market;
  readonly mechanism: string;
  /** Other mechanisms that stand beside it. */
  readonly compared: readonly string[];
  /** Whose bid is on the sliders; null: of the worker with most to gain. */
  readonly worker: number | null;
  /** Of everybody who does not tell the truth. */
  readonly bids: readonly Bid[];
}

/** The paper's number of rounds and rules, and its budget per worker, in a market small enough to read. */
const drawnRules: Rules = { budget: 25, rounds: 10, ...paperRules };

/** A market drawn as in the paper, under the paper's auction. */
export function drawnState(workers: Written = 20, seed = "1"): BenchState {
  const market = drawnMarket(drawnRules, workers, seed);
  const origin = { kind: "drawn", workers: market.workers.length, seed } as const;
  return { origin, market, mechanism: "online", compared: [], worker: null, bids: [] };
}

/** More than these make a table too long to read; the command line takes any number. */
export const MOST_WORKERS = 500;

/** What a reader wrote into a field: a number where it is one, and else its text. */
export type Written = number | string;

const workersSchema = wholeFrom(1, MOST_WORKERS, `an integer from 1 to ${MOST_WORKERS}`);

/** As the command line's draw does with the same numbers. */
function drawnMarket(rules: Record<keyof Rules, Written>, workers: Written, seed: string): Market {
  const checked = validateMarket({ rules, workers: [] }).rules;
  const count = conforming(workersSchema, workers, { source: "workers" });
  return drawMarket({ rules: checked, workers: count }, stream(seed).fork(0));
}

/** The state with another market, and as much of the bids as still has a meaning: no worker comes before its true arrival. */
export function withMarket(state: BenchState, value: unknown, source = "market"): BenchState {
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

/** A field of the worker in a row changed. A worker that bids the truth still does, and a new id keeps its bid. */
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
export function liesAmong(bids: readonly Bid[], { workers }: Market): Bid[] {
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

/** Each rule and its control, which is called as on the command line. */
export const rules = ruleNames.map((name) => [name, ruleTable[name].flag] as const);
