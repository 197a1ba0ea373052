/** What truthfulness costs the publisher: truthful mechanisms beside ours, whose workers tell the truth or do not. */

import { type AnyMechanism, runAuction } from "../src/auction/mechanism.js";
import { type PublisherAccount, publisherAccount } from "../src/auction/outcome.js";
import { isInformed } from "../src/auction/program.js";
import type { Market } from "../src/market/market.js";
import { variantOf } from "../src/mechanisms/index.js";
import { drawnBelief, type Strategy } from "../src/responses/belief.js";
import { drawsOf } from "../src/responses/draws.js";
import { interimEquilibrium, strategyOf } from "../src/responses/equilibrium.js";
import { isExact, isFast } from "../src/responses/index.js";
import { InterimPolicy } from "../src/responses/interim.js";
import type { Analysis } from "../src/study/analysis.js";
import { collectJob, type JobContext, type Profile } from "../src/study/job.js";
import { type LieCount, liesIn } from "../src/verdicts/design.js";
import { attempts } from "./frontier/attempts.js";
import { charts, findings, methods, tables } from "./frontier/views.js";
import { marketAt, type Setting } from "./shared/publisher.js";

/** Options to sweep, by mechanism; a mechanism that has none is one point. */
type Sweeps = Readonly<Record<string, { readonly option: string; readonly values: readonly number[] }>>;

interface Size {
  readonly workers: number;
  readonly markets: number;
  /** In so many of them everybody's best lie is worked out under every truthful mechanism. */
  readonly lieMarkets: number;
  /** On so many draws of the others best responses to the truth are worked out; not at all where there are none. */
  readonly responses: number;
  /** The same for best responses to best responses. */
  readonly equilibrium: number;
  /** Whether mechanisms that were tried and not built in are shown too. */
  readonly attempts?: true;
}

export interface FrontierSettings {
  readonly sizes: readonly Size[];
  /** The budget for each worker, with what to call it: the paper has 125 for 100. */
  readonly budgets: Readonly<Record<string, number>>;
  readonly sweeps: Sweeps;
  /** Mechanisms whose price comes from knowing how such markets usually look: drawn for comparison, never chosen. */
  readonly priceKnown: readonly string[];
}

const common = {
  budgets: { scarce: 0.5, "the paper's": 1.25, ample: 3 },
  sweeps: {
    "posted-rounds": { option: "share", values: [0.5, 0.6, 0.7, 0.8, 0.9, 1] },
    "round-auctions": { option: "share", values: [0.6, 0.7, 0.76, 0.85, 1] },
    "fixed-threshold": { option: "density", values: [0.5, 0.55, 0.6, 0.65, 0.75] },
  },
  priceKnown: ["fixed-threshold", "learned-price"],
};

const settings: Record<Profile, FrontierSettings> = {
  quick: {
    ...common,
    sizes: [
      { workers: 10, markets: 200, lieMarkets: 5, responses: 300, equilibrium: 120 },
      { workers: 30, markets: 120, lieMarkets: 1, responses: 300, equilibrium: 60 },
      { workers: 100, markets: 200, lieMarkets: 0, responses: 150, equilibrium: 0, attempts: true },
      { workers: 300, markets: 100, lieMarkets: 0, responses: 40, equilibrium: 0 },
    ],
  },
  full: {
    ...common,
    sizes: [10, 20, 30, 50, 100, 200, 300].map((workers) => ({
      workers,
      markets: 400,
      lieMarkets: workers <= 50 ? 100 : 10,
      responses: 400,
      equilibrium: workers <= 30 ? 400 : 0,
      ...(workers === 100 && { attempts: true }),
    })),
  },
};

export interface FrontierCell extends Setting, Size, Pick<FrontierSettings, "sweeps" | "priceKnown"> {
  readonly budgetName: string;
}

/** Whose accounts: a mechanism with truthful workers, or ours with workers who bid by a strategy. */
export interface FrontierPoint {
  readonly mechanism: string;
  /** Of a swept option. */
  readonly value: number | null;
  readonly kind: "truthful" | "ours" | "limit" | "responses" | "equilibrium" | "attempt";
  /** What it decides from. */
  readonly sees:
    | "bids as they arrive"
    | "bids as they arrive, and a price beforehand"
    | "all bids at once"
    | "all costs";
  readonly accounts: readonly PublisherAccount[];
  readonly lies: LieCount | null;
}

export interface FrontierAt extends FrontierCell {
  readonly points: readonly FrontierPoint[];
}

export interface FrontierResult {
  readonly settings: FrontierSettings;
  readonly ours: string;
  readonly cells: readonly FrontierAt[];
  /** Mechanisms that are said to be truthful, and under which a lie was found to gain. */
  readonly gaining: readonly string[];
}

interface Variant {
  readonly mechanism: AnyMechanism;
  /** Of a swept option. */
  readonly value?: number;
}

/** Those that are said to be truthful, with the values of the options that are swept; lies are then looked for. */
const truthfulVariants = (sweeps: Sweeps, { allMechanisms, mechanism: ours }: JobContext): Variant[] =>
  allMechanisms
    .filter((one) => one !== ours && one.truthful !== undefined && isPlain(one))
    .flatMap((mechanism): Variant[] => {
      const sweep = Object.hasOwn(sweeps, mechanism.name) ? sweeps[mechanism.name] : undefined;
      if (sweep === undefined || mechanism.options?.[sweep.option] === undefined) return [{ mechanism }];
      const variant = (value: number) => variantOf(mechanism, `${sweep.option}=${value}`);
      return sweep.values.map((value) => ({ mechanism: variant(value), value }));
    });

/** Decides from bids alone, without chance, and has exact best responses. */
const isPlain = (one: AnyMechanism): boolean => !one.stochastic && !isInformed(one) && isExact(one);

function look(cell: FrontierCell, _: number, context: JobContext): FrontierPoint[] {
  const { mechanism: ours, allMechanisms, stream } = context;
  const markets = Array.from({ length: cell.markets }, (_, k) => marketAt(cell, k, stream));
  const accountsOf = (mechanism: AnyMechanism, strategy?: Strategy) =>
    markets.map((market) => accountOf(market, mechanism, strategy));
  const pointOf = (
    kind: FrontierPoint["kind"],
    { mechanism, value }: Variant,
    lies: LieCount | null = null,
  ): FrontierPoint => ({
    ...{ mechanism: mechanism.name, value: value ?? null, kind, lies },
    sees: seenBy(mechanism, cell.priceKnown),
    accounts: accountsOf(mechanism),
  });
  const base = pointOf("ours", { mechanism: ours });
  return [
    base,
    ...strategies(cell, markets, context).map(([kind, strategy]) => {
      return { ...base, kind, accounts: accountsOf(ours, strategy) };
    }),
    ...truthfulVariants(cell.sweeps, context).map((one) =>
      pointOf("truthful", one, liesIn(one.mechanism, markets.slice(0, cell.lieMarkets))),
    ),
    ...(cell.attempts ? attempts : []).map(({ mechanism, breaksIn }) =>
      pointOf("attempt", { mechanism }, breaksIn ? liesIn(mechanism, [breaksIn]) : null),
    ),
    ...allMechanisms
      .filter((one) => isInformed(one) && one !== ours)
      .map((mechanism) => pointOf("limit", { mechanism })),
  ];
}

function seenBy(mechanism: AnyMechanism, priceKnown: readonly string[]): FrontierPoint["sees"] {
  if (isInformed(mechanism)) return "all costs";
  if (mechanism.offline) return "all bids at once";
  const known = priceKnown.includes(mechanism.name.replace(/:.*/, ""));
  return known ? "bids as they arrive, and a price beforehand" : "bids as they arrive";
}

function accountOf(market: Market, mechanism: AnyMechanism, strategy?: Strategy): PublisherAccount {
  const bids = strategy ? market.workers.map((type) => ({ worker: type.id, ...strategy(type) })) : [];
  return publisherAccount(market.workers, runAuction(mechanism, market, bids));
}

const REPUTATIONS = 8;

/** As in the analysis of equilibria. */
const equilibriumTable = {
  reputations: [0.1, 0.3, 0.5, 0.7, 0.9],
  costs: Array.from({ length: 14 }, (_, k) => 0.08 + 0.04 * k),
  ...{ damping: 1, tolerance: 0.03, iterations: 20 },
};

/** How strategic workers of ours bid, where that can be worked out. */
function strategies(
  { responses, equilibrium }: FrontierCell,
  markets: readonly Market[],
  { mechanism: ours, stream }: JobContext,
): ["responses" | "equilibrium", Strategy][] {
  if (!isPlain(ours) || !isFast(ours)) return [];
  const { rules, workers } = markets[0]!;
  const belief = drawnBelief({ rules, ids: workers.map(({ id }) => id) }, stream.fork("others"));
  const found: ["responses" | "equilibrium", Strategy][] = [];
  if (responses > 0) {
    const drawn = drawsOf(belief, 0, responses);
    const policy = new InterimPolicy({ rules, mechanism: ours, workers: drawn, reputations: REPUTATIONS });
    found.push(["responses", policy.bid]);
  }
  if (equilibrium > 0) {
    const { strategy, end } = interimEquilibrium({
      ...{ rules, mechanism: ours, belief, draws: equilibrium, ...equilibriumTable },
      ...{ types: workers.slice(0, 1), stream: stream.fork("multipliers") },
    });
    if (end.kind === "settled") found.push(["equilibrium", strategyOf(strategy)]);
  }
  return found;
}

export const frontier: Analysis<FrontierSettings, FrontierCell, FrontierPoint[][], FrontierResult> = {
  name: "frontier",
  question: "What does truthfulness cost the publisher, and where does it cost nothing?",
  part: "mechanisms",
  settings: ({ profile }) => settings[profile],
  plan: ({ sizes, budgets, sweeps, priceKnown }) =>
    sizes.flatMap((size) =>
      Object.entries(budgets).map(([budgetName, each]) => ({
        cell: { ...size, budget: each * size.workers, budgetName, sweeps, priceKnown },
        markets: 1,
      })),
    ),
  job: collectJob(
    look,
    ({ workers, markets, equilibrium, lieMarkets }) =>
      0.03 * workers * markets + 10 * equilibrium + 300 * lieMarkets,
  ),
  conclude: (gathered, settings, { mechanism }) => {
    const cells = gathered.flatMap(({ cell, summary }) =>
      (summary ?? []).map((points) => ({ ...cell, points })),
    );
    const gaining = cells
      .flatMap(({ points }) => points)
      .filter(({ kind, lies }) => kind === "truthful" && lies!.gainers > 0);
    const names = gaining.map((point) => point.mechanism);
    return { settings, ours: mechanism.name, cells, gaining: [...new Set(names)] };
  },
  tables,
  charts,
  findings,
  methods,
};
